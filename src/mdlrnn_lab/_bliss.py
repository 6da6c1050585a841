"""`bliss`: a search on each training set of the BLISS benchmark, and how far it generalises."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn import __version__
from mdlrnn.checks import check_integer
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError
from mdlrnn.files import PathLike, check_writable, named, read_text, save
from mdlrnn.interface import evolve, json_text, table
from mdlrnn.machines import Machine
from mdlrnn.network import Encoding, Network
from mdlrnn.old import knows_old
from mdlrnn.proofs import Proof, Prover, available
from mdlrnn.search import Run, Search, Stop, workers_from

from .tables import MOST_STRINGS, STRINGS, Dataset, RunStopped, datasets, evaluate

SECONDS = 60.0
"""Of each search."""
Row = dict[str, Any]
IN_EVERY_ROW = (
    "language", "title", "size", "seed", "asked", "g", "strings", "right", "run", "proved",
)  # fmt: skip
"""`asked` is the number of test strings asked for."""
WITHOUT_THEOREM = {"refuted": "wrong", "not right": "no bound", "not shown": "not shown"}
"""What a proof comes to that is none, in the table's last column."""


@knows_old("bliss")
def bliss(
    folder: PathLike,
    languages: Sequence[str] = (),
    sizes: Sequence[int] = (),
    *,
    stop: Stop | None = None,
    search: Search | None = None,
    strings: int = STRINGS,
    workers: object = None,
    seed: int = 1,
    out: PathLike | None = None,
    tell: Callable[[str], object] | None = None,
) -> list[Row]:
    """A row for each language and training size of a clone of BLISS, all of them if none are named.

    With `out` the rows are kept there, and one that was made by the same version on the same
    strings with the same limits, settings and number of test strings is not made again. Other rows
    stay in that file and are not given back. Ctrl-C gives back the rows that are done.
    """
    rows: list[Row] = []
    with suppress(RunStopped, KeyboardInterrupt):
        for row in bliss_rows(
            folder, languages, sizes, stop=stop, search=search, strings=strings, workers=workers,
            seed=seed, out=out, tell=tell,
        ):  # fmt: skip
            rows.append(row)
    return rows


def bliss_rows(
    folder: PathLike,
    languages: Sequence[str],
    sizes: Sequence[int],
    *,
    stop: Stop | None,
    search: Search | None,
    strings: int,
    workers: object,
    seed: int,
    out: PathLike | None,
    tell: Callable[[str], object] | None,
    is_stopped: Callable[[], bool] = bool,
) -> Iterator[Row]:
    """The rows of `bliss`, each as soon as it is there; `RunStopped` where a search was cut short.

    All that can be seen to be wrong is refused before the first search.
    """
    workers_from(workers)
    check_integer("seed", seed, 0)
    check_integer("strings", strings, 1, MOST_STRINGS)
    stop = stop or Stop(seconds=SECONDS)
    search = search or Search()
    kept = [] if out is None else _read(Path(out))
    if out is not None:
        check_writable(out)
    for work in _works(datasets(Path(folder), languages), sizes):
        made_of = _made_of(work, search, seed, stop, strings)
        row = next((row for row in reversed(kept) if _is_made_of(row, made_of)), None)
        if row is None:
            if is_stopped():
                raise RunStopped
            if tell is not None:
                tell(f"{work.dataset.name}, {work.size} strings")
            row = made_of | _found(work, search, seed, stop, strings, workers, is_stopped)
            kept.append(row)
            if out is not None:
                save(out, json_text(kept) + "\n")
        yield row


class _Work(NamedTuple):
    dataset: Dataset
    size: int
    corpus: Corpus


def _works(chosen: Sequence[Dataset], sizes: Sequence[int]) -> list[_Work]:
    """What is to be searched on; nothing is searched before all of it is read and checked."""
    works = []
    for dataset in chosen:
        wanted = dict.fromkeys(sizes or dataset.sizes())
        if not wanted:
            raise InputError(
                f"{named(dataset.folder)} has no training set (train_*.zip); get the benchmark "
                "again."
            )
        found = [_Work(dataset, size, dataset.training(size)) for size in wanted]
        dataset.check(found[-1].corpus.alphabet or ())
        works += found
    return works


def _made_of(work: _Work, search: Search, seed: int, stop: Stop, strings: int) -> Row:
    """What a row is about and how it was made, as it is read back from a file."""
    encoding = search.encoding_for(Encoding.every_part())
    found: Row = json.loads(
        json_text(
            {
                "language": work.dataset.name,
                "size": work.size,
                "seed": seed,
                "asked": strings,
                "training": work.corpus.digest,
                "limits": stop.to_dict(),
                "search": search.to_dict() | {"seed": seed, "encoding": asdict(encoding)},
                "version": __version__,
            }
        )
    )
    return found


def _is_made_of(row: Row, made_of: Row) -> bool:
    """Rows of earlier builds do not say whether another network of the front is proved."""
    return made_of.items() <= row.items() and "other" in row


def _found(
    work: _Work,
    search: Search,
    seed: int,
    stop: Stop,
    strings: int,
    workers: object,
    is_stopped: Callable[[], bool],
) -> Row:
    run = evolve(
        work.corpus, search, stop=stop, seed=seed, progress=False, workers=workers,
        on_progress=lambda progress: is_stopped(),
    )  # fmt: skip
    if run.reason == "stopped":
        raise RunStopped
    result = evaluate(run.best, work.dataset, strings, is_stopped)
    task = work.dataset.task
    row = {
        "title": task.title, "g": run.score.g, "d_given_g": run.score.d_given_g,
        "strings": result.strings, "right": result.right, "run": result.run,
        "first_wrong": result.first_wrong, "theorem": None, "proved": None, "outcome": None,
        "only_exact": None, "other": None,
        "seconds": run.statistics.seconds, "network": run.best.to_dict(),
    }  # fmt: skip
    machine = task.machine
    if available("z3") and isinstance(machine, Machine):
        prover = Prover(machine)
        proof = prover.prove(_spelled_as(machine, run.best))
        row |= {
            "proved": proof.proved, "outcome": proof.outcome, "theorem": proof.statement,
            "only_exact": _only_exact(proof),
        }  # fmt: skip
        if not proof.proved:
            row["other"] = _proved_of_front(prover, machine, run)
    return row


def _proved_of_front(prover: Prover, machine: Machine, run: Run) -> Row | None:
    """Of the front the network with the lowest score that is proved."""
    front = sorted(run.front, key=lambda entry: entry[1].mdl)
    scored = {_spelled_as(machine, network): (network, score) for network, score in front}
    found = prover.another(scored)
    if found is None:
        return None
    network, score = scored[found.network]
    return {
        "g": score.g, "d_given_g": score.d_given_g, "more": score.mdl - run.score.mdl,
        "theorem": found.statement, "only_exact": _only_exact(found), "network": network.to_dict(),
    }  # fmt: skip


def _only_exact(proof: Proof) -> bool:
    """Whether the theorem holds in exact numbers only: as it runs, the network makes a mistake."""
    return proof.proved and proof.float_failure is not None


def _spelled_as(machine: Machine, network: Network) -> Network:
    """The network with the symbols of the task here, which has other brackets."""
    assert network.alphabet is not None
    if len(network.alphabet) != len(machine.alphabet):
        return network
    names = dict(zip(sorted(network.alphabet), sorted(machine.alphabet), strict=True))
    return replace(network, alphabet=tuple(names[symbol] for symbol in network.alphabet))


def bliss_table(rows: Sequence[Row]) -> str:
    """`run / size` is the longest run from the shortest string on without a mistake, divided by the
    number of training strings. Rows that differ in nothing else have their seed, the number of test
    strings asked for and the limit of the search beside them."""
    columns = {
        "language": [row["title"] for row in rows],
        "strings": [f"{row['size']:,}" for row in rows],
        "seed": [str(row["seed"]) for row in rows],
        "asked": [f"{row['asked']:,}" for row in rows],
        "limit": [_limit(row.get("limits")) for row in rows],
        "|G|": [f"{row['g']:,}" for row in rows],
        "right": [f"{row['right']:,} of {row['strings']:,}" for row in rows],
        "run / size": [ratio_text(row["run"] / row["size"]) for row in rows],
        "theorem": [_theorem(row) for row in rows],
    }
    for name in ("seed", "asked", "limit"):
        if len(set(columns[name])) < 2:
            del columns[name]
    return table(list(columns), list(zip(*columns.values(), strict=True)), left=1)


def bliss_notes(rows: Sequence[Row]) -> list[str]:
    """A sentence on each proved network that is not the best of its search, and on each test set
    that has fewer strings than were asked for."""
    return [_on_other(row) for row in rows if row.get("other")] + [
        f"The test set of {name} has {found:,} strings, fewer than the {asked:,} asked for."
        for name, found, asked in dict.fromkeys(
            (row["language"], row["strings"], row["asked"]) for row in rows
        )
        if found < asked
    ]


def _on_other(row: Row) -> str:
    other = row["other"]
    where = " in exact numbers, though not as it runs" if other.get("only_exact") else ""
    return (
        f"{row['title']} with {row['size']:,} strings: another network of the front is proved"
        f"{where}, with |G| {other['g']:,} and {other['more']:,.2f} bits more in all."
    )


def ratio_text(value: float) -> str:
    """'150.0', '1.886', '0.003': small ones with at most three digits that count."""
    if value >= 10:
        return f"{value:,.1f}"
    if value == 0 or value >= 0.01:
        return f"{value:.3f}"
    return f"{value:.{2 - math.floor(math.log10(value))}f}".rstrip("0")


def _theorem(row: Row) -> str:
    if row["proved"] is None:
        return "-"
    if row["proved"]:
        return "yes, if exact" if row.get("only_exact") else "yes"
    is_wrong = row["right"] < row["strings"]
    why = "wrong" if is_wrong else WITHOUT_THEOREM.get(row.get("outcome") or "")
    return "no" if why is None else f"no: {why}"


def _limit(limits: object) -> str:
    """The limits of a search in a few words; those of older rows are not known."""
    if not isinstance(limits, dict):
        return "?"
    given = {name: value for name, value in limits.items() if value is not None}
    if list(given) == ["seconds"]:
        return f"{given['seconds']:g} s"
    return ", ".join(f"{name} {value:g}" for name, value in given.items())


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    try:
        rows = list(json.loads(read_text(path, "table")))
        fits = all(row.keys() >= set(IN_EVERY_ROW) for row in rows)
    except (ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        fits = False
    if not fits:
        raise InputError(f"{named(path)} is no table of BLISS; choose another file.")
    return rows
