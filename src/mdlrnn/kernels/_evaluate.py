"""A network's value under the objective, with a memory of recent ones; and an island's state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled, entry, inlined
from ._genome import Floats, Words, copy_row, size_of
from ._plan import SCRATCH, Workspace
from ._scoring import encoded_length, weight_norms
from ._space import Random
from ._surprisal import surprisal
from ._tree import Tree

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


SLACK = 1e-6
"""Bits by which a bound must be passed before it counts, for rounding."""
# Multipliers of the objective.
BY_G, BY_D, BY_L1, BY_L2 = 0, 1, 2, 3


class Memo(NamedTuple):
    """Scores of genomes seen lately; it saves time and changes nothing."""

    keys: NDArray[np.uint64]
    bits: Floats


def new_memo(entries: int = 1 << 14) -> Memo:
    return Memo(
        np.zeros(entries, dtype=np.uint64),
        np.zeros(entries),
    )


@compiled
def hash_of(genome: Words) -> np.uint64:
    """64 bits that depend on every word in use; never 0, which marks an empty entry."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(size_of(genome)):
        h ^= np.uint64(genome[i])
        h *= np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    return h | np.uint64(1)


@inlined
def evaluate(
    genome: Words,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    work: Workspace,
    memo: Memo,
    counters: NDArray[np.int64],
    limit: float,
) -> tuple[int, float, float]:
    """|G|, |D:G| and the objective's value.

    Both of the latter are infinite as soon as the value is sure to be above the limit.
    """
    counters[EVALUATIONS] += 1
    length, cost = weigh(genome, encoding, multipliers, work.plan[SCRATCH])
    if multipliers[BY_D] == 0.0:
        return length, surprisal(genome, tree, work, np.inf), cost
    most = most_bits(limit, cost, multipliers)
    if most < tree.lower_bounds[tree.chunk_start[tree.full]]:
        return length, np.inf, np.inf
    key = hash_of(genome)
    slot = slot_of(key, memo.keys.size)
    if memo.keys[slot] == key:
        counters[HITS] += 1
        bits = memo.bits[slot]
    else:
        bits = surprisal(genome, tree, work, most)
        if bits < np.inf or most == np.inf:
            memo.keys[slot] = key
            memo.bits[slot] = bits
    return length, bits, value_of(cost, bits, multipliers)


@compiled
def weigh(
    genome: Words, encoding: NDArray[np.int64], multipliers: Floats, scratch: NDArray[np.int64]
) -> tuple[int, float]:
    """|G|, and the objective's value without |D:G|."""
    length = encoded_length(genome, encoding, scratch)
    cost = 0.0
    if multipliers[BY_G] != 0.0:
        cost += multipliers[BY_G] * length
    if multipliers[BY_L1] != 0.0 or multipliers[BY_L2] != 0.0:
        l1, l2 = weight_norms(genome)
        cost += multipliers[BY_L1] * l1 + multipliers[BY_L2] * l2
    return length, cost


@compiled
def most_bits(limit: float, cost: float, multipliers: Floats) -> float:
    """The |D:G| above which the value is sure to be above the limit."""
    return (limit - cost) / multipliers[BY_D] + SLACK


@compiled
def value_of(cost: float, bits: float, multipliers: Floats) -> float:
    return cost + multipliers[BY_D] * bits


@compiled
def slot_of(key: np.uint64, entries: int) -> np.uint64:
    """Where in a memo of so many entries, a power of two, a genome belongs."""
    return (key >> np.uint64(20)) & np.uint64(entries - 1)
