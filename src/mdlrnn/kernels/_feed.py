"""Feeding units: once per context where they look back a bounded number of steps, else over the
nodes of the prefix tree.
"""

from __future__ import annotations

from ._activations import (
    LINEAR,
    RELU,
    activate,
    activate_one,
    bias_of,
    fill,
    finish,
    mend_product,
    saturate,
    spread,
    take,
    take_at,
)
from ._compile import compiled
from ._genome import HEADER, PRODUCT, UNIT_WORDS, Floats, Floats2, Indices, Ints, Words
from ._plan import (
    COUNTS,
    CYCLIC,
    END,
    FORWARD,
    FULL_COUNT,
    GROUP,
    GROUP_COUNT,
    GROUP_ORDER,
    IGNORED,
    LIVE,
    ORDER,
    ORDERED,
    RECURRENT_START,
    RESOLUTION,
    SOURCE,
    TABLE_AT,
    Links,
    Plan,
)


@compiled
def is_fed(unit: int, plan: Plan) -> bool:
    for c in range(plan[FORWARD, unit], plan[RECURRENT_START, unit]):
        if plan[IGNORED, c] == 0:
            return True
    return False


@compiled
def fold(
    unit: int,
    r: int,
    below: int,
    into: Floats,
    genome: Words,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    tree_rows: Floats2,
    links: Links,
) -> None:
    """What `unit` receives from units of resolution under `below`, over entries of resolution r."""
    n = into.size
    product = genome[HEADER + UNIT_WORDS * unit] >= PRODUCT
    if product:
        fill(into, 1.0)
    elif unit < tree_rows.shape[0]:
        at = links.same_offsets[r, 0]
        spread(into, tree_rows[unit], links.entries[at : at + n])
    else:
        fill(into, 0.0)
    for c in range(plan[FORWARD, unit], plan[RECURRENT_START, unit]):
        source = plan[SOURCE, c]
        q = plan[RESOLUTION, source]
        if plan[IGNORED, c] == 0 and q < below:
            if q == r:
                take(product, into, weights[c], values[source, :n])
            else:
                at = links.same_offsets[r, q]
                take_at(product, into, weights[c], values[source], links.entries[at : at + n])
    begin = links.root_counts[r]
    for c in range(plan[RECURRENT_START, unit], plan[END, unit]):
        source = plan[SOURCE, c]
        q = plan[RESOLUTION, source]
        if q + 1 < below:
            at = links.previous_offsets[r, q]
            from_before = links.entries[at + begin : at + n]
            take_at(product, into[begin:], weights[c], values[source], from_before)


@compiled
def feed_contexts(
    genome: Words,
    full: int,
    sizes: Ints,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    tree_rows: Floats2,
    links: Links,
    most: float,
) -> None:
    """Units that look back a bounded number of steps, once per context."""
    ordered = plan[COUNTS, ORDERED]
    for r in range(full):
        n = sizes[r]
        for i in range(ordered):
            u = plan[ORDER, i]
            if plan[LIVE, u] == 0 or plan[RESOLUTION, u] != r:
                continue
            into = values[u, :n]
            code = genome[HEADER + UNIT_WORDS * u]
            if code >= PRODUCT and not is_fed(u, plan):
                fill(into, 0.0)
            else:
                fold(
                    u, r, r + 1, into, genome, plan, weights, values, tree_rows, links,
                )  # fmt: skip
                if code >= PRODUCT:
                    mend_product(into)
            activate(code % PRODUCT, into, bias_of(genome, u), most)


@compiled
def fill_tables(
    genome: Words,
    full: int,
    sizes: Ints,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    tables: Floats2,
    tree_rows: Floats2,
    links: Links,
) -> None:
    """For each unit at full resolution, all that it takes from lower ones, as one small table."""
    for i in range(plan[COUNTS, FULL_COUNT]):
        u = plan[GROUP_ORDER, i]
        r = 0
        for c in range(plan[FORWARD, u], plan[RECURRENT_START, u]):
            q = plan[RESOLUTION, plan[SOURCE, c]]
            if plan[IGNORED, c] == 0 and q < full:
                r = max(r, q)
        for c in range(plan[RECURRENT_START, u], plan[END, u]):
            q = plan[RESOLUTION, plan[SOURCE, c]]
            if q + 1 < full:
                r = max(r, q + 1)
        plan[TABLE_AT, u] = r
        fold(
            u, r, full, tables[u, : sizes[r]], genome, plan, weights, values, tree_rows, links,
        )  # fmt: skip


@compiled
def feed_chunk(
    genome: Words,
    full: int,
    begin: int,
    end: int,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    tables: Floats2,
    links: Links,
    levels: Ints,
    most: float,
) -> None:
    """Units at full resolution over the nodes begin..end, one component after the other."""
    first = 0
    above = links.previous_offsets[full, full]
    parents = links.entries[above : above + values.shape[1]]
    roots = links.root_counts[full]
    for group in range(plan[COUNTS, GROUP_COUNT]):
        last = first
        count = plan[COUNTS, FULL_COUNT]
        while last < count and plan[GROUP, plan[GROUP_ORDER, last]] == group:
            last += 1
        for i in range(first, last):
            u = plan[GROUP_ORDER, i]
            into = values[u, begin:end]
            at = links.same_offsets[full, plan[TABLE_AT, u]]
            spread(into, tables[u], links.entries[at + begin : at + end])
            take_outside(
                u, group, full, begin, end, into, genome, plan, weights, values, links, roots,
            )  # fmt: skip
            if plan[CYCLIC, group] == 0:
                finish(u, into, genome, most)
        if plan[CYCLIC, group] == 1:
            u = plan[GROUP_ORDER, first]
            if last == first + 1 and genome[HEADER + UNIT_WORDS * u] < PRODUCT:
                loop = inside_connection(u, group, full, plan)
                count_along(
                    genome[HEADER + UNIT_WORDS * u], weights[loop], bias_of(genome, u), begin, end,
                    roots, values[u], parents, most,
                )  # fmt: skip
            else:
                feed_cycle(
                    group, first, last, full, begin, end, genome, plan, weights, values, parents,
                    roots, levels, most,
                )  # fmt: skip
        first = last


@compiled
def inside(c: int, group: int, full: int, plan: Plan) -> bool:
    """Whether connection c comes from within the component."""
    source = plan[SOURCE, c]
    return plan[RESOLUTION, source] == full and plan[GROUP, source] == group


@compiled
def inside_connection(unit: int, group: int, full: int, plan: Plan) -> int:
    for c in range(plan[RECURRENT_START, unit], plan[END, unit]):
        if inside(c, group, full, plan):
            return c
    return -1


@compiled
def take_outside(
    unit: int,
    group: int,
    full: int,
    begin: int,
    end: int,
    into: Floats,
    genome: Words,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    links: Links,
    roots: int,
) -> None:
    """What the unit receives at full resolution from outside its component."""
    product = genome[HEADER + UNIT_WORDS * unit] >= PRODUCT
    cyclic = plan[CYCLIC, group] == 1
    for c in range(plan[FORWARD, unit], plan[RECURRENT_START, unit]):
        source = plan[SOURCE, c]
        if plan[IGNORED, c] == 1 or plan[RESOLUTION, source] != full:
            continue
        if not (cyclic and plan[GROUP, source] == group):
            take(product, into, weights[c], values[source, begin:end])
    start = max(begin, roots)
    if start >= end:
        return
    for c in range(plan[RECURRENT_START, unit], plan[END, unit]):
        source = plan[SOURCE, c]
        q = plan[RESOLUTION, source]
        if q == full and cyclic and plan[GROUP, source] == group:
            continue
        if q + 1 >= full:
            at = links.previous_offsets[full, q]
            take_at(
                product, into[start - begin :], weights[c], values[source],
                links.entries[at + start : at + end],
            )  # fmt: skip


@compiled
def count_along(
    code: int,
    weight: float,
    bias: float,
    begin: int,
    end: int,
    roots: int,
    x: Floats,
    parents: Indices,
    most: float,
) -> None:
    """A single unit with a loop onto itself, the counter of the paper: no need to go by levels."""
    middle = min(max(begin, roots), end)
    for i in range(begin, middle):
        x[i] = activate_one(code, x[i] + bias, most)
    tail = x[middle:end]
    at = parents[middle:end]
    n = end - middle
    if code == LINEAR:
        for i in range(n):
            tail[i] = saturate(tail[i] + weight * x[at[i]] + bias, most)
    elif code == RELU:
        for i in range(n):
            tail[i] = max(saturate(tail[i] + weight * x[at[i]] + bias, most), 0.0)
    else:
        for i in range(n):
            tail[i] = activate_one(code, tail[i] + weight * x[at[i]] + bias, most)


@compiled
def feed_cycle(
    group: int,
    first: int,
    last: int,
    full: int,
    begin: int,
    end: int,
    genome: Words,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    parents: Indices,
    roots: int,
    levels: Ints,
    most: float,
) -> None:
    """Several units in a cycle, level by level."""
    level = 0
    while levels[level + 1] <= begin:
        level += 1
    start = begin
    while start < end:
        stop = min(end, levels[level + 1])
        for i in range(first, last):
            u = plan[GROUP_ORDER, i]
            into = values[u, start:stop]
            product = genome[HEADER + UNIT_WORDS * u] >= PRODUCT
            for c in range(plan[FORWARD, u], plan[RECURRENT_START, u]):
                if plan[IGNORED, c] == 0 and inside(c, group, full, plan):
                    take(product, into, weights[c], values[plan[SOURCE, c], start:stop])
            if start >= roots:
                for c in range(plan[RECURRENT_START, u], plan[END, u]):
                    if inside(c, group, full, plan):
                        take_at(
                            product, into, weights[c], values[plan[SOURCE, c]], parents[start:stop]
                        )
            finish(u, into, genome, most)
        start = stop
        level += 1
