"""Scoring networks on a card: what lies there, the corpus and room for plans and values; and
`score_many`, of networks packed once and scored in chunks that fit its memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...corpus import Corpus
from ...errors import InputError
from ...network import Encoding, Network, Score, check_encodable
from .._genome import CONNECTION_WORDS, HEADER, pack, row_of
from .._plan import CHUNK, PLAN_ROWS, Tree, table_rows
from .._scoring import alike, cached_tree, encoding_table
from ._cuda import (
    SIMULATED,
    WARP,
    cuda,
    free_bytes,
    is_out_of_memory,
    multiprocessors,
    require_card,
)
from ._feeding import ABOUT, ALL, NARROW, SPREAD, WIDE, feed_kernel, plan_kernel, weigh_kernel

SHARE = 0.85
"""Of the free memory that is asked for."""
SHARE_FOR_VALUES = 0.4
"""Of that, the most for units' values."""
LARGE_TREE = 2048
"""Nodes from which on a network that needs them all is fed by several warps, and others apart."""
LARGE_TEAM, NARROW_TEAM = 128, 16
NARROW_TEAMS = 4
"""Of those that feed the others, beside each of several warps."""
BLOCK_THREADS = 64
"""Threads of a block whose teams are smaller than that."""
REGISTERS, LARGE_REGISTERS = 80, 64
"""Of a thread that feeds, and of one in a team of several warps."""
ALL_REGISTERS = 1 << 16
"""Of a multiprocessor."""


class Plans(NamedTuple):
    """For each network what says how to feed it."""

    plans: Any
    weights: Any
    reach: Any


class Values(NamedTuple):
    """For each team of threads room for the values of a network that it feeds."""

    values: Any
    tables: Any
    chances: Any

    @property
    def networks(self) -> int:
        """That can be fed at a time."""
        return int(self.values.shape[0])


def columns_for(words: int) -> int:
    """Columns of the plan of any network in a row of so many words."""
    return (words - HEADER) // CONNECTION_WORDS + 2


def bytes_a_network(columns: int) -> int:
    """For its plan, weights and reach."""
    return columns * (4 * PLAN_ROWS + 8) + columns * ((columns + 63) // 64) * 8


class Feeder(NamedTuple):
    """Threads that feed networks: which of them, by how many each, and how many teams a block."""

    part: int
    team: int
    teams: int
    registers: int
    """Of a thread."""
    each: int = 1
    """Teams beside one of the first feeder's."""
    saturation: bool = True
    """Whether sums are cut to the paper's ±10^6."""

    def entries(self, tree: Tree) -> int:
        """At which a unit may have a value."""
        return _most_contexts(tree) if self.part == NARROW else int(tree.sizes[-1])


def feeders_for(tree: Tree, saturation: bool, few: bool = False) -> tuple[Feeder, ...]:
    """As many threads a network as a level of the tree has nodes, about. Of few networks each has a
    warp, so that they do not wait for each other."""
    return tuple(one._replace(saturation=saturation) for one in _feeders(tree, few))


def _feeders(tree: Tree, few: bool) -> tuple[Feeder, ...]:
    nodes = int(tree.sizes[-1])
    if SIMULATED:
        parts = (WIDE, NARROW) if nodes >= LARGE_TREE else (ALL,)
        return tuple(Feeder(part, 4, 1, REGISTERS) for part in parts)
    if nodes >= LARGE_TREE:
        narrow = Feeder(NARROW, NARROW_TEAM, BLOCK_THREADS // NARROW_TEAM, REGISTERS, NARROW_TEAMS)
        return Feeder(WIDE, LARGE_TEAM, 1, LARGE_REGISTERS), narrow
    width = nodes / max(1, len(tree.levels) - 1)
    team = WARP if few else next((size for size in (8, 16) if width <= size), WARP)
    return (Feeder(ALL, team, BLOCK_THREADS // team, REGISTERS),)


def _most_contexts(tree: Tree) -> int:
    return max(int(size) for size in tree.sizes[:-1])


def bytes_a_block(feeders: Sequence[Feeder], tree: Tree, units: int) -> int:
    """For a team of the first feeder and those beside it."""
    chances, contexts = table_rows(tree.outputs) * CHUNK, _most_contexts(tree)
    return sum(
        8 * feeder.each * (units * (feeder.entries(tree) + contexts) + chances)
        for feeder in feeders
    )


def blocks_for(
    feeders: Sequence[Feeder], tree: Tree, units: int, networks: int, parts: int = 1
) -> int:
    """How many of so many networks are fed at a time by the first feeder, in one of so many parts
    of the memory."""
    first = feeders[0]
    warps = ALL_REGISTERS // (first.registers * WARP) // 4 * 4
    most = 2 if SIMULATED else warps * multiprocessors() * WARP // first.team
    room = int(free_bytes() * SHARE * SHARE_FOR_VALUES) // parts
    fitting = room // bytes_a_block(feeders, tree, units)
    return max(1, min(most, networks, fitting) // first.teams) * first.teams


def new_plans(networks: int, columns: int) -> Plans:
    make = cuda.device_array
    return Plans(
        plans=make((networks, PLAN_ROWS, columns), np.int32),
        weights=make((networks, columns), np.float64),
        reach=make((networks, columns, (columns + 63) // 64), np.uint64),
    )


def new_values(
    feeders: Sequence[Feeder], tree: Tree, units: int, blocks: int
) -> tuple[Values, ...]:
    """For each feeder room for the values of the networks that it feeds."""
    make = cuda.device_array
    return tuple(
        Values(
            values=make((blocks * feeder.each, units, feeder.entries(tree)), np.float64),
            tables=make((blocks * feeder.each, units, _most_contexts(tree)), np.float64),
            chances=make((blocks * feeder.each, table_rows(tree.outputs) * CHUNK), np.float64),
        )
        for feeder in feeders
    )


def feed(
    feeders: Sequence[Feeder],
    room: Sequence[Values],
    stream: Any,
    before: tuple[Any, ...],
    *after: Any,
) -> None:
    """Feed the networks of a queue: `before` and `after` are what kernels take beside values."""
    for feeder, values in zip(feeders, room, strict=True):
        blocks = max(1, values.networks // feeder.teams)
        registers = None if SIMULATED else feeder.registers
        made = feed_kernel(
            feeder.team, feeder.teams, feeder.part, registers, feeder.saturation
        )  # fmt: skip
        made[blocks, feeder.team * feeder.teams, stream](*before, *values, *after)


def tree_there(tree: Tree) -> tuple[Any, ...]:
    """The arrays of a tree on the card, in the order in which the kernel takes them."""
    links = tree.links
    arrays = (
        tree.sizes, tree.rows, links.entries, links.same_offsets, links.previous_offsets,
        links.root_counts, tree.levels, tree.chunks, tree.chunk_start, tree.items, tree.weights,
        tree.item_start, tree.lower_bounds,
    )  # fmt: skip
    return tuple(cuda.to_device(np.ascontiguousarray(array)) for array in arrays)


@contextmanager
def within_memory(lower: str) -> Iterator[None]:
    """Say in one sentence what to lower when the card has too little memory."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise InputError(too_little(lower)) from None


def too_little(lower: str) -> str:
    return f"the card has too little free memory ({free_bytes() >> 20:,} MiB); {lower}."


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
