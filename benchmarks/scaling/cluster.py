"""How far a cluster goes: what its scheduler takes, what travels, and how much faster it is.

    python benchmarks/scaling/cluster.py throughput --workers 2
    python benchmarks/scaling/cluster.py efficiency --workers 1,16
    python benchmarks/scaling/cluster.py sleepers --workers 16

`throughput` runs legs of no generations on processes of this machine: legs a second is what the
scheduler and the client take at most, bytes are those of reports and legs. From both follows the
table of islands: how long a leg must be for the scheduler to be busy a tenth of its time. Measured
where it says so, computed elsewhere.

`efficiency` runs the same search with each number of worker processes; the digests must agree. The
clock starts when all workers are there and have loaded the kernels.

`sleepers` is for trying many workers on few cores: a leg makes one generation a part and sleeps for
as long as its others would take, on slow islands longer than on fast ones. The share of the
workers' time that was due is what scheduler, client and the order of legs leave of it.

It needs the extra cluster, and takes about 3 minutes on 16 cores; `sleepers` takes 1.5 minutes.
"""

from __future__ import annotations

import argparse
import pickle
import random
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from distributed import Client, LocalCluster

from mdlrnn.languages import language_from
from mdlrnn.search._archipelago import Run
from mdlrnn.search._crew import Leg
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._graph import run_legs
from mdlrnn.search._island import Problem, random_states
from mdlrnn.search._settings import Search, Stop
from mdlrnn.search.workers._dask import DaskCrew
from mdlrnn.search.workers._workers import crews_of

WORKS = (("anbn_500", 128, 600), ("dyck2_20000", 64, 40))
SLEEPS = (("anbn_500", 128, 2400, 0.00077, 0.25), ("dyck2_20000", 64, 1500, 0.0065, 0.55))
"""Corpus, islands, generations, seconds that one takes, and how much islands differ in it: the
spread of its logarithm."""
SHARE = 0.1
"""Of the scheduler's time that may go to legs, so that workers do not wait for it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["throughput", "efficiency", "sleepers"])
    parser.add_argument("--workers", default="2", help="processes; several with commas between")
    parser.add_argument("--islands", type=int, default=200, help="for throughput")
    parser.add_argument("--only", default="", help="corpora, with commas between")
    parser.add_argument("--work", type=float, default=1.0, help="times the usual generations")
    options = parser.parse_args()
    workers = [int(text) for text in options.workers.split(",")]
    if options.what == "throughput":
        for count in workers:
            _throughput(count, options.islands)
        return
    only = set(filter(None, options.only.split(",")))
    if options.what == "sleepers":
        for name, islands, generations, seconds, spread in SLEEPS:
            for count in workers if not only or name in only else ():
                _sleepers(name, islands, round(generations * options.work), seconds, spread, count)
        return
    for name, islands, generations in WORKS:
        if not only or name in only:
            _efficiency(name, islands, max(1, round(generations * options.work)), workers)


def _throughput(workers: int, islands: int) -> None:
    source = language_from("anbn_500")
    problem = Problem(source.corpus(), Search(islands=islands), source.encoding())
    sizes: list[int] = []
    take = DaskCrew._take

    def measured(self: Any, future: Any, result: Any) -> None:
        sizes.append(len(pickle.dumps(result)))
        take(self, future, result)

    with crews_of(f"local:{workers}") as new_crew, closing(new_crew()) as crew:
        crew.begin(problem)
        randoms = random_states(1, islands)
        legs = [Leg(i, random=random) for i, random in enumerate(randoms)]
        held = [one.held for one in run_legs(crew, [None] * islands, legs)]
        DaskCrew._take = measured  # type: ignore[method-assign]
        empty = [Leg(i) for i in range(islands)]
        rounds, began = 0, time.perf_counter()
        while time.perf_counter() - began < 10:
            held = [one.held for one in run_legs(crew, held, empty)]
            rounds += 1
        seconds = time.perf_counter() - began
        DaskCrew._take = take  # type: ignore[method-assign]
        rate = rounds * islands / seconds
        size = sum(sizes) / len(sizes) + len(pickle.dumps(empty[0]))
        print(f"{workers} workers, {islands} islands: {rate:,.0f} empty legs a second (measured)")
        print(f"{size:,.0f} bytes an island and leg (measured, without the states every 16 legs)")
    print(f"islands  a leg must take, for {SHARE:.0%} of the scheduler (computed)")
    for count in (100, 1_000, 10_000):
        print(f"{count:>7,}  {count / rate / SHARE:,.2f} s with a core for each island")


def _efficiency(name: str, islands: int, generations: int, numbers: list[int]) -> None:
    source = language_from(name)
    problem = Problem(source.corpus(), Search(islands=islands), source.encoding())
    stop = Stop(generations=generations)
    evolve_islands(problem, Stop(generations=0))  # compiles
    first: Run | None = None
    took = 0.0
    for count in numbers:
        with (
            _workers(problem, count) as client,
            crews_of(client) as new_crew,
            closing(new_crew()) as crew,
        ):
            began = time.perf_counter()
            run = evolve_islands(problem, stop, workers=crew)
            seconds = time.perf_counter() - began
        if first is None:
            first, took = run, seconds
        busy = run.statistics.busy_seconds
        print(
            f"{name:<12} {islands:>4} islands {count:>3} workers {seconds:>8.2f} s "
            f"{took / seconds:>6.2f} times, {busy / seconds / count:.2f} of the time on islands, "
            f"at most {busy / run.statistics.longest_seconds:.1f}  {run.archipelago.digest()[:16]}",
            flush=True,
        )
        if run.archipelago.digest() != first.archipelago.digest():
            sys.exit("the networks differ, so these are not the same work")


@contextmanager
def _workers(problem: Problem, count: int) -> Iterator[Client]:
    """So many processes of this machine, which have loaded what they need for the problem."""
    with (
        LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        with crews_of(client) as new_crew, closing(new_crew()) as crew:
            evolve_islands(problem, Stop(generations=1), workers=crew)
        yield client


def _sleepers(
    name: str, islands: int, generations: int, seconds: float, spread: float, workers: int
) -> None:
    source = language_from(name)
    problem = Problem(source.corpus(), Search(islands=islands), source.encoding())
    with _workers(problem, workers) as client:
        client.run(_sleep_from_now_on, seconds, spread)
        with crews_of(client) as new_crew, closing(new_crew()) as crew:
            began = time.perf_counter()
            evolve_islands(problem, Stop(generations=generations), workers=crew)
            took = time.perf_counter() - began
    due = [_pace(island, spread) * seconds * generations for island in range(islands)]
    print(
        f"{name:<12} {islands:>4} islands {workers:>3} workers {took:>8.2f} s, "
        f"{sum(due) / took / workers:.2f} of the time was due, "
        f"at most {sum(due) / max(due):.1f} workers have something to do",
        flush=True,
    )


def _pace(island: int, spread: float) -> float:
    """How much longer than others an island takes."""
    return random.Random(island).lognormvariate(0, spread)


def _sleep_from_now_on(seconds: float, spread: float) -> None:
    """On a worker: legs sleep for most of their time."""
    from mdlrnn.search.workers import _dask as _worker

    run = vars(_worker)["run_leg"]

    def sleep(problem: Problem, packed: Any, leg: Leg) -> Any:
        began = time.perf_counter()
        parts = tuple(
            part._replace(lengths=tuple(int(i == 0) for i in range(len(part.lengths))))
            for part in leg.parts
        )
        after, report = run(problem, packed, leg._replace(parts=parts))
        pace = _pace(leg.island, spread) * seconds
        time.sleep(max(0.0, pace * leg.generations - (time.perf_counter() - began)))
        due = [pace * sum(part.lengths) for part in leg.parts] or [0.0]
        further = zip(report.further, due[1:], strict=True)
        return after, report._replace(
            seconds=due[0], further=tuple(one._replace(seconds=s) for one, s in further)
        )

    setattr(_worker, "run_leg", sleep)  # noqa: B010, where it is called by that name


if __name__ == "__main__":
    main()
