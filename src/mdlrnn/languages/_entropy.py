"""The entropy of a language and the mean length of its strings, where they can be computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..expressions import Expression
from ..machines import END, Affine, Condition, Configuration, Machine, Ready, Rule, random_from
from ..network import BOUNDARY
from ..waiting import doing
from ._grammar import Grammar

MOST_WORK = 1_000_000
"""Steps that are looked at, each once in a round."""
SETTLED = 1e-14
"""By how much of itself a number rises in the last round."""
Place = tuple[str, int]
"""A state, and the digit on top of the stack; 0 where the stack is empty."""


class Step(NamedTuple):
    chance: float
    to: str
    digits: tuple[int, ...]
    """What is on the stack instead of the digit that was on top, the new top first."""


class Until(NamedTuple):
    """What is expected until the stack is lower than it is, or the string ends."""

    bits: float
    symbols: float
    states: dict[str, float]
    """In which state it is then, and how likely; where the string has ended, in none."""


NOTHING = Until(0.0, 0.0, {})


def stack_means(language: Machine) -> tuple[float, float] | None:
    """None if the counter is no stack, or what is emitted does not settle."""
    bases = {c.base for rule in language.rules for c in rule.when if c.relation == "mod"}
    if len(language.counters) != 1 or len(bases) != 1:
        return None
    stack = _Stack(language, bases.pop())
    first = (language.start, 0)
    found: dict[Place, Until] = {first: NOTHING}
    work = 0
    while work < MOST_WORK:
        rise = 0.0
        for place in list(found):
            steps = stack.steps(place)
            if steps is None:
                return None
            work += sum(1 + len(step.digits) for step in steps)
            new = _until(steps, found)
            size = max(new.bits, new.symbols, 1e-300)
            rise = max(rise, (new.bits + new.symbols - found[place][0] - found[place][1]) / size)
            found[place] = new
        if rise < SETTLED:
            return found[first].bits, found[first].symbols
    return None


def _until(steps: list[Step], found: dict[Place, Until]) -> Until:
    """One round of the equations; places that turn up are added."""
    bits = -math.fsum(step.chance * math.log2(step.chance) for step in steps)
    symbols = math.fsum(step.chance for step in steps if step.to != END)
    lower: dict[str, float] = {}
    for step in steps:
        states = {} if step.to == END else {step.to: step.chance}
        for digit in step.digits:
            after: dict[str, float] = {}
            for state, chance in states.items():
                until = found.setdefault((state, digit), NOTHING)
                bits += chance * until.bits
                symbols += chance * until.symbols
                for to, share in until.states.items():
                    after[to] = after.get(to, 0.0) + chance * share
            states = after
        for state, chance in states.items():
            lower[state] = lower.get(state, 0.0) + chance
    return Until(bits, symbols, lower)


class _Stack:
    """The rules of a machine as steps on a stack."""

    def __init__(self, language: Machine, base: int) -> None:
        self.base = base
        self.name = language.counters[0]
        self.rules = language.rules
        self.known: dict[Place, list[Step] | None] = {}

    def steps(self, place: Place) -> list[Step] | None:
        """None if a rule does what cannot be done with the digit on top."""
        if place not in self.known:
            self.known[place] = self._steps(*place)
        return self.known[place]

    def _steps(self, state: str, top: int) -> list[Step] | None:
        found = []
        for rule in self.rules:
            if rule.state != state:
                continue
            holds = [self._holds(condition, top) for condition in rule.when]
            if None in holds:
                return None
            if all(holds):
                digits = self._digits(rule, top)
                if digits is None:
                    return None
                found.append(Step(float(rule.chance), rule.to, digits))
        return found

    def _holds(self, condition: Condition, top: int) -> bool | None:
        if condition.expression != Affine(((self.name, 1),)):
            return None
        if condition.relation == "mod":
            return condition.digit == top
        return top == 0 if condition.relation == "=" else top > 0

    def _digits(self, rule: Rule, top: int) -> tuple[int, ...] | None:
        """What a rule leaves of the digit on top; an empty stack stays below all else."""
        value = dict(rule.then).get(self.name, Affine(((self.name, 1),)))
        if isinstance(value, int) or len(value.terms) != 1:
            return None
        factor, constant = value.terms[0][1], value.constant
        if value.divisor != 1:
            lowers = (value.divisor, factor, constant) == (self.base, 1, 0) and top > 0
            return () if lowers else None
        pushed = round(math.log(factor, self.base)) if factor > 0 else -1
        if pushed < 0 or self.base**pushed != factor:
            return None
        number, digits = factor * top + constant, []
        for _ in range(pushed + (top > 0)):
            number, digit = divmod(number, self.base)
            digits.append(digit)
        # A digit 0 would look like the end of the stack.
        if number != 0 or 0 in digits:
            return None
        return tuple(digits) if top else (*digits, 0)


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
MOST_MOVES = 500_000
"""Instructions of an expression that are followed to read the strings that are drawn."""


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


@doing("working out the entropy")
def means_of(language: Machine | Grammar | Expression) -> Means:
    """Entropy and mean length; an InputError if strings do not end within bounds."""
    if isinstance(language, Expression):
        return _estimated_readings(language)
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


def _settled(language: Machine) -> frozenset[str]:
    """States after which no choice is left."""
    open_states = {rule.state for rule in language.rules if rule.chance != 1}
    while True:
        more = {rule.state for rule in language.rules if rule.to in open_states} - open_states
        if not more:
            return frozenset({rule.state for rule in language.rules} - open_states)
        open_states |= more


def _followed(
    language: Machine, settled: frozenset[str] = frozenset()
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


def _estimated_readings(expression: Expression) -> Means:
    """From strings that are drawn, with the probability of all their readings, in floats; as many
    as a bound on the work allows."""
    bits: list[float] = []
    lengths: list[int] = []
    known: dict[Any, float] = {}
    work = 0
    for string in expression.samples(random_from(0), DRAWN_OF_GRAMMAR):
        if string not in known:
            if work > MOST_MOVES:
                break
            known[string], spent = expression.bits_of(string)
            work += spent
        bits.append(known[string])
        lengths.append(len(string))
    if len(bits) < FEWEST_DRAWN:
        raise InputError(
            f"{short(expression.title)} can be read in so many ways that its entropy is not "
            "estimated."
        )
    weights = np.ones(len(bits))
    return Means(mean_of(np.array(bits), weights), mean_of(np.array(lengths), weights))


def _estimated(language: Machine | Grammar, size: int) -> Means:
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
    return Means(mean_of(whole, weights), mean_of(depth[nodes], weights))


def mean_of(values: np.ndarray, weights: np.ndarray) -> Mean:
    """An estimate, from values that come so often."""
    total = float(weights.sum())
    mean = float(np.sum(weights * values)) / total
    variance = float(np.sum(weights * (values - mean) ** 2)) / max(1.0, total - 1)
    return Mean(mean, math.sqrt(variance / total))
