"""Every command says the same of one network, and nothing is proved twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helpers.networks import leaky
from mdlrnn import language, learned, resume, zoo
from mdlrnn.cli import cli
from mdlrnn.results import Learned, Verdict
from mdlrnn.runs import verdict_of

pytest.importorskip("z3")

Run = Callable[..., Result]
STRINGS = "ab\naabb\naaabbb\nab\naabb\naaaabbbb\nab\naaabbb\n"
SMALL = ("--set", "islands=4", "--set", "population=60", "--generations", "60", "--quiet")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")

    def call(*words: str) -> Result:
        return CliRunner().invoke(cli, words)

    return call


def test_all_commands_have_one_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own.txt").write_text(STRINGS)
    ended = run("evolve", "own.txt", *SMALL, "--out", "r")
    assert ended.exit_code == 0, ended.output
    line = "It has learned a^n b^n: exactly these strings, of every length."
    assert line in ended.output
    proved = run("prove", "r", "a^n b^n")
    assert proved.exit_code == 0
    assert line in proved.output

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("it was looked for again")

    monkeypatch.setattr("mdlrnn.runs._conclude.learned", refuse)
    monkeypatch.setattr("mdlrnn.runs._conclude.prove", refuse)
    for words in (("learned", "r"), ("prove", "r", "a^n b^n"), ("test", "r", "a^n b^n")):
        assert line in run(*words).output, words
    for words in (("learned", "r"), ("prove", "r", "a^n b^n"), ("test", "r", "a^n b^n")):
        assert json.loads(run(*words, "--json").stdout)["verdict"]["line"] == line
    assert run("report", "r", "-o", "r.html").exit_code == 0
    assert line in Path("r.html").read_text()
    assert resume("r", progress=False).verdict.line == line
    assert learned("r").name == verdict_of("r").name == "a^n b^n"


def test_a_network_that_is_wrong_is_called_so_everywhere(run: Run) -> None:
    zoo.anbn().save("anbn.json")
    line = "It has not learned a^n b^2n, and 0 of 200 strings that it makes are in a^n b^2n."
    assert line in run("prove", "anbn.json", "a^n b^2n").output
    found = verdict_of("anbn.json", language("a^n b^2n"))
    assert found.line == line
    assert found.proof is not None
    assert not found.proof.proved
    assert found.name == "a^n b^n"
    assert found.lines[1].startswith("It has learned a^n b^n: these strings, of every length;")


def test_single_strings_belong_or_do_not(run: Run) -> None:
    zoo.anbn().save("anbn.json")
    said = run("learned", "anbn.json", "aabb", "aab", "xy").output
    assert "aabb: belongs; its probability in the network is 0.21, in the machine 0.21." in said
    assert "aab: does not belong;" in said
    assert "xy: does not belong; its probability in the network is 0, in the machine 0." in said
    data = json.loads(run("learned", "anbn.json", "aabb", "--json").stdout)
    assert data["strings"][0]["belongs"] is True
    assert verdict_of(zoo.anbn()).belongs("aaabbb").belongs


def test_what_is_not_proved_is_no_machine(run: Run) -> None:
    """Strings that it makes, and what to try, in place of a machine that may be wrong."""
    leaky().save("leaky.json")
    result = run("learned", "leaky.json")
    assert "What it has learned is not proved" in result.output
    assert "->" not in result.output
    assert "What may help:" in result.output


def test_what_float64_breaks_is_said_by_whoever_reads_the_folder() -> None:
    found = learned(zoo.dyck2())
    again = Learned.from_dict(json.loads(json.dumps(found.to_dict())), found.network)
    assert found.proof is not None
    assert again.proof is not None
    assert again.proof.only_exact is found.proof.only_exact
    lines = [Verdict(found.network, learned=one).line for one in (found, again)]
    assert lines[0] == lines[1]
