"""Crossover: an output of one network, with all that it depends on, moves into another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled, inlined
from ._edit import (
    add_connection,
    append_unit,
    clear_unit,
    connections_at,
    delete_unit,
    place_of,
)
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
from ._random import Random, below
from ._space import Space

SIGN_MASK = (1 << 30) - 1


@inlined
def cross_over(
    genome: Words, donor: Words, random: Random, space: Space, places: NDArray[np.int64]
) -> bool:
    """Give `genome` one of the donor's outputs. `places` is scratch, a place per unit.

    Hidden units that come along and that the network has already are shared.
    """
    inputs = space.inputs
    first = inputs + space.outputs
    if genome[0] + donor[0] - first > space.max_units:
        return False
    if genome[1] + donor[1] > space.max_connections:
        return False
    output = inputs + below(random, space.outputs)
    mark_ancestors(donor, output, first, places)
    clear_unit(genome, output)
    for u in range(donor[0]):
        at = HEADER + UNIT_WORDS * u
        if u < first:
            place = u
        elif places[u] == 1:
            place = append_unit(genome, 0)
        else:
            continue
        if places[u] == 1 and u >= inputs:
            there = HEADER + UNIT_WORDS * place
            for k in range(UNIT_WORDS):
                genome[there + k] = donor[at + k]
            places[u] = place + 1
        else:
            places[u] = 0
    for at in range(connections_at(donor), size_of(donor), CONNECTION_WORDS):
        key = donor[at]
        target = places[key // TARGET] - 1
        if target >= 0:
            source = key & SOURCE_MASK
            if source >= first:
                source = places[source] - 1
            changed = target * TARGET + (key & RECURRENT) + source
            add_connection(genome, changed, donor[at + 1], donor[at + 2])
    merge_twins(genome, first, places)
    return True


@compiled
def mark_ancestors(genome: Words, output: int, first: int, marks: NDArray[np.int64]) -> None:
    """1 for the output and every hidden unit that it depends on, inputs and outputs apart."""
    for u in range(genome[0]):
        marks[u] = 1 if u == output else 0
    changed = True
    while changed:
        changed = False
        for at in range(connections_at(genome), size_of(genome), CONNECTION_WORDS):
            source = genome[at] & SOURCE_MASK
            if source >= first and marks[source] == 0 and marks[genome[at] // TARGET] == 1:
                marks[source] = 1
                changed = True


@compiled
def merge_twins(genome: Words, first: int, signs: NDArray[np.int64]) -> None:
    """Hidden units with the same formula become one, unless both go to the same unit. `signs` is
    scratch, a place per unit."""
    merged = True
    while merged:
        merged = False
        sign_units(genome, signs)
        for u in range(first, genome[0]):
            for v in range(u + 1, genome[0]):
                if signs[u] != signs[v]:
                    continue
                if same_formula(genome, u, v) and not share_target(genome, u, v):
                    pass_on(genome, v, u)
                    delete_unit(genome, v)
                    merged = True
                    break
            if merged:
                break


@compiled
def sign_units(genome: Words, signs: NDArray[np.int64]) -> None:
    """A number for each unit, from its words and its connections' weights: units with the same
    formula have the same, most others do not."""
    for u in range(genome[0]):
        at = HEADER + UNIT_WORDS * u
        sign = genome[at] + 31 * genome[at + 1] + 961 * genome[at + 2]
        signs[u] = sign & SIGN_MASK
    for at in range(connections_at(genome), size_of(genome), CONNECTION_WORDS):
        target = genome[at] // TARGET
        weight = 7 + (genome[at] & RECURRENT) + 131 * genome[at + 1] + 17161 * genome[at + 2]
        signs[target] = (signs[target] + weight) & SIGN_MASK


@compiled
def same_formula(genome: Words, u: int, v: int) -> bool:
    """Whether two units compute the same by their formulas, each its own loop included."""
    for k in range(UNIT_WORDS):
        if genome[HEADER + UNIT_WORDS * u + k] != genome[HEADER + UNIT_WORDS * v + k]:
            return False
    start, other = place_of(genome, u * TARGET), place_of(genome, v * TARGET)
    length = place_of(genome, (u + 1) * TARGET) - start
    if place_of(genome, (v + 1) * TARGET) - other != length:
        return False
    for i in range(0, length, CONNECTION_WORDS):
        key = genome[start + i] - u * TARGET
        # A loop of u stands where u sorts among the sources, one of v where v does.
        if key & SOURCE_MASK == u:
            key += v - u
        place = place_of(genome, v * TARGET + key)
        if place >= other + length or genome[place] != v * TARGET + key:
            return False
        for k in range(1, CONNECTION_WORDS):
            if genome[start + i + k] != genome[place + k]:
                return False
    return True


@compiled
def share_target(genome: Words, u: int, v: int) -> bool:
    """Whether both units, u before v, have a connection of one kind to one unit, loops apart."""
    for at in range(connections_at(genome), size_of(genome), CONNECTION_WORDS):
        key = genome[at]
        if key & SOURCE_MASK == v and key // TARGET != v:
            place = place_of(genome, key - v + u)
            if genome[place] == key - v + u:
                return True
    return False


@compiled
def pass_on(genome: Words, unit: int, to: int) -> None:
    """Let what goes out from `unit` go out from `to` as well."""
    at = connections_at(genome)
    while at < size_of(genome):
        key = genome[at]
        if key & SOURCE_MASK == unit and key // TARGET != unit:
            numerator, denominator = genome[at + 1], genome[at + 2]
            # The lower unit's key sorts before this one's, so that this one moves on.
            if add_connection(genome, key - unit + to, numerator, denominator):
                at += CONNECTION_WORDS
        at += CONNECTION_WORDS
