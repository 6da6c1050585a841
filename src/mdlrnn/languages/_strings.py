"""What a machine and a grammar over symbols have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import RandomState

from .._checks import is_integer, short
from .._errors import InputError
from ..corpus._corpus import Corpus
from ..network._alphabet import has_words, spelled
from ._truth import Truth, truth_of_strings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._machine import Next

SEEDS = 2**32
"""NumPy's older generator, the paper's, takes a seed below this."""


def random_from(seed: int) -> RandomState:
    """The generator that the paper's training sets are drawn from."""
    if not is_integer(seed) or not 0 <= seed < SEEDS:
        raise InputError(f"the seed is {short(seed)}; give a number from 0 to {SEEDS - 1}.")
    return RandomState(seed)


class Draw:
    """Draws 0, 1, ... with given chances: what `RandomState.choice` would draw from the same
    stream, without its checks, which take most of its time."""

    def __init__(self, chances: Sequence[float]) -> None:
        sums = np.array(chances, dtype=float).cumsum()
        self._sums: list[float] = (sums / sums[-1]).tolist()

    def __call__(self, random: RandomState) -> int:
        return bisect_right(self._sums, random.random_sample())


class Strings(ABC):
    """A probabilistic language whose strings are made of symbols."""

    title: str
    noun: ClassVar[str] = "symbol"
    """What one step of a string is called."""
    most_prefixes: ClassVar[int]
    """How many prefixes `shortest` looks at."""

    @property
    @abstractmethod
    def alphabet(self) -> tuple[str, ...]:
        """The boundary symbol and the others, in order."""

    @abstractmethod
    def strings(self, most_prefixes: int | None = None) -> Iterator[Any]:
        """All strings, shortest first, those of one length in the order of the alphabet; only those
        that are found while at most so many prefixes are looked at, if a number is given."""

    @abstractmethod
    def samples(self, random: RandomState, size: int) -> list[Any]:
        """Random strings, drawn from a stream that may be drawn from before and after."""

    @abstractmethod
    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]:
        """What can follow at each node of the corpus tree, as a number into a list; -1 off the
        language."""

    @abstractmethod
    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float:
        """|D:G| in bits under the true distribution, from the phases of the corpus."""

    @cached_property
    def words(self) -> bool:
        """Whether symbols are words, not characters."""
        return has_words(self.alphabet)

    def shortest(self, count: int) -> Iterator[Any]:
        """The shortest strings, so many or fewer: a language may have few strings among its
        prefixes, as the palindromes have, and the search for them ends after so many prefixes."""
        return islice(self.strings(self.most_prefixes), count)

    def sample(self, size: int, seed: int = 100) -> list[Any]:
        """Random strings from the language; where symbols are words, tuples of words."""
        return self.samples(random_from(seed), size)

    def training(self, size: int, seed: int = 100) -> Corpus:
        """A training corpus of that many strings."""
        return Corpus.from_strings(self.sample(size, seed))

    def truth(self, corpus: Corpus) -> Truth:
        """What can follow every prefix of the corpus, and the optimal score."""
        return truth_of_strings(self, corpus)

    def by_length(self, count: int) -> Iterator[tuple[int, Corpus]]:
        """The shortest strings, so many, as a corpus for each length."""
        for length, strings in groupby(self.shortest(count), len):
            yield length, Corpus.from_strings(list(strings))

    def spelled(self, symbols: Sequence[str]) -> str:
        """A string as a person writes it."""
        return spelled(symbols, self.words)
