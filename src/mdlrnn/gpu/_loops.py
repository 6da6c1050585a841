"""Twins of the loops over entries and nodes with which the CPU's kernels feed networks.

Each thread of a team takes every so many-th entry; all threads go through everything else side by
side. Sums over threads are taken in a fixed order, so that a card repeats itself exactly.
"""

from __future__ import annotations

import math

from numba import float64, int32, int64, uint32

from ..kernels._genome import HEADER, PRODUCT, UNIT_WORDS
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
    SOURCE,
    TABLE_AT,
)
from ..kernels._surprisal import LEAST_NORMAL, LEAST_TOTAL
from ..kernels._tree import CHUNK
from ._cuda import cuda
from ._rows import one_row
from ._scalars import bias_of, finished, log2_here, parts_here, together
from ._teams import TEAM, TEAMS, any_of, lane, sum_of, sync, team_number

MOST_TERMS = 16
"""Connections of a unit that are written down at a time."""
MOST_MEMBERS, MOST_INSIDE = 12, 40
"""Units and connections of a cycle that are written down; larger cycles are read from the plan."""
SAME_NODE = 1 << 40
"""In place of an offset: the value at the node itself."""


def fill(into, value):
    for i in range(lane(), into.size, TEAM):
        into[i] = value
    sync()


def mend_product(x):
    """Nothing: `activate` of a product mends it too."""


def activate(code, x, bias, most):
    """`finished` knows to what sums are cut."""
    for i in range(lane(), x.size, TEAM):
        received = x[i] if x[i] == x[i] else 0.0
        x[i] = finished(code, received, bias)
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


def set_chances(inputs, outputs, r, begin, end, plan, values, chances, links):
    """A thread has the same nodes throughout, so that it waits for no other."""
    n = int32(end - begin)
    total = one_row(chances[outputs * CHUNK :])
    for t in range(outputs):
        q = plan[RESOLUTION, inputs + t]
        at = one_row(links.entries[links.same_offsets[r, q] + begin :])
        value = one_row(values[inputs + t])
        row = one_row(chances[t * CHUNK :])
        i = int32(lane())
        while i < n:
            chance = value[uint32(begin + i) if q == r else at[i]]
            chance = 0.0 if chance < 0.0 else chance
            if outputs == 1:
                p = 1.0 if chance > 1.0 else chance
                row[i] = 1.0 - p
                total[i] = p
            else:
                row[i] = chance
                total[i] = chance if t == 0 else total[i] + chance
            i = int32(i + TEAM)
    i = int32(lane())
    while i < n and outputs > 1:
        if total[i] <= LEAST_TOTAL:
            total[i] = float(outputs)
            for t in range(outputs):
                chances[t * CHUNK + i] = 1.0
        i = int32(i + TEAM)
    sync()


def chunk_bits(chances, items, weights, start, buffer):
    """As on the CPU, items that count once are multiplied first, here by each thread its own."""
    chances = one_row(chances)
    impossible = 0
    bits = 0.0
    for side in range(2):
        product = 1.0
        exponents = int32(0)
        i = int32(start[side] + lane())
        end = int32(start[side + 1])
        while i < end:
            chance = chances[items[i]]
            if chance >= LEAST_NORMAL:
                k, m = parts_here(chance)
                exponents = int32(exponents + k)
                product *= m
            elif chance > 0.0:
                bits -= weights[i] * math.log2(chance)
            else:
                impossible = 1
            i = int32(i + TEAM)
        once = exponents + log2_here(product)
        bits += once if side == 1 else -once
    i = int32(start[2] + lane())
    end = int32(start[3])
    while i < end:
        chance = chances[items[i]]
        if chance >= LEAST_NORMAL:
            bits -= weights[i] * log2_here(chance)
        elif chance > 0.0:
            bits -= weights[i] * math.log2(chance)
        else:
            impossible = 1
        i = int32(i + TEAM)
    if any_of(impossible):
        return math.inf
    return sum_of(bits)


def planned(genome, inputs, outputs, full, plan, weights, reach):
    """In place of `make_plan`: plans are made before, a thread a network."""


LOOPS = (
    fill, mend_product, activate, fold, feed_chunk, feed_levels, set_chances, chunk_bits, planned,
)  # fmt: skip
