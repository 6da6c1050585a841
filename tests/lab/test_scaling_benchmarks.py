"""benchmarks/scaling: the same work on more threads and workers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helpers.data import ROOT


def script(name: str, *arguments: object) -> list[str]:
    path = ROOT / "benchmarks" / "scaling" / name
    command = [sys.executable, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_threads_do_the_same_work() -> None:
    arguments = ("--threads", "1,3", "--only", "anbn_500", "--islands", 16, "--work", 0.01)
    head, one, where, three, _ = script("threads.py", *arguments, "--where")
    assert where.startswith("  kernels ")
    assert "Python around them" in where
    assert head.split()[-1] == "digest"
    assert (one.split()[2], three.split()[2]) == ("1", "3")
    assert one.split()[-1] == three.split()[-1]


@pytest.mark.slow
def test_a_run_goes_on_when_scheduler_and_client_die() -> None:
    pytest.importorskip("distributed")
    lines = script("deaths.py", "--deaths", "scheduler,client", "--generations", 800)
    assert sum("killed at generation" in line for line in lines) == 2
    assert "said in one sentence, with how to go on" in "\n".join(lines)
    assert lines[-1].startswith("all networks of all islands the same: ")


@pytest.mark.slow
def test_all_ways_give_one_digest() -> None:
    pytest.importorskip("distributed")
    lines = script("digests.py", "--threads", "1,3", "--workers", "2", "--generations", 40)
    assert len({line.split()[-1] for line in lines}) == 1
    assert len(lines) == 3


@pytest.mark.slow
def test_workers_do_the_same_work() -> None:
    pytest.importorskip("distributed")
    lines = script("cluster.py", "efficiency", "--workers", "1,2", "--work", 0.02)
    assert len(lines) == 4
    assert lines[0].split()[-1] == lines[1].split()[-1]
    lines = script("cluster.py", "throughput", "--workers", 1, "--islands", 4)
    assert "empty legs a second (measured)" in lines[0]
