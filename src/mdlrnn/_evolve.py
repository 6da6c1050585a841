"""The front function of the search: `evolve(corpus, search) -> Run`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ._archipelago import Archipelago
from ._corpus import Corpus
from ._island import (
    Problem,
    check_room,
    epoch,
    is_crowded,
    migrate,
    prepare,
    random_states,
    resettle,
    retire,
    settle,
    stagnant,
)
from ._kernels._advance import State
from ._kernels._genome import network_of
from ._network import Network
from ._score import Objective, Score, score_many
from ._search import Search

WORK_PER_BEAT = 1.5e8
"""Steps times nodes between two looks at the clock, the target and the user: about a second."""


class Progress(NamedTuple):
    """What `on_progress` is told. It may return True to stop the run here."""

    generation: int
    generations: int
    value: float
    """The objective's value of the best network."""
    g: int
    d_given_g: float
    steps: int
    steps_per_second: float
    seconds: float
    improved: bool
    island_values: tuple[float, ...]
    """The best value on each island."""
    migrated: bool
    archipelago: Archipelago
    problem: Problem

    @property
    def mdl(self) -> float:
        return self.g + self.d_given_g

    def best(self) -> Network:
        return _network(self.problem, self.archipelago.best_row()[3])


class Statistics(NamedTuple):
    steps: int
    evaluations: int
    cache_hits: int
    """Evaluations answered from memory; depends on threads and restarts, unlike the result."""
    seconds: float
    steps_per_second: float


@dataclass(frozen=True)
class Run:
    """The outcome of a search."""

    best: Network
    score: Score
    value: float
    """The objective's value of the best network."""
    front: tuple[tuple[Network, Score], ...]
    """For each |G| the network with the lowest |D:G|, where it beats all shorter ones."""
    reason: str
    """Why it ended: 'generations', 'target', 'patience', 'time' or 'stopped'."""
    history: tuple[dict[str, float], ...]
    """The best value, |G| and |D:G| whenever it improved, with generation, steps and seconds."""
    statistics: Statistics
    search: Search
    objective: Objective
    archipelago: Archipelago
    """The final population, from which the run can go on."""

    def __repr__(self) -> str:
        return (
            f"Run({self.reason} after {self.archipelago.generation} generations, "
            f"best {self.score!r}, {self.statistics.steps:,} steps)"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the curve and the best network."""
        from .plots import run_html

        return run_html(self)


def evolve(
    corpus: Corpus,
    search: Search | None = None,
    *,
    objective: Objective | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    on_progress: Callable[[Progress], bool | None] | None = None,
    start: Archipelago | None = None,
) -> Run:
    """Search for the network that minimises the objective on the corpus.

    Islands are advanced by the executor given, by default by as many threads as there are cores; a
    process pool or a cluster's executor gives the same networks. `start` goes on from the final
    population of an earlier run with the same settings.
    """
    search = search or Search()
    problem = Problem(corpus, search, objective or Objective())
    check_room(problem)
    beat = _beat(problem)
    with _executor(executor, threads) as pool:
        now = start or _settle(problem, pool)
        pool.submit(prepare, problem, now.islands[0]).result()
        begin = time.monotonic()
        spent = now.seconds
        last_migration = begin
        steps_before = now.steps
        now, progress = _look(problem, now, begin, spent, steps_before, False)
        told = _told(on_progress, progress)
        reason = _reason(problem, now) or (told and "stopped")
        while not reason:
            due = now.migrated_at + search.migration_interval
            leg = min(beat - now.generation % beat, due - now.generation)
            leg = min(leg, search.generations - now.generation)
            tasks = [
                pool.submit(epoch, problem, state, leg, is_crowded(search, i))
                for i, state in enumerate(now.islands)
            ]
            states = [task.result() for task in tasks]
            now = replace(now, generation=now.generation + leg)
            late = (
                search.migration_seconds is not None
                and time.monotonic() - last_migration >= search.migration_seconds
            )
            migrating = now.generation == due or late
            if migrating:
                states = _exchange(problem, states, now.migrations, pool)
                last_migration = time.monotonic()
                now = replace(now, migrations=now.migrations + 1, migrated_at=now.generation)
            now = replace(now, islands=tuple(states))
            now, progress = _look(problem, now, begin, spent, steps_before, migrating)
            told = _told(on_progress, progress)
            reason = _reason(problem, now) or (told and "stopped")
    return _run(problem, now, reason)


def _exchange(problem: Problem, states: list[State], turn: int, pool: Executor) -> list[State]:
    """Migration; with `restarts`, only from islands that stagnate, and these start anew."""
    search = problem.search
    if not search.restarts or len(states) < 2 or search.migration_size == 0:
        return migrate(states, search.migration_size, turn)
    leaving = stagnant(states, search.migration_interval)
    renewed = [pool.submit(resettle, problem, states[i]) for i in leaving]
    states = [retire(states, leaving, search.migration_size), *states[1:]]
    for i, task in zip(leaving, renewed, strict=True):
        states[i] = task.result()
    return states


def _beat(problem: Problem) -> int:
    """Generations between two looks, fixed by the problem so that runs can be repeated."""
    search, corpus = problem.search, problem.corpus
    work = search.islands * search.population * (len(corpus.parent) + 200)
    return max(1, min(search.migration_interval, round(WORK_PER_BEAT / work)))


@contextmanager
def _executor(given: Executor | None, threads: int | None) -> Iterator[Executor]:
    if given is not None:
        yield given
        return
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        yield pool


def _settle(problem: Problem, pool: Executor) -> Archipelago:
    randoms = random_states(problem.search.seed, problem.search.islands)
    first = pool.submit(settle, problem, randoms[0]).result()
    rest = [pool.submit(settle, problem, random) for random in randoms[1:]]
    return Archipelago((first, *(task.result() for task in rest)))


def _look(
    problem: Problem,
    now: Archipelago,
    begin: float,
    spent: float,
    steps_before: int,
    migrated: bool,
) -> tuple[Archipelago, Progress]:
    """Note an improvement, and say where the run stands."""
    value, g, d_given_g, _ = now.best_row()
    here = time.monotonic() - begin
    improved = value < now.best
    now = replace(now, seconds=spent + here)
    steps = now.steps
    if improved:
        entry = {
            "generation": now.generation, "steps": steps, "seconds": round(now.seconds, 3),
            "value": value, "g": g, "d_given_g": d_given_g,
        }  # fmt: skip
        now = replace(now, best=value, improved_at=now.generation, history=(*now.history, entry))
    progress = Progress(
        generation=now.generation,
        generations=problem.search.generations,
        value=value,
        g=g,
        d_given_g=d_given_g,
        steps=steps,
        steps_per_second=(steps - steps_before) / max(here, 1e-9),
        seconds=now.seconds,
        improved=improved,
        island_values=tuple(float(state.values.min()) for state in now.islands),
        migrated=migrated,
        archipelago=now,
        problem=problem,
    )
    return now, progress


def _told(on_progress: Callable[[Progress], bool | None] | None, progress: Progress) -> bool:
    return bool(on_progress(progress)) if on_progress is not None else False


def _reason(problem: Problem, now: Archipelago) -> str:
    """Why to end now, or nothing."""
    search = problem.search
    if search.target is not None and now.best <= search.target:
        return "target"
    if now.generation >= search.generations:
        return "generations"
    if search.patience is not None and now.generation - now.improved_at >= search.patience:
        return "patience"
    if search.seconds is not None and now.seconds >= search.seconds:
        return "time"
    return ""


def _network(problem: Problem, row: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Network:
    corpus = problem.corpus
    return network_of(row, corpus.inputs, corpus.outputs, corpus.alphabet)


def _run(problem: Problem, now: Archipelago, reason: str) -> Run:
    value, _, _, row = now.best_row()
    best = _network(problem, row)
    front = [_network(problem, row) for _, _, row in now.front()]
    scores = score_many([best, *front], problem.corpus, problem.search.code(), threads=1)
    return Run(
        best=best,
        score=scores[0],
        value=value,
        front=tuple(zip(front, scores[1:], strict=True)),
        reason=reason,
        history=now.history,
        statistics=Statistics(
            now.steps,
            now.evaluations,
            now.cache_hits,
            now.seconds,
            now.steps / max(now.seconds, 1e-9),
        ),
        search=problem.search,
        objective=problem.objective,
        archipelago=now,
    )
