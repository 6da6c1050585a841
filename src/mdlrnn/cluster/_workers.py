"""The workers of a Dask cluster, as both ways of using them know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

REPLENISH_SECONDS = 20.0
"""How long workers may stay away before they are started again, where that is up to the run."""

Replenish = Callable[[], object]
"""Starts workers again that are lost."""


class Workers(NamedTuple):
    """A client of a cluster, and what starts lost workers again."""

    client: Any
    replenish: Replenish


def worker_name() -> str:
    """On a worker: its own name."""
    from distributed import get_worker

    worker: Any = get_worker()
    return str(worker.name)
