"""Feeding units that look back a bounded number of steps: once per context, not per prefix."""

from __future__ import annotations

from ._activations import activate
from ._compile import compiled
from ._genome import HEADER, PRODUCT, UNIT_WORDS, Words
from ._loops import bias_of, fill, mend_product, spread, take, take_at
from ._plan import (
    COUNTS,
    END,
    FORWARD,
    FULL_COUNT,
    GROUP_ORDER,
    IGNORED,
    LIVE,
    ORDER,
    ORDERED,
    RECURRENT_START,
    RESOLUTION,
    SOURCE,
    TABLE_AT,
    Plan,
)
from ._tree import Links
from ._types import Floats, Floats2, Ints


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
