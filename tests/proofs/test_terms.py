"""Symbolic execution: terms mean what the interpreter and the solvers mean."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.strategies import networks, weights
from mdlrnn.network._interpreter import EXACT, feed
from mdlrnn.network._network import Network
from mdlrnn.proofs import _terms
from mdlrnn.proofs._execute import executor
from mdlrnn.proofs._obligations import bounds_text
from mdlrnn.proofs._smt import Script, ask_cvc5, ask_z3
from mdlrnn.proofs._terms import Term, activate, counter_term, enclosure, known, product, substitute

PLAIN = ("linear", "relu", "square", "floor", "step", "mod2", "mod3")
small = st.fractions(-6, 6, max_denominator=4)


@given(networks(inputs=2, activations=PLAIN, weight=weights(9), max_hidden=4), st.data())
def test_an_exact_run_is_the_interpreters_without_saturation(
    network: Network, data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=3))
    run = executor(network)
    memory = None
    for row, expected in zip(rows, feed(network, rows, EXACT, saturation=False), strict=True):
        values = run.step(row, memory)
        assert {u: known(expected[u]) for u in run.relevant} == values.value
        memory = {u: values.value[u] for u in run.memory}


@st.composite
def terms(draw: st.DrawFn, depth: int = 3) -> Term:
    """Terms over one counter, with all activations but sigmoid."""
    if depth == 0 or draw(st.booleans()):
        return counter_term("n").times(draw(small)).plus(draw(small))
    kind = draw(st.sampled_from(["sum", "product", *PLAIN[1:]]))
    one = draw(terms(depth - 1))
    if kind in ("sum", "product"):
        other = draw(terms(depth - 1))
        return one + other.times(draw(small)) if kind == "sum" else product(one, other)
    return activate(kind, one)


@settings(max_examples=60)
@given(terms(), st.integers(-40, 40))
def test_solvers_read_terms_as_we_do(term: Term, value: int) -> None:
    n = counter_term("n")
    expected = substitute(term, {n.parts[0][0]: known(value)})
    assert expected.known
    script = Script(("n",))
    script.add(("=", n.plus(-value)))
    script.add(("not", ("=", term - expected)))
    text = "\n".join(script.lines)
    assert ask_z3(text).verdict == "unsat"
    assert ask_cvc5(text).verdict == "unsat"


@st.composite
def smooth_terms(draw: st.DrawFn, depth: int = 3) -> Term:
    """Terms over one counter and sigmoids of constants."""
    if depth == 0:
        return counter_term("n").times(draw(small)).plus(draw(small))
    one, other = draw(smooth_terms(depth - 1)), _terms.sigmoid(known(draw(small)))
    mixed = one + other.times(draw(small))
    return activate(draw(st.sampled_from(PLAIN)), mixed)


@settings(max_examples=80)
@given(smooth_terms(), st.integers(-12, 12))
def test_solvers_keep_sigmoids_within_our_bounds(term: Term, value: int) -> None:
    """What the solver takes a term with sigmoids for lies where the exact run says it does."""
    n = counter_term("n")
    try:
        at = substitute(term, {n.parts[0][0]: known(value)})
        low, high = _terms.bounds(at)
    except _terms.TooComplex:
        assume(False)
    assert low is not None
    assert high is not None
    script = Script(("n",))
    script.add(("=", n.plus(-value)))
    below, above = (">", known(low) - term), (">", term.plus(-high))
    script.add(("or", below, above))
    assert ask_z3("\n".join(script.lines), None, 2000).verdict != "sat"


@given(terms(), small, st.integers(-20, 20))
def test_folding_changes_nothing(term: Term, value: Fraction, n: int) -> None:
    """Replacing the counter at once, or by steps, comes to the same."""
    atom = counter_term("n").parts[0][0]
    shifted = substitute(term, {atom: counter_term("n").plus(n)})
    at = {atom: known(3)}
    assert substitute(shifted, at) == substitute(term, {atom: known(3 + n)})
    assert substitute(term.times(value), at) == substitute(term, at).times(value)


@given(st.fractions(-60, 60, max_denominator=1000) | st.integers(-600, 600).map(Fraction))
def test_bounds_of_the_sigmoid_hold_it(x: Fraction) -> None:
    low, high = enclosure(x)
    # The interpreter's value is right to 60 digits.
    value = EXACT.sigmoid(x)
    assert low <= value <= high
    assert low > 0
    if abs(x) <= 60:
        assert high - low <= low / 10**20


@pytest.mark.parametrize("point", ["-15", "-4", "7/3", "1/1000000007", "60", "-100", "-700", "800"])
def test_both_solvers_show_the_bounds_of_the_sigmoid(point: str) -> None:
    text = bounds_text(Fraction(point))
    assert ask_z3(text).verdict == "unsat"
    assert ask_cvc5(text).verdict == "unsat"


def test_narrower_bounds_would_not_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The query about the bounds can fail."""
    low, high = enclosure(Fraction(-15))
    wrong = low, low + (high - low) / 10**6
    monkeypatch.setattr("mdlrnn.proofs._obligations.enclosure", lambda x: wrong)
    assert ask_z3(bounds_text(Fraction(-15))).verdict == "sat"


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(-200, 200), st.data())
def test_a_sigmoid_of_a_counter_is_tied_to_its_values(
    scale: int, value: int, data: st.DataObject
) -> None:
    """At any counter the facts leave the true value possible."""
    n = counter_term("n")
    term = _terms.sigmoid(n.times(Fraction(1, scale)))
    script = Script(("n",))
    script.add(("=", n.plus(-value)))
    x = value / scale
    true = 1 / (1 + math.exp(-x)) if x > -700 else 0.0
    slack = Fraction(1, 10**12)
    script.add((">", term.plus(-Fraction(true) + slack)))
    script.add((">", term.times(-1).plus(Fraction(true) + slack)))
    assert ask_z3("\n".join(script.lines)).verdict == "sat"


def test_terms_that_grow_without_end_are_given_up() -> None:
    def grow(term: Term) -> Term:
        return grow(product(term, term.plus(1)))

    with pytest.raises(_terms.TooComplex):
        grow(counter_term("n"))
