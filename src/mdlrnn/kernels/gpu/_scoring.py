"""`score_many` on a card: networks packed once, then scored in chunks that fit its memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...corpus import Corpus
from ...errors import InputError
from ...network import Encoding, Network, Score, check_encodable
from .._genome import pack, row_of
from .._scoring import alike, cached_tree, encoding_table
from ._cuda import SIMULATED, cuda, free_bytes, require_card
from ._feeding import ABOUT, SPREAD, plan_kernel, weigh_kernel
from ._memory import (
    SHARE,
    SHARE_FOR_VALUES,
    blocks_for,
    bytes_a_block,
    bytes_a_network,
    feed,
    feeders_for,
    new_plans,
    new_values,
    too_little,
    tree_there,
    within_memory,
)

MOST_NETWORKS = 1 << 17
"""Scored at a time."""
THREADS = 8 if SIMULATED else 128
LOWER = "score networks with fewer units, or on fewer strings"


def score_on_card(
    networks: Sequence[Network], corpus: Corpus, encoding: Encoding | None = None
) -> list[Score]:
    """The scores of many networks, as `kernels._scoring.score_many` gives them."""
    require_card()
    for network in networks:
        if encoding is not None:
            check_encodable(network, encoding)
    results: list[Score | None] = [None] * len(networks)
    for (corpus_here, encoding_here, _), places in alike(networks, corpus, encoding).items():
        batch = CardBatch(corpus_here, encoding_here, [networks[i] for i in places])
        for i, score in zip(places, batch.scores(), strict=True):
            results[i] = score
    return [result for result in results if result is not None]


class CardBatch:
    """Networks for a card, in chunks that it has room for; all of them are cut, or none."""

    def __init__(self, corpus: Corpus, encoding: Encoding, networks: Sequence[Network]) -> None:
        tree = cached_tree(corpus)
        self.networks = networks
        self.units = max((len(network.units) for network in networks), default=1)
        connections = max((len(network.connections) for network in networks), default=0)
        self.columns = max(self.units, connections, 4) + 1
        about = np.zeros(ABOUT, dtype=np.int64)
        about[:3] = tree.inputs, tree.outputs, tree.full
        about[SPREAD] = 1
        saturation = all(network.saturation for network in networks)
        self.feeders = feeders_for(tree, saturation)
        block = bytes_a_block(self.feeders, tree, self.units)
        if block > SHARE * SHARE_FOR_VALUES * free_bytes():
            raise InputError(too_little(LOWER))
        room = SHARE * (1 - SHARE_FOR_VALUES) * free_bytes()
        words = 8 * 3 * (self.units + connections + 1)
        fitting = int(room) // (bytes_a_network(self.columns) + words + 64)
        self.size = max(1, min(len(networks), MOST_NETWORKS, fitting))
        with within_memory(LOWER):
            self.about = cuda.to_device(about)
            self.encoding = cuda.to_device(encoding_table(encoding))
            self.tree_there = tree_there(tree)
            self.plans = new_plans(self.size, self.columns)
            blocks = blocks_for(self.feeders, tree, self.units, self.size)
            self.values = new_values(self.feeders, tree, self.units, blocks)
            self.queue = cuda.to_device(np.arange(self.size, dtype=np.int64))
            self.limits = cuda.to_device(np.full(self.size, math.inf))
            self.lengths = cuda.device_array(self.size, np.int64)
            self.bits = cuda.device_array(self.size, np.float64)
            self.norms = cuda.device_array((2, self.size), np.float64)

    def load(self, begin: int) -> int:
        """Bring the networks from this one on to the card, as many as fit; how many."""
        rows = [row_of(network) for network in self.networks[begin : begin + self.size]]
        words, starts = pack(rows)
        with within_memory(LOWER):
            self.words, self.starts = cuda.to_device(words), cuda.to_device(starts)
        return len(rows)

    def run(self, count: int) -> None:
        """Score the networks that were loaded."""
        queued = cuda.to_device(np.array([count, 0, 0], dtype=np.int64))
        plans = self.plans
        grid = -(-count // THREADS)
        weigh_kernel[grid, THREADS](
            self.words, self.starts, count, self.encoding, plans.plans, self.lengths, self.norms
        )
        plan_kernel[grid, THREADS](
            self.about, self.words, self.starts, self.queue, queued, *plans,
        )  # fmt: skip
        before = (
            self.about, *self.tree_there, self.words, self.starts, self.queue, queued, *plans
        )  # fmt: skip
        feed(self.feeders, self.values, 0, before, self.limits, self.bits)

    def scores(self) -> Iterator[Score]:
        for begin in range(0, len(self.networks), self.size):
            count = self.load(begin)
            self.run(count)
            lengths, bits = self.lengths.copy_to_host(), self.bits.copy_to_host()
            l1, l2 = self.norms.copy_to_host()
            parts = (part[:count].tolist() for part in (lengths, bits, l1, l2))
            yield from (Score(*each) for each in zip(*parts, strict=True))
