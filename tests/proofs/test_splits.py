"""Networks that are right in roundabout ways: what it takes to prove them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from helpers.slow import few
from mdlrnn import Network, languages, prove
from mdlrnn.languages import machine_from
from mdlrnn.machines import load_language
from mdlrnn.machines._machine import Machine
from mdlrnn.proofs._equivalent_machines import (
    counting_machine,
    counts_of_symbols,
    equivalent_machines,
    same_language,
)
from mdlrnn.proofs._proof import check
from mdlrnn.zoo import _language

COUNTER = "4 linear 7/3 -3*b\n5 step 1*u6\n6 relu -1 2*a 1*[6]\n"
STACK = """
  2 linear 1*]
  5 step 1 -1*u16
  6 linear 2/9
  8 linear 1*u6
  11 product 1*u10 1*u12
  12 linear 1 -1*u2
  13 product 1*u2 1*u14
  15 linear 1*u11 1*u13
"""
ROUNDABOUT: dict[str, tuple[str, Network]] = {
    "a sign is remembered": (
        "anbn", _language("x", "#ab", COUNTER + "3 sigmoid -15 1/100*[7]\n7 step -3 1*u6"),
    ),
    "an excess is remembered": (
        "anbn", _language("x", "#ab", COUNTER + "3 sigmoid -15 -1*[7]\n7 relu -3 1*u6"),
    ),
    "the last symbol but one is remembered": (
        "anbn", _language("x", "#ab", COUNTER + "3 sigmoid -15 1/100*[7]\n7 linear 1*[a]"),
    ),
    "half the counter is remembered": (
        "dyck1", _language(
            "x", "#[]", "3 linear 1*u6 1*[7]\n4 sigmoid\n5 floor 1 -1/3*u6\n"
            "6 linear 1 -2*[ 1*[6]\n7 floor 1/2*u6",
        ),
    ),
    "the counter is multiplied": (
        "anbn", _language(
            "x", "#ab", "3 sigmoid -15\n4 linear 7/3 -3*b\n5 step 1*u7\n6 relu -1 2*a 1*[6]\n"
            "7 product 1*u6 1*u8\n8 linear 1 1*u6",
        ),
    ),
    "a sigmoid of the counter": (
        "anbn", _language(
            "x", "#ab", "3 sigmoid -15\n4 linear 7/3 -3*b\n5 relu -1/2 1*u7\n"
            "6 relu -1 2*a 1*[6]\n7 sigmoid 30*u6",
        ),
    ),
    "two counters are a third": (
        "a^n b^n | a^n b^2n", _language(
            "x", "#ab", "3 linear 1*u9 1*u10\n4 linear 7/3 -3*b\n5 step 1*u7\n"
            "6 linear -1*a 1*b 1*[6]\n7 linear 2*a -1*b 1*[7]\n8 relu 1*u6\n"
            "9 relu 1*b -1*u8 -1*u11\n10 sigmoid -15\n11 relu -1*u6",
        ),
    ),
    "a stack with its digits exchanged": (
        "dyck2", _language(
            "x", "#()[]", STACK + "7 linear 1 -1*u5 -1*u9\n9 step -1 1*u16\n"
            "10 linear 1*( 2*[ 3*[15]\n14 floor 1/3*[15]\n16 mod3 1*u15",
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "what",
    few(
        ROUNDABOUT, "a sign is remembered", "the counter is multiplied", "two counters are a third"
    ),
)
def test_roundabout_networks_are_proved_and_both_solvers_agree(what: str, tmp_path: Path) -> None:
    language, network = ROUNDABOUT[what]
    proof = prove(network, language)
    assert proof.proved
    (tmp_path / "proof.smt2").write_text(proof.certificate())
    for solver in ("cvc5", "z3"):
        result = check(tmp_path / "proof.smt2", solver, language=machine_from(language))
        assert result.accepted
        assert result.known


@pytest.mark.slow
def test_machines_with_other_digits_have_the_same_strings() -> None:
    def first(language: Machine) -> list[str]:
        strings = language.strings()
        return [next(strings) for _ in range(200)]

    dyck = languages.dyck(2)
    others = list(equivalent_machines(dyck))
    assert len(others) == 1 + 6 + 12
    for machine in others:
        assert first(machine) == first(dyck)
        assert same_language(machine, dyck)
        for string in first(dyck)[:40]:
            assert machine.next(string).distribution == dyck.next(string).distribution


def test_counters_are_no_stacks() -> None:
    for language in (languages.anbn(), languages.dyck(1), languages.anbmcnm()):
        assert list(equivalent_machines(language)) == []
    assert not same_language(languages.dyck(1), languages.dyck(2))


SOME_A = """start: a 1/2 -> SOME
start: b 1/2 -> start
SOME: a 1/3 -> SOME
SOME: b 1/3 -> SOME
SOME: # 1/3
"""
COUNTS_THE_AS = _language(
    "counts", "#ab", "3 step 1*u6\n4 linear 1\n5 linear 1\n6 linear 1*a 1*[6]"
)
"""P(#) is above 0 where there was an a."""


@pytest.fixture
def some_a(tmp_path: Path) -> Machine:
    (tmp_path / "some.lang").write_text(SOME_A)
    return load_language(tmp_path / "some.lang")


def test_a_network_may_count_what_the_language_does_not(some_a: Machine, tmp_path: Path) -> None:
    proof = prove(COUNTS_THE_AS, some_a)
    assert proof.proved
    assert "exactly its true probability" in proof.statement
    assert "a_read is how many a's have been read." in proof.notes
    (tmp_path / "some.smt2").write_text(proof.certificate())
    result = check(tmp_path / "some.smt2", language=some_a)
    assert result.accepted
    assert result.known


def test_a_machine_that_counts_is_of_the_same_language(some_a: Machine) -> None:
    counting = counting_machine(some_a)
    assert counting is not None
    assert same_language(counting, some_a)
    assert not same_language(counting, languages.anbn())
    assert counts_of_symbols(counting) == {"a_read": "a", "b_read": "b"}
    assert counts_of_symbols(some_a) == {}
    for string in ("a", "bba", "abba"):
        assert counting.next(string).distribution == some_a.next(string).distribution
    wrong = tuple(
        replace(rule, then=()) if rule.state == "SOME" else rule for rule in counting.rules
    )
    assert counts_of_symbols(replace(counting, rules=wrong)) == {}
    assert counting_machine(languages.dyck(4)) is None
