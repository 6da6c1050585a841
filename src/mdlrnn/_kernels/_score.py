"""|G| and |D:G| of genome rows, and the working memory that one thread needs for them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._encoding import Encoding
from .._network import ACTIVATIONS
from ._arithmetic import bits_of, integer_length, log2, log2_parts
from ._compile import compiled
from ._feed import Floats, Floats2, Indices, Ints, feed_chunk, feed_contexts, fill, fill_tables
from ._genome import CONNECTION_WORDS, HEADER, PRODUCT, SOURCE_MASK, UNIT_WORDS, Words, size_of
from ._plan import PLAN_ROWS, RESOLUTION, STACK, Plan, make_plan
from ._tree import CHUNK, Tree, table_rows

LEAST_TOTAL = 1e-8
LEAST_NORMAL = 2.2250738585072014e-308
BLOCK = 1024
"""Mantissas in [sqrt(1/2), sqrt(2)) multiplied at once: their product stays within 2^(+-512)."""


class Workspace(NamedTuple):
    plan: Plan
    weights: Floats
    reach: NDArray[np.uint64]
    values: Floats2
    tables: Floats2
    chances: Floats
    buffer: Floats


def workspace_for(tree: Tree, units: int, connections: int) -> Workspace:
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
    )


def encoding_table(encoding: Encoding) -> NDArray[np.int64]:
    """Bits of each activation's field and cost (-1: not allowed), then the bits of a type."""
    bits = [
        encoding.activation_bits(name) + encoding.cost(name) + 1
        if name in encoding.activations
        else -1
        for name in ACTIVATIONS
    ]
    return np.array([*bits, int(encoding.type_bit)], dtype=np.int64)


@compiled
def number_bits(n: int) -> int:
    """Length of E(n)."""
    return 2 * integer_length(n) + 1


@compiled
def weight_bits(numerator: int, denominator: int) -> int:
    return 1 + number_bits(abs(numerator)) + number_bits(denominator)


@compiled
def encoded_length(genome: Words, encoding: NDArray[np.int64], outgoing: NDArray[np.int64]) -> int:
    """|G|; the encoder in `_encoding` is its oracle. `outgoing` is scratch, a place per unit."""
    units, connections = genome[0], genome[1]
    bits = number_bits(units) + units * encoding[encoding.size - 1]
    at = HEADER
    for u in range(units):
        outgoing[u] = 0
        bits += encoding[genome[at] % PRODUCT]
        bits += 2 if genome[at + 1] == 0 else weight_bits(genome[at + 1], genome[at + 2])
        at += UNIT_WORDS
    bits += connections * (1 + integer_length(units - 1))
    for _ in range(connections):
        outgoing[genome[at] & SOURCE_MASK] += 1
        bits += weight_bits(genome[at + 1], genome[at + 2])
        at += CONNECTION_WORDS
    for u in range(units):
        bits += number_bits(outgoing[u])
    return bits


@compiled
def surprisal(genome: Words, tree: Tree, work: Workspace, limit: float) -> float:
    """|D:G| in bits; infinite also as soon as it is sure to be above the limit."""
    inputs, outputs, full = tree.inputs, tree.outputs, tree.full
    plan, weights, values = work.plan, work.weights, work.values
    index, same, previous, starters = tree.index, tree.same, tree.previous, tree.starters
    make_plan(genome, inputs, outputs, full, plan, weights, work.reach)
    r = 0
    for u in range(inputs, inputs + outputs):
        r = max(r, plan[RESOLUTION, u])
    if tree.floors[tree.chunk_start[r]] > limit:
        return math.inf
    feed_contexts(
        genome, full, tree.sizes, plan, weights, values, tree.rows, index, same, previous, starters
    )
    if r == full:
        fill_tables(
            genome, full, tree.sizes, plan, weights, values, work.tables, tree.rows, index, same,
            previous, starters,
        )  # fmt: skip
    bits = 0.0
    chunk = tree.chunk_start[r]
    while tree.chunks[chunk] < tree.sizes[r]:
        begin, end = tree.chunks[chunk], tree.chunks[chunk + 1]
        if r == full:
            feed_chunk(
                genome, full, begin, end, plan, weights, values, work.tables, index, same,
                previous, starters, tree.levels,
            )  # fmt: skip
        set_chances(inputs, outputs, r, begin, end, plan, values, work.chances, index, same)
        bits += chunk_bits(
            work.chances, tree.items, tree.weights, tree.item_start[chunk], work.buffer
        )
        chunk += 1
        if bits + tree.floors[chunk] > limit or bits == math.inf:
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
    index: Indices,
    same: Ints,
) -> None:
    """The chunk's table: a row of (unnormalised) chances per target, and the row of totals."""
    n = end - begin
    if outputs == 1:
        zero, one = chances[:n], chances[CHUNK : CHUNK + n]
        copy_output(inputs, r, begin, end, plan, values, one, index, same)
        for i in range(n):
            p = min(one[i], 1.0)
            one[i] = p
            zero[i] = 1.0 - p
        return
    total = chances[outputs * CHUNK : outputs * CHUNK + n]
    fill(total, 0.0)
    for t in range(outputs):
        row = chances[t * CHUNK : t * CHUNK + n]
        copy_output(inputs + t, r, begin, end, plan, values, row, index, same)
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
    index: Indices,
    same: Ints,
) -> None:
    """The unit's values over the chunk, negatives as 0."""
    q = plan[RESOLUTION, unit]
    if q == r:
        x = values[unit, begin:end]
        for i in range(row.size):
            row[i] = max(x[i], 0.0)
    else:
        y = values[unit]
        at = index[same[r, q] + begin : same[r, q] + end]
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


@compiled
def score_rows(
    words: Words,
    starts: Words,
    begin: int,
    end: int,
    encoding: NDArray[np.int64],
    tree: Tree,
    work: Workspace,
    lengths: NDArray[np.int64],
    bits: Floats,
    norms: Floats2,
) -> None:
    """|G|, |D:G|, L1 and L2 of the packed networks begin..end."""
    for i in range(begin, end):
        genome = words[starts[i] : starts[i + 1]]
        lengths[i] = encoded_length(genome, encoding, work.plan[STACK])
        bits[i] = surprisal(genome, tree, work, math.inf)
        norms[0, i], norms[1, i] = weight_norms(genome)


@compiled
def weight_norms(genome: Words) -> tuple[float, float]:
    """Sums of the absolute and of the squared weights, biases included."""
    l1 = l2 = 0.0
    for at in range(HEADER + 1, size_of(genome), UNIT_WORDS):
        weight = abs(genome[at] / genome[at + 1])
        l1 += weight
        l2 += weight * weight
    return l1, l2
