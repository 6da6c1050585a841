"""What is said of a machine whose probabilities are not proved of the network."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

import mdlrnn
from mdlrnn import Network, languages, zoo
from mdlrnn.extraction._learned import Cover, agreement, agrees, cover
from mdlrnn.extraction._places import run_through
from mdlrnn.machines._machine import Machine
from mdlrnn.network._interpreter import EXACT, distribution, feed, input_rows
from mdlrnn.zoo import _language

GROWING = _language("growing", "#a", "2 linear 1\n3 linear 1 1*u4\n4 linear 1*a 1*[4]")
"""P(a) is 1/2, 2/3, 3/4, and so on."""
UNEVEN = _language(
    "uneven", "#ab", "3 linear 1\n4 linear 1 1*u7\n5 linear 1 1*u6\n"
    "6 linear 2/3*[6] 1*a\n7 square 1*[6] 3/7*b",
)  # fmt: skip
"""All symbols are possible always, and hardly ever with the same probabilities."""


def _largest_difference(network: Network, machine: Machine, length: int) -> Fraction:
    """Over all strings of up to so many symbols, by feeding each."""
    symbols = [s for s in machine.alphabet if s != "#"]
    most = Fraction(0)
    for size in range(length + 1):
        for string in product(symbols, repeat=size):
            rows = input_rows(network, string, machine.alphabet)
            *_, last = feed(network, rows, EXACT, saturation=False)
            here = machine.after(string)
            assert here is not None
            truth = machine.next_from(here).distribution
            for symbol, given in zip(machine.alphabet, distribution(network, last), strict=True):
                most = max(most, abs(Fraction(given) - truth[symbol]))
    return most


@pytest.mark.parametrize("length", [1, 3, 5])
def test_the_difference_is_the_largest_of_all_strings(length: int) -> None:
    runs = run_through(UNEVEN)
    found = cover(runs)
    assert found is not None
    assert found.length >= length
    measured = agreement(found.machine, runs, length)
    assert measured is not None
    assert measured.length == length
    assert measured.off == _largest_difference(UNEVEN, found.machine, length)
    assert measured.off > 0


def test_a_machine_with_other_strings_agrees_up_to_where_they_part() -> None:
    runs = run_through(zoo.anbn())
    found = agreement(languages.anb2n(), runs, 8)
    assert found is not None
    assert found.length == 1  # after ab the one ends and the other goes on
    assert agreement(languages.dyck(1), runs, 8) is None


def test_what_is_said_of_such_a_machine() -> None:
    machine = languages.anb2n()
    text = agrees(Cover(machine, 1, Fraction(1, 300)))
    assert text == (
        f"Up to 1 symbol it finds the same symbols possible as a machine with {len(machine.rules)} "
        "rules, with probabilities that differ by up to 0.0034"
    )
    assert "with the same probabilities" in agrees(Cover(machine, 3, Fraction(0)))
    noisy = agrees(Cover(machine, 3, Fraction(0), Fraction(1, 10**4)))
    assert "(what it gives with less than 0.0001 is taken for nothing)" in noisy


def test_a_network_without_a_machine_says_how_far_the_shown_one_is_from_it() -> None:
    found = mdlrnn.learned(UNEVEN, seconds=5)
    assert found.machine is None
    assert found.cover is not None
    assert "with probabilities that differ by up to" in found.statement
    assert found.to_dict()["agrees"]["differs_by"] >= float(found.cover.off)


def test_a_theorem_that_is_not_about_probabilities_says_how_near_they_are() -> None:
    found = mdlrnn.learned(GROWING, seconds=5)
    assert found.proved
    assert found.machine is not None
    assert "how much more changes along the string" in found.statement
    assert "Each probability is within 0.17 of this machine's." in found.statement
    assert _largest_difference(GROWING, found.machine, 40) < Fraction(17, 100)
