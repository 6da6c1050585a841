"""Pictures as SVG: plain text, no dependency, and styles that a page's own can override."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._shapes import (
    FADED,
    STYLES,
    Circle,
    Curve,
    Group,
    Line,
    Point,
    Shape,
    Words,
)

if TYPE_CHECKING:
    from ._formats import Picture

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
    return f"<g{marks}{faded}>{title}{''.join(map(_shape, group.shapes))}</g>"


def _shape(shape: Shape) -> str:
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
