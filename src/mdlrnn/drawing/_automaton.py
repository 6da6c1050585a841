"""A machine as a picture: states as circles, rules as arrows between them.

A double ring is a state in which a string can end; an arrow that leads nowhere says when. Rules
that differ in their symbols alone share a line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from .._errors import InputError
from ..languages import Language, Transducer
from ..languages._rule_text import condition_text, expression_text
from ..languages._rules import END, Rule
from ._automaton_layout import LEADING, SIZE, Label, Route, lay_out_machine
from ._formats import Picture
from ._picture import head
from ._shapes import Circle, Curve, Group, Line, Point, Shape, Words, shortened, text_width

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


def picture_of_machine(machine: Language | Transducer) -> Picture:
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


def _states(machine: Language | Transducer) -> list[str]:
    rules = machine.transitions if isinstance(machine, Transducer) else machine.rules
    found = {machine.start: None}
    for rule in rules:
        for state in (rule.state, rule.to):
            if state != END or isinstance(machine, Transducer):
                found[state] = None
    return list(found)


def _labels(machine: Language | Transducer, places: Mapping[str, int], line: int) -> list[Label]:
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
