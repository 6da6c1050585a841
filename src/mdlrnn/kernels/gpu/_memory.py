"""What lies on a card for feeding networks: the corpus, and room for plans and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from .._genome import CONNECTION_WORDS, HEADER
from .._plan import PLAN_ROWS
from .._tree import CHUNK, Tree, table_rows
from ._cuda import SIMULATED, WARP, cuda, free_bytes, is_out_of_memory, multiprocessors
from ._feeding import ALL, NARROW, WIDE, feed_kernel

SHARE = 0.85
"""Of the free memory that is asked for."""
SHARE_FOR_VALUES = 0.4
"""Of that, the most for units' values."""
LARGE_TREE = 2048
"""Nodes from which on a network that needs them all is fed by several warps, and others apart."""
LARGE_TEAM, NARROW_TEAM = 128, 16
NARROW_TEAMS = 4
"""Of those that feed the others, beside each of several warps."""
THREADS = 64
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
        narrow = Feeder(NARROW, NARROW_TEAM, THREADS // NARROW_TEAM, REGISTERS, NARROW_TEAMS)
        return Feeder(WIDE, LARGE_TEAM, 1, LARGE_REGISTERS), narrow
    width = nodes / max(1, len(tree.levels) - 1)
    team = WARP if few else next((size for size in (8, 16) if width <= size), WARP)
    return (Feeder(ALL, team, THREADS // team, REGISTERS),)


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
