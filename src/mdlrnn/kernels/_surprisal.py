"""|D:G| of genome rows, and the distribution after each prefix; its oracle: `corpus._surprisal`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..network import Network
from ._activations import fill
from ._arithmetic import bits_of, log2, log2_parts
from ._compile import announced, compiled, entry, shared
from ._feed import feed_chunk, feed_contexts, fill_tables
from ._genome import Floats, Floats2, Indices, Ints, Words, row_of
from ._plan import RESOLUTION, Plan, Workspace, check_fed, make_plan, workspace_for
from ._tree import CHUNK, Links, Tree, tree_of

LEAST_TOTAL = 1e-8
LEAST_NORMAL = 2.2250738585072014e-308
BLOCK = 1024
"""Mantissas in [sqrt(1/2), sqrt(2)) multiplied at once: their product stays within 2^(+-512)."""


@shared
def surprisal(genome: Words, tree: Tree, work: Workspace, limit: float) -> float:
    """|D:G| in bits; infinite also as soon as it is sure to be above the limit."""
    inputs, outputs, full = tree.inputs, tree.outputs, tree.full
    plan, weights, values = work.plan, work.weights, work.values
    links = tree.links
    make_plan(genome, inputs, outputs, full, plan, weights, work.reach)
    r = 0
    for u in range(inputs, inputs + outputs):
        r = max(r, plan[RESOLUTION, u])
    if tree.lower_bounds[tree.chunk_start[r]] > limit:
        return math.inf
    feed_contexts(
        genome, full, tree.sizes, plan, weights, values, tree.rows, links, work.most,
    )  # fmt: skip
    if r == full:
        fill_tables(
            genome, full, tree.sizes, plan, weights, values, work.tables, tree.rows, links,
        )  # fmt: skip
    bits = 0.0
    chunk = tree.chunk_start[r]
    while tree.chunks[chunk] < tree.sizes[r]:
        begin, end = tree.chunks[chunk], tree.chunks[chunk + 1]
        if r == full:
            feed_chunk(
                genome, full, begin, end, plan, weights, values, work.tables, links, tree.levels,
                work.most,
            )  # fmt: skip
        set_chances(inputs, outputs, r, begin, end, plan, values, work.chances, links)
        bits += chunk_bits(
            work.chances, tree.items, tree.weights, tree.item_start[chunk], work.buffer
        )
        chunk += 1
        if bits + tree.lower_bounds[chunk] > limit or bits == math.inf:
            return math.inf
    return bits


@compiled
def set_chances(
    inputs: int,
    outputs: int,
    r: int,
    begin: int,
    end: int,
    plan: Plan,
    values: Floats2,
    chances: Floats,
    links: Links,
) -> None:
    """The chunk's table: a row of (unnormalised) chances per target, and the row of totals."""
    n = end - begin
    if outputs == 1:
        zero, one = chances[:n], chances[CHUNK : CHUNK + n]
        copy_output(inputs, r, begin, end, plan, values, one, links)
        for i in range(n):
            p = min(one[i], 1.0)
            one[i] = p
            zero[i] = 1.0 - p
        return
    total = chances[outputs * CHUNK : outputs * CHUNK + n]
    fill(total, 0.0)
    for t in range(outputs):
        row = chances[t * CHUNK : t * CHUNK + n]
        copy_output(inputs + t, r, begin, end, plan, values, row, links)
        for i in range(n):
            total[i] += row[i]
    degenerate = 0
    for i in range(n):
        degenerate += 1 if total[i] <= LEAST_TOTAL else 0
    if degenerate > 0:
        for i in range(n):
            if total[i] <= LEAST_TOTAL:
                total[i] = outputs
                for t in range(outputs):
                    chances[t * CHUNK + i] = 1.0


@compiled
def copy_output(
    unit: int,
    r: int,
    begin: int,
    end: int,
    plan: Plan,
    values: Floats2,
    row: Floats,
    links: Links,
) -> None:
    """The unit's values over the chunk, negatives as 0."""
    q = plan[RESOLUTION, unit]
    if q == r:
        x = values[unit, begin:end]
        for i in range(row.size):
            row[i] = max(x[i], 0.0)
    else:
        y = values[unit]
        at = links.entries[links.same_offsets[r, q] + begin : links.same_offsets[r, q] + end]
        for i in range(row.size):
            row[i] = max(y[at[i]], 0.0)


@compiled
def chunk_bits(
    chances: Floats, items: Indices, weights: Floats, start: Ints, buffer: Floats
) -> float:
    """Minus the weighted sum of the items' logarithms; infinite if a target has chance 0."""
    gather(chances, items[start[0] : start[3]], buffer)
    n = start[3] - start[0]
    least = bits_of(1.0)
    for i in range(n):
        least = min(least, bits_of(buffer[i]))
    if least <= 0:
        return math.inf
    if least < bits_of(LEAST_NORMAL):
        return slow_bits(buffer[:n], weights[start[0] : start[3]])
    ones = start[1] - start[0]
    both = start[2] - start[0]
    bits = log2_of_product(buffer[ones:both]) - log2_of_product(buffer[:ones])
    rest = buffer[both:n]
    factor = weights[start[2] : start[3]]
    for i in range(rest.size):
        rest[i] = factor[i] * log2(rest[i])
    return bits - pairwise_sum(rest)


@compiled
def gather(values: Floats, at: Indices, into: Floats) -> None:
    for i in range(at.size):
        into[i] = values[at[i]]


@compiled
def slow_bits(chances: Floats, weights: Floats) -> float:
    """For chances below the normal floats, where the bits of a float64 mean something else."""
    bits = 0.0
    for i in range(chances.size):
        bits -= weights[i] * math.log2(chances[i])
    return bits


@compiled
def log2_of_product(x: Floats) -> float:
    """The sum of log2 over x, with one logarithm a block: exponents add, mantissas multiply."""
    total = 0.0
    for begin in range(0, x.size, BLOCK):
        block = x[begin : begin + BLOCK]
        n = block.size
        exponents = 0
        for i in range(n):
            k, m = log2_parts(block[i])
            block[i] = m
            exponents += k
        while n > 1:
            half = (n + 1) // 2
            low, high = block[:half], block[half:n]
            for i in range(high.size):
                low[i] *= high[i]
            n = half
        total += exponents + math.log2(block[0])
    return total


@compiled
def pairwise_sum(x: Floats) -> float:
    """The sum in a fixed order whatever the vector width; x is overwritten."""
    n = x.size
    if n == 0:
        return 0.0
    while n > 1:
        half = (n + 1) // 2
        low, high = x[:half], x[half:n]
        for i in range(high.size):
            low[i] += high[i]
        n = half
    return x[0]


def distributions(network: Network, corpus: Corpus) -> NDArray[np.float64]:
    """(node, target): probabilities; with one output the targets are 0 and 1.

    `corpus` is in the order of the network's units.
    """
    tree = tree_of(corpus, is_scored=False)
    check_fed(tree, len(network.units), len(network.connections))
    work = workspace_for(tree, len(network.units), len(network.connections), network.saturation)
    found = np.zeros((len(corpus.parent), max(corpus.outputs, 2)))
    with announced("measure", "the measuring kernels"):
        fill_distributions(row_of(network), tree, work, found)
    return found


@entry
def fill_distributions(genome: Words, tree: Tree, work: Workspace, found: Floats2) -> None:
    inputs, outputs, full = tree.inputs, tree.outputs, tree.full
    plan, weights, values = work.plan, work.weights, work.values
    links = tree.links
    make_plan(genome, inputs, outputs, full, plan, weights, work.reach)
    feed_contexts(
        genome, full, tree.sizes, plan, weights, values, tree.rows, links, work.most,
    )  # fmt: skip
    fill_tables(
        genome, full, tree.sizes, plan, weights, values, work.tables, tree.rows, links,
    )  # fmt: skip
    chunk = tree.chunk_start[full]
    while tree.chunks[chunk] < tree.sizes[full]:
        begin, end = tree.chunks[chunk], tree.chunks[chunk + 1]
        feed_chunk(
            genome, full, begin, end, plan, weights, values, work.tables, links, tree.levels,
            work.most,
        )  # fmt: skip
        set_chances(inputs, outputs, full, begin, end, plan, values, work.chances, links)
        for i in range(end - begin):
            total = 1.0 if outputs == 1 else work.chances[outputs * CHUNK + i]
            for t in range(found.shape[1]):
                found[begin + i, t] = work.chances[t * CHUNK + i] / total
        chunk += 1
