"""The search on the processes that `mpirun` started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from ...errors import InputError, MissingExtra
from .._crew import Executors


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
