"""Seeds on several cards, one a worker. Here the workers are threads and their cards the CPU; the
tests of `gpu` have two processes, each with a simulated card."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

import mdlrnn.interface._cards as cards_module
from helpers.cluster import threaded_cluster
from helpers.commands import Result, refused
from helpers.data import is_one_sentence
from mdlrnn import InputError, Run, Search, Stop, evolve, resume
from mdlrnn.errors import ClusterError
from mdlrnn.interface._progress import Quiet
from mdlrnn.kernels import gpu
from mdlrnn.runs._files import checkpoints
from mdlrnn.runs._recorder import reopen
from mdlrnn.search._crew import View
from mdlrnn.search.workers._card import _views
from mdlrnn.search.workers._spread import Line, Spread

distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")

STRINGS = ["ab", "aabb", "aaabbb", "aaaabbbb"]
SMALL = Search(islands=2, population=10)
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
    options = {"prove": False, "progress": False, **options}
    cards = ("cuda", client)
    return every(evolve(STRINGS, SMALL, stop=stop, seed=5, seeds=seeds, workers=cards, **options))


def every(run: Run) -> list[Run]:
    return [run, *run.others]


def stopped_by(look: Callable[[], bool]) -> Quiet:
    """A display that shows nothing and is asked whether to stop."""
    display = Quiet()
    display.is_stopped = look
    return display


def digests(runs: list[Run]) -> list[tuple[int, str]]:
    return [(run.seed, run.archipelago.digest()) for run in runs]


def test_seeds_on_workers_are_the_seeds_one_after_the_other(client: Any, tmp_path: Path) -> None:
    here = every(
        evolve(STRINGS, SMALL, stop=SHORT, seed=5, seeds=3, out=tmp_path / "here", prove=False)
    )
    there = on_cards(client, out=tmp_path / "there")
    assert digests(there) == digests(here)
    assert [run.front for run in there] == [run.front for run in here]
    assert [run.out for run in there] == [tmp_path / "there" / f"seed-{run.seed}" for run in here]
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
        every(evolve(STRINGS, SMALL, stop=SHORT, seed=5, seeds=3, prove=False))
    )


def test_a_task_keeps_its_encoding_and_its_proof_on_the_way(client: Any) -> None:
    there = evolve("anbn_100", SMALL, stop=SHORT, seeds=1, workers=("cuda", client))
    here = evolve("anbn_100", SMALL, stop=SHORT, workers=1)
    assert there.encoding == here.encoding
    assert there.archipelago.digest() == here.archipelago.digest()
    assert (there.verdict is None) == (here.verdict is None)


def test_a_folder_that_workers_do_not_see_is_sent_here(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def unseen(folder: Path | None) -> Iterator[str]:
        yield ".nowhere"

    monkeypatch.setattr(cards_module, "_marked", unseen)
    runs = on_cards(client, seeds=2, out=tmp_path / "all")
    for run in runs:
        assert run.out is not None
        more = resume(run.out, stop=Stop(generations=6), workers=1, prove=False)
        longer = Stop(generations=6)
        whole = evolve(STRINGS, SMALL, stop=longer, seed=run.seed, workers=1, prove=False)
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
    there = evolve(
        STRINGS, search, seed=5, seeds=1, out=tmp_path / "all", workers=("cuda", client),
        progress=stopped_by(lose_the_worker), **options,
    )  # fmt: skip
    assert reopened == [home]
    here = evolve(STRINGS, search, seed=5, workers=1, **options)
    assert there.archipelago.digest() == here.archipelago.digest()


def test_stopped_runs_are_saved_and_no_other_is_begun(client: Any, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    both = stopped_by(lambda: len(list(folder.glob("seed-*/settings.json"))) == 2)
    runs = on_cards(client, Stop(generations=10**6), 4, out=folder, progress=both)
    assert [run.reason for run in runs] == ["stopped", "stopped"]
    assert sorted(path.name for path in folder.glob("seed-*")) == ["seed-5", "seed-6"]
    assert all(checkpoints(folder / name) for name in ("seed-5", "seed-6"))
    with pytest.raises(InputError, match="seed-5 already holds a run"):
        on_cards(client, out=folder)


def test_more_workers_than_cards_are_refused(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "require_card", lambda: None)
    monkeypatch.setattr(gpu, "cards", lambda: ["0", "1"])
    result = run("evolve", "anbn", "--seeds", 4, "--workers", "cuda@local:3")
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
        on_cards(client, out=tmp_path / "all")
    assert is_one_sentence(str(caught.value))


def test_processes_with_cards_are_refused_where_there_is_none(
    run: Callable[..., Result], without_card: str
) -> None:
    result = run("evolve", "anbn", "--workers", "cuda@local:1", "--out", "run")
    assert refused(result, without_card)
    assert not Path("run").exists()


def test_what_only_this_machine_can_do_is_refused(client: Any) -> None:
    with pytest.raises(InputError, match="on_progress is for runs of this machine"):
        on_cards(client, on_progress=lambda progress: None)


def test_the_best_network_comes_first_where_another_group_has_the_same_value_on_the_card() -> None:
    row = np.arange(5)
    best = View(1.5 + 2**-50, 10, 0.5, row)
    views = _views(best, [1.5 + 2**-51, 1.5, math.inf])
    assert min(views, key=lambda view: view.value) is best
