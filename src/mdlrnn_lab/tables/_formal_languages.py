"""The paper's main table again (`table:formal_lang_results`): MDLRNNs beside classical RNNs; and
its probe of the objective (section 4.6 and its last table): five objectives, one task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn.languages import Language
from mdlrnn.network import OBJECTIVES
from mdlrnn.proofs import available, prove
from mdlrnn.search import Origin, Search, Stop

from ..rnns import accuracy, best, type_title
from ._runs import Runner, Wanted, best_network, evolved, write_figures
from ._sheet import (
    MISSING,
    Sheet,
    bits,
    cross_entropy,
    made,
    markdown,
    percent,
    printed,
    published,
    published_for,
)


def with_verdict(folder: Path, figures: dict[str, Any], language: Language) -> dict[str, Any]:
    """The figures with the proof's outcome, from the file or made now and kept; without it, where
    there is an obstacle."""
    if "proof" in figures or obstacle_to(language) is not None:
        return figures
    assert language.machine is not None
    proof = prove(best_network(folder, figures["name"]), language.machine).to_dict()
    found = {**figures, "proof": proof}
    write_figures(folder / "figures" / f"{figures['name']}.json", found)
    return found


def obstacle_to(language: Language) -> str | None:
    """Why no theorem can be sought about a language, as a sentence; None where it can."""
    if not available("z3"):
        return 'No theorem was sought: the prover is not installed (pip install "mdlrnn[prove]").'
    why = language.obstacle
    return None if why is None else f"No theorem was sought: {why}"


def verdict(figures: dict[str, Any]) -> str:
    """'exact', 'within 1e-06', 'refuted', 'not shown', or nothing where no proof was tried."""
    proof = figures.get("proof")
    if not isinstance(proof, dict):
        return ""
    if not proof.get("proved"):
        return str(proof.get("outcome", "not shown"))
    claim = (proof.get("claims") or [{}])[0]
    kind = str(claim.get("kind", "proved"))
    margin = claim.get("margin") or 0
    return f"{kind} {margin:g}" if margin else kind


HEAD = (
    "task", "", "MDL", "CE MDLRNN", "CE RNN", "optimal", "acc MDLRNN", "acc RNN", "best RNN",
    "theorem",
)  # fmt: skip

Figures = dict[str, Any]


class Entry(NamedTuple):
    """All that was found for one training set."""

    task: Language
    size: int
    runs: tuple[Figures, ...]
    rnns: tuple[Figures, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.task.name}_{self.size}"


def evolved_for(
    task: Language, size: int, search: Search, stop: Stop, seeds: Iterable[int], runner: Runner
) -> tuple[Figures, ...]:
    return tuple(
        evolved(Wanted(f"{task.name}_{size}-{seed}", task, size, search, seed, stop), runner)
        for seed in seeds
    )


def by_training(runs: Sequence[Figures]) -> Figures:
    return min(runs, key=lambda run: run["mdl"])


def by_test(runs: Sequence[Figures]) -> Figures:
    """|G| plus the test set's |D:G|, as in the paper; where all are infinite, by training."""
    return min(runs, key=lambda run: (run["g"] + run["test_d_given_g"], run["mdl"]))


def judged(entry: Entry, folder: Path) -> Entry:
    """The theorems' verdicts on the two networks that the table shows."""
    shown, language = _shown(entry), entry.task
    runs = (
        with_verdict(folder, run, language) if run["name"] in shown else run for run in entry.runs
    )
    return entry._replace(runs=tuple(runs))


def unproved(entries: Iterable[Entry]) -> list[str]:
    """Why some networks of the table have no verdict, a sentence for each reason."""
    reasons = [
        obstacle_to(entry.task)
        for entry in entries
        if not all("proof" in run for run in entry.runs if run["name"] in _shown(entry))
    ]
    return [reason for reason in dict.fromkeys(reasons) if reason is not None]


def _shown(entry: Entry) -> set[str]:
    return {by_training(entry.runs)["name"], by_test(entry.runs)["name"]}


def flat(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """The table's figures unrounded, in bits and shares: what the CSV file holds."""
    rows = []
    for entry in entries:
        theirs = published_for(entry.task.name, entry.size)
        if theirs is not None:
            rows.append(_published_row(entry, "paper", theirs))
            if "by_training" in theirs:
                rows.append(
                    _published_row(entry, "paper, by training", theirs | theirs["by_training"])
                )
        for whose, run, rnn in _own(entry):
            rows.append(
                _row(
                    entry.name,
                    whose,
                    run["mdl"],
                    run["test_cross_entropy"],
                    None if rnn is None else rnn["test_cross_entropy"],
                    run["optimal_test_cross_entropy"],
                    accuracy(run),
                    None if rnn is None else accuracy(rnn),
                    None if rnn is None else type_title(rnn["cell"], rnn["regularisation"]),
                    None if rnn is None else rnn["hidden"],
                    verdict(run),
                    run["seed"],
                )
            )
    return rows


def table_sheet(entries: Iterable[Entry]) -> Sheet:
    cells = []
    breaks = []
    for entry in entries:
        rows = flat([entry])
        for number, row in enumerate(rows):
            cells.append(_cells(row, entry, number == 0))
        breaks.append(len(cells) - 1)
    return Sheet(HEAD, tuple(cells), 2, tuple(breaks))


def runs_sheet(entries: Iterable[Entry]) -> Sheet:
    """Every run, so that the spread between seeds can be seen."""
    head = (
        "task", "seed", "|G|", "|D:G|", "MDL", "hidden", "test CE", "accuracy", "steps", "s",
        "origin",
    )  # fmt: skip
    rows = [
        (
            entry.name,
            f"{run['seed']}",
            f"{run['g']:,}",
            bits(run["d_given_g"]),
            bits(run["mdl"]),
            f"{run['hidden']}",
            cross_entropy(run["test_cross_entropy"]),
            percent(accuracy(run)),
            f"{run['steps']:,}",
            f"{run['seconds']:,.0f}",
            origin_of(run),
        )
        for entry in entries
        for run in entry.runs
    ]
    return Sheet(head, tuple(rows))


def origin_of(run: Figures) -> str:
    """How the network came to be, in two words; kept figures of earlier versions do not tell."""
    origin = Origin.from_dict(run.get("origin"))
    return MISSING if origin is None else origin.kind


def _own(entry: Entry) -> list[tuple[str, Figures, Figures | None]]:
    return [
        (
            "by training",
            by_training(entry.runs),
            best(entry.rnns, "train_cross_entropy"),
        ),
        ("by test", by_test(entry.runs), best(entry.rnns, "test_cross_entropy")),
    ]


def _published_row(entry: Entry, selected: str, theirs: dict[str, Any]) -> dict[str, Any]:
    return _row(
        entry.name,
        selected,
        theirs["mdl"],
        theirs["mdlrnn_cross_entropy"] / 100,
        _hundredth(theirs["rnn_cross_entropy"]),
        theirs["optimal_cross_entropy"] / 100,
        theirs["mdlrnn_accuracy"] / 100,
        _hundredth(theirs["rnn_accuracy"]),
        theirs["rnn_type"],
        theirs["rnn_size"],
        "by hand" if theirs["theorem"] else "none",
        None,
    )


def _hundredth(value: float | None) -> float | None:
    return None if value is None else value / 100


def _row(*values: Any) -> dict[str, Any]:
    names = (
        "task", "selected", "mdl", "mdlrnn_test_cross_entropy", "rnn_test_cross_entropy",
        "optimal_test_cross_entropy", "mdlrnn_test_accuracy", "rnn_test_accuracy", "rnn_type",
        "rnn_hidden", "theorem", "seed",
    )  # fmt: skip
    return dict(zip(names, values, strict=True))


def _cells(row: dict[str, Any], entry: Entry, first: bool) -> tuple[str, ...]:
    theirs = row["selected"].startswith("paper")
    entropy = _printed if theirs else cross_entropy
    rnn = MISSING if row["rnn_type"] is None else f"{row['rnn_type']}, {row['rnn_hidden']}"
    return (
        f"{entry.task.title}, {entry.size:,}" if first else "",
        row["selected"],
        bits(row["mdl"]),
        entropy(row["mdlrnn_test_cross_entropy"]),
        MISSING if row["rnn_type"] is None else entropy(row["rnn_test_cross_entropy"]),
        entropy(row["optimal_test_cross_entropy"]),
        percent(row["mdlrnn_test_accuracy"]),
        percent(row["rnn_test_accuracy"]),
        rnn,
        row["theorem"],
    )


def _printed(value: float | None) -> str:
    return printed(None if value is None else 100 * value)


ORDER = ("g", "d", "d+l1", "d+l2", "mdl")
"""Of the paper's table."""
PROBE_HEAD = ("objective", "", "train CE", "test CE", "units", "conn")


def probe(
    task: Language, size: int, search: Search, seeds: range, stop: Stop, runner: Runner
) -> list[dict[str, Any]]:
    """The figures of a search for each objective and seed."""
    of = f"{task.name}_{size}"
    return [
        evolved(Wanted(f"{of}-{name}-{seed}", task, size, search, seed, stop, name), runner)
        for name in ORDER
        for seed in seeds
    ]


def probe_sheet(rows: Iterable[dict[str, Any]], beside: bool) -> Sheet:
    """Each objective as the paper has it and as it is here; sizes as the paper counts them:
    hidden units, and connections together with biases."""
    cells: list[tuple[str, ...]] = []
    breaks: list[int] = []
    rows = list(rows)
    several = len({row["seed"] for row in rows}) > 1
    for row, before in zip(rows, [None, *rows], strict=False):
        name = row["objective"]
        is_first = before is None or before["objective"] != name
        if not is_first:
            breaks.pop()
        if beside and is_first:
            theirs = published()["probe"][name]
            cells.append(
                (
                    OBJECTIVES[name].title,
                    "paper",
                    printed(theirs["train_cross_entropy"]),
                    printed(theirs["test_cross_entropy"]),
                    f"{theirs['units']}",
                    f"{theirs['connections']}",
                )
            )
        cells.append(
            (
                OBJECTIVES[name].title if is_first and not beside else "",
                f"seed {row['seed']}" if several else "here",
                cross_entropy(row["train_cross_entropy"]),
                cross_entropy(row["test_cross_entropy"]),
                f"{row['hidden']}",
                f"{row['connections']}",
            )
        )
        breaks.append(len(cells) - 1)
    return Sheet(PROBE_HEAD, tuple(cells), 2, tuple(breaks))


def has_published(task: Language, size: int) -> bool:
    return (task.name, size) == ("anbn", 500)


_MEASURES = """\
CE is the cross-entropy on the test set (in the probe also on the training set), in hundredths of a
bit a character; acc is the share of deterministic steps that are right, in percent, and for Dyck
languages the share of all steps that are categorically right (margin 0.005). Shares are cut, not
rounded: 100.0 means all. *optimal* is what the language's own probabilities give, for Dyck-2 the
paper's hand-built stack; on one set of strings a network can be below it by chance."""


_SELECTION = """\
*paper* is what the paper prints: of its three released runs the network with the lowest |G| plus
the test set's |D:G|. *paper, by training* is the one of them with the lowest training score, where
that is another. *by training* is the network with the lowest training score of the runs here, and
the RNN with the lowest training cross-entropy; *by test* is selected as the paper's table is: the
network by |G| plus the test set's |D:G|, the RNN by test cross-entropy. MDL is |G| + |D:G| of the
training set. *theorem* is what `mdlrnn prove` shows of the network, for every string of the
language; in the paper's rows *by hand* is a proof in the paper, and those are about networks of the
larger training sets."""


def table_page(entries: Sequence[Entry], command: str, notes: Iterable[str] = ()) -> str:
    runs = [run for entry in entries for run in entry.runs]
    rnns = [row for entry in entries for row in entry.rnns]
    parts = [
        "# The paper's main table, again",
        made(command, runs, rnn_words(rnns)),
        markdown(table_sheet(entries)),
        _MEASURES,
        _SELECTION,
        *notes,
        *_theorems(runs),
        "## Every run",
        markdown(runs_sheet(entries)),
    ]
    return "\n\n".join(parts) + "\n"


def probe_page(
    rows: Sequence[dict[str, Any]], command: str, beside: bool, notes: Iterable[str] = ()
) -> str:
    parts = [
        "# The probe of the objective, again",
        made(command, rows, []),
        markdown(probe_sheet(rows, beside)),
        "units are hidden units; conn counts connections and biases.",
        _MEASURES,
        *notes,
    ]
    return "\n\n".join(parts) + "\n"


def _theorems(runs: Sequence[dict[str, Any]]) -> list[str]:
    """What was shown of each network that a proof was sought for, as sentences."""
    found = [
        f"- {run['task']}_{run['size']}, seed {run['seed']}: {run['proof'].get('statement')}"
        for run in runs
        if isinstance(run.get("proof"), dict)
    ]
    return ["## Theorems", "\n".join(found)] if found else []


def rnn_words(rnns: Sequence[dict[str, Any]]) -> list[str]:
    if not rnns:
        return []
    devices = ", ".join(sorted({str(row["device"]) for row in rnns}))
    seconds = sum(row["seconds"] for row in rnns)
    return [f"Classical RNNs: {len(rnns)} trained on {devices} in {seconds / 60:.1f} minutes"]
