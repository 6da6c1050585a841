"""benchmarks/exports: the tables have their lines."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helpers.data import ROOT


def script(name: str, *arguments: object) -> str:
    path = ROOT / "benchmarks" / "exports" / name
    command = [sys.executable, str(path), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_every_reader_has_its_size_and_speed() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    out = script("speed.py", "--strings", 5, "--seconds", 0)
    for name in ("anbn", "dyck1", "dyck2"):
        assert f"\n{name}, " in out
    assert out.count("PyTorch, one batch") == out.count("plain Python") == 3


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [
        pytest.param("round_trip.py", ("--seeds", 1), 4, marks=pytest.mark.slow),
        pytest.param("polish.py", ("anbn", "--generations", 1), 6, marks=pytest.mark.slow),
    ],
)
def test_every_network_is_read_back(name: str, arguments: tuple[object, ...], lines: int) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("z3", reason="z3 is not installed")
    out = script(name, *arguments, "--steps", 2)
    assert sum(line.startswith("  ") for line in out.splitlines()) == lines
