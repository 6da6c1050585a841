"""What pictures are made of, and the formats they are written in: SVG, TikZ, PNG and PDF."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, MissingExtra
from ..files import PathLike, save


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
COLOURS = (
    "#9ca3af", "#d97706", "#2563eb", "#059669", "#db2777", "#7c3aed", "#0891b2", "#65a30d",
    "#4a1d0a", "#1e1b8b", "#8bdc1f", "#e58cea", "#701a75", "#b91c1c", "#e8c20c", "#155e75",
)  # fmt: skip
"""Of the series of a plot; the seventeenth has the first one's."""
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
    **{f"s{number}": Style(colour, colour, 1.8) for number, colour in enumerate(COLOURS)},
}
FADED = 0.35
"""The opacity of what has no effect."""


def series_style(number: int) -> str:
    return f"s{number % len(COLOURS)}"


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


FORMATS = ("svg", "png", "pdf", "tex", "dot")
"""Of a network's drawing."""
PLOT_FORMATS = FORMATS[:-1]
"""Of a plot or a machine: dot knows networks only."""


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing or a plot. A notebook shows it; `save` writes it as its file's name says."""

    width: float
    height: float
    groups: tuple[Group, ...]
    title: str = ""

    def svg(self) -> str:
        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"Picture({self.title!r}, {self.width:.0f} by {self.height:.0f} points)"

    def save(self, path: PathLike) -> None:
        """Write it in the format that the name ends with: .svg, .png, .pdf or .tex."""
        save(path, picture_bytes(self, format_of(path, PLOT_FORMATS)))


def picture_bytes(picture: Picture, kind: str) -> bytes:
    """A drawing or a plot in one of `FORMATS` but dot, which knows networks only."""
    if kind == "svg":
        return svg(picture).encode()
    if kind == "tex":
        return tikz(picture).encode()
    if kind in ("png", "pdf"):
        return raster(picture, kind)
    raise InputError(f"a plot cannot be written as {kind!r}; use svg, png, pdf or tex.")


def format_of(path: PathLike, formats: Sequence[str] = FORMATS) -> str:
    """The format, one of these, that a file's name asks for."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in formats:
        ends = ", ".join(f".{name}" for name in formats)
        why = "dot is for networks alone" if suffix == "dot" else "its ending names no format"
        raise InputError(f"{path}: {why}; end it in one of {ends}.")
    return suffix


FONT = "'DejaVu Sans', Verdana, 'Segoe UI', Helvetica, Arial, sans-serif"
# What XML 1.0 cannot hold, whichever way it is written.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: str) -> str:
    """Text as it can stand in an element or a quoted attribute, whatever it is."""
    text = _UNWRITABLE.sub("�", text)
    for sign, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#39")):
        text = text.replace(sign, f"&{name};")
    return text


def svg(picture: Picture, label: str | None = None, scale: float = 1.0) -> str:
    """The picture as an `<svg>` element; it is a file's text as well as part of a page."""
    width, height = _number(picture.width), _number(picture.height)
    shown = [_number(scale * size) for size in (picture.width, picture.height)]
    title = escaped(label or picture.title)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{shown[0]}" height="{shown[1]}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{title}" '
        f'font-family="{FONT}">'
    )
    # Ink needs paper: a notebook or a viewer may be dark.
    paper = f'<rect class="paper" width="{width}" height="{height}" fill="#ffffff"/>'
    groups = map(_group, picture.groups)
    return "\n".join([head, f"<title>{title}</title>", paper, *groups, "</svg>", ""])


def _group(group: Group) -> str:
    marks = "".join(f' data-{name}="{escaped(value)}"' for name, value in group.marks)
    faded = f' opacity="{FADED}" class="faded"' if group.faded else ""
    title = f"<title>{escaped(group.title)}</title>" if group.title else ""
    return f"<g{marks}{faded}>{title}{''.join(map(_svg_shape, group.shapes))}</g>"


def _svg_shape(shape: Shape) -> str:
    if isinstance(shape, Words):
        return _words(shape)
    look = f'class="{shape.style}" {_look(shape)}'
    if isinstance(shape, Circle):
        x, y = map(_number, shape.centre)
        return f'<circle {look} cx="{x}" cy="{y}" r="{_number(shape.radius)}"/>'
    if isinstance(shape, Curve):
        start, *rest = shape.points
        return f'<path {look} d="M{_point(start)}C{" ".join(map(_point, rest))}"/>'
    points = " ".join(map(_point, shape.points))
    return f'<{"polygon" if shape.closed else "polyline"} {look} points="{points}"/>'


def _look(shape: Circle | Curve | Line) -> str:
    style = STYLES[shape.style]
    filled = not isinstance(shape, Curve) and (isinstance(shape, Circle) or shape.closed)
    parts = [f'fill="{style.fill if filled and style.fill else "none"}"']
    if style.stroke is not None and not (isinstance(shape, Line) and shape.closed):
        parts.append(f'stroke="{style.stroke}" stroke-width="{_number(style.width)}"')
    if style.dashed:
        parts.append('stroke-dasharray="5 3.5"')
    return " ".join(parts)


def _words(words: Words) -> str:
    # Not dominant-baseline, which several programs that read SVG do not know.
    y = _number(words.at.y + 0.35 * words.size)
    bold = ' font-weight="bold"' if words.bold else ""
    anchor = "" if words.anchor == "start" else f' text-anchor="{words.anchor}"'
    return (
        f'<text class="{words.style}" x="{_number(words.at.x)}" y="{y}" '
        f'font-size="{_number(words.size)}"{anchor}{bold} fill="{STYLES[words.style].fill}">'
        f"{escaped(words.text)}</text>"
    )


def _point(point: Point) -> str:
    return f"{_number(point.x)},{_number(point.y)}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%",
    "&": r"\&", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "−": r"\ensuremath{-}", "×": r"\ensuremath{\times}", "…": r"\ldots{}",
    "␣": r"\textvisiblespace{}",
}  # fmt: skip


def tikz(picture: Picture) -> str:
    used = sorted({shape.style for group in picture.groups for shape in group.shapes})
    colours = sorted({c for name in used for c in STYLES[name][:2] if c is not None})
    lines = [
        r"\documentclass[tikz,border=2pt]{standalone}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{tikz}",
        *(f"\\definecolor{{{_colour(c)}}}{{HTML}}{{{c[1:].upper()}}}" for c in colours),
        r"\begin{document}",
        r"\begin{tikzpicture}[x=1pt,y=-1pt,font=\sffamily]",
    ]
    for group in picture.groups:
        if group.title:
            lines.append(f"% {_one_line(group.title)}")
        shapes = [_tikz_shape(shape) for shape in group.shapes]
        if group.faded:
            shapes = [f"\\begin{{scope}}[opacity={FADED},text opacity={FADED}]", *shapes]
            shapes.append(r"\end{scope}")
        lines += shapes
    return "\n".join([*lines, r"\end{tikzpicture}", r"\end{document}", ""])


def _tikz_shape(shape: Shape) -> str:
    style = STYLES[shape.style]
    if isinstance(shape, Words):
        size = f"\\fontsize{{{shape.size:g}}}{{{shape.size * 1.2:g}}}\\selectfont"
        bold = r"\bfseries" if shape.bold else ""
        anchor = {"middle": "center", "start": "west", "end": "east"}[shape.anchor]
        options = f"anchor={anchor},inner sep=0pt,text={_colour(style.fill or '#000000')}"
        return (
            f"\\node[{options},font=\\sffamily{bold}{size}] at {_at(shape.at)} "
            f"{{{_text(shape.text)}}};"
        )
    parts = []
    if style.stroke is not None and not (isinstance(shape, Line) and shape.closed):
        parts.append(f"draw={_colour(style.stroke)},line width={style.width:g}pt")
    if style.dashed:
        parts.append("dash pattern=on 5pt off 3.5pt")
    if style.fill is not None and (isinstance(shape, Circle) or getattr(shape, "closed", False)):
        parts.append(f"fill={_colour(style.fill)}")
    options = ",".join(parts)
    if isinstance(shape, Circle):
        return f"\\path[{options}] {_at(shape.centre)} circle[radius={shape.radius:g}pt];"
    if isinstance(shape, Curve):
        path = _at(shape.points[0])
        for i in range(1, len(shape.points), 3):
            one, two, end = map(_at, shape.points[i : i + 3])
            path += f" .. controls {one} and {two} .. {end}"
        return f"\\path[{options}] {path};"
    path = " -- ".join(map(_at, shape.points))
    return f"\\path[{options}] {path}{' -- cycle' if shape.closed else ''};"


def _at(point: Point) -> str:
    return f"({point.x:.2f},{point.y:.2f})"


def _colour(value: str) -> str:
    return f"c{value[1:]}"


def _text(text: str) -> str:
    """Words for pdflatex; what its fonts may lack is named by its code point."""
    return "".join(
        _SPECIAL[c] if c in _SPECIAL else c if " " <= c <= "~" else f"U+{ord(c):04X}" for c in text
    )


def _one_line(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in text.replace("−", "-"))


DOTS = 200
"""Dots an inch in a PNG file."""
_INCH = 72.0


def raster(picture: Picture, kind: str) -> bytes:
    """The bytes of a 'png' or 'pdf' file."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(f"a {kind.upper()} file", "Matplotlib", "plot") from None
    figure = Figure(figsize=(picture.width / _INCH, picture.height / _INCH))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    axes.axis("off")
    for order, group in enumerate(picture.groups):
        for shape in group.shapes:
            _add(axes, shape, FADED if group.faded else 1.0, order)
    file = io.BytesIO()
    # Without a date the same picture is the same file; with type 42 its words can be searched.
    metadata: dict[str, Any] = {"Creator": "mdlrnn", "CreationDate": None} if kind == "pdf" else {}
    with rc_context({"pdf.fonttype": 42}):
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata)
    return file.getvalue()


def _add(axes: Any, shape: Shape, opacity: float, order: int) -> None:
    from matplotlib import patches
    from matplotlib.path import Path

    style = STYLES[shape.style]
    if isinstance(shape, Words):
        side = {"middle": "center", "start": "left", "end": "right"}[shape.anchor]
        weight = "bold" if shape.bold else "normal"
        # Dollar signs would start Matplotlib's mathematics.
        axes.text(
            shape.at.x, shape.at.y, shape.text, size=shape.size * 0.96, color=style.fill,
            ha=side, va="center_baseline", weight=weight, alpha=opacity, zorder=order,
            parse_math=False,
        )  # fmt: skip
        return
    closed = isinstance(shape, Line) and shape.closed
    stroked = style.stroke is not None and not closed
    look: dict[str, Any] = {
        "edgecolor": style.stroke if stroked else "none",
        "linewidth": style.width if stroked else 0,
        "facecolor": style.fill if (closed or isinstance(shape, Circle)) and style.fill else "none",
        "linestyle": (0, (5 / style.width, 3.5 / style.width)) if style.dashed else "solid",
        "alpha": opacity,
        "zorder": order,
    }
    if isinstance(shape, Circle):
        axes.add_patch(patches.Circle(shape.centre, shape.radius, **look))
        return
    points = [tuple(p) for p in shape.points]
    if isinstance(shape, Curve):
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)]
    else:
        codes = [Path.MOVETO, *[Path.LINETO] * (len(points) - 1)]
        if closed:
            points.append(points[0])
            codes.append(Path.CLOSEPOLY)
    axes.add_patch(patches.PathPatch(Path(points, codes), **look))
