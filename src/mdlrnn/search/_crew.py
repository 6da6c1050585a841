"""Who runs the legs: threads of this process, or any executor of `concurrent.futures`.

A crew is given jobs and calls back when one is done. What is kept of an island between jobs is up
to the crew: a packed state, or a name for one that stays on another machine.
"""

from __future__ import annotations

import heapq
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from itertools import count
from typing import Any, NamedTuple, Protocol

from ._island import Problem
from ._leg import AbandonedError, Leg, Report, run_leg
from ._packed import Packed

Held = Any
"""What a crew keeps of an island: a `Packed`, or something that `fetch` makes one of."""


class Job(NamedTuple):
    priority: int
    """Lower comes first."""
    held: Held
    leg: Leg
    done: Callable[[Held, Report], None]
    failed: Callable[[BaseException], None]


class Crew(Protocol):
    workers: int
    """How many legs run at a time."""
    remote: bool
    """Whether a leg costs more than a function call, so that legs should be long."""

    def begin(self, problem: Problem) -> None: ...

    def start(self, job: Job) -> None:
        """Returns at once; `done` or `failed` is called later, from any thread."""

    def fetch(self, held: Sequence[Held]) -> list[Packed]: ...

    def clear(self) -> None:
        """Forget the jobs that have not begun, and abandon the others."""

    def describe(self) -> str:
        """Where the legs run."""


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class Threads:
    """Threads of this process. The island that is furthest behind comes first, and a thread that
    ends a leg takes the next one itself."""

    remote = False

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or cores()
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
            self._changed.notify()

    def fetch(self, held: Sequence[Held]) -> list[Packed]:
        return list(held)

    def clear(self) -> None:
        with self._changed:
            self._queue.clear()
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

    def _push(self, job: Job) -> None:
        heapq.heappush(self._queue, (job.priority, next(self._numbers), job))

    def _take(self, fresh: list[Job]) -> tuple[Job, int] | None:
        with self._changed:
            if self._running:
                for job in fresh:
                    self._push(job)
                if len(fresh) > 1:
                    self._changed.notify(len(fresh) - 1)
            while self._running and not self._queue:
                self._changed.wait()
            if not self._running:
                return None
            return heapq.heappop(self._queue)[2], self._epoch

    def _work(self) -> None:
        fresh: list[Job] = []
        self._own.fresh = fresh
        while (taken := self._take(fresh)) is not None:
            fresh.clear()
            job, epoch = taken
            try:
                held, report = run_leg(
                    self._problem, job.held, job.leg, partial(self._is_past, epoch)
                )
                if not self._is_past(epoch):
                    job.done(held, report)
            except AbandonedError:
                pass
            except BaseException as error:
                job.failed(error)

    def _is_past(self, epoch: int) -> bool:
        return self._epoch != epoch


class Executors:
    """Any executor. States travel with every leg, packed."""

    remote = True

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

    def _ended(self, job: Job, epoch: int, task: Future[Any]) -> None:
        with self._lock:
            self._pending.discard(task)
        if task.cancelled() or epoch != self._epoch:
            return
        try:
            job.done(*task.result())
        except BaseException as error:
            job.failed(error)
