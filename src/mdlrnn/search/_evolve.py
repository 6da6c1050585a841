"""The search itself: islands advanced side by side, looked at between chunks of generations."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

from .._checks import check_threads
from ..kernels._compile import source_of
from ..kernels._genome import Words
from ..kernels._length import weight_norms
from ..kernels._state import State
from ..network._network import Network
from ..network._objective import Score
from ._archipelago import Archipelago, network_of
from ._founders import founders_for
from ._island import Problem, check_room, epoch, new_island, random_states, restart
from ._migration import ARCHIVE, archive_best, is_crowded, migrate, stagnant
from ._run import Progress, Run, Statistics
from ._settings import Stop
from ._spaces import fits, island_problem

WORK_PER_CHECK = 1.5e8
"""Steps times nodes between two looks at the clock, the target and the user: about a second."""

OnProgress = Callable[[Progress], bool | None]


def evolve_islands(
    problem: Problem,
    stop: Stop,
    *,
    executor: Executor | None = None,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
    start: Archipelago | None = None,
) -> Run:
    """Search for the network that minimises the objective on the corpus.

    Islands are advanced by the executor given, by default by as many threads as there are cores; a
    process pool or a cluster's executor gives the same networks. `start` goes on from the final
    population of an earlier run with the same settings. Ctrl-C ends the search as `on_progress`
    can: what has been found so far is given back.
    """
    check_room(problem)
    search = problem.search
    interval = check_interval(problem)
    with _executor(executor, threads) as pool:
        archipelago = start or _new_archipelago(problem, pool)
        clock = _Clock(archipelago)
        try:
            archipelago, progress = snapshot(problem, stop, archipelago, clock, False)
            reason = _ended(stop, archipelago, on_progress, progress)
            while not reason:
                due = archipelago.migrated_at + search.migration_interval
                chunk = min(
                    interval - archipelago.generation % interval,
                    due - archipelago.generation,
                    stop.last_generation - archipelago.generation,
                )
                advanced, migrated = _advance(problem, archipelago, chunk, due, clock, pool)
                archipelago, progress = snapshot(problem, stop, advanced, clock, migrated)
                reason = _ended(stop, archipelago, on_progress, progress)
        except KeyboardInterrupt:
            if executor is None:
                pool.shutdown(wait=True, cancel_futures=True)
            reason = "stopped"
    return _run(problem, stop, archipelago, reason)


class _Clock:
    """Time and steps since this call began; a run that goes on has spent some before."""

    def __init__(self, start: Archipelago) -> None:
        self.began = self.migrated = time.monotonic()
        self.seconds_before = start.seconds
        self.steps_before = start.steps

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


def check_interval(problem: Problem) -> int:
    """Generations between two checks, fixed by the problem so that runs can be repeated."""
    search, corpus = problem.search, problem.corpus
    work = search.islands * search.population * (len(corpus.parent) + 200)
    return max(1, min(search.migration_interval, round(WORK_PER_CHECK / work)))


def _advance(
    problem: Problem,
    archipelago: Archipelago,
    generations: int,
    due: int,
    clock: _Clock,
    pool: Executor,
) -> tuple[Archipelago, bool]:
    """The archipelago so many generations later, and whether networks migrated then."""
    search = problem.search
    tasks = [
        pool.submit(epoch, island_problem(problem, i), state, generations, is_crowded(search, i))
        for i, state in enumerate(archipelago.islands)
    ]
    states = [task.result() for task in tasks]
    archipelago = replace(archipelago, generation=archipelago.generation + generations)
    late = (
        search.migration_seconds is not None
        and time.monotonic() - clock.migrated >= search.migration_seconds
    )
    migrating = archipelago.generation == due or late
    if migrating:
        states = _exchange(problem, states, archipelago.migrations, pool)
        clock.migrated = time.monotonic()
        archipelago = replace(
            archipelago,
            migrations=archipelago.migrations + 1,
            migrated_at=archipelago.generation,
        )
    return replace(archipelago, islands=tuple(states)), migrating


def _exchange(problem: Problem, states: list[State], turn: int, pool: Executor) -> list[State]:
    """Migration; with `restarts`, only from islands that stagnate, and these restart."""
    search = problem.search
    if not search.restarts or len(states) < 2 or search.migration_size == 0:
        return migrate(
            states, search.migration_size, turn,
            lambda row, island: fits(row, island_problem(problem, island)),
        )  # fmt: skip
    leaving = stagnant(states, search.migration_interval)
    renewed = [
        pool.submit(restart, island_problem(problem, i), states[i], founders_for(problem, i))
        for i in leaving
    ]
    states = list(states)
    states[ARCHIVE] = archive_best(states, leaving, search.migration_size)
    for i, task in zip(leaving, renewed, strict=True):
        states[i] = task.result()
    return states


@contextmanager
def _executor(given: Executor | None, threads: int | None) -> Iterator[Executor]:
    check_threads(threads)
    if given is not None:
        yield given
        return
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        yield pool


def _new_archipelago(problem: Problem, pool: Executor) -> Archipelago:
    randoms = random_states(problem.search.seed, problem.search.islands)
    first = pool.submit(new_island, island_problem(problem, 0), randoms[0]).result()
    rest = [
        pool.submit(new_island, island_problem(problem, i), random, founders_for(problem, i))
        for i, random in enumerate(randoms[1:], 1)
    ]
    return Archipelago((first, *(task.result() for task in rest)))


def snapshot(
    problem: Problem, stop: Stop, archipelago: Archipelago, clock: _Clock, migrated: bool
) -> tuple[Archipelago, Progress]:
    """Note an improvement, and say where the run stands."""
    value, g, d_given_g, _ = archipelago.best_row()
    improved = value < archipelago.best
    spent = clock.seconds
    archipelago = replace(archipelago, seconds=clock.seconds_before + spent)
    steps = archipelago.steps
    if improved:
        entry = {
            "generation": archipelago.generation, "steps": steps,
            "seconds": round(archipelago.seconds, 3), "value": value, "g": g,
            "d_given_g": d_given_g,
        }  # fmt: skip
        archipelago = replace(
            archipelago,
            best=value,
            improved_at=archipelago.generation,
            history=(*archipelago.history, entry),
        )
    progress = Progress(
        generation=archipelago.generation,
        generations=stop.last_generation,
        value=value,
        g=g,
        d_given_g=d_given_g,
        steps=steps,
        steps_per_second=(steps - clock.steps_before) / max(spent, 1e-9),
        seconds=archipelago.seconds,
        improved=improved,
        island_values=tuple(float(state.values.min()) for state in archipelago.islands),
        migrated=migrated,
        archipelago=archipelago,
        problem=problem,
        stop=stop,
    )
    return archipelago, progress


def _ended(
    stop: Stop, archipelago: Archipelago, on_progress: OnProgress | None, progress: Progress
) -> str:
    """Why to end now, or nothing; `on_progress` may ask for it."""
    stop_requested = on_progress is not None and bool(on_progress(progress))
    return _reason(stop, archipelago) or ("stopped" if stop_requested else "")


def _reason(stop: Stop, archipelago: Archipelago) -> str:
    """Why to end now, or nothing."""
    if stop.target is not None and archipelago.best <= stop.target:
        return "target"
    if archipelago.generation >= stop.last_generation:
        return "generations"
    waited = archipelago.generation - archipelago.improved_at
    if stop.patience is not None and waited >= stop.patience:
        return "patience"
    if stop.seconds is not None and archipelago.seconds >= stop.seconds:
        return "time"
    return ""


def _run(problem: Problem, stop: Stop, archipelago: Archipelago, reason: str) -> Run:
    value, g, d_given_g, row = archipelago.best_row()
    best, score = _scored(problem, g, d_given_g, row)
    return Run(
        best=best,
        score=score,
        value=value,
        front=tuple(_scored(problem, *entry) for entry in archipelago.front()),
        reason=reason,
        history=archipelago.history,
        statistics=Statistics(
            archipelago.steps,
            archipelago.evaluations,
            archipelago.cache_hits,
            archipelago.seconds,
            archipelago.steps / max(archipelago.seconds, 1e-9),
        ),
        search=problem.search,
        stop=stop,
        encoding=problem.encoding,
        objective=problem.objective,
        archipelago=archipelago,
    )


def _scored(problem: Problem, g: int, d_given_g: float, row: Words) -> tuple[Network, Score]:
    """A network with the score that the search gave it."""
    # In plain Python, since nothing else here needs the scoring kernels; the last bits agree too.
    l1, l2 = source_of(weight_norms)(row)
    return network_of(problem, row), Score(g, d_given_g, float(l1), float(l2))
