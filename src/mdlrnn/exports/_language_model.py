"""The language model of NLTK. Imported only where NLTK is."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from nltk.lm.api import LanguageModel
from nltk.lm.vocabulary import Vocabulary
from nltk.probability import FreqDist

from ..errors import InputError
from ..network import BOUNDARY, FLOAT, Network, distribution, stepper, symbols_of

START, END = "<s>", "</s>"


class NetworkModel(LanguageModel):  # type: ignore[misc]
    """A network that answers as NLTK's language models do.

    It looks back as far as the string goes, so its order has no bound, and it is ready: `fit` has
    nothing to count.
    """

    def __init__(self, network: Network) -> None:
        assert network.alphabet is not None
        words = [END, *(symbol for symbol in network.alphabet if symbol != BOUNDARY)]
        super().__init__(sys.maxsize, Vocabulary([START, *words], unk_cutoff=1))
        self.network = network
        self._place = {
            END if symbol == BOUNDARY else symbol: i for i, symbol in enumerate(network.alphabet)
        }
        self._words = FreqDist(words)
        self._step = stepper(network, FLOAT)
        self._read: list[int] = []
        self._values: list[tuple[Any, ...]] = []

    def fit(self, text: Any, vocabulary_text: Any = None) -> None:
        raise InputError("a network is searched for, not fitted here; use mdlrnn.evolve.")

    def unmasked_score(self, word: str, context: Sequence[str] | None = None) -> float:
        """P(word | context). What the network has no unit for has the probability 0."""
        place = self._place.get(word)
        prefix = self._prefix(context or ())
        if place is None or prefix is None:
            return 0.0
        return float(distribution(self.network, self._after(prefix))[place])

    def context_counts(self, context: Any) -> FreqDist:
        """The words that can follow: all of them, since no counts are behind a network."""
        return self._words

    def ngrams(self, string: str | Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Each symbol of a string with all that comes before it, and the end: what `entropy` and
        `perplexity` take."""
        symbols = symbols_of(string, self.network.alphabet) if isinstance(string, str) else string
        whole = (START, *symbols, END)
        return (whole[: end + 1] for end in range(1, len(whole)))

    def _prefix(self, context: Sequence[str]) -> list[int] | None:
        """The numbers of the symbols of the string at hand, the boundary's first; None if one is
        unknown. Behind an end another string begins."""
        words = list(context)
        for place in range(len(words) - 1, -1, -1):
            if words[place] in (START, END):
                del words[: place + 1]
                break
        if not all(word in self._place for word in words):
            return None
        return [self._place[END], *(self._place[word] for word in words)]

    def _after(self, prefix: list[int]) -> tuple[Any, ...]:
        """The units' values; what the last prefix had in common with this one is not fed again."""
        same = 0
        for old, new in zip(self._read, prefix, strict=False):
            if old != new:
                break
            same += 1
        del self._values[same:]
        for place in prefix[same:]:
            row = [int(i == place) for i in range(self.network.inputs)]
            self._values.append(self._step(row, self._values[-1] if self._values else None))
        self._read = prefix
        return self._values[-1]
