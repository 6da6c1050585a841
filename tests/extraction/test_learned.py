"""What networks have learned: machines that are printed agree with the networks, and names with the
machines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from pathlib import Path

import pytest
from hypothesis import given, settings

import mdlrnn
from helpers.commands import Run
from helpers.data import ROOT
from helpers.strategies import networks
from mdlrnn import Connection, InputError, Network, Weight, languages, zoo
from mdlrnn.extraction._fit import machine_from_runs
from mdlrnn.extraction._names import named_machines
from mdlrnn.extraction._places import NoMachine
from mdlrnn.extraction._regex import regex_of
from mdlrnn.extraction._runs import NOISE, run_through
from mdlrnn.languages import Language
from mdlrnn.languages._language_file import machine_from_text
from mdlrnn.network._interpreter import EXACT, distribution, feed, input_rows

pytest.importorskip("z3")

FOUND = ROOT / "docs" / "found"
NETWORKS: dict[str, tuple[Network, str]] = {
    "anbn": (zoo.anbn(), "a^n b^n"),
    "anbncn": (zoo.anbncn(), "a^n b^n c^n"),
    "dyck2": (zoo.dyck2(), "Dyck-2 over () []"),
    "found dyck2": (Network.load(FOUND / "dyck2.json"), "Dyck-2 over () []"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_machine_name_and_theorem_without_being_told(name: str) -> None:
    network, title = NETWORKS[name]
    found = mdlrnn.learned(network)
    assert found.name == title
    assert found.proved
    assert found.machine is not None
    assert found.statement.startswith("After every prefix that it finds possible, however long,")
    assert machine_from_text(found.machine.to_text(), "x") == found.machine
    assert mdlrnn.prove(network, found.machine).proved


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "title"),
    [("anb2n", "a^n b^2n"), ("anbmcnm", "a^n b^m c^(n+m)"), ("dyck1", "Dyck-1 over []"),
     ("dyck2_short", "Dyck-2 over () []")],
)  # fmt: skip
def test_the_rest_of_the_zoo(name: str, title: str) -> None:
    found = mdlrnn.learned(zoo.load(name))
    assert found.proved
    assert found.name == title


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "title"), [("anbncndn", "a^n b^n c^n d^n"), ("dyck1", "Dyck-1 over []")]
)
def test_the_rest_of_what_was_found(name: str, title: str) -> None:
    found = mdlrnn.learned(Network.load(FOUND / f"{name}.json"))
    assert found.proved
    assert found.name == title


def agrees(network: Network, machine: Language, noise: Fraction, length: int) -> None:
    """After every prefix of the machine the network finds the same symbols possible."""
    assert network.alphabet is not None
    level: list[tuple[str, ...]] = [()]
    for _ in range(length):
        longer = []
        for prefix in level[:40]:
            rows = input_rows(network, list(prefix), network.alphabet)
            *_, last = feed(network, rows, EXACT, None)
            given = dict(zip(network.alphabet, distribution(network, last), strict=True))
            expected = machine.next(prefix).distribution
            for symbol, p in given.items():
                assert (p >= noise) == (expected.get(symbol, 0) > 0), (prefix, symbol)
            longer += [(*prefix, s) for s, p in expected.items() if p and s != "#"]
        level = longer


@settings(max_examples=40)
@given(networks(inputs=3, outputs=3, max_hidden=3, max_connections=10))
def test_whatever_machine_is_found_agrees_with_the_network(network: Network) -> None:
    network = replace(network, alphabet=("#", "a", "b"))
    runs = run_through(network, most=150)
    try:
        machine = machine_from_runs(runs)
    except NoMachine:
        return
    agrees(network, machine, NOISE[0], min(6, runs.depth))
    regex = regex_of(machine)
    if regex is not None and not machine.words:
        pattern = re.compile(regex)
        symbols = machine.alphabet[1:]
        for length in range(5):
            for string in islice(product(symbols, repeat=length), 120):
                text = "".join(string)
                assert (pattern.fullmatch(text) is not None) is machine.accepts(text), text


def test_a_name_that_does_not_fit_is_not_given() -> None:
    """A counter that leaks: right for short strings, and wrong from some n on."""
    network = zoo.anbn()
    leaky = replace(
        network,
        connections=tuple(
            Connection(c.source, c.target, c.kind, Weight(999, 1000))
            if c.kind == "recurrent" else c
            for c in network.connections
        ),
    )  # fmt: skip
    found = mdlrnn.learned(leaky, seconds=20)
    assert not (found.proved and found.name == "a^n b^n")


def test_names_are_held_against_the_runs() -> None:
    runs = run_through(zoo.anb2n(), most=200)
    assert [language.title for language in named_machines(runs)] == ["a^n b^2n"]


@pytest.mark.parametrize(
    ("text", "regex"),
    [
        ("start: a 1/2 -> start\nstart: # 1/2", "a*"),
        ("start: a -> A\nA: b 1/2 -> start\nA: # 1/2", "(ab)*a"),
        ("start: a 1/2 -> A\nstart: b 1/2 -> A\nA: #", "a|b"),
    ],
)
def test_regular_expressions(text: str, regex: str) -> None:
    machine = machine_from_text(text)
    assert isinstance(machine, Language)
    assert regex_of(machine) == regex


def test_from_the_command_line(run: Run, tmp_path: Path) -> None:
    zoo.anbn().save(tmp_path / "anbn.json")
    shown = run("learned", "anbn.json", "-o", "mine.lang")
    assert shown.code == 0
    assert shown.out.startswith("It has learned a^n b^n.\n")
    assert languages.Language.load(tmp_path / "mine.lang").title == "a^n b^n"
    data = json.loads(run("learned", "anbn.json", "--json").out)
    assert {"name", "machine", "proved", "statement", "margin", "seconds"} <= data.keys()
    assert run("prove", "anbn.json", "mine.lang").code == 0
    zoo.anb2n().save(tmp_path / "anb2n.json")
    differ = run("compare", "anbn.json", "anb2n.json")
    assert differ.code == 1
    assert differ.out.startswith("They differ after ab:")


def test_two_networks_that_have_learned_the_same() -> None:
    network = zoo.anbn()
    other = replace(network, name="another")
    assert mdlrnn.compare(network, other).same
    short = mdlrnn.compare(zoo.dyck2(), zoo.dyck2_short())
    assert short.same
    assert short.statement.startswith("Proved: both give exactly the same probabilities")


def test_numbers_are_no_strings() -> None:
    with pytest.raises(InputError, match="names no symbols"):
        mdlrnn.learned(zoo.addition())
