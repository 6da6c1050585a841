"""docs/lab/found.md shows what the commands print."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from helpers.data import ROOT
from helpers.slow import few
from mdlrnn import Network, score
from mdlrnn.cli import cli
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn.languages import language_from

DOCS = ROOT / "docs"
FOUND = (DOCS / "lab" / "found.md").read_text(encoding="utf-8")
FOUND_BLOCKS = re.findall(r"```console\n(.*?)```", FOUND, flags=re.DOTALL)
FOUND_ROWS = re.findall(r"^\| \[(\w+)\]\((\S+)\) \| (.*) \|$", FOUND, flags=re.MULTILINE)


MEASURED = "$ mdlrnn test "


def _printed(text: str) -> list[str]:
    """Without the line that says how long it took."""
    return [line for line in text.splitlines() if "; run through: " not in line]


def _check_commands(block: str) -> None:
    commands = re.split(r"^\$ mdlrnn ", block, flags=re.MULTILINE)[1:]
    assert commands
    for command in commands:
        call, _, shown = command.partition("\n")
        result = CliRunner().invoke(cli, shlex.split(call))
        assert _printed(result.stdout) == _printed(shown)


def test_every_network_found_is_looked_at() -> None:
    files = {f"../found/{path.name}" for path in (DOCS / "found").glob("*.json")}
    assert {path for _, path, _ in FOUND_ROWS} == files
    assert len(FOUND_BLOCKS) >= len(files) - 1


@pytest.mark.parametrize(
    "block",
    [pytest.param(b, marks=pytest.mark.slow) if MEASURED in b else b for b in FOUND_BLOCKS],
    ids=[block.split("\n")[0][2:] for block in FOUND_BLOCKS],
)
def test_networks_found_do_what_the_page_says(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DOCS / "found")
    monkeypatch.setenv("COLUMNS", "80")
    _check_commands(block)


def test_networks_found_do_in_training_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a short test set; two million characters are for the slow tests."""
    monkeypatch.setattr(tasks_module, "BEYOND", 20)
    monkeypatch.chdir(DOCS / "found")
    (block,) = (block for block in FOUND_BLOCKS if MEASURED in block)
    command, _, shown = block.removeprefix("$ mdlrnn ").partition("\n")
    printed = CliRunner().invoke(cli, shlex.split(command)).stdout
    both_columns = [[line[:48] for line in text.splitlines()] for text in (printed, shown)]
    assert both_columns[0] == both_columns[1]


@pytest.mark.parametrize(("name", "path", "row"), few(FOUND_ROWS, *FOUND_ROWS[1:3]))
def test_networks_found_have_the_scores_and_theorems_of_the_page(
    name: str, path: str, row: str
) -> None:
    corpus, length, bits, mdl, published, theorem = row.split(" | ")
    network = Network.load(DOCS / "lab" / path)
    source = language_from(corpus)
    assert source.rules is not None
    task = source
    found = score(network, source.corpus(), task.encoding("tacl2022"))
    assert f"{found.g}" == length
    assert f"{found.d_given_g:,.2f}" == bits
    assert f"{found.mdl:,.2f}" == mdl
    if published != "–":
        assert float(mdl.replace(",", "")) < float(published.replace(",", ""))
    told = CliRunner().invoke(cli, ["prove", str(DOCS / "lab" / path), task.name]).stdout
    assert "\nProved. " in told
    assert theorem in " ".join(told.split())
    assert f"![{name}](../found/{name}.svg)" in FOUND
