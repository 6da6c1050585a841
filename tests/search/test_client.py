"""The command that directs a cluster may be killed: its run goes on, wherever."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.commands import in_a_process
from mdlrnn import Search, Stop, evolve

SMALL = ["--set", "islands=5", "--set", "population=20", "--set", "migration_interval=20"]
OFTEN = (
    "import mdlrnn.runs._recorder as runs, mdlrnn.search.workers._dask as crew\n"
    "runs.LEAST_SECONDS = 0.0; crew.ANCHOR = 2\n"
    "from mdlrnn.cli import main\n"
    "if __name__ == '__main__': main()\n"
)


def test_a_run_whose_command_was_killed_goes_on_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="pip install distributed to test Dask")
    run = tmp_path / "run"
    script = tmp_path / "often.py"
    script.write_text(OFTEN)
    arguments = ["evolve", "anbn", "--size", "100", *SMALL, "--generations", "100000"]
    command = [sys.executable, str(script), *arguments, "--workers", "local:1", "--out", str(run)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    until = time.monotonic() + 120
    while len(list(run.glob("checkpoint-*"))) < 2 and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    reached = max(int(path.stem.split("-")[1]) for path in run.glob("checkpoint-*"))
    end = reached + 70
    result = in_a_process("evolve", "--resume", str(run), "--generations", str(end), "--json")
    assert result.code == 0, result.err
    search = Search(islands=5, population=20, migration_interval=20)
    whole = evolve("anbn_100", search, stop=Stop(generations=end), prove=False)
    assert json.loads(result.out)["digest"] == whole.archipelago.digest()
