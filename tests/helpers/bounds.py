"""Numbers that know how far float64 may be from them, for use in the interpreter.

A `Bounded` is an exact value and a bound on the error of any float64 computation of it, in
whatever order its sums and products are taken. Where the bound is 0, floats are exact. A floor, a
step or any other comparison that the error could turn raises `Undecided`: there, float arithmetic
has no right answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mdlrnn import Corpus, Network
from mdlrnn.network._interpreter import EXACT, FLOAT_CUT, arithmetic_over, distribution, stepper

EPSILON = Fraction(1, 2**52)
SMALLEST = Fraction(1, 2**1000)
"""Below this, floats lose digits; a value that comes near is not looked at."""


class Undecided(Exception):  # noqa: N818, it is an answer
    pass


def _grid(x: Fraction) -> tuple[int, int]:
    """(bits after the binary point, bits in all), many if x is no binary fraction."""
    places = x.denominator.bit_length() - 1
    if x.denominator != 1 << places:
        return 10**6, 10**6
    return places, x.numerator.bit_length()


@dataclass(frozen=True, slots=True)
class Bounded:
    value: Fraction
    error: Fraction = Fraction(0)
    size: Fraction = Fraction(0)
    """Sum of the absolute terms of this sum: what the error of a reordered sum scales with."""
    places: int = 0
    """The finest binary place of any of its terms."""
    bits: int = 0
    """Bits of all factors together: partial products up to here need no more."""

    @staticmethod
    def of(given: Any) -> Bounded:
        if isinstance(given, Bounded):
            return given
        return Bounded.rounded(Fraction(given), Fraction(0))

    @staticmethod
    def rounded(value: Fraction, error: Fraction) -> Bounded:
        """A float near `value`: rounded once more unless it fits."""
        places, bits = _grid(value)
        if error or bits > 53:
            error += abs(value) * EPSILON
            if 0 < abs(value) < SMALLEST:
                raise Undecided
        return Bounded(value, error, abs(value), places, bits)

    def __mul__(self, other: Any) -> Bounded:
        other = Bounded.of(other)
        value = self.value * other.value
        error = abs(self.value) * other.error + abs(other.value) * self.error
        error += self.error * other.error
        bits = self.bits + other.bits
        if error or bits > 53:
            error += 2 * EPSILON * abs(value)
        if value and not SMALLEST < abs(value) < 1 / SMALLEST:
            raise Undecided
        return Bounded(value, error, abs(value), _grid(value)[0], bits)

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Bounded:
        other = Bounded.of(other)
        value = self.value + other.value
        size = self.size + other.size
        places = max(self.places, other.places)
        error = self.error + other.error
        if error or size >= Fraction(2) ** (53 - min(places, 2000)):
            error += 40 * EPSILON * size  # enough for 80 terms in any order
        return Bounded(value, error, size, places, _grid(value)[1])

    __radd__ = __add__

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error, self.size, self.places, self.bits)

    def __rsub__(self, other: Any) -> Bounded:
        return Bounded.of(other) + -self

    def __truediv__(self, other: Any) -> Bounded:
        other = Bounded.of(other)
        low = abs(other.value) - other.error
        if low <= 0:
            raise Undecided
        value = self.value / other.value
        error = (self.error + abs(value) * other.error) / low
        return Bounded.rounded(value, error + EPSILON * abs(value))

    def __mod__(self, other: int) -> Bounded:
        self.decide(self.value / other - round(self.value / other), self.error / other)
        return Bounded.rounded(self.value % other, self.error)

    def __floor__(self) -> int:
        self.decide(self.value - round(self.value), self.error)
        return math.floor(self.value)

    def decide(self, distance: Fraction, error: Fraction) -> None:
        if error and abs(distance) <= error:
            raise Undecided

    def difference(self, other: Any) -> Fraction:
        subtrahend = Bounded.of(other)
        difference = self.value - subtrahend.value
        self.decide(difference, self.error + subtrahend.error)
        return difference

    def __lt__(self, other: Any) -> bool:
        return self.difference(other) < 0

    def __le__(self, other: Any) -> bool:
        return self.difference(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self.difference(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self.difference(other) >= 0


def _sigmoid(x: Bounded) -> Bounded:
    if abs(x.value) > 700:
        raise Undecided
    y = EXACT.sigmoid(x.value)
    slope = y * (1 - y) * (1 + 2 * x.error) if x.error < 1 else Fraction(1)
    return Bounded.rounded(y, slope * x.error + 8 * EPSILON * y)


def _tanh(x: Bounded) -> Bounded:
    if abs(x.value) > 350:
        raise Undecided
    return Bounded.rounded(EXACT.tanh(x.value), x.error + 8 * EPSILON * abs(x.value))


def _tidy(x: Bounded) -> Bounded:
    """Start a new count of terms; round the bound up to few digits, give up where it is wide."""
    if x.error > 1:
        raise Undecided
    error = Fraction(math.nextafter(float(x.error), 2)) if x.error else x.error
    value = EXACT.tidy(x.value)
    return Bounded(value, error, abs(value), *_grid(value))


_LIMIT = Bounded.of(FLOAT_CUT)


def _cut(x: Bounded) -> Bounded:
    """What float64 does where a network's saturation is off."""
    return max(-_LIMIT, min(_LIMIT, x))


BOUNDED = arithmetic_over(Bounded.of, _sigmoid, _tanh, _tidy, _cut)


def tolerance(network: Network, corpus: Corpus) -> float:
    """How far a right |D:G| in float64 may be from the exact one. Raises Undecided."""
    step = stepper(network, BOUNDED)
    rows = [row.tolist() for row in corpus.input_rows]
    values: list[tuple[Bounded, ...]] = []
    chances: list[list[Bounded]] = []
    for above, symbol in zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True):
        values.append(step(rows[symbol], None if above < 0 else values[above]))
        given = distribution(network, values[-1])
        chances.append([1 - given[0], given[0]] if len(given) == 1 else given)
    off = 0.0
    items = zip(corpus.item_node, corpus.item_target, corpus.item_weight, strict=True)
    for node, target, weight in items:
        chance = chances[node][target]
        if chance > 0:
            off += float(weight) * 2 * float(chance.error / chance.value)
    return off
