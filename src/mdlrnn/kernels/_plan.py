"""From a genome row to a plan of evaluation: what to feed, in which order, at which resolution;
and a thread's working memory for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..limits import FED_NUMBERS, FED_PRODUCTS, check_size
from ..network import FLOAT_CUT
from ._activations import SATURATION
from ._compile import compiled
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    RECURRENT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Floats,
    Floats2,
    Words,
)
from ._tree import CHUNK, Tree, table_rows

# Per unit: its incoming forward connections are FORWARD..RECURRENT_START, its recurrent ones
# RECURRENT_START..END.
FORWARD, RECURRENT_START, END = 0, 1, 2
MARK, NEXT, SCRATCH, SENDER, REACHED = 3, 4, 5, 6, 7
ORDER, LIVE, RESOLUTION = 8, 9, 10
# Per connection.
SOURCE, IGNORED = 11, 12
# Units at full resolution in order of evaluation; GROUP numbers their components from 1.
FULL_UNITS, PLACE, GROUP, GROUP_ORDER, CYCLIC, PLACED = 13, 14, 15, 16, 17, 18
# What a unit at full resolution takes from lower ones, at resolution TABLE_AT.
TABLE_AT = 19
PLAN_ROWS = 21
# Row COUNTS holds how many units were ordered, connections cut, units full, groups.
COUNTS = 20
ORDERED, IGNORED_COUNT, FULL_COUNT, GROUP_COUNT = 0, 1, 2, 3

Plan = NDArray[np.int64]


@compiled
def make_plan(
    genome: Words,
    inputs: int,
    outputs: int,
    full: int,
    plan: Plan,
    weights: NDArray[np.float64],
    reach: NDArray[np.uint64],
) -> None:
    """Fill `plan` and the connections' `weights` (as float64)."""
    read_connections(genome, plan, weights)
    order_units(genome[0], inputs, outputs, plan)
    mark_live(inputs, outputs, plan)
    set_resolutions(genome, full, plan)
    group_units(full, plan, reach)


@compiled
def read_connections(genome: Words, plan: Plan, weights: NDArray[np.float64]) -> None:
    units, connections = genome[0], genome[1]
    for u in range(units):
        plan[SENDER, u] = 0
        plan[MARK, u] = 0
        plan[REACHED, u] = 0
        plan[LIVE, u] = 0
        plan[RESOLUTION, u] = 0
    at = HEADER + UNIT_WORDS * units
    c = 0
    for u in range(units):
        plan[FORWARD, u] = c
        remembered = u * TARGET + RECURRENT
        while c < connections and genome[at] < remembered:
            plan[SOURCE, c] = genome[at] & SOURCE_MASK
            plan[IGNORED, c] = 0
            weights[c] = genome[at + 1] / genome[at + 2]
            c += 1
            at += CONNECTION_WORDS
        plan[RECURRENT_START, u] = c
        while c < connections and genome[at] < remembered + RECURRENT:
            source = genome[at] & SOURCE_MASK
            plan[SOURCE, c] = source
            plan[IGNORED, c] = 0
            plan[SENDER, source] = 1
            weights[c] = genome[at + 1] / genome[at + 2]
            c += 1
            at += CONNECTION_WORDS
        plan[END, u] = c


@compiled
def order_units(units: int, inputs: int, outputs: int, plan: Plan) -> None:
    plan[COUNTS, ORDERED] = 0
    plan[COUNTS, IGNORED_COUNT] = 0
    for u in range(inputs, inputs + outputs):
        visit(u, plan)
    if plan[COUNTS, IGNORED_COUNT] > 0:
        # The second search forgets all marks. Without a cut in the first it would find nothing new
        # among the units already reached, so that forgetting can be left out.
        for u in range(units):
            plan[MARK, u] = 0
    reached = plan[COUNTS, ORDERED]
    for i in range(reached):
        plan[REACHED, plan[ORDER, i]] = 1
    for u in range(units):
        if plan[SENDER, u] == 1 and plan[REACHED, u] == 0:
            visit(u, plan)


@compiled
def visit(root: int, plan: Plan) -> None:
    """Depth-first search over reversed forward connections; finished units join ORDER."""
    if plan[MARK, root] != 0:
        return
    ordered = plan[COUNTS, ORDERED]
    top = 0
    plan[SCRATCH, 0] = root
    plan[MARK, root] = 1
    plan[NEXT, root] = plan[FORWARD, root]
    while top >= 0:
        u = plan[SCRATCH, top]
        c = plan[NEXT, u]
        if c < plan[RECURRENT_START, u]:
            plan[NEXT, u] = c + 1
            source = plan[SOURCE, c]
            mark = plan[MARK, source]
            if mark == 0:
                plan[MARK, source] = 1
                plan[NEXT, source] = plan[FORWARD, source]
                top += 1
                plan[SCRATCH, top] = source
            elif mark == 1:
                plan[IGNORED, c] = 1
                plan[COUNTS, IGNORED_COUNT] += 1
        else:
            plan[MARK, u] = 2
            top -= 1
            if plan[REACHED, u] == 0:
                plan[ORDER, ordered] = u
                ordered += 1
    plan[COUNTS, ORDERED] = ordered


@compiled
def mark_live(inputs: int, outputs: int, plan: Plan) -> None:
    """A unit is live if it reaches an output over connections that are not cut."""
    top = 0
    for u in range(inputs, inputs + outputs):
        plan[LIVE, u] = 1
        plan[SCRATCH, top] = u
        top += 1
    while top > 0:
        top -= 1
        u = plan[SCRATCH, top]
        for c in range(plan[FORWARD, u], plan[END, u]):
            source = plan[SOURCE, c]
            if plan[IGNORED, c] == 0 and plan[LIVE, source] == 0:
                plan[LIVE, source] = 1
                plan[SCRATCH, top] = source
                top += 1


@compiled
def set_resolutions(genome: Words, full: int, plan: Plan) -> None:
    """How far back a unit looks; on or behind a cycle of recurrent connections, the full tree."""
    ordered = plan[COUNTS, ORDERED]
    changed = True
    while changed:
        changed = False
        for i in range(ordered):
            u = plan[ORDER, i]
            if plan[LIVE, u] == 0 or plan[RESOLUTION, u] == full:
                continue
            resolution = 0
            fed = False
            for c in range(plan[FORWARD, u], plan[RECURRENT_START, u]):
                if plan[IGNORED, c] == 0:
                    fed = True
                    resolution = max(resolution, plan[RESOLUTION, plan[SOURCE, c]])
            # A product without forward inputs is 0 whatever it remembers.
            if fed or genome[HEADER + UNIT_WORDS * u] < PRODUCT:
                for c in range(plan[RECURRENT_START, u], plan[END, u]):
                    resolution = max(resolution, plan[RESOLUTION, plan[SOURCE, c]] + 1)
            resolution = min(resolution, full)
            if resolution != plan[RESOLUTION, u]:
                plan[RESOLUTION, u] = resolution
                changed = True


@compiled
def group_units(full: int, plan: Plan, reach: NDArray[np.uint64]) -> None:
    """Strongly connected components of the units at full resolution, sources first.

    `reach` is a bit matrix closed by Warshall's algorithm: bit j of row i says that unit i feeds
    unit j, directly or not.
    """
    count = 0
    for i in range(plan[COUNTS, ORDERED]):
        u = plan[ORDER, i]
        if plan[LIVE, u] == 1 and plan[RESOLUTION, u] == full:
            plan[FULL_UNITS, count] = u
            plan[PLACE, u] = count
            count += 1
    plan[COUNTS, FULL_COUNT] = count
    plan[COUNTS, GROUP_COUNT] = 0
    if count == 0:
        return
    words = (count + 63) // 64
    for i in range(count):
        plan[PLACED, i] = 0
        for k in range(words):
            reach[i, k] = 0
    for j in range(count):
        u = plan[FULL_UNITS, j]
        for c in range(plan[FORWARD, u], plan[END, u]):
            source = plan[SOURCE, c]
            if (
                plan[IGNORED, c] == 0
                and plan[RESOLUTION, source] == full
                and plan[LIVE, source] == 1
            ):
                reach[plan[PLACE, source], j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    for k in range(count):
        for i in range(count):
            if has(reach, i, k):
                for word in range(words):
                    reach[i, word] |= reach[k, word]
    groups = 0
    left = count
    while left > 0:
        for j in range(count):
            if plan[PLACED, j] != 0:
                continue
            ready = True
            for i in range(count):
                if plan[PLACED, i] == 0 and has(reach, i, j) and not has(reach, j, i):
                    ready = False
                    break
            if not ready:
                continue
            cyclic = 1 if has(reach, j, j) else 0
            for i in range(count):
                if i == j or (cyclic == 1 and has(reach, i, j) and has(reach, j, i)):
                    plan[PLACED, i] = 1
                    plan[GROUP_ORDER, count - left] = plan[FULL_UNITS, i]
                    plan[GROUP, plan[FULL_UNITS, i]] = groups
                    left -= 1
            plan[CYCLIC, groups] = cyclic
            groups += 1
    plan[COUNTS, GROUP_COUNT] = groups


@compiled
def has(reach: NDArray[np.uint64], i: int, j: int) -> bool:
    return (reach[i, j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != 0


class Workspace(NamedTuple):
    plan: Plan
    weights: Floats
    reach: NDArray[np.uint64]
    values: Floats2
    tables: Floats2
    chances: Floats
    buffer: Floats
    most: float
    """To which sums are cut."""


def check_fed(tree: Tree, units: int, connections: int) -> None:
    """Raise unless a network of this size can be fed in bounded memory and time."""
    prefixes = int(tree.sizes[-1])
    what = "the network on these strings"
    check_size(units * prefixes, FED_NUMBERS, what, "units times distinct prefixes")
    check_size(connections * prefixes, FED_PRODUCTS, what, "connections times distinct prefixes")


def workspace_for(tree: Tree, units: int, connections: int, saturation: bool = True) -> Workspace:
    """Working memory for networks of up to so many units and connections."""
    finite = max(int(size) for size in tree.sizes[:-1])
    rows = table_rows(tree.outputs)
    return Workspace(
        plan=np.zeros((PLAN_ROWS, max(units, connections, 4) + 1), dtype=np.int64),
        weights=np.zeros(connections + 1),
        reach=np.zeros((units, (units + 63) // 64), dtype=np.uint64),
        values=np.zeros((units, int(tree.sizes[-1]))),
        tables=np.zeros((units, finite)),
        chances=np.zeros(rows * CHUNK),
        buffer=np.zeros(rows * CHUNK),
        most=SATURATION if saturation else FLOAT_CUT,
    )
