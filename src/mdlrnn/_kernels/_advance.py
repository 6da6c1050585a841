"""The genetic algorithm of the paper (section 3.3, Algorithm 1) on one island, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled
from ._compound import founder
from ._edit import tidy
from ._evaluate import FRONT_COUNT, IMPROVED_AT, STEPS, Memo, evaluate
from ._feed import Floats
from ._genome import Words, copy_row, size_of
from ._graft import graft
from ._mutate import ROOM, mutate, mutate_further, random_network
from ._plan import STACK
from ._random import Random, below
from ._score import Workspace
from ._space import COMPOUND, GRAFT, INPUTS, OUTPUTS, STACKS, Space, happens
from ._stack import STACK_GROWTH, grow_stack, has_stacks
from ._tree import Tree

# How a call ended.
DONE, NEEDS_ROOM = 0, 1
FOUNDER_TRIES = 50
"""How often a network to start from is drawn anew because it finds the corpus impossible."""


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


@compiled
def populate(
    state: State,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    space: Space,
    work: Workspace,
    memo: Memo,
) -> None:
    """Fill the island with random networks, if need be after several tries with a finite value."""
    founding = space[COMPOUND] > 0
    for i in range(state.values.size):
        genome = state.genomes[i]
        for _ in range(FOUNDER_TRIES if founding else 1):
            if founding:
                founder(genome, state.random, space)
            else:
                random_network(genome, state.random, space)
            length, bits, value = evaluate(
                genome, tree, encoding, multipliers, work, memo, state.counters, np.inf
            )
            if value < np.inf:
                break
        keep(state, i, genome, length, bits, value)


@compiled
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


@compiled
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


@compiled
def advance(
    state: State,
    steps: int,
    tournament: int,
    distinct: bool,
    elitist: bool,
    crowded: bool,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    space: Space,
    work: Workspace,
    memo: Memo,
    child: Words,
) -> int:
    """So many steps of select, mutate, evaluate, replace.

    With `distinct`, an offspring with the value of a network that the island has is dropped.
    Where it is `crowded`, any network may be a parent, and its offspring contends with it alone.
    If a network might outgrow its row, the call ends before that step and says NEEDS_ROOM.
    """
    population = state.values.size
    saved = np.empty(4, dtype=np.uint64)
    stacks = space[STACKS] > 0 and has_stacks(space)
    for _ in range(steps):
        for k in range(4):
            saved[k] = state.random[k]
        if crowded:
            winner = loser = below(state.random, population)
        else:
            winner, loser = select(state.values, population, tournament, state.random)
        parent = state.genomes[winner]
        donor = parent
        grafting = space[GRAFT] > 0 and happens(space[GRAFT], state.random)
        if grafting:
            other, _ = select(state.values, population, tournament, state.random)
            donor = state.genomes[other]
        stacking = stacks and not grafting and happens(space[STACKS], state.random)
        needed = size_of(parent) + ROOM
        if grafting:
            needed += size_of(donor)
        elif stacking:
            needed += STACK_GROWTH
        if needed > parent.size:
            for k in range(4):
                state.random[k] = saved[k]
            return NEEDS_ROOM
        copy_row(parent, child)
        changed = False
        if grafting:
            changed = graft(child, donor, state.random, space, work.plan[STACK])
        elif stacking:
            changed = grow_stack(child, state.random, space)
        if not changed:
            mutate(child, state.random, space)
        mutate_further(child, state.random, space)
        if space[COMPOUND] > 0:
            tidy(child, space[INPUTS] + space[OUTPUTS], work.plan[STACK])
        length, bits, value = evaluate(
            child, tree, encoding, multipliers, work, memo, state.counters,
            state.values[loser] if elitist else np.inf,
        )  # fmt: skip
        state.counters[STEPS] += 1
        if elitist and value > state.values[loser]:
            continue
        if distinct and is_known(value, state.values):
            continue
        copy_row(child, state.genomes[loser])
        keep(state, loser, child, length, bits, value)
    return DONE


@compiled
def is_known(value: float, values: Floats) -> bool:
    found = 0
    for i in range(values.size):
        found += 1 if values[i] == value else 0
    return found > 0


@compiled
def select(values: Floats, population: int, tournament: int, random: Random) -> tuple[int, int]:
    """Winner and loser among `tournament` networks drawn at random, which are never the same.

    Ties go to the one drawn first as winner and the one drawn last as loser, so that a network
    with the best value is never the only one of that value to be replaced.
    """
    winner = below(random, population)
    loser = winner
    best = worst = values[winner]
    drawn = 1
    while drawn < tournament:
        i = below(random, population)
        if i == winner or i == loser:
            continue
        drawn += 1
        if values[i] < best:
            if loser == winner:
                loser, worst = winner, best
            winner, best = i, values[i]
        elif values[i] >= worst:
            loser, worst = i, values[i]
    return winner, loser
