"""benchmarks/search: runs are kept, shown and not done twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "search" / "compare.py"
TINY = "tiny:islands=1,population=20"


def compare(*arguments: object) -> str:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_two_settings_stand_side_by_side(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    run = ("run", out, "--corpora", "anbn_100", "--steps", 400, "--processes", 1)
    first = compare(*run, "--seeds", "1-2", "--setting", TINY)
    assert first.count(" M steps\n") == 2
    again = compare(*run, "--seeds", "1-2", "--setting", TINY, "--setting", "calm:islands=1")
    assert again.count(" M steps\n") == 2, "only what is missing"
    assert "anbn_100, target 439.9228" in again
    assert [line.split()[-1] for line in again.splitlines() if "0/2" in line] == [
        "calm:islands=1", TINY,
    ]  # fmt: skip
    assert (out / "anbn_100.svg").read_text().startswith("<?xml")
    rows = [line for line in compare("table", out).splitlines() if line.startswith("| anbn_100")]
    assert len(rows) == 2
    assert all(row.count(" M, ") == 2 for row in rows)


def test_dyck2_is_searched_with_the_papers_further_units(tmp_path: Path) -> None:
    compare("run", tmp_path, "--corpora", "dyck2_20000", "--seeds", "1", "--steps", 20,
            "--processes", 1, "--setting", TINY)  # fmt: skip
    (path,) = tmp_path.glob("*.json")
    search = json.loads(path.read_text())["search"]
    assert search["products"]
    assert "mod3" in search["activations"]
