"""Rational bounds on the logistic function, without floats: Taylor's series and its remainder.

For x ≥ 0 the partial sum up to x^N/N! is below e^x, and with x < N + 2 what is left out is less
than x^(N+1)/(N+1)! / (1 − x/(N+2)). Both are rationals, so the bounds need no rounding but the
last one, outwards, to a short decimal.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

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
