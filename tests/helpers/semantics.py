"""What a network computes, once more, from the words of docs/design.md and nothing else.

Values are intervals between fractions. Sums, products and all activations but sigmoid and tanh are
exact, so that an interval is a point until one of these two widens it; what then depends on more
than the interval tells (the sign of something around 0) is `Undecided`. Nothing is imported from
the package but the network itself, as data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from mdlrnn import Network

LIMIT = Fraction(10**6)
LEAST_SUM = Fraction(1, 10**8)
OVERFLOW = Fraction(70978, 100)
"""A sigmoid is 0 below the negative of this, give or take a hundredth."""
PLACES = 10**400
"""Bounds of sigmoids are rounded outwards to so many parts of 1: they may be as small as e^-709."""
SLACK = Fraction(1, 10**60)
"""More than what the digits computed with are off by, in parts of the value."""
_CONTEXT = Context(prec=70)


class Undecided(Exception):  # noqa: N818, it is an answer
    """The interval is too wide to tell."""


class Interval(NamedTuple):
    low: Fraction
    high: Fraction

    @property
    def is_point(self) -> bool:
        return self.low == self.high

    def plus(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def times(self, other: Interval) -> Interval:
        ends = [a * b for a in self for b in other]
        return Interval(min(ends), max(ends))

    def meets(self, low: Fraction, high: Fraction) -> bool:
        return self.low <= high and low <= self.high


def point(value: Fraction | int) -> Interval:
    return Interval(Fraction(value), Fraction(value))


ZERO = point(0)


class Stepped(NamedTuple):
    values: dict[int, Interval]
    """Of the units that are fed."""
    largest: Fraction
    """The largest size of what went into an activation, before it was saturated."""
    largest_smooth: Fraction
    """The same of sigmoid and tanh alone."""


class Semantics:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.ignored, self.reached = _loops(network)

    def step(self, row: Sequence[Fraction], before: Mapping[int, Interval] | None) -> Stepped:
        """The units after an input row; `before` are the values of the step before, if any."""
        network = self.network
        values: dict[int, Interval] = {}
        sizes, smooth = [Fraction(0)], [Fraction(0)]

        def value(unit: int) -> Interval:
            if unit not in values:
                total = self._into(unit, row, before, value)
                activation = network.units[unit].activation
                sizes.append(max(abs(total.low), abs(total.high)))
                smooth.append(sizes[-1] if activation in ("sigmoid", "tanh") else Fraction(0))
                cut = Interval(_saturated(total.low), _saturated(total.high))
                values[unit] = activated(activation, cut)
            return values[unit]

        for unit in sorted(self.reached):
            value(unit)
        return Stepped(values, max(sizes), max(smooth))

    def _into(
        self,
        unit: int,
        row: Sequence[Fraction],
        before: Mapping[int, Interval] | None,
        value: Callable[[int], Interval],
    ) -> Interval:
        forward: list[Interval] = []
        recurrent: list[Interval] = []
        for c in self.network.connections:
            if c.target != unit:
                continue
            weight = point(Fraction(c.weight.numerator, c.weight.denominator))
            if c.kind == "recurrent":
                if before is not None:
                    recurrent.append(weight.times(before[c.source]))
            elif (c.source, unit) not in self.ignored:
                forward.append(weight.times(value(c.source)))
        described = self.network.units[unit]
        if described.type == "product":
            total = point(1) if forward else ZERO
            for factor in forward + recurrent:
                total = total.times(factor)
        else:
            total = point(row[unit]) if unit < self.network.inputs else ZERO
            for term in forward + recurrent:
                total = total.plus(term)
        if described.bias is not None:
            total = total.plus(
                point(Fraction(described.bias.numerator, described.bias.denominator))
            )
        return total

    def chances(self, values: Mapping[int, Interval]) -> list[Interval]:
        """Next-symbol probabilities; of one output, that of 1."""
        network = self.network
        first = network.inputs
        outputs = [values[u] for u in range(first, first + network.outputs)]
        if len(outputs) == 1:
            return [Interval(*(max(Fraction(0), min(Fraction(1), end)) for end in outputs[0]))]
        masses = [Interval(*(max(Fraction(0), end) for end in output)) for output in outputs]
        total = ZERO
        for mass in masses:
            total = total.plus(mass)
        if total.high <= LEAST_SUM:
            return [point(Fraction(1, len(masses)))] * len(masses)
        if total.low <= LEAST_SUM:
            raise Undecided
        if total.is_point:
            return [Interval(mass.low / total.low, mass.high / total.low) for mass in masses]
        return [Interval(mass.low / total.high, mass.high / total.low) for mass in masses]


def _saturated(x: Fraction) -> Fraction:
    return max(-LIMIT, min(LIMIT, x))


def activated(name: str, x: Interval) -> Interval:
    match name:
        case "linear":
            return x
        case "relu":
            return Interval(max(x.low, Fraction(0)), max(x.high, Fraction(0)))
        case "abs":
            ends = sorted(map(abs, x))
            return Interval(Fraction(0) if x.low < 0 < x.high else ends[0], ends[1])
        case "square":
            size = activated("abs", x)
            return Interval(size.low**2, size.high**2)
        case "step":
            if x.low <= 0 < x.high:
                raise Undecided
            return point(1 if x.low > 0 else 0)
        case "floor":
            return point(_same(math.floor(x.low), math.floor(x.high)))
        case "mod2" | "mod3" | "mod4":
            base = int(name[3:])
            whole = base * _same(math.floor(x.low / base), math.floor(x.high / base))
            return Interval(x.low - whole, x.high - whole)
        case "sigmoid":
            return Interval(_sigmoid(x.low, False), _sigmoid(x.high, True))
        case "tanh":
            inner = Interval(2 * x.low, 2 * x.high)
            low, high = activated("sigmoid", inner)
            return Interval(2 * low - 1, 2 * high - 1)
        case _:
            raise AssertionError(name)


def _same(low: int, high: int) -> int:
    if low != high:
        raise Undecided
    return low


def _sigmoid(x: Fraction, upwards: bool) -> Fraction:
    """A bound on 1 / (1 + e^-x)."""
    if abs(abs(x) - OVERFLOW) < Fraction(1, 50):
        raise Undecided
    if abs(x) > OVERFLOW:
        return Fraction(int(x > 0))
    if x == 0:
        return Fraction(1, 2)
    power = _CONTEXT.exp(_CONTEXT.divide(Decimal(-x.numerator), Decimal(x.denominator)))
    value = 1 / (1 + Fraction(power) * (1 - SLACK if upwards else 1 + SLACK))
    return Fraction((math.ceil if upwards else math.floor)(value * PLACES), PLACES)


def _loops(network: Network) -> tuple[set[tuple[int, int]], set[int]]:
    """Forward connections that close a loop, and the units that are fed."""
    into: dict[int, list[int]] = {unit: [] for unit in range(len(network.units))}
    for c in network.connections:
        if c.kind == "forward":
            into[c.target].append(c.source)
    ignored: set[tuple[int, int]] = set()

    def visit(unit: int, opened: set[int], closed: set[int]) -> None:
        opened.add(unit)
        for source in sorted(into[unit]):
            if source in opened:
                ignored.add((source, unit))
            elif source not in closed:
                visit(source, opened, closed)
        opened.remove(unit)
        closed.add(unit)

    first: set[int] = set()
    for output in range(network.inputs, network.inputs + network.outputs):
        if output not in first:
            visit(output, set(), first)
    second: set[int] = set()
    for source in sorted({c.source for c in network.connections if c.kind == "recurrent"}):
        if source not in first and source not in second:
            visit(source, set(), second)
    return ignored, first | second
