"""The corpus as kernels see it: its prefix tree, at several resolutions.

A unit that depends on the last input alone has one value per distinct input, not one per prefix;
a unit that looks r steps back has one value per distinct context of r + 1 inputs. So the tree comes
with its contexts of length 1, 2, ... (resolutions 0, 1, ...), and the full tree as the last
resolution. Entries of a resolution that begin a sequence stand first: they have no previous step.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..corpus import Corpus
from ._genome import Floats, Indices, Ints

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
