"""Pieces of work that take a worker each: one at a time, begun again where a worker is lost."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import mdlrnn.search.workers._spread as spread_module
from helpers.cluster import threaded_cluster
from helpers.data import is_one_sentence
from mdlrnn import InputError
from mdlrnn.errors import ClusterError
from mdlrnn.search.workers._spread import (
    Line,
    Piece,
    Spread,
    Unwanted,
    Workers,
    naming_the_worker,
    worker_name,
)
from mdlrnn.search.workers._workers import client_of

distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")

at_work: Counter[str] = Counter()
"""Pieces on each worker; the workers of these tests are threads of this process."""
most: Counter[str] = Counter()
go_on = threading.Event()
begun: Counter[str] = Counter()
ended: list[str] = []


@pytest.fixture
def cluster() -> Iterator[Any]:
    for record in (at_work, most, begun, ended):
        record.clear()
    go_on.clear()
    with threaded_cluster(threads=4) as made:
        yield made
        go_on.set()


@pytest.fixture
def workers(cluster: Any) -> Iterator[Workers]:
    with distributed.Client(cluster, set_as_default=False) as client:
        yield Workers(client, lambda: None)


def square(line: Line, number: int) -> int:
    name = worker_name()
    at_work[name] += 1
    most[name] = max(most[name], at_work[name])
    line.tell({"number": number})
    time.sleep(0.02)
    at_work[name] -= 1
    return number * number


def wait_for_word(line: Line) -> str:
    begun[line.piece] += 1
    try:
        while not go_on.wait(0.01):
            if line.tell(None):
                return "stopped"
    except Unwanted:
        ended.append(line.piece)
        raise
    return "done"


def refuse(line: Line) -> None:
    with naming_the_worker():
        raise InputError("it lacks something; install that.")


def fail(line: Line) -> None:
    raise ZeroDivisionError("by zero\nand more")


def lose_a_worker(cluster: Any) -> None:
    worker = next(w for w in cluster.workers.values() if w.status.name == "running")
    cluster.sync(worker.close, executor_wait=False, nanny=False)


def test_each_worker_has_one_piece_at_a_time(workers: Workers) -> None:
    heard: list[tuple[str, Any]] = []
    pieces = [Piece(f"piece-{i}", square, (i,)) for i in range(8)]
    found = dict(Spread(workers, pieces).results(heard.extend))
    assert found == {f"piece-{i}": i * i for i in range(8)}
    assert set(most.values()) == {1}
    assert len(most) == 2, "and both have some"
    assert ("piece-3", {"number": 3}) in heard


def test_what_a_lost_worker_had_begins_again_on_another(cluster: Any, workers: Workers) -> None:
    closed: list[bool] = []

    def look(news: list[Any]) -> None:
        if len(begun) == 2 and not closed:
            closed.append(True)
            lose_a_worker(cluster)
            go_on.set()

    pieces = [Piece(name, wait_for_word, ()) for name in ("one", "two")]
    assert dict(Spread(workers, pieces).results(look)) == {"one": "done", "two": "done"}
    assert sum(begun.values()) == 3


def test_a_piece_that_loses_its_workers_each_time_is_given_up(
    cluster: Any, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread_module, "MOST_TRIES", 1)
    closed: list[bool] = []

    def look(news: list[Any]) -> None:
        if begun and not closed:
            closed.append(True)
            lose_a_worker(cluster)
            lose_a_worker(cluster)

    with pytest.raises(ClusterError, match="one has lost its worker 1 times") as caught:
        list(Spread(workers, [Piece("one", wait_for_word, ())]).results(look))
    assert is_one_sentence(str(caught.value))


def test_pieces_can_be_asked_to_stop(workers: Workers) -> None:
    pieces = [Piece(f"piece-{i}", wait_for_word, ()) for i in range(5)]
    spread = Spread(workers, pieces)

    def look(news: list[Any]) -> None:
        if len(begun) == 2:
            spread.ask_to_stop()

    found = dict(spread.results(look))
    assert list(found.values()) == ["stopped", "stopped"], "no other one was begun"


def test_pieces_that_nobody_waits_for_end_by_themselves(workers: Workers) -> None:
    def look(news: list[Any]) -> None:
        if news:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Spread(workers, [Piece("one", wait_for_word, ())]).results(look))
    until = time.monotonic() + 60
    while not ended and time.monotonic() < until:
        time.sleep(0.01)
    assert ended == ["one"]


@pytest.mark.parametrize(
    ("function", "kind", "says"),
    [
        (refuse, InputError, r"the worker \d: it lacks something; install that\."),
        (fail, ClusterError, r"one failed on the cluster \(ZeroDivisionError: 'by zero'\)"),
    ],
)
def test_what_goes_wrong_there_is_one_sentence(
    workers: Workers, function: Any, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says) as caught:
        list(Spread(workers, [Piece("one", function, ())]).results(lambda news: None))
    assert is_one_sentence(str(caught.value))


def test_a_scheduler_that_goes_away_is_one_sentence(cluster: Any, workers: Workers) -> None:
    def look(news: list[Any]) -> None:
        if begun:
            go_on.set()
            cluster.close()

    with pytest.raises(ClusterError, match="the Dask scheduler has gone away") as caught:
        list(Spread(workers, [Piece("one", wait_for_word, ())]).results(look))
    assert is_one_sentence(str(caught.value))


def test_workers_that_are_known_are_not_asked_again(workers: Workers) -> None:
    with client_of(workers) as same:
        assert same is workers
    assert os.getpid() in workers.client.run(os.getpid).values()
