"""docs/own_language.md shows what the commands print, and the examples are languages."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from helpers.data import ROOT
from mdlrnn import zoo
from mdlrnn.cli import cli
from mdlrnn.languages import language_from, language_with_rules
from mdlrnn.languages._grammar import Grammar

PAGE = (ROOT / "docs" / "own_language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ mdlrnn (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)
EXAMPLES = sorted(
    path for path in (ROOT / "examples").iterdir() if path.suffix in (".lang", ".pcfg")
)


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_the_page_shows_what_is_printed(
    command: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("z3")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    zoo.anbncn().save("anbncn.json")
    assert CliRunner().invoke(cli, shlex.split(command)).stdout == shown


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_a_language_with_a_machine(path: Path) -> None:
    if path.suffix == ".pcfg":
        pytest.importorskip("nltk")
    source = language_from(path)
    assert source.machine is not None
    assert not isinstance(language_with_rules(source).rules, Grammar)
    assert source.rules is not None
    assert source.training(20).sequences == 20


def test_there_are_ten_examples_and_each_is_told_of() -> None:
    told = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 10
    assert all(f"`{path.name}`" in told for path in EXAMPLES)
    for line in (ROOT / "examples" / "notations.txt").read_text(encoding="utf-8").splitlines():
        assert language_from(line).machine is not None
