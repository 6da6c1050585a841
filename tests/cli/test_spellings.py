"""The help of the command line, and what it says to spellings of earlier versions."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest

from helpers.commands import Result, refused
from mdlrnn.cli._main import OLD, SECTIONS, cli

COMMANDS = [
    "evolve", "learned", "runs", "test", "prove", "score", "compare", "enough", "feed", "explain",
    "draw", "report", "bits", "language", "sample", "export", "lab",
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
