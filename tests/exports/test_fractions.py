"""The cheapest fraction within a tolerance, against all fractions that are cheaper."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdlrnn import InputError, Weight
from mdlrnn.exports._torch import cheapest, simplest
from mdlrnn.network._code import _weight_length
from mdlrnn.network._units import LARGEST_INTEGER


def bits(weight: Weight) -> int:
    return _weight_length(weight)


@given(st.floats(0.02, 40), st.sampled_from((0.5, 0.1, 0.02, 0.004)), st.sampled_from((1, -1)))
def test_no_fraction_within_the_tolerance_is_cheaper_or_as_cheap_and_nearer(
    size: float, tolerance: float, sign: int
) -> None:
    value = sign * size
    found = cheapest(value, tolerance)
    exact = Fraction(value)
    assert abs(found.fraction - exact) <= Fraction(tolerance)
    assert found.fraction * sign > 0
    for denominator in range(1, 64):
        middle = round(exact * denominator)
        for numerator in range(middle - 3, middle + 4):
            if not numerator or abs(Fraction(numerator, denominator) - exact) > Fraction(tolerance):
                continue
            other = Weight(numerator, denominator)
            if sign * numerator > 0:
                assert bits(other) >= bits(found), (other, found)
            if bits(other) == bits(found):
                assert abs(other.fraction - exact) >= abs(found.fraction - exact)


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_without_tolerance_a_float_gives_its_fraction_back(n: int, d: int) -> None:
    assert cheapest(n / d, 0.0).fraction == Fraction(n, d)


@given(st.floats(1e-9, 1e9))
def test_without_tolerance_the_float_is_kept(value: float) -> None:
    assert float(cheapest(value, 0.0)) == value


SOME = st.fractions(Fraction(1, 99), 50, max_denominator=200)


@given(SOME, SOME)
def test_the_simplest_fraction_has_the_least_of_both_terms(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    found = simplest(low, high)
    assert low <= found <= high
    for denominator in range(1, found.denominator):
        assert -(-low.numerator * denominator // low.denominator) > high * denominator
    for numerator in range(1, found.numerator):
        assert -(-numerator // high) > numerator / low


@pytest.mark.parametrize("value", [1e17, 1e-17, -1e300, 5e-324])
def test_what_no_weight_can_be_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="no fraction within"):
        cheapest(value, 0.0)


def test_the_largest_weights_are_fractions_too() -> None:
    assert cheapest(float(LARGEST_INTEGER), 0.0) == Weight(LARGEST_INTEGER)
    assert cheapest(1 / LARGEST_INTEGER, 0.0) == Weight(1, LARGEST_INTEGER)
