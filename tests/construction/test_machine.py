"""Networks that run machines: equal to them on every short string, and proved."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

import mdlrnn
from helpers.machines import differs, some_machine
from mdlrnn.cli import cli
from mdlrnn.errors import InputError
from mdlrnn.languages import EVERY_TASK, language_from_notation
from mdlrnn.machines import (
    Machine,
    Transducer,
    live_rules,
    machine_from_text,
)

NOTATIONS = [
    "a^n b^n", "a^n b^2n", "a^n b^m c^(n+m)", "(ab)^n", "a* b+", "a | b^n", "(a|b)* c",
    "a^n b^n, n >= 0", "(a^n b^n)+", "a^n b^n c^n d^n", "a^(n^2)", "a^(2^n)", "a^n b^(n^2)",
    "a^3", "a^(1..4)", "a? b?", "a^(2n+1) b^n", "(a^3 b)^n c^n", "a^n (b c^n)^2",
    "(a b^i)^(i=1..n)", "c^n (a b^i)^(i=1..n)", "(a|b)^n c^n",
    "<S: a <S> b | c>", "<S: a <S> a | b <S> b | c>", "<w> c <w>^R",
]  # fmt: skip
NOT_PROVED_YET = ["<w> c <w>", "<w:(a|b)+> c <w:a~b>"]


@pytest.mark.parametrize("text", [*NOTATIONS, *NOT_PROVED_YET])
def test_the_network_of_a_notation_has_its_probabilities(text: str) -> None:
    machine = language_from_notation(text)
    assert differs(mdlrnn.construct(text), machine, 40) is None


@pytest.mark.parametrize("text", NOTATIONS)
def test_the_network_of_a_notation_is_proved(text: str) -> None:
    network = mdlrnn.construct(text)
    assert mdlrnn.prove(network, text).proved


@pytest.mark.parametrize("name", EVERY_TASK)
def test_the_network_of_a_task_has_its_probabilities(name: str) -> None:
    machine = EVERY_TASK[name].machine
    if machine is None or isinstance(machine, Transducer):
        with pytest.raises(InputError):
            mdlrnn.construct(name)
    else:
        assert differs(mdlrnn.construct(name), machine, 30) is None


def test_one_counter_is_enough_where_one_number_comes_back() -> None:
    loops = [c for c in mdlrnn.construct("a^n b^3n").connections if c.source == c.target]
    assert len(loops) == 1


def test_saturation_is_off_only_where_counters_are_multiplied() -> None:
    assert mdlrnn.construct("a^n b^2n").saturation
    assert not mdlrnn.construct("<w> c <w>^R").saturation


@pytest.mark.parametrize("seed", range(40))
def test_the_network_of_a_random_machine_has_its_probabilities(seed: int) -> None:
    machine = some_machine(seed)
    assert differs(mdlrnn.construct(machine), machine, 12) is None


def test_the_command_writes_a_network_that_is_proved(tmp_path: Path) -> None:
    out = tmp_path / "net.json"
    done = CliRunner().invoke(cli, ["construct", "a^n b^2n", "-o", str(out)])
    assert done.exit_code == 0
    assert "constructed from a^n b^2n" in done.output
    assert mdlrnn.prove(out, "a^n b^2n").proved


def test_what_has_no_machine_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="cannot know where a word that comes back begins"):
        mdlrnn.construct("<w> <w>")


IDLE = """
start: b 1/2 -> q1, n = n + 1
start: c 1/4 -> start, n = 0
start: # 1/4
q0: b 1/2 -> q0, n = n + 1
q0: # 1/2
q1: a 1/2 if n mod 2 = 0 -> start, n = 0
q1: # 1/2 if n mod 2 = 0
q1: b 1/2 if n mod 2 = 1 -> q0, n = 2n
q1: # 1/2 if n mod 2 = 1
"""
FIVES = """
start: a 1/2 if n mod 5 = 0 -> start, n = n + 1
start: b 1/4 if n mod 5 = 0 -> q
start: # 1/4 if n mod 5 = 0
start: a 1 if n mod 5 = 1 -> start, n = n + 1
start: a 1 if n mod 5 = 2 -> start, n = n + 1
start: a 1 if n mod 5 = 3 -> start, n = n + 1
start: a 1 if n mod 5 = 4 -> start, n = n + 1
q: c 1/2 -> start
q: # 1/2
"""


@pytest.mark.parametrize("text", [IDLE, FIVES])
def test_a_machine_is_proved_whose_counter_matters_in_some_states_only(text: str) -> None:
    machine = machine_from_text(text, "test")
    assert mdlrnn.prove(mdlrnn.construct(machine), machine).proved


def test_counters_are_set_only_where_they_matter() -> None:
    machine = machine_from_text(IDLE, "test")
    assert isinstance(machine, Machine)
    live = replace(machine, rules=live_rules(machine))
    assert all(not rule.then for rule in live.rules if rule.to == "q0")
    strings = list(islice(machine.strings(), 40))
    assert list(islice(live.strings(), 40)) == strings
    assert all(live.probability(s) == machine.probability(s) for s in strings)
