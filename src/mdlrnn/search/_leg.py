"""A leg: what one island does between two points at which its state is kept.

`run_leg` is what threads, processes and other machines run. It is a pure function of its arguments;
what islands have to do with each other comes in as offers and goes out in the report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from ..kernels import FRONT_COUNT, Random, State, Words, size_of
from ._archipelago import Packed
from ._island import Problem, Team, advance_island, front_of, new_island, restart_island
from ._migration import (
    RESTARTS,
    RING,
    Offer,
    fits,
    is_crowded,
    is_stagnant,
    island_problem,
    offer_of,
    receive,
)
from .suggest._founders import founders_for


class Part(NamedTuple):
    """What an island does up to a point at which others may want something from it."""

    lengths: tuple[int, ...] = ()
    """Generations from one look to the next."""
    exchange: str = ""
    """What happens after the last of them, if it is a migration."""


class Leg(NamedTuple):
    island: int
    parts: tuple[Part, ...] = (Part(),)
    arrivals: tuple[Offer, ...] = ()
    """What the island receives before anything else."""
    random: Random | None = None
    """For a new island: its random state."""
    fronts: bool = False
    """Whether to report what joins the island's front."""

    @property
    def generations(self) -> int:
        return sum(sum(part.lengths) for part in self.parts)


class View(NamedTuple):
    """The best network of an island at a look."""

    value: float
    g: int
    d_given_g: float
    row: Words


class Entry(NamedTuple):
    """A network that joined an island's front."""

    g: int
    d_given_g: float
    row: Words


class Report(NamedTuple):
    """What is told of a part of a leg; it is small enough to travel."""

    views: tuple[tuple[int, View], ...]
    """The view at the part's first look, and wherever it changed, by the number of the look."""
    entries: tuple[tuple[int, Entry], ...]
    offer: Offer | None
    """What the island sends on, or before it restarts, to the archive."""
    seconds: float
    """The time that it took."""
    further: tuple[Report, ...] = ()
    """Where a leg has several parts, this tells of the first, and these of the others."""


class AbandonedError(Exception):
    """The leg is of no use any more."""


def never() -> bool:
    return False


def run_leg(
    problem: Problem,
    packed: Packed | None,
    leg: Leg,
    abandoned: Callable[[], bool] = never,
    team: Team | None = None,
) -> tuple[Packed, Report]:
    """The island after the leg, and what there is to tell; without a state, a new island."""
    began = time.perf_counter()
    whole, island = problem, leg.island
    problem = island_problem(whole, island)
    search = problem.search
    if packed is None:
        assert leg.random is not None
        state = new_island(problem, leg.random, founders_for(whole, island))
        before: set[tuple[int, float]] = set()
    else:
        state = packed.state()
        before = _pairs(state) if leg.fronts else set()
    for offer in leg.arrivals:
        state = receive(state, offer, lambda row: fits(row, problem))
    reports: list[Report] = []
    crowded = is_crowded(search, island)
    for part in leg.parts:
        views: list[tuple[int, View]] = []
        entries: list[tuple[int, Entry]] = []
        offered: Offer | None = None
        last = len(part.lengths) - 1
        for look, generations in enumerate(part.lengths or (0,)):
            if abandoned():
                raise AbandonedError
            state = advance_island(problem, state, generations, crowded, team)
            if look >= last and part.exchange == RING:
                offered = offer_of(state, search.migration_size)
            elif look >= last and part.exchange == RESTARTS and is_stagnant(search, island, state):
                offered = offer_of(state, search.migration_size)
                state = restart_island(problem, state, founders_for(whole, island))
            view = view_of(state)
            if not views or not _same(view, views[-1][1]):
                views.append((look, view))
            if leg.fronts:
                entries += ((look, entry) for entry in _joined(state, before))
                before = _pairs(state)
        ended = time.perf_counter()
        reports.append(Report(tuple(views), tuple(entries), offered, ended - began))
        began = ended
    return Packed(state), reports[0]._replace(further=tuple(reports[1:]))


def view_of(state: State) -> View:
    """Ties go to the first place."""
    i = int(state.values.argmin())
    row = state.genomes[i]
    return View(
        float(state.values[i]),
        int(state.lengths[i]),
        float(state.bits[i]),
        row[: int(size_of(row))].copy(),
    )


def entries_of(state: State) -> list[Entry]:
    """The island's front."""
    return [Entry(g, bits, row.copy()) for g, bits, row in front_of(state)]


def _same(one: View, other: View) -> bool:
    return one[:3] == other[:3] and bool((one.row.tobytes()) == other.row.tobytes())


def _pairs(state: State) -> set[tuple[int, float]]:
    count = int(state.counters[FRONT_COUNT])
    return set(
        zip(state.front_lengths[:count].tolist(), state.front_bits[:count].tolist(), strict=True)
    )


def _joined(state: State, before: set[tuple[int, float]]) -> list[Entry]:
    return [entry for entry in entries_of(state) if entry[:2] not in before]
