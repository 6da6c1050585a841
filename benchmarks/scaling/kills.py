"""Kill one worker after the other while a search runs on them: the networks must be the same.

    python benchmarks/scaling/kills.py --kills 100 --every 2.5

Worker processes of this machine are killed as the system kills them (SIGKILL), also while they
start. The search goes on until the kills are done and so many generations are reached. With 3
workers on 2 busy cores, 100 kills took 5 minutes.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from distributed import Client

from mdlrnn.languages import language_from
from mdlrnn.search._archipelago import Progress
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import Problem
from mdlrnn.search._settings import Search, Stop
from mdlrnn.search.workers._dask import DaskCrew
from mdlrnn.search.workers._workers import _local, _start_again


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--every", type=float, default=2.5, help="seconds")
    parser.add_argument("--generations", type=int, default=400, help="at least")
    options = parser.parse_args()
    source = language_from("anbn_500")
    search = Search(islands=8, population=50, migration_interval=40)
    problem = Problem(source.corpus(), search, source.encoding())
    killed = 0
    ended = threading.Event()
    with _local(f"local:{options.workers}") as cluster, Client(cluster) as client:

        def kill() -> None:
            nonlocal killed
            chance = random.Random(1)
            while killed < options.kills and not ended.wait(options.every):
                alive = [n.pid for n in list(cluster.workers.values()) if n.pid is not None]
                if alive:
                    os.kill(chance.choice(alive), signal.SIGKILL)
                    killed += 1

        def tell(progress: Progress) -> bool:
            if progress.migrated and progress.generation % 400 == 0:
                print(f"generation {progress.generation:,}, {killed} killed", flush=True)
            return bool(killed >= options.kills and progress.generation >= options.generations)

        crew = DaskCrew(client, partial(_start_again, cluster, options.workers))
        killer = threading.Thread(target=kill)
        killer.start()
        began = time.perf_counter()
        try:
            there = evolve_islands(problem, Stop(seconds=3600), workers=crew, on_progress=tell)
        finally:
            ended.set()
            killer.join()
            crew.close()
        seconds = time.perf_counter() - began
    generations = there.archipelago.generation
    here = evolve_islands(problem, Stop(generations=generations))
    same = here.archipelago.digest() == there.archipelago.digest()
    print(f"{killed} killed in {seconds:,.0f} s, {generations:,} generations, ", end="")
    sys.exit("but other networks" if not same else print("the same networks"))


if __name__ == "__main__":
    main()
