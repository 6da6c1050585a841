"""The same search with several seeds: the best run, and a table of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._checks import is_integer, short
from .._errors import InputError
from .._files import PathLike, save
from ..search._run import Run
from ..search._settings import Search
from ._evolve import evolve
from ._say import json_text
from ._text import bits_text, table, time_text

SEEDS = "seeds.json"
"""The table, in the folder that holds the runs."""
MOST = 10_000


def evolve_seeds(
    source: object,
    seeds: int = 4,
    search: Search | None = None,
    *,
    folder: PathLike | None = None,
    **options: Any,
) -> list[Run]:
    """`evolve` with so many seeds, from that of the search on, one run after the other; the runs,
    the best first.

    Every limit holds for each run. With `folder`, the runs are kept in `seed-1`, `seed-2`, ... in
    it, beside a table of them.
    """
    if search is not None and not isinstance(search, Search):
        raise InputError(f"search is {short(search)}; make it with Search(...).")
    chosen = search or Search()

    def one(seed: int, home: Path | None) -> Run:
        return evolve(source, replace(chosen, seed=seed), folder=home, **options)

    return run_seeds(chosen.seed, seeds, one, None if folder is None else Path(folder))


def run_seeds(
    first: int, seeds: int, one: Callable[[int, Path | None], Run], folder: Path | None
) -> list[Run]:
    """Runs of `one`, which is given a seed and a folder; none after one that was stopped."""
    if not is_integer(seeds) or not 1 <= seeds <= MOST:
        raise InputError(f"seeds is {short(seeds)}; give a number from 1 to {MOST:,}.")
    runs: list[Run] = []
    for seed in range(first, first + seeds):
        run = one(seed, None if folder is None else folder / f"seed-{seed}")
        runs.append(run)
        if folder is not None:
            rows = [_row(r) for r in _ranked(runs)]
            save(folder / SEEDS, json_text(rows) + "\n")
        if run.reason == "stopped":
            break
    return _ranked(runs)


def seeds_table(runs: list[Run]) -> str:
    rows = [
        [
            f"{run.search.seed}", f"{run.score.g:,}", bits_text(run.score.d_given_g),
            bits_text(run.score.mdl), time_text(run.history[-1]["seconds"] if run.history else 0),
            "yes" if _is_proved(run) else "no",
        ]
        for run in runs
    ]  # fmt: skip
    return table(["seed", "|G|", "|D:G|", "MDL", "found after", "proved"], rows)


def _ranked(runs: list[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: (run.value, run.search.seed))


def _is_proved(run: Run) -> bool:
    return run.theorem is not None and run.theorem.proved is not None


def _row(run: Run) -> dict[str, Any]:
    assert run.folder is not None
    return {
        "seed": run.search.seed, "folder": run.folder.name, "g": run.score.g,
        "d_given_g": run.score.d_given_g, "mdl": run.score.mdl,
        "value": run.value, "seconds": run.statistics.seconds,
        "steps": run.statistics.steps, "proved": _is_proved(run),
    }  # fmt: skip
