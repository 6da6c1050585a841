"""A language of one's own, from a line to a theorem; longer strings; how many are enough."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

import mdlrnn
from helpers.commands import Result
from helpers.data import ROOT
from mdlrnn import Corpus, InputError, Search, Stop, evolve, show, zoo
from mdlrnn.languages import language_from, language_of_run, language_with_rules
from mdlrnn.languages._longer import longer_strings, near_length
from mdlrnn.machines import load_language
from mdlrnn.machines._machine import Machine, random_from
from mdlrnn.measures._enough import Candidate, Enough, reigns

SMALL = Search(islands=2, population=20)
SHORT = Stop(generations=5)
OWN = ["a^n b^3n", "a* b+", "a^n | a^n b^n", "(ab)^n c^m d^n", "'the' 'dog'^n 'barks'^n"]


@pytest.mark.parametrize("source", OWN)
def test_test_strings_are_longer_and_of_the_language(source: str) -> None:
    task = language_with_rules(source)
    training = task.training(60)
    longest = len(training.levels) - 2
    language = task.rules
    assert isinstance(language, Machine)
    strings = list(longer_strings(language, training, 100, 80))
    assert strings
    assert len(set(strings)) == len(strings)
    assert all(language.accepts(string) for string in strings)
    assert min(map(len, strings)) > longest
    assert max(map(len, strings)) > 60


@pytest.mark.parametrize(
    "name", ["anbn", "anbmcnm", "dyck1", "dyck2", str(ROOT / "examples" / "centre_embedding.pcfg")]
)
def test_strings_near_a_length_are_found(name: str) -> None:
    language = language_with_rules(name).rules
    assert isinstance(language, Machine)
    strings = near_length(language, 60, 10, random_from(1))
    assert strings
    assert all(50 <= len(string) <= 70 for string in strings)
    assert all(language.accepts(string) for string in strings)


def test_few_strings_among_many_prefixes_are_not_looked_for_for_ever() -> None:
    language = load_language(ROOT / "examples" / "palindrome.lang")
    assert len(list(language.shortest(10**9))) < language.most_prefixes
    assert list(language.shortest(3)) == list(islice(language.strings(), 3))


def test_strings_longer_than_those_of_training_and_shorter_than_asked(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    zoo.anbn().save(tmp_path / "anbn.json")
    refused = run("test", "anbn.json", "a^n b^n", "--longest", "5")
    assert refused.code == 2
    assert "give a larger --longest" in refused.err


def test_a_finite_language_is_tested_on_what_is_drawn() -> None:
    task = language_with_rules("a^3 b^2 | c")
    assert sum(part.sequences for part in task.tests(20)) == 5_000


def test_a_run_knows_the_notation_it_was_about(tmp_path: Path) -> None:
    run = evolve("a^n b^3n", SMALL, stop=SHORT, out=tmp_path / "run", size=30)
    assert run.out is not None
    about = json.loads((tmp_path / "run" / "settings.json").read_text())["corpus"]
    assert (about["notation"], about["size"]) == ("a^n b^3n", 30)
    known = language_of_run(about)
    assert known is not None
    assert known.machine == language_from("a^n b^3n").machine
    assert known.size == 30


def test_everything_from_the_command_line(run: Callable[..., Result], tmp_path: Path) -> None:
    shown = run("language", "a^n b^3n", "-o", "mine.lang")
    assert shown.code == 0
    assert "A: b 3/10 -> B, k = 3n - 1" in shown.out
    assert "mdlrnn prove can show a network right for all of it." in shown.out
    assert json.loads(run("language", "mine.lang", "--json").out)["counters"] == ["k", "n"]
    assert run("draw", "mine.lang", "-o", "mine.svg").code == 0
    assert "if k &gt; 0" in (tmp_path / "mine.svg").read_text()
    sampled = run("sample", "a^n b^3n", "-n", "5").out
    assert sampled == run("sample", "mine.lang", "-n", "5").out
    strings = [line.split("\t")[1] for line in sampled.splitlines()]
    assert Corpus.from_strings(strings).alphabet == ("#", "a", "b")
    options = ["--generations", "3", "--set", "islands=2", "--set", "population=10"]
    assert run("evolve", "mine.lang", *options, "--out", "run").code == 0
    tested = run("test", "run", "mine.lang", "--longest", "150").out
    assert "strings without a mistake" in tested
    proved = run("prove", "run", "mine.lang").code == 0
    assert proved == ("no mistake on any of these strings" in tested)
    assert run("test", "mine.lang", "mine.lang").code == 2
    assert run("language", "nothing.lang").code == 2


def test_a_transducer_from_the_command_line(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "parity.lang").write_text(
        "# parity\neven: 0 / 0 -> even\neven: 1 / 1 -> odd\nodd: 0 / 1 -> odd\nodd: 1 / 0 -> even\n"
    )
    options = ["--generations", "5", "--set", "islands=2", "--set", "population=20", "--size", "30"]
    assert run("evolve", "parity.lang", *options, "--out", "run").code == 0
    shown = run("test", "run", "parity.lang").out
    assert shown.startswith("parity, 500")
    assert run("prove", "run", "parity.lang").code in (0, 1)
    assert "even: 1 / 1 -> odd" in run("language", "parity.lang").out
    assert run("sample", "parity.lang").code == 2


# How many strings are enough


def test_the_lower_envelope_of_lines() -> None:
    def line(g: int, bits: float) -> Candidate:
        return Candidate(f"{g}", zoo.anbn(), g, bits, None)

    lines = [line(10, 5.0), line(30, 3.0), line(35, 3.5), line(100, 2.0), line(50, float("inf"))]
    found = reigns(lines)
    assert [(reign.first, reign.candidate.g) for reign in found] == [(1, 10), (11, 30), (71, 100)]
    for reign in found:
        assert reign.candidate.at(reign.first) == min(c.at(reign.first) for c in lines)
        if reign.first > 1:
            assert reign.candidate.at(reign.first - 1) >= min(c.at(reign.first - 1) for c in lines)


def test_enough_says_how_many_strings_make_a_right_network_win(
    tmp_path: Path, run: Callable[..., Result]
) -> None:
    evolve("anbn_100", SMALL, stop=SHORT, out=tmp_path / "run", prove=False)
    found = mdlrnn.enough(tmp_path / "run", networks=[zoo.anbn()])
    right = next(c for c in found.candidates if c.name == "given 1")
    assert right.right
    assert right.bits == pytest.approx(found.entropy, abs=0.01)
    assert found.needed is not None
    before = min(c.at(found.needed - 1) for c in found.candidates if c != right)
    assert before <= right.at(found.needed - 1)
    assert f"About {found.needed:,} strings make a network that is right in test win." in str(found)
    assert "None of these networks is right in test" in str(mdlrnn.enough(tmp_path / "run"))
    data = show.lines_over_strings(found)
    assert "given 1" in data.names
    assert found.turning_point is not None
    assert found.turning_point.candidate.name in data.names
    assert all(min(column) >= -1e-9 for column in zip(*data.excess, strict=True))
    zoo.anbn().save(tmp_path / "anbn.json")
    told = run("enough", "run", "--network", "anbn.json", "-o", "lines.svg")
    assert told.code == 0
    assert (tmp_path / "lines.svg").read_text().startswith("<svg")


def test_the_network_that_the_verdict_is_about_is_drawn() -> None:
    lines = [
        Candidate(f"{g}", zoo.anbn(), g, bits, right)
        for g, bits, right in [(10, 9.0, False), (20, 5.0, True), (40, 4.0, True), (80, 3.5, True),
                               (160, 3.2, True), (320, 3.1, True), (640, 3.0, True)]
    ]  # fmt: skip
    found = Enough("a language", 3.0, tuple(lines), reigns(lines))
    assert found.turning_point is not None
    assert (found.needed, found.turning_point.candidate.name) == (3, "20")
    drawn = show.lines_over_strings(found).names
    assert len(drawn) == 4
    assert "20" in drawn


def test_no_network_is_below_the_entropy_by_chance(
    tmp_path: Path, run: Callable[..., Result]
) -> None:
    evolve("toy_english_50", SMALL, stop=SHORT, out=tmp_path / "run", prove=False)
    found = mdlrnn.enough(tmp_path / "run", most=5)
    assert all(c.bits >= found.entropy for c in found.candidates)
    entropy = "entropy 4.5288 bits a string"
    assert entropy in str(found)
    assert entropy in run("language", "toy_english").out


def test_enough_needs_a_language(tmp_path: Path) -> None:
    evolve(["ab", "aabb"], SMALL, stop=SHORT, out=tmp_path / "run", prove=False)
    with pytest.raises(InputError, match="name the language"):
        mdlrnn.enough(tmp_path / "run")
    assert mdlrnn.enough(tmp_path / "run", "a^n b^n").title == "a^n b^n"
