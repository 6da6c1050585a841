"""Classical RNNs on a cluster: the same rows as on one machine, kept as they come."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from helpers.cluster import threaded_cluster
from helpers.commands import Result, refused
from helpers.data import is_one_sentence
from mdlrnn import InputError
from mdlrnn.errors import ClusterError
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn.search.workers import _workers as connect
from mdlrnn.search.workers._spread import Line
from mdlrnn_lab.cli import _tables as reproduce_module
from mdlrnn_lab.rnns import _baseline as group_module
from mdlrnn_lab.rnns._baseline import Stopped, TrainingProgress, load_progress, train
from mdlrnn_lab.rnns._configurations import selected

distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")

CHOSEN = selected(["elman-2-none", "gru-2-l1-0.1"])


@pytest.fixture
def short_test_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "BEYOND", 30)


@pytest.fixture
def client() -> Iterator[Any]:
    with threaded_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def trained(folder: Path, **options: Any) -> list[dict[str, Any]]:
    rows = train(folder, "anbn", CHOSEN, size=100, seeds=2, **{"epochs": 30, **options})
    return [{**row, "seconds": 0} for row in rows]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.usefixtures("short_test_set")
def test_a_cluster_gives_the_same_rows_and_the_same_files(client: Any, tmp_path: Path) -> None:
    heard: list[TrainingProgress] = []
    here = trained(tmp_path / "here")
    assert trained(tmp_path / "there", workers=client, on_progress=heard.append) == here
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert {p.group for p in heard if p.epoch} == {"elman-2", "gru-2"}
    assert {p.groups for p in heard} == {2}
    again: list[TrainingProgress] = []
    assert trained(tmp_path / "there", workers=client, on_progress=again.append) == here
    assert again == [], "nothing was trained"


@pytest.mark.usefixtures("short_test_set")
def test_what_is_done_is_kept_when_a_cluster_is_stopped(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "b"
    is_stopped = threading.Event()
    tell = Line.tell

    def waiting(self: Line, news: Any) -> bool:
        if self.piece == "gru-2":
            is_stopped.wait(60)
        return tell(self, news)

    monkeypatch.setattr(Line, "tell", waiting)
    with pytest.raises(Stopped):
        trained(home, workers=client, on_progress=lambda p: (home / "elman-2.json").exists())
    is_stopped.set()
    assert (home / "results.csv").exists()
    assert not (home / "gru-2.json").exists()
    before = (home / "elman-2.json").read_bytes()
    assert trained(home) == trained(tmp_path / "a")
    assert (home / "elman-2.json").read_bytes() == before, "not trained again"


@pytest.mark.usefixtures("short_test_set")
def test_models_on_their_way_here_go_on_there(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_module, "LOOK_EPOCHS", 7)
    with pytest.raises(Stopped):
        trained(tmp_path / "b", on_progress=lambda progress: progress.epoch >= 14)
    assert load_progress(tmp_path / "b", "elman-2") is not None
    assert trained(tmp_path / "b", workers=client) == trained(tmp_path / "a")
    assert load_progress(tmp_path / "b", "elman-2") is None


def test_a_worker_without_pytorch_is_one_sentence(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> object:
        return None if name == "torch" else find_spec(name)

    monkeypatch.setattr("mdlrnn_lab.rnns._baseline.find_spec", absent)
    says = r"the worker inproc://\S+: training classical RNNs needs PyTorch, which is not installed"
    with pytest.raises(InputError, match=says) as caught:
        trained(tmp_path / "b", workers=client)
    assert is_one_sentence(str(caught.value))
    assert not (tmp_path / "b").exists()


def test_workers_without_a_card_leave_nothing_behind(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    says = r"the worker inproc://\S+: PyTorch sees no CUDA device; leave cuda out"
    with pytest.raises(InputError, match=says) as caught:
        trained(tmp_path / "b", workers=("cuda", client))
    assert is_one_sentence(str(caught.value))
    assert not (tmp_path / "b").exists()


def test_workers_with_different_pytorches_are_refused(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(
            "mdlrnn_lab.rnns._baseline.on_every_worker",
            lambda client, function, device: {"a": "2.4.0", "b": "2.5.1"},
        )
        with pytest.raises(InputError, match=r"the worker b has PyTorch 2\.5\.1 and") as caught:
            trained(tmp_path / "b", workers=client)
        assert is_one_sentence(str(caught.value))
    monkeypatch.setattr("torch.__version__", "2.5.1")
    late = (None, None, group_module.Plan(None, 1, 1, "cpu", 1), "2.4.0")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"the worker \d: it has PyTorch 2\.5\.1, where") as caught:
        client.submit(group_module.rows_on_worker, *late, pure=False).result()
    assert is_one_sentence(str(caught.value))


@pytest.mark.usefixtures("short_test_set")
def test_the_table_trains_its_rnns_on_the_cluster(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def threads(text: str, cards: object) -> Iterator[Any]:
        with threaded_cluster() as made:
            yield made

    monkeypatch.setattr(connect, "_local", threads)
    monkeypatch.setattr(reproduce_module, "configurations", lambda: CHOSEN)
    monkeypatch.setattr(reproduce_module, "train", partial(train, epochs=3))
    small = ("lab", "table", "--tasks", "anbn_100", "--seeds", 1, "--generations", 2)
    both = []
    for more in (("--out", "here"), ("--out", "there", "--workers", "local:2")):
        shown = run(*small, "--with-rnn", "--no-proofs", "--quiet", *more)
        assert shown.code == 0, shown.err
        rows = json.loads((Path(more[1]) / "rnn" / "anbn_100" / "results.json").read_text())
        both.append([{**row, "seconds": 0} for row in rows])
    assert both[0] == both[1]
    assert len(both[0]) == len(CHOSEN)


def test_a_cluster_that_makes_no_sense_is_refused(run: Callable[..., Result]) -> None:
    refused(run("lab", "rnns", "anbn_100", "--workers", "nowhere", "--out", "b"), "workers is")
    assert not Path("b").exists()


def test_a_scheduler_that_goes_away_says_what_is_kept(tmp_path: Path) -> None:
    cluster = threaded_cluster(workers=1)
    home = tmp_path / "b"
    with (
        cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(ClusterError) as caught,
    ):
        trained(home, workers=client, epochs=100, on_progress=lambda p: cluster.close())
    says = f"gone away; what is done is in {home}, and the same command goes on."
    assert says in str(caught.value)
    assert is_one_sentence(str(caught.value))


@pytest.mark.slow
def test_processes_give_the_same_rows_though_one_is_killed(tmp_path: Path) -> None:
    killed: list[int] = []
    with connect._local("local:2") as made, distributed.Client(made) as client:

        def kill(progress: TrainingProgress) -> None:
            if progress.epoch > 20 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        there = trained(tmp_path / "b", epochs=800, workers=client, on_progress=kill)
    assert killed
    assert there == trained(tmp_path / "a", epochs=800)
