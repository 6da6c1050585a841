"""Numbers and tables as text that fits a terminal."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

SHORT = 9
"""Characters up to which a fraction is shown as it is."""
LABEL = 20
"""Characters up to which a symbol is shown as it is."""


def terminal_width() -> int:
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def echo_json(data: Any) -> None:
    """JSON on standard output; infinity, which JSON lacks, becomes null."""
    click.echo(json.dumps(_finite(data), ensure_ascii=False, indent=1))


def _finite(data: Any) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data


def bits_text(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:,.2f}"


def is_short(value: Fraction) -> bool:
    size = max(abs(value.numerator), value.denominator).bit_length()
    return size < 64 and len(str(value)) <= SHORT


def number_text(value: Fraction) -> str:
    """A fraction where it is short, else a decimal with a mark that it is rounded."""
    return str(value) if is_short(value) else f"~{float(value):.5g}"


def label_text(symbol: str) -> str:
    return symbol if len(symbol) <= LABEL else symbol[: LABEL - 3] + "..."


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], together: int) -> str:
    """A table; where it is too wide, the columns after the first one go on below.

    The columns from `together` on stay side by side if they can.
    """
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


def wrapped(text: str, width: int) -> list[str]:
    """The text cut into pieces of this width, the last one shorter."""
    return [text[at : at + width] for at in range(0, len(text), width)]
