"""Which worker of a Dask cluster gets which leg: those of islands that are behind come first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from mdlrnn.search._crew import Job, Leg
from mdlrnn.search.workers._dask import LEGS_A_THREAD, DaskCrew, _Away


class Client:
    """Two workers with a thread each, which never come to an end."""

    status, id = "running", "client"

    def __init__(self) -> None:
        self.sent: list[tuple[int, str]] = []

    def nthreads(self) -> dict[str, int]:
        return {"a": 1, "b": 1}

    def submit(self, function: Any, *arguments: Any, **how: Any) -> Any:
        if function.__name__ == "advance":
            self.sent.append((arguments[2].island, *how["workers"]))
        return SimpleNamespace(key=how["key"], status="pending")

    def cancel(self, futures: Any) -> None:
        pass

    def subscribe_topic(self, topic: str, handler: Any) -> None:
        pass


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def crew(client: Client) -> Iterator[DaskCrew]:
    made = DaskCrew(client, lambda: None)
    made._completed = SimpleNamespace(add=lambda future: None)
    yield made
    made.close()


NUMBERS = count()


def job(stage: int, home: str = "", is_behind: bool = False) -> Job:
    island = next(NUMBERS)
    held = _Away(SimpleNamespace(status="finished"), None, (), home) if home else None
    return Job(stage, held, Leg(island), lambda *_: None, lambda _: None, stage, is_behind)


def test_an_island_stays_where_it_is_unless_others_have_nothing_to_do(
    crew: DaskCrew, client: Client
) -> None:
    for home in ("b", "b", "b", "a"):
        crew.start(job(0, home))
    assert [worker for _, worker in client.sent] == ["b", "a", "b", "a"]


def test_an_island_that_is_behind_goes_before_others_and_elsewhere(
    crew: DaskCrew, client: Client
) -> None:
    for _ in range(2 * LEGS_A_THREAD):
        crew.start(job(1))
    ahead, behind = job(3, "b"), job(1, "a")
    crew.start(ahead)
    crew.start(behind)
    assert len(client.sent) == 2 * LEGS_A_THREAD, "both are full"
    crew._sent_to["b"] -= 1
    crew._send_out()
    assert client.sent[-1] == (behind.leg.island, "b")


def test_nothing_follows_the_leg_of_an_island_far_behind(crew: DaskCrew, client: Client) -> None:
    crew.start(job(5, "a"))
    crew.start(job(5, "b"))
    slow = job(3, "b", is_behind=True)
    crew.start(slow)
    for _ in range(2 * LEGS_A_THREAD):
        crew.start(job(6, "b"))
    assert [i for i, worker in client.sent if worker == "b"][1:] == [slow.leg.island]
    assert [worker for _, worker in client.sent].count("a") == LEGS_A_THREAD
