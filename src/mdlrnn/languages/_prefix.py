"""A grammar's normal form, and the chances of the next symbol after a prefix."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import localcontext
from fractions import Fraction
from heapq import heappop, heappush
from typing import Generic

from ..network import BOUNDARY
from ._productions import CONTEXT, N, Nonterminal, Part, Production, closure

Key = Part | tuple[Part, ...]
"""A symbol of the normal form; a tuple is the rest of a production that was cut in two."""


@dataclass(frozen=True)
class Tables(Generic[N]):
    """Binary productions A → B C and A → 'a'; the symbols are numbered, the start symbol is 0."""

    zero: N
    empty: N
    """The probability of the empty string; all else is about the strings that are not."""
    parents: tuple[tuple[tuple[int, int, N], ...], ...]
    """For each B the productions A → B C, as A, C and the probability."""
    corners: tuple[dict[int, N], ...]
    """For each A how often its leftmost descendants are B, on average; itself counts."""
    lexicon: dict[str, dict[int, N]]
    """For each terminal the A that can be it, and how likely."""


def normal_form(
    start: Nonterminal,
    productions: Sequence[Production],
    empty: Mapping[Nonterminal, Fraction],
    number: Callable[[Fraction], N],
) -> Tables[N]:
    """The tables of a grammar whose derivations all end, in one kind of number.

    `empty` says how likely each nonterminal yields the empty string.
    """
    with localcontext(CONTEXT):
        zero, one = number(Fraction(0)), number(Fraction(1))
        units, pairs = _without_empty(start, productions, empty, number)
        below = closure(units, one)
        joined: dict[Key, dict[tuple[Key, Key], N]] = {}
        left: list[Key] = [start]
        while left:
            key = left.pop()
            if key not in joined:
                own = joined[key] = {}
                for lower, factor in below[key].items():
                    for pair, chance in pairs[lower].items():
                        own[pair] = own.get(pair, zero) + factor * chance
                left += [child for pair in own for child in pair]
        numbers = {key: place for place, key in enumerate(joined)}
        first: dict[int, dict[int, N]] = {place: {} for place in numbers.values()}
        parents: list[list[tuple[int, int, N]]] = [[] for _ in numbers]
        lexicon: dict[str, dict[int, N]] = {}
        for key, place in numbers.items():
            for pair, chance in joined[key].items():
                corner, other = numbers[pair[0]], numbers[pair[1]]
                first[place][corner] = first[place].get(corner, zero) + chance
                parents[corner].append((place, other, chance))
            for lower, chance in below[key].items():
                if isinstance(lower, str):
                    lexicon.setdefault(lower, {})[place] = chance
        corners = closure(first, one)
    return Tables(
        zero=zero,
        empty=number(empty[start]),
        parents=tuple(map(tuple, parents)),
        corners=tuple(corners[place] for place in numbers.values()),
        lexicon=lexicon,
    )


def _without_empty(
    start: Nonterminal,
    productions: Sequence[Production],
    empty: Mapping[Nonterminal, Fraction],
    number: Callable[[Fraction], N],
) -> tuple[dict[Key, dict[Key, N]], dict[Key, dict[tuple[Key, Key], N]]]:
    """For each symbol, given that it is not empty: its unit productions and its binary ones."""
    rights: dict[Key, list[tuple[tuple[Part, ...], Fraction]]] = {}
    for production in productions:
        rights.setdefault(production.left, []).append((production.right, production.chance))
    units: dict[Key, dict[Key, N]] = {}
    pairs: dict[Key, dict[tuple[Key, Key], N]] = {}
    left: list[Key] = [start]
    while left:
        key = left.pop()
        if key in units:
            continue
        unit: dict[Key, Fraction] = {}
        pair: dict[tuple[Key, Key], Fraction] = {}
        own = [(key, Fraction(1))] if isinstance(key, tuple) else rights.get(key, [])
        for right, chance in own:
            if not right:
                continue
            one = right[0]
            two = right[1] if len(right) == 2 else right[1:]
            no_one, no_two = _empty(one, empty), _empty(two, empty)
            for child, weight in (
                (one, chance * (1 - no_one) * no_two),
                (two, chance * no_one * (1 - no_two)),
            ):
                if weight:
                    unit[child] = unit.get(child, Fraction(0)) + weight
            both = chance * (1 - no_one) * (1 - no_two)
            if both:
                pair[one, two] = pair.get((one, two), Fraction(0)) + both
        # The chance not to be empty, or where that is no rational number nearly so.
        total = sum(unit.values()) + sum(pair.values())
        units[key] = {child: number(weight / total) for child, weight in unit.items()}
        pairs[key] = {children: number(weight / total) for children, weight in pair.items()}
        left += [*unit, *(child for children in pair for child in children)]
    return units, pairs


def _empty(key: Key, empty: Mapping[Nonterminal, Fraction]) -> Fraction:
    if isinstance(key, str):
        return Fraction(0)
    if isinstance(key, Nonterminal):
        return empty[key]
    found = Fraction(1)
    for part in key:
        found *= _empty(part, empty)
        if not found:
            break
    return found


@dataclass(frozen=True)
class Column(Generic[N]):
    """The state after a prefix."""

    waiting: dict[int, dict[tuple[int, int], N]]
    """For each C what waits for it to come next: A, which begins at a column, was found to be
    B C, and B ends here."""
    expected: dict[int, N]
    """How many B begin here, on average over what the prefix leaves open."""
    ending: N
    """The probability that the string ends here."""


@dataclass(frozen=True)
class _Prefix(Generic[N]):
    """A prefix, and the columns before its last symbol."""

    symbols: tuple[str, ...]
    path: list[Column[N]]


class Chart(Generic[N]):
    """The columns of a grammar's prefixes."""

    def __init__(self, tables: Tables[N]) -> None:
        self.tables: Tables[N] = tables
        one: N = tables.zero + 1
        with localcontext(CONTEXT):
            expected = _expected(tables, {0: one - tables.empty})
        self.first: Column[N] = Column({}, expected, tables.empty)
        # The last prefix asked for, since the next one often has the same beginning.
        self._last: tuple[list[str], list[Column[N]]] = ([], [self.first])

    def chance(self, column: Column[N], symbol: str) -> N:
        """The probability that a symbol comes next; the boundary symbol ends the string."""
        if symbol == BOUNDARY:
            return column.ending
        with localcontext(CONTEXT):
            return _chance(self.tables, column, symbol)

    def next(self, path: Sequence[Column[N]], symbol: str) -> Column[N] | None:
        """The column after those of a prefix and one more symbol; None if that cannot come."""
        with localcontext(CONTEXT):
            return _next(self.tables, path, symbol)

    def column(self, prefix: Sequence[str]) -> Column[N] | None:
        """The column after a prefix; None if no string begins so."""
        known, path = self._last
        shared = 0
        while shared < min(len(known), len(prefix)) and known[shared] == prefix[shared]:
            shared += 1
        path = path[: shared + 1]
        for symbol in prefix[shared:]:
            column = self.next(path, symbol)
            if column is None:
                break
            path.append(column)
        self._last = list(prefix[: len(path) - 1]), path
        return path[-1] if len(path) > len(prefix) else None

    def chances(self, prefix: Sequence[str], symbols: Sequence[str]) -> list[N] | None:
        """The probability of each symbol after a prefix; None if no string begins so."""
        column = self.column(prefix)
        return None if column is None else [self.chance(column, symbol) for symbol in symbols]

    def strings(
        self, symbols: Sequence[str], most_prefixes: int | None = None
    ) -> Iterator[tuple[str, ...]]:
        """All strings, shortest first, those of one length in the order of the symbols; those among
        the first prefixes only, if a number of them is given."""
        left = deque([_Prefix[N]((), [])])
        looked = 0
        while left and (most_prefixes is None or looked < most_prefixes):
            looked += 1
            prefix: _Prefix[N] = left.popleft()
            path = list(prefix.path)
            # Made only now, so that the first strings of a length come soon.
            here = self.next(path, prefix.symbols[-1]) if prefix.symbols else self.first
            assert here is not None
            path.append(here)
            if here.ending:
                yield prefix.symbols
            for symbol in symbols:
                if self.chance(here, symbol):
                    left.append(_Prefix((*prefix.symbols, symbol), path))


def _chance(tables: Tables[N], column: Column[N], symbol: str) -> N:
    total = tables.zero
    expected = column.expected
    for key, weight in tables.lexicon.get(symbol, {}).items():
        if key in expected:
            total += expected[key] * weight
    return total


def _next(tables: Tables[N], path: Sequence[Column[N]], symbol: str) -> Column[N] | None:
    here = path[-1]
    total = _chance(tables, here, symbol)
    if not total:
        return None
    zero, parents = tables.zero, tables.parents
    last = len(path) - 1
    begun = here.expected
    complete = {last: {a: p / total for a, p in tables.lexicon[symbol].items() if a in begun}}
    begins = [-last]
    waiting: dict[int, dict[tuple[int, int], N]] = {}
    wanted: dict[int, N] = {}
    # What is completed began before the part that completes it, so from right to left.
    while begins:
        begin = -heappop(begins)
        column = path[begin]
        for found, weight in complete[begin].items():
            for (whole, at), before in column.waiting.get(found, {}).items():
                if at not in complete:
                    complete[at] = {}
                    heappush(begins, -at)
                row = complete[at]
                row[whole] = row.get(whole, zero) + before * weight
            for whole, other, rule in parents[found]:
                if whole in column.expected:
                    inner = rule * weight
                    entry = waiting.setdefault(other, {})
                    entry[whole, begin] = entry.get((whole, begin), zero) + inner
                    outer = column.expected[whole] * inner
                    wanted[other] = wanted.get(other, zero) + outer
    ending = complete.get(0, {}).get(0, zero) * (1 - tables.empty)
    return Column(waiting, _expected(tables, wanted), ending)


def _expected(tables: Tables[N], wanted: dict[int, N]) -> dict[int, N]:
    """What begins here, when these come next with these probabilities."""
    expected: dict[int, N] = {}
    zero = tables.zero
    for key, weight in wanted.items():
        for corner, times in tables.corners[key].items():
            expected[corner] = expected.get(corner, zero) + weight * times
    return expected
