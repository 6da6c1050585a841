"""What workers report to the client, as events of Dask.

As a task of its own a report would wait for a thread of its worker, which has begun the next leg by
then. An event goes out when the leg is done, ahead of the news that it is.
"""

from __future__ import annotations

import pickle
import zlib
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..search._leg import Report
from ..search._packed import Packed

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
