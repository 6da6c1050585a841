"""Counters that a corpus suggests and that take their number from another one.

In a^n (b a^m)^p every block of a's is as long as the first, in ab abb abbb each block is longer by
one than the last, and a^(n^2) may end after 1, 3, 5, 7 more a's. One counter remembers a number,
the other takes it over and counts it down, again and again. It is worth having if what follows
depends on whether the second is 0. The number may also be the counter itself, which then doubles,
as in a^n b^(2^n).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus
from ._automaton import Counted, Loaded, Mark
from ._memories import LEAST_GAIN, MOST_NUMBERS, MOST_SYMBOLS, bits_given, symbols_of

LARGEST = 2**20
"""A counter that doubles grows by no more at once; none of a corpus gets there."""


def loads_of(corpus: Corpus, boundary: int) -> list[Counted]:
    """The loaded counter that tells most about the next symbol, if one does."""
    symbols = symbols_of(corpus, boundary)
    if not 1 <= len(symbols) <= MOST_SYMBOLS:
        return []
    tried = list(_candidates(symbols))
    share = max(1, MOST_NUMBERS // len(corpus.parent))
    context = corpus.symbol.astype(np.int64)
    best = bits_given(corpus, context, corpus.inputs) - LEAST_GAIN
    found: list[Counted] = []
    zeros = zeros_of(corpus, tried[:share])
    for column, loaded in enumerate(tried[:share]):
        zero = zeros[:, column]
        bits = bits_given(corpus, 2 * context + zero, 2 * corpus.inputs)
        if bits < best:
            best = bits
            found = [Counted(loaded, zero.copy())]
    return found


def _candidates(symbols: list[int]) -> Iterator[Loaded]:
    """The simplest first, since of two that tell the same the first is kept."""
    phases: list[tuple[Mark | None, bool]] = [(None, False)]
    phases += [(Mark(symbol), late) for symbol in symbols for late in (False, True)]
    each = (symbols, symbols, symbols)
    for (mark, late), at_zero in product(phases, (False, True)):
        for counted, loading, down in product(*each):
            if mark is None or late or mark.symbol != counted:
                yield Loaded(counted, at_zero, mark, late, loading, down)
    more = product((False, True), (False, True), (1, 2), (-1, 0, 1))
    for load_at_zero, at_zero, step, start in more:
        if load_at_zero or (step, start) != (1, 0):
            for counted, loading, down in product(*each):
                yield Loaded(
                    counted, at_zero, None, False, loading, down, load_at_zero, step, start
                )
    for start, loading, down in product((1, 2), symbols, symbols):
        if loading != down:
            yield Loaded(None, False, None, False, loading, down, start=start)


def zeros_of(corpus: Corpus, tried: list[Loaded]) -> NDArray[np.bool_]:
    """(node, counter): whether the counter is 0 after the node's symbol."""
    nodes = len(corpus.parent)
    columns = len(tried)
    field = {name: np.array(values) for name, values in _fields(tried)}
    numbers = np.zeros((nodes, columns), dtype=np.int32)
    counters = np.zeros((nodes, columns), dtype=np.int32)
    marked = np.zeros((nodes, columns), dtype=np.bool_)
    marks = np.array([-1 if x.mark is None else x.mark.symbol for x in tried])
    doubles = np.array([x.counted is None for x in tried])
    for begin, end in zip(corpus.levels[:-1], corpus.levels[1:], strict=True):
        symbol = corpus.symbol[begin:end, None]
        if begin:
            parent = corpus.parent[begin:end]
            number, counter, after = numbers[parent], counters[parent], marked[parent]
        else:
            number = np.broadcast_to(field["start"], (end, columns)).astype(np.int32)
            counter = number * doubles
            after = np.zeros((end, columns), dtype=np.bool_)
        empty = counter == 0
        after = after | (symbol == marks)
        phase = (marks < 0) | (after == (field["late"] != 0))
        counts = (symbol == field["counted"]) & phase & (empty | (field["at_zero"] == 0))
        number = number + counts * field["step"].astype(np.int32)
        loads = (symbol == field["loading"]) & (empty | (field["load_at_zero"] == 0))
        added = np.where(doubles, np.minimum(counter, LARGEST), number)
        counter = counter + loads * added - (symbol == field["down"])
        numbers[begin:end] = number
        counters[begin:end] = np.maximum(counter, 0)
        marked[begin:end] = after
    zeros: NDArray[np.bool_] = counters == 0
    return zeros


def _fields(tried: list[Loaded]) -> Iterator[tuple[str, list[int]]]:
    for name in ("counted", "at_zero", "late", "loading", "down", "load_at_zero", "step", "start"):
        yield name, [-1 if (value := getattr(x, name)) is None else int(value) for x in tried]
