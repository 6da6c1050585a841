"""What lies on a card for feeding networks: the corpus, and room for plans and values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .._errors import InputError
from ..kernels._genome import CONNECTION_WORDS, HEADER
from ..kernels._plan import PLAN_ROWS
from ..kernels._tree import CHUNK, Tree, table_rows
from ._cuda import SIMULATED, WARP, cuda, free_bytes, is_out_of_memory, multiprocessors
from ._feeding import feed_kernel

SHARE = 0.85
"""Of the free memory that is asked for."""
SHARE_FOR_VALUES = 0.4
"""Of that, the most for units' values."""
BLOCKS = 24
"""Warps a multiprocessor that feed networks at a time."""
LARGE_TREE = 2048
"""Nodes from which on a network is fed by several warps."""
LARGE_TEAM = 128
THREADS = 64
"""Threads of a block whose teams are smaller than that."""
REGISTERS = 80
"""Of a thread that feeds: few enough for 24 warps a multiprocessor."""


class Plans(NamedTuple):
    """For each network what says how to feed it."""

    plans: Any
    weights: Any
    reach: Any


class Values(NamedTuple):
    """For each block of threads room for the values of a network that it feeds."""

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


def bytes_a_block(tree: Tree, units: int) -> int:
    finite = max(int(size) for size in tree.sizes[:-1])
    return 8 * (units * (int(tree.sizes[-1]) + finite) + table_rows(tree.outputs) * CHUNK)


class Teams(NamedTuple):
    """How networks are fed: by so many threads each, so many of them a block."""

    team: int
    teams: int

    @property
    def threads(self) -> int:
        return self.team * self.teams


def teams_for(tree: Tree) -> Teams:
    """As many threads a network as a level of the tree has nodes, about."""
    if SIMULATED:
        return Teams(4, 1)
    nodes = int(tree.sizes[-1])
    if nodes >= LARGE_TREE:
        return Teams(LARGE_TEAM, 1)
    width = nodes / max(1, len(tree.levels) - 1)
    team = next((size for size in (8, 16) if width <= size), WARP)
    return Teams(team, THREADS // team)


def blocks_for(tree: Tree, units: int, networks: int, parts: int = 1) -> int:
    """How many of so many networks are fed at a time, in one of so many parts of the memory."""
    most = 2 if SIMULATED else BLOCKS * multiprocessors() * WARP // teams_for(tree).team
    room = int(free_bytes() * SHARE * SHARE_FOR_VALUES) // parts // bytes_a_block(tree, units)
    teams = teams_for(tree).teams
    return max(1, min(most, networks, room) // teams) * teams


def new_plans(networks: int, columns: int) -> Plans:
    make = cuda.device_array
    return Plans(
        plans=make((networks, PLAN_ROWS, columns), np.int32),
        weights=make((networks, columns), np.float64),
        reach=make((networks, columns, (columns + 63) // 64), np.uint64),
    )


def new_values(tree: Tree, units: int, blocks: int) -> Values:
    finite = max(int(size) for size in tree.sizes[:-1])
    make = cuda.device_array
    return Values(
        values=make((blocks, units, int(tree.sizes[-1])), np.float64),
        tables=make((blocks, units, finite), np.float64),
        chances=make((blocks, table_rows(tree.outputs) * CHUNK), np.float64),
    )


def launch_of(tree: Tree, values: Values, stream: Any = 0) -> Any:
    """The kernel that feeds networks of a corpus, with as many blocks as there is room for."""
    team, teams = teams_for(tree)
    blocks = max(1, values.networks // teams)
    registers = REGISTERS if not SIMULATED else None
    return feed_kernel(team, teams, registers)[blocks, team * teams, stream]


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
