"""Symbols that a corpus uses alike, such as the nouns of a language of words.

Two symbols are of one class where what stands around them may come from one source: what follows
next and next but one, what stands before, and how their strings begin and end, each of which must
be shorter to write down for both together than for each. A corpus with one symbol for each class
has fewer symbols and says more of each, so counters and automata are found in it that words hide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...corpus import Corpus

MOST_WORDS = 200
"""Larger alphabets are left alone."""
MOST_READ = 300_000
"""Symbols of distinct strings that are looked at; corpora with more are left alone."""
ROUNDS = 4
"""How often each symbol looks for its class again, since the classes around it have changed."""
DISTANCES = (-2, -1, 1, 2)
Tables = NDArray[np.float64]


def classes_of(corpus: Corpus, boundary: int) -> list[list[int]]:
    """The symbols that occur, in classes; the most frequent of each first, the boundary alone."""
    often = _often(corpus)
    words = [s for s in np.argsort(-often, kind="stable").tolist() if often[s] and s != boundary]
    rank = {word: place for place, word in enumerate(words)}
    # In the first round neighbours are words, later they are what classes there are.
    around = [[symbol] for symbol in (boundary, *words)]
    if len(words) > MOST_WORDS or corpus.inputs > 2 * MOST_WORDS:
        return around
    tables = _neighbours(corpus, boundary)
    if tables is None:
        return around
    found: list[list[int]] = []
    for _ in range(ROUNDS):
        for word in words:
            _place(word, found, _by_class(tables, around))
        found = [sorted(own, key=rank.__getitem__) for own in found]
        found.sort(key=lambda own: rank[own[0]])
        if [[boundary], *found] == around:
            break
        around = [[boundary], *(list(own) for own in found)]
    return around


def _place(word: int, classes: list[list[int]], tables: Tables) -> None:
    """Put a word into the class that it is most like, or into one of its own."""
    for own in classes:
        if word in own:
            own.remove(word)
    classes[:] = filter(None, classes)
    gains = [_gain(tables[:, word], tables[:, own].sum(axis=1)) for own in classes]
    if gains and max(gains) > 0:
        classes[int(np.argmax(gains))].append(word)
    else:
        classes.append([word])


def _often(corpus: Corpus) -> Tables:
    return np.bincount(corpus.item_target, corpus.item_weight, corpus.outputs).astype(np.float64)


def _neighbours(corpus: Corpus, boundary: int) -> Tables | None:
    """(place, symbol, symbol): how often the second stands there from the first: at each of the
    distances, first in the string, and last. A symbol that is itself the first or the last has an
    own column, behind the others. None where there is too much to read."""
    size = corpus.inputs
    assert corpus.alphabet is not None
    number = {symbol: place for place, symbol in enumerate(corpus.alphabet)}
    counts = np.zeros((len(DISTANCES) + 2, size, size + 1))
    reach = max(DISTANCES)
    left = MOST_READ
    for string, count in corpus.strings():
        left -= len(string)
        if left < 0:
            return None
        if not string:
            continue
        read = np.array([number[symbol] for symbol in string])
        ends = np.full(reach, boundary)
        padded = np.concatenate([ends, read, ends])
        for place, distance in enumerate(DISTANCES):
            begin = reach + distance
            np.add.at(counts[place], (read, padded[begin : begin + len(read)]), count)
        for place, end in ((-2, 0), (-1, len(read) - 1)):
            there = np.full(len(read), read[end])
            there[end] = size
            np.add.at(counts[place], (read, there), count)
    return counts


def _by_class(tables: Tables, classes: list[list[int]]) -> Tables:
    """The same with a column for each class, and the one behind."""
    columns = [tables[:, :, own].sum(axis=2) for own in classes]
    return np.stack([*columns, tables[:, :, -1]], axis=2)


def _gain(first: Tables, second: Tables) -> float:
    """Bits saved by writing down what stands around both together; less than 0 where at some place
    that is better written down apart."""
    gains = [
        _price(a) + _price(b) - _price(both)
        for a, b, both in zip(first, second, first + second, strict=True)
    ]
    return sum(gains) if min(gains) >= 0 else min(gains)


def _price(counts: Tables) -> float:
    """Bits of these counts in the code of Krichevsky and Trofimov."""
    nats = math.lgamma(float(counts.sum()) + len(counts) / 2) - math.lgamma(len(counts) / 2)
    nats -= sum(math.lgamma(count + 0.5) - math.lgamma(0.5) for count in counts.tolist() if count)
    return nats / math.log(2)


def with_classes(corpus: Corpus, classes: list[list[int]]) -> Corpus:
    """The corpus with the first symbol of its class in place of each, in the same alphabet."""
    assert corpus.alphabet is not None
    first = {corpus.alphabet[s]: corpus.alphabet[own[0]] for own in classes for s in own}
    counts: dict[tuple[str, ...], int] = {}
    for string, count in corpus.strings():
        plain = tuple(first[symbol] for symbol in string)
        counts[plain] = counts.get(plain, 0) + count
    return Corpus.from_strings(list(counts), list(counts.values())).with_alphabet(corpus.alphabet)


def shares_of(corpus: Corpus, classes: list[list[int]]) -> dict[int, dict[int, float]]:
    """By the first symbol of each class of several, how much of it each symbol makes."""
    often = _often(corpus)
    return {
        own[0]: {symbol: float(often[symbol] / often[own].sum()) for symbol in own}
        for own in classes
        if len(own) > 1
    }
