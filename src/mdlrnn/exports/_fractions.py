"""The fraction that costs least within a tolerance, so that a trained weight has a |G| again."""

from __future__ import annotations

import math
from fractions import Fraction

from .._errors import InputError
from ..network._units import LARGEST_INTEGER, Weight

FEW = 1024
"""Up to so many denominators of one length are all tried for the nearest."""


def cheapest(value: float, tolerance: float) -> Weight:
    """The weight of fewest bits that is at most `tolerance` from `value`, and is not 0; of several,
    the nearest. With a tolerance of 0, one that float64 rounds to `value`.

    Every encoding charges a weight by the lengths of its numerator and denominator. The simplest
    fraction of an interval has the least of both at once, so there is nothing to weigh up.
    """
    size = Fraction(abs(value))
    low, high = _interval(abs(value), Fraction(tolerance))
    smallest = Fraction(1, LARGEST_INTEGER)
    if high < smallest or low > LARGEST_INTEGER:
        raise InputError(
            f"the weight {value!r} is no fraction within 2**53; "
            "train it to another value, or give a larger tolerance."
        )
    found = _nearest(simplest(max(low, smallest), high), size, low, high)
    if max(found.numerator, found.denominator) > LARGEST_INTEGER:
        raise InputError(
            f"no fraction within 2**53 is {tolerance:g} from the weight {value!r}; "
            "give a larger tolerance."
        )
    sign = -1 if value < 0 else 1
    return Weight(sign * found.numerator, found.denominator)


def _interval(size: float, tolerance: Fraction) -> tuple[Fraction, Fraction]:
    exact = Fraction(size)
    if tolerance:
        return exact - tolerance, exact + tolerance
    below, above = (Fraction(math.nextafter(size, to)) for to in (0.0, math.inf))
    # A little less than half way, where float64 rounds to the even neighbour.
    share = Fraction(1023, 2048)
    return exact - (exact - below) * share, exact + (above - exact) * share


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction in [low, high], above 0, with the least numerator and denominator."""
    whole = math.floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def _nearest(found: Fraction, size: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Among fractions as long as this one, that nearest to `size`."""
    bits = found.denominator.bit_length()
    most = 2**bits - 1
    if most < FEW:
        below = [(math.floor(size * d), d) for d in range(2 ** (bits - 1), most + 1)]
        tried = [Fraction(n + more, d) for n, d in below for more in (0, 1)]
    else:
        tried = [size.limit_denominator(most)]

    def fits(other: Fraction) -> bool:
        return (
            other > 0
            and low <= other <= high
            and other.numerator.bit_length() <= found.numerator.bit_length()
        )

    return min([found, *filter(fits, tried)], key=lambda other: abs(other - size))
