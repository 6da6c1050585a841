"""A machine as a picture: states in a row, rules as arrows between them.

Arrows to the right bow upwards, arrows to the left downwards, and a rule that stays is a loop above
its state. A double ring is a state in which a string can end.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .._errors import InputError
from ..languages import Language, Transducer
from ..languages._rule_text import condition_text, expression_text
from ..languages._rules import END, Rule
from ._formats import Picture
from ._shapes import Circle, Curve, Group, Line, Point, Shape, Words, shortened, text_width

MOST_STATES = 24
RADIUS, LARGEST_RADIUS = 19.0, 48.0
"""Of a state; one for all, and as large as the longest name needs."""
SIZE = 9.5
LEADING = 12.0
"""From one line of a label to the next."""
LEAST_GAP, MARGIN = 60.0, 24.0
LONGEST_LABEL = 56


def picture_of_machine(machine: Language | Transducer) -> Picture:
    """The machine drawn."""
    arrows = _arrows(machine)
    states = _states(machine)
    if len(states) > MOST_STATES:
        raise InputError(
            f"{machine.title} has {len(states)} states, too many to draw; draw a machine of at "
            f"most {MOST_STATES}."
        )
    places = {state: number for number, state in enumerate(states)}
    radius = _radius(states)
    gap = max(LEAST_GAP, *(_width(lines) + 16 for lines in arrows.values()), 0.0)
    step = gap + 2 * radius
    heights = [_bow(places[a], places[b], lines, step, radius) for (a, b), lines in arrows.items()]
    above = max([h for h in heights if h > 0], default=0.0)
    below = -min([h for h in heights if h < 0], default=0.0)
    middle = MARGIN + radius + above
    loops = [_width(arrows.get((state, state), [""])) / 2 for state in states]
    left = MARGIN + max(40 + radius, loops[0])
    centres = {state: Point(left + number * step, middle) for state, number in places.items()}
    groups = [_entry(centres[machine.start], radius)]
    groups += [
        replace(
            _arrow(centres[a], centres[b], places[b] == places[a] + 1, lines, radius),
            marks=(("from", a), ("to", b)),
        )
        for (a, b), lines in arrows.items()
    ]
    ends = _endings(machine)
    groups += [_state(state, centre, ends.get(state), radius) for state, centre in centres.items()]
    ending = text_width(ends.get(states[-1], ""), SIZE) / 2
    width = left + (len(states) - 1) * step + max(radius, loops[-1], ending) + MARGIN
    height = middle + radius + max(below, 24.0 if ends else 0.0) + MARGIN
    return Picture(width, height, tuple(groups), f"the machine of {machine.title}")


def _states(machine: Language | Transducer) -> list[str]:
    rules = machine.transitions if isinstance(machine, Transducer) else machine.rules
    found = {machine.start: None}
    for rule in rules:
        for state in (rule.state, rule.to):
            if state != END or isinstance(machine, Transducer):
                found[state] = None
    return list(found)


def _arrows(machine: Language | Transducer) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    if isinstance(machine, Transducer):
        for t in machine.transitions:
            read = ",".join(map(str, t.read))
            found.setdefault((t.state, t.to), []).append(f"{read} / {t.write}")
        return found
    for rule in machine.rules:
        if rule.to != END:
            found.setdefault((rule.state, rule.to), []).append(_label(rule))
    return found


def _label(rule: Rule) -> str:
    text = rule.symbol if rule.chance == 1 else f"{rule.symbol} {rule.chance}"
    if rule.when:
        text += " if " + ", ".join(map(condition_text, rule.when))
    updates = ", ".join(f"{name} = {expression_text(value)}" for name, value in rule.then)
    return shortened(f"{text}; {updates}" if updates else text, LONGEST_LABEL).replace("␣", " ")


def _endings(machine: Language | Transducer) -> dict[str, str]:
    """For each state in which a string can end what is asked for that."""
    if isinstance(machine, Transducer):
        return {}
    found: dict[str, str] = {}
    for rule in machine.rules:
        if rule.to == END:
            found[rule.state] = _label(rule)
    return found


def _width(lines: list[str]) -> float:
    return max(text_width(line, SIZE) for line in lines)


def _bow(source: int, target: int, lines: list[str], step: float, radius: float) -> float:
    """How far an arrow with its label reaches up, or if negative down, from the edge of states."""
    label = LEADING * len(lines) + 6
    if source == target:
        return 22 + label
    if target == source + 1:
        return label + 8
    reach = max(0.0, _bend(step * abs(target - source), radius) - radius) + label + 4
    return reach if target > source else -reach


def _rise(distance: float) -> float:
    """How far above the states the control points of an arrow lie that leads so far."""
    return 26.0 * max(1.0, distance / 150) + 20


def _bend(distance: float, radius: float) -> float:
    """From the row to the middle of such an arrow: a quarter its ends, three quarters its control
    points."""
    return 0.25 * radius * math.sin(0.3 * math.pi) + 0.75 * (radius + _rise(distance))


def _arrow(a: Point, b: Point, beside: bool, lines: list[str], radius: float) -> Group:
    count = len(lines)
    if a == b:
        start, end = _edge(a, -0.35 * math.pi, radius), _edge(a, -0.65 * math.pi, radius)
        high = a.y - radius - 34
        curve: Shape = Curve((start, Point(a.x + 26, high), Point(a.x - 26, high), end), "forward")
        head = _head(end, math.atan2(end.y - high, end.x - (a.x - 26)))
        label = Point(a.x, high - LEADING * (count - 1))
    elif beside:
        start, end = _edge(a, 0.0, radius), _edge(b, math.pi, radius)
        curve = Line((start, end), "forward")
        head = _head(end, 0.0)
        label = Point((a.x + b.x) / 2, a.y - 8 - LEADING * (count - 1))
    else:
        up = -1 if b.x > a.x else 1
        distance = abs(b.x - a.x)
        angle = up * 0.3 * math.pi
        start = _edge(a, angle if b.x > a.x else math.pi - angle, radius)
        end = _edge(b, math.pi - angle if b.x > a.x else angle, radius)
        level = a.y + up * (radius + _rise(distance))
        one = Point(a.x + (b.x - a.x) * 0.25, level)
        other = Point(a.x + (b.x - a.x) * 0.75, level)
        curve = Curve((start, one, other, end), "forward")
        head = _head(end, math.atan2(end.y - other.y, end.x - other.x))
        offset = -8 - LEADING * (count - 1) if up < 0 else 11.0
        label = Point((a.x + b.x) / 2, a.y + up * _bend(distance, radius) + offset)
    words = tuple(
        Words(Point(label.x, label.y + LEADING * i), line, SIZE, "weight")
        for i, line in enumerate(lines)
    )
    return Group((curve, head, *words), "; ".join(lines))


def _radius(states: list[str]) -> float:
    widest = max(text_width(state, SIZE) for state in states)
    return min(LARGEST_RADIUS, max(RADIUS, math.ceil(widest / 2) + 4.0))


def _edge(centre: Point, angle: float, radius: float) -> Point:
    return Point(centre.x + radius * math.cos(angle), centre.y + radius * math.sin(angle))


def _head(tip: Point, angle: float) -> Line:
    def back(turn: float) -> Point:
        return Point(tip.x - 7 * math.cos(angle + turn), tip.y - 7 * math.sin(angle + turn))

    return Line((tip, back(0.4), back(-0.4)), "head", closed=True)


def _entry(start: Point, radius: float) -> Group:
    end = _edge(start, math.pi, radius)
    begin = Point(end.x - 30, end.y)
    return Group((Line((begin, end), "forward"), _head(end, 0.0)), "strings begin here")


def _state(name: str, centre: Point, ending: str | None, radius: float) -> Group:
    shapes: list[Shape] = [Circle(centre, radius, "output" if ending else "hidden")]
    if ending:
        shapes.append(Circle(centre, radius - 3.5, "output"))
        under = Point(centre.x, centre.y + radius + 16)
        shapes.append(Words(under, ending, SIZE, "number"))
    room = int((2 * LARGEST_RADIUS - 8) / text_width("x", SIZE))
    shapes.append(Words(centre, shortened(name, room), SIZE, "name"))
    title = f"state {name}" + (f", ends: {ending}" if ending else "")
    return Group(tuple(shapes), title, (("state", name),))
