"""The rules of a machine, as values: what a rule asks of the counters and what it makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

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


@dataclass(frozen=True)
class Rule:
    state: str
    symbol: str
    to: str = END
    chance: Fraction = Fraction(1)
    when: tuple[Condition, ...] = ()
    then: tuple[tuple[str, Affine | int], ...] = ()
    """New values of counters; a counter that is not named keeps its value."""
