"""The workers of a Dask cluster, as both ways of using them know them."""

from __future__ import annotations

import pickle
import threading
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakKeyDictionary

from ...checks import short
from ...errors import ClusterError, InputError, RunError
from .._archipelago import Packed
from .._crew import Report

REPLENISH_SECONDS = 20.0
"""How long workers may stay away before they are started again, where that is up to the run."""

Replenish = Callable[[], object]
"""Starts workers again that are lost."""


class Workers(NamedTuple):
    """A client of a cluster, and a function that restarts lost workers."""

    client: Any
    replenish: Replenish


class Watch:
    """Starts workers again that stay away, where that is up to the run."""

    def __init__(self, replenish: Replenish, most: int = 0) -> None:
        self._replenish, self._most = replenish, most
        self._complete_at = time.monotonic()

    def see(self, count: int) -> None:
        """Note the worker count."""
        now = time.monotonic()
        self._most = max(self._most, count)
        if count == self._most:
            self._complete_at = now
        elif now - self._complete_at > REPLENISH_SECONDS:
            self._complete_at = now
            with suppress(Exception):
                self._replenish()


def worker_name() -> str:
    """On a worker: its own name."""
    from distributed import get_worker

    worker: Any = get_worker()
    return str(worker.name)


LARGEST = 64 * 1024
"""Bytes of an event at most: the scheduler keeps the last thousand. What is larger is asked for."""


class Frozen(NamedTuple):
    """A state on its way."""

    data: bytes


def freeze(packed: Packed) -> Frozen:
    return Frozen(zlib.compress(pickle.dumps(packed, protocol=5), 1))


def thaw(frozen: Frozen) -> Packed:
    packed: Packed = pickle.loads(zlib.decompress(frozen.data))
    return packed


class Told(NamedTuple):
    report: Report
    frozen: Frozen | None
    worker: str


class ReplyTo(NamedTuple):
    """Where a worker reports a leg."""

    topic: str
    key: str
    """Of the leg's task."""
    with_state: bool


def send_report(to: ReplyTo, told: Told) -> None:
    """On a worker."""
    from distributed import get_worker

    data = pickle.dumps(told, protocol=5)
    if len(data) <= LARGEST:
        worker: Any = get_worker()
        worker.log_event(to.topic, {"key": to.key, "told": data})


class Mailbox:
    """The reports that have come to a client and have not been taken."""

    def __init__(self, client: Any) -> None:
        self.topic = f"mdlrnn-{client.id}"
        self._come: dict[str, bytes | None] = {}
        """By the key of the task; None for what is still to come."""
        client.subscribe_topic(self.topic, self._receive)

    def expect(self, key: str) -> None:
        self._come[key] = None

    def take(self, key: str) -> Told | None:
        """The report, if it has come; another one for the same task is not kept."""
        data = self._come.pop(key, None)
        if data is None:
            return None
        told: Told = pickle.loads(data)
        return told

    def _receive(self, event: tuple[float, dict[str, Any]]) -> None:
        """In the thread of the client's event loop."""
        key = event[1]["key"]
        if key in self._come:
            self._come[key] = event[1]["told"]


_MAILBOXES: WeakKeyDictionary[Any, Mailbox] = WeakKeyDictionary()


def mailbox_of(client: Any) -> Mailbox:
    """One for all runs of a client, so that the scheduler keeps one list of events."""
    if client not in _MAILBOXES:
        _MAILBOXES[client] = Mailbox(client)
    return _MAILBOXES[client]


LOOK_SECONDS = 0.3
"""Between two looks at what has come in."""
MOST_TRIES = 10
"""How often a piece is begun whose worker is lost each time."""

_asked_to_stop: set[str] = set()
"""On a worker: those who have asked their pieces to stop."""


class Unwanted(Exception):  # noqa: N818, nothing went wrong
    """Nobody waits for this piece any more."""


class Line(NamedTuple):
    """Sends news from a running piece to the client. It is the first argument of its function."""

    topic: str
    piece: str

    def tell(self, news: Any) -> bool:
        """Say how far it is; whether it is asked to stop."""
        from distributed import get_worker

        worker: Any = get_worker()
        if _is_dropped(worker):
            raise Unwanted
        worker.log_event(self.topic, {"piece": self.piece, "news": news})
        return self.topic in _asked_to_stop


class Piece(NamedTuple):
    name: str
    function: Callable[..., Any]
    """Called on a worker with a `Line` and the arguments."""
    arguments: tuple[Any, ...]


class _Begun(NamedTuple):
    piece: Piece
    future: Any
    worker: str


class Spread:
    """Runs pieces on the workers of a cluster."""

    def __init__(self, workers: Workers, pieces: Sequence[Piece]) -> None:
        self._client = workers.client
        self._watch = Watch(workers.replenish)
        self._topic = f"mdlrnn-{uuid4().hex[:8]}"
        self._waiting = deque(pieces)
        self._begun: dict[str, _Begun] = {}
        self._tries: Counter[str] = Counter()
        self._news: deque[tuple[str, Any]] = deque()
        self._arrived = threading.Event()

    def results(self, look: Callable[[list[tuple[str, Any]]], object]) -> Iterator[tuple[str, Any]]:
        """The name and the result of each piece, as they come.

        `look` is called several times a second with what pieces have said since the last time. What
        it raises ends the whole.
        """
        with self._listening():
            while self._waiting or self._begun:
                self._hand_out(self._there())
                self._arrived.wait(LOOK_SECONDS)
                self._arrived.clear()
                look([self._news.popleft() for _ in range(len(self._news))])
                yield from self._come_in()

    def ask_to_stop(self) -> None:
        """Pieces on their way are asked to stop; no other one is begun."""
        self._waiting.clear()
        for begun in self._begun.values():
            with suppress(Exception):  # a worker that is lost has stopped
                self._client.run(_ask_to_stop, self._topic, workers=[begun.worker])

    @contextmanager
    def _listening(self) -> Iterator[None]:
        def hear(event: tuple[float, Any]) -> None:
            self._news.append((event[1]["piece"], event[1]["news"]))

        self._client.subscribe_topic(self._topic, hear)
        try:
            yield
        finally:
            if self._client.status == "running":
                with suppress(Exception):
                    self._client.cancel([begun.future for begun in self._begun.values()])
                    self._client.unsubscribe_topic(self._topic)

    def _there(self) -> list[str]:
        """The addresses of the workers. Those that stay away are started again."""
        try:
            there = list(self._client.nthreads())
        except Exception:
            raise gone() from None
        self._watch.see(len(there))
        return there

    def _hand_out(self, there: list[str]) -> None:
        for name, begun in list(self._begun.items()):
            if begun.worker not in there and begun.future.status == "pending":
                self._client.cancel([begun.future])
                self._begin_again(name)
        busy = {begun.worker for begun in self._begun.values()}
        for worker in there:
            if self._waiting and worker not in busy:
                piece = self._waiting.popleft()
                self._tries[piece.name] += 1
                key = f"{self._topic}-{piece.name}-{self._tries[piece.name]}"
                future = self._client.submit(
                    piece.function, Line(self._topic, piece.name), *piece.arguments, key=key,
                    pure=False, workers=[worker], allow_other_workers=False,
                )  # fmt: skip
                future.add_done_callback(self._arrives)
                self._begun[piece.name] = _Begun(piece, future, worker)

    def _arrives(self, future: Any) -> None:
        self._arrived.set()

    def _begin_again(self, name: str) -> None:
        begun = self._begun.pop(name)
        if self._tries[name] >= MOST_TRIES:
            raise ClusterError(f"{name} has lost its worker {MOST_TRIES} times")
        self._waiting.appendleft(begun.piece)

    def _come_in(self) -> Iterator[tuple[str, Any]]:
        for name, begun in list(self._begun.items()):
            if begun.future.status == "pending":
                continue
            try:
                result = begun.future.result()
            except Exception as error:
                self._failed(name, error)
                continue
            del self._begun[name]
            yield name, result

    def _failed(self, name: str, error: Exception) -> None:
        if not was_lost(error) or self._client.status != "running":
            raise failure(self._client, name, error)
        self._begin_again(name)


def on_every_worker(client: Any, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """The function's result on each connected worker; an `InputError` of one is raised."""
    try:
        answers: dict[str, Any] = client.run(function, *arguments, on_error="return")
    except Exception:
        raise gone() from None
    for worker, answer in answers.items():
        if isinstance(answer, InputError):
            raise InputError(f"the worker {worker}: {answer}")
        if isinstance(answer, Exception):
            raise ClusterError(f"the worker {worker} does not answer ({type(answer).__name__})")
    return answers


@contextmanager
def naming_the_worker() -> Iterator[None]:
    """Say on which worker an error inside came about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"the worker {worker_name()}: {error}") from None


def _ask_to_stop(topic: str) -> None:
    _asked_to_stop.add(topic)


def _is_dropped(worker: Any) -> bool:
    """Whether the task of this thread was cancelled, as when its client is gone."""
    with suppress(Exception):
        task = worker.state.tasks.get(worker.get_current_task())
        return task is None or task.state == "cancelled"
    return False


def was_lost(error: BaseException) -> bool:
    """Whether a task ended with its worker, and not by itself."""
    kind = type(error).__name__
    return kind == "KilledWorker" or "Cancelled" in kind


def failure(client: Any, what: str, error: BaseException) -> BaseException:
    """The error of a task as one sentence."""
    if isinstance(error, InputError | RunError | KeyboardInterrupt):
        return error
    if client.status != "running":
        return gone()
    said = str(error).splitlines()[0] if str(error) else ""
    return ClusterError(f"{what} failed on the cluster ({type(error).__name__}: {short(said)})")


def gone() -> ClusterError:
    """What is said when the scheduler does not answer any more."""
    return ClusterError("the Dask scheduler has gone away")
