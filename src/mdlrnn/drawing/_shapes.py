"""What pictures are made of: circles, curves, polygons and words, and the styles they come in.

Drawings and plots are built from these values alone; how a picture becomes a file is in `_svg`,
`_tikz` and `_raster`. Coordinates are points, with y downwards, as in SVG.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import NamedTuple


class Point(NamedTuple):
    x: float
    y: float


class Style(NamedTuple):
    """Colours for paper; on the HTML page its style sheet has the last word."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dashed: bool = False


INK, MUTED = "#1f2937", "#6b7280"
STYLES = {
    "input": Style("#fde68a", "#b45309", 1.2),
    "output": Style("#bfdbfe", "#1d4ed8", 1.2),
    "hidden": Style("#f3f4f6", "#4b5563", 1.2),
    "stripe": Style(None, "#c3c8d0", 1.6),
    "forward": Style(None, "#374151", 1.2),
    "recurrent": Style(None, "#374151", 1.2, True),
    "bias": Style(None, "#374151", 1.2),
    "head": Style("#374151"),
    "name": Style(INK),
    "number": Style(MUTED),
    "activation": Style("#374151"),
    "weight": Style("#111827"),
    "axis": Style(None, "#9ca3af", 1.0),
    "grid": Style(None, "#e5e7eb", 0.8),
    "label": Style("#374151"),
    "s0": Style("#9ca3af", "#9ca3af", 1.8),
    "s1": Style("#d97706", "#d97706", 1.8),
    "s2": Style("#2563eb", "#2563eb", 1.8),
    "s3": Style("#059669", "#059669", 1.8),
    "s4": Style("#db2777", "#db2777", 1.8),
    "s5": Style("#7c3aed", "#7c3aed", 1.8),
    "s6": Style("#0891b2", "#0891b2", 1.8),
    "s7": Style("#65a30d", "#65a30d", 1.8),
    "s8": Style("#4a1d0a", "#4a1d0a", 1.8),
    "s9": Style("#1e1b8b", "#1e1b8b", 1.8),
    "s10": Style("#8bdc1f", "#8bdc1f", 1.8),
    "s11": Style("#e58cea", "#e58cea", 1.8),
    "s12": Style("#701a75", "#701a75", 1.8),
    "s13": Style("#b91c1c", "#b91c1c", 1.8),
    "s14": Style("#e8c20c", "#e8c20c", 1.8),
    "s15": Style("#155e75", "#155e75", 1.8),
}
SERIES = 16
"""How many colours there are for the series of a plot; the seventeenth has the first one's."""
FADED = 0.35
"""The opacity of what has no effect."""


def series_style(number: int) -> str:
    return f"s{number % SERIES}"


@dataclass(frozen=True)
class Circle:
    centre: Point
    radius: float
    style: str


@dataclass(frozen=True)
class Curve:
    """A start and then Bézier curves: two control points and an end each."""

    points: tuple[Point, ...]
    style: str


@dataclass(frozen=True)
class Line:
    """A line through points, or with `closed` a filled polygon."""

    points: tuple[Point, ...]
    style: str
    closed: bool = False


@dataclass(frozen=True)
class Words:
    """A line of text, its middle (or start, or end) at the point."""

    at: Point
    text: str
    size: float
    style: str
    anchor: str = "middle"
    bold: bool = False


Shape = Circle | Curve | Line | Words


@dataclass(frozen=True)
class Group:
    """Shapes that belong together: a unit, a connection, the bars of a step."""

    shapes: tuple[Shape, ...]
    title: str = ""
    """What it is in words, for those who point at it or cannot see it."""
    marks: tuple[tuple[str, str], ...] = ()
    """What the page needs to find it again: ("unit", "6")."""
    faded: bool = False


def text_width(text: str, size: float) -> float:
    """A generous guess, since fonts differ: few letters are wider than 0.62 of the size."""
    wide = sum(
        0 if unicodedata.combining(c) else 1.05 if unicodedata.east_asian_width(c) in "WF" else 0.62
        for c in text
    )
    return size * wide


def shortened(text: str, most: int) -> str:
    """At most this many characters, blanks and control characters made visible."""
    shown = "".join("␣" if c.isspace() else c if c.isprintable() else "�" for c in text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
