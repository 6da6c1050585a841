"""Counters that a corpus suggests: what is counted up, what down, and from which symbol on.

A counter is worth having if what follows depends on whether it is 0. All simple ones are tried:
each symbol adds or takes a small number, or does neither; or one symbol adds 1 and one takes 1,
before or after another symbol, or two in a row, have been read for the first time. The one that
tells most about the next symbol is kept, and then the one that tells most besides. Stacks are tried
beside them (`_stacks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus

MOST_COUNTERS = 5
MOST_SYMBOLS = 7
"""Alphabets that are larger are left alone: too many counters would have to be tried."""
LARGEST_STEPS = {2: 3, 3: 3, 4: 2, 5: 1}
"""What a symbol adds or takes at most, by the number of symbols, where no mark divides strings."""
MOST_NUMBERS = 12_000_000
"""Nodes times counters that are tried at once."""
LEAST_GAIN = 60.0
"""Bits that a counter has to save; a network with it is longer by more."""


class Mark(NamedTuple):
    """A symbol, after a certain other where one is named, that divides a string in two."""

    symbol: int
    after: int | None = None


class Counter(NamedTuple):
    steps: tuple[tuple[int, ...], tuple[int, ...]]
    """What each symbol adds, before the mark and from it on."""
    mark: Mark | None = None
    """None where the two are equal."""


class Stack(NamedTuple):
    """Symbols that push a digit each before the mark, and pop from it on."""

    digits: tuple[int, ...]
    """What each symbol pushes; 0 where it does not."""
    mark: Mark
    whole: bool = False
    """As a whole number, whose last digit is the top: that can be proved right. Else as a fraction,
    whose first digit is the top: float64 holds twice as many of those."""

    @property
    def base(self) -> int:
        """Of a fraction a power of two, so that float64 adds and takes digits exactly."""
        return max(self.digits) + 1 if self.whole else 1 << max(self.digits).bit_length()


class Top(NamedTuple):
    """Whether a certain digit lies on top of a stack."""

    stack: Stack
    digit: int


class Loaded(NamedTuple):
    """A counter that is never below 0, to which certain symbols add a number that is itself
    counted; one symbol takes 1 from it."""

    counted: int
    """The symbol that adds to the number."""
    at_zero: bool
    """Only where the counter was 0."""
    mark: Mark | None
    late: bool
    """Only before the mark, or only from it on."""
    loading: int
    """The symbol that adds the number to the counter."""
    down: int
    load_at_zero: bool = False
    """Only where the counter was 0."""
    step: int = 1
    start: int = 0
    """Of the number."""


class Counted(NamedTuple):
    """A test of what is remembered: whether a counter is 0, or what lies on top of a stack."""

    counter: Counter | Top | Loaded
    zero: NDArray[np.bool_]
    """For each node of the prefix tree, whether it holds."""
    signed: bool = False
    """Whether the counter falls below 0."""


def counters_of(corpus: Corpus, boundary: int) -> list[Counted]:
    """The counters that tell most about the next symbol, the best first."""
    symbols = [s for s in range(corpus.inputs) if s != boundary]
    if not 2 <= len(symbols) <= MOST_SYMBOLS:
        return []
    tried = list(_candidates(symbols, corpus.inputs))
    tried = tried[: max(1, MOST_NUMBERS // len(corpus.parent))]
    values = _values(corpus, tried)
    found: list[Counted] = []
    context = corpus.symbol.astype(np.int64)
    contexts = corpus.inputs
    bits = bits_given(corpus, context, contexts)
    for _ in range(MOST_COUNTERS):
        scores = [
            bits_given(corpus, 2 * context + (values[:, i] == 0), 2 * contexts)
            for i in range(len(tried))
        ]
        best = int(np.argmin(scores))
        if bits - scores[best] < LEAST_GAIN:
            break
        bits = scores[best]
        zero = values[:, best] == 0
        context, contexts = 2 * context + zero, 2 * contexts
        found.append(_counted(tried[best], values[:, best], zero))
    return found


def _counted(counter: Counter, values: NDArray[np.int64], zero: NDArray[np.bool_]) -> Counted:
    """Turned round where it is never above 0."""
    if values.max() > 0:
        return Counted(counter, zero, bool(values.min() < 0))
    before, after = (tuple(-step for step in steps) for steps in counter.steps)
    return Counted(Counter((before, after), counter.mark), zero, False)


def _candidates(symbols: list[int], size: int) -> Iterator[Counter]:
    """Plain counters first, since of two that tell the same the first is kept."""
    seen = set()
    most = LARGEST_STEPS.get(len(symbols), 0)
    if most:
        every = product(range(-most, most + 1), repeat=len(symbols))
        for steps in sorted(every, key=lambda steps: (_size(steps), steps)):
            if max(steps) > 0 > min(steps) and tuple(-s for s in steps) not in seen:
                seen.add(steps)
                row = [0] * size
                for symbol, step in zip(symbols, steps, strict=True):
                    row[symbol] = step
                yield Counter((tuple(row), tuple(row)))
    marks = [Mark(s) for s in symbols]
    marks += [Mark(s, after) for s in symbols for after in symbols if s != after]
    for mark in marks:
        for up, down in product([(s, p) for p in (0, 1) for s in symbols], repeat=2):
            if up == down or (mark.after is None and (mark.symbol, 0) in (up, down)):
                continue
            if up[1] == down[1] == 0:
                continue  # a counter that stands still from the mark on
            rows = [[0] * size, [0] * size]
            rows[up[1]][up[0]] = 1
            rows[down[1]][down[0]] = -1
            yield Counter((tuple(rows[0]), tuple(rows[1])), mark)


def _size(steps: tuple[int, ...]) -> int:
    return sum(map(abs, steps))


def _values(corpus: Corpus, counters: list[Counter]) -> NDArray[np.int64]:
    """(node, counter): the counter after the node's symbol."""
    nodes = len(corpus.parent)
    steps = np.array([counter.steps for counter in counters], dtype=np.int64)
    marks = np.array([-1 if c.mark is None else c.mark.symbol for c in counters])
    before = np.array(
        [-1 if c.mark is None or c.mark.after is None else c.mark.after for c in counters]
    )
    values = np.zeros((nodes, len(counters)), dtype=np.int64)
    marked = np.zeros((nodes, len(counters)), dtype=np.bool_)
    columns = np.arange(len(counters))
    for begin, end in zip(corpus.levels[:-1], corpus.levels[1:], strict=True):
        symbol = corpus.symbol[begin:end]
        after = symbol[:, None] == marks[None, :]
        if begin:
            parent = corpus.parent[begin:end]
            after &= (before < 0)[None, :] | (corpus.symbol[parent][:, None] == before[None, :])
            after |= marked[parent]
            values[begin:end] = values[parent]
        marked[begin:end] = after
        values[begin:end] += steps[columns[None, :], after.astype(np.int64), symbol[:, None]]
    return values


def bits_given(corpus: Corpus, context: NDArray[np.int64], contexts: int) -> float:
    """Bits of the corpus where the next symbol depends on the context of its node alone."""
    key = context[corpus.item_node] * corpus.outputs + corpus.item_target
    counts = np.bincount(key, corpus.item_weight, contexts * corpus.outputs)
    table = counts.reshape(contexts, corpus.outputs)
    totals = table.sum(axis=1)
    used = table[table > 0]
    return float(totals[totals > 0] @ np.log2(totals[totals > 0]) - used @ np.log2(used))
