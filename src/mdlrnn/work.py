"""Work as a clock, for what has to give the same answer however busy the machine is.

A limit in seconds is one of work: of what an idle core does in so many seconds, about. Each thread
has a clock of its own, which goes on when it spends.
"""

from __future__ import annotations

import threading

STEP, PART = 8e-5, 2e-6
"""Of one step of a network in exact numbers: for itself, and for each unit and connection."""
FLOAT_STEP = 1.5e-5
"""Of one step in float64."""
QUERY, CHARACTER = 0.004, 1e-6
"""Of one question for a solver, with its making: for itself, and for each character of it."""
SOLVER_SECOND = 2_000_000
"""What Z3 counts in a second, about."""

_clock = threading.local()


def now() -> float:
    """What this thread has spent, in seconds."""
    spent: float = getattr(_clock, "spent", 0.0)
    return spent


def spend(seconds: float) -> None:
    _clock.spent = now() + seconds
