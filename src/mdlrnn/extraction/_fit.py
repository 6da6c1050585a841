"""A machine read off runs: its states, when its rules apply, and what they make of the counters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from ..errors import InputError
from ..machines import (
    END,
    NAMES,
    Affine,
    Condition,
    Machine,
    Rule,
    counter,
    reader,
    started,
    tidied,
)
from ..network import BOUNDARY
from ..proofs import solve
from ._places import (
    Control,
    Counters,
    Kinds,
    NoMachine,
    Place,
    Places,
    Runs,
    bases_of_fractions,
    one_each,
    with_counters,
)


class Change(NamedTuple):
    """The counters before a move, and after it."""

    before: Counters
    after: Counters


def update(
    changes: Sequence[Change], place: int, usable: Sequence[int], base: int | None = None
) -> Affine | int | None:
    """The new value of a counter, over those whose places are usable; None if nothing fits. With a
    base, pushes and pops come before what fits as well where few stacks were seen."""
    pairs = [(change.before, change.after[place]) for change in changes]
    few = dict.fromkeys([pairs[0], pairs[-1], *pairs[:8]])
    stack = () if base is None else _of_a_stack(pairs, place, base)
    for candidate in chain(stack, _candidates(pairs, place, usable)):
        value = reader(candidate, NAMES)
        if all(value(before) == after for before, after in few) and all(
            value(before) == after for before, after in pairs
        ):
            return candidate
    return None


def _of_a_stack(
    pairs: Sequence[tuple[Counters, int]], place: int, base: int
) -> Iterator[Affine | int]:
    """That it stays as it is, that a digit is pushed, that the last one is popped."""
    before, after = pairs[0]
    stack, top = counter(NAMES[place]), before[place] % base
    yield stack
    pushed = after - base * before[place]
    if 0 < pushed < base:
        yield base * stack + pushed
    if top:
        yield (stack - top) // base


def _candidates(
    pairs: Sequence[tuple[Counters, int]], place: int, usable: Sequence[int]
) -> Iterator[Affine | int]:
    before, after = pairs[0]
    order = [*(i for i in usable if i == place), *(i for i in usable if i != place)]
    for i in order:
        yield counter(NAMES[i]) + (after - before[i])
    yield after
    affine = _affine(pairs, order)
    if affine is not None:
        yield affine
    for i in order:
        for base in BASES:
            for shift in range(-base, base + 1):
                yield (counter(NAMES[i]) + shift) // base


def _affine(pairs: Sequence[tuple[Counters, int]], order: Sequence[int]) -> Affine | None:
    """A sum of multiples, perhaps divided by an integer."""
    rows = [
        ([Fraction(1), *(Fraction(before[i]) for i in order)], [Fraction(after)])
        for before, after in pairs
    ]
    solution = solve(rows, len(order) + 1, 1)
    if solution is None:
        return None
    factors = [factor for (factor,) in solution]
    divisor = max(factor.denominator for factor in factors)
    if any(divisor % factor.denominator for factor in factors):
        return None
    constant, *rest = [int(factor * divisor) for factor in factors]
    terms = tuple((NAMES[i], f) for i, f in zip(order, rest, strict=True) if f)
    return Affine(terms, constant, divisor)


SAME = Fraction(1, 10**4)
"""Distributions that differ by less are taken for one."""
NEARLY = Fraction(1, 100)
"""Where probabilities change a little along the string."""
PRECISION = Fraction(1, 50_000)
"""Of probabilities that are not exact."""
LARGEST_DENOMINATOR = 3_000
MOST_STATES = 60
MOST_CONTROLS = 240
"""Before those that do the same are made one."""
TITLE = "the machine"


class Fitted(NamedTuple):
    machine: Machine
    """As small as it was made."""
    full: Machine
    """The same with every control a state and with all counters, which is nearer to the network."""


def machine_from_runs(runs: Runs, title: str = TITLE) -> Machine:
    """The first of the machines; raises `NoMachine` where none is seen."""
    reason: NoMachine | None = None
    for apart in (SAME, NEARLY, None):
        try:
            return fitted(runs, apart, title).machine
        except NoMachine as why:
            reason = reason or why
    assert reason is not None
    raise reason


def fitted(runs: Runs, apart: Fraction | None, title: str = TITLE) -> Fitted:
    """A machine in which distributions that differ by less than `apart` are one; without it,
    those with the same possible symbols."""
    reason: NoMachine | None = None
    for places in _ways(runs, apart):
        try:
            return _fitted(runs, places, apart, title)
        except NoMachine as why:
            reason = reason or why
    raise reason or NoMachine("it was not run far enough to see what it does")


def _ways(runs: Runs, apart: Fraction | None) -> Iterator[Places]:
    if runs.finite:
        yield one_each(runs)
    if runs.units:
        for base in bases_of_fractions(runs):
            with suppress(NoMachine):
                yield with_counters(runs, base=base)
        yield with_counters(runs)
        # What is predicted may depend on what is remembered no longer.
        kinds = Kinds(apart, MOST_STATES)
        yield with_counters(runs, [kinds.of(node.chances) for node in runs.nodes])


def _fitted(runs: Runs, places: Places, apart: Fraction | None, title: str) -> Fitted:
    fit = _Fit(runs, places, apart)
    names = {control: f"q{number}" for number, control in enumerate(fit.controls)}
    rules = [rule for control in fit.controls for rule in fit.rules(control, names)]
    start = names[places.places[0].control]
    beginning = dict(zip(NAMES, places.places[0].counters, strict=False))
    full, first = started(rules, start, beginning)
    small = tidied(full, first)
    if len({rule.state for rule in small}) > MOST_STATES:
        raise NoMachine(f"it needs more than {MOST_STATES} states")
    try:
        return Fitted(
            Machine("learned", title, tuple(small), small[0].state),
            Machine("learned", title, tuple(full), first),
        )
    except InputError as error:
        raise NoMachine(f"the rules that were read off do not hold ({error})") from None


class _Fit:
    def __init__(self, runs: Runs, places: Places, apart: Fraction | None) -> None:
        self.runs, self.places = runs, places.places
        self.units, self.base, self.stacks = places.units, places.base, places.stacks
        if len(self.units) > len(NAMES):
            raise NoMachine(f"it has more than {len(NAMES)} counters")
        kinds = Kinds(apart, MOST_STATES)
        self.kinds = [kinds.of(place.node.chances) for place in self.places]
        self.chances = [simple_chances(members) for members in kinds.members]
        self.controls: dict[Control, list[int]] = {}
        for number, place in enumerate(self.places):
            self.controls.setdefault(place.control, []).append(number)
        most = len(self.places) if not self.units else MOST_CONTROLS
        if len(self.controls) > most:
            raise NoMachine("it remembers more than states and counters")
        self.measures = {
            control: decisive(
                [self.places[i].counters for i in numbers],
                [self._outcome(i) for i in numbers],
                places.base,
            )
            for control, numbers in self.controls.items()
        }
        self.kept = self._kept()

    def _outcome(self, number: int) -> Outcome:
        below = self.places[number].node.below
        return Outcome(self.kinds[number], {s: self.places[b].control for s, b in below.items()})

    def _kept(self) -> list[int]:
        """The counters that conditions speak of, and those that their updates need."""
        used = {
            NAMES.index(name)
            for measures in self.measures.values()
            for measure in measures
            for name, _ in measure.value.terms
        }
        while True:
            more = set(used)
            for control in self.controls:
                for _, moves in self._moves(control):
                    for place in used:
                        for name, _ in self._update(moves, place, sorted(used)).terms:
                            more.add(NAMES.index(name))
            if more == used:
                return sorted(used)
            used = more

    def _update(self, moves: list[tuple[Place, Place]], place: int, usable: list[int]) -> Affine:
        changes = [Change(one.counters, other.counters) for one, other in moves]
        base = self.base if place < self.stacks else None
        found = update(changes, place, usable, base)
        if found is None and len(usable) < len(self.units):
            found = update(changes, place, range(len(self.units)), base)
        if found is None:
            raise NoMachine(
                f"unit {self.units[place]} changes in a way that is no sum of multiples of counters"
            )
        return found if isinstance(found, Affine) else Affine((), found)

    def _cells(self, control: Control) -> dict[Cell, list[int]]:
        readers = [measure.reader() for measure in self.measures[control]]
        cells: dict[Cell, list[int]] = {}
        for number in self.controls[control]:
            cell = tuple(read(self.places[number].counters) for read in readers)
            cells.setdefault(cell, []).append(number)
        return cells

    def _moves(
        self, control: Control
    ) -> Iterator[tuple[tuple[str, Cell], list[tuple[Place, Place]]]]:
        """For each symbol and cell the moves that were seen."""
        for cell, numbers in self._cells(control).items():
            for symbol in self.runs.alphabet:
                moves = [
                    (self.places[i], self.places[self.places[i].node.below[symbol]])
                    for i in numbers
                    if symbol in self.places[i].node.below
                ]
                if moves:
                    yield (symbol, cell), moves

    def rules(self, control: Control, names: dict[Control, str]) -> Iterator[Rule]:
        """The rules of one control; cells that one rule can serve are put together."""
        measures = self.measures[control]
        moves = dict(self._moves(control))
        shared: dict[tuple[str, Fraction, Control | None], list[Cell]] = {}
        for cell, numbers in self._cells(control).items():
            chances = self.chances[self.kinds[numbers[0]]]
            for symbol, chance in zip(self.runs.alphabet, chances, strict=True):
                if not chance:
                    continue
                to = None
                if symbol != BOUNDARY:
                    if (symbol, cell) not in moves:
                        raise NoMachine("it was not run far enough to see all that it does")
                    to = moves[symbol, cell][0][1].control
                shared.setdefault((symbol, chance, to), []).append(cell)
        for (symbol, chance, to), cells in shared.items():
            if to is None:
                for cell in united(cells, measures):
                    yield Rule(names[control], symbol, END, chance, _conditions(cell, measures))
                continue
            for then, some in self._updates(symbol, cells, moves).items():
                for cell in united(some, measures):
                    when = _conditions(cell, measures)
                    yield Rule(names[control], symbol, names[to], chance, when, then)

    def _updates(
        self,
        symbol: str,
        cells: list[Cell],
        moves: dict[tuple[str, Cell], list[tuple[Place, Place]]],
    ) -> dict[tuple[tuple[str, Affine | int], ...], list[Cell]]:
        """The updates, with their cells: one for all of them if that is possible."""
        try:
            every = [move for cell in cells for move in moves[symbol, cell]]
            return {self._then(every): cells}
        except NoMachine:
            if len(cells) == 1:
                raise
        found: dict[tuple[tuple[str, Affine | int], ...], list[Cell]] = {}
        for cell in cells:
            found.setdefault(self._then(moves[symbol, cell]), []).append(cell)
        return found

    def _then(self, moves: list[tuple[Place, Place]]) -> tuple[tuple[str, Affine | int], ...]:
        found: list[tuple[str, Affine | int]] = []
        for place in self.kept:
            value = self._update(moves, place, self.kept)
            if value != counter(NAMES[place]):
                found.append((NAMES[place], value if value.terms else value.constant))
        return tuple(found)


def _conditions(cell: Cell, measures: Sequence[Measure]) -> tuple[Condition, ...]:
    return tuple(
        condition
        for inside, measure in zip(cell, measures, strict=True)
        for condition in measure.conditions(inside)
    )


def simple_chances(members: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Replace nearly equal distributions by one: exact if all are equal and short, else the
    simplest near the middle of the least and the largest."""
    first = members[0]
    if all(chances == first for chances in members) and _is_short(first):
        return list(first)
    columns = list(zip(*members, strict=True))
    middle = [(min(column) + max(column)) / 2 for column in columns]
    total = sum(middle)
    middle = [chance / total for chance in middle]
    together = _with_one_denominator(middle)
    if together is not None:
        return together
    found = [_simple(p) if p else Fraction(0) for p in middle]
    largest = max(range(len(found)), key=lambda i: middle[i])
    found[largest] += 1 - sum(found)
    return found


def _with_one_denominator(chances: Sequence[Fraction]) -> list[Fraction] | None:
    """The simplest near these that have one denominator and sum to 1."""
    near = [float(chance) for chance in chances]
    for denominator in range(2, LARGEST_DENOMINATOR):
        parts = [round(p * denominator) for p in near]
        if sum(parts) != denominator:
            continue
        if all(
            (part > 0) == (chance > 0) and abs(Fraction(part, denominator) - chance) <= PRECISION
            for part, chance in zip(parts, chances, strict=True)
        ):
            return [Fraction(part, denominator) for part in parts]
    return None


def _is_short(chances: Sequence[Fraction]) -> bool:
    return all(chance.denominator < 10**9 for chance in chances)


def _simple(value: Fraction) -> Fraction:
    """The simplest fraction within the precision."""
    for limit in (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000):
        near = value.limit_denominator(limit)
        if near and abs(near - value) <= PRECISION:
            return near
    return value.limit_denominator(10**6)


BASES = (2, 3, 4, 5, 6, 7, 8, 9, 10)
"""Of remainders that are asked for, and of stacks."""
MOST_CUTS = 5
"""Bounds in one control, besides those at which a counter has its last values."""
NEAR = 12
"""Values at which bounds are looked for."""


class Outcome(NamedTuple):
    """What happens at a node: its distribution, and the control that each symbol leads to."""

    kind: Hashable
    below: Mapping[str, Control]


class Interval(NamedTuple):
    """Values above `low` and up to `high`, None being no bound, that leave this remainder."""

    low: int | None
    high: int | None
    digit: int | None = None


class Measure(NamedTuple):
    """A sum of counters, and what of its value makes a difference."""

    value: Affine
    cuts: tuple[int, ...]
    base: int | None = None

    def key(self) -> Callable[[Counters], int]:
        """A number for each interval."""
        read, cuts = self.value.reader(NAMES), self.cuts
        if self.base is None:
            return lambda counters: bisect_left(cuts, read(counters))
        base = self.base
        alone = {i for i, (a, b) in enumerate(pairwise((-1, *cuts))) if b == a + 1}

        def number(counters: Counters) -> int:
            value = read(counters)
            place = bisect_left(cuts, value)
            return place * base + (0 if place in alone else value % base)

        return number

    def reader(self) -> Callable[[Counters], Interval]:
        read, cuts, base = self.value.reader(NAMES), self.cuts, self.base
        ends = (None, *cuts, None)

        def interval(counters: Counters) -> Interval:
            value = read(counters)
            place = bisect_left(cuts, value)
            low, high = ends[place], ends[place + 1]
            below = -1 if low is None else low
            alone = high is not None and high == below + 1
            return Interval(low, high, None if base is None or alone else value % base)

        return interval

    def conditions(self, inside: Interval) -> list[Condition]:
        """What an interval asks for."""
        low, high, digit = inside
        found = []
        # A counter is never negative; a difference may be.
        below = -1 if low is None and len(self.value.terms) == 1 else low
        if high is not None and below is not None and high == below + 1:
            return [(self.value - high).zero]
        if low is not None:
            found.append((self.value - low).positive)
        if high is not None:
            found.append((-1 * self.value + (high + 1)).positive)
        if digit is not None:
            assert self.base is not None
            found.append(self.value.ends_in(digit, self.base))
        return found


Cell = tuple[Interval, ...]


def decisive(
    rows: Sequence[Counters], outcomes: Sequence[Outcome], base: int | None = None
) -> list[Measure]:
    """The measures that decide what happens, as few as do; none where the same happens always.
    With a base, what a stack in it has on top is asked for, and no other remainder."""
    if not rows[0] or _decide([], rows, outcomes):
        return []
    for measures in _tried(rows, outcomes, BASES if base is None else (base,)):
        found = _fewest(measures, rows, outcomes)
        if found is not None:
            return found
    raise NoMachine("what it does depends on its memory in a way that no rule describes")


def _tried(
    rows: Sequence[Counters], outcomes: Sequence[Outcome], bases: Sequence[int]
) -> Iterator[list[Measure]]:
    """Few bounds near 0, and remainders; then bounds wherever they may be, and differences."""
    width = len(rows[0])
    singles = [counter(NAMES[i]) for i in range(width)]
    for base in (None, *bases):
        for most in (0, 1, 3):
            yield [Measure(x, tuple(range(most)), base) for x in singles]
    yield [Measure(x, _cuts(x, rows, outcomes)) for x in singles]
    pairs = [
        Affine(((NAMES[i], a), (NAMES[j], -b)))
        for i, j in combinations(range(width), 2)
        for a, b in ((1, 1), (2, 1), (1, 2))
    ]
    if pairs:
        signs = [Measure(x, (-2, -1, 0, 1)) for x in pairs]
        yield [*signs, *(Measure(x, (0, 1)) for x in singles)]


def _cuts(value: Affine, rows: Sequence[Counters], outcomes: Sequence[Outcome]) -> tuple[int, ...]:
    """Where a bound may lie: near 0, and where other distributions begin to be met."""
    read = value.reader(NAMES)
    kinds: dict[int, set[Hashable]] = {}
    for row, outcome in zip(rows, outcomes, strict=True):
        kinds.setdefault(read(row), set()).add(outcome.kind)
    values = sorted(kinds)
    changes = [a for a, b in pairwise(values) if kinds[a] != kinds[b]][:NEAR]
    near = values[:NEAR]
    return tuple(sorted({*near, *(v - 1 for v in (*near, *changes)), *changes}))


def _fewest(
    measures: list[Measure], rows: Sequence[Counters], outcomes: Sequence[Outcome]
) -> list[Measure] | None:
    """The same with all left out that is not needed; None if they do not decide."""
    if not _decide(measures, rows, outcomes):
        return None
    for measure in list(reversed(measures)):
        fewer = [m for m in measures if m is not measure]
        if _decide(fewer, rows, outcomes):
            measures = fewer
    for place, measure in enumerate(measures):
        if measure.base is not None:
            plain = _changed(measures, place, measure._replace(base=None))
            if _decide(plain, rows, outcomes):
                measures = plain
    for place in range(len(measures)):
        for cut in sorted(measures[place].cuts, key=lambda cut: (-abs(cut), cut)):
            now = measures[place]
            fewer = _changed(
                measures, place, now._replace(cuts=tuple(c for c in now.cuts if c != cut))
            )
            if _decide(fewer, rows, outcomes):
                measures = fewer
    if sum(len(measure.cuts) for measure in measures) > MOST_CUTS:
        return None
    return [m for m in measures if m.cuts or m.base is not None]


def _changed(measures: list[Measure], place: int, new: Measure) -> list[Measure]:
    return [*measures[:place], new, *measures[place + 1 :]]


def _decide(
    measures: Sequence[Measure], rows: Sequence[Counters], outcomes: Sequence[Outcome]
) -> bool:
    """Whether in each cell the same happens."""
    readers = [measure.key() for measure in measures]
    seen: dict[tuple[int, ...], tuple[Hashable, dict[str, Control]]] = {}
    for row, (kind, below) in zip(rows, outcomes, strict=True):
        cell = tuple([read(row) for read in readers])
        known = seen.get(cell)
        if known is None:
            seen[cell] = kind, dict(below)
            continue
        if known[0] != kind:
            return False
        for symbol, control in below.items():
            if known[1].setdefault(symbol, control) != control:
                return False
    return True


def united(cells: Sequence[Cell], measures: Sequence[Measure]) -> list[Cell]:
    """Fewer cells with the same values in them, where neighbours make one."""
    found = list(dict.fromkeys(cells))
    changed = True
    while changed:
        changed = False
        for place, measure in enumerate(measures):
            for group in _alike_but(found, place):
                inside = [cell[place] for cell in group]
                fewer = _joined(inside, measure)
                if len(fewer) < len(inside):
                    rest = [cell for cell in found if cell not in group]
                    first = group[0]
                    found = rest + [(*first[:place], x, *first[place + 1 :]) for x in fewer]
                    changed = True
    return sorted(found, key=_order)


def _order(cell: Cell) -> list[tuple[bool, int, int]]:
    return [(x.low is not None, x.low or 0, x.digit or 0) for x in cell]


def _alike_but(cells: list[Cell], place: int) -> list[list[Cell]]:
    groups: dict[tuple[Interval, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((*cell[:place], *cell[place + 1 :]), []).append(cell)
    return [group for group in groups.values() if len(group) > 1]


def _joined(intervals: list[Interval], measure: Measure) -> list[Interval]:
    by_ends: dict[tuple[int | None, int | None], set[int | None]] = {}
    for low, high, digit in intervals:
        by_ends.setdefault((low, high), set()).add(digit)
    whole = []
    for (low, high), digits in by_ends.items():
        if None in digits or (measure.base is not None and len(digits) == measure.base):
            digits = {None}
        whole += [Interval(low, high, digit) for digit in digits]
    found: list[Interval] = []
    for new in sorted(whole, key=lambda x: (x.low is not None, x.low or 0)):
        for place, old in enumerate(found):
            if old.high is not None and old.high == new.low and old.digit == new.digit:
                found[place] = Interval(old.low, new.high, new.digit)
                break
        else:
            found.append(new)
    return found
