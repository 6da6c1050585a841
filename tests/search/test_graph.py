"""The graph of legs: who waits for whom, and that nobody waits for more."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import mdlrnn.search._evolve as evolve_module
import mdlrnn.search._graph as graph_module
from mdlrnn import Corpus, Encoding, Search, Stop
from mdlrnn.errors import ClusterError
from mdlrnn.results import Progress
from mdlrnn.search._archipelago import Archipelago, Packed
from mdlrnn.search._crew import Job, Part, Threads, run_leg
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._graph import Graph, stages
from mdlrnn.search._island import Problem, new_island, random_states
from mdlrnn.search._migration import RING, homes_of, patience_of

CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb", "aaaabbbb"], [6, 4, 2, 1])
SEARCH = Search(islands=4, population=20, migration_interval=20)
PROBLEM = Problem(CORPUS, SEARCH, Encoding())


class ByHand:
    """A crew whose jobs are done when the test says so."""

    workers, remote, helps, helped_seconds = 1, False, False, 0.0

    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}

    def begin(self, problem: Problem) -> None: ...

    def start(self, job: Job) -> None:
        assert job.leg.island not in self.jobs, "an island does one thing at a time"
        self.jobs[job.leg.island] = job

    def fetch(self, held: Sequence[Any]) -> list[Packed]:
        return list(held)

    def clear(self) -> None: ...

    def describe(self) -> str:
        return "a test"

    def is_deserted(self) -> bool:
        return False

    def do(self, problem: Problem, island: int) -> None:
        job = self.jobs.pop(island)
        job.done(*run_leg(problem, job.held, job.leg))


def begun(
    search: Search, last: int = 1000, chain: int = 1, crew: ByHand | None = None
) -> tuple[Problem, ByHand, Graph]:
    problem = PROBLEM._replace(search=search)
    crew = crew or ByHand()
    islands = [Packed(new_island(problem, r)) for r in random_states(7, search.islands)]
    course = stages(problem, Archipelago(()), last, 20, 1)
    graph = Graph(problem, crew, islands, course, chain=chain)
    with graph._changed:
        for island in range(search.islands):
            graph._go_on(island)
    return problem, crew, graph


def test_with_restarts_an_island_waits_for_no_other() -> None:
    problem, crew, graph = begun(SEARCH)
    for _ in range(10):
        crew.do(problem, 2)
    assert graph._at == [0, 0, 10, 0]


def test_the_archive_waits_for_what_others_archive() -> None:
    problem, crew, _graph = begun(SEARCH)
    crew.do(problem, 0)
    assert 0 not in crew.jobs
    for island in (1, 2):
        crew.do(problem, island)
    assert 0 not in crew.jobs
    crew.do(problem, 3)
    assert 0 in crew.jobs


def test_in_a_ring_an_island_waits_for_the_one_that_sends_to_it() -> None:
    ring = replace(SEARCH, restarts=False)
    problem, crew, graph = begun(ring)
    assert homes_of(ring, 1, 0) == (0,)
    crew.do(problem, 1)
    assert 1 not in crew.jobs
    crew.do(problem, 0)
    assert crew.jobs[1].leg.arrivals
    assert 0 not in crew.jobs, "it waits for the last island"
    crew.do(problem, 1)
    assert graph._at == [0, 1, 0, 0]
    assert crew.jobs[1].leg.parts == (Part((20,), RING),)


def test_an_island_that_receives_nothing_passes_several_stages_in_one_leg() -> None:
    problem, crew, graph = begun(SEARCH, last=100, chain=4)
    assert [len(crew.jobs[island].leg.parts) for island in range(4)] == [1, 4, 4, 4]
    crew.do(problem, 1)
    assert graph._at == [0, 4, 0, 0]
    assert len(crew.jobs[1].leg.parts) == 1, "the fifth stage is the last"
    for island in (0, 2, 3):
        crew.do(problem, island)
    while 0 in crew.jobs:
        crew.do(problem, 0)
    assert graph._at == [4, 4, 4, 4]


class Elsewhere(ByHand):
    """Each island has its own pace."""

    remote, workers = True, 2
    pace: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)

    def do(self, problem: Problem, island: int) -> None:
        job = self.jobs.pop(island)
        held, report = run_leg(problem, job.held, job.leg)
        due = [self.pace[island] * sum(part.lengths) for part in job.leg.parts]
        further = zip(report.further, due[1:], strict=True)
        whole = report._replace(
            seconds=due[0], further=tuple(one._replace(seconds=s) for one, s in further)
        )
        job.done(held, whole)


def test_on_other_machines_the_slowest_island_goes_first() -> None:
    crew = Elsewhere()
    crew.pace = (1.0, 0.5, 4.0, 1.0)
    problem, _, _graph = begun(SEARCH, chain=4, crew=crew)
    assert [len(crew.jobs[island].leg.parts) for island in range(4)] == [1, 1, 1, 1]
    assert len({crew.jobs[island].priority for island in range(4)}) == 1
    for island in (1, 3, 2):
        crew.do(problem, island)
    slow, usual, fast = (crew.jobs[island] for island in (2, 3, 1))
    assert slow.priority < usual.priority < fast.priority
    assert slow.is_behind, "it has more to do than both workers on average"
    assert not usual.is_behind
    assert not fast.is_behind


def test_on_other_machines_an_island_two_stages_behind_is_known_to_be_so() -> None:
    crew = Elsewhere()
    crew.pace = (1.0,) * 8
    problem, _, graph = begun(replace(SEARCH, islands=8), crew=crew)
    crew.do(problem, 1)
    for island in range(2, 8):
        while graph._at[island] < 3:
            crew.do(problem, island)
    assert graph._at == [0, 1, 3, 3, 3, 3, 3, 3]
    assert not crew.jobs[7].is_behind
    graph._start(1, graph._latest[1], crew.jobs.pop(1).leg, lambda *_: None)
    assert crew.jobs[1].is_behind


@pytest.mark.parametrize("generation", [20, 50, 60, 100])
def test_an_island_in_the_middle_of_a_leg_is_worked_out(
    generation: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evolve_module, "WORK_PER_CHECK", 1.0)  # a look every generation
    monkeypatch.setattr(evolve_module.SearchLoop, "_looks_a_stage", lambda self: 80)
    here = evolve_islands(PROBLEM, Stop(generations=generation), workers=1)

    def end(progress: Progress) -> bool:
        return progress.generation == generation

    with ThreadPoolExecutor(2) as pool:
        there = evolve_islands(PROBLEM, Stop(generations=200), workers=pool, on_progress=end)
    assert there.archipelago.generation == generation
    assert there.archipelago.digest() == here.archipelago.digest()


def test_nobody_runs_ahead_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "AHEAD", 0)
    problem, crew, graph = begun(SEARCH)
    while 1 in crew.jobs:
        crew.do(problem, 1)
    assert graph._at[1] == 5


def test_an_error_in_a_leg_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise MemoryError("as if")

    monkeypatch.setattr("mdlrnn.search._crew.advance_island", broken)
    with pytest.raises(MemoryError, match="as if"):
        evolve_islands(PROBLEM, Stop(generations=40), workers=2)


@pytest.mark.parametrize("looks", [1, 3, 100])
def test_stages_end_at_migrations_and_at_the_last_generation(looks: int) -> None:
    problem = PROBLEM._replace(search=replace(SEARCH, migration_interval=50))
    found = list(stages(problem, Archipelago(()), 120, 7, looks))
    generations = [g for stage in found for g in stage.generations]
    assert generations == [
        7, 14, 21, 28, 35, 42, 49, 50, 56, 63, 70, 77, 84, 91, 98, 100, 105, 112, 119, 120,
    ]  # fmt: skip
    assert sum(sum(stage.lengths) for stage in found) == 120
    migrations = [(s.generations[-1], s.turn) for s in found if s.migrates]
    assert migrations == [(50, 0), (100, 1)]
    assert max(len(stage.lengths) for stage in found) <= looks


@pytest.mark.parametrize("stop", [Stop(generations=500, patience=60), Stop(generations=50)])
def test_looks_are_the_same_for_every_number_of_threads(
    stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also inside a stage, where the islands are worked out again if somebody asks."""
    monkeypatch.setattr("mdlrnn.search._evolve.check_interval", lambda problem: 3)
    problem = PROBLEM._replace(search=replace(SEARCH, islands=6))
    seen = []
    for threads in (1, 4):
        looks: list[tuple[Any, ...]] = []

        def look(p: Progress, looks: list[tuple[Any, ...]] = looks) -> None:
            islands = p.archipelago.digest() if p.generation % 9 == 0 else ""
            looks.append((p.generation, p.value, p.island_values, p.migrated, islands))

        run = evolve_islands(problem, stop, workers=threads, on_progress=look)
        seen.append((looks, run.archipelago.digest(), run.reason, run.archipelago.generation))
    assert seen[0] == seen[1]
    assert len(seen[0][0]) > 15


def test_the_front_that_is_told_is_the_front_of_the_islands() -> None:
    told = []

    def look(progress: Progress) -> None:
        assert progress.entries is not None
        both = progress.front(), progress.archipelago.front()
        told.append(both)
        assert [e[:2] for e in both[0]] == [e[:2] for e in both[1]]
        assert all((a[2] == b[2]).all() for a, b in zip(*both, strict=True))

    first = evolve_islands(PROBLEM, Stop(generations=60), fronts=True, on_progress=look)
    evolve_islands(
        PROBLEM, Stop(generations=90), fronts=True, on_progress=look, start=first.archipelago
    )
    assert len(told) > 5


def test_migration_by_the_clock_migrates_at_every_look_when_time_is_up() -> None:
    search = replace(SEARCH, migration_seconds=1e-9)
    problem = PROBLEM._replace(search=search)
    told: list[Progress] = []
    run = evolve_islands(problem, Stop(generations=60), on_progress=told.append)
    assert run.archipelago.migrations == len(told) - 1 > 0
    assert all(p.migrated for p in told[1:])
    plain = evolve_islands(PROBLEM, Stop(generations=60))
    patient = PROBLEM._replace(search=replace(SEARCH, migration_seconds=1e9))
    same = evolve_islands(patient, Stop(generations=60))
    assert same.archipelago.digest() == plain.archipelago.digest()
    seldom = replace(SEARCH, migration_seconds=1e9, migration_interval=1_000)
    alone = evolve_islands(PROBLEM._replace(search=seldom), Stop(generations=60))
    assert alone.archipelago.migrations == 0, "neither the clock nor the interval asks for one"


class Deserted(Threads):
    """Threads that do so many legs and are gone."""

    def __init__(self, legs: int) -> None:
        super().__init__(1)
        self.legs = legs

    def start(self, job: Job) -> None:
        self.legs -= 1
        if self.legs >= 0:
            super().start(job)

    def is_deserted(self) -> bool:
        return self.legs < 0

    def describe(self) -> str:
        return "nobody"


@pytest.mark.parametrize("ended_by", ["the user", "the clock", "nobody who begins"])
def test_a_search_without_workers_can_be_ended(
    ended_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_module, "WAKE_SECONDS", 0.01)
    monkeypatch.setattr(evolve_module, "DESERTED_SECONDS", 0.01)
    now = [0.0]
    if ended_by == "the clock":
        monkeypatch.setattr(evolve_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    told: list[Progress] = []

    def tell(progress: Progress) -> bool:
        told.append(progress)
        now[0] += 0.4 if progress.is_waiting else 0.0
        return progress.is_waiting and ended_by == "the user"

    legs = 2 if ended_by == "nobody who begins" else SEARCH.islands + 1
    stop = Stop(generations=1000, seconds=1.0 if ended_by == "the clock" else None)
    crew = Deserted(legs)
    with pytest.raises(ClusterError, match="nobody is left"):
        evolve_islands(PROBLEM, stop, workers=crew, on_progress=tell)
    crew.close()
    if ended_by == "nobody who begins":
        assert not told
        return
    first, *waiting = told
    assert not first.is_waiting
    assert waiting
    for one in waiting:
        assert one.is_waiting
        assert one.workers == "nobody"
        assert not any((one.improved, one.migrated, one.at_hand))
        assert one.seconds >= first.seconds
    if ended_by == "the clock":
        assert [one.seconds for one in waiting] == pytest.approx([0.0, 0.4, 0.8, 1.2])


def test_threads_end_with_the_search() -> None:
    before = set(threading.enumerate())
    evolve_islands(PROBLEM, Stop(generations=5), workers=3)
    # Threads of others may come and go.
    new = {thread.name for thread in set(threading.enumerate()) - before}
    assert not [name for name in new if name.startswith("mdlrnn-")]
    assert Threads(3).describe() == "3 threads"
    assert patience_of(1) == 1
