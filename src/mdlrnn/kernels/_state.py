"""An island as kernels see it, and the front of the networks that it has found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled, entry, inlined
from ._genome import Words, copy_row
from ._random import Random
from ._types import Floats

# Counters of an island.
STEPS, EVALUATIONS, HITS, IMPROVED_AT, FRONT_COUNT = 0, 1, 2, 3, 4
COUNTERS = 5
FRONT_SIZE = 96


class State(NamedTuple):
    """An island: everything that the next generation depends on, and what has been found."""

    genomes: NDArray[np.int64]
    """(network, word)"""
    values: Floats
    """The objective's value of each network."""
    lengths: NDArray[np.int64]
    bits: Floats
    random: Random
    counters: NDArray[np.int64]
    best_value: Floats
    """One number: the lowest value so far."""
    front: NDArray[np.int64]
    """Rows of the networks that no other beats in both |G| and |D:G|, shortest first."""
    front_lengths: NDArray[np.int64]
    front_bits: Floats


@inlined
def keep(state: State, i: int, genome: Words, length: int, bits: float, value: float) -> None:
    """Write the scores of network i, and note what is new about it."""
    state.lengths[i] = length
    state.bits[i] = bits
    state.values[i] = value
    if value < state.best_value[0]:
        state.best_value[0] = value
        state.counters[IMPROVED_AT] = state.counters[STEPS]
    join_front(
        genome, length, bits, state.counters, state.front, state.front_lengths, state.front_bits
    )


@entry
def join_front(
    genome: Words,
    length: int,
    bits: float,
    counters: NDArray[np.int64],
    front: NDArray[np.int64],
    lengths: NDArray[np.int64],
    given: Floats,
) -> None:
    """Enter the network unless one at most as long explains the data as well; drop whom it beats.

    Lengths rise and bits fall along the front. When it is full its longest network goes.
    """
    if bits == np.inf:
        return
    count = counters[FRONT_COUNT]
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if lengths[middle] <= length:
            low = middle + 1
        else:
            high = middle
    if low > 0 and given[low - 1] <= bits:
        return
    start = low - 1 if low > 0 and lengths[low - 1] == length else low
    end = start
    while end < count and given[end] >= bits:
        end += 1
    if start == lengths.size:
        return
    if start == end:
        last = min(count, lengths.size - 1)
        for i in range(last, start, -1):
            copy_entry(i - 1, i, front, lengths, given)
        counters[FRONT_COUNT] = last + 1
    else:
        for i in range(end, count):
            copy_entry(i, i - (end - start) + 1, front, lengths, given)
        counters[FRONT_COUNT] = count - (end - start) + 1
    copy_row(genome, front[start])
    lengths[start] = length
    given[start] = bits


@compiled
def copy_entry(
    source: int,
    to: int,
    front: NDArray[np.int64],
    lengths: NDArray[np.int64],
    given: Floats,
) -> None:
    copy_row(front[source], front[to])
    lengths[to] = lengths[source]
    given[to] = given[source]
