"""What islands on cards send one another, on one card and between cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels import gpu
from .._island import Problem
from .._migration import RESTARTS, exchange_of, fits, island_problem
from ._card_islands import LOWER, ROW_TYPE, THREADS, Islands, grid_of
from ._card_roles import (
    archives_among,
    givers_to_archives,
    kind_of,
    ring_givers,
    role_of,
    travellers_among,
)


class Offers(NamedTuple):
    """The best networks of some islands, on a card or here: (island, network, ...)."""

    rows: Any
    values: Any
    lengths: Any
    bits: Any

    def here(self) -> Offers:
        """From the card."""
        return Offers(*(part.copy_to_host() for part in self))

    def taken(self, places: NDArray[np.int64]) -> Offers:
        """Those of the islands at these places, of offers that are here."""
        return Offers(*(part[places] for part in self))


def joined(offers: Sequence[Offers]) -> Offers:
    """The offers of several cards, which are here, as one."""
    words = max(each.rows.shape[2] for each in offers)
    rows = [np.pad(each.rows, ((0, 0), (0, 0), (0, words - each.rows.shape[2]))) for each in offers]
    others = [np.concatenate(parts) for parts in list(zip(*offers, strict=True))[1:]]
    return Offers(np.concatenate(rows), *others)


def on_card(offers: Offers, words: int) -> Offers:
    """Offers that are here, on the card, in rows of so many words."""
    rows = np.zeros((*offers.values.shape, words), dtype=ROW_TYPE)
    rows[:, :, : offers.rows.shape[2]] = offers.rows
    return Offers(*map(gpu.cuda.to_device, (rows, *offers[1:])))


def migrate(islands: Islands, turn: int) -> None:
    """What the settings say happens at migration number `turn`, with all islands on this card."""
    arrive(islands, depart(islands), ring_givers(islands.problem.search, turn))


def depart(islands: Islands) -> Offers | None:
    """What these islands send on, if anything."""
    search = islands.problem.search
    if exchange_of(search) == RESTARTS:
        gpu.breeding.stagnant_kernel[grid_of(islands.count, THREADS), THREADS](
            islands.counters, islands.waits, islands.restart
        )
        givers = givers_to_archives(islands.restart.copy_to_host())
        offers = _collect(islands, np.arange(islands.count))
        _receive(islands, archives_among(islands.count), givers, offers)
    if len(travellers_among(search, search.islands)) < 2:
        return None
    return _collect(islands, travellers_among(search, islands.count))


def arrive(islands: Islands, offers: Offers | None, givers: NDArray[np.int64]) -> None:
    """Let islands receive what is offered to them: row h of `givers` has the place among the offers
    that the h-th of them receives from. Stagnant islands restart."""
    search = islands.problem.search
    restarts = exchange_of(search) == RESTARTS
    if offers is not None:
        homes = travellers_among(search, islands.count)
        _receive(islands, homes, givers, offers, checked=not restarts)
    if restarts:
        islands.populate()


def advance_and_migrate(islands: Islands, begin: int, end: int) -> None:
    """From one generation to another, with the migrations on the way."""
    interval = islands.problem.search.migration_interval
    for generation in range(begin - begin % interval + interval, end + 1, interval):
        islands.advance(generation)
        migrate(islands, generation // interval - 1)
    islands.advance(end)


def _collect(islands: Islands, members: NDArray[Any]) -> Offers:
    count, size = len(members), islands.problem.search.migration_size
    with gpu.within_memory(LOWER):
        make = gpu.cuda.device_array
        offers = Offers(
            make((count, size, islands.words), ROW_TYPE),
            make((count, size), np.float64),
            make((count, size), np.int64),
            make((count, size), np.float64),
        )
    gpu.breeding.collect_kernel[grid_of(count, gpu.WARP), 8 if gpu.SIMULATED else gpu.WARP](
        islands.about, gpu.cuda.to_device(members.astype(np.int64)), islands.genomes,
        islands.values, islands.lengths, islands.bits, *offers,
    )  # fmt: skip
    return offers


def _receive(
    islands: Islands,
    homes: NDArray[Any],
    givers: NDArray[Any],
    offers: Offers,
    checked: bool = False,
) -> None:
    fitting = np.ones(offers.values.shape, dtype=np.int64)
    if checked and islands.problem.encoding.says_parts:
        fitting = _fitting(islands, offers.rows.copy_to_host(), givers)
    gpu.breeding.receive_kernel[grid_of(len(homes), gpu.WARP), 8 if gpu.SIMULATED else gpu.WARP](
        islands.about, gpu.cuda.to_device(homes.astype(np.int64)),
        gpu.cuda.to_device(np.ascontiguousarray(givers.astype(np.int64))),
        gpu.cuda.to_device(fitting), islands.genomes, islands.values, islands.lengths, islands.bits,
        islands.counters, islands.best_value, islands.front_rows, islands.front_lengths,
        islands.front_bits, *offers,
        gpu.cuda.device_array((len(homes), offers.values.shape[1]), np.int64),
    )  # fmt: skip


def _fitting(
    islands: Islands, offers: NDArray[np.int32], givers: NDArray[Any]
) -> NDArray[np.int64]:
    """Whether what is offered is in the space of the one island that receives it."""
    problem: Problem = islands.problem
    found = np.ones(offers.shape[:2], dtype=np.int64)
    for home, giver in enumerate(givers[:, 0].tolist()):
        own = island_problem(problem, kind_of(problem, role_of(islands.first + home)))
        for k, row in enumerate(offers[giver]):
            found[giver, k] = fits(row.astype(np.int64), own)
    return found
