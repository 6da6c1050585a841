"""A comparison as a page of Markdown: command, versions, machine, date, and the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._formal_languages import Entry, probe_sheet, runs_sheet, table_sheet
from ._regularisers import regularisers_sheet
from ._sheet import markdown

_MEASURES = """\
CE is the cross-entropy on the test set (in the probe also on the training set), in hundredths of a
bit a character; acc is the share of deterministic steps that are right, in percent, and for Dyck
languages the share of all steps that are categorically right (margin 0.005). Shares are cut, not
rounded: 100.0 means all. *optimal* is what the language's own probabilities give, for Dyck-2 the
paper's hand-built stack; on one set of strings a network can be below it by chance."""

_REGULARISERS = """\
|G| and the training set's |D:G| are in bits, under the encoding abudy2025. *test* is by how much
the test set's |D:G| is above that of the true distribution; where a test set is not drawn from it,
as those of a^n b^n and a^n b^n c^n are not, a network can be below. *kept*: the search from the
golden network ended with it; *left*: with another network, which is *right* if it makes no mistake
on the training set, the test set and the language's shortest strings, else *wrong*. *size*
minimises |D:G| among networks with no more units and connections than the golden one."""

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
        _made(command, runs, _rnn_words(rnns)),
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
        _made(command, rows, []),
        markdown(probe_sheet(rows, beside)),
        "units are hidden units; conn counts connections and biases.",
        _MEASURES,
        *notes,
    ]
    return "\n\n".join(parts) + "\n"


def regularisers_page(
    golden: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], command: str
) -> str:
    limits = ", ".join(sorted({row["limit"] for row in rows}))
    parts = [
        "# Which regulariser keeps a golden network",
        _made(command, rows, [f"Each search: {limits}"]),
        markdown(regularisers_sheet(golden, rows)),
        _REGULARISERS,
    ]
    return "\n\n".join(parts) + "\n"


def _made(command: str, runs: Sequence[dict[str, Any]], more: Iterable[str]) -> str:
    lines = [f"    {command}", ""]
    for title, key in (("Versions", "versions"), ("Machine", "machine"), ("Date", "date")):
        found = sorted({str(run[key]) for run in runs})
        lines.append(f"- {title}: {'; '.join(found)}")
    seconds = sum(run["seconds"] for run in runs)
    steps = sum(run["steps"] for run in runs)
    lines.append(f"- Searches: {len(runs)}, {seconds / 60:,.1f} minutes, {steps:,} steps in all")
    return "\n".join([*lines, *(f"- {line}" for line in more)])


def _theorems(runs: Sequence[dict[str, Any]]) -> list[str]:
    """What was shown of each network that a proof was sought for, as sentences."""
    found = [
        f"- {run['task']}_{run['size']}, seed {run['seed']}: {run['proof'].get('statement')}"
        for run in runs
        if isinstance(run.get("proof"), dict)
    ]
    return ["## Theorems", "\n".join(found)] if found else []


def _rnn_words(rnns: Sequence[dict[str, Any]]) -> list[str]:
    if not rnns:
        return []
    devices = ", ".join(sorted({str(row["device"]) for row in rnns}))
    seconds = sum(row["seconds"] for row in rnns)
    return [f"Classical RNNs: {len(rnns)} trained on {devices} in {seconds / 60:.1f} minutes"]
