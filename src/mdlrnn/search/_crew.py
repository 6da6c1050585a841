"""Legs and who runs them: threads of this process, or any executor of `concurrent.futures`.

A leg is what one island does between two points at which its state is kept. `run_leg` is what
threads, processes and other machines run. It is a pure function of its arguments; what islands have
to do with each other comes in as offers and goes out in the report. A crew is given jobs and calls
back when one is done. What is kept of an island between jobs is up to the crew: a packed state, or
a name for one that stays on another machine.
"""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..kernels import FRONT_COUNT, Random, State, Words, size_of
from ._archipelago import Packed
from ._island import Problem, Readiness, Team, advance_island, front_of, new_island, restart_island
from ._migration import (
    RESTARTS,
    RING,
    Offer,
    fits,
    is_crowded,
    is_stagnant,
    island_problem,
    offer_of,
    receive,
)
from .suggest._founders import founders_for


class Part(NamedTuple):
    """What an island does up to a point at which others may want something from it."""

    lengths: tuple[int, ...] = ()
    """Generations from one look to the next."""
    exchange: str = ""
    """What happens after the last of them, if it is a migration."""


class Leg(NamedTuple):
    island: int
    parts: tuple[Part, ...] = (Part(),)
    arrivals: tuple[Offer, ...] = ()
    """What the island receives before anything else."""
    random: Random | None = None
    """For a new island: its random state."""
    fronts: bool = False
    """Whether to report what joins the island's front."""

    @property
    def generations(self) -> int:
        return sum(sum(part.lengths) for part in self.parts)


class View(NamedTuple):
    """The best network of an island at a look."""

    value: float
    g: int
    d_given_g: float
    row: Words


class Entry(NamedTuple):
    """A network that joined an island's front."""

    g: int
    d_given_g: float
    row: Words


class Report(NamedTuple):
    """What is told of a part of a leg; it is small enough to travel."""

    views: tuple[tuple[int, View], ...]
    """The view at the part's first look, and wherever it changed, by the number of the look."""
    entries: tuple[tuple[int, Entry], ...]
    offer: Offer | None
    """What the island sends on, or before it restarts, to the archive."""
    seconds: float
    """The time that it took."""
    further: tuple[Report, ...] = ()
    """Where a leg has several parts, this tells of the first, and these of the others."""


class AbandonedError(Exception):
    """The leg is of no use any more."""


def never() -> bool:
    return False


def run_leg(
    problem: Problem,
    packed: Packed | None,
    leg: Leg,
    abandoned: Callable[[], bool] = never,
    team: Team | None = None,
) -> tuple[Packed, Report]:
    """The island after the leg, and what there is to tell; without a state, a new island."""
    began = time.perf_counter()
    whole, island = problem, leg.island
    problem = island_problem(whole, island)
    search = problem.search
    if packed is None:
        assert leg.random is not None
        state = new_island(problem, leg.random, founders_for(whole, island))
        before: set[tuple[int, float]] = set()
    else:
        state = packed.state()
        before = _pairs(state) if leg.fronts else set()
    for offer in leg.arrivals:
        state = receive(state, offer, lambda row: fits(row, problem))
    reports: list[Report] = []
    crowded = is_crowded(search, island)
    for part in leg.parts:
        views: list[tuple[int, View]] = []
        entries: list[tuple[int, Entry]] = []
        offered: Offer | None = None
        last = len(part.lengths) - 1
        for look, generations in enumerate(part.lengths or (0,)):
            if abandoned():
                raise AbandonedError
            state = advance_island(problem, state, generations, crowded, team)
            if look >= last and part.exchange == RING:
                offered = offer_of(state, search.migration_size)
            elif look >= last and part.exchange == RESTARTS and is_stagnant(search, island, state):
                offered = offer_of(state, search.migration_size)
                state = restart_island(problem, state, founders_for(whole, island))
            view = view_of(state)
            if not views or not _same(view, views[-1][1]):
                views.append((look, view))
            if leg.fronts:
                entries += ((look, entry) for entry in _joined(state, before))
                before = _pairs(state)
        ended = time.perf_counter()
        reports.append(Report(tuple(views), tuple(entries), offered, ended - began))
        began = ended
    return Packed(state), reports[0]._replace(further=tuple(reports[1:]))


def view_of(state: State) -> View:
    """The best network; first if tied."""
    i = int(state.values.argmin())
    row = state.genomes[i]
    return View(
        float(state.values[i]),
        int(state.lengths[i]),
        float(state.bits[i]),
        row[: int(size_of(row))].copy(),
    )


def entries_of(state: State) -> list[Entry]:
    """The island's front."""
    return [Entry(g, bits, row.copy()) for g, bits, row in front_of(state)]


def _same(one: View, other: View) -> bool:
    return one[:3] == other[:3] and bool((one.row.tobytes()) == other.row.tobytes())


def _pairs(state: State) -> set[tuple[int, float]]:
    count = int(state.counters[FRONT_COUNT])
    return set(
        zip(state.front_lengths[:count].tolist(), state.front_bits[:count].tolist(), strict=True)
    )


def _joined(state: State, before: set[tuple[int, float]]) -> list[Entry]:
    return [entry for entry in entries_of(state) if entry[:2] not in before]


FEWEST_TO_HELP = 4
"""Threads from which on they help each other."""
IDLE_SECONDS, LONGEST_IDLE = 0.001, 0.064
"""Until a thread without a job looks again whom it can help; twice as long each time in vain."""
Held = Any
"""What a crew keeps of an island: a `Packed`, or something that `fetch` makes one of."""


class Job(NamedTuple):
    priority: int
    """Lower comes first."""
    held: Held
    leg: Leg
    done: Callable[[Held, Report], None]
    failed: Callable[[BaseException], None]
    last: int = -1
    """The stage at the end of which it ends; negative for what is none."""
    is_behind: bool = False
    """Whether the island is far behind others, so that its next leg should begin at once."""


class Crew(Protocol):
    workers: int
    """How many legs run at a time."""
    remote: bool
    """Whether a leg costs more than a function call, so that legs should be long."""
    helps: bool
    """Whether a worker without a leg helps another one with its own."""
    helped_seconds: float
    """That workers have spent on this."""

    def begin(self, problem: Problem) -> None: ...

    def start(self, job: Job) -> None:
        """Returns at once; `done` or `failed` is called later, from any thread."""

    def fetch(self, held: Sequence[Held]) -> list[Packed]: ...

    def clear(self) -> None:
        """Forget the jobs that have not begun, and abandon the others."""

    def describe(self) -> str:
        """Where the legs run."""

    def is_deserted(self) -> bool:
        """Whether there is nobody now to run legs; somebody may come."""


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class Threads:
    """Threads of this process. The island that is furthest behind comes first, and a thread that
    ends a leg takes the next one itself, or helps another thread where there is none."""

    remote = False

    def __init__(self, workers: int | None = None, helping: bool | None = None) -> None:
        """With `helping`, threads that have nothing to do help others; by default where there are
        so many that it pays, each with a core."""
        self.workers = workers or cores()
        if helping is None:
            helping = FEWEST_TO_HELP <= self.workers <= cores()
        self.helps = helping
        self._can_help = Readiness()
        self.helped_seconds = 0.0
        self._teams: list[Team] = []
        self._called: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        """How many threads that help are to leave it for a job."""
        self._idle = 0
        """Threads that wait for a job."""
        self._queue: list[tuple[int, int, Job]] = []
        self._changed = threading.Condition()
        self._numbers = count()
        self._running = True
        self._epoch = 0
        self._own = threading.local()
        self._threads: list[threading.Thread] = []

    def begin(self, problem: Problem) -> None:
        self._problem = problem
        for number in range(self.workers):
            name = f"mdlrnn-{number}"
            thread = threading.Thread(target=self._work, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def start(self, job: Job) -> None:
        fresh = getattr(self._own, "fresh", None)
        if fresh is not None:
            fresh.append(job)
            return
        with self._changed:
            self._push(job)
            self._call()
            self._changed.notify()

    def fetch(self, held: Sequence[Held]) -> list[Packed]:
        return list(held)

    def clear(self) -> None:
        with self._changed:
            self._queue.clear()
            self._called[0] = 0
            self._epoch += 1

    def close(self) -> None:
        with self._changed:
            self._running = False
            self._queue.clear()
            self._epoch += 1
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def describe(self) -> str:
        return "1 thread" if self.workers == 1 else f"{self.workers} threads"

    def is_deserted(self) -> bool:
        return False

    def _push(self, job: Job) -> None:
        heapq.heappush(self._queue, (job.priority, next(self._numbers), job))

    def _call(self) -> None:
        """Recall one helping thread for each queued job beyond the idle threads."""
        self._called[0] = max(0, len(self._queue) - self._idle)

    def _take(self, fresh: list[Job]) -> tuple[Job, int] | None:
        with self._changed:
            if self._running:
                for job in fresh:
                    self._push(job)
                if len(fresh) > 1:
                    self._changed.notify(len(fresh) - 1)
            idle = IDLE_SECONDS
            while self._running and not self._queue:
                idle = self._help_or_wait(idle)
            if not self._running:
                return None
            job = heapq.heappop(self._queue)[2]
            self._call()
            return job, self._epoch

    def _help_or_wait(self, idle: float) -> float:
        """Help a thread that has an island, without the lock, or wait for a job, about so long; how
        long to wait the next time."""
        if not self.helps:
            self._wait(None)
            return idle
        teams = [team for team in self._teams if team.has_room]
        if teams and self._can_help():
            team = min(teams, key=lambda team: team.priority + team.helpers)
            began = time.perf_counter()
            self._changed.release()
            try:
                scored = team.help(self._called)
            finally:
                self._changed.acquire()
            if scored:
                self.helped_seconds += time.perf_counter() - began
                return IDLE_SECONDS
        if self._running and not self._queue:
            self._wait(idle)
        return min(2 * idle, LONGEST_IDLE)

    def _wait(self, seconds: float | None) -> None:
        self._idle += 1
        try:
            self._changed.wait(seconds)
        finally:
            self._idle -= 1

    def _work(self) -> None:
        fresh: list[Job] = []
        self._own.fresh = fresh
        team = Team() if self.helps else None
        if team is not None:
            self._teams.append(team)
        while (taken := self._take(fresh)) is not None:
            fresh.clear()
            job, epoch = taken
            if team is not None:
                team.priority = job.priority
            try:
                held, report = run_leg(
                    self._problem, job.held, job.leg, partial(self._is_past, epoch), team
                )
                if not self._is_past(epoch):
                    job.done(held, report)
            except AbandonedError:
                pass
            except BaseException as error:
                job.failed(error)
            finally:
                if team is not None:
                    team.close()

    def _is_past(self, epoch: int) -> bool:
        return self._epoch != epoch


class Executors:
    """Any executor. States travel with every leg, packed."""

    remote = True
    helps, helped_seconds = False, 0.0

    def __init__(self, executor: Executor, workers: int | None = None, name: str = "") -> None:
        self._executor = executor
        self.workers = workers or getattr(executor, "_max_workers", None) or cores()
        self._name = name or f"{type(executor).__name__} of {self.workers}"
        self._pending: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._epoch = 0

    def begin(self, problem: Problem) -> None:
        self._call: Callable[..., Any] = partial(run_leg, problem)

    def start(self, job: Job) -> None:
        epoch = self._epoch
        task = self._executor.submit(self._call, job.held, job.leg)
        with self._lock:
            self._pending.add(task)
        task.add_done_callback(partial(self._ended, job, epoch))

    def fetch(self, held: Sequence[Held]) -> list[Packed]:
        return list(held)

    def clear(self) -> None:
        with self._lock:
            self._epoch += 1
            pending = list(self._pending)
        for task in pending:
            task.cancel()

    def close(self) -> None:
        self.clear()

    def describe(self) -> str:
        return self._name

    def is_deserted(self) -> bool:
        return False

    def _ended(self, job: Job, epoch: int, task: Future[Any]) -> None:
        with self._lock:
            self._pending.discard(task)
        if task.cancelled() or epoch != self._epoch:
            return
        try:
            job.done(*task.result())
        except BaseException as error:
            job.failed(error)
