"""The corpus as kernels see it, its prefix tree at several resolutions; the plan of evaluation of a
genome row: what to feed, in which order, at which resolution; and a thread's memory for it.

A unit that depends on the last input alone has one value per distinct input, not one per prefix;
a unit that looks r steps back has one value per distinct context of r + 1 inputs. So the tree comes
with its contexts of length 1, 2, ... (resolutions 0, 1, ...), and the full tree as the last
resolution. Entries of a resolution that begin a sequence stand first: they have no previous step.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
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
    Indices,
    Ints,
    Words,
)

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


CHUNK = 1024
"""Nodes fed at a time: a few rows of this many float64 stay in the first-level cache."""
FIRST_CHUNKS = (40, 256)
"""The first chunks end here: most networks that score infinity, or too much for the search to care,
do so on short prefixes."""
MOST_CONTEXTS = 3
FEWEST_ONES = 64
FEWEST_MERGED = 3
"""A resolution must have at most 1/FEWEST_MERGED of the tree's nodes to be worth keeping."""


class Links(NamedTuple):
    entries: Indices
    """All index arrays, one after the other."""
    same_offsets: Ints
    """[r, q]: where in `entries` those of resolution q, seen from those of r, start."""
    previous_offsets: Ints
    """[r, q]: the same for the step before."""
    root_counts: Ints
    """How many entries of a resolution begin a sequence: they have no previous step."""


class Tree(NamedTuple):
    inputs: int
    outputs: int
    full: int
    """The number of the last resolution, the full tree."""
    sizes: Ints
    """Entries of each resolution."""
    rows: Floats
    """(input unit, resolution-0 entry): the values of the input units."""
    links: Links
    """Which entry of one resolution belongs to which of another."""
    levels: Ints
    """Where each level of the full tree starts, with an end."""
    chunks: Ints
    """Where each chunk starts: for each resolution one run of boundaries, see `chunk_start`."""
    chunk_start: Ints
    """Where the boundaries of a resolution start in `chunks`."""
    items: Indices
    """Places in a chunk's table (row, entry): a row of chances per target, then a row of totals."""
    weights: Floats
    """How often each item counts; negative for totals, which divide the chances."""
    item_start: Ints
    """For each chunk four places in `items`: chances that count once, totals that count once (-1),
    all others, and the end."""
    lower_bounds: Floats
    """For each entry of `chunks`: fewer bits no network of that resolution can need from there on,
    since a context's own frequencies are the best chances for it."""


def tree_of(corpus: Corpus, *, is_scored: bool = True) -> Tree:
    """One that is not scored has no items: what networks say after each prefix needs none, and they
    take longest to make."""
    contexts = _contexts(corpus)
    full = len(contexts) - 1
    parent = corpus.parent.astype(np.int64)
    first = [np.unique(context, return_index=True)[1] for context in contexts]
    sizes = np.array([len(nodes) for nodes in first])
    index: list[Indices] = []
    at = 0
    same_offsets = np.zeros((full + 1, full + 1), dtype=np.int64)
    previous_offsets = np.zeros((full + 1, full + 1), dtype=np.int64)
    for r, nodes in enumerate(first):
        for q, context in enumerate(contexts[: r + 1]):
            for table, seen in (
                (same_offsets, nodes),
                (previous_offsets, np.maximum(parent[nodes], 0)),
            ):
                table[r, q] = at
                index.append(context[seen].astype(np.uint32))
                at += len(nodes)
    pieces = [
        _pieces(corpus, contexts[r], int(sizes[r])) if is_scored else _without_items(int(sizes[r]))
        for r in range(full + 1)
    ]
    chunks, chunk_start, item_start = [], [], []
    items_before = chunk_before = 0
    for piece in pieces:
        chunk_start.append(chunk_before)
        chunks.append(piece.boundaries)
        starts = piece.starts + items_before
        item_start.append(np.vstack([starts, np.zeros((1, 4), dtype=np.int64)]))
        chunk_before += len(piece.boundaries)
        items_before += len(piece.items)
    return Tree(
        inputs=corpus.inputs,
        outputs=corpus.outputs,
        full=full,
        sizes=sizes.astype(np.int64),
        rows=np.ascontiguousarray(corpus.input_rows[corpus.symbol[first[0]]].T),
        links=Links(
            np.concatenate(index),
            same_offsets,
            previous_offsets,
            np.array([int(np.sum(parent[nodes] < 0)) for nodes in first]),
        ),
        levels=corpus.levels.astype(np.int64),
        chunks=np.concatenate(chunks),
        chunk_start=np.array(chunk_start),
        items=np.concatenate([piece.items for piece in pieces]),
        weights=np.concatenate([piece.weights for piece in pieces]),
        item_start=np.concatenate(item_start),
        lower_bounds=np.concatenate([piece.lower_bounds for piece in pieces]),
    )


def _contexts(corpus: Corpus) -> list[Ints]:
    """For each resolution, each node's entry."""
    parent = corpus.parent.astype(np.int64)
    nodes = len(parent)
    symbol = corpus.symbol.astype(np.int64)
    contexts = [np.unique(symbol, return_inverse=True)[1].astype(np.int64)]
    while len(contexts) < MOST_CONTEXTS:
        last = contexts[-1]
        # Starters get the key -1 for "nothing before", so that they sort first.
        before = np.where(parent < 0, -1, last[np.maximum(parent, 0)])
        key = before * (symbol.max() + 1) + symbol
        context = np.unique(key, return_inverse=True)[1].astype(np.int64)
        if (context.max() + 1) * FEWEST_MERGED > nodes:
            break
        contexts.append(context)
    contexts.append(np.arange(nodes, dtype=np.int64))
    return contexts


class _Pieces(NamedTuple):
    boundaries: Ints
    items: Indices
    weights: Floats
    starts: Ints
    lower_bounds: Floats


def _pieces(corpus: Corpus, context: Ints, size: int) -> _Pieces:
    """The items of one resolution, summed over equal contexts and cut into chunks."""
    targets = table_rows(corpus.outputs) - 1
    key = context[corpus.item_node] * targets + corpus.item_target
    distinct, inverse = np.unique(key, return_inverse=True)
    weights = np.bincount(inverse, weights=corpus.item_weight)
    entries, target = distinct // targets, distinct % targets
    totals = np.bincount(entries, weights=weights, minlength=size)
    shares = weights / totals[entries]
    # A weight may be so small beside the others that its share is 0, and so are its bits.
    least = -weights * np.log2(np.where(shares > 0, shares, 1.0))
    floor = np.bincount(entries, weights=least, minlength=size)
    if corpus.outputs > 1:
        counted = np.flatnonzero(totals)
        entries = np.concatenate([entries, counted])
        target = np.concatenate([target, np.full(len(counted), targets)])
        weights = np.concatenate([weights, -totals[counted]])
    # Items that count once are multiplied before one logarithm is taken, which pays only where
    # there are many of them.
    once = np.abs(weights) == 1
    if np.sum(once) < FEWEST_ONES:
        once[:] = False
    classes = (once & (weights > 0), once & (weights < 0), ~once)
    boundaries = _boundaries(size)
    items, kept, starts = [], [], []
    at = 0
    for begin, end in pairwise(boundaries):
        inside = (entries >= begin) & (entries < end)
        chosen = [np.flatnonzero(inside & members) for members in classes]
        starts.append([at, *(at + np.cumsum([len(members) for members in chosen]))])
        at = starts[-1][-1]
        all_chosen = np.concatenate(chosen)
        items.append(target[all_chosen] * CHUNK + entries[all_chosen] - begin)
        kept.append(weights[all_chosen])
    return _Pieces(
        np.array(boundaries, dtype=np.int64),
        np.concatenate(items).astype(np.uint32),
        np.concatenate(kept).astype(np.float64),
        np.array(starts, dtype=np.int64),
        np.array([floor[begin:].sum() for begin in boundaries]),
    )


def _without_items(size: int) -> _Pieces:
    boundaries = np.array(_boundaries(size), dtype=np.int64)
    starts = np.zeros((len(boundaries) - 1, 4), dtype=np.int64)
    none = np.zeros(0)
    return _Pieces(boundaries, none.astype(np.uint32), none, starts, np.zeros(len(boundaries)))


def _boundaries(size: int) -> list[int]:
    """Where chunks start, and the size; a chunk is not cut off for less than its own size."""
    first = [end for end in FIRST_CHUNKS if 2 * end <= size]
    start = first[-1] if first else 0
    if size - start <= CHUNK:
        return [0, *first, size]
    return [0, *first[:-1], *range(start, size, CHUNK), size]


def table_rows(outputs: int) -> int:
    """Rows of a chunk's table: one output has two targets, 0 and 1; the last row holds totals."""
    return max(outputs, 2) + 1
