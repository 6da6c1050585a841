"""The help of the command line, and what it says to spellings of earlier versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import click
import pytest

import mdlrnn
import mdlrnn_lab
from helpers.commands import Result, refused
from mdlrnn import Encoding, InputError, Search
from mdlrnn.cli._evolve import KINDS
from mdlrnn.cli._main import SECTIONS, cli
from mdlrnn.old import COMMANDS as OLD
from mdlrnn.old import KEYWORDS, OPTIONS
from mdlrnn.runs import read_settings
from mdlrnn_lab import rnns

COMMANDS = [
    "evolve", "learned", "runs", "test", "prove", "score", "compare", "enough", "feed", "explain",
    "draw", "report", "bits", "language", "construct", "sample", "export", "lab",
]  # fmt: skip
LABORATORY = ["table", "probe", "rnns", "regularisers", "bliss", "atlas", "bench"]


def test_the_help_lists_these_commands_under_headings(run: Callable[..., Result]) -> None:
    result = run("--help")
    headings = [line for line in result.out.splitlines() if line.endswith(":")]
    assert headings == ["Options:", *(f"{title}:" for title in SECTIONS)]
    assert cli.list_commands(click.Context(cli)) == COMMANDS
    lines = [line.split()[0] for line in result.out.splitlines() if line.startswith("  ")]
    assert [name for name in lines if name in COMMANDS] == COMMANDS


@pytest.mark.parametrize(
    "command", [*COMMANDS, *(f"lab {name}" for name in LABORATORY), "lab bench evolve"]
)
def test_every_help_fits_the_terminal(run: Callable[..., Result], command: str) -> None:
    result = run(*command.split(), "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: mdlrnn {command} ")
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize("old", OLD)
def test_an_old_command_is_answered_with_the_new_one(run: Callable[..., Result], old: str) -> None:
    for more in ([], ["--help"], ["some", "thing"]):
        assert refused(run(old, *more), f"{old} is an old spelling; write mdlrnn {OLD[old]} ")


def test_the_laboratory_may_be_missing(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdlrnn.cli._main.entry_points", lambda **_: ())
    assert refused(run("lab", "table"), "the laboratory (the package mdlrnn_lab) is not installed")
    assert run("--help").code == 0


@pytest.mark.parametrize("old", OPTIONS)
def test_an_old_option_is_answered_with_the_new_one(run: Callable[..., Result], old: str) -> None:
    command = ["lab", "atlas"] if old == "--processes" else ["evolve"]
    command = ["learned"] if old == "--seconds" else command
    assert refused(run(*command, "x", old), f"{old} is an old spelling; write {OPTIONS[old]} ")


def test_a_command_without_the_new_option_does_not_speak_of_it(run: Callable[..., Result]) -> None:
    assert refused(run("draw", "net.json", "--threads", "2"), "no such option '--threads'")


def test_every_field_of_a_search_has_its_line(run: Callable[..., Result]) -> None:
    shown = run("evolve", "--settings").out
    for field in fields(Search):
        assert (f"\n{field.name}=" in shown) == (field.name in KINDS)
    assert "\nislands=16\n    Populations that evolve side by side.\n" in shown
    assert "\nrestarts=yes\n" in shown


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("island=3", "did you mean islands?"),
        ("x=3", "mdlrnn evolve --settings lists them"),
        ("islands", "the value is missing; write islands=16, say."),
        ("islands=many", "islands is 'many'; give a whole number."),
        ("islands=0", "islands is 0; it must be an integer, 1 or more"),
        ("stack_rate=x", "stack_rate is 'x'; give a number."),
        ("restarts=perhaps", "restarts is 'perhaps'; give yes or no."),
        ("migration_seconds=soon", "write a time such as 90s"),
        ("encoding=paper", "write --encoding paper"),
        ("seed=3", "write --seed 3"),
    ],
)
def test_a_wrong_setting_is_one_sentence(run: Callable[..., Result], given: str, says: str) -> None:
    assert refused(run("evolve", "anbn_100", "--set", given), says)


def test_settings_reach_the_search(run: Callable[..., Result]) -> None:
    given = ("islands=2", "population=4", "stack-rate=0.5", "restarts=no", "migration_seconds=2m")
    settings = [part for text in given for part in ("--set", text)]
    assert run("evolve", "anbn_100", *settings, "--generations", 1, "--out", "run").code == 0
    assert read_settings(Path("run")).search == Search(
        islands=2, population=4, stack_rate=0.5, restarts=False, migration_seconds=120.0,
        encoding=Encoding(),
    )  # fmt: skip


OLD_CALLS: dict[str, Callable[..., object]] = {
    "evolve": mdlrnn.evolve, "resume": mdlrnn.resume, "score_many": mdlrnn.score_many,
    "train": rnns.train, "atlas": mdlrnn_lab.atlas, "bliss": mdlrnn_lab.bliss,
    "MDLRNN": mdlrnn.MDLRNN, "Search": Search,
}  # fmt: skip


@pytest.mark.parametrize("name", KEYWORDS)
def test_an_old_keyword_is_answered_with_the_new_one(name: str) -> None:
    for old, new in KEYWORDS[name].items():
        with pytest.raises(InputError) as caught:
            OLD_CALLS[name](**{old: 1})
        assert str(caught.value) == f"{old}= of {name} is an old spelling; write {new} instead."


def test_an_old_name_is_answered_with_the_new_one() -> None:
    with pytest.raises(AttributeError, match=r"evolve_seeds .* write evolve\(\.\.\., seeds=4\)"):
        getattr(mdlrnn, "evolve_seeds")  # noqa: B009
