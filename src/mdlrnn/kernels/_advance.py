"""The genetic algorithm of the paper (section 3.3, Algorithm 1) on one island, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._atomic import load
from ._compile import compiled, entry, shared
from ._compound import STACK_GROWTH, founder, has_stacks
from ._evaluate import STEPS, Memo, State, evaluate, keep
from ._genome import Floats, Words, copy_row, size_of
from ._mutate import ROOM
from ._offspring import make_offspring
from ._plan import SCRATCH, Workspace
from ._simple import random_network
from ._space import Random, Space, below, happens
from ._tree import Tree

# How a call ended.
DONE, NEEDS_ROOM, HELPED = 0, 1, 2
HELPERS = 0
"""The flag that says how many threads are there to help, which `advance` leaves to others."""
FOUNDER_TRIES = 50
"""How often a network to start from is redrawn because it finds the corpus impossible."""


@entry
def advance(
    state: State,
    populate: bool,
    given: int,
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
    flags: NDArray[np.int64],
) -> int:
    """So many steps of select, mutate, evaluate, replace; with `populate`, from new networks on,
    of which the first `given` are there already.

    With `distinct`, an offspring with the value of a network that the island has is dropped.
    Where it is `crowded`, any network may be a parent, and its offspring contends with it alone.
    If a network might outgrow its row, the call ends before that step and says NEEDS_ROOM. It also
    ends when somebody comes to help, and says HELPED.
    """
    population = state.values.size
    # New networks first, each drawn several times if need be until its value is finite.
    founding = space.compound_mutation_rate > 0
    drawn = 0
    tries = 0
    while populate and drawn < population:
        genome = state.genomes[drawn]
        if drawn >= given:
            new_network(genome, state.random, space)
        length, bits, value = evaluate(
            genome, tree, encoding, multipliers, work, memo, state.counters, np.inf
        )
        tries += 1
        if value < np.inf or drawn < given or not founding or tries == FOUNDER_TRIES:
            keep(state, drawn, genome, length, bits, value)
            drawn += 1
            tries = 0
    saved = np.empty(4, dtype=np.uint64)
    stacks = space.stack_rate > 0 and has_stacks(space)
    for _ in range(steps):
        if load(flags, HELPERS) > 0:
            return HELPED
        for k in range(4):
            saved[k] = state.random[k]
        winner, loser, other, crossing, stacking = draw_parents(
            state.values, population, tournament, crowded, stacks, state.random, space
        )
        parent, donor = state.genomes[winner], state.genomes[other]
        needed = words_needed(parent, donor, crossing, stacking)
        if needed > parent.size:
            for k in range(4):
                state.random[k] = saved[k]
            return NEEDS_ROOM
        make_offspring(
            parent, donor, crossing, stacking, child, state.random, space, work.plan[SCRATCH]
        )
        length, bits, value = evaluate(
            child, tree, encoding, multipliers, work, memo, state.counters,
            state.values[loser] if elitist else np.inf,
        )  # fmt: skip
        state.counters[STEPS] += 1
        if not is_welcome(value, state.values, loser, elitist, distinct):
            continue
        copy_row(child, state.genomes[loser])
        keep(state, loser, child, length, bits, value)
    return DONE


@shared
def new_network(genome: Words, random: Random, space: Space) -> None:
    """A network to start from: the paper's, or where units are rewritten whole a founder."""
    if space.compound_mutation_rate > 0:
        founder(genome, random, space)
    else:
        random_network(genome, random, space)


@compiled
def draw_parents(
    values: Floats,
    population: int,
    tournament: int,
    crowded: bool,
    stacks: bool,
    random: Random,
    space: Space,
) -> tuple[int, int, int, bool, bool]:
    """A parent, whom its offspring contends with, a donor, and whether the offspring takes an
    output from the donor or gets a stack."""
    if crowded:
        winner = loser = below(random, population)
    else:
        winner, loser = select(values, population, tournament, random)
    other = winner
    crossing = space.crossover_rate > 0 and happens(space.crossover_rate, random)
    if crossing:
        other, _ = select(values, population, tournament, random)
    stacking = stacks and not crossing and happens(space.stack_rate, random)
    return winner, loser, other, crossing, stacking


@compiled
def words_needed(parent: Words, donor: Words, crossing: bool, stacking: bool) -> int:
    """The room that an offspring may take up on the way."""
    needed = size_of(parent) + ROOM
    if crossing:
        needed += size_of(donor)
    elif stacking:
        needed += STACK_GROWTH
    return needed


@compiled
def is_welcome(value: float, values: Floats, loser: int, elitist: bool, distinct: bool) -> bool:
    """Whether an offspring takes the loser's place."""
    if elitist and value > values[loser]:
        return False
    return not (distinct and is_known(value, values))


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
