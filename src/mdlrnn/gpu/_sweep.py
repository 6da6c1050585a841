"""Feeding a network on a wide tree: level by level, a thread takes a node with all units.

What the units receive is written down in shared memory once a network, as one row of words beside
one of numbers: for each unit its own word with its bias, then for each connection a word with its
weight. So the threads wait for each other once a level and not once a unit, and find a unit's value
at their own node where they have just put it.
"""

from __future__ import annotations

from numba import float64, int32

from ..kernels import _feed
from ..kernels._genome import HEADER, PRODUCT, UNIT_WORDS
from ..kernels._plan import (
    COUNTS,
    CYCLIC,
    END,
    FORWARD,
    FULL_COUNT,
    GROUP,
    GROUP_ORDER,
    IGNORED,
    RECURRENT_START,
    RESOLUTION,
    SOURCE,
    TABLE_AT,
)
from ._cuda import cuda, on_device
from ._loops import feed_chunk
from ._scalars import SCALARS, bias_of, finished, together
from ._teams import TEAM, lane, sync

inside = on_device(_feed.inside, SCALARS)
MOST_SWEPT, MOST_WORDS = 32, 192
"""Units and words of a network that is fed so; larger ones are fed unit by unit."""
CODE_BITS, PLACE_BITS, COUNT_BITS = 5, 2, 10
"""Of a unit's word: its code, the resolution of its table, how many connections follow, and the
rest is its number."""
WHERE_BITS = 2
"""Of a connection's word: where its value is; the rest is the sender's number or place."""
AT_NODE, AT_PARENT, AT_CONTEXT = 0, 1, 2
"""The value is at the node, at the one before, or in the context of that one."""


def sweep_chunk(genome, full, begin, end, plan, weights, values, tables, links, levels, most):
    """`feed_chunk` for a team that is a whole block."""
    words = cuda.shared.array(MOST_WORDS, int32)
    numbers = cuda.shared.array(MOST_WORDS, float64)
    written = cuda.shared.array(1, int32)
    if begin == 0:
        write_down(genome, full, plan, weights, words, numbers, written)
    if written[0] > MOST_WORDS:
        feed_chunk(genome, full, begin, end, plan, weights, values, tables, links, levels, most)
        return
    count = plan[COUNTS, FULL_COUNT]
    here = cuda.local.array(MOST_SWEPT, float64)
    roots = links.root_counts[full]
    entries = links.entries
    above = links.previous_offsets[full, full]
    context_above = links.previous_offsets[full, full - 1]
    first = links.same_offsets[full, 0]
    second = links.same_offsets[full, min(1, full)]
    third = links.same_offsets[full, min(2, full)]
    level = 0
    while levels[level + 1] <= begin:
        level += 1
    start = begin
    stop = min(end, levels[level + 1])
    while start < end:
        level += 1
        following = levels[level + 1] if stop < end else end  # read before it is needed
        for i in range(start + lane(), stop, TEAM):
            parent = entries[above + i]
            before = entries[context_above + i]
            at_first = entries[first + i]
            at_second = entries[second + i]
            at_third = entries[third + i]
            k = 0
            for m in range(count):
                word = words[k]
                code = word & ((1 << CODE_BITS) - 1)
                place = (word >> CODE_BITS) & ((1 << PLACE_BITS) - 1)
                terms = (word >> (CODE_BITS + PLACE_BITS)) & ((1 << COUNT_BITS) - 1)
                unit = word >> (CODE_BITS + PLACE_BITS + COUNT_BITS)
                bias = numbers[k]
                received = tables[
                    unit, at_first if place == 0 else at_second if place == 1 else at_third
                ]
                k += 1
                for _ in range(terms):
                    sender = words[k] >> WHERE_BITS
                    where = words[k] & ((1 << WHERE_BITS) - 1)
                    weight = numbers[k]
                    k += 1
                    if where == AT_NODE:
                        value = here[sender]
                    elif i < roots:
                        continue
                    else:
                        value = values[sender, parent if where == AT_PARENT else before]
                    received = together(code >= PRODUCT, received, weight, value)
                value = finished(code, received, bias)
                here[m] = value
                values[unit, i] = value
        sync()
        start = stop
        stop = min(end, following)


def write_down(genome, full, plan, weights, words, numbers, written):
    """A thread writes a unit, with all that comes to it but what is in its table."""
    units = cuda.shared.array(MOST_SWEPT, int32)
    ends = cuda.shared.array(MOST_SWEPT, int32)
    count = plan[COUNTS, FULL_COUNT]
    if count > MOST_SWEPT:
        if lane() == 0:
            written[0] = MOST_WORDS + 1
        sync()
        return
    for m in range(lane(), count, TEAM):
        u = plan[GROUP_ORDER, m]
        units[m] = u
        terms = 0
        for c in range(plan[FORWARD, u], plan[END, u]):
            terms += 1 if where_from(c, u, full, plan) >= 0 else 0
        ends[m] = 1 + terms
    sync()
    if lane() == 0:
        total = 0
        for m in range(count):
            total += ends[m]
            ends[m] = total
        written[0] = total
    sync()
    if written[0] > MOST_WORDS:
        return
    for m in range(lane(), count, TEAM):
        u = units[m]
        k = ends[m - 1] if m > 0 else 0
        head = (u << COUNT_BITS) | (ends[m] - k - 1)
        head = (head << PLACE_BITS) | plan[TABLE_AT, u]
        words[k] = (head << CODE_BITS) | genome[HEADER + UNIT_WORDS * u]
        numbers[k] = bias_of(genome, u)
        for inner in range(2):  # what comes from within its cycle is added last
            for c in range(plan[FORWARD, u], plan[END, u]):
                where = where_from(c, u, full, plan)
                source = plan[SOURCE, c]
                if where < 0 or is_within(c, u, full, plan) != (inner == 1):
                    continue
                if where == AT_NODE:
                    slot = 0
                    while units[slot] != source:
                        slot += 1
                    source = slot
                k += 1
                words[k] = (source << WHERE_BITS) | where
                numbers[k] = weights[c]
    sync()


def where_from(c, unit, full, plan):
    """Where the value of a connection is that is not in the unit's table; -1 if it is there."""
    q = plan[RESOLUTION, plan[SOURCE, c]]
    if c >= plan[RECURRENT_START, unit]:
        return AT_PARENT if q == full else AT_CONTEXT if q + 1 == full else -1
    return AT_NODE if plan[IGNORED, c] == 0 and q == full else -1


def is_within(c, unit, full, plan):
    """Whether a connection comes from the unit's own cycle."""
    group = plan[GROUP, unit]
    return plan[CYCLIC, group] == 1 and inside(c, group, full, plan)


SWEEPING = (where_from, is_within, write_down, sweep_chunk)
