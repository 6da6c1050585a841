"""What a source distribution holds: all that the README's commands and the tests read."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest

from helpers.data import ROOT


def included() -> list[str]:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[str] = data["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    return found


def test_every_file_of_the_repository_is_in_it() -> None:
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("this is no clone")
    tops = {line.partition("/")[0] for line in done.stdout.splitlines()}
    assert tops - {".gitignore", "pyproject.toml"} <= set(included())


def test_files_that_the_readme_names_are_in_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:examples|benchmarks|docs|notebooks)/[\w./-]+\w", text))
    assert named
    for name in named:
        assert (ROOT / name).exists(), name
        assert name.partition("/")[0] in included()
