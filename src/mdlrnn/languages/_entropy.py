"""The entropy of a language and the mean length of its strings: computed where that can be done.

A machine emits each string in one way, so its entropy is the expected sum of the entropies of its
choices. They are summed while the probability mass is followed through the configurations, or,
where a number is used as a stack, come from equations for each state and top (`_stack_means`).
Where neither comes to an end, and for a grammar without a machine, strings are drawn, and the
standard error is given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._errors import InputError
from ..corpus._corpus import Corpus
from ..network._alphabet import BOUNDARY
from ._grammar import Grammar
from ._machine import Configuration, Language, Ready
from ._rules import END
from ._stack_means import stack_means
from ._strings import random_from

REST = 1e-12
"""Probability mass that may be left when following it ends."""
NEGLIGIBLE = 1e-18
"""Mass of one configuration that is not followed."""
MOST_STEPS = 400_000
"""Configurations that mass is followed through, each as often as mass comes to it."""
DRAWN, DRAWN_OF_GRAMMAR = 5_000, 500
"""Strings from which an entropy is estimated, if they are not long."""
FEWEST_DRAWN, CHARACTERS = 100, 200_000
"""Of long strings fewer are drawn: about so many characters."""


class Mean(NamedTuple):
    """A mean over the strings of a language; without an error it is right to all digits shown."""

    value: float
    error: float | None = None
    """The standard error, if it is estimated."""

    def text(self, digits: int) -> str:
        """With so many decimals, or with those that an estimate has."""
        if self.error is None:
            return f"{self.value:.{digits}f}"
        if not self.error:
            return f"about {self.value:.{digits}f}"
        digits = min(digits, max(0, 1 - math.floor(math.log10(self.error))))
        return f"about {self.value:.{digits}f} ± {self.error:.{digits}f}"


class Means(NamedTuple):
    entropy: Mean
    """Bits a string."""
    length: Mean
    """Symbols a string, without the boundary."""


def means_of(language: Language | Grammar) -> Means:
    """Entropy and mean length; an InputError if strings do not end within bounds."""
    if isinstance(language, Grammar):
        return _estimated(language, DRAWN_OF_GRAMMAR)
    found = stack_means(language) or _followed(language)
    if found is not None:
        return Means(Mean(found[0]), Mean(found[1]))
    estimated = _estimated(language, DRAWN)
    # What follows the last choice of a string adds to its length and not to the entropy.
    without_ends = _followed(language, _settled(language))
    if without_ends is None:
        return estimated
    return Means(Mean(without_ends[0]), estimated.length)


def local_bits(chances: Sequence[float]) -> float:
    """The entropy of one choice."""
    return -math.fsum(p * math.log2(p) for p in chances)


def _settled(language: Language) -> frozenset[str]:
    """States after which no choice is left."""
    open_states = {rule.state for rule in language.rules if rule.chance != 1}
    while True:
        more = {rule.state for rule in language.rules if rule.to in open_states} - open_states
        if not more:
            return frozenset({rule.state for rule in language.rules} - open_states)
        open_states |= more


def _followed(
    language: Language, settled: frozenset[str] = frozenset()
) -> tuple[float, float] | None:
    """Bits and symbols of a string, from the mass in each configuration after each symbol; None if
    it does not come to an end soon. Settled states are not followed."""
    mass = {language.beginning: 1.0}
    known: dict[int, tuple[float, float]] = {}
    bits, symbols = [], []
    lost, steps = 0.0, 0
    while mass:
        steps += len(mass)
        if steps > MOST_STEPS or lost > REST:
            return None
        later: dict[Configuration, float] = {}
        for here, chance in mass.items():
            enabled = language.enabled(here)
            each = known.get(id(enabled))
            if each is None:
                each = known[id(enabled)] = _of(enabled)
            bits.append(chance * each[0])
            symbols.append(chance * each[1])
            for rule in enabled:
                if rule.to != END and rule.to not in settled:
                    to = rule.lead(here.counters)
                    later[to] = later.get(to, 0.0) + chance * float(rule.chance)
        mass = {here: chance for here, chance in later.items() if chance > NEGLIGIBLE}
        if sum(mass.values()) < REST:
            break
        lost += sum(later.values()) - sum(mass.values())
    return math.fsum(bits), math.fsum(symbols)


def _of(enabled: tuple[Ready, ...]) -> tuple[float, float]:
    """Bits of a choice, and whether a symbol comes."""
    bits = local_bits([float(rule.chance) for rule in enabled])
    return bits, float(sum(rule.chance for rule in enabled if rule.symbol != BOUNDARY))


def _estimated(language: Language | Grammar, size: int) -> Means:
    """From strings that are drawn, each with its own probability."""
    random = random_from(0)
    strings = language.samples(random, FEWEST_DRAWN)
    length = sum(map(len, strings)) / len(strings) + 1
    size = min(size, max(FEWEST_DRAWN, round(CHARACTERS / length)))
    corpus = Corpus.from_strings([*strings, *language.samples(random, size - FEWEST_DRAWN)])
    found, kinds = language.phases(corpus)
    assert corpus.alphabet is not None
    costs = np.full((len(kinds) + 1, len(corpus.alphabet)), math.inf)
    for number, kind in enumerate(kinds):
        for place, symbol in enumerate(corpus.alphabet):
            chance = kind.distribution.get(symbol)
            if chance:
                costs[number, place] = -math.log2(chance)
    bits, depth = np.zeros(len(found)), np.zeros(len(found))
    for begin, end in zip(corpus.levels[1:-1], corpus.levels[2:], strict=True):
        above = corpus.parent[begin:end]
        bits[begin:end] = bits[above] + costs[found[above], corpus.symbol[begin:end]]
        depth[begin:end] = depth[above] + 1
    last = corpus.item_target == corpus.alphabet.index(BOUNDARY)
    nodes, weights = corpus.item_node[last], corpus.item_weight[last]
    whole = bits[nodes] + costs[found[nodes], corpus.alphabet.index(BOUNDARY)]
    if not np.all(np.isfinite(whole)):
        raise InputError(
            f"{language.title} draws strings that its rules do not have; correct its rules."
        )
    return Means(_mean(whole, weights), _mean(depth[nodes], weights))


def _mean(values: np.ndarray, weights: np.ndarray) -> Mean:
    total = float(weights.sum())
    mean = float(np.sum(weights * values)) / total
    variance = float(np.sum(weights * (values - mean) ** 2)) / max(1.0, total - 1)
    return Mean(mean, math.sqrt(variance / total))
