"""What a prefix says about the next symbol, under a grammar in normal form.

A chart that grows by one column a symbol, left to right, as in Earley's parser with the
probabilities of Stolcke (1995): a column depends on the symbols before it only, so strings share
the columns of a common prefix. All probabilities are divided by that of the prefix, so the next
symbol's can be read off, and numbers stay short.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import localcontext
from heapq import heappop, heappush
from typing import Generic

from ..network._alphabet import BOUNDARY
from ._closure import CONTEXT, N
from ._normal_form import Tables


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
