"""What islands send one another, and which parts each island searches with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..kernels import (
    IMPROVED_AT,
    STEPS,
    State,
    Words,
    is_in_space,
    join_front,
    size_of,
)
from ..network import ACTIVATIONS, DEFAULT_ACTIVATIONS
from ._island import Problem, best_of, tools_for, with_room
from ._settings import Search


class PartSet(NamedTuple):
    further: tuple[str, ...] = ()
    """Activations beyond the paper's."""
    products: bool = False
    unrestricted: bool = False


REMAINDERS = tuple(name for name, record in ACTIVATIONS.items() if (record.modulus or 0) > 1)
EVERY = tuple(name for name in ACTIVATIONS if name not in DEFAULT_ACTIVATIONS)
SETS = (
    PartSet(),
    PartSet(REMAINDERS),
    PartSet(("abs",), products=True),
    PartSet(unrestricted=True),
    PartSet(EVERY, products=True),
)
"""The islands after the archive take them in turn. Five sets, since kinds of islands repeat every
eight (`_migration`), so that in the long run each set meets each kind."""
ARCHIVE_SET = PartSet(EVERY, products=True, unrestricted=True)
"""The archive has room for whatever another island has found."""


def part_set(island: int) -> PartSet:
    return SETS[(island - 1) % len(SETS)] if island else ARCHIVE_SET


@lru_cache(maxsize=1024)
def island_problem(problem: Problem, island: int) -> Problem:
    """The problem as this island sees it: with its own parts, of those that are allowed."""
    encoding, search = problem.encoding, problem.search
    if not encoding.says_parts:
        return problem
    own = part_set(island)
    names = tuple(n for n in encoding.activations if n in (*DEFAULT_ACTIVATIONS, *own.further))
    return problem._replace(
        encoding=replace(encoding, activations=names, products=encoding.products and own.products),
        search=replace(search, unrestricted=search.unrestricted or own.unrestricted),
    )


def fits(row: Words, problem: Problem) -> bool:
    """Whether a network of the corpus is in the space of this problem."""
    return is_in_space(row, tools_for(problem).space)


ARCHIVE = 0
"""The number of the island that keeps what others have found."""
# What happens at a migration.
NOTHING, RING, RESTARTS = "", "ring", "restarts"


class Offer(NamedTuple):
    """The best networks of an island, best first."""

    rows: tuple[Words, ...]
    values: tuple[float, ...]
    lengths: tuple[int, ...]
    bits: tuple[float, ...]


def exchange_of(search: Search) -> str:
    """What happens at the migrations of a search."""
    if search.islands < 2 or search.migration_size == 0:
        return NOTHING
    return RESTARTS if search.restarts else RING


def homes_of(search: Search, island: int, turn: int) -> tuple[int, ...]:
    """The islands whose offers an island receives at migration number `turn`, in this order.

    In a ring an island sends `1 + turn mod (islands - 1)` places on, so that in the course of the
    migrations each island sends to every other. With restarts only the archive receives.
    """
    kind = exchange_of(search)
    if kind == RING:
        return ((island - 1 - turn % (search.islands - 1)) % search.islands,)
    if kind == RESTARTS and island == ARCHIVE:
        return tuple(i for i in range(search.islands) if i != ARCHIVE)
    return ()


def is_stagnant(search: Search, island: int, state: State) -> bool:
    """Whether an island found nothing better for as long as it waits; the archive never is.

    Some wait longer than others: what a basin is worth shows after 30,000 steps or after 500,000.
    """
    waits = search.migration_interval * search.population * patience_of(island)
    waited = int(state.counters[STEPS] - state.counters[IMPROVED_AT])
    return island != ARCHIVE and waited >= waits


def patience_of(island: int) -> int:
    """How many intervals an island waits: every other one 1, half of the rest 4, the others 16."""
    return 1 if island % 2 else 4 if island % 4 else 16


def is_crowded(search: Search, island: int) -> bool:
    """Whether offspring contend with their parents there: on the last four of every eight islands.

    So there are islands of every patience of both kinds.
    """
    return search.crowding and search.elitist and island % 8 >= 4


def offer_of(state: State, size: int) -> Offer:
    places = best_of(state, size)
    return Offer(
        tuple(state.genomes[i, : int(size_of(state.genomes[i]))].copy() for i in places),
        tuple(float(state.values[i]) for i in places),
        tuple(int(state.lengths[i]) for i in places),
        tuple(float(state.bits[i]) for i in places),
    )


def everything_fits(row: Words) -> bool:
    return True


def receive(state: State, offer: Offer, fits: Callable[[Words], bool] = everything_fits) -> State:
    """The island with the networks offered, as far as they fit there, in place of its worst. The
    state given is written to, or if its rows are too short a wider one."""
    needed = max(row.size for row in offer.rows)
    words = state.genomes.shape[1]
    while words < needed:
        words *= 2
    if words > state.genomes.shape[1]:
        state = with_room(state, words)
    worst = np.argsort(state.values, kind="stable")[-len(offer.rows) :]
    for i, row, value, length, bits in zip(worst, *offer, strict=True):
        if not fits(row):
            continue
        state.genomes[i, : row.size] = row
        state.values[i] = value
        state.lengths[i] = length
        state.bits[i] = bits
        state.best_value[0] = min(state.best_value[0], value)
        join_front(
            state.genomes[i], state.lengths[i], state.bits[i], state.counters, state.front,
            state.front_lengths, state.front_bits,
        )  # fmt: skip
    return state
