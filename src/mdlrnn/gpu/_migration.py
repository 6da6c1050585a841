"""What islands on a card send each other.

An island that restarts hands its best networks to the archive of its group, and archives send
theirs on, round a ring of archives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..search._island import Problem
from ..search._migration import NOTHING, RESTARTS, exchange_of
from ..search._spaces import fits, island_problem
from . import _breeding as kernels
from ._cuda import SIMULATED, WARP, cuda
from ._islands import LOWER, ROW_TYPE, THREADS, Islands, grid_of
from ._memory import within_memory
from ._roles import archives_among, givers_to_archives, kind_of, role_of


def migrate(islands: Islands, turn: int) -> None:
    """What the settings say happens at migration number `turn`."""
    search = islands.problem.search
    kind = exchange_of(search)
    if kind == NOTHING:
        return
    if kind == RESTARTS:
        kernels.stagnant_kernel[grid_of(islands.count, THREADS), THREADS](
            islands.counters, islands.waits, islands.restart
        )
        stagnant = islands.restart.copy_to_host()
        archives = archives_among(islands.count)
        _exchange(islands, np.arange(islands.count), archives, givers_to_archives(stagnant))
        if len(archives) > 1:
            _exchange(islands, archives, archives, _ring(len(archives), turn))
        islands.populate()
        return
    everyone = np.arange(islands.count)
    _exchange(islands, everyone, everyone, _ring(islands.count, turn), checked=True)


def advance_and_migrate(islands: Islands, begin: int, end: int) -> None:
    """From one generation to another, with the migrations on the way."""
    interval = islands.problem.search.migration_interval
    for generation in range(begin - begin % interval + interval, end + 1, interval):
        islands.advance(generation)
        migrate(islands, generation // interval - 1)
    islands.advance(end)


def _exchange(
    islands: Islands,
    members: NDArray[Any],
    homes: NDArray[Any],
    givers: NDArray[Any],
    checked: bool = False,
) -> None:
    size = islands.problem.search.migration_size
    count = len(members)
    with within_memory(LOWER):
        make = cuda.device_array
        offers = make((count, size, islands.words), ROW_TYPE)
        values = make((count, size), np.float64)
        lengths = make((count, size), np.int64)
        bits = make((count, size), np.float64)
    grid = grid_of(count, WARP)
    kernels.collect_kernel[grid, 8 if SIMULATED else WARP](
        islands.about, cuda.to_device(members.astype(np.int64)), islands.genomes, islands.values,
        islands.lengths, islands.bits, offers, values, lengths, bits,
    )  # fmt: skip
    fitting = np.ones((count, size), dtype=np.int64)
    if checked and islands.problem.encoding.says_parts:
        fitting = _fitting(islands.problem, offers.copy_to_host(), givers)
    kernels.receive_kernel[grid_of(len(homes), WARP), 8 if SIMULATED else WARP](
        islands.about, cuda.to_device(homes.astype(np.int64)),
        cuda.to_device(np.ascontiguousarray(givers.astype(np.int64))),
        cuda.to_device(fitting), islands.genomes, islands.values, islands.lengths, islands.bits,
        islands.counters, islands.best_value, islands.front_rows, islands.front_lengths,
        islands.front_bits, offers, values, lengths, bits,
        cuda.device_array((len(homes), size), np.int64),
    )  # fmt: skip


def _fitting(
    problem: Problem, offers: NDArray[np.int32], givers: NDArray[Any]
) -> NDArray[np.int64]:
    """Whether what a member offers is in the space of the one island that receives it."""
    found = np.ones(offers.shape[:2], dtype=np.int64)
    for home, giver in enumerate(givers[:, 0].tolist()):
        own = island_problem(problem, kind_of(problem, role_of(home)))
        for k, row in enumerate(offers[giver]):
            found[giver, k] = fits(row.astype(np.int64), own)
    return found


def _ring(count: int, turn: int) -> NDArray[np.int64]:
    """For each member the one that it receives from, as in `search._migration.homes_of`."""
    return ((np.arange(count) - 1 - turn % (count - 1)) % count)[:, None]
