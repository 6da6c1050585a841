"""Every export computes what the interpreter computes: on the zoo, on the networks of docs/found
and on 200 random networks, half of them without saturation, over strings of up to 200 symbols."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.exports import (
    Case,
    agrees,
    case_of,
    cases,
    known_networks,
    module_of,
    run_c,
    run_onnx,
    run_onnx_by_steps,
    run_python,
    run_torch,
)
from mdlrnn import Connection, Network, Unit, Weight, exports
from mdlrnn.network._interpreter import EXACT, FLOAT, distribution, feed

PARTS = 4
"""The networks in so many tests, to be spread over the cores."""
parts = pytest.mark.parametrize("part", range(PARTS))


def chosen(part: int) -> tuple[Case, ...]:
    return cases()[part::PARTS]


def test_the_random_networks_are_worth_trying() -> None:
    made = cases()
    assert len(made) >= 200 + 19
    assert sum(len(case.rows) > 200 for case in made) >= 50
    moving = [case for case in made if len(np.unique(case.expected.round(9), axis=0)) > 2]
    assert len(moving) > 100, "most predict more than one thing"
    assert sum(not case.is_smooth for case in made) > 40
    assert sum(any(u.type == "product" for u in case.network.units) for case in made) > 100
    uncut = [case for case in made if not case.network.saturation]
    assert len(uncut) > 70
    assert sum(not np.array_equal(case.expected, saturated(case)) for case in uncut) > 15


def saturated(case: Case) -> Any:
    """What the probabilities would be if the network cut its sums to a million."""
    values = feed(case.network, case.rows, FLOAT, saturation=True)
    return np.array([distribution(case.network, each) for each in values])


@parts
def test_plain_python(part: int) -> None:
    for case in chosen(part):
        assert agrees(case, run_python(exports.python(case.network), case)), case.network.name


@parts
def test_exact_python_gives_the_interpreters_fractions(part: int) -> None:
    for case in chosen(part):
        check_exactly(case, 40 if case.network.saturation else 14)


@pytest.mark.slow
def test_exact_python_over_the_whole_strings() -> None:
    for case in cases():
        # A square in a loop doubles its digits at every step, and nothing cuts them for long.
        check_exactly(case, len(case.rows) if case.network.saturation else 20)


def check_exactly(case: Case, steps: int) -> None:
    short = case._replace(rows=case.rows[:steps])
    found = run_python(exports.python(case.network, exact=True), short)
    told = [distribution(case.network, v) for v in feed(case.network, short.rows, EXACT)]
    assert [[Fraction(p.n, p.d) for p in row] for row in found] == told, case.network.name


def test_exact_python_takes_a_sigmoid_of_a_fraction_of_any_length() -> None:
    """The sum of these squares has more decimal digits than Python counts."""
    units, connections = [Unit(), Unit("sigmoid")], []
    for prime, squares in ((3, 11), (5, 10), (7, 10), (11, 10), (13, 10), (17, 9), (19, 9)):
        first = len(units)
        units += [Unit("square", bias=Weight(1, prime)), *([Unit("square")] * (squares - 1))]
        chain = zip(range(first, len(units)), [*range(first + 1, len(units)), 1], strict=True)
        connections += [Connection(a, b, "forward", Weight(1)) for a, b in chain]
    network = Network(1, 1, tuple(units), tuple(connections), name="long")
    check_exactly(case_of(network, [[0]]), 1)


def test_c(tmp_path: Path) -> None:
    for case, found in zip(cases(), run_c(cases(), tmp_path), strict=True):
        assert agrees(case, found), case.network.name


@parts
def test_torch(part: int) -> None:
    for case in chosen(part):
        assert agrees(case, run_torch(case)), case.network.name


@parts
def test_onnx_over_whole_strings(part: int) -> None:
    for case in chosen(part):
        assert agrees(case, run_onnx(case)), case.network.name


def test_onnx_step_by_step() -> None:
    for case in cases()[::5]:
        assert agrees(case, run_onnx_by_steps(case)), case.network.name


def test_every_known_network_tests_itself() -> None:
    for network in known_networks():
        for exact in (False, True):
            assert module_of(exports.python(network, exact=exact))["test"](), network.name
