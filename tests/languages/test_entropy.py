"""Entropies and mean lengths are computed, and agree with what can be worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from mdlrnn.errors import InputError
from mdlrnn.expressions import expression_from
from mdlrnn.languages import EVERY_TASK
from mdlrnn.languages import _entropy as entropy
from mdlrnn.languages._entropy import Mean, means_of, stack_means
from mdlrnn.languages._grammar import Grammar
from mdlrnn.languages._notation import language_from_notation
from mdlrnn.languages._paper import anb2n, anbmcnm, anbn, dyck
from mdlrnn.machines._files import machine_from_text
from mdlrnn.machines._machine import Machine

GEOMETRIC = (-0.3 * math.log2(0.3) - 0.7 * math.log2(0.7)) / 0.3
SIX = """
S -> 'a' [0.5] | 'b' T [0.5]
T -> 'c' [0.1] | 'd' U [0.9]
U -> 'a' [0.2] | 'b' [0.3] | 'c' [0.4] | 'd' [0.1]
"""


def _computed(mean: Mean) -> float:
    assert mean.error is None
    return mean.value


@pytest.mark.parametrize(
    ("language", "bits", "symbols"),
    [
        (anbn(), GEOMETRIC, 2 / 0.3),
        (anb2n(), GEOMETRIC, 3 / 0.3),
        (anbmcnm(), 2 * GEOMETRIC, 4 / 0.3),
        # A string has .75 pairs on average, and each costs a bit more if there are two kinds.
        (dyck(2), means_of(dyck(1)).entropy.value + 0.75, 1.5),
        (dyck(4, Fraction(1, 3)), means_of(dyck(1, Fraction(1, 3))).entropy.value + 2, 2.0),
    ],
)
def test_known_entropies(language: Machine, bits: float, symbols: float) -> None:
    found = means_of(language)
    assert _computed(found.entropy) == pytest.approx(bits, abs=1e-9)
    assert _computed(found.length) == pytest.approx(symbols, abs=1e-9)


def test_a_finite_language_has_the_entropy_of_its_strings() -> None:
    grammar = Grammar.from_text(SIX)
    chances = [float(grammar.probability(string)) for string in grammar.strings()]
    assert len(chances) == 6
    found = means_of(grammar.machine()).entropy
    assert _computed(found) == pytest.approx(-sum(p * math.log2(p) for p in chances))


@pytest.mark.parametrize("name", ["arithmetic", "toy_english"])
def test_a_grammar_has_the_entropy_of_its_derivations(name: str) -> None:
    """These are not ambiguous: (1+1) takes two choices and a half on average, and so on."""
    choice = -0.67 * math.log2(0.67) - 0.33 * math.log2(0.33)
    nouns = -0.75 * math.log2(0.75) - 0.25 * math.log2(0.25)
    verbs = -0.34 * math.log2(0.34) - 2 * 0.33 * math.log2(0.33)
    # Expected uses: E = 2 + .66 E; S = 1 + .33 S; NP = (1.34 + .25 NP) for each S.
    expected = {
        "arithmetic": 2 / 0.34 * choice,
        "toy_english": (verbs + 1.34 / 0.75 * nouns) / 0.67,
    }
    language = EVERY_TASK[name].rules
    assert isinstance(language, Machine)
    assert _computed(means_of(language).entropy) == pytest.approx(expected[name], abs=1e-9)


def test_long_strings_have_an_exact_entropy_and_a_length_that_is_estimated() -> None:
    found = means_of(language_from_notation("a^n b^n, stop 1/1000"))
    p = 0.001
    bits = (-p * math.log2(p) - (1 - p) * math.log2(1 - p)) / p
    assert _computed(found.entropy) == pytest.approx(bits, abs=1e-6)
    assert found.length.error is not None
    assert abs(found.length.value - 2000) < 5 * found.length.error


def test_what_is_estimated_says_so() -> None:
    grammar = Grammar.from_text("S -> S 'a' [0.4] | S 'b' S [0.1] | 'c' [0.5]")
    found = means_of(grammar).entropy
    assert found.error is not None
    assert found.text(4).startswith("about ")
    assert " ± " in found.text(4)
    assert Mean(4.4571, 0.041).text(4) == "about 4.457 ± 0.041"
    assert Mean(2.9376363).text(4) == "2.9376"


def test_an_estimate_is_near_what_is_computed() -> None:
    for language in (anbn(), dyck(2)):
        estimated = entropy._estimated(language, 5000).entropy
        assert estimated.error is not None
        assert abs(estimated.value - means_of(language).entropy.value) < 4 * estimated.error


def test_a_number_that_is_no_stack_is_followed() -> None:
    """Two digits are looked at; what is computed is as it is without mod."""
    text = """
    start: a 1/2 -> start, n = n + 1
    start: b 1/2 if n mod 3 = 0 -> B
    start: c 1/2 if n mod 3 = 1 -> B
    start: d 1/2 if n mod 3 = 2 -> B
    B: #
    """
    language = machine_from_text(text)
    assert isinstance(language, Machine)
    assert stack_means(language) is None
    assert means_of(language).entropy.value == pytest.approx(2)


@pytest.mark.parametrize("text", ["a^n b^n", "a* a*", "<w> <w>", "a | b^n"])
def test_the_bits_of_a_string_are_those_of_its_probability(text: str) -> None:
    expression = expression_from(text)
    for string in expression.samples(np.random.RandomState(1), 20):
        bits, _ = expression.bits_of(string)
        assert bits == pytest.approx(-math.log2(expression.likely(string)), rel=1e-9)


def test_an_expression_with_one_reading_has_the_entropy_of_its_machine() -> None:
    estimated = means_of(expression_from("a^n b^n, stop 3/10")).entropy
    assert estimated.error is not None
    assert abs(estimated.value - GEOMETRIC) < 5 * estimated.error


def test_an_expression_with_too_many_readings_is_not_followed_for_long() -> None:
    expression = expression_from("(a|b)*" * 40)
    with pytest.raises(InputError, match="so many ways"):
        means_of(expression)
    assert expression.rough is not None
    assert expression.rough.moves < 3 * entropy.MOST_MOVES
