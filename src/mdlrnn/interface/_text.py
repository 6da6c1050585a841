"""Text for a terminal: numbers, times and tables that fit it. What comes from a file is shown,
never obeyed: escapes and the like are written out.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from ..errors import InputError, printable
from ..waiting import clear

SHORT = 9
"""Characters up to which a fraction is shown as it is."""
LABEL = 20
"""Characters up to which a symbol is shown as it is."""
CURVE = 60
"""Columns that a curve takes at most."""
_BARS = "▁▂▃▄▅▆▇█"
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PART = re.compile(r"(\d+(?:\.\d+)?)([dhms])")


def terminal_width() -> int:
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def filled(text: str, indent: str = "") -> str:
    """The text in lines as wide as the terminal, those after the first one indented."""
    shown = "\n".join(map(printable, text.split("\n")))  # before what is odd is taken for a blank
    return textwrap.fill(shown, terminal_width(), subsequent_indent=indent, break_on_hyphens=False)


def shell_text(text: str) -> str:
    """The text as one word for a shell, in double quotes where it has single ones."""
    plain = "'" in text and not set(text) & set('"$`\\!')
    return f'"{text}"' if plain else shlex.quote(text)


def bits_text(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:,.2f}"


def is_short(value: Fraction) -> bool:
    size = max(abs(value.numerator), value.denominator).bit_length()
    return size < 64 and len(str(value)) <= SHORT


def number_text(value: Fraction) -> str:
    """A fraction where it is short, else a decimal with a mark that it is rounded."""
    return str(value) if is_short(value) else f"~{_rounded(value):.5g}"


def _rounded(value: Fraction) -> float | Decimal:
    """A decimal where it is beyond float64, as a stack without saturation can be."""
    try:
        return float(value)
    except OverflowError:
        return Context(prec=17).divide(Decimal(value.numerator), Decimal(value.denominator))


def json_number(value: Fraction) -> float | None:
    """As a number of JSON; None where it is beyond float64."""
    found = _rounded(value)
    return found if isinstance(found, float) else None


def label_text(symbol: str) -> str:
    shown = printable(symbol)
    return shown if len(shown) <= LABEL else shown[: LABEL - 3] + "..."


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], together: int) -> str:
    """A table; where it is too wide, the columns after the first one go on below.

    The columns from `together` on stay side by side if they can.
    """
    head, *rows = _shown(head, rows)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    room = terminal_width()
    blocks: list[list[int]] = []
    used = 0
    for i in range(1, len(head)):
        needed = sum(width + 2 for width in widths[i:]) if i == together else 0
        if widths[0] + needed > room:
            needed = 0
        if not blocks or used + max(needed, widths[i] + 2) > room:
            blocks.append([])
            used = widths[0]
        blocks[-1].append(i)
        used += widths[i] + 2
    lines = []
    for block in blocks:
        for row in (head, *rows):
            lines.append("  ".join(row[i].rjust(widths[i]) for i in (0, *block)).rstrip())
        lines.append("")
    return "\n".join(lines[:-1])


def _shown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """All cells as a terminal shows them: escapes are longer than what they stand for."""
    return [[printable(cell) for cell in row] for row in (head, *rows)]


def wrapped(text: str, width: int) -> list[str]:
    """The text cut into pieces of this width, the last one shorter."""
    return [text[at : at + width] for at in range(0, len(text), width)]


def curve_text(generations: Sequence[int], values: Sequence[float], width: int) -> str:
    """Values from the first generation to the last as a line of bars; each stands until the next
    one. Nothing, where they are all the same."""
    if len(set(values)) < 2:
        return ""
    last = generations[-1] or 1
    shown: list[float] = []
    at = 0
    count = max(2, min(width, CURVE))
    for i in range(count):
        while at + 1 < len(values) and generations[at + 1] <= last * i / (count - 1):
            at += 1
        shown.append(values[at])
    low, high = min(values), max(values)
    return "".join(_BARS[round(7 * (value - low) / (high - low))] for value in shown)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 0) -> str:
    """Columns two blanks apart, the first `left` ones flush left, the others flush right."""
    head, *rows = _shown(head, rows)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def parse_time(text: str, option: str) -> float:
    """Seconds of '90', '90s', '10m', '2h' or '1h30m'."""
    plain = text.strip().lower().replace(" ", "")
    try:
        seconds = float(plain)
    except ValueError:
        parts = _PART.findall(plain)
        whole = "".join(number + unit for number, unit in parts)
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        if not plain or whole != plain:
            seconds = math.nan
    if not 0 < seconds < math.inf:
        raise InputError(f"{option} is {text!r}; write a time such as 90s, 10m, 2h or 1h30m.")
    return seconds


def time_text(seconds: float) -> str:
    """'12 s', '5 min 3 s', '2 h 5 min', '3 d 4 h'."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for unit, name, smaller, small_name in (
        (86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"),
    ):  # fmt: skip
        if whole >= unit:
            rest = whole % unit // smaller
            return f"{whole // unit} {name}" + (f" {rest} {small_name}" if rest else "")
    return f"{whole} s"


def count_text(number: float) -> str:
    """'1,234', '12.3 k', '4.56 M'."""
    for size, name, least in ((1e9, "G", 1e9), (1e6, "M", 1e6), (1e3, "k", 1e4)):
        if number >= least:
            scaled = number / size
            return f"{scaled:,.0f} {name}" if scaled >= 100 else f"{scaled:.3g} {name}"
    return f"{number:,.0f}"


_ODD = re.compile(r"[^\n -~]")


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Lines of text, on standard output or standard error."""
    _echo("\n".join(printable(line) for line in text.split("\n")), err=err, nl=nl)


def _echo(text: str, err: bool = False, nl: bool = True) -> None:
    from click import echo  # only where something is said

    clear()
    echo(text, err=err, nl=nl)


def say_data(text: str) -> None:
    """What another program may read: as it is, unless a terminal would obey it."""
    if sys.stdout.isatty():
        text = "".join(c if c in "\n\t" else printable(c) for c in text)
    _echo(text, nl=False)


def say_json(data: Any) -> None:
    """JSON on standard output."""
    say_json_text(json_text(data))


def json_text(data: Any) -> str:
    """Infinity, which JSON lacks, becomes null."""
    return json.dumps(_finite(data), ensure_ascii=False, indent=1)


def say_json_text(text: str) -> None:
    _echo(_ODD.sub(_escaped, text))


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return character if character.isprintable() else json.dumps(character)[1:-1]


def _finite(data: Any) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
