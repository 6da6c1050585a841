"""Kill the scheduler and the command that directs a cluster: the run must go on to the same
networks.

    python benchmarks/scaling/deaths.py
    python benchmarks/scaling/deaths.py --deaths client,scheduler --generations 1500

A Dask scheduler and workers run as processes of this machine, and `mdlrnn evolve` searches on them.
At different moments, the scheduler or the command is killed as the system kills them (SIGKILL), all
else is ended, and the run goes on with --resume on a cluster of another size. A command whose
scheduler was killed must end by itself, soon, with one sentence that says how to go on. At the end
the networks, the front and the last checkpoint are compared with those of one thread that nothing
happened to. It needs the extra cluster and takes about two minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from mdlrnn.runs._files import LOG, checkpoints

ROOT = Path(__file__).parents[2]
SIZES = (2, 1, 3)
"""Workers of the clusters, in turn."""
LONGEST_END = 60.0
"""Seconds in which a command must end whose scheduler was killed."""
LONGEST_WAIT = 300.0
"""Seconds until something must have happened that is waited for."""
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deaths", default="scheduler,client,client,scheduler")
    parser.add_argument("--task", default="anbn_500")
    parser.add_argument("--generations", type=int, default=10_000)
    parser.add_argument("--islands", type=int, default=8)
    options = parser.parse_args()
    deaths = options.deaths.split(",")
    search = [
        options.task, "--set", f"islands={options.islands}", "--set", "population=50",
        "--set", "migration_interval=40", "--generations", str(options.generations), "--quiet",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        run, alone = Path(place, "run"), Path(place, "alone")
        arguments = [*search, "--out", str(run)]
        for number, who in enumerate(deaths):
            # The first death comes as early as it can, the others are spread over the run.
            moment = number * options.generations // len(deaths)
            with cluster(SIZES[number % len(SIZES)]) as (address, scheduler):
                killed(who, scheduler, [*arguments, "--workers", address], run, moment)
            arguments = ["--resume", str(run), "--quiet"]
        size = SIZES[len(deaths) % len(SIZES)]
        with cluster(size) as (address, _):
            done = evolve(*arguments, "--workers", address)
            done.wait(LONGEST_WAIT)
        expect(done.returncode == 0, f"gone on to the end, workers: {size}")
        evolve(*search, "--out", str(alone), "--workers", "1").wait(LONGEST_WAIT)
        compare(run, alone)


def killed(
    who: str, scheduler: subprocess.Popen[str], arguments: list[str], run: Path, moment: int
) -> None:
    """Start the command and kill it or its scheduler at about this generation."""
    command = evolve(*arguments)
    wait_until(run, moment, command)
    at = reached(run)
    victim = scheduler if who == "scheduler" else command
    victim.kill()
    began = time.monotonic()
    try:
        _, said = command.communicate(timeout=LONGEST_END)
    except subprocess.TimeoutExpired:
        command.kill()
        expect(False, f"{who} killed at generation {at:,}: the command hangs")
    took = time.monotonic() - began
    print(f"{who} killed at generation {at:,}; the command ended after {took:.1f} s", flush=True)
    if who == "scheduler":
        print(f"  {said.strip()}", flush=True)
        one = said.count("\n") == 1 and said.startswith("mdlrnn: ") and f"--resume {run}" in said
        expect(one and command.returncode == 1, "  said in one sentence, with how to go on")
    kept = [path.stem.removeprefix("checkpoint-") for path in checkpoints(run)[:1]]
    print(f"  goes on from generation {int(kept[0]) if kept else 0:,}", flush=True)


@contextmanager
def cluster(workers: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a scheduler with so many workers, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = dask("scheduler", "--host", "127.0.0.1", "--port", str(port))
    others = [
        dask("worker", address, "--nthreads", "1", "--host", "127.0.0.1", "--no-nanny")
        for _ in range(workers)
    ]
    try:
        yield address, scheduler
    finally:
        for process in (scheduler, *others):
            process.kill()
            process.wait()


def dask(what: str, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, "--no-dashboard"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=quiet, stderr=quiet, text=True)


def evolve(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mdlrnn", "evolve", *arguments], env=ENVIRONMENT,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def reached(run: Path) -> int:
    """The generation that the run's log tells of last; -1 before there is one."""
    lines = (run / LOG).read_text().splitlines() if (run / LOG).exists() else []
    for line in reversed(lines):
        with suppress(ValueError, KeyError):  # the last line may be half written
            return int(json.loads(line)["generation"])
    return -1


def wait_until(run: Path, generation: int, command: subprocess.Popen[str]) -> None:
    ends = time.monotonic() + LONGEST_WAIT
    while reached(run) < generation:
        if command.poll() is not None or time.monotonic() > ends:
            command.kill()
            sys.exit(f"the command came to no death: {command.communicate()[1]}")
        time.sleep(0.02)


def compare(run: Path, alone: Path) -> None:
    for name in ("best.json", "front.json"):
        same = (run / name).read_bytes() == (alone / name).read_bytes()
        expect(same, f"{name} the same, byte for byte, as on one thread")
    same = digest(run) == digest(alone)
    expect(same, f"all networks of all islands the same: {digest(run)[:16]}")


def digest(run: Path) -> str:
    from mdlrnn.runs._recorder import reopen

    with reopen(run) as recorder:
        assert recorder.start is not None
        return recorder.start.digest()


def expect(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"NOT SO: {what}")
    print(what, flush=True)


if __name__ == "__main__":
    main()
