"""Feeding and scoring networks on a card: a team of threads a network, or a thread a node on wide
trees.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from numba import float64, int32, int64, uint32

from ...network import FLOAT_CUT
from .. import _activations, _advance, _feed, _plan, _scoring
from .. import _activations as loops_of_cpu
from .. import _feed as _contexts
from .._activations import SATURATION
from .._genome import HEADER, PRODUCT, UNIT_WORDS
from .._plan import (
    CHUNK,
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
    SENDER,
    SOURCE,
    TABLE_AT,
    Links,
    Tree,
    Workspace,
)
from .._scoring import LEAST_NORMAL, LEAST_TOTAL, encoded_length, weight_norms
from . import _feeding as _loops
from . import _feeding as _sweep
from ._cuda import SIMULATED, WARP, cuda, device, kernel, on_device, renamed
from ._threads import (
    IN_BLOCK,
    IN_WARP,
    MOST,
    SCALARS,
    TEAM,
    TEAMS,
    activated_inside,
    any_of,
    bias_of,
    bits_of,
    finished,
    finishing,
    float_of,
    lane,
    log2_here,
    mended,
    one_row,
    one_row_of_block,
    parts_here,
    sum_of,
    sync,
    team_number,
    together,
)

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
        _scoring.set_chances: scope["set_chances"],
        _scoring.chunk_bits: scope["chunk_bits"],
        _plan.make_plan: scope["planned"],
    }
    """What is done otherwise on a card than on the CPU; all else is the same text."""
    scope["surprisal"] = on_device(_scoring.surprisal, twins)
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
weigh = on_device(_advance.weigh, SCALARS)
