"""docs/proofs.md shows what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from mdlrnn import zoo
from mdlrnn.cli import cli

PAGE = (Path(__file__).parent.parent / "docs" / "proofs.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)


def _printed(text: str) -> list[str]:
    """Without the line that says how long it took."""
    return [line for line in text.splitlines() if "; run through: " not in line]


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split("\n")[0][2:] for block in BLOCKS])
def test_the_page_shows_what_is_printed(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in zoo.names():
        zoo.load(name).save(f"{name}.json")
    python = next(code for code in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "jump" in code)
    exec(python, {})
    commands = re.split(r"^\$ mdlrnn ", block, flags=re.MULTILINE)[1:]
    assert commands
    for command in commands:
        call, _, shown = command.partition("\n")
        result = CliRunner().invoke(cli, shlex.split(call))
        assert _printed(result.stdout) == _printed(shown)
