"""What runs on a worker of a cluster. Workers call these functions by name."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import NamedTuple

from .._errors import InputError
from .._version import __version__
from ..kernels._compile import source_hash
from ..search._island import Problem
from ..search._leg import Leg, Report, run_leg
from ..search._packed import Packed
from ._reports import Frozen, ReplyTo, Told, freeze, send_report, thaw
from ._workers import worker_name

LOG = logging.getLogger("distributed.worker.mdlrnn")


class Kept(NamedTuple):
    """An island after a leg: its state stays on the worker, the report goes to the client."""

    packed: Packed
    report: Report


@lru_cache(1)
def version() -> str:
    """What must be the same on all machines for the same networks to be found."""
    return f"{__version__} {source_hash()}"


def receive_problem(problem: Problem) -> Problem:
    """On the cluster as a task, so that it can be made up for when a worker is lost."""
    return problem


def advance(
    problem: Problem,
    island: Kept | Frozen | None,
    leg: Leg,
    client_version: str,
    reply_to: ReplyTo | None,
) -> Kept:
    """A leg of an island, and the report of it to the client if that is wanted."""
    if version() != client_version:
        raise InputError(
            f"the worker {worker_name()} has another version of mdlrnn or of Numba "
            f"({version()}) than this machine ({client_version}); install the same on both."
        )
    packed = thaw(island) if isinstance(island, Frozen) else None
    if isinstance(island, Kept):
        packed = island.packed
    packed, report = run_leg(problem, packed, leg)
    seconds = sum(part.seconds for part in (report, *report.further))
    LOG.info("island %d: %d generations in %.2f s", leg.island, leg.generations, seconds)
    kept = Kept(packed, report)
    if reply_to is not None:
        send_report(reply_to, tell(kept, reply_to.with_state))
    return kept


def tell(kept: Kept, with_state: bool) -> Told:
    return Told(kept.report, freeze(kept.packed) if with_state else None, worker_name())
