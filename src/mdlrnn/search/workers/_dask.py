"""The search on a Dask cluster: what a worker does, and the crew that sends legs to workers."""

from __future__ import annotations

import heapq
import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple
from uuid import uuid4

from ..._version import __version__
from ...errors import ClusterError, InputError
from ...kernels import source_hash
from .._archipelago import Packed
from .._crew import Held, Job, Leg, Report, run_leg
from .._evolve import DESERTED_SECONDS
from .._island import Problem
from ._spread import (
    Frozen,
    Replenish,
    ReplyTo,
    Told,
    Watch,
    failure,
    freeze,
    gone,
    mailbox_of,
    send_report,
    thaw,
    worker_name,
)

LOG = logging.getLogger("distributed.worker.mdlrnn")


class Kept(NamedTuple):
    """An island after a leg: its state stays on the worker, the report goes to the client."""

    packed: Packed
    report: Report


@lru_cache(1)
def version() -> str:
    """What must be the same on all machines for the same networks to be found."""
    return f"{__version__} {source_hash()}"


def receive_problem(problem: Problem) -> Problem:
    """On the cluster as a task, so that it can be made up for when a worker is lost."""
    return problem


def advance(
    problem: Problem,
    island: Kept | Frozen | None,
    leg: Leg,
    client_version: str,
    reply_to: ReplyTo | None,
) -> Kept:
    """A leg of an island, and the report of it to the client if that is wanted."""
    if version() != client_version:
        raise InputError(
            f"the worker {worker_name()} has another version of mdlrnn or of Numba "
            f"({version()}) than this machine ({client_version}); install the same on both."
        )
    packed = thaw(island) if isinstance(island, Frozen) else None
    if isinstance(island, Kept):
        packed = island.packed
    packed, report = run_leg(problem, packed, leg)
    seconds = sum(part.seconds for part in (report, *report.further))
    LOG.info("island %d: %d generations in %.2f s", leg.island, leg.generations, seconds)
    kept = Kept(packed, report)
    if reply_to is not None:
        send_report(reply_to, tell(kept, reply_to.with_state))
    return kept


def tell(kept: Kept, with_state: bool) -> Told:
    return Told(kept.report, freeze(kept.packed) if with_state else None, worker_name())


ANCHOR = 16
"""Stages from one time that the states come along to the next."""
RETRIES = 100
"""How often a leg is begun again whose worker died."""
ALIVE = ("pending", "finished")
"""States of a future that can be waited for."""
SOON = 10**6
"""The priority of what takes no time."""
COUNT_SECONDS = 2.0
"""Between two counts of the workers."""
LEGS_A_THREAD = 2
"""Sent to a worker for each of its threads, so that it can begin the next leg at once. That of an
island that is far behind takes the room of both: its own next one is to begin at once."""
AS_GOOD = 1
"""A worker goes on with an island of its own unless another is behind it by more stages."""
LOOK_SECONDS = 0.05
"""Between two looks whether what was asked for has come."""
NOWHERE = ""
"""The home of islands that are on no worker."""


class _Away(NamedTuple):
    """An island on the cluster, and how it came about."""

    future: Any
    anchor: Packed | None
    """Where it was last at hand; None for an island that was made there."""
    legs: tuple[Leg, ...]
    """What it has done since."""
    home: str
    """The address of the worker that it is on."""


class _Task(NamedTuple):
    job: Job
    away: _Away
    epoch: int
    retries: int
    room: int
    """How much room it takes at its worker."""
    with_state: bool


class _Waiting(NamedTuple):
    priority: int
    number: int
    job: Job
    retries: int


class DaskCrew:
    remote = True
    helps, helped_seconds = False, 0.0

    def __init__(self, client: Any, replenish: Replenish) -> None:
        self._client, self._replenish = client, replenish
        self._mailbox = mailbox_of(client)
        self._name = f"mdlrnn-{uuid4().hex[:8]}"
        self._numbers = count()
        self._version = version()
        self._lock = threading.RLock()
        self._tasks: dict[str, _Task] = {}
        self._waiting: dict[str, list[_Waiting]] = {}
        """By the home of the island, each a heap."""
        self._sent_to: Counter[str] = Counter()
        """Room that is taken at each worker by legs that it has not done."""
        self._threads: dict[str, int] = {}
        self._epoch = 0
        self._running = True
        self._problem: Problem | None = None
        self._sent_problem: Any = None
        self._wake, self._closed = threading.Event(), threading.Event()
        self.last_worker = ""
        self._machines = 0
        self._count_workers()

    def begin(self, problem: Problem) -> None:
        from distributed import as_completed

        self._problem = problem
        self._completed: Any = as_completed(loop=self._client.loop, raise_errors=False)
        for target in (self._collect, self._count):
            threading.Thread(target=target, name="mdlrnn-dask", daemon=True).start()

    def start(self, job: Job) -> None:
        try:
            self._start(job, 0)
        except Exception as error:
            job.failed(self._lost(error))

    def fetch(self, held: Sequence[Held]) -> list[Packed]:
        away: dict[int, Any] = {
            place: self._alive(h) for place, h in enumerate(held) if not isinstance(h, Packed)
        }
        if not away:
            return list(held)
        told = [self._submit(tell, h.future, True, priority=SOON) for h in away.values()]
        try:
            self._wait_for(told)
            came = dict(zip(away, self._client.gather(told), strict=True))
        except Exception as error:
            raise self._lost(error) from None
        return [thaw(came[place].frozen) if place in came else h for place, h in enumerate(held)]

    def _wait_for(self, futures: Sequence[Any]) -> None:
        """Until all are done; not for ever where no worker is left."""
        since = time.monotonic()
        while any(future.status == "pending" for future in futures):
            time.sleep(LOOK_SECONDS)
            if not self.is_deserted():
                since = time.monotonic()
            elif time.monotonic() - since > DESERTED_SECONDS:
                raise ClusterError(f"{self.describe()} is left")

    def clear(self) -> None:
        with self._lock:
            self._epoch += 1
            dropped = [task.away.future for task in self._tasks.values()]
            self._forget_tasks()
            self._waiting.clear()
            self._sent_to.clear()
        if dropped and self._client.status == "running":
            self._client.cancel(dropped)

    def close(self) -> None:
        self.clear()
        self._running = False
        self._closed.set()
        self._wake.set()

    def is_deserted(self) -> bool:
        return not self._machines and self._client.status == "running"

    def describe(self) -> str:
        workers = "1 worker" if self._machines == 1 else f"{self._machines} workers"
        threads = "" if self.workers == self._machines else f" with {self.workers} threads"
        scheduler = getattr(self._client.scheduler, "address", None) or "a scheduler that is gone"
        if not self._machines:
            return f"no worker of {scheduler}"
        return f"{workers}{threads} of {scheduler}"

    def _start(self, job: Job, retries: int) -> None:
        with self._lock:
            home = job.held.home if isinstance(job.held, _Away) else NOWHERE
            waiting = _Waiting(job.priority, next(self._numbers), job, retries)
            heapq.heappush(self._waiting.setdefault(home, []), waiting)
            self._send_out()

    def _send_out(self) -> None:
        """Send legs to workers that have room for some, those of islands that are behind first."""
        while any(self._waiting.values()):
            room = {
                worker: LEGS_A_THREAD * threads - self._sent_to[worker]
                for worker, threads in self._threads.items()
            }
            most = max(room.values(), default=0)
            if most <= 0:
                return
            idle = {w for w, threads in self._threads.items() if self._sent_to[w] < threads}
            home = self._next_home()
            if room.get(home, 0) > 0 and (home in idle or not idle):
                worker = home  # an island stays where it is, unless others have nothing to do
            else:
                worker = next(worker for worker in room if room[worker] == most)
                home = self._next_home(worker)
            self._send(heapq.heappop(self._waiting[home]), worker)
        self._wake.set()

    def _next_home(self, worker: str = NOWHERE) -> str:
        """Where the island is whose leg is to be sent next: of those that are behind one that is on
        this worker, if there is one."""
        heads = {home: heap[0] for home, heap in self._waiting.items() if heap}
        first = min(heads, key=lambda home: (heads[home].priority, heads[home].number))
        behind = heads[first].priority + AS_GOOD
        return worker if worker in heads and heads[worker].priority <= behind else first

    def _send(self, waiting: _Waiting, worker: str) -> None:
        job = waiting.job
        with_state = job.last >= 0 and job.last % ANCHOR == ANCHOR - 1
        key = self._key(advance)
        self._mailbox.expect(key)
        reply_to = ReplyTo(self._mailbox.topic, key, with_state)
        away = self._advance(self._alive(job.held), job.leg, job.priority, worker, reply_to)
        room = LEGS_A_THREAD if job.is_behind else 1
        self._tasks[key] = _Task(job, away, self._epoch, waiting.retries, room, with_state)
        self._sent_to[worker] += room
        self._completed.add(away.future)
        self._wake.set()

    def _advance(
        self,
        held: Held | None,
        leg: Leg,
        priority: int,
        worker: str = NOWHERE,
        reply_to: ReplyTo | None = None,
    ) -> _Away:
        if isinstance(held, _Away):
            before, anchor, legs = held.future, held.anchor, (*held.legs, leg)
        else:
            before, anchor, legs = None if held is None else freeze(held), held, (leg,)
        if self._sent_problem is None or self._sent_problem.status not in ALIVE:
            self._sent_problem = self._submit(receive_problem, self._problem, priority=SOON)
        arguments = self._sent_problem, before, leg, self._version, reply_to
        key = self._key(advance) if reply_to is None else reply_to.key
        future = self._submit(advance, *arguments, priority=-priority, worker=worker, key=key)
        return _Away(future, anchor, legs, worker)

    def _alive(self, held: Held | None) -> Held | None:
        """The island; if Dask has given it up, worked out again from where it was last at hand.

        Dask does so when several workers died with it, which is not the island's fault.
        """
        if not isinstance(held, _Away) or held.future.status in ALIVE:
            return held
        again: Held | None = held.anchor
        for leg in held.legs:
            again = self._advance(again, leg, 0)
        return again

    def _key(self, function: Any) -> str:
        return f"{self._name}-{function.__name__}-{next(self._numbers)}"

    def _submit(
        self,
        function: Any,
        *arguments: Any,
        priority: int,
        worker: str = NOWHERE,
        key: str | None = None,
    ) -> Any:
        """On the worker given, or on another one if it is gone."""
        place = {"workers": [worker], "allow_other_workers": True} if worker else {}
        key = key or self._key(function)
        return self._client.submit(
            function, *arguments, key=key, pure=False, priority=priority, **place
        )

    def _collect(self) -> None:
        """In a thread of its own: pass on what comes in."""
        while self._running:
            self._wake.wait(COUNT_SECONDS)
            self._wake.clear()
            try:
                for batch in self._completed.batches():
                    asked: list[Any] = []
                    for future in batch:
                        if (told := self._mailbox.take(future.key)) is not None:
                            self._take(future, told)
                        elif future.status != "finished" or not self._ask(future):
                            asked.append(future)
                    for future, result in zip(asked, self._results(asked), strict=True):
                        self._take(future, result)
            except Exception as error:
                self._fail(error)

    def _ask(self, future: Any) -> bool:
        """Ask for the report of a leg that has not come; False if this was the answer."""
        with self._lock:
            task = self._tasks.get(future.key)
            if task is None or task.away.future is not future:
                return False
            del self._tasks[future.key]
            told = self._submit(tell, future, task.with_state, priority=SOON)
            self._tasks[told.key] = task
            self._completed.add(told)
        return True

    def _results(self, futures: list[Any]) -> list[Any]:
        """What was told, or the error; all in one message."""
        if futures and all(future.status == "finished" for future in futures):
            with suppress(Exception):
                return list(self._client.gather(futures))
        return [_result_of(future) for future in futures]

    def _take(self, future: Any, result: Any) -> None:
        with self._lock:
            task = self._tasks.pop(future.key, None)
            if task is None or task.epoch != self._epoch:
                return
            self._sent_to[task.away.home] -= task.room
        try:
            if isinstance(result, Told):
                self.last_worker = result.worker
                held = task.away if result.frozen is None else thaw(result.frozen)
                task.job.done(held, result.report)
            else:
                error = result
                if type(error).__name__ == "KilledWorker" and task.retries < RETRIES:
                    self._start(task.job, task.retries + 1)
                else:
                    task.job.failed(self._lost(error))
            with self._lock:
                self._send_out()
        except BaseException as error:
            task.job.failed(self._lost(error))

    def _forget_tasks(self) -> None:
        for key in self._tasks:
            self._mailbox.take(key)
        self._tasks.clear()

    def _fail(self, error: Exception) -> None:
        with self._lock:
            jobs = [task.job for task in self._tasks.values()]
            jobs += [waiting.job for heap in self._waiting.values() for waiting in heap]
            self._forget_tasks()
            self._waiting.clear()
            self._sent_to.clear()
        for job in jobs:
            job.failed(self._lost(error))

    def _lost(self, error: BaseException) -> BaseException:
        """The error as one sentence."""
        if "Cancelled" in type(error).__name__:
            return gone()
        return failure(self._client, "a leg", error)

    def _count(self) -> None:
        """In a thread of its own: who is there. Workers that stay away are started again."""
        watch = Watch(self._replenish, self._machines)
        while not self._closed.wait(COUNT_SECONDS):
            self._count_workers()
            if self._client.status == "closed":
                self._fail(gone())  # legs that wait for a worker would wait for ever
            watch.see(self._machines)

    def _count_workers(self) -> None:
        threads: dict[str, int] = {}
        with suppress(Exception):
            threads = dict(self._client.nthreads())
        self._machines = len(threads)
        self.workers = max(1, sum(threads.values()))
        with self._lock:
            self._threads = threads
            for lost in self._sent_to.keys() - threads.keys():
                del self._sent_to[lost]
            if self._running and self._client.status == "running":
                self._send_out()


def _result_of(future: Any) -> Any:
    try:
        return future.result()
    except Exception as error:
        return error
