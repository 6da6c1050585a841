"""Formulas in SymPy: their values, their LaTeX and their source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from helpers.exports import CLOSE, Case, cases, decided_steps, deep_cases, random_rows
from helpers.expressions import compiled
from helpers.slow import few
from mdlrnn import Connection, InputError, Network, Unit, Weight, exports, zoo
from mdlrnn.network._interpreter import EXACT, distribution, feed

sympy = pytest.importorskip("sympy", reason="no formulas are made: SymPy is not installed")
PARTS = 4
LONGEST = 2**16
"""Bits of the largest number looked at. Nothing is cut in formulas of a network without saturation,
so that squares in a loop outgrow what the interpreter cuts them to, and then the memory."""


def run(case: Case, steps: int) -> Iterator[list[Fraction]]:
    """The probabilities along the case's string, by the formulas for each symbol or row."""
    made = exports.sympy(case.network)
    known: dict[tuple[Any, ...], Any] = {}
    values: dict[str, Fraction] = {}
    for number, row in enumerate(case.rows[:steps]):
        key = (number == 0, *row)
        if key not in known:
            formulas = made.fed(row, first=number == 0)
            known[key] = (
                [(str(made.names[u]), compiled(e)) for u, e in formulas.units.items()],
                [compiled(e) for e in formulas.probabilities.values()],
            )
        units, chances = known[key]
        memory = {f"m{name[1:]}": value for name, value in values.items() if name[0] == "u"}
        values = memory
        for name, function in units:
            values[name] = EXACT.tidy(function(values))
        yield [Fraction(function(values)) for function in chances]


def check(case: Case, steps: int) -> None:
    formulas = run(case, steps)
    for number, values in enumerate(feed(case.network, case.rows[:steps], EXACT)):
        if max(value.numerator.bit_length() for value in values) > LONGEST:
            assert not case.network.saturation
            break
        found, told = next(formulas), distribution(case.network, values)
        if found == told:
            continue
        assert case.is_smooth, case.network.name
        if found != pytest.approx(told, abs=CLOSE):
            # Both round e^x to 60 digits, and some networks blow even that up.
            assert number >= decided_steps(case.network, case.rows), case.network.name
            break


@pytest.mark.parametrize("part", few(range(PARTS), 0))
def test_formulas_give_the_interpreters_fractions(part: int) -> None:
    for case in cases()[part::PARTS]:
        check(case, 12)


@pytest.mark.slow
def test_formulas_over_whole_strings() -> None:
    for case in cases():
        check(case, len(case.rows))


def test_formulas_of_a_counter_can_be_read() -> None:
    made = exports.sympy(zoo.anbn())
    after = made.after("a")
    assert str(after.units[6]) == "Max(0, sat(m_6 + 1))"
    assert after.units[4] == sympy.Rational(7, 3)
    assert sympy.simplify(made.after("#", first=True).probabilities["b"]) == 0
    assert str(made.units[5]) == "Heaviside(u_6, 0)", "no saturation where none is possible"


def test_sat_is_left_out_where_saturation_is_off() -> None:
    made = exports.sympy(replace(zoo.anbn(), saturation=False))
    assert str(made.after("a").units[6]) == "Max(0, m_6 + 1)"
    for text in (made.latex(), made.source()):
        assert "sat(" not in text
        assert "sat}" not in text
        assert "no sum is cut" in text
    assert "sat(x) is x cut" in exports.sympy(zoo.anbn()).latex()


@pytest.mark.parametrize("case", deep_cases(), ids=lambda case: case.network.name)
def test_formulas_hold_a_deep_stack(case: Case) -> None:
    check(case, len(case.rows))


def test_numbers_that_grow_from_unit_to_unit_are_named() -> None:
    chain = [Unit("square", bias=Weight(10)), *([Unit("square")] * 60)]
    network = Network(
        1, 2, (Unit(), Unit("mod3"), Unit("relu", bias=Weight(-1)), *chain, Unit("sigmoid")),
        (
            *(Connection(3 + i, 4 + i, "forward", Weight(1)) for i in range(60)),
            Connection(63, 1, "forward", Weight(1)),
            Connection(10, 64, "forward", Weight(1)),
            Connection(64, 2, "forward", Weight(1)),
        ),
        saturation=False,
    )  # fmt: skip
    made = exports.sympy(network).fed([1])
    assert made.units[5] == 10**8
    assert str(made.units[63]) == "u_62**2", "a number of 10^18 digits"
    # Of 1/(1 + e^-x) - 1 nobody knows the sign who has not as many digits as x.
    assert str(made.units[2]) == "Max(0, u_64 - 1)"


def test_sat_is_the_saturation() -> None:
    from mdlrnn.exports._symbolic import sat

    x = sympy.Symbol("x", real=True)
    assert [sat(v) for v in (-(10**7), sympy.Rational(1, 3), 10**7)] == [
        -(10**6), sympy.Rational(1, 3), 10**6,
    ]  # fmt: skip
    assert sat(x).rewrite(sympy.Max).subs(x, 10**9) == 10**6
    assert sat(x).is_real


def test_latex_has_a_block_for_each_symbol() -> None:
    text = exports.sympy(zoo.anbn()).latex()
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}") == 4
    assert r"u_{6} &= \max\left(0, \operatorname{sat}\left(m_{6} - 1\right)\right)" in text
    assert r"P(\text{\#}) &= \frac{\max(0, u_{3})}{T}" in text
    assert r"\theta" in text
    assert r"\[ P(1) = " in exports.sympy(zoo.addition()).latex()


def test_symbols_cannot_break_the_latex() -> None:
    symbols = ("#", "\\end{align*}", "%", "a\nb")
    network = Network(4, 4, zoo.anbmcnm().units[:8], (), symbols)
    text = exports.sympy(network).latex()
    assert text.count(r"\end{align*}") == text.count(r"\begin{align*}") + 1, "one, in a comment"
    assert r"\text{\textbackslash{}end\{align*\}}" in text
    assert "a\nb" not in text


def test_the_source_makes_the_same_formulas() -> None:
    networks = {name: zoo.load(name) for name in ("anbn", "dyck2", "addition")}
    networks["arithmetic"] = zoo.golden("arithmetic")
    for name, network in networks.items():
        made = exports.sympy(network)
        space: dict[str, Any] = {}
        exec(made.source(), space)
        for u, expression in made.units.items():
            assert space["units"][u] == expression.rewrite(sympy.Max), (name, u)
        assert space["probabilities"] == made.probabilities


def test_what_cannot_be_read_is_said() -> None:
    made = exports.sympy(zoo.anbn())
    with pytest.raises(InputError, match="unknown symbol 'c'; use one of #, a, b"):
        made.after("c")
    with pytest.raises(InputError, match=r"the row \[1\] has 1 numbers; give 3"):
        made.fed([1])
    with pytest.raises(InputError, match="does not name its symbols; "):
        exports.sympy(zoo.addition()).after("1")


def test_numbers_can_be_fed() -> None:
    network = zoo.addition()
    from random import Random

    rows = random_rows(Random(1), network, 20)
    case = Case(network, rows, cases()[0].expected)
    check(case, 20)


def test_the_probabilities_along_a_string_are_the_network_s() -> None:
    formulas = exports.sympy(zoo.anb2n())
    along = formulas.along("abb")
    true = zoo.anb2n().probabilities("abb")
    assert len(along) == len(true) == 4
    for here, row in zip(along, true, strict=True):
        assert [float(chance) for chance in here.values()] == pytest.approx(list(row))
    assert float(formulas.probability("abb")) == pytest.approx(
        float(along[0]["a"] * along[1]["b"] * along[2]["b"] * along[3]["#"])
    )
    with pytest.raises(InputError, match="does not name its symbols"):
        exports.sympy(zoo.addition()).along("1")
