"""The search on a Dask cluster: the same networks, little traffic, and what goes wrong there."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mdlrnn.search._evolve as evolve_module
import mdlrnn.search._graph as graph_module
import mdlrnn.search.workers._dask as crew_module
import mdlrnn.search.workers._spread as spread_module
import mdlrnn.search.workers._workers as connect
from helpers.data import is_one_sentence
from mdlrnn import Corpus, Encoding, InputError, Run, Search, Stop, evolve, resume
from mdlrnn.errors import ClusterError, MissingExtra
from mdlrnn.results import Progress
from mdlrnn.runs import _recorder as recorder
from mdlrnn.search._archipelago import Archipelago, Packed
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import Problem, epoch, new_island, random_states
from mdlrnn.search.workers._spread import Told, freeze, thaw

distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")

STRINGS = ["ab", "aabb", "aaabbb", "aaaabbbb"]
SEARCH = Search(islands=6, population=30, migration_interval=20)
STOP = Stop(generations=120)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", silence_logs=50,
    )  # fmt: skip
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="module")
def run() -> Run:
    return evolve(STRINGS, SEARCH, stop=STOP, workers=1)


def on(client: object, search: Search = SEARCH, stop: Stop = STOP, **options: Any) -> Run:
    return evolve(STRINGS, search, stop=stop, workers=client, **options)


def test_a_cluster_finds_the_same_networks_and_says_where(client: Any, run: Run) -> None:
    seen: list[Progress] = []
    there = on(client, on_progress=seen.append)
    assert there.archipelago.digest() == run.archipelago.digest()
    assert there.front == run.front
    assert [p.generation for p in seen] == list(range(0, 121, 20))
    assert seen[-1].workers == f"2 workers of {client.scheduler.address}"
    assert there.statistics.busy_seconds > 0


def test_migration_round_the_ring_is_the_same_too(client: Any) -> None:
    ring = replace(SEARCH, restarts=False)
    here = evolve(STRINGS, ring, stop=STOP)
    assert on(client, ring).archipelago.digest() == here.archipelago.digest()


def test_the_islands_can_be_asked_for_at_any_look(client: Any) -> None:
    def islands(**where: Any) -> dict[int, str]:
        seen = {}

        def look(progress: Progress) -> None:
            seen[progress.generation] = progress.archipelago.digest()

        evolve(STRINGS, SEARCH, stop=Stop(generations=40), on_progress=look, **where)
        return seen

    assert islands(workers=client) == islands(workers=2)


def test_a_run_goes_on_with_another_number_of_workers(
    client: Any, run: Run, tmp_path: Path
) -> None:
    begun = on(client, stop=Stop(generations=50), out=tmp_path / "run")
    assert begun.archipelago.generation == 50
    whole = resume(tmp_path / "run", stop=STOP, workers=1)
    assert whole.archipelago.digest() == run.archipelago.digest()
    begun = evolve(STRINGS, SEARCH, stop=Stop(generations=50), out=tmp_path / "other")
    whole = resume(tmp_path / "other", stop=STOP, workers=client)
    assert whole.archipelago.digest() == run.archipelago.digest()


def test_little_travels(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 20 kB an island and leg, with 100 networks an island, checkpoints included."""
    sent: list[int] = []
    legs: list[int] = []
    take, start = crew_module.DaskCrew._take, crew_module.DaskCrew._start

    def taken(self: Any, future: Any, result: Any) -> None:
        assert isinstance(result, Told)
        sent.append(len(pickle.dumps(result)))
        take(self, future, result)

    def started(self: Any, job: Any, retries: int) -> None:
        held = freeze(job.held) if isinstance(job.held, Packed) else None
        legs.append(len(pickle.dumps((held, job.leg))))
        start(self, job, retries)

    monkeypatch.setattr(crew_module.DaskCrew, "_take", taken)
    monkeypatch.setattr(crew_module.DaskCrew, "_start", started)
    on(client, Search(islands=4, migration_interval=20), stop=Stop(generations=400))
    assert len(sent) == len(legs) >= 4 + 20 + 3 * 3
    both = sum(sent) + sum(legs)
    assert both / len(legs) <= 20_000
    assert max(sent) < 60_000


def test_a_worker_that_dies_is_made_up_for(run: Run) -> None:
    with connect._local("local:2") as cluster, distributed.Client(cluster) as client:
        killed: list[int] = []

        def kill_one(progress: Progress) -> None:
            if progress.generation == 60 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        there = on(client, on_progress=kill_one)
    assert killed
    assert there.archipelago.digest() == run.archipelago.digest()


@pytest.mark.slow
def test_many_workers_that_die_are_made_up_for() -> None:
    search, stop = replace(SEARCH, population=100), Stop(generations=4000)
    here = evolve(STRINGS, search, stop=stop)
    with connect._local("local:3") as cluster, distributed.Client(cluster) as client:
        killed: list[float] = []

        def kill(progress: Progress) -> None:
            if progress.is_waiting:
                return  # until one has come back
            if len(killed) < 20 and time.monotonic() - (killed or [0.0])[-1] > 1.0:
                nanny = list(cluster.workers.values())[len(killed) % 3]
                if nanny.pid is not None:
                    os.kill(nanny.pid, signal.SIGKILL)
                    killed.append(time.monotonic())

        there = evolve(STRINGS, search, stop=stop, workers=client, on_progress=kill)
    assert len(killed) >= 5
    assert there.archipelago.digest() == here.archipelago.digest()


def test_islands_that_dask_gives_up_are_worked_out_again(client: Any, run: Run) -> None:
    """As after several workers died with the same leg: its futures are in error."""
    failing = {"left": 3}
    take = crew_module.DaskCrew._take

    class KilledWorker(Exception):  # noqa: N818, it is Dask's name
        pass

    def spoiled(self: Any, future: Any, result: Any) -> None:
        if failing["left"] and isinstance(result, Told):
            failing["left"] -= 1
            task = self._tasks[future.key]
            if task.job.held is not None and not isinstance(task.job.held, Packed):
                self._client.cancel([task.job.held.future])
            result = KilledWorker("as if")
        take(self, future, result)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crew_module.DaskCrew, "_take", spoiled)
        there = on(client)
    assert failing["left"] == 0
    assert there.archipelago.digest() == run.archipelago.digest()


@pytest.mark.parametrize("noticed", [False, True])
def test_a_scheduler_that_goes_away_leaves_a_run_that_goes_on(
    noticed: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the next legs are sent in vain, or wait since it is known that no worker is there."""
    if noticed:
        monkeypatch.setattr(crew_module, "COUNT_SECONDS", 0.05)
    for module in (evolve_module, graph_module):
        monkeypatch.setattr(module, "LONGEST_CHAIN", 1)
    monkeypatch.setattr(graph_module, "AHEAD_AWAY", 0)  # no island is past generation 60 then
    monkeypatch.setattr(crew_module, "ANCHOR", 1)
    folder = tmp_path / "run"
    with connect._local("local:1") as cluster:
        client = distributed.Client(cluster, set_as_default=False)

        def end(progress: Progress) -> None:
            if progress.generation == 60:
                cluster.close()
                time.sleep(0.5 if noticed else 0.0)

        with pytest.raises(ClusterError) as caught:
            on(client, out=folder, on_progress=end)
    assert is_one_sentence(str(caught.value))
    assert f"mdlrnn evolve --resume {folder} goes on from generation 60" in str(caught.value)
    whole = resume(folder, workers=1)
    assert whole.archipelago.digest() == run.archipelago.digest()


@pytest.mark.parametrize(("chain", "anchor", "at", "away"), [(1, 2, 40, 60), (2, 4, 80, 40)])
def test_checkpoints_are_written_while_a_run_goes_on(
    chain: int,
    anchor: int,
    at: int,
    away: int,
    client: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (evolve_module, graph_module):
        monkeypatch.setattr(module, "LONGEST_CHAIN", chain)
    monkeypatch.setattr(crew_module, "ANCHOR", anchor)
    monkeypatch.setattr(recorder, "LEAST_SECONDS", 0.0)
    saved: set[str] = set()

    def look(progress: Progress) -> None:
        saved.update(path.name for path in (tmp_path / "run").glob("checkpoint-*"))

    on(client, out=tmp_path / "run", on_progress=look)
    assert f"checkpoint-{at:09}.npz" in saved
    assert f"checkpoint-{away:09}.npz" not in saved, "the islands are away then"


def test_nothing_listens_on_other_interfaces() -> None:
    with connect._local("local:1") as cluster:
        addresses = [cluster.scheduler.address]
        addresses += [worker.address for worker in cluster.workers.values()]
        assert all(a.startswith("tcp://127.0.0.1:") for a in addresses)
        ports = {
            server.port for server in (cluster.scheduler.http_server,) if hasattr(server, "port")
        }
        sockets = cluster.scheduler.http_server._sockets.values()
        assert {s.getsockname()[0] for s in sockets} <= {"127.0.0.1"}, ports


def test_ctrl_c_in_the_terminal_leaves_local_workers_alone(run: Run) -> None:
    """The terminal sends it to all processes of its group."""
    with connect._local("local:1") as cluster, distributed.Client(cluster) as client:
        (worker,) = client.run(os.getpid).values()

        def press(progress: Progress) -> bool:
            os.kill(worker, signal.SIGINT)
            return progress.generation == 40

        stopped = on(client, on_progress=press)
        assert list(client.run(os.getpid).values()) == [worker]
    assert (stopped.reason, stopped.archipelago.generation) == ("stopped", 40)


@pytest.mark.slow
def test_workers_that_are_gone_for_good_are_started_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_module, "COUNT_SECONDS", 0.1)
    monkeypatch.setattr(spread_module, "REPLENISH_SECONDS", 0.2)
    asked: list[bool] = []
    with connect._local("local:1") as cluster, distributed.Client(cluster) as client:

        def replenish() -> None:
            asked.append(True)
            connect._start_again(cluster, 1)

        def go_away(progress: Progress) -> None:
            if progress.generation == 40 and not progress.is_waiting:
                (nanny,) = cluster.workers.values()
                cluster.sync(nanny.close)

        crew = crew_module.DaskCrew(client, replenish)
        problem = Problem(Corpus.from_strings(STRINGS), SEARCH, Encoding.every_part())
        there = evolve_islands(problem, STOP, workers=crew, on_progress=go_away)
        crew.close()
    assert asked
    assert there.archipelago.digest() == run.archipelago.digest()


def test_a_state_survives_its_way() -> None:
    problem = Problem(Corpus.from_strings(STRINGS), SEARCH, Encoding())
    state = epoch(problem, new_island(problem, random_states(1, 1)[0]), 50)
    again = thaw(freeze(Packed(state))).state()
    assert Archipelago((again,)).digest() == Archipelago((state,)).digest()
    assert Archipelago((again,)).front()[0][:2] == Archipelago((state,)).front()[0][:2]
    for one, other in zip(again, state, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
    assert Packed(state).nbytes < sum(part.nbytes for part in state) / 5


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        (3.5, "workers is 3.5; give a number of threads, "),
        ("anbn", "workers is 'anbn'; give a number of threads, "),
        ("local:0", "give a number of processes after local:"),
        ("local:many", "give a number of processes after local:"),
        ("nowhere.yaml", "nowhere.yaml: cannot be read"),
        ("tcp://", "which is no address; give host and port"),
        ("tcp://127.0.0.1:abc", "which is no address; give host and port"),
        ("tcp://127.0.0.1", "which is no address; give host and port"),
    ],
)
def test_a_cluster_that_makes_no_sense_is_refused(
    cluster: object, says: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        evolve(STRINGS, workers=cluster, out=tmp_path / "run")
    assert says in str(caught.value)
    assert is_one_sentence(str(caught.value))
    assert not (tmp_path / "run").exists()


def test_a_wrong_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "ANSWER_SECONDS", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        # It stays bound, so that nobody else listens there.
        with pytest.raises(InputError, match="no Dask scheduler answers at") as caught:
            evolve(STRINGS, workers=address)
    assert is_one_sentence(str(caught.value))
    assert "(no word in 1 seconds)" in str(caught.value)


def test_a_client_that_cannot_be_used_is_refused(client: Any) -> None:
    address = client.scheduler.address
    closed = distributed.Client(address, set_as_default=False)
    closed.close()
    with pytest.raises(InputError, match="is closed; make another one") as caught:
        on(closed)
    assert is_one_sentence(str(caught.value))


def test_a_cluster_of_dask_serves_as_its_client_does(client: Any, run: Run) -> None:
    assert on(client.cluster).archipelago.digest() == run.archipelago.digest()


def test_a_scheduler_without_workers_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connect, "WORKER_SECONDS", 1)
    monkeypatch.setattr(connect, "SOON_SECONDS", 0.6)
    empty = distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    )
    with (
        empty,
        distributed.Client(empty, set_as_default=False) as client,
        pytest.raises(InputError, match="no worker has come to tcp://") as caught,
    ):
        on(client)
    assert is_one_sentence(str(caught.value))
    assert "mdlrnn: waiting for a worker of tcp://" in capsys.readouterr().err


def test_a_run_whose_workers_are_all_gone_says_so_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_module, "ANCHOR", 10**9)  # nothing to go on from, however late it is
    waited: list[Progress] = []

    def tell(progress: Progress) -> bool:
        if progress.generation >= 20 and not waited:
            cluster.scale(0)
        if progress.is_waiting:
            waited.append(progress)
        return progress.is_waiting

    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", silence_logs=50,
    )  # fmt: skip
    with (
        cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(
            ClusterError, match=r"no worker of tcp://.* is left; the run has stopped"
        ) as caught,
    ):
        on(client, stop=Stop(generations=10**6), out=tmp_path / "run", on_progress=tell)
    assert is_one_sentence(str(caught.value))
    assert waited[0].workers.startswith("no worker of tcp://")
    last = (tmp_path / "run" / "log.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["workers"] == waited[0].workers


def test_a_scheduler_that_goes_away_before_the_run_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    empty = distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    )
    wait = distributed.Client.wait_for_workers

    def lost(self: Any, count: int, timeout: float) -> None:
        empty.close()
        wait(self, count, timeout=timeout)

    monkeypatch.setattr(connect, "ANSWER_SECONDS", 5)
    monkeypatch.setattr(connect, "WORKER_SECONDS", 60)
    monkeypatch.setattr(distributed.Client, "wait_for_workers", lost)
    with empty, pytest.raises(ClusterError, match="has gone away; start it again") as caught:
        on(empty.scheduler_address)
    assert is_one_sentence(str(caught.value))
    assert "Traceback" not in capfd.readouterr().err


def test_another_version_on_a_worker_is_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "version", lambda: "0.0.1 abc")
    with pytest.raises(InputError, match=r"has another version of mdlrnn or of Numba") as caught:
        on(client)
    assert is_one_sentence(str(caught.value))


def test_a_late_worker_of_another_version_is_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_module, "version", lambda: "0.0.1 abc")
    with pytest.raises(InputError, match=r"the worker \d has another version") as caught:
        on(client)
    assert is_one_sentence(str(caught.value))


def test_a_worker_without_numba_is_one_sentence(tmp_path: Path) -> None:
    """Its Python finds a module numba that cannot be imported."""
    broken = tmp_path / "numba"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('no', name='numba')\n")
    scheduler = distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    )
    with scheduler, distributed.Client(scheduler, set_as_default=False) as client:
        path = os.pathsep.join([str(tmp_path), *sys.path])
        command = [
            sys.executable, "-m", "distributed.cli.dask_worker", scheduler.scheduler_address,
            "--no-nanny", "--no-dashboard", "--nthreads", "1",
        ]  # fmt: skip
        quiet = subprocess.DEVNULL
        environment = {**os.environ, "PYTHONPATH": path}
        worker = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
        try:
            with pytest.raises(InputError, match="lacks numba; install mdlrnn") as caught:
                on(client)
        finally:
            worker.kill()
            worker.wait()
    assert is_one_sentence(str(caught.value))


def test_without_dask_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'pip install "mdlrnn\[cluster\]"'):
        evolve(STRINGS, workers="local:2")


SLURM = """
jobs: 3
slurm:
  cores: 16
  memory: 32GB
  walltime: "04:00:00"
  interface: ib0
"""


def test_a_batch_system_is_asked_for_what_the_file_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with connect._signals_kept():
        jobqueue = pytest.importorskip("dask_jobqueue", reason="pip install dask-jobqueue")
    assert signal.getsignal(signal.SIGINT) is before, "Ctrl-C is the run's"
    asked: list[Any] = []

    class Fake:
        def __init__(self, **options: Any) -> None:
            asked.append(options)

        def scale(self, jobs: int) -> None:
            asked.append(jobs)

        def close(self, timeout: float) -> None:
            asked.append("closed")

    monkeypatch.setattr(jobqueue, "SLURMCluster", Fake)
    path = tmp_path / "slurm.yaml"
    path.write_text(SLURM)
    with connect._batch(path):
        pass
    options = {"cores": 16, "memory": "32GB", "walltime": "04:00:00", "interface": "ib0"}
    assert asked == [options, 3, "closed"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "not YAML"),
        ("jobs: 3\nslurm: {cores: 1\n]", "line 3: not YAML"),
        ("jobs: 3\nworkers: 4\nslurm: {cores: 1}", "'workers' stands beside jobs and slurm"),
        ("jobs: 3\nnetwork: {cores: 1}", "unknown batch system 'network'; give one of slurm"),
        ("jobs: 3", "it does not name one batch system"),
        ("- 3", "it does not name one batch system"),
        ("jobs: 3\nslrm: {cores: 1}", "did you mean slurm?"),
        ("jobs: 0\nslurm: {cores: 1}", "jobs is not a number of jobs to start"),
        ("jobs: yes\nslurm: {cores: 1}", "jobs is not a number of jobs to start"),
        ("slurm: {cores: 1}", "it does not say how many jobs to start"),
        ("jobs: 3\nslurm: 4", "slurm has no settings"),
        ("jobs: 3\nslurm: {cores: 1}", "names no network interface"),
    ],
)
def test_settings_that_make_no_sense_are_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        evolve(STRINGS, workers=str(path))
    assert says in str(caught.value)
    assert is_one_sentence(str(caught.value))
