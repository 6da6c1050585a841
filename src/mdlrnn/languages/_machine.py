"""A language as a probabilistic machine over counters: written once, everything follows from it.

A machine has control states, integer counters and rules. In a configuration (a state and a value
for each counter) some rules are enabled; their chances sum to 1. A rule emits a symbol and changes
state and counters; the rule that emits the boundary symbol ends the string. From the rules follow
the sampler, the true next-symbol distribution, the optimal score, the steps that are deterministic,
the symbols that are possible, and whether a string belongs to the language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .._errors import InputError
from .._network import BOUNDARY

if TYPE_CHECKING:
    from numpy.random import RandomState

    from .._corpus import Corpus

END = "end"


@dataclass(frozen=True)
class Affine:
    """constant + sum of coefficient · counter, divided by `divisor` (exactly, where it applies)."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0
    divisor: int = 1

    def __add__(self, constant: int) -> Affine:
        return Affine(self.terms, self.constant + constant, self.divisor)

    def __sub__(self, constant: int) -> Affine:
        return self + -constant

    def __rmul__(self, factor: int) -> Affine:
        return Affine(tuple((name, factor * c) for name, c in self.terms), factor * self.constant)

    def __floordiv__(self, divisor: int) -> Affine:
        return Affine(self.terms, self.constant, divisor)

    def value(self, counters: dict[str, int]) -> int:
        return (self.constant + sum(c * counters[name] for name, c in self.terms)) // self.divisor

    @property
    def zero(self) -> Condition:
        return Condition(self, "=")

    @property
    def positive(self) -> Condition:
        return Condition(self, ">")

    def ends_in(self, digit: int, base: int) -> Condition:
        """Whether the last digit in that base is this one."""
        return Condition(self, "mod", digit, base)


def counter(name: str) -> Affine:
    return Affine(((name, 1),))


@dataclass(frozen=True)
class Condition:
    """expression = 0, expression > 0, or expression mod base = digit."""

    expression: Affine
    relation: str
    digit: int = 0
    base: int = 1

    def holds(self, counters: dict[str, int]) -> bool:
        value = self.expression.value(counters)
        if self.relation == "mod":
            return value % self.base == self.digit
        return value == 0 if self.relation == "=" else value > 0


@dataclass(frozen=True)
class Rule:
    state: str
    symbol: str
    to: str = END
    chance: Fraction = Fraction(1)
    when: tuple[Condition, ...] = ()
    then: tuple[tuple[str, Affine | int], ...] = ()
    """New values of counters; a counter that is not named keeps its value."""


class Configuration(NamedTuple):
    state: str
    counters: tuple[int, ...]


class Next(NamedTuple):
    """What can follow a prefix."""

    distribution: dict[str, Fraction]
    """Every symbol of the alphabet with its probability."""

    @property
    def allowed(self) -> frozenset[str]:
        return frozenset(symbol for symbol, chance in self.distribution.items() if chance > 0)

    @property
    def deterministic(self) -> bool:
        return len(self.allowed) == 1


class Option(NamedTuple):
    symbol: str
    chance: Fraction
    to: Configuration


@dataclass(frozen=True)
class Language:
    """A probabilistic language. `draw` samples as the paper did; without it the rules do."""

    name: str
    title: str
    rules: tuple[Rule, ...]
    start: str = "start"
    draw: Callable[[RandomState, int], list[str]] | None = field(default=None, compare=False)

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        symbols = {rule.symbol for rule in self.rules} - {BOUNDARY}
        return (BOUNDARY, *sorted(symbols))

    @cached_property
    def counters(self) -> tuple[str, ...]:
        return tuple(sorted({name for rule in self.rules for name, _ in rule.then}))

    @cached_property
    def beginning(self) -> Configuration:
        """After the first boundary symbol, nothing emitted yet."""
        return Configuration(self.start, (0,) * len(self.counters))

    @cached_property
    def _by_state(self) -> dict[str, list[Rule]]:
        table: dict[str, list[Rule]] = {}
        for rule in self.rules:
            table.setdefault(rule.state, []).append(rule)
        return table

    @cached_property
    def _known(self) -> dict[Configuration, tuple[Option, ...]]:
        return {}

    def options(self, here: Configuration) -> tuple[Option, ...]:
        """The enabled rules of a configuration: symbol, chance, and where it leads."""
        found = self._known.get(here)
        if found is None:
            found = self._known[here] = tuple(self._enabled(here))
        return found

    def _enabled(self, here: Configuration) -> Iterator[Option]:
        values = dict(zip(self.counters, here.counters, strict=True))
        for rule in self._by_state.get(here.state, ()):
            if all(condition.holds(values) for condition in rule.when):
                after = dict(values)
                for name, new in rule.then:
                    after[name] = new if isinstance(new, int) else new.value(values)
                to = Configuration(rule.to, tuple(after[name] for name in self.counters))
                yield Option(rule.symbol, rule.chance, to)

    def step(self, here: Configuration, symbol: str) -> Configuration | None:
        """Where a symbol leads, None if it is impossible."""
        for option in self.options(here):
            if option.symbol == symbol:
                return option.to
        return None

    def after(self, prefix: str) -> Configuration | None:
        here: Configuration | None = self.beginning
        for symbol in prefix:
            if here is None:
                return None
            here = self.step(here, symbol)
        return here

    def next(self, prefix: str) -> Next:
        """The true distribution of the symbol after a prefix."""
        here = self.after(prefix)
        if here is None:
            raise InputError(f"{prefix!r} begins no string of {self.title}; give such a prefix.")
        return self.next_from(here)

    def next_from(self, here: Configuration) -> Next:
        chances = dict.fromkeys(self.alphabet, Fraction(0))
        for option in self.options(here):
            chances[option.symbol] += option.chance
        return Next(chances)

    def accepts(self, string: str) -> bool:
        here = self.after(string)
        return here is not None and self.step(here, BOUNDARY) is not None

    def strings(self) -> Iterator[str]:
        """All strings, shortest first, those of one length in the order of the alphabet."""
        level: list[tuple[str, Configuration]] = [("", self.beginning)]
        while level:
            for prefix, here in level:
                if self.step(here, BOUNDARY) is not None:
                    yield prefix
            level = [
                (prefix + option.symbol, option.to)
                for prefix, here in level
                for option in sorted(self.options(here))
                if option.symbol != BOUNDARY
            ]

    def sample(self, size: int, seed: int = 100) -> list[str]:
        """Random strings from the language."""
        from numpy.random import RandomState

        return self.samples(RandomState(seed), size)

    def samples(self, random: RandomState, size: int) -> list[str]:
        """Random strings, drawn from a stream that may be drawn from before and after."""
        if self.draw is not None:
            return self.draw(random, size)
        return [self._walk(random) for _ in range(size)]

    def _walk(self, random: RandomState) -> str:
        string = ""
        here = self.beginning
        while True:
            options = self.options(here)
            chances = [float(option.chance) for option in options]
            option = options[random.choice(len(options), p=chances)]
            if option.symbol == BOUNDARY:
                return string
            string += option.symbol
            here = option.to

    def configurations(self, corpus: Corpus) -> list[Configuration | None]:
        """The configuration at each node of the corpus tree; None off the language."""
        names = corpus.alphabet
        assert names is not None
        found: list[Configuration | None] = []
        for above, symbol in zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True):
            if above < 0:
                found.append(self.beginning)
            else:
                here = found[above]
                found.append(None if here is None else self.step(here, names[symbol]))
        return found

    def optimal(self, corpus: Corpus) -> float:
        """|D:G| in bits under the true distribution; infinite for strings not in the language."""
        names = corpus.alphabet
        if names is None:
            raise InputError(f"{self.title} has strings, the corpus numbers; give its strings.")
        found = self.configurations(corpus)
        bits = []
        items = zip(
            corpus.item_node.tolist(),
            corpus.item_target.tolist(),
            corpus.item_weight.tolist(),
            strict=True,
        )
        costs: dict[tuple[Configuration, str], float] = {}
        for node, target, weight in items:
            here = found[node]
            if here is None:
                return math.inf
            key = (here, names[target])
            if key not in costs:
                chance = self.next_from(here).distribution.get(names[target], Fraction(0))
                costs[key] = -math.log2(chance) if chance else math.inf
            bits.append(weight * costs[key])
        return math.fsum(bits)


def rules(*lines: Rule | Sequence[Rule]) -> tuple[Rule, ...]:
    """Rules and lists of rules as one tuple."""
    flat: list[Rule] = []
    for line in lines:
        flat += [line] if isinstance(line, Rule) else line
    return tuple(flat)
