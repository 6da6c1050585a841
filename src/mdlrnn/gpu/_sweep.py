"""Feeding a network on a wide tree: level by level, a thread takes a node with all units.

What the units receive is written down in shared memory once a network, as words with a number
beside each: for each unit its own words with its bias, then for each connection a word with its
weight. So the threads wait for each other once a level and not once a unit, and find a unit's value
at their own node where they have just put it.
"""

from __future__ import annotations

from numba import float64, int32, int64, uint32

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
    SENDER,
    SOURCE,
    TABLE_AT,
)
from ._cuda import cuda, device, on_device
from ._loops import feed_chunk
from ._rows import one_row, one_row_of_block
from ._scalars import SCALARS, activated_inside, bias_of, bits_of, float_of, mended, together
from ._teams import TEAM, lane, sync

inside = on_device(_feed.inside, SCALARS)
MOST_SWEPT, MOST_WORDS = 32, 256
"""Units and words of a network that is fed so; larger ones are fed unit by unit."""
MOST_PLACES = 1 << 31
"""Places are counted in 32 bits, since a card adds and multiplies these at once."""
LOW = (1 << 32) - 1

# A unit is two words, with what it receives behind them. The first word has in its low half where
# the unit's table starts, and in its high half its code and place, whether its values are kept,
# whether another run of its connections follows, and where this run turns to the step before. The
# second word has where the unit's values start, and where this run ends.
# A run has what comes at the node first (low half: which of the units swept), then what comes from
# the step before (low half: where the sender's values start; high half: 1 if they are contexts). A
# second run begins with the unit's words again, and goes on from what was received in the first.
CODE_BITS, PLACE_BITS = 5, 2
SECOND_PLACE, THIRD_PLACE, GOES_ON = 1 << CODE_BITS, 2 << CODE_BITS, 3 << CODE_BITS
KEPT = 1 << (CODE_BITS + PLACE_BITS)
MORE = KEPT << 1
TURN_BITS = CODE_BITS + PLACE_BITS + 2
AT_NODE, AT_PARENT, AT_CONTEXT = 0, 1, 2
"""The value is at the node, at the one before, or in the context of that one."""


@device
def low(word):
    return uint32(word & LOW)


@device
def high(word):
    return int32(word >> 32)


@device
def two(lower, upper):
    """Both halves of a word."""
    return (int64(upper) << 32) | int64(lower)


def sweep_chunk(genome, full, begin, end, plan, weights, values, tables, links, levels, most):
    """`feed_chunk` for a team that is a whole block."""
    notes = one_row_of_block(cuda.shared.array((MOST_WORDS, 2), int64))
    written = cuda.shared.array(1, int32)
    if begin == 0:
        write_down(genome, full, plan, weights, values, tables, links, notes, written)
    if written[0] > MOST_WORDS:
        feed_chunk(genome, full, begin, end, plan, weights, values, tables, links, levels, most)
        return
    value = one_row(values)
    table = one_row(tables)
    here = cuda.local.array(MOST_SWEPT, float64)
    entries = links.entries
    above = uint32(links.previous_offsets[full, full])
    context_above = uint32(links.previous_offsets[full, full - 1])
    first = uint32(links.same_offsets[full, 0])
    second = uint32(links.same_offsets[full, min(1, full)])
    third = uint32(links.same_offsets[full, min(2, full)])
    roots = int32(links.root_counts[full])
    count = int32(plan[COUNTS, FULL_COUNT])
    ending = int32(end)
    level = int32(0)
    while levels[level + 1] <= begin:
        level = int32(level + 1)
    start = int32(begin)
    stop = int32(min(end, levels[level + 1]))
    while start < ending:
        level = int32(level + 1)
        following = int32(levels[level + 1]) if stop < ending else ending  # read before it is used
        i = int32(start + lane())
        while i < stop:
            parent = entries[uint32(above + i)]
            to_context = uint32(entries[uint32(context_above + i)] - parent)
            at_first = entries[uint32(first + i)]
            at_second = entries[uint32(second + i)]
            at_third = entries[uint32(third + i)]
            received = 0.0
            k = int32(0)
            m = int32(0)
            while m < count:
                word = notes[k]
                bias = float_of(notes[k + 1])
                about = high(word)
                place = about & GOES_ON
                if place != GOES_ON:
                    at = at_second if place == SECOND_PLACE else at_first
                    at = at_third if place == THIRD_PLACE else at
                    received = table[uint32(low(word) + at)]
                word = notes[k + 2]
                own = low(word)
                last = high(word)
                turn = int32(about >> TURN_BITS)
                final = last if i >= roots else turn
                k = int32(k + 4)
                if about & PRODUCT:  # asked once a unit, so that there are two loops of each kind
                    while k < turn:
                        x = here[notes[k]]
                        received = together(True, received, float_of(notes[k + 1]), x)
                        k = int32(k + 2)
                    while k < final:
                        word = notes[k]
                        x = value[uint32(low(word) + parent + uint32(high(word)) * to_context)]
                        received = together(True, received, float_of(notes[k + 1]), x)
                        k = int32(k + 2)
                    received = mended(received)
                else:
                    while k < turn:
                        x = here[notes[k]]
                        received = together(False, received, float_of(notes[k + 1]), x)
                        k = int32(k + 2)
                    while k < final:
                        word = notes[k]
                        x = value[uint32(low(word) + parent + uint32(high(word)) * to_context)]
                        received = together(False, received, float_of(notes[k + 1]), x)
                        k = int32(k + 2)
                k = last
                if not about & MORE:
                    x = activated_inside(int32(about & (PRODUCT - 1)), received + bias)
                    here[m] = x
                    if about & KEPT:
                        value[uint32(own + i)] = x
                    m = int32(m + 1)
            i = int32(i + TEAM)
        sync()
        start = stop
        stop = min(ending, following)


def write_down(genome, full, plan, weights, values, tables, links, notes, written):
    """A thread writes a unit, with all that comes to it but what is in its table."""
    units = cuda.shared.array(MOST_SWEPT, int32)
    ends = cuda.shared.array(MOST_SWEPT, int32)
    runs = cuda.shared.array(MOST_SWEPT, int32)
    count = plan[COUNTS, FULL_COUNT]
    places = max(values.size, tables.size, links.entries.size)
    if count > MOST_SWEPT or places > MOST_PLACES:
        if lane() == 0:
            written[0] = MOST_WORDS + 1
        sync()
        return
    for m in range(lane(), count, TEAM):
        u = plan[GROUP_ORDER, m]
        units[m] = u
        terms = 0
        from_before = at_node_within = False
        for c in range(plan[FORWARD, u], plan[END, u]):
            where = where_from(c, u, full, plan)
            if where >= 0:
                terms += 1
                within = is_within(c, u, full, plan)
                from_before = from_before or (where != AT_NODE and not within)
                at_node_within = at_node_within or (where == AT_NODE and within)
        runs[m] = 2 if from_before and at_node_within else 1
        ends[m] = 2 * runs[m] + terms
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
        at = 2 * ends[m - 1] if m > 0 else 0
        code = genome[HEADER + UNIT_WORDS * u] | (KEPT if plan[SENDER, u] == 1 else 0)
        place = plan[TABLE_AT, u] << CODE_BITS
        cyclic = 1 if plan[CYCLIC, plan[GROUP, u]] == 1 else 0
        turn = k = at + 4
        for inner in range(1 + cyclic):  # what comes from within its cycle is added last
            for c in range(plan[FORWARD, u], plan[END, u]):
                where = where_from(c, u, full, plan)
                source = plan[SOURCE, c]
                if where < 0 or is_within(c, u, full, plan) != (inner == 1):
                    continue
                if where == AT_NODE:
                    slot = 0
                    while units[slot] != source:
                        slot += 1
                    notes[k] = slot
                    turn = k + 2
                else:
                    notes[k] = two(source * values.shape[1], 1 if where == AT_CONTEXT else 0)
                notes[k + 1] = bits_of(weights[c])
                k += 2
            if inner == cyclic or runs[m] == 2:
                about = code | place | (turn << TURN_BITS)
                about |= MORE if inner < cyclic else 0
                notes[at] = two(u * tables.shape[1], about)
                notes[at + 1] = bits_of(bias_of(genome, u))
                notes[at + 2] = two(u * values.shape[1], k)
                at = k
                turn = k = at + 4
                place = GOES_ON
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
