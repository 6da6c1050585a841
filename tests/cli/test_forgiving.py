"""What a user types in a hurry is understood, or answered with what was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from helpers.commands import Run
from mdlrnn import InputError, Network, sample, zoo
from mdlrnn.cli import cli
from mdlrnn.languages import language_from

STRINGS = "ab\naabb\naaabbb\n"


def piped(text: str, *arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, input=text, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_standard_input_holds_strings_or_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    zoo.anbn().save("anbn.json")
    Path("strings.txt").write_text(STRINGS)
    scored = piped(STRINGS, "score", "anbn.json", "-")
    assert scored == piped("", "score", "anbn.json", "strings.txt")
    network = zoo.anbn().to_json()
    assert piped(network, "feed", "-", "aabb") == piped("", "feed", "anbn.json", "aabb")
    assert scored == piped(network, "score", "-", "strings.txt")


def test_errors_about_standard_input_name_it(tmp_path: Path) -> None:
    zoo.anbn().save(tmp_path / "anbn.json")
    result = CliRunner().invoke(cli, ["score", f"{tmp_path / 'anbn.json'}", "-"], input="a#\n")
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("standard input: line 1: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b\nb a\n", "a blank is a symbol here"),
        ("ab\n\naabb\n\n", "2 lines are blank and stand for the empty string"),
        ("ab\n\n", "1 line is blank and stands for the empty string"),
        ("2\tab\n1\t\n", ""),
        (STRINGS, ""),
    ],
)
def test_what_may_not_be_meant_is_said(run: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "strings.txt").write_text(text)
    shown = run("evolve", "strings.txt", "--generations", "1", "--set", "islands=1", "--out", "r")
    assert shown.code == 0
    assert ("Note: " in shown.err) is bool(said)
    assert said in shown.err
    assert "Note: " not in run("evolve", "--resume", "r", "--generations", "2").err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (("evole", "anbn"), "did you mean mdlrnn evolve?"),
        (("lab", "tabel"), "did you mean mdlrnn lab table?"),
        (("evolve", "agree.csv"), "did you mean agreed.csv?"),
        (("evolve", "data/agree.txt"), "did you mean data/agree.csv?"),
        (("evolve", "nowhere.txt"), "check the path"),
        (("feed", "agrees.json", "ab"), "did you mean agree.json?"),
        (("lab", "zoo", "anbm"), "did you mean anbn?"),
    ],
)
def test_what_is_mistyped_is_answered_with_what_was_meant(
    run: Run, tmp_path: Path, given: tuple[str, ...], meant: str
) -> None:
    (tmp_path / "data").mkdir()
    for name in ("agreed.csv", "agree.json", "words.txt", "data/agree.csv"):
        (tmp_path / name).write_text("x\n")
    if "agree.csv" in given:
        (tmp_path / "agree.json").unlink()
    shown = run(*given)
    assert shown.code == 2
    assert meant in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ("a^n b^m, n > m", "write x^m x^k where x^n stands"),
        ("a^n b^m, n <= m", "write x^n x^k (k >= 0) where x^m stands"),
        ("a^n b^n, n > 3", "write (n+3) where n stands"),
        ("a^n b^n, n >= 3", "write (n+2) where n stands"),
        ("a^n b^n, n < 5", "write (1..4) for n"),
        ("a^n > b^n", "write '>' for the symbol"),
    ],
)
def test_a_comparison_in_a_notation_is_answered_with_what_to_write(given: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        language_from(given)
    assert remedy in str(caught.value)


def test_the_least_number_may_be_written_in_several_ways() -> None:
    plain, zero = language_from("a^n b^n"), language_from("a^n b^n, n >= 0")
    assert language_from("a^n b^n, n > 0").shortest(3) == plain.shortest(3)
    assert language_from("aⁿ bⁿ, n ≥ 0").shortest(3) == zero.shortest(3)


def test_the_ending_of_a_file_says_what_to_export(run: Run, tmp_path: Path) -> None:
    zoo.anbn().save(tmp_path / "anbn.json")
    for ending, begins in ((".py", "# A recurrent"), (".h", "/*"), (".dot", "digraph")):
        assert run("export", "anbn.json", "-o", f"anbn{ending}").code == 0
        assert (tmp_path / f"anbn{ending}").read_text().startswith(begins)
    shown = run("export", "anbn.json", "-o", "anbn.what")
    assert shown.code == 2
    assert "say it with --to" in shown.err
    assert not (tmp_path / "anbn.what").exists()


def test_a_network_makes_strings(run: Run, tmp_path: Path) -> None:
    zoo.anbn().save(tmp_path / "anbn.json")
    drawn = sample(zoo.anbn(), 50)
    assert sample(tmp_path / "anbn.json", 50) == drawn
    assert all(string == "a" * (len(string) // 2) + "b" * (len(string) // 2) for string in drawn)
    lines = run("sample", "anbn.json", "-n", "50").out.splitlines()
    assert sum(int(line.partition("\t")[0]) for line in lines) == 50
    words = zoo.golden("toy_english")
    assert all("dogs" in string for string in sample(words, 5))


def test_a_network_that_makes_no_strings_says_why() -> None:
    endless = Network.from_dict({**zoo.anbn().to_dict(), "connections": []})
    with pytest.raises(InputError, match="names no symbols"):
        sample(zoo.addition())
    with pytest.raises(InputError, match="hardly ever ends"):
        sample(endless, 3)


def test_runs_of_this_folder_are_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "strings.txt").write_text(STRINGS)
    assert "There are no runs in this folder" in run("runs").out
    small = ("--generations", "1", "--set", "islands=1", "--quiet")
    assert run("evolve", "strings.txt", *small, "--out", "mine").code == 0
    assert run("evolve", "strings.txt", *small).code == 0
    listed = {Path(one["folder"]) for one in json.loads(run("runs", "--json").out)}
    assert listed == {Path("mine"), Path("runs/strings-1")}
    assert run("runs", "--watch").out.startswith("runs/strings-1  ")


def test_time_given_to_a_run_that_goes_on_is_time_more(run: Run, tmp_path: Path) -> None:
    (tmp_path / "strings.txt").write_text(STRINGS)
    run("evolve", "strings.txt", "--generations", "1", "--set", "islands=1", "--out", "r")
    shown = run("evolve", "--resume", "r", "--generations", "none", "--time", "0.05s")
    assert "is up" in shown.out
    settings = json.loads((tmp_path / "r" / "settings.json").read_text())
    assert settings["stop"]["seconds"] > 0.05


def test_the_laboratory_writes_the_networks_of_the_paper(run: Run, tmp_path: Path) -> None:
    assert set(zoo.names()) < set(run("lab", "zoo").out.split())
    assert run("lab", "zoo", "dyck1").code == 0
    assert Network.load(tmp_path / "dyck1.json") == zoo.dyck1()
    assert run("lab", "zoo", "golden_arithmetic", "-o", "mine.json").code == 0
    assert Network.load(tmp_path / "mine.json") == zoo.golden("arithmetic")
