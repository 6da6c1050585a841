"""A network on held-out strings of an unknown language, beside n-grams of the training strings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus, match
from ..network import BOUNDARY, Network, counted, powers, spelled
from ._measures import LONGEST, bits_of, entropy_text, fed


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
    """Bits of a corpus as a list of its distinct strings, each symbol as long as the next, of how
    often each of them comes, and then of the number in that list of each of its strings, in a code
    that fits these frequencies."""
    assert corpus.alphabet is not None
    strings = list(corpus.strings())
    total = sum(count for _, count in strings)
    written = sum(len(string) + 1 for string, _ in strings) * math.log2(len(corpus.alphabet))
    return (
        written
        + _choices(total - 1, len(strings) - 1)
        - sum(count * math.log2(count / total) for _, count in strings)
    )


def _choices(of: float, chosen: int) -> float:
    """Bits to say which places are chosen: so a total is cut into counts of at least 1."""
    logs = math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)
    return max(0.0, logs) / math.log(2)


COSTLIEST = 5
"""Strings that are named."""


class Costly(NamedTuple):
    """A held-out string, and the step of it that the network expects least."""

    string: str
    times: int
    """How often it is among the held-out strings."""
    bits: float
    """Of the string once."""
    step: int
    """Symbols read before that step, not counting the boundary."""
    symbol: str
    """What follows there; '#' is the end."""
    chance: float
    """What the network gives it."""


class UnseenReport(NamedTuple):
    strings: int
    characters: int
    bits: float
    baselines: dict[str, float | None]
    """Bits of the same strings under simple models; None without training strings."""
    new_strings: int | None = None
    """Held-out strings that are not among the training strings."""
    costliest: tuple[Costly, ...] = ()

    @property
    def cross_entropy(self) -> float:
        """Bits a character."""
        return self.bits / self.characters

    def to_dict(self) -> dict[str, object]:
        baselines = {
            name: None if bits is None else bits / self.characters
            for name, bits in self.baselines.items()
        }
        return {
            "test_strings": self.strings,
            "test_characters": self.characters,
            "test_cross_entropy": self.cross_entropy,
            "baselines": baselines,
            "new_strings": self.new_strings,
            "costliest": [costly._asdict() for costly in self.costliest],
        }

    def __str__(self) -> str:
        """What `mdlrnn test` prints."""
        lines = [f"{counted(self.strings, 'string')}, {counted(self.characters, 'character')}", ""]
        lines.append(f"{'cross-entropy':<36}bits a character")
        lines.append(f"{'the network':<36}{entropy_text(self.cross_entropy):>16}")
        for name, bits in self.baselines.items():
            if bits is not None:
                lines.append(f"{LABELS[name]:<36}{entropy_text(bits / self.characters):>16}")
        if self.new_strings:
            are = "is" if self.new_strings == 1 else "are"
            lines.append(f"  ({self.new_strings:,} of the strings {are} not among them)")
        if None in self.baselines.values():
            lines += ["", *WITHOUT_TRAINING]
        if self.costliest:
            lines += ["", "the costliest strings", *(_line(costly) for costly in self.costliest)]
        return "\n".join(lines)


LABELS = {
    "uniform": "all symbols equally likely",
    "unigram": "unigram of the training strings",
    "trigram": "trigram of the training strings",
    "training_frequencies": "frequencies of the training strings",
}
WITHOUT_TRAINING = (
    "For what n-grams of the training strings would pay, give the run's folder as",
    "the network, or the strings with --training FILE.",
)


def _line(costly: Costly) -> str:
    string = costly.string if len(costly.string) <= LONGEST else powers(costly.string)
    times = f" ({costly.times:,} times)" if costly.times > 1 else ""
    read = f"{costly.step} symbol{'' if costly.step == 1 else 's'}"
    bits = "infinite" if math.isinf(costly.bits) else f"{costly.bits:.2f}"
    return (
        f"{bits:>10} bits  {string or 'the empty string'}{times}\n"
        f"{'':17}after {read}: P({costly.symbol}) = {costly.chance:.4g}"
    )


def measure_unseen(
    network: Network, held_out: Corpus, training: Corpus | None = None
) -> UnseenReport:
    """The bits of held-out strings under the network and under simple models."""
    chances, corpus = fed(network, held_out)
    baselines: dict[str, float | None] = {}
    new = None
    if corpus.alphabet is not None:
        baselines["uniform"] = corpus.characters * math.log2(len(corpus.alphabet))
        known = None if training is None else match(training, network)
        for name, order in (("unigram", 1), ("trigram", 3)):
            baselines[name] = None if known is None else ngram_bits(known, corpus, order)
        baselines["training_frequencies"] = None
        if known is not None:
            baselines["training_frequencies"], new = _frequencies(known, corpus)
    return UnseenReport(
        corpus.sequences, corpus.characters, bits_of(chances, corpus), baselines, new,
        _costliest(chances, corpus),
    )  # fmt: skip


def _frequencies(training: Corpus, held_out: Corpus) -> tuple[float, int]:
    """Bits if each string had its share of the training strings; and how many are not there."""
    below = {
        (parent, symbol): node
        for node, (parent, symbol) in enumerate(
            zip(training.parent.tolist(), training.symbol.tolist(), strict=True)
        )
    }
    counts = dict(_ends(training))
    same: list[int | None] = []
    """For each node of the held-out strings that of the training strings with the same prefix."""
    for parent, symbol in zip(held_out.parent.tolist(), held_out.symbol.tolist(), strict=True):
        above = same[parent] if parent >= 0 else -1
        same.append(None if above is None else below.get((above, symbol)))
    bits, new = 0.0, 0
    for node, count in _ends(held_out):
        place = same[node]
        seen = 0 if place is None else counts.get(place, 0)
        new += 0 if seen else count
        bits += count * math.log2(training.sequences / seen) if seen else math.inf
    return bits, new


def _ends(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """The nodes at which strings end, with how many do."""
    assert corpus.alphabet is not None
    ends = corpus.item_target == corpus.alphabet.index(BOUNDARY)
    nodes, weights = corpus.item_node[ends].tolist(), corpus.item_weight[ends].tolist()
    yield from zip(nodes, map(round, weights), strict=True)


def _costliest(chances: NDArray[np.float64], corpus: Corpus) -> tuple[Costly, ...]:
    if corpus.alphabet is None:
        return ()
    with np.errstate(divide="ignore"):
        surprise = -np.log2(chances)
    cost = np.zeros(len(corpus.symbol))
    for begin, end in zip(corpus.levels[1:-1], corpus.levels[2:], strict=True):
        above = corpus.parent[begin:end]
        cost[begin:end] = cost[above] + surprise[above, corpus.symbol[begin:end]]
    ends = np.flatnonzero(corpus.item_target == corpus.alphabet.index(BOUNDARY))
    bits = cost[corpus.item_node[ends]] + surprise[corpus.item_node[ends], corpus.item_target[ends]]
    dearest = np.argsort(-bits, kind="stable")[:COSTLIEST]
    return tuple(_costly(int(ends[i]), float(bits[i]), chances, corpus) for i in dearest)


def _costly(item: int, bits: float, chances: NDArray[np.float64], corpus: Corpus) -> Costly:
    names = corpus.alphabet
    assert names is not None
    path = [int(corpus.item_node[item])]
    while corpus.parent[path[-1]] >= 0:
        path.append(int(corpus.parent[path[-1]]))
    path.reverse()
    follows = [*corpus.symbol[path[1:]].tolist(), int(corpus.item_target[item])]
    given = [float(chances[node, symbol]) for node, symbol in zip(path, follows, strict=True)]
    step = min(range(len(given)), key=given.__getitem__)
    string = spelled([names[symbol] for symbol in follows[:-1]])
    return Costly(
        string, round(corpus.item_weight[item]), bits, step, names[follows[step]], given[step]
    )
