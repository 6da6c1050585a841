"""Stacks, most of them fractions, read off a network alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mdlrnn
from helpers.data import stack_network
from helpers.slow import few
from mdlrnn.extraction._fit import Change, update
from mdlrnn.extraction._places import _is_fraction, bases_of_fractions, mirrored, run_through
from mdlrnn.languages import EVERY_TASK
from mdlrnn.machines._machine import Machine
from mdlrnn.machines._rules import Affine, counter
from mdlrnn.proofs._terms import known, mirror

N = counter("n")


@given(st.integers(0, 10**20), st.integers(2, 10))
def test_a_mirrored_fraction_is_the_integer_again(number: int, base: int) -> None:
    assert mirrored(mirror(known(number), base).constant, base) == number


def test_which_units_are_stacks() -> None:
    quarters = [Fraction(n, 4**5) for n in range(0, 4**5, 7)]
    assert _is_fraction(quarters, 4)
    assert _is_fraction(quarters, 2)
    assert not _is_fraction(quarters, 3)
    assert not _is_fraction(quarters, 6)
    assert not _is_fraction([value / 3 for value in quarters], 4)
    assert not _is_fraction([*quarters, Fraction(1)], 4)
    assert not _is_fraction([*quarters, Fraction(-1, 4)], 4)
    assert not _is_fraction([Fraction(1, 4), Fraction(1, 2)], 4)
    assert bases_of_fractions(run_through(mdlrnn.zoo.anbn())) == []
    assert bases_of_fractions(run_through(stack_network("nested_pairs")))[0] == 4


@pytest.mark.parametrize(
    ("changes", "becomes"),
    [
        ([(0, 0), (5, 5)], N),
        ([(0, 1), (2, 9)], 4 * N + 1),
        ([(1, 0)], (N - 1) // 4),
        ([(1, 0), (9, 2)], (N - 1) // 4),
        ([(1, 3), (5, 7)], N + 2),
    ],
)
def test_a_push_and_a_pop_come_first(changes: list[tuple[int, int]], becomes: Affine) -> None:
    assert update([Change((a,), (b,)) for a, b in changes], 0, [0], 4) == becomes


def _is_palindrome(string: str) -> bool:
    middle = len(string) // 2
    return string[middle : middle + 1] == "c" and string.count("c") == 1 and string == string[::-1]


def _is_nested(string: str) -> bool:
    middle = len(string) // 2
    opening, closing = string[:middle], string[middle + 1 :]
    mirror_image = opening[::-1].translate(str.maketrans("ac", "bd"))
    return (
        string[middle : middle + 1] == "e" and set(opening) <= {*"ac"} and closing == mirror_image
    )


def _is_arithmetic(string: str) -> bool:
    language = EVERY_TASK["arithmetic"].rules
    assert isinstance(language, Machine)
    return language.accepts(string)


NETWORKS = {
    "marked_palindrome": ("abc", _is_palindrome, 7),
    "nested_pairs": ("abcde", _is_nested, 5),
    "arithmetic": ("(+1)", _is_arithmetic, 9),
    "arithmetic_in_base_3": ("(+1)", _is_arithmetic, 9),
}


@pytest.mark.parametrize("name", few(NETWORKS, "arithmetic_in_base_3", "marked_palindrome"))
def test_a_stack_is_read_off_and_proved(name: str) -> None:
    symbols, belongs, length = NETWORKS[name]
    found = mdlrnn.learned(stack_network(name), seconds=120)
    assert found.proved
    assert found.machine is not None
    assert len(found.machine.rules) <= 15
    assert found.margin is not None
    assert found.margin < 0.01
    for size in range(length + 1):
        for string in map("".join, product(symbols, repeat=size)):
            assert found.machine.accepts(string) == belongs(string), string
    for string in islice(found.machine.strings(), 200):
        assert belongs("".join(string)), string
