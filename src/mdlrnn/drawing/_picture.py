"""A laid-out network as shapes, in the manner of the paper's figures.

Inputs are yellow, outputs blue; recurrent connections are dashed; a bias is an arrow without a
source; what has no effect is faded. A product unit is striped, as the gates of Figure 8 are.
"""

from __future__ import annotations

import math

from ..network._network import Network
from ._formats import Picture
from ._layout import LABEL_SIZE, RADIUS, Layout, Placed
from ._shapes import Circle, Curve, Group, Line, Point, Shape, Words, shortened

NAME_SIZE = 13.0
SMALL_SIZE = 9.0
SYMBOL = 5
"""Characters of a symbol that a unit has room for."""


def picture(network: Network, layout: Layout) -> Picture:
    arrows = [_arrow(network, item) for item in layout.placed]
    units = [_unit(network, layout, u) for u in range(len(network.units))]
    title = f"the network {shortened(network.name, 60)}" if network.name else "a network"
    return Picture(layout.width, layout.height, (*arrows, *units), title)


def unit_name(network: Network, unit: int) -> str:
    """What a unit is called on paper: its symbol, the probability it stands for, or nothing."""
    role = network.role(unit)
    if role == "hidden":
        return ""
    place = unit if role == "input" else unit - network.inputs
    if network.alphabet is not None:
        symbol = network.alphabet[place]
    elif role == "input":
        symbol = f"in{place}"
    else:
        symbol = "1" if network.outputs == 1 else str(place)
    return symbol if role == "input" else f"P({symbol})"


def unit_title(network: Network, layout: Layout, unit: int) -> str:
    role, value = network.role(unit), network.units[unit]
    name = unit_name(network, unit)
    kind = f"{value.activation} product" if value.type == "product" else value.activation
    dead = ", reaches no output" if unit in layout.dead else ""
    return f"unit {unit}, {role}{f' {name}' if name else ''}, {kind}{dead}"


def connection_title(placed: Placed) -> str:
    c = placed.connection
    if c is None:
        return f"bias of unit {placed.unit}: {placed.text}"
    faded = ", without effect" if placed.faded else ""
    return f"{c.kind} connection from unit {c.source} to unit {c.target}: {placed.text}{faded}"


def _unit(network: Network, layout: Layout, unit: int) -> Group:
    centre = layout.units[unit]
    value = network.units[unit]
    role = network.role(unit)
    shapes: list[Shape] = [Circle(centre, RADIUS, role)]
    if value.type == "product":
        shapes += _stripes(centre)
    name = _fitting(unit_name(network, unit))
    word = "" if value.activation == "linear" else value.activation
    if value.type == "product":
        word = f"× {word}".strip()
    shapes.append(Words(Point(centre.x, centre.y - 15), str(unit), SMALL_SIZE, "number"))
    if role == "hidden":
        word = word or "linear"
        size = 11.0 if len(word) <= 7 else SMALL_SIZE
        shapes.append(Words(centre, word, size, "activation"))
    else:
        size = NAME_SIZE if len(name) <= 5 else 11.0
        shapes.append(Words(centre, name, size, "name", bold=True))
        if word:
            shapes.append(Words(Point(centre.x, centre.y + 15), word, SMALL_SIZE, "activation"))
    return Group(
        tuple(shapes),
        unit_title(network, layout, unit),
        (("unit", str(unit)),),
        unit in layout.dead,
    )


def _fitting(name: str) -> str:
    if name.startswith("P(") and name.endswith(")"):
        return f"P({shortened(name[2:-1], SYMBOL - 1)})"
    return shortened(name, SYMBOL)


def _stripes(centre: Point) -> list[Shape]:
    """Slanted lines across the circle, but not through the words."""
    lines: list[Shape] = []
    for offset in (-20.0, -12.0, 12.0, 20.0):
        half = math.sqrt(RADIUS**2 - offset**2) - 1
        # The chord at this distance from the centre, turned by 45 degrees.
        ends = [(offset, -half), (offset, half)]
        turned = [((x - y) / math.sqrt(2), (x + y) / math.sqrt(2)) for x, y in ends]
        points = tuple(Point(centre.x + x, centre.y + y) for x, y in turned)
        lines.append(Line(points, "stripe"))
    return lines


def _arrow(network: Network, placed: Placed) -> Group:
    c = placed.connection
    style = "bias" if c is None else c.kind
    marks = ("bias", str(placed.unit))
    if c is not None:
        marks = ("connection", str(network.connections.index(c)))
    shapes = (
        Curve(placed.curve, style),
        Line(_head(placed.curve[-1], placed.tip), "head", closed=True),
        Words(placed.label, placed.text, LABEL_SIZE, "weight"),
    )
    return Group(shapes, connection_title(placed), (marks,), placed.faded)


def _head(start: Point, tip: Point) -> tuple[Point, ...]:
    """A slim triangle from where the curve ends to the tip."""
    dx, dy = tip.x - start.x, tip.y - start.y
    length = math.hypot(dx, dy) or 1.0
    across = Point(-dy / length * 3.2, dx / length * 3.2)
    return (
        tip,
        Point(start.x + across.x, start.y + across.y),
        Point(start.x - across.x, start.y - across.y),
    )
