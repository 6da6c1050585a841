"""The search on several hosts, which network namespaces stand for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from benchmarks.scaling.hosts import why_not

from helpers.data import ROOT

SCRIPT = ROOT / "benchmarks" / "scaling" / "hosts.py"


@pytest.mark.slow
def test_a_slow_and_lossy_net_changes_nothing() -> None:
    pytest.importorskip("distributed", reason="pip install distributed to test Dask")
    reason = why_not()
    if reason:
        pytest.skip(reason)
    small = ["--islands", "4", "--generations", "310", "--delay", "20", "--loss", "1"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--workers", "2", *small],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "digests equal" in done.stdout
