"""Who does the work: what `workers=` and `--workers` may say, understood in one place; and the
processes that `mpirun` started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ...checks import MOST_THREADS, is_integer, short
from ...errors import InputError, MissingExtra
from .._crew import Executors
from .._settings import CARD, CPU
from ._connect import LOCAL, PROTOCOLS, cards_of, crews_of
from ._spread import Workers


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
    """What gives one search after the other its workers. A cluster is connected when it is first
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
