"""What a language says of every prefix of a corpus: the standard that networks are measured by."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ..network._alphabet import BOUNDARY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..corpus._corpus import Corpus
    from ._machine import Next


MARGIN = 0.005
"""The paper's: a probability below it is taken for nothing."""


def is_mistake(chances: Sequence[Fraction], given: Sequence[float]) -> bool:
    """Whether a step is wrong, by the one rule that holds everywhere.

    It is if an impossible symbol gets the margin or more; or a possible one less than the margin,
    or than half its true chance where that is less; or the only possible one is not on top.
    """
    least = [min(MARGIN, float(chance) / 2) for chance in chances]
    for chance, low, p in zip(chances, least, given, strict=True):
        if (p < low) if chance else (p >= MARGIN):
            return True
    if sum(1 for chance in chances if chance) > 1:
        return False
    sure = next(p for chance, p in zip(chances, given, strict=True) if chance)
    return any(p >= sure for chance, p in zip(chances, given, strict=True) if not chance)


def mistakes(chances: NDArray[np.float64], given: NDArray[np.float64]) -> NDArray[np.bool_]:
    """`is_mistake` for many steps, (step, target); where nothing is possible all is wrong."""
    possible = chances > 0
    low = np.minimum(MARGIN, chances / 2)
    wrong: NDArray[np.bool_] = np.any(np.where(possible, given < low, given >= MARGIN), axis=1)
    wrong |= is_sure(possible) & ~leads(possible, given)
    return wrong | ~possible.any(axis=1)


def is_sure(possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether one outcome only is possible."""
    found: NDArray[np.bool_] = possible.sum(axis=1) == 1
    return found


def leads(possible: NDArray[np.bool_], given: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether every possible outcome gets more than every impossible one.

    To share the top with another is not enough.
    """
    low = np.where(possible, given, np.inf).min(axis=1)
    found: NDArray[np.bool_] = low > np.where(possible, -1.0, given).max(axis=1)
    return found


class Truth(NamedTuple):
    chances: NDArray[np.float64]
    """(node, target): the true probability of what follows; all 0 off the language."""
    optimal_bits: float
    """|D:G| under the true distribution."""
    ends: NDArray[np.bool_]
    """For each item of the corpus whether a string or sequence ends with it."""

    @property
    def possible(self) -> NDArray[np.bool_]:
        """(node, target): what can follow."""
        return self.chances > 0

    @property
    def deterministic(self) -> bool:
        """Whether there are steps after which one outcome only is possible."""
        return bool(np.any(is_sure(self.possible)))


class Phased(Protocol):
    """A language whose prefixes fall into a short list of situations."""

    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]: ...

    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float: ...


def truth_of_strings(language: Phased, corpus: Corpus) -> Truth:
    found, kinds = language.phases(corpus)
    assert corpus.alphabet is not None
    # The last row is for what is off the language, numbered -1: nothing can follow.
    chances = np.zeros((len(kinds) + 1, len(corpus.alphabet)))
    for number, kind in enumerate(kinds):
        chances[number] = [float(kind.distribution.get(s, 0)) for s in corpus.alphabet]
    return Truth(
        chances[found],
        language.cost(corpus, found, kinds),
        corpus.item_target == corpus.alphabet.index(BOUNDARY),
    )
