"""`draw`: a network as shapes in the manner of the paper's figures, or in Graphviz's language."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..errors import InputError
from ..files import PathLike, save
from ..network import Network, plan
from ._formats import (
    MUTED,
    STYLES,
    Circle,
    Curve,
    Group,
    Line,
    Picture,
    Point,
    Shape,
    Words,
    format_of,
    picture_bytes,
    shortened,
    text_width,
)
from ._layout import (
    LABEL_SIZE,
    NAME_MARGIN,
    SMALL_SIZE,
    Layout,
    Placed,
    has_no_effect,
    lay_out,
    unit_name,
    weight_text,
)


def dot(network: Network, layout: Layout) -> str:
    ignored = plan(network).ignored
    last = network.inputs + network.outputs
    lines = [
        f"digraph {_quoted(network.name or 'network')} {{",
        "  rankdir=BT;",
        '  node [shape=circle, style=filled, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
    ]
    if not network.saturation:
        lines.append('  comment="saturation is off";')
    for u, unit in enumerate(network.units):
        style = STYLES[network.role(u)]
        word = "" if unit.activation == "linear" else unit.activation
        if unit.type == "product":
            word = f"× {word}".strip()
        name = unit_name(network, u) or (word or "linear")
        text = [str(u), name]
        if word and name != word:
            text.append(word)
        faded = f', fontcolor="{MUTED}", penwidth=0.4' if u in layout.dead else ""
        lines.append(
            f'  {u} [label={_quoted(*text)}, fillcolor="{style.fill}", '
            f'color="{style.stroke}"{faded}];'
        )
        if unit.bias is not None:
            lines.append(f'  bias{u} [label="", shape=none, width=0, height=0];')
            lines.append(f"  bias{u} -> {u} [label={_quoted(weight_text(unit.bias))}];")
    for rank, units in (("source", range(network.inputs)), ("sink", range(network.inputs, last))):
        lines.append(f"  {{ rank={rank}; {' '.join(f'{u};' for u in units)} }}")
    for c in network.connections:
        style_of = ", style=dashed" if c.kind == "recurrent" else ""
        faded = f', color="{MUTED}80", fontcolor="{MUTED}80"'
        shade = faded if has_no_effect(c, layout.dead, ignored) else ""
        label = _quoted(weight_text(c.weight))
        lines.append(f"  {c.source} -> {c.target} [label={label}{style_of}{shade}];")
    return "\n".join([*lines, "}", ""])


def _quoted(*lines: str) -> str:
    """A label of these lines. A backslash of a symbol must not become one of Graphviz's escapes."""
    shown = [
        "".join(c if c.isprintable() else "�" for c in line)
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        for line in lines
    ]
    return '"' + "\\n".join(shown) + '"'


NAME_SIZE, LESSER_SIZE = 13.0, 11.0
SMALLEST_SIZE = 6.5
"""Of a long name in two lines; one that is too long even so is cut."""
BOLD = 1.12
"""How much wider bold letters are than others."""


def picture(network: Network, layout: Layout) -> Picture:
    arrows = [_arrow(network, item) for item in layout.placed]
    units = [_unit(network, layout, u) for u in range(len(network.units))]
    title = f"the network {shortened(network.name, 60)}" if network.name else "a network"
    return Picture(layout.width, layout.height, (*arrows, *units), title)


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
    shapes: list[Shape] = [Circle(centre, layout.radius, role)]
    if value.type == "product":
        shapes += _stripes(centre, layout.radius)
    word = "" if value.activation == "linear" else value.activation
    if value.type == "product":
        word = f"× {word}".strip()
    shapes.append(Words(Point(centre.x, centre.y - 15), str(unit), SMALL_SIZE, "number"))
    if role == "hidden":
        word = word or "linear"
        size = LESSER_SIZE if len(word) <= 7 else SMALL_SIZE
        shapes.append(Words(centre, word, size, "activation"))
    else:
        shapes += _name(unit_name(network, unit), centre, layout.radius)
        if word:
            shapes.append(Words(Point(centre.x, centre.y + 15), word, SMALL_SIZE, "activation"))
    return Group(
        tuple(shapes),
        unit_title(network, layout, unit),
        (("unit", str(unit)),),
        unit in layout.dead,
    )


def _name(name: str, centre: Point, radius: float) -> list[Words]:
    """A name in the largest letters that fit; a long one in two lines, and only the longest are
    cut."""
    room = 2 * (radius - NAME_MARGIN)
    shown = shortened(name, len(name))
    for size in (NAME_SIZE, LESSER_SIZE):
        if BOLD * text_width(shown, size) <= room:
            return [Words(centre, shown, size, "name", bold=True)]
    if text_width(shown, SMALL_SIZE) <= room:
        size = min(LESSER_SIZE, room / text_width(shown, 1.0))
        return [Words(centre, shown, round(size, 2), "name")]
    outer = 3 if shown.startswith("P(") and shown.endswith(")") else 0
    most = len(shown)
    # Half a line above the centre and half below, where the circle is hardly narrower.
    while _widest(_halves(shown), SMALLEST_SIZE) > room - 2 and most > outer + 2:
        most -= 1
        shown = f"P({shortened(name[2:-1], most - 3)})" if outer else shortened(name, most)
    lines = _halves(shown)
    size = round(min(SMALL_SIZE, (room - 2) / _widest(lines, 1.0)), 2)
    offsets = (-0.55 * size, 0.55 * size)
    return [
        Words(Point(centre.x, centre.y + offset), line, size, "name")
        for offset, line in zip(offsets, lines, strict=True)
    ]


def _halves(text: str) -> tuple[str, str]:
    """Two lines of about the same width."""
    at = min(
        range(1, len(text)), key=lambda i: abs(text_width(text[:i], 1) - text_width(text[i:], 1))
    )
    return text[:at], text[at:]


def _widest(lines: Iterable[str], size: float) -> float:
    return max(text_width(line, size) for line in lines)


def _stripes(centre: Point, radius: float) -> list[Shape]:
    """Slanted lines across the circle, but not through the words."""
    lines: list[Shape] = []
    for offset in (-20.0, -12.0, 12.0, 20.0):
        half = math.sqrt(radius**2 - offset**2) - 1
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
        Line(head(placed.curve[-1], placed.tip), "head", closed=True),
        Words(placed.label, placed.text, LABEL_SIZE, "weight"),
    )
    return Group(shapes, connection_title(placed), (marks,), placed.faded)


def head(start: Point, tip: Point) -> tuple[Point, ...]:
    """A slim triangle from where the curve ends to the tip."""
    dx, dy = tip.x - start.x, tip.y - start.y
    length = math.hypot(dx, dy) or 1.0
    across = Point(-dy / length * 3.2, dx / length * 3.2)
    return (
        tip,
        Point(start.x + across.x, start.y + across.y),
        Point(start.x - across.x, start.y - across.y),
    )


MOST_UNITS = MOST_CONNECTIONS = 300
"""Beyond that a drawing takes minutes and shows nothing."""


@dataclass(frozen=True)
class Drawing:
    """A network laid out. A notebook shows it; `save` writes it as its file's name says."""

    network: Network

    @cached_property
    def layout(self) -> Layout:
        return lay_out(self.network)

    @cached_property
    def picture(self) -> Picture:
        return picture(self.network, self.layout)

    def svg(self) -> str:
        return self.picture.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_bytes(self, kind: str) -> bytes:
        """The drawing in one of `FORMATS`."""
        if kind == "dot":
            return dot(self.network, self.layout).encode()
        return picture_bytes(self.picture, kind)

    def save(self, path: PathLike) -> None:
        """Write it in the format that the name ends with: .svg, .png, .pdf, .tex or .dot."""
        save(path, self.to_bytes(format_of(path)))


def draw(network: Network) -> Drawing:
    """The network as a drawing, in the manner of the paper's figures."""
    for what, count, most in (
        ("units", len(network.units), MOST_UNITS),
        ("connections", len(network.connections), MOST_CONNECTIONS),
    ):
        if count > most:
            raise InputError(
                f"the network has {count} {what}, too many to draw; draw one of at most {most}."
            )
    return Drawing(network)
