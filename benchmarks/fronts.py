"""How often is a right network proved? The fronts of searches on six tasks, three seeds each.

    python -m benchmarks.fronts --generations 1500

A network of a front counts as right if it makes no mistake on its training set and its test set.
Each of those is given to `prove`. What is not proved is printed and kept.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import mdlrnn
from mdlrnn import Network, Search, Stop
from mdlrnn.measures._measures import Report

TASKS = ("anbn", "anbncn", "anb2n", "anbmcnm", "dyck1", "addition")
FRONT = 12
"""Networks of a front, the best first."""


class Found(NamedTuple):
    task: str
    seed: int
    networks: int
    proved: int
    seconds: float
    left: tuple[tuple[Network, str], ...]
    """Right networks that are not proved, and what is said of them."""

    @property
    def right(self) -> int:
        return self.proved + len(self.left)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fronts", description=__doc__)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--generations", type=int, default=1_500)
    parser.add_argument("--seconds", type=float, default=30.0, help="for each proof")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where networks are kept that are not proved")
    options = parser.parse_args()
    out = options.out or Path(tempfile.mkdtemp(prefix="mdlrnn-fronts-"))
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(task, seed) for task in options.tasks.split(",") for seed in _seeds(options.seeds)]
    right = proved = 0
    print(f"{'task':<12}{'seed':>5}{'networks':>10}{'right':>7}{'proved':>8}{'slowest proof':>15}")
    with ProcessPoolExecutor(options.processes) as pool:
        pending = [
            pool.submit(examine, task, seed, options.generations, options.seconds)
            for task, seed in jobs
        ]
        for job in pending:
            found = job.result()
            right, proved = right + found.right, proved + found.proved
            print(
                f"{found.task:<12}{found.seed:>5}{found.networks:>10}{found.right:>7}"
                f"{found.proved:>8}{found.seconds:>13.1f} s",
                flush=True,
            )
            for place, (network, text) in enumerate(found.left):
                path = out / f"{found.task}-{found.seed}-{place}.json"
                network.save(path)
                print(f"  {path}: {text}", flush=True)
    print(f"{proved} of {right} right networks are proved")


def examine(task: str, seed: int, generations: int, seconds: float) -> Found:
    run = mdlrnn.evolve(
        task, Search(), seed=seed, stop=Stop(generations=generations), workers=1, progress=False,
        prove=False,
    )  # fmt: skip
    entries = sorted(run.front, key=lambda entry: entry[1].mdl)[:FRONT]
    proved, slowest = 0, 0.0
    left = []
    for network, _ in entries:
        if not _is_right(network, task):
            continue
        began = time.monotonic()
        proof = mdlrnn.prove(network, task, seconds=seconds)
        slowest = max(slowest, time.monotonic() - began)
        proved += proof.proved
        if not proof.proved:
            left.append((network, proof.statement))
    return Found(task, seed, len(entries), proved, slowest, tuple(left))


def _is_right(network: Network, task: str) -> bool:
    report = mdlrnn.test(network, task)
    return isinstance(report, Report) and report.first_failure is None


def _seeds(count: int) -> range:
    return range(1, count + 1)


if __name__ == "__main__":
    main()
