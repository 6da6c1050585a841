"""Feeding: unit values over the entries of a resolution, in loops that LLVM can vectorise.

Sums run in a fixed order: what comes from lower resolutions (forward, recurrent), what comes at the
unit's own (forward, recurrent), the bias last. `_interpreter` adds in the order of the connections;
the two agree to rounding, and exactly where nothing forward follows something recurrent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._arithmetic import exp, tanh
from ._compile import compiled
from ._genome import HEADER, PRODUCT, UNIT_WORDS, Words
from ._plan import (
    COUNTS,
    CUT,
    CYCLIC,
    END,
    FORWARD,
    FULL_COUNT,
    GROUP,
    GROUP_COUNT,
    GROUP_ORDER,
    LIVE,
    ORDER,
    ORDERED,
    REMEMBERED,
    RESOLUTION,
    SOURCE,
    TABLE_AT,
    Plan,
)

SATURATION = 1e6
LINEAR, RELU, SIGMOID, SQUARE, FLOOR, STEP, MOD2, MOD3, TANH = range(9)

Floats = NDArray[np.float64]
Floats2 = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.uint32]


@compiled
def saturate(x: float) -> float:
    return min(max(x, -SATURATION), SATURATION)


@compiled
def activate_one(code: int, x: float) -> float:
    x = saturate(x)
    if code == LINEAR:
        return x
    if code == RELU:
        return max(x, 0.0)
    if code == SIGMOID:
        return 1.0 / (1.0 + exp(-x))
    if code == SQUARE:
        return x * x
    if code == FLOOR:
        return float(np.floor(x))
    if code == STEP:
        return 1.0 if x > 0.0 else 0.0
    if code == MOD2:
        return mod2(x)
    if code == MOD3:
        return mod3(x)
    return tanh(x)


@compiled
def mod2(x: float) -> float:
    return x - 2.0 * np.floor(x * 0.5)


@compiled
def mod3(x: float) -> float:
    """x modulo 3 in [0, 3): the quotient may round up, which the last line mends."""
    r = x - 3.0 * np.floor(x / 3.0)
    return r + 3.0 if r < 0.0 else r


@compiled
def activate(code: int, x: Floats, bias: float) -> None:
    """Add the bias, saturate, apply the activation, in place."""
    n = x.size
    if code == LINEAR:
        for i in range(n):
            x[i] = saturate(x[i] + bias)
    elif code == RELU:
        for i in range(n):
            x[i] = max(saturate(x[i] + bias), 0.0)
    elif code == SIGMOID:
        for i in range(n):
            x[i] = 1.0 / (1.0 + exp(-saturate(x[i] + bias)))
    elif code == SQUARE:
        for i in range(n):
            y = saturate(x[i] + bias)
            x[i] = y * y
    elif code == FLOOR:
        for i in range(n):
            x[i] = np.floor(saturate(x[i] + bias))
    elif code == STEP:
        for i in range(n):
            x[i] = 1.0 if x[i] + bias > 0.0 else 0.0
    elif code == MOD2:
        for i in range(n):
            x[i] = mod2(saturate(x[i] + bias))
    elif code == MOD3:
        for i in range(n):
            x[i] = mod3(saturate(x[i] + bias))
    else:
        for i in range(n):
            x[i] = activate_one(code, x[i] + bias)


@compiled
def fill(into: Floats, value: float) -> None:
    """A loop: the slice assignment would compile all of its error handling."""
    for i in range(into.size):
        into[i] = value


@compiled
def take(product: bool, into: Floats, weight: float, values: Floats) -> None:
    if product:
        for i in range(into.size):
            into[i] *= weight * values[i]
    else:
        for i in range(into.size):
            into[i] += weight * values[i]


@compiled
def take_at(product: bool, into: Floats, weight: float, values: Floats, at: Indices) -> None:
    if product:
        for i in range(into.size):
            into[i] *= weight * values[at[i]]
    else:
        for i in range(into.size):
            into[i] += weight * values[at[i]]


@compiled
def mend_product(x: Floats) -> None:
    """Infinity times 0 is 0: only overflow on the way made it NaN."""
    for i in range(x.size):
        x[i] = x[i] if x[i] == x[i] else 0.0


@compiled
def is_fed(unit: int, plan: Plan) -> bool:
    for c in range(plan[FORWARD, unit], plan[REMEMBERED, unit]):
        if plan[CUT, c] == 0:
            return True
    return False


@compiled
def bias_of(genome: Words, unit: int) -> float:
    at = HEADER + UNIT_WORDS * unit
    return genome[at + 1] / genome[at + 2]


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
    index: Indices,
    same: Ints,
    previous: Ints,
    starters: Ints,
) -> None:
    """What `unit` receives from units of resolution under `below`, over entries of resolution r."""
    n = into.size
    product = genome[HEADER + UNIT_WORDS * unit] >= PRODUCT
    if product:
        fill(into, 1.0)
    elif unit < tree_rows.shape[0]:
        at = same[r, 0]
        spread(into, tree_rows[unit], index[at : at + n])
    else:
        fill(into, 0.0)
    for c in range(plan[FORWARD, unit], plan[REMEMBERED, unit]):
        source = plan[SOURCE, c]
        q = plan[RESOLUTION, source]
        if plan[CUT, c] == 0 and q < below:
            if q == r:
                take(product, into, weights[c], values[source, :n])
            else:
                at = same[r, q]
                take_at(product, into, weights[c], values[source], index[at : at + n])
    begin = starters[r]
    for c in range(plan[REMEMBERED, unit], plan[END, unit]):
        source = plan[SOURCE, c]
        q = plan[RESOLUTION, source]
        if q + 1 < below:
            at = previous[r, q]
            take_at(product, into[begin:], weights[c], values[source], index[at + begin : at + n])


@compiled
def feed_contexts(
    genome: Words,
    full: int,
    sizes: Ints,
    plan: Plan,
    weights: Floats,
    values: Floats2,
    tree_rows: Floats2,
    index: Indices,
    same: Ints,
    previous: Ints,
    starters: Ints,
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
                    u, r, r + 1, into, genome, plan, weights, values, tree_rows, index, same,
                    previous, starters,
                )  # fmt: skip
                if code >= PRODUCT:
                    mend_product(into)
            activate(code % PRODUCT, into, bias_of(genome, u))


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
    index: Indices,
    same: Ints,
    previous: Ints,
    starters: Ints,
) -> None:
    """For each unit at full resolution, all that it takes from lower ones, as one small table."""
    for i in range(plan[COUNTS, FULL_COUNT]):
        u = plan[GROUP_ORDER, i]
        r = 0
        for c in range(plan[FORWARD, u], plan[REMEMBERED, u]):
            q = plan[RESOLUTION, plan[SOURCE, c]]
            if plan[CUT, c] == 0 and q < full:
                r = max(r, q)
        for c in range(plan[REMEMBERED, u], plan[END, u]):
            q = plan[RESOLUTION, plan[SOURCE, c]]
            if q + 1 < full:
                r = max(r, q + 1)
        plan[TABLE_AT, u] = r
        fold(
            u, r, full, tables[u, : sizes[r]], genome, plan, weights, values, tree_rows, index,
            same, previous, starters,
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
    index: Indices,
    same: Ints,
    previous: Ints,
    starters: Ints,
    levels: Ints,
) -> None:
    """Units at full resolution over the nodes begin..end, one component after the other."""
    first = 0
    parents = index[previous[full, full] : previous[full, full] + values.shape[1]]
    roots = starters[full]
    for group in range(plan[COUNTS, GROUP_COUNT]):
        last = first
        count = plan[COUNTS, FULL_COUNT]
        while last < count and plan[GROUP, plan[GROUP_ORDER, last]] == group:
            last += 1
        for i in range(first, last):
            u = plan[GROUP_ORDER, i]
            into = values[u, begin:end]
            at = same[full, plan[TABLE_AT, u]]
            spread(into, tables[u], index[at + begin : at + end])
            take_outside(
                u, group, full, begin, end, into, genome, plan, weights, values, index, previous,
                roots,
            )  # fmt: skip
            if plan[CYCLIC, group] == 0:
                finish(u, into, genome)
        if plan[CYCLIC, group] == 1:
            u = plan[GROUP_ORDER, first]
            if last == first + 1 and genome[HEADER + UNIT_WORDS * u] < PRODUCT:
                loop = inside_connection(u, group, full, plan)
                count_along(
                    genome[HEADER + UNIT_WORDS * u], weights[loop], bias_of(genome, u), begin, end,
                    roots, values[u], parents,
                )  # fmt: skip
            else:
                feed_cycle(
                    group, first, last, full, begin, end, genome, plan, weights, values, parents,
                    roots, levels,
                )  # fmt: skip
        first = last


@compiled
def spread(into: Floats, table: Floats, at: Indices) -> None:
    for i in range(into.size):
        into[i] = table[at[i]]


@compiled
def inside(c: int, group: int, full: int, plan: Plan) -> bool:
    """Whether connection c comes from within the component."""
    source = plan[SOURCE, c]
    return plan[RESOLUTION, source] == full and plan[GROUP, source] == group


@compiled
def inside_connection(unit: int, group: int, full: int, plan: Plan) -> int:
    for c in range(plan[REMEMBERED, unit], plan[END, unit]):
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
    index: Indices,
    previous: Ints,
    roots: int,
) -> None:
    """What the unit receives at full resolution from outside its component."""
    product = genome[HEADER + UNIT_WORDS * unit] >= PRODUCT
    cyclic = plan[CYCLIC, group] == 1
    for c in range(plan[FORWARD, unit], plan[REMEMBERED, unit]):
        source = plan[SOURCE, c]
        if plan[CUT, c] == 1 or plan[RESOLUTION, source] != full:
            continue
        if not (cyclic and plan[GROUP, source] == group):
            take(product, into, weights[c], values[source, begin:end])
    start = max(begin, roots)
    if start >= end:
        return
    for c in range(plan[REMEMBERED, unit], plan[END, unit]):
        source = plan[SOURCE, c]
        q = plan[RESOLUTION, source]
        if q == full and cyclic and plan[GROUP, source] == group:
            continue
        if q + 1 >= full:
            at = previous[full, q]
            take_at(
                product, into[start - begin :], weights[c], values[source],
                index[at + start : at + end],
            )  # fmt: skip


@compiled
def finish(unit: int, into: Floats, genome: Words) -> None:
    code = genome[HEADER + UNIT_WORDS * unit]
    if code >= PRODUCT:
        mend_product(into)
    activate(code % PRODUCT, into, bias_of(genome, unit))


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
) -> None:
    """A single unit with a loop onto itself, the counter of the paper: no need to go by levels."""
    middle = min(max(begin, roots), end)
    for i in range(begin, middle):
        x[i] = activate_one(code, x[i] + bias)
    tail = x[middle:end]
    at = parents[middle:end]
    n = end - middle
    if code == LINEAR:
        for i in range(n):
            tail[i] = saturate(tail[i] + weight * x[at[i]] + bias)
    elif code == RELU:
        for i in range(n):
            tail[i] = max(saturate(tail[i] + weight * x[at[i]] + bias), 0.0)
    else:
        for i in range(n):
            tail[i] = activate_one(code, tail[i] + weight * x[at[i]] + bias)


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
            for c in range(plan[FORWARD, u], plan[REMEMBERED, u]):
                if plan[CUT, c] == 0 and inside(c, group, full, plan):
                    take(product, into, weights[c], values[plan[SOURCE, c], start:stop])
            if start >= roots:
                for c in range(plan[REMEMBERED, u], plan[END, u]):
                    if inside(c, group, full, plan):
                        take_at(
                            product, into, weights[c], values[plan[SOURCE, c]], parents[start:stop]
                        )
            finish(u, into, genome)
        start = stop
        level += 1
