"""Who does the work: what `workers=` and `--workers` may say, understood in one place; and which
cluster a user means: an address, processes of this machine, a batch system, a client, or MPI.
"""

from __future__ import annotations

import logging
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ...checks import MOST_THREADS, is_integer, nearest_name, short
from ...errors import ClusterError, InputError, MissingExtra, RunError
from ...files import read_text
from ...kernels import gpu
from .._crew import Executors
from .._settings import CARD, CPU
from ._cards import SeveralCards
from ._dask import DaskCrew, version
from ._spread import Workers, on_every_worker

PROTOCOLS = ("tcp://", "tls://", "ucx://", "ws://", "wss://")
ADDRESS = re.compile(r"\w+://(\[[^][\s]+\]|[^][:/\s]+):(\d{1,5})/?")
LOCAL = "local:"
MOST_LOCAL = 1024
ANSWER_SECONDS = 10
WORKER_SECONDS = 120
"""How long to wait for a scheduler's answer, and for its first worker."""
SOON_SECONDS = 2
"""After which a wait for workers is told of."""
SYSTEMS = {
    "slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster", "lsf": "LSFCluster",
    "oar": "OARCluster", "htcondor": "HTCondorCluster",
}  # fmt: skip
"""Batch systems, and what dask-jobqueue calls them."""
CLIENT_LOGGERS = (
    "distributed.client", "distributed.core", "distributed.batched", "distributed.comm",
    "distributed.utils", "tornado.application",
)  # fmt: skip
"""Those that tell of a connection that is lost."""
_KEEP_ON = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""For workers in the terminal's group: Ctrl-C is for the run, which needs what they have."""
_ASK = """
def about():
    try:
        from mdlrnn.search.workers._dask import version
    except ImportError as error:
        return {"missing": error.name or str(error)}
    return {"version": version()}
"""


@contextmanager
def crews_of(cluster: object) -> Iterator[Callable[[], DaskCrew]]:
    """A function that gives the workers of a cluster for one search after the other: those of
    'tcp://host:port', 'local:8', a YAML file, or a Dask client."""
    with client_of(cluster) as workers:
        yield partial(DaskCrew, *workers)


@contextmanager
def cards_of(cluster: object) -> Iterator[Callable[[], SeveralCards]]:
    """The same for the cards of its workers."""
    with workers_with_cards(cluster) as workers:
        yield partial(SeveralCards, workers)


@contextmanager
def workers_with_cards(cluster: object) -> Iterator[Workers]:
    """The workers of a cluster, each with a card of its own; processes that are started here get
    one each."""
    # Imported here: without a card nothing of CUDA is needed.
    from ...kernels import gpu

    here: list[str] | None = None
    if isinstance(cluster, str) and cluster.startswith(LOCAL):
        count = _processes(cluster)
        gpu.require_card()
        here = gpu.cards()
        if count > len(here):
            raise InputError(
                f"{cluster} asks for {count} workers with a card each, but this machine has "
                f"{len(here)}; give {LOCAL}{len(here)} at most."
            )
    with client_of(cluster, here) as workers:
        users: dict[str, str] = {}
        for worker, card in on_every_worker(workers.client, gpu.card_of_process).items():
            if card in users:
                raise InputError(
                    f"the workers {users[card]} and {worker} share a card; start each with a card "
                    "of its own in CUDA_VISIBLE_DEVICES."
                )
            users[card] = worker
        yield workers


@contextmanager
def client_of(cluster: object, cards: Sequence[str] | None = None) -> Iterator[Workers]:
    """A client of a cluster whose workers have been looked at, and what starts lost ones again.

    Processes of this machine have one of the cards each, where some are given.
    """
    if isinstance(cluster, Workers):
        yield cluster
        return
    if find_spec("distributed") is None:
        raise MissingExtra("a cluster", "Dask", "cluster")
    with _client(cluster, cards) as workers:
        _check_workers(workers.client)
        yield workers


@contextmanager
def _client(cluster: object, cards: Sequence[str] | None) -> Iterator[Workers]:
    """A client, and what starts workers again that are lost; others' clusters do so themselves."""
    from distributed import Client
    from distributed.deploy import Cluster

    if isinstance(cluster, Client):
        _check_client(cluster)
        yield Workers(cluster, _nothing)
    elif isinstance(cluster, Cluster):
        with _client_of(cluster, "the cluster given") as client:
            yield Workers(client, _nothing)
    elif isinstance(cluster, str) and cluster.startswith(PROTOCOLS):
        if not ADDRESS.fullmatch(cluster):
            raise InputError(
                f"the cluster is {short(cluster)}, which is no address; give host and port, "
                "as tcp://HOST:8786."
            )
        with _client_of(cluster, cluster) as client:
            yield Workers(client, _nothing)
    elif isinstance(cluster, str) and cluster.startswith(LOCAL):
        with _local(cluster, cards) as made, _client_of(made, cluster) as client:
            yield Workers(client, partial(_start_again, made, len(made.worker_spec)))
    elif isinstance(cluster, str | Path) and Path(cluster).suffix in (".yaml", ".yml"):
        with _batch(Path(cluster)) as made, _client_of(made, str(cluster)) as client:
            yield Workers(client, partial(made.scale, jobs=len(made.worker_spec)))
    else:
        raise InputError(
            f"the cluster is {short(cluster)}; give tcp://HOST:PORT of a Dask scheduler, local:8 "
            "for 8 processes of this machine, or a .yaml file for a batch system."
        )


def _nothing() -> None: ...


@contextmanager
def _client_of(where: Any, name: str) -> Iterator[Any]:
    from distributed import Client

    with _silence():
        try:
            client = Client(where, timeout=ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"no Dask scheduler answers at {short(name)} ({_reason(error)}); check the "
                "address, or start one with dask scheduler."
            ) from None
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=2)


def _check_client(client: Any) -> None:
    if client.asynchronous:
        raise InputError(
            "the Dask client is asynchronous; give one that was made without asynchronous=True."
        )
    if client.status != "running":
        raise InputError(
            f"the Dask client is {client.status}; make another one, and close it when the run has "
            "ended."
        )


def _reason(error: BaseException) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"no word in {ANSWER_SECONDS} seconds" if text.startswith("Timed out") else short(text)


@contextmanager
def _silence() -> Iterator[None]:
    """Hide the tracebacks of Dask's client when its scheduler is gone; an error says it."""
    loggers = [logging.getLogger(name) for name in CLIENT_LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def _local(text: str, cards: Sequence[str] | None = None) -> Iterator[Any]:
    from distributed import LocalCluster

    count = _processes(text)
    options: dict[str, Any] = {
        "threads_per_worker": 1, "processes": True, "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0",
        "silence_logs": 50, "preload": _KEEP_ON,
    }  # fmt: skip
    try:
        if cards is None:
            made = LocalCluster(n_workers=count, **options)
        else:
            made = _one_card_each(LocalCluster, cards)(n_workers=0, memory_limit=0, **options)
            made.scale(count)
    except (OSError, RuntimeError) as error:
        raise RunError(
            f"the processes of {text} cannot be started ({short(str(error))}); "
            "ask for fewer, or use threads."
        ) from None
    try:
        yield made
    finally:
        with suppress(Exception):
            made.close(timeout=10)


def _processes(text: str) -> int:
    number = text.removeprefix(LOCAL)
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= MOST_LOCAL:
        raise InputError(
            f"the cluster is {short(text)}; give a number of processes after local:, from 1 to "
            f"{MOST_LOCAL}."
        )
    return int(number)


def _one_card_each(kind: Any, cards: Sequence[str]) -> Any:
    """A kind of local cluster whose workers see one card each, in their environment."""

    class OneCardEach(kind):  # type: ignore[misc]
        def new_worker_spec(self) -> dict[Any, Any]:
            ((name, spec),) = super().new_worker_spec().items()
            taken = {s["options"]["env"][gpu.VISIBLE] for s in self.worker_spec.values()}
            free = next(card for card in cards if card not in taken)
            options = {**spec["options"], "env": {gpu.VISIBLE: free}}
            return {name: {**spec, "options": options}}

    return OneCardEach


def _start_again(made: Any, count: int) -> None:
    """Dask starts a process again that dies, but gives up when it dies while it starts."""
    for name, nanny in list(made.workers.items()):
        if nanny.status.name in ("closed", "failed"):
            made.workers.pop(name, None)
    made.scale(count)


@contextmanager
def _batch(path: Path) -> Iterator[Any]:
    """Jobs of a batch system, as many as the file says; the scheduler runs here."""
    system, jobs, options = _settings(path)
    if find_spec("dask_jobqueue") is None:
        raise MissingExtra(f"a cluster of {system}", "dask-jobqueue", "cluster")
    with _signals_kept():
        import dask_jobqueue

    try:
        made = getattr(dask_jobqueue, SYSTEMS[system])(**options)
        made.scale(jobs=jobs)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise InputError(
            f"{path}: {system} does not take these settings ({short(str(error))}); "
            "see the manual of dask-jobqueue."
        ) from None
    try:
        yield made
    finally:
        with suppress(Exception):
            made.close(timeout=10)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """dask-jobqueue takes Ctrl-C for itself when it is imported; a run is to be saved instead."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    if threading.current_thread() is threading.main_thread():
        for number, handler in before.items():
            signal.signal(number, handler)


def _settings(path: Path) -> tuple[str, int, dict[str, Any]]:
    """The batch system, the number of jobs and what a job asks for, from a file."""
    import yaml

    text = read_text(path, "cluster settings")
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, LookupError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        raise InputError(
            f"{path}{where}: not YAML; see the page on clusters for an example."
        ) from None
    names = [str(name) for name in data] if isinstance(data, Mapping) else []
    systems = [name for name in names if name in SYSTEMS]
    others = [name for name in names if name != "jobs" and name not in SYSTEMS]
    if others and systems:
        raise InputError(
            f"{path}: {short(others[0])} stands beside jobs and {systems[0]}, where nothing else "
            f"does; put it among the settings of {systems[0]}, or take it out."
        )
    if len(others) == 1:
        near = nearest_name(others[0], SYSTEMS)
        meant = f"did you mean {near}?" if near else f"give one of {', '.join(SYSTEMS)}."
        raise InputError(f"{path}: unknown batch system {short(others[0])}; {meant}")
    if len(systems) != 1:
        raise InputError(
            f"{path}: it does not name one batch system; give jobs, and the settings of one of "
            f"{', '.join(SYSTEMS)}."
        )
    (system,) = systems
    if "jobs" not in data:
        raise InputError(f"{path}: it does not say how many jobs to start; add jobs: 8, say.")
    jobs = data["jobs"]
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise InputError(
            f"{path}: jobs is not a number of jobs to start; give a whole number, 1 or more."
        )
    options = data[system]
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise InputError(f"{path}: {system} has no settings; name cores, memory and interface.")
    given = dict(options)
    for name in ("scheduler_options", "job_extra_directives", "env_extra"):
        kind = Mapping if name == "scheduler_options" else list
        if given.get(name) is not None and not isinstance(given[name], kind):
            what = "names with values" if kind is Mapping else "a list"
            raise InputError(f"{path}: {name} is {short(given[name])}; give {what}.")
    if "interface" not in given and "host" not in (given.get("scheduler_options") or {}):
        raise InputError(
            f"{path}: {system} names no network interface, so the scheduler would listen on all; "
            "add interface, ib0 say."
        )
    return system, jobs, given


def _check_workers(client: Any) -> None:
    """Raise unless there are workers that find the same networks as this machine."""
    address = getattr(client.scheduler, "address", "the scheduler")
    with _interruptible():
        _wait_for_workers(client, address)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(_ASK, scope)  # a function that travels whole, since the worker may lack the package
    try:
        answers = client.run(scope["about"])
    except Exception as error:
        _check_scheduler(client, address)
        raise InputError(
            f"the workers of {address} cannot be asked for their versions "
            f"({type(error).__name__}); use the same Python and Dask there as here."
        ) from None
    for worker, answer in answers.items():
        if "missing" in answer:
            raise InputError(
                f"the worker {worker} lacks {answer['missing']}; install mdlrnn with its "
                "dependencies there."
            )
        if answer["version"] != version():
            raise InputError(
                f"the worker {worker} has another version of mdlrnn or of Numba "
                f"({answer['version']}) than this machine ({version()}); install the same on both."
            )


def _wait_for_workers(client: Any, address: str) -> None:
    began, said = time.monotonic(), False
    while True:
        try:
            client.wait_for_workers(1, timeout=SOON_SECONDS)
            return
        except (OSError, TimeoutError):
            _check_scheduler(client, address)
        if not said:
            said = True
            print(
                f"mdlrnn: waiting for a worker of {address} (dask worker {address} starts one)",
                file=sys.stderr, flush=True,
            )  # fmt: skip
        if time.monotonic() - began > WORKER_SECONDS:
            raise InputError(
                f"no worker has come to {address} within {WORKER_SECONDS} seconds; start one with "
                f"dask worker {address}."
            )


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends a wait at once; there is no run yet that could be saved."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _check_scheduler(client: Any, address: str) -> None:
    if client.status != "running":
        raise ClusterError(f"the Dask scheduler of {address} has gone away", "start it again")


@contextmanager
def mpi_crew() -> Iterator[Executors | None]:
    """In the first process the others as workers; in the others None, when the run has ended."""
    if find_spec("mpi4py") is None:
        raise MissingExtra("a search on MPI", "mpi4py", "mpi")
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPICommExecutor
    except (ImportError, RuntimeError) as error:
        raise InputError(
            f"MPI does not load ({str(error).splitlines()[0]}); install an MPI library."
        ) from None
    world = MPI.COMM_WORLD
    if world.Get_size() < 2:
        raise InputError(
            "workers mpi needs at least two processes, of which the first directs the others; "
            "start it with mpirun -n 5, say."
        )
    pool: Any = MPICommExecutor(world, root=0)
    with pool as executor:
        if executor is None:
            yield None
            return
        workers = world.Get_size() - 1
        crew = Executors(executor, workers, f"{workers} processes of MPI")
        try:
            yield crew
        finally:
            crew.close()


MPI = "mpi"
NewCrew = Callable[[], AbstractContextManager[Any]]
"""Gives one search after the other what it is to run on."""


class WorkersSpec(NamedTuple):
    """Who does the work, understood. At most one of `given` and `cluster` is there."""

    device: str = CPU
    given: Any = None
    """A number of threads, or an executor; None for all cores, or for the card of this machine."""
    cluster: object = None
    """A cluster, whose cards are meant where the device is a card."""
    is_mpi: bool = False

    @property
    def threads(self) -> int | None:
        """A number of threads, or None where something else was given."""
        return self.given if is_integer(self.given) else None

    @property
    def is_local(self) -> bool:
        """Whether it is the cores or the card of this machine."""
        return self.cluster is None and not self.is_mpi and not hasattr(self.given, "submit")

    def __str__(self) -> str:
        """As `--workers` has it, where that can be written."""
        return self.device if self.cluster is None else f"{self.device}@{self.cluster}"


def workers_from(workers: object) -> WorkersSpec:
    """Understand `workers`; nothing is started or connected yet."""
    match workers:
        case WorkersSpec():
            return workers
        case None:
            return WorkersSpec()
        case "cuda":
            return WorkersSpec(CARD)
        case "mpi":
            return WorkersSpec(is_mpi=True)
        case ("cuda", cluster):
            return WorkersSpec(CARD, cluster=cluster)
        case str() if workers.startswith(f"{CARD}@"):
            return WorkersSpec(CARD, cluster=_cluster(workers.removeprefix(f"{CARD}@")))
        case str() if workers.isdecimal():
            return workers_from(int(workers[:9]))
        case str() | Path():
            return WorkersSpec(cluster=_cluster(workers))
        case int() if is_integer(workers):
            if not 1 <= workers <= MOST_THREADS:
                raise InputError(
                    f"workers is {workers}; give 1 to {MOST_THREADS:,} threads, or None for all "
                    "cores."
                )
            return WorkersSpec(given=workers)
    if isinstance(workers, Workers) or hasattr(workers, "scheduler"):
        return WorkersSpec(cluster=workers)
    if hasattr(workers, "submit"):
        return WorkersSpec(given=workers)
    raise _unknown(workers)


def local_workers(workers: object) -> WorkersSpec:
    """The same, where only cores or the card of this machine can help."""
    spec = workers_from(workers)
    if not spec.is_local:
        raise InputError(
            f"workers is {short(workers)}, and this is done by this machine alone; give a number "
            f"of threads, or {CARD}."
        )
    return spec


@contextmanager
def crews_for(spec: WorkersSpec) -> Iterator[NewCrew]:
    """Gives each search in turn its workers. A cluster is connected when it is first
    needed, once for all of them. Of the processes that mpirun started, the first one directs; the
    others end here when their work is done."""
    with ExitStack() as stack:
        if spec.is_mpi:
            crew = stack.enter_context(mpi_crew())
            if crew is None:
                stack.close()
                raise SystemExit(0)
            yield lambda: nullcontext(crew)
        elif spec.cluster is None:
            if spec.device == CARD:
                _require_card()
            yield lambda: nullcontext(spec.given)
        else:
            made: list[Callable[[], Any]] = []

            def new() -> AbstractContextManager[Any]:
                if not made:
                    connect: Any = cards_of if spec.device == CARD else crews_of
                    made.append(stack.enter_context(connect(spec.cluster)))
                return closing(made[0]())

            yield new


def _require_card() -> None:
    # Imported here: without a card nothing of CUDA is needed.
    from ...kernels import gpu

    gpu.require_card()


def _cluster(text: str | Path) -> str | Path:
    named = str(text)
    if named.startswith((*PROTOCOLS, LOCAL)) or named.endswith((".yaml", ".yml")):
        return text
    raise _unknown(text)


def _unknown(workers: object) -> InputError:
    return InputError(
        f"workers is {short(workers)}; give a number of threads, an executor, tcp://HOST:PORT of a "
        f"Dask scheduler, local:8 for 8 processes, a .yaml file for a batch system, {CARD} or "
        f"{CARD}@ before one of these for cards, or {MPI}."
    )
