"""`score` and `score_many`: networks packed once, then scored from any thread. `network._code` is
the oracle of |G|.
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
from ._arithmetic import integer_length
from ._compile import announced, compiled, entry
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    SOURCE_MASK,
    UNIT_WORDS,
    Floats,
    Floats2,
    Words,
    pack,
    row_of,
    size_of,
)
from ._plan import SCRATCH, Workspace, check_fed, workspace_for
from ._surprisal import surprisal
from ._tree import Tree, tree_of

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
