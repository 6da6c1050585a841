"""A cluster whose workers are threads of this process. Needs distributed, which tests may lack."""

from __future__ import annotations

from typing import Any


def threaded_cluster(workers: int = 2, threads: int = 2) -> Any:
    """`LocalCluster`, quiet and on the loopback alone; a context manager that closes it."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers, threads_per_worker=threads, processes=False, silence_logs=50,
        dashboard_address="127.0.0.1:0",
    )  # fmt: skip
