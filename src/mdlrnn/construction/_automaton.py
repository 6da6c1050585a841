"""An automaton with memories, as values: what a network is constructed from.

A state moves on by the symbol read and, where there are memories, by the tests of them that hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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


@dataclass(frozen=True)
class Automaton:
    """State 0 is that after the boundary symbol; symbols are numbers of the alphabet."""

    moves: tuple[dict[int, int], ...]
    """The next state after each symbol. Where there are counters, a move also depends on which of
    them are 0 then: symbol + alphabet * bits."""
    counts: tuple[dict[int, float], ...]
    """How often each symbol follows each state, the boundary symbol included."""

    def __len__(self) -> int:
        return len(self.moves)
