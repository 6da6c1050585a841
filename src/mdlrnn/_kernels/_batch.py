"""Networks scored together: packed once, then scored block by block from any thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from .._corpus import Corpus
from .._encoding import Encoding
from .._network import Network
from ._compile import announced
from ._genome import pack, row_of
from ._score import encoding_table, score_rows, workspace_for
from ._tree import Tree, tree_of


@lru_cache(maxsize=8)
def cached_tree(corpus: Corpus) -> Tree:
    return tree_of(corpus)


class Batch:
    """Packed networks with room for their scores. Blocks may be scored at the same time."""

    def __init__(self, corpus: Corpus, encoding: Encoding, networks: Sequence[Network]) -> None:
        self.tree = cached_tree(corpus)
        self.encoding = encoding_table(encoding)
        self.words, self.starts = pack([row_of(network) for network in networks])
        self.units = max((len(network.units) for network in networks), default=1)
        self.connections = max((len(network.connections) for network in networks), default=0)
        self.lengths = np.zeros(len(networks), dtype=np.int64)
        self.bits = np.zeros(len(networks))
        self.norms = np.zeros((2, len(networks)))

    def score(self, begin: int, end: int) -> None:
        work = workspace_for(self.tree, self.units, self.connections)
        with announced("score", "the scoring kernels"):
            score_rows(
                self.words, self.starts, begin, end, self.encoding, self.tree, work,
                self.lengths, self.bits, self.norms,
            )  # fmt: skip

    def results(self) -> Iterator[tuple[int, float, float, float]]:
        l1, l2 = self.norms.tolist()
        return zip(self.lengths.tolist(), self.bits.tolist(), l1, l2, strict=True)
