"""A run with numbers that no run writes: it is named in one line, and hides no other."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import Result, refused
from mdlrnn import InputError, RunError, Search, Stop, evolve, resume
from mdlrnn.results import Progress
from mdlrnn.runs import status_of

HUGE = 10**400


@pytest.fixture
def runs(run: Callable[..., Result]) -> Path:
    search = Search(islands=2, population=10)
    stop = Stop(generations=3)
    evolve(["ab", "aabb"], search, stop=stop, out="runs/good", prove=False, progress=False)
    shutil.copytree("runs/good", "runs/bad")
    return Path("runs")


def damage_log(folder: Path, name: str, value: object) -> None:
    lines = (folder / "log.jsonl").read_text().splitlines()
    lines[-1] = json.dumps({**json.loads(lines[-1]), name: value})
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n")


def damage_settings(folder: Path, part: str, name: str, value: object) -> None:
    data: dict[str, Any] = json.loads((folder / "settings.json").read_text())
    data[part][name] = value
    (folder / "settings.json").write_text(json.dumps(data))


@pytest.mark.parametrize("value", [HUGE, -HUGE, float("inf"), float("nan"), -1])
@pytest.mark.parametrize("name", ["generation", "steps", "seconds", "g", "mdl"])
def test_a_log_with_an_impossible_number_hides_no_other_run(
    runs: Path, name: str, value: float, run: Callable[..., Result]
) -> None:
    if name == "generation" and isinstance(value, float):
        pytest.skip("such a line is passed over, as a half-written one")
    damage_log(runs / "bad", name, value)
    code, out, _ = run("runs", "runs")
    assert code == 0
    assert "runs/good" in out
    assert "runs/bad: broken: log.jsonl: line" in out.replace("\n    ", " ")
    refused(run("runs", "--watch", "runs/bad"), "this run is broken")
    refused(run("report", "runs/bad"), "this run is broken")
    refused(run("evolve", "--resume", "runs/bad"), "delete the line")


@pytest.mark.parametrize(("part", "name"), [
    ("search", "islands"), ("search", "crossover_rate"), ("search", "migration_seconds"),
    ("stop", "target"), ("stop", "seconds"), ("objective", "g"),
])  # fmt: skip
def test_settings_with_an_impossible_number_hide_no_other_run(
    runs: Path, part: str, name: str, run: Callable[..., Result]
) -> None:
    damage_settings(runs / "bad", part, name, HUGE)
    code, out, _ = run("runs", "runs")
    assert code == 0
    assert "runs/good" in out
    assert "runs/bad: broken: settings.json: " in out.replace("\n    ", " ")
    assert run("evolve", "--resume", "runs/bad").code == 2


def test_a_folder_that_is_deleted_while_a_run_is_in_it(tmp_path: Path) -> None:
    home = tmp_path / "run"

    def delete(progress: Progress) -> None:
        shutil.rmtree(home, ignore_errors=True)

    with pytest.raises(RunError, match=r"run: the folder is gone, and with it the run, which has"):
        evolve(["ab"], Search(islands=2, population=10), stop=Stop(generations=9), out=home,
               on_progress=delete, progress=False, prove=False)  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_who_deletes_the_lock_lets_nobody_in(tmp_path: Path) -> None:
    home = tmp_path / "run"
    found: list[str] = []

    def delete(progress: Progress) -> bool:
        (home / "lock").unlink(missing_ok=True)
        assert status_of(home).status == "running"
        with pytest.raises(InputError) as caught:
            resume(home, progress=False)
        found.append(str(caught.value))
        return True

    evolve(["ab"], Search(islands=2, population=10), stop=Stop(generations=9), out=home,
           on_progress=delete, progress=False, prove=False)  # fmt: skip
    assert "is working on this run" in found[0]
    assert status_of(home).status == "stopped"
    resume(home, stop=Stop(generations=1), progress=False, prove=False)


@pytest.mark.parametrize("path", ["a" * 5000, "/".join(["a" * 50] * 100), "a\0b"])
def test_a_path_that_is_too_long_is_refused(path: str, run: Callable[..., Result]) -> None:
    with pytest.raises(InputError, match="is no path: it or a name in it is too long"):
        evolve(["ab"], Search(islands=2, population=10), out=path, progress=False)
    if "\0" not in path:
        refused(run("evolve", "anbn_100", "--generations", 1, "--out", path), "is no path")


def test_a_number_that_no_float_holds_is_none() -> None:
    with pytest.raises(InputError, match="target is an integer of 1329 bits"):
        Stop(target=HUGE)
    with pytest.raises(InputError, match="seconds is an integer of 1329 bits"):
        Stop(seconds=HUGE)
