"""N-grams of the training strings: what a simple model would make of held-out ones.

Witten and Bell's estimate, which needs no parameter: a context in which t different symbols were
seen c times altogether gives symbol s the chance (count of s + t · chance in the shorter context)
/ (c + t), and below the shortest context all symbols are equally likely. Nothing gets 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus


def ngram_bits(training: Corpus, held_out: Corpus, order: int) -> float:
    """Bits of all held-out strings; both corpora have the same alphabet in the same order."""
    assert training.alphabet is not None
    assert training.alphabet == held_out.alphabet
    symbols = len(training.alphabet)
    chances = np.full(len(held_out.item_node), 1 / symbols)
    for length in range(order):
        seen = _contexts(training, length, symbols)[training.item_node]
        asked = _contexts(held_out, length, symbols)[held_out.item_node]
        count = _Counts(seen * symbols + training.item_target, training.item_weight)
        total = _Counts(seen, training.item_weight)
        kinds = _Counts(np.unique(seen * symbols + training.item_target) // symbols)
        t = kinds.of(asked)
        below = t > 0
        given = count.of(asked * symbols + held_out.item_target)
        whole = np.where(below, total.of(asked) + t, 1)
        chances = np.where(below, (given + t * chances) / whole, chances)
    return float(-np.sum(held_out.item_weight * np.log2(chances)))


class _Counts:
    """How often each code occurs."""

    def __init__(self, codes: NDArray[np.int64], weights: NDArray[np.float64] | None = None):
        self.codes, place = np.unique(codes, return_inverse=True)
        self.counts = np.bincount(place, weights, minlength=len(self.codes))

    def of(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, self.counts[place], 0.0)


def _contexts(corpus: Corpus, length: int, symbols: int) -> NDArray[np.int64]:
    """For each node its last symbols, so many, as one number; before the first there is none."""
    code = np.zeros(len(corpus.symbol), dtype=np.int64)
    node = np.arange(len(corpus.symbol))
    for _ in range(length):
        symbol = np.where(node >= 0, corpus.symbol[node], symbols).astype(np.int64)
        code = code * (symbols + 1) + symbol
        node = np.where(node >= 0, corpus.parent[node], -1)
    return code


def trigram_length(corpus: Corpus) -> float:
    """Bits of a corpus under the trigram model of its own counts, and of the model: for each
    context how many symbols follow it and which, and for each number that the model needs half the
    logarithm of the corpus' size."""
    assert corpus.alphabet is not None
    symbols = len(corpus.alphabet)
    contexts = _contexts(corpus, 2, symbols)[corpus.item_node]
    following = _Counts(np.unique(contexts * symbols + corpus.item_target) // symbols).counts
    numbers = float(np.sum(following - 1))
    named = sum(math.log2(symbols * math.comb(symbols, int(count))) for count in following)
    of_model = named + numbers / 2 * math.log2(corpus.item_weight.sum())
    return ngram_bits(corpus, corpus, 3) + of_model


def list_length(corpus: Corpus) -> float:
    """Bits of a corpus as a list of its distinct strings, each symbol as long as the next, and then
    the number in that list of each of its strings, in a code that fits their frequencies."""
    assert corpus.alphabet is not None
    strings = list(corpus.strings())
    total = sum(count for _, count in strings)
    written = sum(len(string) + 1 for string, _ in strings) * math.log2(len(corpus.alphabet))
    return written - sum(count * math.log2(count / total) for _, count in strings)
