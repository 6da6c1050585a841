"""The search on the processes of mpirun; skipped where there is no MPI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mdlrnn.search.workers._workers as mpi
from helpers.commands import in_a_process, refused
from mdlrnn import evolve
from mdlrnn.errors import MissingExtra
from mdlrnn.search._settings import Search, Stop

SMALL = ["--set", "islands=5", "--set", "population=20", "--set", "migration_interval=20"]


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun is not installed")
def test_mpi_finds_the_same_networks(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="pip install mpi4py to test MPI")
    command = [
        "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3",
        sys.executable, "-m", "mdlrnn", "evolve", "anbn", "--size", "100", *SMALL,
        "--generations", "60", "--workers", "mpi", "--out", "run", "--json", "--quiet",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    search = Search(islands=5, population=20, migration_interval=20)
    here = evolve("anbn_100", search, stop=Stop(generations=60), prove=False)
    assert json.loads(done.stdout)["digest"] == here.archipelago.digest(), "and said once"


def test_mpi_needs_processes(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="pip install mpi4py to test MPI")
    result = in_a_process("evolve", "anbn", "--workers", "mpi", "--out", str(tmp_path / "run"))
    assert refused(result, "workers mpi needs at least two processes")
    assert not (tmp_path / "run").exists()


def test_without_mpi4py_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpi, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'pip install "mdlrnn\[mpi\]"'), mpi.mpi_crew():
        pass
