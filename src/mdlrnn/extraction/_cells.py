"""When rules apply: the counter values of a control parted into cells in each of which the same
happens, by as few bounds and remainders as do it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from ..machines import NAMES, Affine, Condition, counter
from ._places import Control, Counters, NoMachine

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
