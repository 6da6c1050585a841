"""What islands have to do with each other: migration round the ring, or restarts and the archive.

The archive is the first island. It never restarts, and the best networks of islands that do are
kept there, so the best network of a run is never lost. Islands meet through offers alone, so that
an island can go on as soon as the offers that it waits for are there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..kernels._genome import Words, size_of
from ..kernels._state import IMPROVED_AT, STEPS, State, join_front
from ._island import best_of, with_room
from ._settings import Search

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
