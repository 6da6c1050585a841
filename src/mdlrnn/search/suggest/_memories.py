"""What a corpus may suggest to remember: counters and stacks, and tests of them.

A memory is worth having if a test of it tells about the next symbol.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...construction import Counted
from ...corpus import Corpus

MOST_SYMBOLS = 7
"""Of larger alphabets not all memories can be tried."""
MOST_PAIRED = 20
"""Alphabets up to this have memories in which pairs of symbols do and undo; larger ones none."""
MOST_NUMBERS = 12_000_000
"""Nodes times memories that are tried at once."""
LEAST_GAIN = 60.0
"""Bits that a memory has to save; a network with it is longer by more."""


def symbols_of(corpus: Corpus, boundary: int) -> list[int]:
    """The symbols that occur in strings."""
    return [s for s in np.unique(corpus.symbol).tolist() if s != boundary]


def seen_with(corpus: Corpus, tests: Sequence[Counted]) -> NDArray[np.int64]:
    """For each node its symbol and which tests hold: symbol + inputs * bits."""
    seen = corpus.symbol.astype(np.int64)
    for place, test in enumerate(tests):
        seen = seen + corpus.inputs * (test.zero.astype(np.int64) << place)
    return seen


def bits_given(corpus: Corpus, context: NDArray[np.int64], contexts: int) -> float:
    """Bits of the corpus where the next symbol depends on the context of its node alone."""
    key = context[corpus.item_node] * corpus.outputs + corpus.item_target
    counts = np.bincount(key, corpus.item_weight, contexts * corpus.outputs)
    table = counts.reshape(contexts, corpus.outputs)
    totals = table.sum(axis=1)
    used = table[table > 0]
    return float(totals[totals > 0] @ np.log2(totals[totals > 0]) - used @ np.log2(used))
