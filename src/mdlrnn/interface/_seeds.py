"""The same search with several seeds: the best run, and a table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..checks import check_integer
from ..errors import InputError
from ..files import PathLike, save
from ..search import CARD, NewCrew, OnProgress, Run, WorkersSpec
from ._cards import run_on_cards
from ._carry_out import Request, begun
from ._progress import Display, Quiet
from ._text import bits_text, json_text, table, time_text

SEEDS = "seeds.json"
"""The table, in the folder that holds the runs."""
MOST = 10_000


def run_seeds(
    first: int,
    seeds: int,
    request: Callable[[int], Request],
    out: PathLike | None,
    spec: WorkersSpec,
    new_crew: NewCrew,
    display: Display,
    on_progress: OnProgress | None,
) -> Run:
    """A run of each seed, one after the other; none after one that was stopped. On the cards of a
    cluster they go on side by side, one at a time a worker, each worker on a card of its own."""
    check_integer("seeds", seeds, 1, MOST)
    folder = None if out is None else Path(out)

    def one_after_the_other() -> Iterator[Run]:
        for seed in range(first, first + seeds):
            home = None if folder is None else folder / f"seed-{seed}"
            yield begun(request(seed), home, spec, new_crew, display, on_progress)

    if spec.device == CARD and spec.cluster is not None:
        if on_progress is not None:
            raise InputError("on_progress is for runs of this machine; leave it out with cards.")
        requests = {seed: request(seed) for seed in range(first, first + seeds)}
        is_shown = type(display) is not Quiet
        found = run_on_cards(requests, folder, spec.cluster, is_shown, display.is_stopped)
        stops_all = False
    else:
        found, stops_all = one_after_the_other(), True
    runs: list[Run] = []
    for run in found:
        runs.append(run)
        if folder is not None:
            rows = [_row(run) for run in _ranked(runs)]
            save(folder / SEEDS, json_text(rows) + "\n")
        if stops_all and run.reason == "stopped":
            break
    if not runs:
        raise KeyboardInterrupt
    best, *others = _ranked(runs)
    return replace(best, others=tuple(others))


def seeds_table(run: Run) -> str:
    """All runs of several seeds, the best first."""
    rows = [
        [
            f"{run.seed}", f"{run.score.g:,}", bits_text(run.score.d_given_g),
            bits_text(run.score.mdl), time_text(run.history[-1]["seconds"] if run.history else 0),
            "" if run.origin is None else run.origin.kind, "yes" if run.is_proved else "no",
        ]
        for run in (run, *run.others)
    ]  # fmt: skip
    return table(["seed", "|G|", "|D:G|", "MDL", "found after", "origin", "proved"], rows)


def _ranked(runs: list[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: (run.value, run.seed))


def _row(run: Run) -> dict[str, Any]:
    assert run.out is not None
    return {
        "seed": run.seed, "folder": run.out.name, "g": run.score.g,
        "d_given_g": run.score.d_given_g, "mdl": run.score.mdl,
        "origin": None if run.origin is None else run.origin.to_dict(),
        "value": run.value, "seconds": run.statistics.seconds,
        "steps": run.statistics.steps, "proved": run.is_proved,
    }  # fmt: skip
