"""A drawing small enough for a table: its shapes without words, in the colours of the page."""

from __future__ import annotations

from ..drawing._formats import Picture
from ..drawing._shapes import Circle, Curve, Point, Shape, Words

WIDTH, HEIGHT = 132.0, 84.0


def thumbnail(picture: Picture) -> str:
    scale = min(WIDTH / picture.width, HEIGHT / picture.height, 0.5)
    groups = []
    for group in picture.groups:
        shapes = "".join(_shape(shape, scale) for shape in group.shapes)
        groups.append(f'<g class="faded">{shapes}</g>' if group.faded else shapes)
    width, height = (_number(scale * size) for size in (picture.width, picture.height))
    return (
        f'<svg class="thumbnail" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'aria-hidden="true" focusable="false">{"".join(groups)}</svg>'
    )


def _shape(shape: Shape, scale: float) -> str:
    if isinstance(shape, Words) or shape.style in ("stripe", "head"):
        return ""
    if isinstance(shape, Circle):
        x, y = (_number(scale * value) for value in shape.centre)
        radius = _number(max(2.0, scale * shape.radius))
        return f'<circle class="{shape.style}" cx="{x}" cy="{y}" r="{radius}"/>'
    points = [_point(point, scale) for point in shape.points]
    if isinstance(shape, Curve):
        return f'<path class="{shape.style}" d="M{points[0]}C{" ".join(points[1:])}"/>'
    return f'<polyline class="{shape.style}" points="{" ".join(points)}"/>'


def _point(point: Point, scale: float) -> str:
    return f"{_number(scale * point.x)},{_number(scale * point.y)}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
