"""The walks of a new user go well."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.walks import WALKS, walk

from helpers.slow import few


@pytest.mark.parametrize("name", few(list(WALKS), "README to theorem"))
def test_a_walk_goes_well(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    pytest.importorskip("cvc5")
    assert walk(name, tmp_path, Path(sys.executable).parent), capfd.readouterr().out
    shown = capfd.readouterr().out
    if name == "README to theorem":
        assert "accepted: cvc5" in shown
    assert "Traceback" not in shown
