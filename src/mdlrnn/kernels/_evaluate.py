"""A network's value under the objective, with a memory of those seen lately."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled, inlined
from ._genome import Words, size_of
from ._length import encoded_length, weight_norms
from ._plan import SCRATCH
from ._state import EVALUATIONS, HITS
from ._surprisal import surprisal
from ._tree import Tree
from ._types import Floats
from ._workspace import Workspace

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
