"""What networks compute: the authors' numbers, cases by hand, and floats against fractions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.bounds import Undecided, tolerance
from helpers.data import VECTOR_NAMES, is_one_sentence, vectors
from helpers.strategies import networks, numeric_corpora, string_corpora, weights
from mdlrnn import Connection, Corpus, InputError, Network, Unit, Weight
from mdlrnn.corpus._corpus import surprisal
from mdlrnn.network._interpreter import (
    EXACT,
    FLOAT,
    distribution,
    feed,
    ignored_connections,
    input_rows,
    plan,
)
from mdlrnn.network._units import ACTIVATIONS, Arithmetic

BOTH = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])


def forward(source: int, target: int, numerator: int = 1, denominator: int = 1) -> Connection:
    return Connection(source, target, "forward", Weight(numerator, denominator))


def recurrent(source: int, target: int, numerator: int = 1, denominator: int = 1) -> Connection:
    return Connection(source, target, "recurrent", Weight(numerator, denominator))


def values(network: Network, *rows: list[Any], arithmetic: Arithmetic = EXACT) -> list[Any]:
    """The value of the last unit at each step."""
    return [step[-1] for step in feed(network, rows, arithmetic)]


def single(activation: str, *connections: Connection, **unit: Any) -> Network:
    """Two inputs, and an output with these connections."""
    return Network(2, 1, (Unit(), Unit(), Unit(activation, **unit)), connections)


# The authors' numbers


@BOTH
@pytest.mark.parametrize("name", VECTOR_NAMES)
def test_probabilities_are_the_authors(name: str, arithmetic: Arithmetic) -> None:
    given_ = vectors(name)
    compared = 0
    for network, row in zip(given_.networks, given_.rows, strict=True):
        for sequence, expected in zip(given_.sequences, row.get("probabilities", ()), strict=False):
            rows = input_rows(network, sequence)
            steps = [distribution(network, step) for step in feed(network, rows, arithmetic)]
            # With one output, what was recorded is the probability of 1 alone.
            wanted = np.reshape(expected, (len(rows), network.outputs))
            np.testing.assert_allclose(np.array(steps, float), wanted, rtol=0, atol=1e-9)
            compared += 1
    assert compared >= 6


@pytest.mark.parametrize("name", VECTOR_NAMES)
def test_ignored_connections_are_the_authors(name: str) -> None:
    for network, row in zip(vectors(name).networks, vectors(name).rows, strict=True):
        expected = {tuple(pair) for pair in row.get("ignored_forward") or ()}
        assert plan(network).ignored == expected
        assert {(c.source, c.target) for c in ignored_connections(network)} == expected


def test_the_public_method_gives_the_same() -> None:
    given_ = vectors("semantics")
    network, row = given_.networks[3], given_.rows[3]
    got = network.probabilities(given_.sequences[0])
    np.testing.assert_allclose(got, row["probabilities"][0], rtol=0, atol=1e-9)
    again = replace(network, alphabet=None).probabilities(given_.sequences[0], "#ab")
    assert got.dtype == np.float64
    np.testing.assert_array_equal(again, got)


# Small cases by hand


@BOTH
@pytest.mark.parametrize(
    ("activation", "pairs"),
    [
        ("linear", [(-3, -3), (0, 0), (Fraction(5, 2), Fraction(5, 2))]),
        ("relu", [(-3, 0), (0, 0), (Fraction(5, 2), Fraction(5, 2))]),
        ("square", [(-3, 9), (Fraction(1, 2), Fraction(1, 4))]),
        ("floor", [(Fraction(-1, 2), -1), (Fraction(3, 2), 1), (2, 2), (-2, -2)]),
        ("step", [(-1, 0), (0, 0), (Fraction(1, 1024), 1)]),
        ("mod2", [(Fraction(-1, 2), Fraction(3, 2)), (3, 1), (-3, 1), (2, 0), (-4, 0)]),
        ("mod3", [(Fraction(-1, 2), Fraction(5, 2)), (4, 1), (-4, 2), (-3, 0)]),
        ("sigmoid", [(0, Fraction(1, 2)), (800, 1), (-800, 0)]),
        ("tanh", [(0, 0), (800, 1), (-800, -1)]),
        ("abs", [(-3, 3), (0, 0), (Fraction(5, 2), Fraction(5, 2))]),
        ("mod4", [(Fraction(-1, 2), Fraction(7, 2)), (5, 1), (-5, 3), (-4, 0)]),
    ],
)
def test_activations(activation: str, pairs: list[Any], arithmetic: Arithmetic) -> None:
    network = single(activation, forward(0, 2))
    for x, y in pairs:
        assert values(network, [x, 0], arithmetic=arithmetic) == [y]


def test_every_activation_is_tested() -> None:
    (mark,) = (m for m in test_activations.pytestmark if "activation" in m.args[0])
    assert sorted(name for name, _ in mark.args[1]) == sorted(ACTIVATIONS)


def test_curves_are_right_to_many_digits() -> None:
    def exp(x: int) -> Fraction:
        return sum((Fraction(x**k, math.factorial(k)) for k in range(120)), Fraction())

    (sigmoid,) = values(single("sigmoid", forward(0, 2)), [-3, 0])
    assert abs(sigmoid - 1 / (1 + exp(3))) < Fraction(1, 10**50)
    (tanh,) = values(single("tanh", forward(0, 2)), [Fraction(1, 2), 0])
    assert abs(tanh - (exp(1) - 1) / (exp(1) + 1)) < Fraction(1, 10**50)


@BOTH
@pytest.mark.parametrize("x", [-709.7, -36.0, -1e-20, 0.0, 1e-9, 3.0, 36.0, 709.7])
def test_curves_are_those_of_the_math_library(x: float, arithmetic: Arithmetic) -> None:
    number = arithmetic.number(x)
    assert float(arithmetic.tanh(number)) == pytest.approx(math.tanh(x), rel=1e-14, abs=0)
    sigmoid = 1 / (1 + math.exp(-x))
    assert float(arithmetic.sigmoid(number)) == pytest.approx(sigmoid, rel=1e-14, abs=0)


@BOTH
def test_sums_and_products_of_forward_and_recurrent_inputs(arithmetic: Arithmetic) -> None:
    into = (forward(0, 2, 1, 2), forward(1, 2, 3), recurrent(2, 2, -2), recurrent(0, 2, 5))
    rows = ([4, 1], [2, 1], [0, 1])
    bias = Weight(1, 4)
    # 4/2 + 3 + 1/4; then 2/2 + 3 - 2 * 21/4 + 5 * 4 + 1/4; then 3 - 2 * 55/4 + 5 * 2 + 1/4
    sums = [Fraction(21, 4), Fraction(55, 4), Fraction(-57, 4)]
    assert values(single("linear", *into, bias=bias), *rows, arithmetic=arithmetic) == sums
    # 2 * 3 + 1/4; then (1 * 3) * (-2 * 25/4) * (5 * 4) + 1/4; then 0 + 1/4
    products = [Fraction(25, 4), Fraction(-2999, 4), Fraction(1, 4)]
    product = single("linear", *into, type="product", bias=bias)
    assert values(product, *rows, arithmetic=arithmetic) == products


@BOTH
def test_a_product_without_forward_inputs_is_its_bias(arithmetic: Arithmetic) -> None:
    network = single("linear", recurrent(0, 2), type="product", bias=Weight(3))
    assert values(network, [1, 0], [1, 0], arithmetic=arithmetic) == [3, 3]
    loop = single("linear", forward(2, 2), recurrent(0, 2), type="product")
    assert values(loop, [1, 0], [1, 0], arithmetic=arithmetic) == [0, 0]


@BOTH
def test_saturation_comes_before_the_activation_and_after_the_bias(arithmetic: Arithmetic) -> None:
    big = single("square", forward(0, 2, 3 * 10**6), bias=Weight(-(10**6)))
    assert values(big, [1, 0], [-1, 0], [0, 0], arithmetic=arithmetic) == [10**12] * 3
    assert values(single("linear", forward(0, 2)), [10**9, 0], arithmetic=arithmetic) == [10**6]
    assert values(single("step", forward(0, 2)), [-(10**9), 0], arithmetic=arithmetic) == [0]


def test_a_product_that_overflows_on_the_way_to_0_is_0() -> None:
    """Thirty factors of 10^27 are infinite in floats; the 0 comes last."""
    huge = [Unit("square", bias=Weight(10**6))] * 30
    into = (*(forward(2 + i, 1, 10**15) for i in range(30)), forward(0, 32), forward(32, 1))
    network = Network(1, 1, (Unit(), Unit(type="product"), *huge, Unit()), into)
    for arithmetic in (EXACT, FLOAT):
        steps = [step[1] for step in feed(network, [[0], [1], [-1]], arithmetic)]
        assert steps == [0, 10**6, -(10**6)]


def test_inputs_add_what_flows_into_them() -> None:
    network = Network(1, 1, (Unit(), Unit()), (forward(0, 1), recurrent(1, 0, 2)))
    assert values(network, [1], [1], [0]) == [1, 3, 6]


def test_units_that_reach_no_output_are_not_evaluated() -> None:
    network = Network(1, 1, (Unit(), Unit(bias=Weight(1)), Unit(bias=Weight(1))), (forward(1, 2),))
    assert plan(network).order == (1,)
    assert values(network, [1]) == [0]


def test_loops_are_cut_where_the_search_meets_an_open_unit() -> None:
    """From the output 1: 1 <- 2 <- 3 <- 2 is open, so 2 -> 3 is ignored; sources by number."""
    units = (Unit(), *[Unit(bias=Weight(1))] * 3)
    network = Network(1, 1, units, (forward(2, 1), forward(3, 2), forward(2, 3), forward(3, 1)))
    assert plan(network) == ((3, 2, 1), frozenset({(2, 3)}))
    assert list(feed(network, [[0]], EXACT)) == [(0, 4, 2, 1)]


def test_a_connection_onto_itself_is_ignored_unless_recurrent() -> None:
    assert plan(single("linear", forward(2, 2), recurrent(2, 2))).ignored == {(2, 2)}


@given(networks())
def test_what_is_left_after_cutting_has_no_loop_and_is_ordered(network: Network) -> None:
    order, ignored = plan(network)
    place = {unit: i for i, unit in enumerate(order)}
    assert len(place) == len(order)
    for c in network.connections:
        if c.kind == "forward" and c.target in place and (c.source, c.target) not in ignored:
            assert place[c.source] < place[c.target]
    needed = set(range(network.inputs, network.inputs + network.outputs))
    needed |= {c.source for c in network.connections if c.kind == "recurrent"}
    assert needed <= set(order)


# Probabilities


@BOTH
@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([1, 2, 1], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]),
        ([-5, 2, 2], [0, Fraction(1, 2), Fraction(1, 2)]),
        ([0, 0], [Fraction(1, 2)] * 2),
        ([-1, -2, -3, -4], [Fraction(1, 4)] * 4),
        ([Fraction(1, 10**8), 0], [Fraction(1, 2)] * 2),
        ([Fraction(2, 10**8), 0], [1, 0]),
        ([Fraction(1, 4)], [Fraction(1, 4)]),
        ([-3], [0]),
        ([3], [1]),
    ],
)
def test_outputs_become_probabilities(
    outputs: list[Any], expected: list[Any], arithmetic: Arithmetic
) -> None:
    n = len(outputs)
    network = Network(1, n, (Unit(),) * (1 + n))
    step = tuple(map(arithmetic.number, [0, *outputs]))
    got = distribution(network, step)
    assert got == expected
    assert all(type(chance) is type(step[0]) for chance in got)
    assert all(math.copysign(1, chance) == 1 for chance in got)


def test_one_output_is_fed_to_both_targets() -> None:
    """|D:G| = -log2 of 1/4 (a 1) and of 1 - 1/4 (a 0), by hand."""
    network = Network(1, 1, (Unit(), Unit(bias=Weight(1, 4))))
    corpus = Corpus.from_sequences(np.zeros((1, 3, 1)), np.array([[1, 0, 0.5]]))
    expected = 2 - math.log2(0.75) + 0.5 * 2 - 0.5 * math.log2(0.75)
    for arithmetic in (EXACT, FLOAT):
        assert surprisal(network, corpus, arithmetic) == pytest.approx(expected, rel=1e-15)


# Floats against fractions


def check_float_is_exact_to_rounding(network: Network, corpus: Corpus) -> None:
    try:
        allowed = tolerance(network, corpus)
    except Undecided:
        assume(False)
    exact, approximate = (surprisal(network, corpus, how) for how in (EXACT, FLOAT))
    if math.isinf(exact):
        assert approximate == exact
    else:
        assert abs(approximate - exact) <= allowed + 1e-12 * (exact + corpus.characters)


@given(networks(3, 3, min_connections=6, weight=weights(9)), string_corpora())
def test_floats_agree_with_fractions_away_from_jumps(network: Network, corpus: Corpus) -> None:
    check_float_is_exact_to_rounding(network, corpus)


@given(
    networks(2, 1, min_connections=6, weight=weights(9), readouts=("sigmoid", "linear")),
    numeric_corpora(2, 1),
)
def test_floats_agree_with_fractions_on_numbers(network: Network, corpus: Corpus) -> None:
    check_float_is_exact_to_rounding(network, corpus)


def test_long_fractions_are_cut_short() -> None:
    """x <- x^2 / 3 doubles the digits each step; without rounding 30 steps would need 10^9."""
    network = single("square", recurrent(2, 2, 1, 3), bias=Weight(1, 3))
    *_, last = feed(network, [[0, 0]] * 30, EXACT)
    assert last[2].denominator.bit_length() <= 4097
    *_, close = feed(network, [[0, 0]] * 30, FLOAT)
    assert float(last[2]) == pytest.approx(close[2], rel=1e-12)


# What a caller may get wrong

NET = Network(3, 3, (Unit(),) * 6, (forward(1, 4),), ("#", "a", "b"))
NUMERIC = Network(2, 1, (Unit(),) * 3)


@pytest.mark.parametrize(
    ("network", "sequence", "alphabet", "message"),
    [
        (NET, "abc", None, "no unit for the symbol 'c' (position 3 of the string)"),
        (NET, "a#b", None, "the boundary symbol # stands at position 2"),
        (NET, ["a", "bb"], None, "no unit for the symbol 'bb'"),
        (replace(NET, alphabet=None), "ab", None, "does not name its symbols; give the alphabet"),
        (replace(NET, alphabet=None), "ab", "#abc", "the alphabet has 4 symbols"),
        (replace(NET, alphabet=None), "ab", "abc", "no unit for the symbol '#'"),
        (NUMERIC, "ab", None, "does not name its symbols"),
        (NUMERIC, [[1, 2], [1]], None, "step 1 of the sequence does not hold 2 numbers"),
        (NUMERIC, [1, 2], None, "step 0 of the sequence does not hold 2 numbers"),
        (NUMERIC, [[1, "2"]], None, "step 0 of the sequence holds '2'"),
        (NUMERIC, [[1, None]], None, "step 0 of the sequence holds None"),
        (NUMERIC, [[math.nan, 1]], None, "step 0 of the sequence holds nan"),
        (NUMERIC, [[1, 10**400]], None, "step 0 of the sequence holds 1000"),
        (NUMERIC, np.array([[1, np.inf]]), None, "step 0 of the sequence holds inf"),
    ],
)
def test_bad_sequences_are_refused_in_one_sentence(
    network: Network, sequence: Any, alphabet: Any, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        network.probabilities(sequence, alphabet)
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))


@given(st.text("ab", max_size=5))
def test_lists_of_symbols_are_fed_like_strings(string: str) -> None:
    np.testing.assert_array_equal(NET.probabilities(string), NET.probabilities(list(string)))


def test_arrays_and_lists_of_numbers_are_fed_alike() -> None:
    network = single("sigmoid", forward(0, 2), forward(1, 2, -1))
    rows = np.array([[1.0, 0.0], [0.5, 2.0]])
    np.testing.assert_array_equal(network.probabilities(rows), network.probabilities(rows.tolist()))
    assert network.probabilities(rows).shape == (2, 1)
