"""Sentences that were once false or more than was known."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from mdlrnn import Connection, Corpus, Network, Unit, Weight, compare, explain, feed, learned, zoo
from mdlrnn import prove as prove_network
from mdlrnn.extraction import Verdict
from mdlrnn.languages import language_from
from mdlrnn.measures._enough import enough_strings
from mdlrnn.measures._measures import cell_text, list_length, percent_text
from mdlrnn.network import Encoding
from mdlrnn.proofs._terms import bound_text, enclosure, sigmoid_about
from mdlrnn.show import plot_accuracy
from mdlrnn.show._plots import Accuracy

LIMITS = "The network that runs computes in float64 and cuts sums to ±10^6"


def with_bias(network: Network, unit: int, bias: Weight) -> Network:
    units = list(network.units)
    units[unit] = replace(units[unit], bias=bias)
    return replace(network, units=tuple(units))


def test_whoever_says_however_long_says_what_float64_and_saturation_change() -> None:
    network = zoo.anbn()
    assert LIMITS in learned(network).statement
    assert LIMITS in compare(network, network).statement
    proof = prove_network(network, "anbn")
    (line,) = Verdict(network, "a^n b^n", proof).theorem_text
    assert LIMITS in line
    assert any(note.startswith("The theorem is about exact numbers.") for note in proof.notes)
    uncut = replace(network, saturation=False)
    assert "saturation is off" in learned(uncut).statement
    assert "Of the second: " in compare(network, uncut).statement


def test_a_sigmoid_far_out_is_shown_as_it_is() -> None:
    for x in (61, 100, 699, 701, 5_000):
        about = sigmoid_about(Fraction(-x))
        low, high = enclosure(Fraction(-x))
        assert low <= about <= high
        if x < 700:
            assert float(about) == pytest.approx(1 / (1 + math.exp(x)), rel=1e-14)
        assert sigmoid_about(Fraction(x)) == 1 - about
    units = (Unit(), Unit(), Unit("sigmoid", bias=Weight(-61)), Unit())
    assert "≈ 3.22e-27" in explain(Network(2, 2, units, (), ("#", "a")))


def test_a_counterexample_gives_what_feed_gives() -> None:
    """A unit of e^-61, times 10^15, is still next to nothing: all symbols are as likely."""
    units = (*[Unit()] * 6, Unit("sigmoid", bias=Weight(-61)))
    network = Network(3, 3, units, (Connection(6, 4, "forward", Weight(10**15)),), ("#", "a", "b"))
    found = prove_network(network, "anbn").counterexample
    assert found is not None
    first = feed(network, found.string)[found.step].probabilities
    assert {s: float(p) for s, p in found.given.items()} == pytest.approx(first)


def test_a_bound_is_never_rounded_down() -> None:
    assert bound_text(Fraction(934, 10**6)) == "0.00094"
    assert bound_text(Fraction(1, 1000)) == "0.001"
    one = zoo.anbn()
    other = with_bias(one, 3, Weight(-9))
    within = re.search(r"by less than ([^ ]+)\. ", compare(one, other).statement)
    assert within is not None
    margins = [prove_network(n, "anbn").claims[0].margin for n in (one, other)]
    assert Fraction(within[1]) >= sum(margins)


def test_a_share_is_cut_so_that_100_is_all() -> None:
    assert cell_text(49_999 / 50_000, False) == "99.99 %"
    assert cell_text(1.0, False) == "100.00 %"
    assert percent_text(0.29, 0) == "29"
    assert percent_text(1 - 1e-15) == "99.99"
    accuracy = Accuracy((3, 4), (1.0, 49_999 / 50_000), "deterministic", "symbols")
    drawn = plot_accuracy(accuracy).svg()
    assert "length 3: 100.00 %" in drawn
    assert "length 4: 99.99 %" in drawn


def test_a_product_without_factors_is_explained_at_the_start() -> None:
    """At the first step a product has no recurrent factors: it is not 0."""
    units = (Unit(), Unit(), Unit(type="product"), Unit(bias=Weight(1)))
    network = Network(
        2, 2, units,
        (Connection(0, 2, "forward", Weight(1)), Connection(1, 2, "recurrent", Weight(2))),
        ("#", "a"),
    )  # fmt: skip
    text = explain(network)
    assert "whatever was read" not in text
    assert "(at the start 1)" in text


def test_the_legend_says_when_all_symbols_are_as_likely() -> None:
    assert "if all shares sum to 10^-8 or less, every P is the same" in explain(zoo.anbn())
    assert "10^-8" not in explain(zoo.addition())


def test_a_list_of_strings_pays_for_its_frequencies() -> None:
    strings = ["a" * (1 + i) for i in range(40)]
    corpus = Corpus.from_strings([s for s in strings for _ in range(150)])
    symbols = sum(len(s) + 1 for s in strings)
    without = symbols + 6_000 * math.log2(40)
    counts = math.log2(math.comb(5_999, 39))
    assert list_length(corpus) == pytest.approx(without + counts)


def test_an_estimate_of_bits_has_its_error() -> None:
    task = language_from("anbn")
    right = zoo.anbn()
    wrong = with_bias(right, 4, Weight(5, 3))
    found = enough_strings(task, [("one", right), ("other", wrong)], Encoding(), lambda _: True)
    other = found.candidates[1]
    assert other.bits_error is not None
    assert other.bits_error > 0
    assert re.search(r"about \d+\.\d+ ± 0\.\d+", str(found))
