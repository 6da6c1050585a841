"""|G| and |D:G| of genome rows, and the distribution after each prefix; their oracles are
`network._code` and `corpus._corpus`. `score` and `score_many` take networks packed once, which any
thread may score.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..checks import check_threads
from ..corpus import Corpus, match
from ..network import ACTIVATIONS, Encoding, Network, Score, check_encodable
from ._activations import bits_of, fill, integer_length, log2, log2_parts
from ._compile import announced, compiled, entry, shared, source_of
from ._feed import feed_chunk, feed_contexts, fill_tables
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    SOURCE_MASK,
    UNIT_WORDS,
    Floats,
    Floats2,
    Indices,
    Ints,
    Words,
    pack,
    row_of,
    size_of,
)
from ._plan import (
    CHUNK,
    RESOLUTION,
    SCRATCH,
    Links,
    Plan,
    Tree,
    Workspace,
    check_fed,
    make_plan,
    tree_of,
    workspace_for,
)

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


TYPE_BITS, PARTS_BITS = len(ACTIVATIONS), len(ACTIVATIONS) + 1
"""Places in an encoding's table, behind the activations."""


def encoding_table(encoding: Encoding) -> NDArray[np.int64]:
    """Bits of each activation's field and cost (-1: not allowed), of a type, and of the parts.

    Where the code says which parts a network has, the widths of its fields follow from the network
    and are not in the table.
    """
    says_parts = encoding.says_parts
    bits = [
        (0 if says_parts else encoding.activation_bits(name)) + encoding.cost_bits(name)
        if name in encoding.activations
        else -1
        for name in ACTIVATIONS
    ]
    types = 0 if says_parts else int(encoding.type_bit)
    # One bit for each activation beyond linear, and one for products.
    return np.array([*bits, types, len(ACTIVATIONS) if says_parts else 0], dtype=np.int64)


@compiled
def number_bits(n: int) -> int:
    """Length of E(n)."""
    return 2 * integer_length(n) + 1


@compiled
def weight_bits(numerator: int, denominator: int) -> int:
    return 1 + number_bits(abs(numerator)) + number_bits(denominator)


@compiled
def encoded_length(genome: Words, encoding: NDArray[np.int64], outgoing: NDArray[np.int64]) -> int:
    """|G|. `outgoing` is scratch, a place per unit."""
    units, connections = genome[0], genome[1]
    bits = number_bits(units) + units * encoding[TYPE_BITS] + encoding[PARTS_BITS]
    used = 0
    at = HEADER
    for u in range(units):
        outgoing[u] = 0
        bits += encoding[genome[at] % PRODUCT]
        used |= 1 << genome[at]
        bits += 2 if genome[at + 1] == 0 else weight_bits(genome[at + 1], genome[at + 2])
        at += UNIT_WORDS
    if encoding[PARTS_BITS] > 0:
        bits += units * part_fields(used)
    bits += connections * (1 + integer_length(units - 1))
    for _ in range(connections):
        outgoing[genome[at] & SOURCE_MASK] += 1
        bits += weight_bits(genome[at + 1], genome[at + 2])
        at += CONNECTION_WORDS
    for u in range(units):
        bits += number_bits(outgoing[u])
    return bits


@compiled
def part_fields(used: int) -> int:
    """Bits by which a unit names its activation, and its type where one is a product, given the
    set of the units' codes."""
    kinds = 0
    for activation in range(PRODUCT):
        if used & ((1 << activation) | (1 << (activation + PRODUCT))):
            kinds += 1
    return integer_length(kinds - 1) + (1 if used >> PRODUCT else 0)


@compiled
def weight_norms(genome: Words) -> tuple[float, float]:
    """Sums of the absolute and of the squared weights, biases included."""
    l1 = l2 = 0.0
    for at in range(HEADER + 1, size_of(genome), UNIT_WORDS):
        weight = abs(genome[at] / genome[at + 1])
        l1 += weight
        l2 += weight * weight
    return l1, l2


def norms_of(row: Words) -> tuple[float, float]:
    """`weight_norms` in plain Python, for who needs nothing else here; the last bits agree too."""
    l1, l2 = source_of(weight_norms)(row)
    return float(l1), float(l2)


def score(network: Network, corpus: Corpus, encoding: Encoding | None = None) -> Score:
    """|G| and |D:G| of one network. Without an encoding, the paper's, as the network needs it."""
    return score_many([network], corpus, encoding, threads=1)[0]


def score_many(
    networks: Sequence[Network],
    corpus: Corpus,
    encoding: Encoding | None = None,
    *,
    threads: int | None = None,
) -> list[Score]:
    """The scores of many networks, on as many threads as asked for (by default, all cores)."""
    check_threads(threads)
    threads = (os.cpu_count() or 1) if threads is None else threads
    for network in networks:
        if encoding is not None:
            check_encodable(network, encoding)
    results: list[Score | None] = [None] * len(networks)
    for (corpus_here, encoding_here, _), places in alike(networks, corpus, encoding).items():
        batch = Batch(corpus_here, encoding_here, [networks[i] for i in places])
        blocks = _blocks(len(places), threads)
        if len(blocks) == 1:
            batch.score(*blocks[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                for done in [pool.submit(batch.score, *block) for block in blocks]:
                    done.result()
        for i, (g, d, l1, l2) in zip(places, batch.results(), strict=True):
            results[i] = Score(g, d, l1, l2)
    return [result for result in results if result is not None]


def alike(
    networks: Sequence[Network], corpus: Corpus, encoding: Encoding | None
) -> dict[tuple[Corpus, Encoding, bool], list[int]]:
    """Which networks see the corpus through the same alphabet, are encoded the same way and cut
    their sums alike."""
    seen: dict[tuple[object, ...], tuple[Corpus, Encoding, bool]] = {}
    groups: dict[tuple[Corpus, Encoding, bool], list[int]] = {}
    for i, network in enumerate(networks):
        fitting = encoding or Encoding.fitting(network)
        key = (network.alphabet, network.inputs, network.outputs, network.saturation, fitting)
        if key not in seen:
            seen[key] = (match(corpus, network), fitting, network.saturation)
        groups.setdefault(seen[key], []).append(i)
    return groups


def _blocks(count: int, threads: int) -> list[tuple[int, int]]:
    """Several blocks a thread, so that no thread waits long for the last one."""
    parts = 1 if threads == 1 else min(count, 8 * threads)
    edges = [count * i // parts for i in range(parts + 1)] if parts else [0, 0]
    return list(pairwise(edges))


@lru_cache(maxsize=8)
def cached_tree(corpus: Corpus) -> Tree:
    return tree_of(corpus)


class Batch:
    """Packed networks, alike, with room for their scores. Blocks may be scored at the same time."""

    def __init__(self, corpus: Corpus, encoding: Encoding, networks: Sequence[Network]) -> None:
        self.tree = cached_tree(corpus)
        self.encoding = encoding_table(encoding)
        self.words, self.starts = pack([row_of(network) for network in networks])
        self.units = max((len(network.units) for network in networks), default=1)
        self.saturation = all(network.saturation for network in networks)
        self.connections = max((len(network.connections) for network in networks), default=0)
        check_fed(self.tree, self.units, self.connections)
        self.lengths = np.zeros(len(networks), dtype=np.int64)
        self.bits = np.zeros(len(networks))
        self.norms = np.zeros((2, len(networks)))

    def score(self, begin: int, end: int) -> None:
        work = workspace_for(self.tree, self.units, self.connections, self.saturation)
        with announced("score", "the scoring kernels"):
            score_rows(
                self.words, self.starts, begin, end, self.encoding, self.tree, work,
                self.lengths, self.bits, self.norms,
            )  # fmt: skip

    def results(self) -> Iterator[tuple[int, float, float, float]]:
        l1, l2 = self.norms.tolist()
        return zip(self.lengths.tolist(), self.bits.tolist(), l1, l2, strict=True)


@entry
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
        lengths[i] = encoded_length(genome, encoding, work.plan[SCRATCH])
        bits[i] = surprisal(genome, tree, work, math.inf)
        norms[0, i], norms[1, i] = weight_norms(genome)
