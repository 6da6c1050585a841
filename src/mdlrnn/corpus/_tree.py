"""Growing the prefix tree of a corpus from its sequences, without a loop over symbols or levels.

The sequences are sorted, so that those with a common prefix stand together; everything else
follows from how many first symbols each one shares with its neighbour. Here are only arrays of
integers: what they stand for is known to `_corpus`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Integers = NDArray[Any]
Int32 = NDArray[np.int32]

MOST_NODES = 2**31 - 1
"""Nodes are numbered in 32 bits."""
BLOCK = 2**20
"""Symbols compared at once: bounds the memory, not the result."""


class Tree(NamedTuple):
    """Nodes in breadth-first order, inside a level by (parent, symbol); see `Corpus`."""

    parent: Int32
    symbol: Int32
    levels: Int32
    weight: NDArray[np.float64]
    """How many sequences, with their counts, pass through the node."""
    opened: NDArray[np.int64]
    """step * sequences + rank of the first sequence, in sorted order, to reach the node."""
    rank: NDArray[np.int64]
    """The place of each given sequence in sorted order."""

    def node(self, sequence: Integers, step: Integers) -> NDArray[np.int64]:
        """The node that a sequence reaches at a step: the last one opened there up to its rank."""
        wanted = step * len(self.rank) + self.rank[sequence]
        return np.searchsorted(self.opened, wanted, side="right") - 1


def grow(codes: Integers, lengths: Integers, counts: Integers) -> Tree:
    """The tree of the sequences whose codes (0, 1, ...) stand one after the other in `codes`."""
    order, codes = _sort(codes, lengths)
    lengths, counts = lengths[order], counts[order]
    starts = np.cumsum(lengths) - lengths
    number = len(lengths)
    shared = np.zeros(number + 1, np.int64)
    shared[1:-1] = _shared(codes, starts, lengths)
    # A sequence opens the nodes beyond what it shares with the one before it, and closes those
    # beyond what it shares with the one after it. At any time one node of a level is open, so
    # the k-th node to be opened on a level is also the k-th to be closed.
    step, opener = _beyond(lengths, shared[:-1])
    closer = _beyond(lengths, shared[1:])[1]
    if len(step) > MOST_NODES:
        raise InputError(
            f"the corpus has {len(step)} distinct prefixes, more than {MOST_NODES}; "
            "give fewer or shorter sequences."
        )
    passed = np.concatenate(([0.0], np.cumsum(counts)))
    weight = passed[1:][closer] - passed[opener]
    del closer
    opened = step.astype(np.int64) * number + opener
    rank = np.empty(number, np.int64)
    rank[order] = np.arange(number)
    return Tree(
        # The last node opened one step earlier by this sequence or one before it; -1 if none.
        parent=(np.searchsorted(opened, opened - number, side="right") - 1).astype(np.int32),
        symbol=codes[starts[opener] + step].astype(np.int32),
        levels=np.searchsorted(step, np.arange(int(step[-1]) + 2)).astype(np.int32),
        weight=weight,
        opened=opened,
        rank=rank,
    )


def following(tree: Tree) -> tuple[Int32, Int32, NDArray[np.float64]]:
    """What follows each node of a tree of strings, as node, target and weight: the children,
    and before them the boundary, target 0, where strings end."""
    parent, symbol, weight = tree.parent[1:], tree.symbol[1:], tree.weight[1:]
    # Of the strings that come to a node, those that go on to no child end there.
    ending = tree.weight - np.bincount(parent, weight, len(tree.weight))
    last = np.flatnonzero(ending)
    at = np.searchsorted(parent, last)
    return (
        np.insert(parent, at, last),
        np.insert(symbol, at, 0),
        np.insert(weight, at, ending[last]),
    )


def reorder(parent: Int32, symbol: Int32, levels: Int32) -> NDArray[np.int64]:
    """The order of the nodes that is breadth-first for these symbols, as old node numbers."""
    order = np.arange(len(parent))
    place = np.arange(len(parent))
    for start, end in pairwise(levels.tolist()):
        if end - start == 1:
            continue
        above = place[parent[start:end]] if start else parent[start:end]
        order[start:end] = start + np.lexsort((symbol[start:end], above))
        place[order[start:end]] = np.arange(start, end)
    return order


def _sort(codes: Integers, lengths: Integers) -> tuple[NDArray[np.int64], Integers]:
    """The lexicographic order of the sequences, and their codes in that order."""
    big_endian = codes.dtype.newbyteorder(">")  # bytes then compare as the codes do
    raw = codes.astype(big_endian).tobytes()
    edges = np.concatenate(([0], np.cumsum(lengths))) * codes.itemsize
    keys = [raw[start:end] for start, end in pairwise(edges.tolist())]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    raw = b"".join(map(keys.__getitem__, order))
    return np.array(order), np.frombuffer(raw, big_endian).astype(codes.dtype)


def _shared(codes: Integers, starts: Integers, lengths: Integers) -> NDArray[np.int64]:
    """How many first symbols each sequence but the first shares with the one before it."""
    shared = np.minimum(lengths[:-1], lengths[1:]).astype(np.int64)
    blocks = np.unique(np.cumsum(shared) // BLOCK, return_index=True)[1].tolist()
    for first, last in pairwise([*blocks, len(shared)]):
        compared = shared[first:last]
        pair, step = _steps(compared, np.zeros_like(compared))
        differ = np.flatnonzero(
            codes[starts[first + pair] + step] != codes[starts[first + pair + 1] + step]
        )
        pair, step = pair[differ], step[differ]
        earliest = np.flatnonzero(np.diff(pair, prepend=-1))
        compared[pair[earliest]] = step[earliest]
    return shared


def _beyond(lengths: Integers, shared: Integers) -> tuple[Integers, Integers]:
    """Step and sequence of all that lies beyond the shared part, by step and then by sequence."""
    sequence, step = _steps(lengths, shared)
    step = step.astype(np.min_scalar_type(int(lengths.max())))  # short integers sort in linear time
    order = np.argsort(step, kind="stable")
    return step[order], sequence[order]


def _steps(ends: Integers, starts: Integers) -> tuple[Integers, Integers]:
    """Sequence and step of each step from `starts` up to `ends` of every sequence."""
    counts = ends - starts
    sequence = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    offset = starts - (np.cumsum(counts) - counts)
    return sequence, np.arange(len(sequence)) + offset[sequence]
