"""Fractions as decimals that mean what they say: exact, or rounded to the side asked for."""

from __future__ import annotations

import math
from fractions import Fraction

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
