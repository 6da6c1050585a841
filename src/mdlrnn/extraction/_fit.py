"""A machine read off runs: which units are states, which are counters, when rules apply.

All of this is guessed from finitely many prefixes, so a machine may come out that the network does
not follow further on; whether it does is not decided here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from .._errors import InputError
from ..languages import Language
from ..languages._rules import END, Affine, Condition, Rule, at, counter, reader
from ..network._alphabet import BOUNDARY
from ._runs import Node, Runs

SAME = Fraction(1, 10**4)
"""Distributions that differ by less are taken for one."""
PRECISION = Fraction(1, 50_000)
"""Of probabilities that are not exact."""
MOST_VALUES = 40
"""Of a unit that is a state."""
LARGEST_SCALE = 10**6
MOST_CLIP = 4
"""Counters are told apart up to this value, beyond it only their remainders."""
BASES = (2, 3, 4, 5, 6, 7)
MOST_STATES = 60
TITLE = "the machine"
NAMES = ("n", "m", "k", "p", "q", "r", "s", "t")


class NoMachine(Exception):  # noqa: N818, it is named for what is the matter
    """Why no machine was found, in words."""


class _Counter(NamedTuple):
    """A unit whose values are multiples of 1/scale."""

    place: int
    """Among the units that are remembered."""
    scale: int


class _View(NamedTuple):
    """How a unit is read in a control: (value · scale − offset) · sign is never negative there."""

    offset: int
    sign: int


Control = tuple[Hashable, ...]


def _view(values: list[int], early: list[int]) -> _View | None:
    """None if the values are bounded on neither side."""
    low, high = min(values), max(values)
    if low >= 0:
        return _View(0, 1)
    if high <= 0:
        return _View(0, -1)
    if early and low == min(early):
        return _View(low, 1)
    if early and high == max(early):
        return _View(high, -1)
    return None


class _Place(NamedTuple):
    """A node as a configuration of the machine."""

    control: Control
    counters: tuple[int, ...]
    node: Node


def machine_from_runs(runs: Runs, title: str = TITLE) -> Language:
    """The machine; raises `NoMachine` where none is seen.

    First one with the network's probabilities; where these go on changing, one with the same
    possible symbols.
    """
    try:
        return _Fit(runs).language(title)
    except NoMachine as reason:
        try:
            return _Fit(runs, alike=True).language(title)
        except NoMachine:
            raise reason from None


class _Fit:
    def __init__(self, runs: Runs, alike: bool = False) -> None:
        self.runs, self.alike = runs, alike
        """`alike`: distributions with the same possible symbols are taken for one."""
        self.classes: list[tuple[Fraction, ...]] = []
        self.members: list[list[tuple[Fraction, ...]]] = []
        self.counters: list[_Counter] = []
        self.states: list[int] = []
        if runs.finite:
            self.states = []
            self.places = [_Place((number,), (), node) for number, node in enumerate(runs.nodes)]
        else:
            self._sort_units()
            self.places = self._placed()
        self.kinds = [self._kind(place.node) for place in self.places]

    # Units

    def _sort_units(self) -> None:
        """Units that take finitely many values are states, the others counters."""
        half = self.runs.depth // 2
        early = [node for node in self.runs.nodes if node.depth <= half]
        for place, unit in enumerate(self.runs.units):
            seen = {node.memory[place] for node in early}
            everywhere = {node.memory[place] for node in self.runs.nodes}
            if everywhere <= seen and len(everywhere) <= MOST_VALUES:
                self.states.append(place)
                continue
            scale = math.lcm(*(value.denominator for value in everywhere))
            if scale > LARGEST_SCALE:
                raise NoMachine(
                    f"unit {unit} takes values that are no multiples of one fraction, so that "
                    "it is no counter"
                )
            self.counters.append(_Counter(place, scale))

    def _placed(self) -> list[_Place]:
        """Each node as a configuration; in each control a counter is read so that it is never
        negative, and where it has both signs without bound, each sign is a control of its own."""
        half = self.runs.depth // 2
        numbers = [
            [int(node.memory[c.place] * c.scale) for c in self.counters] for node in self.runs.nodes
        ]
        controls: list[list[Hashable]] = [
            [node.symbol, *(node.memory[place] for place in self.states)]
            for node in self.runs.nodes
        ]
        for place in range(len(self.counters)):
            groups: dict[Control, list[int]] = {}
            for i, control in enumerate(controls):
                groups.setdefault(tuple(control), []).append(i)
            for group in groups.values():
                values = [numbers[i][place] for i in group]
                early = [numbers[i][place] for i in group if self.runs.nodes[i].depth <= half]
                view = _view(values, early)
                for i in group:
                    value = numbers[i][place]
                    if view is None:
                        controls[i].append(value < 0)
                    offset, sign = view or (0, -1 if value < 0 else 1)
                    numbers[i][place] = (value - offset) * sign
        return [
            _Place(tuple(control), tuple(values), node)
            for control, values, node in zip(controls, numbers, self.runs.nodes, strict=True)
        ]

    def _kind(self, node: Node) -> int:
        """The number of the node's distribution, of those that differ."""
        for number, known in enumerate(self.classes):
            if _same(known, node.chances, self.alike):
                self.members[number].append(node.chances)
                return number
        self.classes.append(node.chances)
        self.members.append([node.chances])
        if len(self.classes) > MOST_STATES:
            raise NoMachine("its probabilities go on changing along the string")
        return len(self.classes) - 1

    # Rules

    def language(self, title: str) -> Language:
        by_control: dict[Control, list[int]] = {}
        for number, place in enumerate(self.places):
            by_control.setdefault(place.control, []).append(number)
        if len(by_control) > (len(self.places) if self.runs.finite else MOST_STATES * 4):
            raise NoMachine("it remembers more than states and counters")
        names = {control: f"q{number}" for number, control in enumerate(by_control)}
        rules: list[Rule] = []
        for control, numbers in by_control.items():
            rules += self._rules(names[control], numbers, names)
        rules = _reduced(rules, names[self.places[0].control])
        start = rules[0].state
        beginning = dict(zip(self._counter_names(), self.places[0].counters, strict=True))
        rules, start = _from_zero(rules, start, beginning)
        rules = _renamed(rules, start)
        try:
            return Language("learned", title, tuple(rules), rules[0].state)
        except InputError as error:
            raise NoMachine(f"the rules that were read off do not hold ({error})") from None

    def _counter_names(self) -> list[str]:
        return list(NAMES[: len(self.counters)])

    def _rules(self, name: str, numbers: list[int], names: dict[Control, str]) -> Iterator[Rule]:
        """The rules of one control: cells of counter values in which the same happens."""
        features = self._features(numbers)
        cells: dict[tuple[Condition, ...], list[int]] = {}
        for number in numbers:
            cells.setdefault(features(self.places[number].counters), []).append(number)
        for when, inside in cells.items():
            chances = self._chances(self.kinds[inside[0]])
            for symbol, chance in zip(self.runs.alphabet, chances, strict=True):
                if not chance:
                    continue
                if symbol == BOUNDARY:
                    yield Rule(name, symbol, END, chance, when)
                    continue
                moves = [
                    (self.places[i], self.places[self.places[i].node.below[symbol]])
                    for i in inside
                    if symbol in self.places[i].node.below
                ]
                if not moves:
                    raise NoMachine("it was not run far enough to see all that it does")
                then = self._updates(moves, when)
                yield Rule(name, symbol, names[moves[0][1].control], chance, when, then)

    def _features(self, numbers: list[int]) -> Callable[[tuple[int, ...]], tuple[Condition, ...]]:
        """The conditions that decide what happens, as few as do."""
        used = range(len(self.counters))
        outcomes = {i: self._outcome(i) for i in numbers}
        for bases in ((), *((base,) for base in BASES)):
            for clip in range(MOST_CLIP + 1):
                needed = self._needed(numbers, outcomes, list(used), clip, bases)
                if needed is not None:
                    return lambda values: self._conditions(values, needed, clip, bases)
        raise NoMachine("what it does depends on its memory in a way that no rule describes")

    def _outcome(self, number: int) -> tuple[Hashable, dict[str, Control]]:
        node = self.places[number].node
        return self.kinds[number], {s: self.places[b].control for s, b in node.below.items()}

    def _needed(
        self,
        numbers: list[int],
        outcomes: dict[int, tuple[Hashable, dict[str, Control]]],
        used: list[int],
        clip: int,
        bases: tuple[int, ...],
    ) -> list[int] | None:
        def decides(chosen: list[int]) -> bool:
            seen: dict[tuple[object, ...], tuple[Hashable, dict[str, Control]]] = {}
            for number in numbers:
                values = self.places[number].counters
                key = tuple(_feature(values[i], clip, bases) for i in chosen)
                kind, below = outcomes[number]
                known = seen.setdefault(key, (kind, dict(below)))
                if known[0] != kind:
                    return False
                for symbol, control in below.items():
                    if known[1].setdefault(symbol, control) != control:
                        return False
            return True

        if not decides(used):
            return None
        for place in list(used):
            fewer = [i for i in used if i != place]
            if decides(fewer):
                used = fewer
        return used

    def _conditions(
        self, values: tuple[int, ...], needed: list[int], clip: int, bases: tuple[int, ...]
    ) -> tuple[Condition, ...]:
        found: list[Condition] = []
        for place in needed:
            x = counter(NAMES[place])
            value = values[place]
            if value < clip:
                found.append((x - value).zero)
            elif clip:
                found.append((x - (clip - 1)).positive)
            if value >= clip:
                found += [x.ends_in(value % base, base) for base in bases]
        return tuple(found)

    def _chances(self, kind: int) -> list[Fraction]:
        """Exact if all prefixes have the same; else the simplest that are near."""
        return simple_chances(self.members[kind])

    def _updates(
        self, moves: list[tuple[_Place, _Place]], when: tuple[Condition, ...]
    ) -> tuple[tuple[str, Affine | int], ...]:
        found: list[tuple[str, Affine | int]] = []
        for place in range(len(self.counters)):
            pairs = [(before.counters, after.counters[place]) for before, after in moves]
            value = _update(pairs, place)
            if value is None:
                unit = self.runs.units[self.counters[place].place]
                raise NoMachine(
                    f"unit {unit} changes in a way that is no sum of multiples of counters"
                )
            if value != counter(NAMES[place]):
                found.append((NAMES[place], value))
        return tuple(found)


def simple_chances(members: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """One distribution for many that are nearly the same: exact if they are the same and short,
    else the simplest near their mean."""
    first = members[0]
    if all(chances == first for chances in members) and _is_short(first):
        return list(first)
    count = len(members)
    middle = [sum((c[i] for c in members), Fraction(0)) / count for i in range(len(first))]
    found = [_simple(p) if p else Fraction(0) for p in middle]
    largest = max(range(len(found)), key=lambda i: middle[i])
    found[largest] += 1 - sum(found)
    return found


def _same(one: Sequence[Fraction], other: Sequence[Fraction], alike: bool) -> bool:
    if alike:
        return all((a > 0) == (b > 0) for a, b in zip(one, other, strict=True))
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) < SAME


def _feature(value: int, clip: int, bases: tuple[int, ...]) -> Hashable:
    if value < clip:
        return value
    return (clip, *(value % base for base in bases))


def _is_short(chances: Sequence[Fraction]) -> bool:
    return all(chance.denominator < 10**9 for chance in chances)


def _simple(value: Fraction) -> Fraction:
    """The simplest fraction within the precision."""
    for limit in (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000):
        near = value.limit_denominator(limit)
        if near and abs(near - value) <= PRECISION:
            return near
    return value.limit_denominator(10**6)


def _update(pairs: list[tuple[tuple[int, ...], int]], place: int) -> Affine | int | None:
    """The new value as an expression over the old ones that fits all pairs, simplest first."""
    for candidate in _candidates(pairs, place):
        value = reader(candidate, NAMES)
        if all(value(before) == after for before, after in pairs):
            return candidate
    return None


def _candidates(pairs: list[tuple[tuple[int, ...], int]], place: int) -> Iterator[Affine | int]:
    before, after = pairs[0]
    own = counter(NAMES[place])
    yield own
    yield own + (after - before[place])
    yield after
    others = [i for i in range(len(before)) if i != place]
    for other in others:
        yield counter(NAMES[other]) + (after - before[other])
    last_before, last_after = max(pairs, key=lambda pair: pair[0][place])
    if last_before[place] != before[place]:
        slope = Fraction(last_after - after, last_before[place] - before[place])
        if slope.denominator == 1:
            yield int(slope) * own + (after - int(slope) * before[place])
    for base in BASES:
        for shift in range(-base, base + 1):
            yield (own + shift) // base
    for other in others:
        for factor in (-2, -1, 1, 2):
            terms = (*own.terms, (NAMES[other], factor))
            yield Affine(terms, after - before[place] - factor * before[other])
            yield Affine(((NAMES[other], factor),), after - factor * before[other])


# Making it small


def _reduced(rules: list[Rule], start: str) -> list[Rule]:
    """Counters that nothing depends on are dropped, and states that do the same are one."""
    needed = {name for rule in rules for c in rule.when for name, _ in c.expression.terms}
    while True:
        more = {
            name
            for rule in rules
            for target, value in rule.then
            if target in needed and isinstance(value, Affine)
            for name, _ in value.terms
        }
        if more <= needed:
            break
        needed |= more
    rules = [
        replace(rule, then=tuple((n, v) for n, v in rule.then if n in needed and rule.to != END))
        for rule in rules
    ]
    groups = dict.fromkeys((rule.state for rule in rules), 0)
    while True:
        signatures: dict[str, frozenset[Hashable]] = {}
        for state in groups:
            signatures[state] = frozenset(
                (r.symbol, r.chance, frozenset(r.when), r.then, groups.get(r.to, -1), groups[state])
                for r in rules
                if r.state == state
            )
        numbers: dict[frozenset[Hashable], int] = {}
        new = {
            s: numbers.setdefault(signature, len(numbers)) for s, signature in signatures.items()
        }
        if len(set(new.values())) == len(set(groups.values())):
            break
        groups = new
    chosen: dict[int, str] = {}
    for state, number in groups.items():
        chosen.setdefault(number, state)
    kept = [
        replace(rule, to=chosen[groups[rule.to]] if rule.to != END else END)
        for rule in rules
        if chosen[groups[rule.state]] == rule.state
    ]
    first = chosen[groups[start]]
    kept = _without_idle_conditions(kept)
    return sorted(kept, key=lambda rule: rule.state != first)


def _without_idle_conditions(rules: list[Rule]) -> list[Rule]:
    """A rule that stands twice, for a counter at its bound and beyond it, needs no condition."""
    found = list(rules)
    changed = True
    while changed:
        changed = False
        for one, other in product(found, repeat=2):
            if one is other or replace(one, when=()) != replace(other, when=()):
                continue
            extra, less = set(one.when) - set(other.when), set(other.when) - set(one.when)
            if len(extra) == len(less) == 1 and _together(*extra, *less):
                merged = replace(one, when=tuple(c for c in one.when if c not in extra))
                found = [merged if r is one else r for r in found if r is not other]
                changed = True
                break
    return list(dict.fromkeys(found))


def _together(one: Condition, other: Condition) -> bool:
    """Whether x = 0 and x > 0, of a counter: one of them holds always."""
    first, second = sorted((one, other), key=lambda c: c.relation)
    return (
        (first.relation, second.relation) == ("=", ">")
        and first.expression == second.expression
        and first.expression.constant == 0
    )


def _from_zero(rules: list[Rule], start: str, beginning: dict[str, int]) -> tuple[list[Rule], str]:
    """Counters begin at 0; where one begins elsewhere, a state of its own sets it."""
    used = {name for rule in rules for name, _ in rule.then}
    used |= {name for rule in rules for c in rule.when for name, _ in c.expression.terms}
    shift = {name: value for name, value in beginning.items() if value and name in used}
    if not shift:
        return _settable(rules, used), start
    first = []
    for rule in rules:
        if rule.state == start and rule.enabled(beginning):
            then = {**shift, **dict(rule.then)} if rule.to != END else {}
            values = {name: at(value, beginning) for name, value in then.items()}
            first.append(replace(rule, state="start", when=(), then=tuple(sorted(values.items()))))
    reached = {rule.to for rule in first}
    while True:
        more = {r.to for r in rules if r.state in reached} - reached
        if not more:
            break
        reached |= more
    return _settable([*first, *(r for r in rules if r.state in reached)], used), "start"


def _settable(rules: list[Rule], used: set[str]) -> list[Rule]:
    """A counter that is asked for and never set is 0 for ever; its conditions are decided."""
    named = {name for rule in rules for name, _ in rule.then}
    zero = dict.fromkeys(used - named, 0)
    if not zero:
        return rules
    found = []
    for rule in rules:
        fixed = [c for c in rule.when if all(n in zero for n, _ in c.expression.terms)]
        if all(c.at(zero) for c in fixed):
            found.append(replace(rule, when=tuple(c for c in rule.when if c not in fixed)))
    return found


def _renamed(rules: list[Rule], start: str) -> list[Rule]:
    """States named for the symbol that leads into them, counters n, m, ... in order."""
    into: dict[str, set[str]] = {}
    for rule in rules:
        into.setdefault(rule.to, set()).add(rule.symbol)
    names = {start: "start", END: END}
    order = [start]
    for state in order:
        for rule in rules:
            if rule.state == state and rule.to not in names:
                symbols = into[rule.to]
                only = next(iter(symbols)) if len(symbols) == 1 else ""
                base = only.upper() if only.isalnum() else "S"
                number = 1
                while (name := base if number == 1 else f"{base}{number}") in names.values():
                    number += 1
                names[rule.to] = name
                order.append(rule.to)
    used = sorted({name for rule in rules for name, _ in rule.then}, key=NAMES.index)
    counters = dict(zip(used, NAMES, strict=False))

    def over(value: Affine) -> Affine:
        return replace(value, terms=tuple((counters[n], f) for n, f in value.terms))

    found = [
        Rule(
            names[r.state], r.symbol, names[r.to], r.chance,
            tuple(replace(c, expression=over(c.expression)) for c in r.when),
            tuple((counters[n], over(v) if isinstance(v, Affine) else v) for n, v in r.then),
        )
        for r in rules
        if r.state in names
    ]  # fmt: skip
    return sorted(
        found, key=lambda rule: order.index(next(s for s in names if names[s] == rule.state))
    )
