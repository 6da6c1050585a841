"""Random networks and mutations (paper, section 3.3), in place on genome rows.

A mutation that finds nothing to change returns False and leaves the row as it was. The choices
that the paper leaves open are written down in docs/search.md. A row has room for at least
`GROWTH` more words than it uses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    RECURRENT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Words,
    size_of,
)
from ._random import Random, below, geometric, uniform

GROWTH = UNIT_WORDS + 2 * CONNECTION_WORDS
"""The most words that one mutation adds on the way."""
MOST_FURTHER = 7
"""A bound on further mutations that does not depend on the room in a row, as results must not."""
ROOM = (1 + MOST_FURTHER) * GROWTH
"""The most words by which an offspring outgrows its parent."""
TRIES = 16
"""How often a free place for a new connection is drawn before giving up."""
LARGEST = 1 << 30
"""Numerators and denominators grow no further; float64 and |G| have long lost interest."""

# The kinds of mutation, all equally likely; the last only where products are allowed.
ADD_UNIT, REMOVE_UNIT = 0, 1
ADD_FORWARD, REMOVE_FORWARD, ADD_RECURRENT, REMOVE_RECURRENT = 2, 3, 4, 5
ADD_BIAS, REMOVE_BIAS = 6, 7
CHANGE_NUMERATOR, CHANGE_DENOMINATOR, FLIP_SIGN = 8, 9, 10
CHANGE_ACTIVATION, CHANGE_TYPE = 11, 12
MUTATIONS = (
    "add unit", "remove unit", "add forward", "remove forward", "add recurrent",
    "remove recurrent", "add bias", "remove bias", "change numerator", "change denominator",
    "flip sign", "change activation", "change type",
)  # fmt: skip

# A space of networks, as the kernels see it.
INPUTS, OUTPUTS, PRODUCTS, MOST_UNITS, MOST_CONNECTIONS = 0, 1, 2, 3, 4
# Chances in thousandths: of one more mutation, and of a fresh weight where a weight changes.
FURTHER, FRESH = 5, 6
# How many activations are allowed, and from here on their codes.
ACTIVATION_COUNT, ACTIVATION = 7, 8
Space = NDArray[np.int64]


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
    """Where a connection with this key stands, or would stand."""
    at = connections_at(genome)
    end = size_of(genome)
    while at < end and genome[at] < key:
        at += CONNECTION_WORDS
    return at


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
def fresh_weight(random: Random) -> tuple[int, int]:
    """Small fractions are likelier: numerator and denominator are geometric with p = 1/2."""
    numerator = geometric(random, 0.5)
    denominator = geometric(random, 0.5)
    return (-numerator if uniform(random) < 0.5 else numerator), denominator


@compiled
def random_activation(random: Random, space: Space) -> int:
    return space[ACTIVATION + below(random, space[ACTIVATION_COUNT])]


@compiled
def random_network(genome: Words, random: Random, space: Space) -> None:
    """No hidden unit; each output has a forward connection from some input, others by chance."""
    inputs, outputs = space[INPUTS], space[OUTPUTS]
    genome[0] = inputs + outputs
    genome[1] = 0
    for u in range(inputs + outputs):
        at = HEADER + UNIT_WORDS * u
        genome[at] = 0 if u < inputs else random_activation(random, space)
        genome[at + 1] = 0
        genome[at + 2] = 1
    for u in range(inputs, inputs + outputs):
        numerator, denominator = fresh_weight(random)
        add_connection(genome, u * TARGET + below(random, inputs), numerator, denominator)
    for u in range(inputs, inputs + outputs):
        for source in range(inputs):
            for kind, chance in ((0, 0.5), (RECURRENT, 0.25)):
                if uniform(random) < chance / inputs and genome[1] < space[MOST_CONNECTIONS]:
                    numerator, denominator = fresh_weight(random)
                    add_connection(genome, u * TARGET + kind + source, numerator, denominator)


@compiled
def mutate(genome: Words, random: Random, space: Space) -> int:
    """One mutation, drawn anew until it finds something to change; returns its kind."""
    kinds = CHANGE_TYPE + 1 if space[PRODUCTS] == 1 else CHANGE_TYPE
    while True:
        kind = below(random, kinds)
        if apply(kind, genome, random, space):
            return kind


@compiled
def happens(thousandths: int, random: Random) -> bool:
    return uniform(random) * 1000.0 < thousandths


@compiled
def mutate_further(genome: Words, random: Random, space: Space) -> None:
    """More mutations on top of one, each by chance."""
    for _ in range(MOST_FURTHER):
        if space[FURTHER] == 0 or not happens(space[FURTHER], random):
            return
        mutate(genome, random, space)


@compiled
def apply(kind: int, genome: Words, random: Random, space: Space) -> bool:
    if kind == ADD_UNIT:
        return add_unit(genome, random, space)
    if kind == REMOVE_UNIT:
        return remove_unit(genome, random, space)
    if kind == ADD_FORWARD:
        return connect(0, genome, random, space)
    if kind == ADD_RECURRENT:
        return connect(RECURRENT, genome, random, space)
    if kind == REMOVE_FORWARD:
        return disconnect(0, genome, random)
    if kind == REMOVE_RECURRENT:
        return disconnect(RECURRENT, genome, random)
    if kind == ADD_BIAS:
        return set_bias(True, genome, random, space)
    if kind == REMOVE_BIAS:
        return set_bias(False, genome, random, space)
    if kind == CHANGE_ACTIVATION:
        return change_activation(genome, random, space)
    if kind == CHANGE_TYPE:
        return change_type(genome, random, space)
    return change_weight(kind, genome, random, space)


@compiled
def add_unit(genome: Words, random: Random, space: Space) -> bool:
    """Split a connection (Stanley and Miikkulainen): 1/1 into the new unit, the old weight out."""
    units, connections = genome[0], genome[1]
    if connections == 0 or units >= space[MOST_UNITS] or connections >= space[MOST_CONNECTIONS]:
        return False
    at = connections_at(genome) + CONNECTION_WORDS * below(random, connections)
    key, numerator, denominator = genome[at], genome[at + 1], genome[at + 2]
    remove_connection(genome, at)
    end = connections_at(genome)
    insert(genome, end, UNIT_WORDS)
    genome[0] += 1
    genome[end] = random_activation(random, space)
    genome[end + 1] = 0
    genome[end + 2] = 1
    add_connection(genome, units * TARGET + (key & SOURCE_MASK), 1, 1)
    add_connection(genome, (key - (key & SOURCE_MASK)) + units, numerator, denominator)
    return True


@compiled
def remove_unit(genome: Words, random: Random, space: Space) -> bool:
    """A hidden unit goes, with all its connections; higher units move up."""
    first = space[INPUTS] + space[OUTPUTS]
    if genome[0] <= first:
        return False
    unit = first + below(random, genome[0] - first)
    at = connections_at(genome)
    end = size_of(genome)
    to = at
    while at < end:
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
        at += CONNECTION_WORDS
    delete(genome, HEADER + UNIT_WORDS * unit, UNIT_WORDS)
    genome[0] -= 1
    return True


@compiled
def connect(kind: int, genome: Words, random: Random, space: Space) -> bool:
    """From an input or hidden unit to an output or hidden unit."""
    if genome[1] >= space[MOST_CONNECTIONS]:
        return False
    inputs, outputs = space[INPUTS], space[OUTPUTS]
    for _ in range(TRIES):
        source = below(random, genome[0] - outputs)
        if source >= inputs:
            source += outputs
        target = inputs + below(random, genome[0] - inputs)
        key = target * TARGET + kind + source
        at = place_of(genome, key)
        if at == size_of(genome) or genome[at] != key:
            numerator, denominator = fresh_weight(random)
            return add_connection(genome, key, numerator, denominator)
    return False


@compiled
def disconnect(kind: int, genome: Words, random: Random) -> bool:
    start = connections_at(genome)
    end = size_of(genome)
    count = 0
    for at in range(start, end, CONNECTION_WORDS):
        if genome[at] & RECURRENT == kind:
            count += 1
    if count == 0:
        return False
    chosen = below(random, count)
    for at in range(start, end, CONNECTION_WORDS):
        if genome[at] & RECURRENT == kind:
            if chosen == 0:
                remove_connection(genome, at)
                return True
            chosen -= 1
    return False


@compiled
def set_bias(wanted: bool, genome: Words, random: Random, space: Space) -> bool:
    """Give a bias to an output or hidden unit without one, or take one away."""
    start = HEADER + UNIT_WORDS * space[INPUTS]
    end = connections_at(genome)
    count = 0
    for at in range(start, end, UNIT_WORDS):
        if (genome[at + 1] == 0) == wanted:
            count += 1
    if count == 0:
        return False
    chosen = below(random, count)
    for at in range(start, end, UNIT_WORDS):
        if (genome[at + 1] == 0) == wanted:
            if chosen == 0:
                if wanted:
                    genome[at + 1], genome[at + 2] = fresh_weight(random)
                else:
                    genome[at + 1] = 0
                    genome[at + 2] = 1
                return True
            chosen -= 1
    return False


@compiled
def change_weight(kind: int, genome: Words, random: Random, space: Space) -> bool:
    """A step in the numerator or denominator, or the other sign, of any weight or bias.

    By chance it is drawn anew instead.
    """
    start = connections_at(genome)
    count = genome[1]
    for at in range(HEADER, start, UNIT_WORDS):
        if genome[at + 1] != 0:
            count += 1
    if count == 0:
        return False
    chosen = below(random, count)
    place = start + CONNECTION_WORDS * chosen + 1
    if chosen >= genome[1]:
        chosen -= genome[1]
        for at in range(HEADER, start, UNIT_WORDS):
            if genome[at + 1] != 0:
                if chosen == 0:
                    place = at + 1
                    break
                chosen -= 1
    if space[FRESH] > 0 and happens(space[FRESH], random):
        numerator, denominator = fresh_weight(random)
        same = genome[place] == numerator and genome[place + 1] == denominator
        genome[place], genome[place + 1] = numerator, denominator
        return not same
    if kind == FLIP_SIGN:
        genome[place] = -genome[place]
        return True
    if kind == CHANGE_DENOMINATOR:
        before = genome[place + 1]
        genome[place + 1] = step_from(before, random)
        return genome[place + 1] != before
    before = genome[place]
    changed = step_from(abs(before), random)
    genome[place] = changed if before > 0 else -changed
    return genome[place] != before


@compiled
def step_from(n: int, random: Random) -> int:
    """Up or down by a geometric step, mostly 1; never below 1."""
    step = geometric(random, 0.5)
    if n > step and uniform(random) < 0.5:
        return n - step
    return min(n + step, LARGEST)


@compiled
def change_activation(genome: Words, random: Random, space: Space) -> bool:
    inputs = space[INPUTS]
    if space[ACTIVATION_COUNT] < 2:
        return False
    unit = inputs + below(random, genome[0] - inputs)
    at = HEADER + UNIT_WORDS * unit
    before = genome[at]
    kind = before - before % PRODUCT
    while genome[at] == before:
        genome[at] = kind + random_activation(random, space)
    return True


@compiled
def change_type(genome: Words, random: Random, space: Space) -> bool:
    inputs = space[INPUTS]
    at = HEADER + UNIT_WORDS * (inputs + below(random, genome[0] - inputs))
    genome[at] += PRODUCT if genome[at] < PRODUCT else -PRODUCT
    return True
