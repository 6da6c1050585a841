"""What a language says of every prefix of a corpus: the standard that networks are measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ..network._alphabet import BOUNDARY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..corpus._corpus import Corpus
    from ._machine import Next


class Truth(NamedTuple):
    possible: NDArray[np.bool_]
    """(node, target): what can follow."""
    deterministic: bool
    """Whether the language has steps after which one outcome only is possible."""
    optimal_bits: float
    """|D:G| under the true distribution."""
    ends: NDArray[np.bool_]
    """For each item of the corpus whether a string or sequence ends with it."""


class Phased(Protocol):
    """A language whose prefixes fall into a short list of situations."""

    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]: ...

    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float: ...


def truth_of_strings(language: Phased, corpus: Corpus) -> Truth:
    found, kinds = language.phases(corpus)
    assert corpus.alphabet is not None
    # The last row is for what is off the language, numbered -1: nothing can follow.
    allowed = np.zeros((len(kinds) + 1, len(corpus.alphabet)), dtype=bool)
    for number, kind in enumerate(kinds):
        allowed[number] = [symbol in kind.allowed for symbol in corpus.alphabet]
    return Truth(
        allowed[found],
        bool(np.any(allowed.sum(axis=1) == 1)),
        language.cost(corpus, found, kinds),
        corpus.item_target == corpus.alphabet.index(BOUNDARY),
    )
