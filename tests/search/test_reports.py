"""What workers report: as an event, or asked for where none has come."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import mdlrnn.search.workers._dask as crew_module
import mdlrnn.search.workers._spread as reports
from mdlrnn import Run, Search, Stop, evolve
from mdlrnn.search.workers._spread import Frozen, Mailbox, Told

distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")

STRINGS = ["ab", "aabb", "aaabbb"]
SEARCH = Search(islands=4, population=30, migration_interval=20)
STOP = Stop(generations=400)


@pytest.fixture(scope="module")
def run() -> Run:
    return evolve(STRINGS, SEARCH, stop=STOP, workers=1)


@pytest.fixture
def client() -> Iterator[Any]:
    """With a worker in this process, so that what tests put in place counts there too."""
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )  # fmt: skip
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the legs whose report was asked for."""
    keys: list[str] = []
    ask = crew_module.DaskCrew._ask

    def asking(self: Any, future: Any) -> bool:
        is_asked = ask(self, future)
        keys.extend([future.key] if is_asked else [])
        return is_asked

    monkeypatch.setattr(crew_module.DaskCrew, "_ask", asking)
    return keys


def on(client: Any) -> Run:
    return evolve(STRINGS, SEARCH, stop=STOP, workers=client)


def test_reports_come_without_being_asked_for(client: Any, run: Run, asked: list[str]) -> None:
    assert on(client).archipelago.digest() == run.archipelago.digest()
    assert on(client).archipelago.digest() == run.archipelago.digest(), "the client's second run"
    assert not asked
    assert not reports.mailbox_of(client)._come, "all have been taken"


@pytest.mark.parametrize("largest", [0, 1500])
def test_reports_that_are_too_large_for_an_event_are_asked_for(
    client: Any, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(reports, "LARGEST", largest)
    assert on(client).archipelago.digest() == run.archipelago.digest()
    assert asked


def test_a_report_that_comes_twice_or_uncalled_for_is_not_kept() -> None:
    topics: dict[str, Any] = {}
    client = SimpleNamespace(id="c", subscribe_topic=topics.__setitem__)
    mailbox = Mailbox(client)
    receive = topics[mailbox.topic]
    told = Told(None, Frozen(b"state"), "worker")  # type: ignore[arg-type]
    event = (0.0, {"key": "leg", "told": pickle.dumps(told)})
    receive(event)
    assert mailbox.take("leg") is None
    mailbox.expect("leg")
    assert mailbox.take("leg") is None, "it has not come yet"
    mailbox.expect("leg")
    receive(event)
    assert mailbox.take("leg") == told
    receive(event)
    assert mailbox.take("leg") is None
