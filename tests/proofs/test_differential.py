"""Interpreter, symbolic execution and solver against the semantics written once more from the docs.

The twin in `helpers.semantics` shares no line with the package: what all of them agree on, on
random networks with loops, products and every activation, is what docs/design.md says.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from helpers.semantics import Interval, Semantics, Undecided, point
from helpers.strategies import dyadic_weights, networks, weights
from mdlrnn import Network
from mdlrnn.network._interpreter import EXACT, FLOAT, distribution, feed
from mdlrnn.network._units import ACTIVATIONS
from mdlrnn.proofs._execute import executor
from mdlrnn.proofs._smt import Script, ask_z3, negation, shares
from mdlrnn.proofs._terms import Term, TooComplex, bounds, counter_term, known, memory_term
from mdlrnn.proofs._terms import substitute as substituted

SHARP = tuple(name for name, record in ACTIVATIONS.items() if not record.smooth)
DIGITS = Fraction(1, 10**50)
"""How far the interpreter's sigmoids, of 60 digits, may be off after a few steps."""
NEAR = 1e-9
BITS = 4_000
"""Beyond these the interpreter rounds its fractions."""
calm = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
values = st.builds(Fraction, st.integers(-9, 9), st.sampled_from([1, 1, 1, 2, 3, 4]))


@st.composite
def runs(
    draw: st.DrawFn, activations: tuple[str, ...], weight: st.SearchStrategy[Any]
) -> tuple[Network, list[list[Fraction]]]:
    network = draw(networks(activations=activations, weight=weight, min_connections=3))
    row = st.lists(values, min_size=network.inputs, max_size=network.inputs)
    return network, draw(st.lists(row, min_size=1, max_size=4))


def run_of(network: Network, rows: list[list[Fraction]]) -> list[dict[int, Interval]]:
    semantics = Semantics(network)
    found: list[dict[int, Interval]] = []
    for row in rows:
        try:
            found.append(semantics.step(row, found[-1] if found else None).values)
        except Undecided:
            assume(False)
        sizes = [end for value in found[-1].values() for end in value]
        assume(all(end.denominator.bit_length() < BITS for end in sizes))
    return found


def chances_of(network: Network, found: dict[int, Interval]) -> list[Interval]:
    try:
        return Semantics(network).chances(found)
    except Undecided:
        assume(False)
        raise


@settings(calm, max_examples=120)
@given(runs(SHARP, weights(99)))
def test_exact_runs_are_as_the_docs_say(run: tuple[Network, list[list[Fraction]]]) -> None:
    network, rows = run
    for expected, given_values in zip(
        run_of(network, rows), feed(network, rows, EXACT), strict=True
    ):
        assert {u: point(given_values[u]) for u in expected} == expected
        assert [point(p) for p in distribution(network, given_values)] == chances_of(
            network, expected
        )


@settings(calm, max_examples=80)
@given(runs(tuple(ACTIVATIONS), weights(9)))
def test_runs_with_sigmoids_are_as_the_docs_say(run: tuple[Network, list[list[Fraction]]]) -> None:
    network, rows = run
    for expected, given_values in zip(
        run_of(network, rows), feed(network, rows, EXACT), strict=True
    ):
        for unit, interval in expected.items():
            off = DIGITS * (1 + abs(interval.low))
            assert interval.meets(given_values[unit] - off, given_values[unit] + off), unit
        for interval, chance in zip(
            chances_of(network, expected), distribution(network, given_values), strict=True
        ):
            assert interval.meets(chance - 1000 * DIGITS, chance + 1000 * DIGITS)


@settings(calm, max_examples=80)
@given(runs(SHARP, dyadic_weights()))
def test_float64_runs_of_binary_fractions_are_exact(
    run: tuple[Network, list[list[Fraction]]],
) -> None:
    network, rows = run
    rows = [[Fraction(round(4 * value), 4) for value in row] for row in rows]
    expected = run_of(network, rows)
    fits = [
        float(v.low) == v.low and abs(v.low) < 2**20 for step in expected for v in step.values()
    ]
    assume(all(fits))
    assume(all(v.low.denominator < 2**20 for step in expected for v in step.values()))
    given_values = list(feed(network, rows, FLOAT))
    for step, found in zip(expected, given_values, strict=True):
        assert {u: point(Fraction(found[u])) for u in step} == step


@settings(calm, max_examples=80)
@given(runs(("linear", "relu", "abs", "sigmoid", "tanh", "square"), weights(9)))
def test_float64_runs_of_smooth_networks_are_near(
    run: tuple[Network, list[list[Fraction]]],
) -> None:
    network, rows = run
    expected = run_of(network, rows)
    assume(all(abs(v.high) < 1000 for step in expected for v in step.values()))
    for step, found in zip(expected, feed(network, rows, FLOAT), strict=True):
        for unit, interval in step.items():
            assert math.isclose(found[unit], interval.low, rel_tol=NEAR, abs_tol=NEAR)


@st.composite
def steps(
    draw: st.DrawFn, activations: tuple[str, ...]
) -> tuple[Network, list[Fraction], dict[int, Fraction]]:
    """A network, an input row, and any values whatever of the step before."""
    network = draw(networks(activations=activations, weight=weights(5), min_connections=3))
    row = draw(st.lists(st.integers(0, 1), min_size=network.inputs, max_size=network.inputs))
    size = len(network.units)
    before = draw(st.lists(values, min_size=size, max_size=size))
    return network, [Fraction(value) for value in row], dict(enumerate(before))


def one_step(
    network: Network, row: list[Fraction], before: dict[int, Fraction]
) -> dict[int, Interval]:
    """What the twin says, of steps in which nothing is saturated and no sigmoid vanishes: theorems
    are about exact numbers, without either."""
    try:
        step = Semantics(network).step(row, {u: point(value) for u, value in before.items()})
    except Undecided:
        assume(False)
        raise
    assume(step.largest < 10**6 and step.largest_smooth < 300)
    return step.values


def symbolic(network: Network, row: list[Fraction], memory: dict[int, Term]) -> dict[int, Term]:
    run = executor(network)
    try:
        return run.step([int(value) for value in row], {u: memory[u] for u in run.memory}).value
    except TooComplex:
        assume(False)
        raise


def replaced(term: Term, memory: dict[Any, Term]) -> Term:
    try:
        return substituted(term, memory)
    except TooComplex:
        assume(False)
        raise


def agrees(term: Term, interval: Interval) -> bool:
    low, high = bounds(term)
    assert low is not None
    assert high is not None
    if term.known and interval.is_point:
        return low == interval.low
    return interval.meets(low, high)


@pytest.mark.parametrize("activations", [SHARP, tuple(ACTIVATIONS)], ids=["sharp", "all"])
@settings(calm, max_examples=80)
@given(st.data())
def test_symbolic_execution_is_as_the_docs_say(
    activations: tuple[str, ...], data: st.DataObject
) -> None:
    """With memory left open, then filled in; and with memory known from the start."""
    network, row, before = data.draw(steps(activations))
    expected = one_step(network, row, before)
    opened = symbolic(network, row, {u: memory_term(u) for u in before})
    filled = symbolic(network, row, {u: known(value) for u, value in before.items()})
    atoms = {memory_term(u).parts[0][0]: known(value) for u, value in before.items()}
    outputs = range(network.inputs, network.inputs + network.outputs)
    assert set(outputs) <= opened.keys()
    for unit in opened:
        assert agrees(replaced(opened[unit], atoms), expected[unit])
        assert agrees(filled[unit], expected[unit])
    given_shares = shares(tuple(filled[u] for u in outputs))
    for mass, chance in zip(
        given_shares.masses[-len(outputs) :], chances_of(network, expected), strict=True
    ):
        low, high = bounds(mass)
        least, most = bounds(given_shares.whole)
        if least and most and low is not None and high is not None and least > Fraction(1, 10**8):
            assert chance.meets(low / most, high / least)


COUNTERS = ("n", "k")


@pytest.mark.parametrize("activations", [SHARP, tuple(ACTIVATIONS)], ids=["sharp", "all"])
@settings(calm, max_examples=50)
@given(st.data())
def test_solver_terms_are_as_the_docs_say(
    activations: tuple[str, ...], data: st.DataObject
) -> None:
    """Memory as affine functions of two counters; the solver is told the counters and asked for
    the outputs."""
    pytest.importorskip("z3")
    network = data.draw(
        networks(activations=activations, weight=weights(5), min_connections=3, max_hidden=3)
    )
    row = [Fraction(data.draw(st.integers(0, 1))) for _ in range(network.inputs)]
    at = {name: data.draw(st.integers(-3, 12)) for name in COUNTERS}
    forms = {
        u: (data.draw(values), data.draw(st.integers(-3, 3)), data.draw(st.sampled_from([0, 0, 1])))
        for u in range(len(network.units))
    }
    memory = {
        u: known(c) + counter_term("n").times(a) + counter_term("k").times(b)
        for u, (c, a, b) in forms.items()
    }
    before = {u: c + a * at["n"] + b * at["k"] for u, (c, a, b) in forms.items()}
    expected = one_step(network, row, before)
    found = symbolic(network, row, memory)
    for unit in range(network.inputs, network.inputs + network.outputs):
        low, high = expected[unit]
        outside = ("or", (">", known(low) - found[unit]), (">", found[unit].plus(-high)))
        verdict = _asked(outside, at)
        if found[unit].known or not _has_sigmoid(found[unit]):
            assert verdict in ("unsat", "unknown"), "the solver has another value"
        assert _asked(negation(outside), at) in ("sat", "unknown"), "the solver excludes the value"


def _asked(formula: Any, at: dict[str, int]) -> str:
    script = Script(COUNTERS)
    for name, value in at.items():
        script.add(("=", counter_term(name).plus(-value)))
    script.add(formula)
    return ask_z3("\n".join(script.lines), milliseconds=500).verdict


def _has_sigmoid(term: Term) -> bool:
    """A solver knows a sigmoid by its bounds only."""
    return any(
        atom.kind == "sigmoid" or any(map(_has_sigmoid, atom.inputs)) for atom, _ in term.parts
    )
