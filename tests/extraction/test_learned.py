"""What networks have learned: machines that are printed agree with the networks, and names with the
machines."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

import mdlrnn
import mdlrnn.extraction._learned as learned_module
from helpers.commands import Run
from helpers.data import ROOT
from helpers.slow import few
from mdlrnn import Corpus, InputError, Network, Unit, Weight, zoo
from mdlrnn.extraction._fit import machine_from_runs
from mdlrnn.extraction._learned import cover
from mdlrnn.extraction._names import (
    automaton_name,
    count_name,
    guesses,
    named_machines,
    regular_name,
)
from mdlrnn.extraction._places import Node, NoMachine, Runs, run_through
from mdlrnn.extraction._verdict import fits_text, share_that_fits
from mdlrnn.languages._notation import language_from_notation
from mdlrnn.machines import load_language
from mdlrnn.machines._files import machine_from_text
from mdlrnn.machines._machine import Machine

pytest.importorskip("z3")

FOUND = ROOT / "docs" / "found"
NETWORKS: dict[str, tuple[Network, str]] = {
    "anbn": (zoo.anbn(), "a^n b^n"),
    "dyck1": (zoo.dyck1(), "Dyck-1 over []"),
    "dyck2": (zoo.dyck2(), "Dyck-2 over () []"),
    "found dyck2": (Network.load(FOUND / "dyck2.json"), "Dyck-2 over () []"),
}


@pytest.mark.parametrize("name", few(NETWORKS, "anbn", "dyck1", "found dyck2"))
def test_machine_name_and_theorem_without_being_told(name: str) -> None:
    network, title = NETWORKS[name]
    found = mdlrnn.learned(network, seconds=120)
    assert found.name == title
    assert found.proved
    assert found.machine is not None
    assert found.statement.startswith("After every prefix that it finds possible, however long,")
    assert machine_from_text(found.machine.to_text(), "x") == found.machine
    if name == "anbn":
        assert mdlrnn.prove(network, found.machine).proved


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "title"),
    [("anb2n", "a^n b^2n"), ("anbncn", "a^n b^n c^n"), ("anbmcnm", "a^n b^m c^(n+m)"),
     ("dyck2_short", "Dyck-2 over () []")],
)  # fmt: skip
def test_the_rest_of_the_zoo(name: str, title: str) -> None:
    found = mdlrnn.learned(zoo.load(name), seconds=120)
    assert found.proved
    assert found.name == title


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "title"), [("anbncndn", "a^n b^n c^n d^n"), ("dyck1", "Dyck-1 over []")]
)
def test_the_rest_of_what_was_found(name: str, title: str) -> None:
    found = mdlrnn.learned(Network.load(FOUND / f"{name}.json"), seconds=120)
    assert found.proved
    assert found.name == title


def test_names_are_held_against_the_runs() -> None:
    runs = run_through(zoo.anb2n(), most=200)
    assert [language.title for language in named_machines(runs)] == ["a^n b^2n"]


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("start: a 1/2 -> start\nstart: # 1/2", "a*"),
        ("start: a -> A\nA: b 1/2 -> start\nA: # 1/2", "(ab)* a"),
        ("start: the 1/2 -> start\nstart: cat 1/2 -> A\nA: #", "'the'* 'cat'"),
        ("start: ( 1/2 -> A\nstart: a 1/2 -> B\nA: a -> start\nB: #", "('(' a)* a"),
        ("start: a 1/2 -> A\nstart: b 1/2 -> A\nA: #", "a | b"),
    ],
)
def test_regular_expressions(text: str, expression: str) -> None:
    machine = machine_from_text(text)
    assert isinstance(machine, Machine)
    assert regular_name(machine) == expression


def test_from_the_command_line(run: Run, tmp_path: Path) -> None:
    zoo.anbn().save(tmp_path / "anbn.json")
    shown = run("learned", "anbn.json", "-o", "mine.lang")
    assert shown.code == 0
    assert shown.out.startswith("It has learned a^n b^n: these strings, of every length; ")
    assert load_language(tmp_path / "mine.lang").title == "a^n b^n"
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


@pytest.mark.slow
def test_two_stacks_that_have_learned_the_same() -> None:
    short = mdlrnn.compare(zoo.dyck2(), zoo.dyck2_short())
    assert short.same
    assert short.statement.startswith("Proved: both give exactly the same probabilities")


def test_a_corpus_of_one_string_is_told_as_one() -> None:
    found = mdlrnn.learned(zoo.anbn())
    said = [
        fits_text(share)
        for strings in (["ab"], ["ab", "b"])
        if (share := share_that_fits(found, Corpus.from_strings(strings))) is not None
    ]
    assert said == [
        "The one string of the corpus belongs to it.",
        "1 of the 2 strings of the corpus belongs to it; b does not.",
    ]


def test_numbers_are_no_strings() -> None:
    with pytest.raises(InputError, match="names no symbols"):
        mdlrnn.learned(zoo.addition())


@pytest.mark.parametrize(
    "text",
    [
        "a^n b^3n", "a^n b^m c^(n+m)", "a^n b^m c^n d^m", "a^n c b^n", "a^n b^(n+1)", "a* b*",
        "a+ b a+", "(abc)^n", "a^n | b^n", "a^n b^n | c^n d^2n", "a^n | a^n b^n", "(ab)^n c^n",
        "a^n (bc)^n", "a^n b^(n+m)", "a^n b^n c^m d^m", "a^2n b^n", "a*",
    ],
)  # fmt: skip
def test_a_language_is_guessed_from_its_first_strings(text: str) -> None:
    language = language_from_notation(text)
    strings = [tuple(string) for string in islice(language.strings(), 60)]
    assert text in [found.title for found in guesses(strings, language.alphabet[1:])]


def test_counts_get_their_names() -> None:
    even = "start: a 1/3 -> odd\nstart: b 1/3 -> start\nstart: # 1/3\n"
    odd = "odd: a 1/2 -> start\nodd: b 1/2 -> odd"
    machine = machine_from_text(even + odd)
    assert isinstance(machine, Machine)
    assert count_name(machine) == "an even number of a's over a b"
    assert regular_name(machine) == "(b | a b* a)*"
    assert automaton_name(machine) == "an even number of a's over a b"


def test_a_time_limit_ends_in_an_honest_no() -> None:
    found = mdlrnn.learned(zoo.anbncn(), seconds=1e-6)
    assert not found.proved
    assert found.machine is None
    assert found.statement.startswith("No machine was found: none was looked for (with as much")
    with pytest.raises(InputError, match="seconds is 0"):
        mdlrnn.learned(zoo.anbn(), seconds=0)


def test_runs_that_the_clock_has_ended_are_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(network: Network, noise: Fraction, ends: float) -> Runs:
        return run_through(network, noise, ends=0.0)

    monkeypatch.setattr(learned_module, "run_through", too_slow)
    found = mdlrnn.learned(zoo.anbncn(), seconds=600)
    assert found.statement.startswith("No machine was found: it was not run far enough")


def test_prefixes_are_compared_by_number_not_through_all_that_follows() -> None:
    """Two nodes at each of thirteen depths, from each of which seven symbols lead to both: the
    strings are 7^12."""
    alphabet = tuple("#abcdefg")
    none, sure = Fraction(0), Fraction(1)
    chances = {
        False: (Fraction(1, 8),) * 8,
        True: (Fraction(1, 2), *(Fraction(1, 14),) * 7),
    }
    nodes = [
        Node("a", number // 2, (), chances[number == 25], none, sure,
             {s: 2 * (number // 2) + 2 + i % 2 for i, s in enumerate(alphabet[1:])}
             if number < 24 else {})
        for number in range(26)
    ]  # fmt: skip
    found = cover(Runs(alphabet, (), nodes, 13, False, none))
    assert found is not None
    assert found.length == 11
    assert len({rule.state for rule in found.machine.rules}) == 1


def test_a_network_without_memory_that_was_cut_short_has_no_machine() -> None:
    network = Network(3, 3, (Unit(),) * 3 + (Unit(bias=Weight(1)),) * 3, (), ("#", "a", "b"))
    runs = run_through(network)
    assert not runs.units
    assert machine_from_runs(runs).accepts("ab")
    with pytest.raises(NoMachine, match="not run far enough"):
        machine_from_runs(runs._replace(finite=False, out_of_time=True))
