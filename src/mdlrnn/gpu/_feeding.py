"""Feeding and scoring networks on a card: a team of threads a network.

`surprisal` and all that it calls are the CPU's. The loops over entries have twins here, in which
each thread takes every so many-th entry; all threads go through everything else side by side. Sums
over threads are taken in a fixed order, so that a card repeats itself exactly.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from numba import float64, int32, int64

from ..kernels import _activations, _contexts, _evaluate, _feed, _loops, _plan, _surprisal
from ..kernels._activations import SATURATION
from ..kernels._arithmetic import bits_of, float_of, floor, log2, log2_parts
from ..kernels._genome import HEADER, PRODUCT, UNIT_WORDS
from ..kernels._length import encoded_length, weight_norms
from ..kernels._plan import (
    COUNTS,
    CYCLIC,
    END,
    FORWARD,
    FULL_COUNT,
    GROUP,
    GROUP_COUNT,
    GROUP_ORDER,
    IGNORED,
    RECURRENT_START,
    RESOLUTION,
    SCRATCH,
    SOURCE,
    TABLE_AT,
)
from ..kernels._surprisal import LEAST_NORMAL, LEAST_TOTAL
from ..kernels._tree import CHUNK, Links, Tree
from ..kernels._workspace import Workspace
from ._cuda import SIMULATED, WARP, cuda, device, kernel, on_device, renamed

MOST_TERMS = 16
"""Connections of a unit that are written down at a time."""
MOST_MEMBERS, MOST_INSIDE = 12, 40
"""Units and connections of a cycle that are written down; larger cycles are read from the plan."""
SAME_NODE = 1 << 40
"""In place of an offset: the value at the node itself."""
# Numbers that every kernel reads, by their places.
INPUTS, OUTPUTS, FULL, MAX_UNITS, MAX_CONNECTIONS = 0, 1, 2, 3, 4
POPULATION, TOURNAMENT, DISTINCT, ELITIST, WIDTH, MIGRATION_SIZE = 5, 6, 7, 8, 9, 10
ABOUT = 11

if SIMULATED:

    def times(a: float, b: float) -> float:
        return a * b

    SCALARS: dict[Any, Any] = {}
else:
    from numba.cuda import libdevice

    @device
    def times(a: float, b: float) -> float:
        """The product rounded before anything is added to it, as on the CPU."""
        return libdevice.dmul_rn(a, b)

    @device
    def _bits_of(x: float) -> int:
        return libdevice.double_as_longlong(x)

    @device
    def _float_of(bits: int) -> float:
        return libdevice.longlong_as_double(bits)

    @device
    def _floor(x: float) -> float:
        return libdevice.floor(x)

    SCALARS = {bits_of: _bits_of, float_of: _float_of, floor: _floor}

activate_one = on_device(_activations.activate_one, SCALARS)
log2_here = on_device(log2, SCALARS)
parts_here = on_device(log2_parts, SCALARS)
make_plan = on_device(_plan.make_plan, SCALARS)
length_of = on_device(encoded_length, SCALARS)
norms_of = on_device(weight_norms, SCALARS)
bias_of = on_device(_loops.bias_of, SCALARS)


@device
def together(product, received, weight, value):
    """What a unit has received and one input more."""
    if product:
        return received * times(weight, value)
    return received + times(weight, value)


@device
def finished(code, received, bias):
    """`finish` for one entry."""
    if code >= PRODUCT and received != received:
        received = 0.0
    return activate_one(code % PRODUCT, received + bias, SATURATION)


TEAM, TEAMS = 4, 1
"""Threads that feed a network, and such teams in a block. `feed_kernel` puts others in their place,
and functions for teams within a warp in the place of those for a whole block."""
surprisal: Any = None
"""That of the CPU, with the loops below; `feed_kernel` makes it."""


def lane():
    """The thread's number in its team."""
    return cuda.threadIdx.x


def team_number():
    return 0


def sync():
    """Let the team's threads wait for each other."""
    cuda.syncthreads()


def any_of(flag):
    return cuda.syncthreads_or(flag) != 0


def sum_of(x):
    """The sum over the team, the same for all of its threads and always in the same order."""
    parts = cuda.shared.array(TEAM, float64)
    here = cuda.threadIdx.x
    parts[here] = x
    cuda.syncthreads()
    half = TEAM // 2
    while half > 0:
        if here < half:
            parts[here] += parts[here + half]
        cuda.syncthreads()
        half //= 2
    total = parts[0]
    cuda.syncthreads()
    return total


# The same for teams that are a warp or a part of one.


def lane_of_warp():
    return cuda.threadIdx.x & (TEAM - 1)


def team_of_block():
    return cuda.threadIdx.x // TEAM


def members():
    """A bit for each thread of the warp that is in the team."""
    return ((1 << TEAM) - 1) << (cuda.threadIdx.x & (WARP - TEAM))


def sync_warp():
    cuda.syncwarp(members())


def any_of_warp(flag):
    return cuda.any_sync(members(), flag != 0)


def sum_of_warp(x):
    half = TEAM // 2
    while half > 0:
        x += cuda.shfl_xor_sync(members(), x, half)
        half //= 2
    return x


IN_WARP = {
    "lane": lane_of_warp, "team_number": team_of_block, "sync": sync_warp, "any_of": any_of_warp,
    "sum_of": sum_of_warp, "members": members,
}  # fmt: skip
IN_BLOCK = {
    "lane": lane, "team_number": team_number, "sync": sync, "any_of": any_of, "sum_of": sum_of,
}  # fmt: skip


def fill(into, value):
    for i in range(lane(), into.size, TEAM):
        into[i] = value
    sync()


def mend_product(x):
    """Nothing: `activate` of a product mends it too."""


def activate(code, x, bias, most):
    """A card knows no other saturation than the paper's."""
    for i in range(lane(), x.size, TEAM):
        received = x[i] if x[i] == x[i] else 0.0
        x[i] = activate_one(code, received + bias, SATURATION)
    sync()


def fold(unit, r, below, into, genome, plan, weights, values, tree_rows, links):
    """A thread an entry, with all that it receives in one go."""
    product = genome[HEADER + UNIT_WORDS * unit] >= PRODUCT
    begin = links.root_counts[r]
    own = links.same_offsets[r, 0]
    for i in range(lane(), into.size, TEAM):
        received = 1.0 if product else 0.0
        if not product and unit < tree_rows.shape[0]:
            received = tree_rows[unit, links.entries[own + i]]
        for c in range(plan[FORWARD, unit], plan[RECURRENT_START, unit]):
            source = plan[SOURCE, c]
            q = plan[RESOLUTION, source]
            if plan[IGNORED, c] == 0 and q < below:
                at = i if q == r else links.entries[links.same_offsets[r, q] + i]
                received = together(product, received, weights[c], values[source, at])
        if i >= begin:
            for c in range(plan[RECURRENT_START, unit], plan[END, unit]):
                source = plan[SOURCE, c]
                q = plan[RESOLUTION, source]
                if q + 1 < below:
                    at = links.entries[links.previous_offsets[r, q] + i]
                    received = together(product, received, weights[c], values[source, at])
        into[i] = received
    sync()


def feed_chunk(genome, full, begin, end, plan, weights, values, tables, links, levels, most):
    """One component after the other, as on the CPU.

    A unit's connections are written down in shared memory, for all threads to read. Then a thread
    takes a node with all that it receives there in one go.
    """
    modes = cuda.shared.array((TEAMS, MOST_TERMS), int64)[team_number()]
    sources = cuda.shared.array((TEAMS, MOST_TERMS), int32)[team_number()]
    factors = cuda.shared.array((TEAMS, MOST_TERMS), float64)[team_number()]
    here, threads = lane(), TEAM
    roots = links.root_counts[full]
    first = 0
    count = plan[COUNTS, FULL_COUNT]
    for group in range(plan[COUNTS, GROUP_COUNT]):
        last = first
        while last < count and plan[GROUP, plan[GROUP_ORDER, last]] == group:
            last += 1
        cyclic = plan[CYCLIC, group] == 1
        for member in range(first, last):
            u = plan[GROUP_ORDER, member]
            code = genome[HEADER + UNIT_WORDS * u]
            bias = bias_of(genome, u)
            own = links.same_offsets[full, plan[TABLE_AT, u]]
            start, middle, stop = plan[FORWARD, u], plan[RECURRENT_START, u], plan[END, u]
            tile = start
            while True:
                size = min(stop - tile, MOST_TERMS)
                for k in range(here, size, threads):
                    c = tile + k
                    source = plan[SOURCE, c]
                    q = plan[RESOLUTION, source]
                    mode = -1
                    if not (cyclic and q == full and plan[GROUP, source] == group):
                        if c >= middle:
                            if q + 1 >= full:
                                mode = links.previous_offsets[full, q]
                        elif plan[IGNORED, c] == 0 and q == full:
                            mode = SAME_NODE
                    modes[k] = mode
                    sources[k] = source
                    factors[k] = weights[c]
                sync()
                ends = tile + size == stop
                for i in range(begin + here, end, threads):
                    received = values[u, i] if tile > start else tables[u, links.entries[own + i]]
                    for k in range(size):
                        mode = modes[k]
                        if mode == SAME_NODE:
                            value = values[sources[k], i]
                        elif mode >= 0 and i >= roots:
                            value = values[sources[k], links.entries[mode + i]]
                        else:
                            continue
                        received = together(code >= PRODUCT, received, factors[k], value)
                    if ends and not cyclic:
                        received = finished(code, received, bias)
                    values[u, i] = received
                sync()
                tile += size
                if ends:
                    break
        if cyclic:
            feed_levels(
                group,
                first,
                last,
                full,
                begin,
                end,
                genome,
                plan,
                weights,
                values,
                links,
                levels,
            )
        first = last


def feed_levels(group, first, last, full, begin, end, genome, plan, weights, values, links, levels):
    """The units of a cycle, level by level: a thread takes a node of the level, with all units."""
    units = cuda.shared.array((TEAMS, MOST_MEMBERS), int32)[team_number()]
    codes = cuda.shared.array((TEAMS, MOST_MEMBERS), int32)[team_number()]
    biases = cuda.shared.array((TEAMS, MOST_MEMBERS), float64)[team_number()]
    ends = cuda.shared.array((TEAMS, MOST_MEMBERS), int32)[team_number()]
    senders = cuda.shared.array((TEAMS, MOST_INSIDE), int32)[team_number()]
    factors = cuda.shared.array((TEAMS, MOST_INSIDE), float64)[team_number()]
    written = cuda.shared.array((TEAMS, 1), int32)[team_number()]
    roots = links.root_counts[full]
    above = links.previous_offsets[full, full]
    members = last - first
    if lane() == 0:
        terms = 0
        if members <= MOST_MEMBERS:
            for m in range(members):
                u = plan[GROUP_ORDER, first + m]
                units[m] = u
                codes[m] = genome[HEADER + UNIT_WORDS * u]
                biases[m] = bias_of(genome, u)
                for c in range(plan[FORWARD, u], plan[END, u]):
                    source = plan[SOURCE, c]
                    if plan[RESOLUTION, source] != full or plan[GROUP, source] != group:
                        continue
                    if c < plan[RECURRENT_START, u] and plan[IGNORED, c] == 1:
                        continue
                    if terms < MOST_INSIDE:
                        is_recurrent = c >= plan[RECURRENT_START, u]
                        senders[terms] = -1 - source if is_recurrent else source
                        factors[terms] = weights[c]
                    terms += 1
                ends[m] = terms
        written[0] = terms if members <= MOST_MEMBERS else MOST_INSIDE + 1
    sync()
    fits = written[0] <= MOST_INSIDE
    level = 0
    while levels[level + 1] <= begin:
        level += 1
    start = begin
    while start < end:
        stop = min(end, levels[level + 1])
        for i in range(start + lane(), stop, TEAM):
            parent = links.entries[above + i]
            if fits:
                k = 0
                for m in range(members):
                    u = units[m]
                    code = codes[m]
                    received = values[u, i]
                    while k < ends[m]:
                        sender = senders[k]
                        if sender >= 0:
                            received = together(
                                code >= PRODUCT, received, factors[k], values[sender, i]
                            )
                        elif start >= roots:
                            received = together(
                                code >= PRODUCT,
                                received,
                                factors[k],
                                values[-1 - sender, parent],
                            )
                        k += 1
                    values[u, i] = finished(code, received, biases[m])
            else:
                for m in range(first, last):
                    u = plan[GROUP_ORDER, m]
                    code = genome[HEADER + UNIT_WORDS * u]
                    received = values[u, i]
                    for c in range(plan[FORWARD, u], plan[END, u]):
                        source = plan[SOURCE, c]
                        if plan[RESOLUTION, source] != full or plan[GROUP, source] != group:
                            continue
                        if c >= plan[RECURRENT_START, u]:
                            if start >= roots:
                                received = together(
                                    code >= PRODUCT,
                                    received,
                                    weights[c],
                                    values[source, parent],
                                )
                        elif plan[IGNORED, c] == 0:
                            received = together(
                                code >= PRODUCT, received, weights[c], values[source, i]
                            )
                    values[u, i] = finished(code, received, bias_of(genome, u))
        sync()
        start = stop
        level += 1


def output_at(unit, r, node, plan, values, links):
    q = plan[RESOLUTION, unit]
    at = node if q == r else links.entries[links.same_offsets[r, q] + node]
    return max(values[unit, at], 0.0)


def set_chances(inputs, outputs, r, begin, end, plan, values, chances, links):
    for i in range(lane(), end - begin, TEAM):
        if outputs == 1:
            p = min(output_at(inputs, r, begin + i, plan, values, links), 1.0)
            chances[i] = 1.0 - p
            chances[CHUNK + i] = p
            continue
        total = 0.0
        for t in range(outputs):
            chance = output_at(inputs + t, r, begin + i, plan, values, links)
            chances[t * CHUNK + i] = chance
            total += chance
        if total <= LEAST_TOTAL:
            total = float(outputs)
            for t in range(outputs):
                chances[t * CHUNK + i] = 1.0
        chances[outputs * CHUNK + i] = total
    sync()


def chunk_bits(chances, items, weights, start, buffer):
    """As on the CPU, items that count once are multiplied first, here by each thread its own."""
    impossible = 0
    bits = 0.0
    for side in range(2):
        product = 1.0
        exponents = 0
        for i in range(start[side] + lane(), start[side + 1], TEAM):
            chance = chances[items[i]]
            if chance >= LEAST_NORMAL:
                k, m = parts_here(chance)
                exponents += k
                product *= m
            elif chance > 0.0:
                bits -= weights[i] * math.log2(chance)
            else:
                impossible = 1
        once = exponents + log2_here(product)
        bits += once if side == 1 else -once
    for i in range(start[2] + lane(), start[3], TEAM):
        chance = chances[items[i]]
        if chance >= LEAST_NORMAL:
            bits -= weights[i] * log2_here(chance)
        elif chance > 0.0:
            bits -= weights[i] * math.log2(chance)
        else:
            impossible = 1
    if any_of(impossible):
        return math.inf
    return sum_of(bits)


def planned(genome, inputs, outputs, full, plan, weights, reach):
    """In place of `make_plan`: plans are made before, a thread a network."""


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
            taken[0] = cuda.atomic.add(queued, 1, 1)
        sync()
        q = taken[0]
        sync()
        if q >= queued[0]:
            return
        i = queue[q]
        work = Workspace(
            plans[i], weights[i], reach[i], values[number], tables[number], chances[number],
            chances[number], SATURATION,
        )  # fmt: skip
        genome = words[starts[i] : starts[i + 1]]
        found = surprisal(genome, tree, work, limits[i])
        if lane() == 0:
            bits[i] = found


LOOPS = (
    fill, mend_product, activate, fold, feed_chunk, feed_levels, output_at, set_chances,
    chunk_bits, planned,
)  # fmt: skip


@cache
def feed_kernel(team: int, teams: int, max_registers: int | None = None) -> Any:
    """The kernel in which so many threads feed a network, so many networks a block."""
    scope = {**globals(), "TEAM": team, "TEAMS": teams}
    primitives = IN_BLOCK if SIMULATED or team > WARP else IN_WARP
    for name, function in (*primitives.items(), *((f.__name__, f) for f in LOOPS)):
        scope[name] = device(renamed(function, name, scope))
    twins = {
        **SCALARS,
        _loops.fill: scope["fill"],
        _loops.mend_product: scope["mend_product"],
        _activations.activate: scope["activate"],
        _contexts.fold: scope["fold"],
        _feed.feed_chunk: scope["feed_chunk"],
        _surprisal.set_chances: scope["set_chances"],
        _surprisal.chunk_bits: scope["chunk_bits"],
        _plan.make_plan: scope["planned"],
    }
    """What is done otherwise on a card than on the CPU; all else is the same text."""
    scope["surprisal"] = on_device(_surprisal.surprisal, twins)
    name = f"feed_networks_{team}_{teams}"
    return kernel(renamed(feed_networks, name, scope), max_registers)


def plan_networks(about, words, starts, queue, queued, plans, weights, reach):
    """A thread a network of the queue: its plan."""
    for q in range(cuda.grid(1), queued[0], cuda.gridsize(1)):
        i = queue[q]
        genome = words[starts[i] : starts[i + 1]]
        make_plan(
            genome, about[INPUTS], about[OUTPUTS], about[FULL], plans[i], weights[i], reach[i]
        )


def weigh_networks(words, starts, count, encoding, plans, lengths, norms):
    """A thread a network: |G|, L1 and L2."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        genome = words[starts[i] : starts[i + 1]]
        lengths[i] = length_of(genome, encoding, plans[i, SCRATCH])
        norms[0, i], norms[1, i] = norms_of(genome)


plan_kernel = kernel(plan_networks)


weigh_kernel = kernel(weigh_networks)
weigh = on_device(_evaluate.weigh, SCALARS)
