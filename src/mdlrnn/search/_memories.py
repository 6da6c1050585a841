"""What a corpus may suggest to remember: counters and stacks, and tests of them.

A memory is worth having if a test of it tells about the next symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus

MOST_SYMBOLS = 7
"""Of larger alphabets not all memories can be tried."""
MOST_PAIRED = 20
"""Alphabets up to this have memories in which pairs of symbols do and undo; larger ones none."""
MOST_NUMBERS = 12_000_000
"""Nodes times memories that are tried at once."""
LEAST_GAIN = 60.0
"""Bits that a memory has to save; a network with it is longer by more."""


class Mark(NamedTuple):
    """A symbol, after a certain other where one is named, that divides a string in two."""

    symbol: int
    after: int | None = None


class Counter(NamedTuple):
    steps: tuple[tuple[int, ...], tuple[int, ...]]
    """What each symbol adds, before the mark and from it on."""
    mark: Mark | None = None
    """None where the two are equal."""
    start: int = 0
    modulus: int = 0
    """What it counts up to before it begins again; 0 where it does not."""
    positive: bool = False
    """Asked whether it is above 0, not whether it is 0."""


class Loaded(NamedTuple):
    """A counter that is never below 0, to which a symbol adds a number that is itself counted; one
    symbol takes 1 from it."""

    counted: int | None
    """The symbol that adds to the number. None: the number is the counter itself, which doubles."""
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
    """Of the number, or of the counter that doubles."""


class Stack(NamedTuple):
    """Symbols that push a digit each, and symbols that pop; or, where there is a mark, symbols
    that push before it and pop from it on."""

    digits: tuple[int, ...]
    """What each symbol pushes; 0 where it does not."""
    mark: Mark | None = None
    pops: tuple[int, ...] = ()
    """Symbols that pop, where there is no mark."""
    raises: tuple[int, ...] = ()
    """Symbols that add 1 to the top."""
    whole: bool = False
    """As a whole number, whose last digit is the top: that can be proved right. Else as a fraction,
    whose first digit is the top: float64 holds twice as many of those."""
    queue: bool = False
    """What was pushed first is popped first, and is what is called the top here."""

    @property
    def highest(self) -> int:
        """The largest digit, where no symbol adds more than once to a top."""
        return max(self.digits) + bool(self.raises)

    @property
    def base(self) -> int:
        """Of a fraction a power of two, so that float64 adds and takes digits exactly."""
        return self.highest + 1 if self.whole else 1 << self.highest.bit_length()


class Top(NamedTuple):
    """Whether a certain digit lies on top of a stack."""

    stack: Stack
    digit: int


class Counted(NamedTuple):
    """A test of what is remembered: whether a counter is 0, or above, or what lies on top of a
    stack."""

    counter: Counter | Loaded | Top
    zero: NDArray[np.bool_]
    """For each node of the prefix tree, whether it holds."""
    signed: bool = False
    """Whether the counter falls below 0."""


def symbols_of(corpus: Corpus, boundary: int) -> list[int]:
    """The symbols that occur in strings."""
    return [s for s in np.unique(corpus.symbol).tolist() if s != boundary]


def seen_with(corpus: Corpus, tests: Sequence[Counted]) -> NDArray[np.int64]:
    """For each node its symbol and which tests hold: symbol + inputs * bits."""
    seen = corpus.symbol.astype(np.int64)
    for place, test in enumerate(tests):
        seen = seen + corpus.inputs * (test.zero.astype(np.int64) << place)
    return seen


def bits_given(corpus: Corpus, context: NDArray[np.int64], contexts: int) -> float:
    """Bits of the corpus where the next symbol depends on the context of its node alone."""
    key = context[corpus.item_node] * corpus.outputs + corpus.item_target
    counts = np.bincount(key, corpus.item_weight, contexts * corpus.outputs)
    table = counts.reshape(contexts, corpus.outputs)
    totals = table.sum(axis=1)
    used = table[table > 0]
    return float(totals[totals > 0] @ np.log2(totals[totals > 0]) - used @ np.log2(used))
