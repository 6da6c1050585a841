"""Numbers in proofs: decimals rounded up or down, linear equations, bounds on sigmoid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

PLAIN = 4
"""Zeros after the point up to which a small number is written out."""


def exponent_of(value: Fraction) -> int:
    """e with 10^e <= value < 10^(e+1), for a value above 0."""
    guess = math.floor(math.log10(value.numerator) - math.log10(value.denominator))
    while Fraction(10) ** guess > value:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    return guess


def rounded_up(value: Fraction, digits: int = 2) -> Fraction:
    """To so many digits, never down."""
    scale = _scale(value, digits)
    return Fraction(math.ceil(value * scale)) / scale if value > 0 else Fraction(0)


def rounded_down(value: Fraction, digits: int = 2) -> Fraction:
    scale = _scale(value, digits)
    return Fraction(math.floor(value * scale)) / scale if value > 0 else Fraction(0)


def bound_text(value: Fraction) -> str:
    """A bound from above in two digits, never less than it is."""
    return decimal_text(rounded_up(value))


def _scale(value: Fraction, digits: int) -> Fraction:
    return Fraction(10) ** (digits - 1 - exponent_of(value)) if value > 0 else Fraction(1)


def decimal_text(value: Fraction) -> str:
    """The number exactly: 0.034, 1.3·10^-7, 10^-6, or a fraction where no decimal ends."""
    if value == 0:
        return "0"
    if value < 0:
        return f"−{decimal_text(-value)}"
    places = _decimal_places(value)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    exponent = exponent_of(value)
    if exponent >= -PLAIN:
        whole, rest = divmod(value.numerator * 10**places // value.denominator, 10**places)
        return f"{whole}.{rest:0{places}}" if places else str(whole)
    digits = str(value.numerator * 10**places // value.denominator)
    if digits == "1":
        return f"10^{exponent}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}·10^{exponent}"


def _decimal_places(value: Fraction) -> int | None:
    """Digits after the point; None if there is no end of them."""
    rest = value.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def solve(
    rows: Sequence[tuple[list[Fraction], list[Fraction]]], width: int, units: int
) -> list[list[Fraction]] | None:
    """Factors with left · factors = right in every row, by elimination; free ones are 0."""
    pivots: list[tuple[int, list[Fraction], list[Fraction]]] = []
    for left, right in rows:
        left, right = list(left), list(right)
        for column, other, value in pivots:
            if left[column]:
                times = left[column]
                left = [a - times * b for a, b in zip(left, other, strict=True)]
                right = [a - times * b for a, b in zip(right, value, strict=True)]
        column = next((i for i, a in enumerate(left) if a), -1)
        if column < 0:
            if any(right):
                return None
            continue
        head = left[column]
        pivots.append((column, [a / head for a in left], [a / head for a in right]))
    solution = [[Fraction(0)] * units for _ in range(width)]
    for column, left, right in reversed(pivots):
        found = right
        for place, factor in enumerate(left):
            if place != column and factor:
                found = [a - factor * b for a, b in zip(found, solution[place], strict=True)]
        solution[column] = found
    return solution


DIGITS = 24
"""Significant digits of an enclosure."""
LARGEST = 60
"""Beyond this |x| the bounds are coarse, from 2 < e < 3."""
VANISHING = 700
"""Beyond this |x|, where float64 soon gives 0 or 1, there are no bounds but 0 and 1."""


def terms_needed(x: Fraction) -> int:
    """N, so many that the remainder is far below the digits kept."""
    return math.ceil(3 * x) + 60


def exponential(x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on e^x for x ≥ 0."""
    count = terms_needed(x)
    lower, power = Fraction(1), Fraction(1)
    for place in range(1, count + 1):
        power = power * x / place
        lower += power
    rest = power * x / (count + 1) / (1 - x / (count + 2))
    return lower, lower + rest


@lru_cache(maxsize=4096)
def enclosure(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals strictly below and above 1/(1 + e^−x), unless x is 0."""
    if x == 0:
        return Fraction(1, 2), Fraction(1, 2)
    # Rounding |x| first keeps the series' fractions short.
    size = abs(x)
    if size > VANISHING:
        small = Fraction(0), Fraction(1, 2**VANISHING)
    elif size > LARGEST:
        small = Fraction(1, 1 + 3 ** math.ceil(size)), Fraction(1, 1 + 2 ** math.floor(size))
    else:
        low, high = exponential(shortened(size, down=True))[0], exponential(shortened(size))[1]
        small = _decimal(1 / (1 + high), down=True), _decimal(1 / (1 + low), down=False)
    return small if x < 0 else (1 - small[1], 1 - small[0])


SHOWN = 100_000
"""Beyond this |x| a sigmoid is shown as 0 or 1."""


@lru_cache(maxsize=4096)
def sigmoid_about(x: Fraction) -> Fraction:
    """1/(1 + e^−x) to some 20 digits, for people. Beyond `LARGEST` an enclosure is far wider, and
    certificates have it as it is."""
    size, halved = abs(x), 0
    if size > SHOWN:
        return Fraction(int(x > 0))
    if size <= LARGEST:
        return sum(enclosure(x), Fraction(0)) / 2
    while size > LARGEST:
        size, halved = size / 2, halved + 1
    power = exponential(shortened(size))[0]
    for _ in range(halved):
        power = _decimal(power * power, down=True)
    small = 1 / (1 + power)
    return small if x < 0 else 1 - small


def shortened(x: Fraction, down: bool = False) -> Fraction:
    if x.denominator < 10**6:
        return x
    scale = 10**30
    scaled = x * scale
    return Fraction(math.floor(scaled) if down else math.ceil(scaled), scale)


def _decimal(x: Fraction, down: bool) -> Fraction:
    """Rounded to `DIGITS` digits, downwards or upwards, and never onto the value itself."""
    places = DIGITS - math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    scaled = x * Fraction(10) ** places
    whole = math.floor(scaled) - 1 if down else math.ceil(scaled) + 1
    return Fraction(whole) / Fraction(10) ** places
