"""benchmarks/search: runs are kept, shown and not done twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.commands import printed_by
from helpers.data import ROOT

TINY = "tiny:islands=1,population=20"


def script(name: str, *arguments: object) -> str:
    return printed_by(str(ROOT / "benchmarks" / "search" / name), *arguments)


def compare(*arguments: object) -> str:
    return script("compare.py", *arguments)


@pytest.mark.slow
def test_two_settings_stand_side_by_side(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    run = ("run", out, "--corpora", "addition_100", "--steps", 400, "--processes", 1)
    first = compare(*run, "--seeds", "1-2", "--setting", TINY)
    assert first.count(" M steps\n") == 2
    again = compare(*run, "--seeds", "1-2", "--setting", TINY, "--setting", "calm:islands=1")
    assert again.count(" M steps\n") == 2, "only what is missing"
    assert "addition_100, target 135.0000" in again
    assert [line.split()[-1] for line in again.splitlines() if "0/2" in line] == [
        "calm:islands=1", TINY,
    ]  # fmt: skip
    assert (out / "addition_100.svg").read_text().startswith("<?xml")
    rows = [
        line for line in compare("table", out).splitlines() if line.startswith("| addition_100")
    ]
    assert len(rows) == 2
    assert all(row.count(" M, ") == 2 for row in rows)


def test_dyck2_is_searched_with_the_papers_further_units(tmp_path: Path) -> None:
    compare("run", tmp_path, "--corpora", "dyck2_20000", "--seeds", "1", "--steps", 20,
            "--processes", 1, "--setting", TINY)  # fmt: skip
    (path,) = tmp_path.glob("*.json")
    encoding = json.loads(path.read_text())["encoding"]
    assert encoding["products"]
    assert "mod3" in encoding["activations"]
    assert encoding["scheme"] == "tacl2022"


@pytest.mark.slow
def test_a_search_is_timed_until_its_network_is_right_on_the_test_set() -> None:
    out = script("exact.py", "addition", "--size", 100, "--seeds", 2, "--seconds", 0.01)
    *seeds, last = out.splitlines()
    assert [line.partition(":")[0] for line in seeds] == ["seed 1", "seed 2"]
    assert all("on the test set after" in line for line in seeds)
    right = sum("accuracy 1.000000" in line for line in seeds)
    assert last == f"{right} of 2 seeds within 0.01 s"
