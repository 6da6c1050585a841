"""Changes to a genome row that keep it a network: the alphabet in which mutations are written.

All work in place. A row has room for what the caller adds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    RECURRENT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Words,
    size_of,
)
from ._space import Random, next_word, uniform

LARGEST = 1 << 30
"""Numerators and denominators grow no further; float64 and |G| have long lost interest."""


@compiled
def connections_at(genome: Words) -> int:
    return HEADER + UNIT_WORDS * genome[0]


@compiled
def insert(genome: Words, at: int, count: int) -> None:
    """Make room for `count` words; the header is the caller's to correct, after this."""
    for i in range(size_of(genome) - 1, at - 1, -1):
        genome[i + count] = genome[i]


@compiled
def delete(genome: Words, at: int, count: int) -> None:
    """Close the gap of `count` words; the header is the caller's to correct, after this."""
    for i in range(at + count, size_of(genome)):
        genome[i - count] = genome[i]


@compiled
def place_of(genome: Words, key: int) -> int:
    """Where a connection with this key stands, or would stand: a binary search."""
    start = connections_at(genome)
    low, high = 0, genome[1]
    while low < high:
        middle = (low + high) >> 1
        if genome[start + CONNECTION_WORDS * middle] < key:
            low = middle + 1
        else:
            high = middle
    return start + CONNECTION_WORDS * low


@compiled
def add_connection(genome: Words, key: int, numerator: int, denominator: int) -> bool:
    at = place_of(genome, key)
    if at < size_of(genome) and genome[at] == key:
        return False
    insert(genome, at, CONNECTION_WORDS)
    genome[1] += 1
    genome[at] = key
    genome[at + 1] = numerator
    genome[at + 2] = denominator
    return True


@compiled
def remove_connection(genome: Words, at: int) -> None:
    delete(genome, at, CONNECTION_WORDS)
    genome[1] -= 1


@compiled
def fresh_number(random: Random) -> int:
    """1, 2, ...: a number whose code is b bits longer than that of 1 with a chance of 2^-b.

    That is, an m-bit number (coded in 2m + 1 bits) has the chance 2^-(2m - 1).
    """
    n = 1
    while n < LARGEST and uniform(random) < 0.5:
        n = 2 * n + int(next_word(random) >> np.uint64(63))
    return n


@compiled
def fresh_weight(random: Random) -> tuple[int, int]:
    """A fraction as likely as its code is short."""
    numerator = fresh_number(random)
    denominator = fresh_number(random)
    return (-numerator if uniform(random) < 0.5 else numerator), denominator


@compiled
def append_unit(genome: Words, code: int) -> int:
    """A new last unit without bias and connections; returns its number."""
    end = connections_at(genome)
    insert(genome, end, UNIT_WORDS)
    genome[end] = code
    genome[end + 1] = 0
    genome[end + 2] = 1
    genome[0] += 1
    return genome[0] - 1


@compiled
def delete_unit(genome: Words, unit: int) -> None:
    """The unit goes, with all its connections; higher units move up."""
    start = connections_at(genome)
    to = start
    for at in range(start, size_of(genome), CONNECTION_WORDS):
        source = genome[at] & SOURCE_MASK
        target = genome[at] // TARGET
        if source != unit and target != unit:
            lower = (1 if source > unit else 0) + (TARGET if target > unit else 0)
            genome[to] = genome[at] - lower
            genome[to + 1] = genome[at + 1]
            genome[to + 2] = genome[at + 2]
            to += CONNECTION_WORDS
        else:
            genome[1] -= 1
    delete(genome, HEADER + UNIT_WORDS * unit, UNIT_WORDS)
    genome[0] -= 1


@compiled
def delete_units(genome: Words, kept: NDArray[np.int64]) -> None:
    """The units for which `kept` has a 0 go, with all their connections; the others move up. In
    place of their marks come their new numbers, plus 1."""
    units, start, end = genome[0], connections_at(genome), size_of(genome)
    left = 0
    for u in range(units):
        if kept[u] != 0:
            left += 1
            kept[u] = left
    if left == units:
        return
    for u in range(units):
        if kept[u] != 0:
            for k in range(UNIT_WORDS):
                genome[HEADER + UNIT_WORDS * (kept[u] - 1) + k] = genome[
                    HEADER + UNIT_WORDS * u + k
                ]
    to = HEADER + UNIT_WORDS * left
    for at in range(start, end, CONNECTION_WORDS):
        key = genome[at]
        source, target = kept[key & SOURCE_MASK], kept[key // TARGET]
        if source != 0 and target != 0:
            genome[to] = (target - 1) * TARGET + (key & RECURRENT) + source - 1
            genome[to + 1] = genome[at + 1]
            genome[to + 2] = genome[at + 2]
            to += CONNECTION_WORDS
        else:
            genome[1] -= 1
    genome[0] = left


@compiled
def clear_unit(genome: Words, unit: int) -> None:
    """Take the bias and all incoming connections away."""
    at = HEADER + UNIT_WORDS * unit
    genome[at + 1] = 0
    genome[at + 2] = 1
    start = place_of(genome, unit * TARGET)
    end = place_of(genome, (unit + 1) * TARGET)
    if end > start:
        delete(genome, start, end - start)
        genome[1] -= (end - start) // CONNECTION_WORDS


@compiled
def tidy(genome: Words, first_hidden: int, live: NDArray[np.int64]) -> None:
    """Reduce all fractions and take out the hidden units that reach no output.

    Neither changes what the network computes; both make it shorter. `live` is scratch, a place per
    unit.
    """
    units = genome[0]
    start = connections_at(genome)
    for at in range(HEADER + 1, start, UNIT_WORDS):
        reduce_fraction(genome, at)
    end = size_of(genome)
    for at in range(start + 1, end, CONNECTION_WORDS):
        reduce_fraction(genome, at)
    if units == first_hidden:
        return
    for u in range(units):
        live[u] = 1 if u < first_hidden else 0
    changed = True
    while changed:
        changed = False
        for at in range(end - CONNECTION_WORDS, start - 1, -CONNECTION_WORDS):
            source = genome[at] & SOURCE_MASK
            if live[source] == 0 and live[genome[at] // TARGET] == 1:
                live[source] = 1
                changed = True
    delete_units(genome, live)


@compiled
def reduce_fraction(genome: Words, at: int) -> None:
    """The fraction whose numerator is word `at`, in lowest terms; an absent bias stays absent."""
    a, b = abs(genome[at]), genome[at + 1]
    if b == 1 or a <= 1:
        return
    while b != 0:
        a, b = b, a % b
    if a > 1:
        genome[at] = genome[at] // a
        genome[at + 1] = genome[at + 1] // a
