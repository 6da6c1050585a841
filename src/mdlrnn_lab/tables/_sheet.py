"""A table as text cells, its three forms (Markdown, LaTeX, CSV), and the published figures."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from mdlrnn.measures import percent_text


@cache
def published() -> dict[str, Any]:
    """'table': the paper's main table by task_size; 'probe': its table of objectives."""
    text = files("mdlrnn_lab").joinpath("data/published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def published_for(task: str, size: int) -> dict[str, Any] | None:
    """Figures of a task's training size, or None where the paper has none."""
    row: dict[str, Any] | None = published()["table"].get(f"{task}_{size}")
    return row


MISSING = ""
_SPECIAL = {"%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_", "×": r"$\times$", "∞": r"$\infty$"}
_FORMULA = re.compile(
    r"\|D:G\|( \+ \|G\|| \+ L[12])?"  # the objectives
    r"|\|G\|( \+ \|D:G\|)?"
    r"|[a-z]\^[^\s,]+( [a-z]\^[^\s,]+)*"  # the languages
)


class Sheet(NamedTuple):
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    """Columns that stand flush left."""
    breaks: tuple[int, ...] = ()
    """Rows after which a line is drawn, where lines can be."""


def cross_entropy(bits: float | None) -> str:
    """In hundredths of a bit a character, as in the paper's tables."""
    return _hundredths(None if bits is None else 100 * bits)


def printed(hundredths: float | None) -> str:
    """A figure that the paper printed; none is infinity there."""
    return _hundredths(math.inf if hundredths is None else hundredths)


def percent(share: float | None) -> str:
    """One decimal, so that 100.0 means all."""
    return MISSING if share is None else percent_text(share, 1)


def bits(value: float | None, digits: int = 1) -> str:
    if value is None:
        return MISSING
    return "∞" if math.isinf(value) else f"{value:,.{digits}f}"


def markdown(sheet: Sheet) -> str:
    marks = [":--" if i < sheet.left else "--:" for i in range(len(sheet.head))]
    lines = [sheet.head, marks, *sheet.rows]
    return "\n".join("| " + " | ".join(_barred(cell) for cell in row) + " |" for row in lines)


def latex(sheet: Sheet, caption: str, label: str) -> str:
    columns = "l" * sheet.left + "r" * (len(sheet.head) - sheet.left)
    lines = [r"\begin{table*}", r"\footnotesize", rf"\begin{{tabular}}{{{columns}}}", r"\hline"]
    lines.append(" & ".join(map(tex, sheet.head)) + r" \\ \hline")
    for number, row in enumerate(sheet.rows):
        rule = r" \hline" if number in sheet.breaks[:-1] else ""
        lines.append(" & ".join(map(tex, row)) + rf" \\{rule}")
    lines += [r"\hline", r"\end{tabular}", rf"\caption{{{tex(caption)}}}", rf"\label{{{label}}}"]
    return "\n".join([*lines, r"\end{table*}"]) + "\n"


def csv_of(rows: Sequence[dict[str, Any]]) -> str:
    """The figures unrounded, a row each; the first row says the columns."""
    buffer = io.StringIO()
    if rows:
        writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return buffer.getvalue()


def tex(cell: str) -> str:
    """Text for LaTeX: formulas between dollars, special characters escaped."""
    parts = []
    end = 0
    for found in _FORMULA.finditer(cell):
        parts.append(_escaped(cell[end : found.start()]))
        parts.append(f"${_braced(found[0])}$")
        end = found.end()
    return "".join(parts) + _escaped(cell[end:])


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _braced(formula: str) -> str:
    """a^(n+m) and b^2n with braces around the exponents."""
    return re.sub(r"\^\(?([^\s)]+)\)?", r"^{\1}", formula)


def _barred(cell: str) -> str:
    """A bar would end the cell in Markdown."""
    return cell.replace("|", r"\|")


def _hundredths(value: float | None) -> str:
    if value is None:
        return MISSING
    return "∞" if math.isinf(value) else f"{value:.1f}"


def made(command: str, runs: Sequence[dict[str, Any]], more: Iterable[str]) -> str:
    """How a page of Markdown was made: command, versions, machine, date."""
    lines = [f"    {command}", ""]
    for title, key in (("Versions", "versions"), ("Machine", "machine"), ("Date", "date")):
        found = sorted({str(run[key]) for run in runs})
        lines.append(f"- {title}: {'; '.join(found)}")
    seconds = sum(run["seconds"] for run in runs)
    steps = sum(run["steps"] for run in runs)
    lines.append(f"- Searches: {len(runs)}, {seconds / 60:,.1f} minutes, {steps:,} steps in all")
    return "\n".join([*lines, *(f"- {line}" for line in more)])
