"""What the page computes is what Python computes, at every step, as a browser shows it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import Tab
from helpers.slow import few
from mdlrnn import Connection, Network, Unit, Weight, zoo
from mdlrnn.network._interpreter import EXACT, FLOAT, distribution, feed, input_rows
from mdlrnn.network._units import ACTIVATIONS, KINDS
from mdlrnn.show._content import network_content
from mdlrnn.show._page import page

STRINGS = {
    "anbn": "aaabbb", "anbncn": "aaabbbccc", "anb2n": "aabbbb", "anbmcnm": "aabccc",
    "dyck1": "[[]][][", "dyck2": "([()])[[", "dyck2_short": "([()])[[",
    "addition": "1,1 1,0 0,1 1,1 0,0", "example": "1,0 0,1 1/3,-2 0.25,1",
}  # fmt: skip


def read(text: str) -> Fraction | float:
    """A value of the page: a fraction where it claims to be exact."""
    return Fraction(text) if "/" in text or text.lstrip("-").isdigit() else float(text)


def agree(net: Network, string: str, shown: Sequence[dict[str, Any]]) -> int:
    """Every unit and probability of every step is what Python gives: the same fraction, or where
    the page computes in doubles the same to nine digits.

    Some networks blow rounding up from step to step; there the page may be as far from the truth
    as ten times what Python's own doubles are. Returns how many values took that.
    """
    rows = rows_of(net, string)
    exact, floats = list(feed(net, rows, EXACT)), list(feed(net, rows, FLOAT))
    assert len(shown) == len(exact)
    blown_up = 0
    for row, step, true, rounded in zip(rows, shown, exact, floats, strict=True):
        given, units = (*step["values"], *step["chances"]), step["units"]
        wanted = (*(true[u] for u in units), *distribution(net, true))
        python = (*(rounded[u] for u in units), *distribution(net, rounded))
        # All but inputs that hold what was read.
        assert [true[u] for u in range(net.inputs) if u not in units] == [
            value for u, value in enumerate(row) if u not in units
        ]
        assert units[-len(net.units) + net.inputs :] == list(range(net.inputs, len(net.units)))
        for text, value, double in zip(given, wanted, python, strict=True):
            found = read(text)
            if isinstance(found, Fraction):
                assert found == value
            elif not math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-12):
                blown_up += 1
                assert abs(found - value) <= 10 * abs(double - value), (step["step"], text)
        assert step["bars"] == step["chances"]
    return blown_up


def rows_of(net: Network, string: str) -> list[list[Any]]:
    if net.alphabet is not None:
        return input_rows(net, string)
    return [[Fraction(number) for number in step.split(",")] for step in string.split()]


@pytest.mark.parametrize("name", few(zoo.names(), "anbn", "dyck1", "dyck2_short", "addition"))
def test_the_page_computes_what_python_computes_for_the_zoo(
    open_page: Callable[..., Tab], name: str
) -> None:
    net = zoo.load(name)
    assert agree(net, STRINGS[name], open_page(net).steps(STRINGS[name])) == 0


def test_the_page_cuts_nothing_where_saturation_is_off(open_page: Callable[..., Tab]) -> None:
    net = zoo.golden("arithmetic")
    deep = "(" * 14 + "1" + "+1)" * 14
    assert agree(net, deep, open_page(net).steps(deep)) == 0


def any_network(number: int) -> tuple[Network, str]:
    """A network with whatever may be in one, and a string for it."""
    draw = random.Random(number)

    def weight() -> Weight:
        return Weight(draw.choice((1, -1)) * draw.randint(1, 9), draw.choice((1, 1, 2, 3, 7)))

    symbols = "#abc"[: draw.randint(2, 4)]
    n, hidden = len(symbols), draw.randint(0, 6)
    units = [Unit()] * n + [
        Unit(
            draw.choice(tuple(ACTIVATIONS)),
            "product" if draw.random() < 0.2 else "sum",
            weight() if draw.random() < 0.4 else None,
        )
        for _ in range(n + hidden)
    ]
    ends = range(len(units))
    chosen = {
        (draw.choice(KINDS), draw.choice(ends), draw.choice(ends))
        for _ in range(draw.randint(3, 16))
    }
    connections = tuple(Connection(s, t, kind, weight()) for kind, s, t in sorted(chosen))
    net = Network(n, n, tuple(units), connections, tuple(symbols))
    return net, "".join(draw.choice(symbols[1:]) for _ in range(draw.randint(3, 9)))


@pytest.mark.parametrize(
    "numbers", [range(10, 15), pytest.param(range(50), marks=pytest.mark.slow)]
)
def test_the_page_computes_what_python_computes_for_random_networks(
    browser: Any, tmp_path: Path, numbers: range
) -> None:
    exact = blown_up = values = 0
    for number in numbers:
        net, string = any_network(number)
        path = tmp_path / "random.html"
        path.write_text(page(network_content(net, "random")), encoding="utf-8")
        tab = Tab(browser, path)
        shown = tab.quick_steps(string)
        tab.close()
        blown_up += agree(net, string, shown)
        values += len(shown) * (len(net.units) + net.outputs)
        exact += all(isinstance(read(v), Fraction) for step in shown for v in step["values"])
    assert exact >= len(numbers) // 5  # so that fractions have been tried and not only doubles
    assert blown_up <= 0.02 * values


def test_large_weights_and_long_loops_stay_exact(open_page: Callable[..., Tab]) -> None:
    big = Weight(2**53, 2**53 - 1)
    net = Network(
        2, 2, (Unit(),) * 5,
        (Connection(1, 4, "forward", big), Connection(4, 4, "recurrent", Weight(1, 3)),
         Connection(4, 2, "forward", Weight(1))), ("#", "a"),
    )  # fmt: skip
    agree(net, "a" * 12, open_page(net).steps("a" * 12))


def test_denominators_that_outgrow_all_bounds_are_rounded_as_in_python(
    open_page: Callable[..., Tab],
) -> None:
    square = replace(Unit(), activation="square", bias=Weight(-1, 3))
    net = Network(
        2, 2, (Unit(), Unit(), Unit(), square), (Connection(3, 3, "recurrent", Weight(5, 7)),),
        ("#", "a"),
    )  # fmt: skip
    agree(net, "a" * 14, open_page(net).steps("a" * 14))
