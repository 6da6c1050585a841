"""The rules of a machine, as values: what a rule asks of the counters and what it makes of them.

An expression or a condition has its value `at` counters by name; `reader` makes a function of the
counters in order of it, for machines that step often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

Counters = tuple[int, ...]

START = "start"
END = "end"
"""Where the rule that emits the boundary symbol leads."""


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

    def at(self, values: Mapping[str, int]) -> int:
        """Its value where the counters have these."""
        return (self.constant + sum(f * values[name] for name, f in self.terms)) // self.divisor

    def reader(self, names: Sequence[str]) -> Callable[[Counters], int]:
        """Its value as a function of the counters in this order."""
        constant, divisor = self.constant, self.divisor
        terms = [(names.index(name), factor) for name, factor in self.terms]
        if len(terms) == 1 and divisor == 1:
            ((place, factor),) = terms
            if (factor, constant) == (1, 0):
                return itemgetter(place)
            return lambda counters: factor * counters[place] + constant
        return lambda counters: (constant + sum(f * counters[i] for i, f in terms)) // divisor

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

    def allows(self, value: int) -> bool:
        """Whether it holds where the expression has this value."""
        if self.relation == "mod":
            return value % self.base == self.digit
        return value == 0 if self.relation == "=" else value > 0

    def at(self, values: Mapping[str, int]) -> bool:
        """Whether it holds where the counters have these values."""
        return self.allows(self.expression.at(values))

    def reader(self, names: Sequence[str]) -> Callable[[Counters], bool]:
        """Whether it holds, as a function of the counters in this order."""
        value, digit, base = self.expression.reader(names), self.digit, self.base
        if self.relation == "mod":
            return lambda counters: value(counters) % base == digit
        if self.relation == "=":
            return lambda counters: value(counters) == 0
        return lambda counters: value(counters) > 0


@dataclass(frozen=True)
class Rule:
    state: str
    symbol: str
    to: str = END
    chance: Fraction = Fraction(1)
    when: tuple[Condition, ...] = ()
    then: tuple[tuple[str, Affine | int], ...] = ()
    """New values of counters; a counter that is not named keeps its value."""

    def enabled(self, values: Mapping[str, int]) -> bool:
        """Whether all that it asks for holds where the counters have these values."""
        return all(condition.at(values) for condition in self.when)

    def after(self, values: Mapping[str, int]) -> dict[str, int]:
        """The counters after it, by those before it."""
        return {**values, **{name: at(value, values) for name, value in self.then}}


def at(value: Affine | int, values: Mapping[str, int]) -> int:
    """What a counter is set to where the counters have these values."""
    return value if isinstance(value, int) else value.at(values)


def reader(value: Affine | int, names: Sequence[str]) -> Callable[[Counters], int]:
    return (lambda counters: value) if isinstance(value, int) else value.reader(names)
