"""Networks that no search made: counters below 0 or from odd values, gates, automata, no memory."""

from __future__ import annotations

import pytest

import mdlrnn
from helpers.learned import check_machine, check_name
from mdlrnn import Network
from mdlrnn.zoo import _language

pytest.importorskip("z3")
NETWORKS: dict[str, tuple[Network, str]] = {
    "a counter that falls": (
        _language(
            "falls", "#ab", """
            3  sigmoid  -15
            4  linear   7/3  -3*b
            5  step     -1*u6
            6  linear   -1*a  1*b  1*[6]
            """,
        ),
        "a^n b^n",
    ),
    "a counter in odd numbers": (
        _language(
            "odd", "#ab", """
            3  sigmoid  -15
            4  linear   7/3  -3*b
            5  step     -5  1*u6
            6  linear   5*#  2*a  -2*b  1*[6]
            """,
        ),
        "a^n b^n",
    ),
    "two counters that are compared": (
        _language(
            "two", "#ab", """
            3  sigmoid  -15
            4  linear   7/3  -3*b
            5  step     1*u6  -1*u7
            6  linear   1*a  1*[6]
            7  linear   1*b  1*[7]
            """,
        ),
        "a^n b^n",
    ),
    "an even number": (
        _language(
            "even", "#ab", """
            3  linear   1/2  -1/2*u6
            4  linear   1
            5  linear   1
            6  mod2     1*a  1*[6]
            """,
        ),
        "an even number of a's over a b",
    ),
    "a number divisible by 3": (
        _language(
            "thirds", "#ab", """
            3  relu     1  -1*u6
            4  linear   1
            5  linear   1
            6  mod3     1*b  1*[6]
            """,
        ),
        "a number of b's divisible by 3 over a b",
    ),
    "a latch": (
        _language(
            "latch", "#ab", """
            3  linear   1
            4  linear   1  -1*u6
            5  linear   1
            6  step     1*b  1*[6]
            """,
        ),
        "a* b*",
    ),
    "no memory": (
        _language(
            "none", "#ab", """
            3  linear   1  -1*#
            4  linear   1  -1*b
            5  linear   1
            """,
        ),
        "(a+b*|b+)",
    ),
    "nothing to choose": (
        _language(
            "fixed", "#ab", """
            3  linear   1*b
            4  linear   1*#
            5  linear   1*a
            """,
        ),
        "ab",
    ),
    "pairs": (
        _language(
            "pairs", "#ab", """
            3  linear   1*b
            4  linear   1*#  1*b
            5  linear   1*a
            """,
        ),
        "(ab)^n",
    ),
    "a gated counter": (
        _language(
            "gated", "#ab", """
            3  sigmoid  -15
            4  linear   7/3  -3*b
            5  step     1*u6
            6  linear   1*u7  -1*b  1*[6]
            7  product  1*a  1*u8
            8  linear   1
            """,
        ),
        "a^n b^n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_machine_and_its_name(kind: str) -> None:
    network, name = NETWORKS[kind]
    found = mdlrnn.learned(network, seconds=120)
    assert found.proved, found.statement
    assert found.machine is not None
    check_machine(network, found.machine, found.margin, 20, 30)
    assert found.name is not None
    check_name(found.name, found.machine)
    check_name(name, found.machine)


def test_a_network_without_a_machine_says_so() -> None:
    """Its memory is doubled and halved in turns, and never the same again."""
    network = _language(
        "chaos", "#ab", """
        3  linear   1
        4  step     -1/3  1*u6
        5  linear   1
        6  mod2     1*#  1/3*b  3/2*[6]
        """,
    )  # fmt: skip
    found = mdlrnn.learned(network, seconds=5)
    assert found.machine is None
    assert not found.proved
    assert found.cover is not None
    assert found.to_dict()["agrees"]["length"] == found.cover.length
    assert "no claim beyond" in str(found)
