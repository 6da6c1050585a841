"""The same search in every way there is: the digests of all networks must agree.

    python benchmarks/scaling/digests.py
    python benchmarks/scaling/digests.py --threads 1,2 --workers 1,4 --mpi 4 --task dyck2_1000

One run each with these numbers of threads, of processes of a Dask cluster on this machine, and of
processes of MPI (of which the first directs the others). More of them than there are cores only
take turns. It needs the extra cluster, and for --mpi the extra mpi and the command mpirun.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Of Open MPI, which else refuses in a container."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="anbn_500")
    parser.add_argument("--islands", type=int, default=16)
    parser.add_argument("--generations", type=int, default=600)
    parser.add_argument("--threads", default="1,2,16")
    parser.add_argument("--workers", default="1,4,16")
    parser.add_argument("--mpi", default="", help="processes; none by default")
    options = parser.parse_args()
    search = [
        options.task, "--set", f"islands={options.islands}", "--set", "migration_interval=60",
        "--generations", str(options.generations), "--quiet", "--json",
    ]  # fmt: skip
    evolve = [sys.executable, "-m", "mdlrnn", "evolve", *search]
    ways = [(f"threads {n}", [*evolve, "--workers", n]) for n in listed(options.threads)]
    for n in listed(options.workers):
        ways.append((f"workers {n}", [*evolve, "--workers", f"local:{n}"]))
    for n in listed(options.mpi):
        ways.append(
            (f"MPI {n}", ["mpirun", "--oversubscribe", "-n", n, *evolve, "--workers", "mpi"])
        )
    found = {name: digest(name, command) for name, command in ways}
    if len(set(found.values())) != 1:
        sys.exit("the networks differ")


def listed(text: str) -> list[str]:
    return [number for number in text.split(",") if number]


def digest(name: str, command: list[str]) -> str:
    """Run the search and say how it went."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [*command, "--out", f"{place}/run"], env=ENVIRONMENT | AS_ROOT, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        sys.exit(f"{name}: {done.stderr.strip()}")
    data = json.loads(done.stdout)
    seconds = time.perf_counter() - began
    print(f"{name:<12} {seconds:>6.1f} s  MDL {data['mdl']:,.2f}  {data['digest']}", flush=True)
    return str(data["digest"])


if __name__ == "__main__":
    main()
