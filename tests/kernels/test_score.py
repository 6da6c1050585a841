"""Scores, objectives, and how a network and a corpus find each other."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from helpers.data import is_one_sentence, vectors
from helpers.strategies import networks
from mdlrnn import (
    Corpus,
    Encoding,
    InputError,
    Network,
    Objective,
    Score,
    Unit,
    Weight,
    score,
    score_many,
    zoo,
)
from mdlrnn.network._code import length
from mdlrnn.network._encoding import SCHEMES

SCORE = Score(10, 2.5, 3.0, 0.75)
IMPOSSIBLE = Score(10, math.inf, 3.0, 0.75)


# Scores and objectives


def test_a_score_is_the_sum_of_both_terms() -> None:
    assert SCORE.mdl == 12.5
    assert repr(SCORE) == "Score(mdl=12.5, g=10, d_given_g=2.5)"
    assert repr(IMPOSSIBLE) == "Score(mdl=inf, g=10, d_given_g=inf)"


def test_scores_compare_by_mdl() -> None:
    cheaper = Score(2, 9.5)
    assert cheaper < SCORE < IMPOSSIBLE
    assert cheaper < SCORE
    assert cheaper <= SCORE
    assert cheaper <= cheaper
    assert Score(10, 2.5, 0, 0) >= SCORE >= Score(2, 10.5)
    assert min([IMPOSSIBLE, SCORE, cheaper]) == cheaper
    assert Score(10, 2.5) != SCORE


@pytest.mark.parametrize(
    ("objective", "expected", "impossible"),
    [
        (Objective(), 12.5, math.inf),
        (Objective.named("mdl"), 12.5, math.inf),
        (Objective.named("g"), 10, 10),
        (Objective.named("d"), 2.5, math.inf),
        (Objective.named("d+l1"), 5.5, math.inf),
        (Objective.named("d+l2"), 3.25, math.inf),
        (Objective(g=2, d=4), 30, math.inf),
        (Objective(g=0.5, d=0, l1=2, l2=4), 14, 14),
    ],
)
def test_objectives(objective: Objective, expected: float, impossible: float) -> None:
    assert objective(SCORE) == expected
    assert objective(IMPOSSIBLE) == impossible


@pytest.mark.parametrize(
    "multipliers", [(0, 0, 0, 0), (-1, 1), (math.nan, 1), (1, math.inf), (1, 1, -1)]
)
def test_impossible_objectives_are_refused(multipliers: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="are no objective") as caught:
        Objective(*multipliers)
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("length", "use one of mdl, g, d, d+l1, d+l2."), ("l1", "did you mean d+l1?")],
)
def test_unknown_objectives_are_refused(name: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        Objective.named(name)
    assert str(caught.value) == f"unknown objective {name!r}; {remedy}"
    assert is_one_sentence(str(caught.value))


@given(networks(inputs=2, outputs=2))
def test_norms_are_those_of_all_weights_and_biases(network: Network) -> None:
    values = [abs(float(c.weight)) for c in network.connections]
    values += [abs(float(unit.bias)) for unit in network.units if unit.bias]
    found = score(network, Corpus.from_strings(["a"]))
    assert found.l1 == pytest.approx(math.fsum(values), rel=1e-12)
    assert found.l2 == pytest.approx(math.fsum(x * x for x in values), rel=1e-12)


# Encodings


@pytest.mark.parametrize(
    ("unit", "more", "products"),
    [
        (Unit(), (), False),
        (Unit("step"), (), False),
        (Unit("mod3"), ("mod2", "mod3"), False),
        (Unit("tanh"), ("tanh",), False),
        (Unit("mod2", "product"), ("mod2", "mod3"), True),
    ],
)
def test_the_fitting_encoding_has_the_papers_space_and_what_the_network_needs(
    unit: Unit, more: tuple[str, ...], products: bool
) -> None:
    network = Network(1, 1, (Unit(), unit))
    usual = ("linear", "relu", "sigmoid", "square", "floor", "step")
    for scheme in SCHEMES:
        assert Encoding.fitting(network, scheme) == Encoding(scheme, usual + more, products)


def test_without_an_encoding_each_network_has_its_own() -> None:
    given_ = vectors("dyck2_200")
    scores = score_many(given_.networks, given_.corpus)
    expected = [length(network, Encoding.fitting(network)) for network in given_.networks]
    assert [s.g for s in scores] == expected
    assert len({Encoding.fitting(network) for network in given_.networks}) > 2


def test_an_encoding_without_room_is_refused() -> None:
    with pytest.raises(InputError, match=r"units\[1\] has the activation tanh") as caught:
        score(Network(1, 1, (Unit(), Unit("tanh"))), ONES, Encoding())
    assert is_one_sentence(str(caught.value))


# One output: the probability of a 1

ONES = Corpus.from_sequences(np.zeros((1, 2, 1)), np.ones((1, 2, 1)))


def constant(numerator: int, denominator: int = 1) -> Network:
    return Network(1, 1, (Unit(), Unit(bias=Weight(numerator, denominator))))


@pytest.mark.parametrize(
    ("network", "targets", "bits"),
    [
        (constant(1, 4), [1, 1], 4),
        (constant(3, 4), [0, 1], 2 - math.log2(0.75)),
        (constant(1, 4), [0.5, 0], 1 - 1.5 * math.log2(0.75)),
        (constant(1), [1, 1], 0),
        (constant(7), [1, 1], 0),
        (constant(7), [1, 0], math.inf),
        (constant(-7), [0, 0], 0),
        (constant(-7), [0, 1], math.inf),
        (Network(1, 1, (Unit(), Unit())), [0, 0], 0),
        (Network(1, 1, (Unit(), Unit("sigmoid"))), [0, 1], 2),
    ],
)
def test_one_output_is_cut_to_a_probability(
    network: Network, targets: list[float], bits: float
) -> None:
    corpus = Corpus.from_sequences(np.zeros((1, 2, 1)), np.reshape(targets, (1, 2, 1)))
    assert score(network, corpus).d_given_g == pytest.approx(bits, rel=1e-14, abs=0)


# Alphabets. The network says b three times as often as #, and a never.

UNITS = (*[Unit()] * 3, Unit(bias=Weight(1)), Unit(), Unit(bias=Weight(3)))
SAYS_B = Network(3, 3, UNITS, alphabet=("#", "a", "b"))
BITS = 2 - 2 * math.log2(0.75)


def test_symbols_are_matched_by_name() -> None:
    corpus = Corpus.from_strings(["bb"])
    assert corpus.alphabet == ("#", "b")
    assert score(SAYS_B, corpus).d_given_g == pytest.approx(BITS, rel=1e-14)
    shuffled = Corpus.from_strings(["bb"]).with_alphabet(("b", "c", "#", "a"))
    assert score(SAYS_B, shuffled).d_given_g == pytest.approx(BITS, rel=1e-14)
    other_order = Network(3, 3, (*UNITS[:3], *UNITS[:2:-1]), alphabet=("b", "a", "#"))
    assert score(other_order, corpus).d_given_g == pytest.approx(BITS, rel=1e-14)


def test_a_network_without_alphabet_is_matched_by_position() -> None:
    nameless = replace(SAYS_B, alphabet=None)
    assert score(nameless, Corpus.from_strings(["bb", "a"])).d_given_g == math.inf
    other_names = Corpus.from_strings(["zz"]).with_alphabet(("#", "y", "z"))
    assert score(nameless, other_names).d_given_g == pytest.approx(BITS, rel=1e-14)
    with pytest.raises(
        InputError, match=re.escape("2 inputs and 2 outputs, but the network has 3")
    ):
        score(nameless, Corpus.from_strings(["bb"]))


def test_a_symbol_without_a_unit_is_refused() -> None:
    with pytest.raises(InputError, match="the network has no unit for the symbol 'c'") as caught:
        score(SAYS_B, Corpus.from_strings(["bc"]))
    assert is_one_sentence(str(caught.value))


def test_a_network_for_symbols_takes_numbers_by_position() -> None:
    rows = np.eye(3)[[[0, 2, 2]]]
    corpus = Corpus.from_sequences(rows, np.eye(3)[[[2, 2, 0]]])
    assert score(SAYS_B, corpus).d_given_g == pytest.approx(BITS, rel=1e-14)


# What a caller may get wrong


@pytest.mark.parametrize("workers", [0, -1, 100_000])
def test_there_is_a_thread_and_not_too_many(workers: int) -> None:
    with pytest.raises(InputError, match=f"workers is {workers}") as caught:
        score_many([SAYS_B], Corpus.from_strings(["bb"]), workers=workers)
    assert is_one_sentence(str(caught.value))


def test_no_networks_have_no_scores() -> None:
    assert score_many([], ONES) == []


def test_more_threads_than_networks_do_no_harm() -> None:
    corpus = Corpus.from_strings(["bb"])
    assert score_many([SAYS_B] * 3, corpus, workers=16) == [score(SAYS_B, corpus)] * 3


def test_scores_are_values() -> None:
    again: Any = Score(10, 2.5, 3.0, 0.75)
    assert again == SCORE
    assert hash(again) == hash(SCORE)
    with pytest.raises(AttributeError):
        again.g = 3


def test_a_corpus_of_empty_strings_is_refused() -> None:
    empty = Corpus.from_strings(["", ""])
    one = Network(1, 1, (Unit(), Unit()))
    with pytest.raises(InputError, match="all strings of the corpus are empty"):
        score(one, empty)


def test_the_smallest_chance_there_is_warns_of_nothing(tmp_path: Path) -> None:
    targets = np.zeros((2, 3, 1))
    targets[0, 0] = 5e-324
    np.savez(tmp_path / "tiny.npz", inputs=np.ones((2, 3, 2)), targets=targets)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = score(zoo.addition(), Corpus.load(tmp_path / "tiny.npz"))
    assert found.d_given_g >= 0
