"""The same search with several seeds: the best run, and a table of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..checks import is_integer, short
from ..errors import InputError
from ..files import PathLike, save
from ..languages import language_from
from ..network import Objective
from ..runs import CARD
from ..search import Run, Search, Stop
from ._cards import run_on_cards
from ._evolve import CARD_ISLANDS, NOWHERE_TO_HOLD, asked_for, check_common, evolve
from ._progress import Quiet, display_in_python
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
    it, beside a table of them. With `device="cuda"` and a cluster, the runs go on side by side, one
    at a time a worker, each worker on a card of its own.
    """
    if search is not None and not isinstance(search, Search):
        raise InputError(f"search is {short(search)}; make it with Search(...).")
    is_card = options.get("device") == CARD
    chosen = search or (Search(islands=CARD_ISLANDS) if is_card else Search())
    home = None if folder is None else Path(folder)
    if is_card and options.get("cluster") is not None:
        for name in ("executor", "on_progress"):
            if options.pop(name, None) is not None:
                raise InputError(f"{name} is for runs of this machine; leave it out with cards.")
        progress = options.pop("progress", None)
        shown = not isinstance(display_in_python(progress), Quiet)
        return seeds_on_cards(source, chosen, seeds, home, shown=shown, **options)

    def one(seed: int, home: Path | None) -> Run:
        return evolve(source, replace(chosen, seed=seed), folder=home, **options)

    return run_seeds(chosen.seed, seeds, one, home)


def seeds_on_cards(
    source: object,
    search: Search,
    seeds: int,
    folder: Path | None,
    *,
    cluster: object,
    device: str = CARD,
    stop: Stop | None = None,
    until: str | None = None,
    objective: Objective | str | None = None,
    size: int | None = None,
    words: bool = False,
    hold_out: float | None = None,
    prove: bool = True,
    threads: int | None = None,
    shown: bool = False,
    is_stopped: Callable[[], bool] = bool,
) -> list[Run]:
    """A run of each seed on the workers of a cluster, a card and one run at a time for each."""
    _check_number(seeds)
    check_common(until, threads, None, cluster)
    if hold_out is not None and folder is None:
        raise InputError(NOWHERE_TO_HOLD)
    known = language_from(source, size=size, words=words)
    limits = stop or Stop()
    asked = {
        seed: asked_for(
            known, replace(search, seed=seed), limits, until, objective, hold_out, prove
        )
        for seed in range(search.seed, search.seed + seeds)
    }
    runs: list[Run] = []
    for run in run_on_cards(asked, folder, cluster, shown, is_stopped):
        runs.append(run)
        _save_table(folder, runs)
    if not runs:
        raise KeyboardInterrupt
    return _ranked(runs)


def run_seeds(
    first: int, seeds: int, one: Callable[[int, Path | None], Run], folder: Path | None
) -> list[Run]:
    """Runs of `one`, which is given a seed and a folder; none after one that was stopped."""
    _check_number(seeds)
    runs: list[Run] = []
    for seed in range(first, first + seeds):
        run = one(seed, None if folder is None else folder / f"seed-{seed}")
        runs.append(run)
        _save_table(folder, runs)
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


def _check_number(seeds: object) -> None:
    if not is_integer(seeds) or not 1 <= seeds <= MOST:
        raise InputError(f"seeds is {short(seeds)}; give a number from 1 to {MOST:,}.")


def _save_table(folder: Path | None, runs: list[Run]) -> None:
    if folder is not None:
        rows = [_row(run) for run in _ranked(runs)]
        save(folder / SEEDS, json_text(rows) + "\n")


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
