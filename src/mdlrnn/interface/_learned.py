"""What a run has learned: found when it is first asked for, and kept in the run's folder."""

from __future__ import annotations

from contextlib import suppress

from ..errors import RunError
from ..extraction import Learned, learned
from ..proofs import available
from ..runs import write_learned
from ..search import Run

AT_THE_END = 5.0
"""Seconds that it may take when a run has ended."""


def learned_by_run(run: Run) -> Learned | None:
    """What the best network has learned; None if it reads numbers, or without a solver. In a
    folder it is written down, so that the report need not find it again."""
    if run.best.alphabet is None or not available("z3"):
        return None
    found = learned(run.best, AT_THE_END)
    if run.out is not None:
        # The run is saved already; what is written here can be found again at any time.
        with suppress(RunError):
            write_learned(run.out, {**found.to_dict(), "network": run.best.to_dict()})
    return found
