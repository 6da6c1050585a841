"""What islands have to do with each other: migration round the ring, or restarts and the archive.

The archive is the first island. It never restarts, and the best networks of islands that do are
kept there, so the best network of a run is never lost.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels._genome import Words, size_of
from ..kernels._state import IMPROVED_AT, STEPS, State, join_front
from ._island import best_of, copy_of, with_room
from ._settings import Search

ARCHIVE = 0
"""The number of the island that keeps what others have found."""


Fits = Callable[[Words, int], bool]
"""Whether a network is in the space of the island of that number."""


def everything_fits(row: Words, island: int) -> bool:
    return True


def migrate(states: list[State], size: int, turn: int, fits: Fits = everything_fits) -> list[State]:
    """Each island sends copies of its best networks on, where they replace the worst.

    Only networks that fit there go.

    The islands stand in a ring, and an island sends `1 + turn mod (islands - 1)` places on, so that
    in the course of the migrations each island sends to every other.
    """
    count = len(states)
    if count < 2 or size == 0:
        return states
    step = 1 + turn % (count - 1)
    words = max(state.genomes.shape[1] for state in states)
    arrived = []
    for here, state in enumerate(states):
        home = states[here - step]
        needed = max(int(size_of(home.genomes[i])) for i in best_of(home, size))
        room = state.genomes.shape[1]
        grown = state if room >= needed else with_room(state, words)
        arrived.append(_receive(grown, home, size, here, fits))
    return arrived


def stagnant(states: list[State], generations: int) -> list[int]:
    """The islands, but for the archive, that found nothing better for as long as they wait.

    Some wait longer than others: what a basin is worth shows after 30,000 steps or after 500,000.
    """
    waited = generations * len(states[0].values)
    return [
        i
        for i, state in enumerate(states)
        if i != ARCHIVE
        and state.counters[STEPS] - state.counters[IMPROVED_AT] >= waited * patience_of(i)
    ]


def patience_of(island: int) -> int:
    """How many intervals an island waits: every other one 1, half of the rest 4, the others 16."""
    return 1 if island % 2 else 4 if island % 4 else 16


def is_crowded(search: Search, island: int) -> bool:
    """Whether offspring contend with their parents there: on the last four of every eight islands.

    So there are islands of every patience of both kinds.
    """
    return search.crowding and search.elitist and island % 8 >= 4


def archive_best(states: list[State], leaving: list[int], size: int) -> State:
    """The archive with the best networks of the islands that are about to restart."""
    archive = states[ARCHIVE]
    for i in leaving:
        needed = max(int(size_of(states[i].genomes[j])) for j in best_of(states[i], size))
        if archive.genomes.shape[1] < needed:
            archive = with_room(archive, states[i].genomes.shape[1])
        archive = _receive(archive, states[i], size, ARCHIVE, everything_fits)
    return archive


def _receive(state: State, home: State, size: int, here: int, fits: Fits) -> State:
    state = copy_of(state)
    worst = np.argsort(state.values, kind="stable")[-size:]
    for i, j in zip(worst, best_of(home, size), strict=True):
        if not fits(home.genomes[j], here):
            continue
        used = int(size_of(home.genomes[j]))
        state.genomes[i, :used] = home.genomes[j, :used]
        state.values[i] = home.values[j]
        state.lengths[i] = home.lengths[j]
        state.bits[i] = home.bits[j]
        state.best_value[0] = min(state.best_value[0], home.values[j])
        join_front(
            state.genomes[i], state.lengths[i], state.bits[i], state.counters, state.front,
            state.front_lengths, state.front_bits,
        )  # fmt: skip
    return state
