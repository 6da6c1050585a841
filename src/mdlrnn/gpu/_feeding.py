"""Feeding and scoring networks on a card: a team of threads a network.

`surprisal` and all that it calls are the CPU's, but for the loops that have twins in `_loops` and,
for wide trees, in `_sweep`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import int64

from ..kernels import _activations, _contexts, _evaluate, _feed, _plan, _surprisal
from ..kernels import _loops as loops_of_cpu
from ..kernels._activations import SATURATION
from ..kernels._length import encoded_length, weight_norms
from ..kernels._plan import RESOLUTION, SCRATCH, SENDER
from ..kernels._tree import Links, Tree
from ..kernels._workspace import Workspace
from ..network._interpreter import FLOAT_CUT
from . import _loops, _sweep
from ._cuda import SIMULATED, WARP, cuda, device, kernel, on_device, renamed
from ._scalars import MOST, SCALARS, finishing
from ._teams import IN_BLOCK, IN_WARP, TEAMS, lane, sync, team_number

# Numbers that every kernel reads, by their places.
INPUTS, OUTPUTS, FULL, MAX_UNITS, MAX_CONNECTIONS = 0, 1, 2, 3, 4
POPULATION, TOURNAMENT, DISTINCT, ELITIST, WIDTH, MIGRATION_SIZE, SPREAD = 5, 6, 7, 8, 9, 10, 11
ABOUT = 12

ALL, NARROW, WIDE = range(3)
"""Which networks of the queue a kernel feeds. Those whose outputs need the full tree are wide; on a
large tree others have so little to do that they are fed apart, by fewer threads each."""
PART, TAKEN = ALL, 1
"""`feed_kernel` puts others in their place: the part, and where those taken are counted."""
surprisal: Any = None
"""That of the CPU, with the twins; `feed_kernel` makes it."""
make_plan = on_device(_plan.make_plan, SCALARS)
length_of = on_device(encoded_length, SCALARS)
norms_of = on_device(weight_norms, SCALARS)


@device
def worker_number(thread, spread):
    """The number of a thread among those that have work, which is one in `spread`; -1 if it has
    none. Threads of a warp that go different ways wait for each other, so that few offspring are
    done sooner by fewer threads of more warps."""
    number = thread // spread
    return number if number * spread == thread else -1


@device
def is_wide(plan, inputs, outputs, full):
    """Whether an output needs the full tree."""
    for u in range(inputs, inputs + outputs):
        if plan[RESOLUTION, u] == full:
            return True
    return False


def feed_networks(
    about, sizes, rows, entries, same_offsets, previous_offsets, root_counts, levels, chunks,
    chunk_start, items, item_weights, item_start, lower_bounds, words, starts, queue, queued,
    plans, weights, reach, values, tables, chances, limits, bits,
):  # fmt: skip
    """A team a network of the queue: its |D:G|. Teams take the next one when they are done."""
    links = Links(entries, same_offsets, previous_offsets, root_counts)
    tree = Tree(
        about[INPUTS], about[OUTPUTS], about[FULL], sizes, rows, links, levels, chunks,
        chunk_start, items, item_weights, item_start, lower_bounds,
    )  # fmt: skip
    number = cuda.blockIdx.x * TEAMS + team_number()
    taken = cuda.shared.array((TEAMS, 1), int64)[team_number()]
    while True:
        if lane() == 0:
            taken[0] = cuda.atomic.add(queued, TAKEN, 1)
        sync()
        q = taken[0]
        sync()
        if q >= queued[0]:
            return
        i = queue[q]
        if PART != ALL:
            wide = is_wide(plans[i], about[INPUTS], about[OUTPUTS], about[FULL])
            if wide != (PART == WIDE):
                continue
        work = Workspace(
            plans[i], weights[i], reach[i], values[number], tables[number], chances[number],
            chances[number], MOST,
        )  # fmt: skip
        genome = words[starts[i] : starts[i + 1]]
        found = surprisal(genome, tree, work, limits[i])
        if lane() == 0:
            bits[i] = found


@cache
def feed_kernel(
    team: int,
    teams: int,
    part: int = ALL,
    max_registers: int | None = None,
    saturation: bool = True,
) -> Any:
    """The kernel in which so many threads feed a network, so many networks a block."""
    most, finished, activated_inside = finishing(SATURATION if saturation else FLOAT_CUT)
    scope = {
        **vars(_loops), **vars(_sweep), **globals(), "TEAM": team, "TEAMS": teams, "PART": part,
        "TAKEN": 2 if part == NARROW else 1, "MOST": most, "finished": finished,
        "activated_inside": activated_inside,
    }  # fmt: skip
    primitives = IN_BLOCK if SIMULATED or team > WARP else IN_WARP
    functions = (*_loops.LOOPS, *(_sweep.SWEEPING if part == WIDE else ()))
    for name, function in (*primitives.items(), *((f.__name__, f) for f in functions)):
        scope[name] = device(renamed(function, name, scope))
    twins = {
        **SCALARS,
        loops_of_cpu.fill: scope["fill"],
        loops_of_cpu.mend_product: scope["mend_product"],
        _activations.activate: scope["activate"],
        _contexts.fold: scope["fold"],
        _feed.feed_chunk: scope["sweep_chunk" if part == WIDE else "feed_chunk"],
        _surprisal.set_chances: scope["set_chances"],
        _surprisal.chunk_bits: scope["chunk_bits"],
        _plan.make_plan: scope["planned"],
    }
    """What is done otherwise on a card than on the CPU; all else is the same text."""
    scope["surprisal"] = on_device(_surprisal.surprisal, twins)
    name = f"feed_{('all', 'narrow', 'wide')[part]}_{team}_{teams}{'' if saturation else '_uncut'}"
    return kernel(renamed(feed_networks, name, scope), max_registers)


def plan_networks(about, words, starts, queue, queued, plans, weights, reach):
    """A thread a network of the queue: its plan."""
    number = worker_number(cuda.grid(1), about[SPREAD])
    if number < 0:
        return
    for q in range(number, queued[0], cuda.gridsize(1) // about[SPREAD]):
        i = queue[q]
        genome = words[starts[i] : starts[i + 1]]
        make_plan(
            genome, about[INPUTS], about[OUTPUTS], about[FULL], plans[i], weights[i], reach[i]
        )
        for u in range(about[INPUTS], about[INPUTS] + about[OUTPUTS]):
            plans[i, SENDER, u] = 1  # its values are read later, as those of other senders are


def weigh_networks(words, starts, count, encoding, plans, lengths, norms):
    """A thread a network: |G|, L1 and L2."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        genome = words[starts[i] : starts[i + 1]]
        lengths[i] = length_of(genome, encoding, plans[i, SCRATCH])
        norms[0, i], norms[1, i] = norms_of(genome)


plan_kernel = kernel(plan_networks)


weigh_kernel = kernel(weigh_networks)
weigh = on_device(_evaluate.weigh, SCALARS)
