"""Seeds on several cards, one a worker. Here the workers are threads and their cards the CPU; the
tests of `gpu` have two processes, each with a simulated card."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import mdlrnn.interface._cards as cards_module
from helpers.cluster import threaded_cluster
from helpers.commands import Result, refused
from helpers.data import is_one_sentence
from mdlrnn import InputError, Run, Search, Stop, evolve, evolve_seeds, resume
from mdlrnn.errors import ClusterError
from mdlrnn.interface._seeds import seeds_on_cards
from mdlrnn.kernels import gpu
from mdlrnn.runs._files import checkpoints
from mdlrnn.runs._recorder import reopen
from mdlrnn.search.workers._spread import Line, Spread

distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")

STRINGS = ["ab", "aabb", "aaabbb", "aaaabbbb"]
SMALL = Search(islands=2, population=10, seed=5)
SHORT = Stop(generations=4)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(cards_module, "CARD", "cpu")
    monkeypatch.setattr(gpu, "require_card", lambda: None)
    monkeypatch.setattr(gpu, "card_of_process", lambda: uuid4().hex)
    with threaded_cluster() as made:
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster, set_as_default=False) as client:
        yield client


def on_cards(client: Any, stop: Stop = SHORT, seeds: int = 3, **options: Any) -> list[Run]:
    return evolve_seeds(
        STRINGS, seeds, SMALL, stop=stop, device="cuda", cluster=client, prove=False, **options
    )


def digests(runs: list[Run]) -> list[tuple[int, str]]:
    return [(run.search.seed, run.archipelago.digest()) for run in runs]


def test_seeds_on_workers_are_the_seeds_one_after_the_other(client: Any, tmp_path: Path) -> None:
    here = evolve_seeds(STRINGS, 3, SMALL, stop=SHORT, folder=tmp_path / "here", prove=False)
    there = on_cards(client, folder=tmp_path / "there")
    assert digests(there) == digests(here)
    assert [run.front for run in there] == [run.front for run in here]
    assert [run.folder for run in there] == [
        tmp_path / "there" / f"seed-{run.search.seed}" for run in here
    ]
    tables = [
        json.loads((tmp_path / name / "seeds.json").read_text()) for name in ("here", "there")
    ]
    assert [[row["mdl"] for row in rows] for rows in tables] == [[r.score.mdl for r in here]] * 2
    names = [
        sorted(str(path.relative_to(tmp_path / name)) for path in (tmp_path / name).rglob("*"))
        for name in ("here", "there")
    ]
    assert names[0] == names[1]


def test_without_a_folder_the_runs_come_back_all_the_same(client: Any) -> None:
    assert digests(on_cards(client)) == digests(
        evolve_seeds(STRINGS, 3, SMALL, stop=SHORT, prove=False)
    )


def test_a_task_keeps_its_encoding_and_its_proof_on_the_way(client: Any) -> None:
    there = evolve_seeds("anbn_100", 1, SMALL, stop=SHORT, device="cuda", cluster=client)
    here = evolve("anbn_100", SMALL, stop=SHORT, threads=1)
    assert there[0].encoding == here.encoding
    assert there[0].archipelago.digest() == here.archipelago.digest()
    assert (there[0].theorem is None) == (here.theorem is None)


def test_a_folder_that_workers_do_not_see_is_sent_here(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def unseen(folder: Path | None) -> Iterator[str]:
        yield ".nowhere"

    monkeypatch.setattr(cards_module, "_marked", unseen)
    runs = on_cards(client, seeds=2, folder=tmp_path / "all")
    for run in runs:
        assert run.folder is not None
        more = resume(run.folder, stop=Stop(generations=6), threads=1, prove=False)
        search = replace(SMALL, seed=run.search.seed)
        whole = evolve(STRINGS, search, stop=Stop(generations=6), threads=1, prove=False)
        assert more.archipelago.digest() == whole.archipelago.digest()


def test_a_run_whose_worker_is_lost_goes_on_from_its_folder(
    cluster: Any, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdlrnn.runs._recorder.LEAST_SECONDS", 0.0)
    home = tmp_path / "all" / "seed-5"
    is_lost = threading.Event()
    reopened: list[Path] = []
    tell = Line.tell

    def noted(folder: Path) -> Any:
        reopened.append(folder)
        return reopen(folder)

    def waiting(self: Line, news: Any) -> bool:
        if checkpoints(home):
            is_lost.wait(60)
        return tell(self, news)

    def lose_the_worker() -> bool:
        if not is_lost.is_set() and home.exists() and checkpoints(home):
            worker = next(w for w in cluster.workers.values() if w.state.tasks)
            cluster.sync(worker.close, executor_wait=False, nanny=False)
            is_lost.set()
        return False

    monkeypatch.setattr(cards_module, "reopen", noted)
    monkeypatch.setattr(Line, "tell", waiting)
    options: dict[str, Any] = {"stop": Stop(generations=120), "prove": False}
    search = replace(SMALL, migration_interval=20)
    (there,) = seeds_on_cards(
        STRINGS, search, 1, tmp_path / "all", cluster=client, is_stopped=lose_the_worker, **options
    )
    assert reopened == [home]
    here = evolve(STRINGS, search, threads=1, **options)
    assert there.archipelago.digest() == here.archipelago.digest()


def test_stopped_runs_are_saved_and_no_other_is_begun(client: Any, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    runs = seeds_on_cards(
        STRINGS, SMALL, 4, folder, cluster=client, stop=Stop(generations=10**6), prove=False,
        is_stopped=lambda: len(list(folder.glob("seed-*/settings.json"))) == 2,
    )  # fmt: skip
    assert [run.reason for run in runs] == ["stopped", "stopped"]
    assert sorted(path.name for path in folder.glob("seed-*")) == ["seed-5", "seed-6"]
    assert all(checkpoints(folder / name) for name in ("seed-5", "seed-6"))
    with pytest.raises(InputError, match="seed-5 already holds a run"):
        on_cards(client, folder=folder)


def test_more_workers_than_cards_are_refused(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "require_card", lambda: None)
    monkeypatch.setattr(gpu, "cards", lambda: ["0", "1"])
    result = run("evolve", "anbn", "--device", "cuda", "--seeds", 4, "--cluster", "local:3")
    says = "local:3 asks for 3 workers with a card each, but this machine has 2; give local:2"
    assert refused(result, says)
    assert not Path("runs").exists()


def test_workers_that_share_a_card_are_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "card_of_process", lambda: "here GPU-1")
    with pytest.raises(InputError, match="share a card; start each with a card of its") as caught:
        on_cards(client)
    assert is_one_sentence(str(caught.value))


def test_a_worker_without_a_card_is_one_sentence(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> str:
        raise InputError("no graphics card is found here; leave out the device.")

    monkeypatch.setattr(gpu, "card_of_process", none)
    with pytest.raises(InputError, match=r"the worker inproc://\S+: no graphics card") as caught:
        on_cards(client)
    assert is_one_sentence(str(caught.value))


def test_a_scheduler_that_goes_away_says_what_goes_on(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(self: Spread, look: Any) -> Any:
        raise ClusterError("the Dask scheduler has gone away")

    monkeypatch.setattr(Spread, "results", gone)
    with pytest.raises(ClusterError, match="--resume goes on with each run that") as caught:
        on_cards(client, folder=tmp_path / "all")
    assert is_one_sentence(str(caught.value))


def test_processes_with_cards_are_refused_where_there_is_none(
    run: Callable[..., Result], without_card: str
) -> None:
    result = run("evolve", "anbn", "--device", "cuda", "--cluster", "local:1", "--out", "run")
    assert refused(result, without_card)
    assert not Path("run").exists()


@pytest.mark.parametrize("name", ["executor", "on_progress"])
def test_what_only_this_machine_can_do_is_refused(name: str) -> None:
    options: dict[str, Any] = {name: lambda *_: None}
    with pytest.raises(InputError, match=f"{name} is for runs of this machine"):
        evolve_seeds(STRINGS, 2, SMALL, device="cuda", cluster="local:1", **options)
