"""Which regulariser keeps a golden network (Abudy and others 2025): six tasks, five regularisers,
searches from the golden network and from nothing.

A cell of the table is one search. It is measured and kept as a file of its own, so that a table
that was interrupted goes on with the cells that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn import zoo
from mdlrnn.checks import check_known
from mdlrnn.errors import InputError
from mdlrnn.kernels import row_of, score
from mdlrnn.languages import EVERY_TASK, SEED, Language
from mdlrnn.measures import measure
from mdlrnn.network import Encoding, Network, Objective
from mdlrnn.search import (
    Archipelago,
    Problem,
    Progress,
    Search,
    Stop,
    evolve_islands,
    new_island,
    random_states,
)

from ._runs import RunStopped, machine, read_figures, today, versions, write_figures
from ._sheet import Sheet, bits, made, markdown

SIZE = 500
SCHEME = "abudy2025"
STARTS = ("golden", "nothing")
OWN_ACTIVATIONS = {"dyck1_pcfg": ("linear", "relu", "sigmoid", "tanh")}
"""The activations allowed where the published |G| has no room for the paper's six."""
PUBLISHED = {
    "anbn_pcfg": (139, 1531.77),
    "anbncn": (241, 1483.91),
    "dyck1_pcfg": (113, 1544.48),
    "dyck2_pcfg": (579, 2121.53),
    "arithmetic": (967, 2581.29),
    "toy_english": (870, 2232.74),
}
"""|G| and |D:G| of their golden networks."""
HEAD = ("task", "regulariser", "start", "|G|", "|D:G|", "test", "golden")


class Regulariser(NamedTuple):
    title: str
    objective: str
    limited: bool = False
    """No more units and connections than the golden network has."""


REGULARISERS = {
    "mdl": Regulariser("|G|", "mdl"),
    "l1": Regulariser("L1", "d+l1"),
    "l2": Regulariser("L2", "d+l2"),
    "none": Regulariser("none", "d"),
    "size": Regulariser("size", "d", limited=True),
}


@dataclass(frozen=True)
class Cell:
    """One search of the table."""

    task: str
    regulariser: str
    start: str
    seed: int
    stop: Stop

    @property
    def name(self) -> str:
        return f"{self.task}-{self.regulariser}-{self.start}-{self.seed}"


OnProgress = Callable[[Progress], bool | None]


def cells(
    tasks: Iterable[str], regularisers: Iterable[str], seeds: Sequence[int], stop: Stop
) -> list[Cell]:
    """In the order of the table; every name is checked before anything is searched."""
    chosen = list(dict.fromkeys(regularisers))
    found = []
    for task in dict.fromkeys(tasks):
        zoo.golden(task)
        for regulariser in chosen:
            check_known(regulariser, REGULARISERS, "regulariser")
            found += [
                Cell(task, regulariser, start, seed, stop) for start in STARTS for seed in seeds
            ]
    return found


def golden_encoding(task: str) -> Encoding:
    """The space of networks and the code under which a golden network is scored."""
    encoding = Encoding.fitting(zoo.golden(task), SCHEME)
    own = OWN_ACTIVATIONS.get(task)
    return encoding if own is None else replace(encoding, activations=own)


def figures_of(
    cell: Cell, folder: Path, workers: Any = None, on_progress: OnProgress | None = None
) -> dict[str, Any]:
    """What was measured of a cell: from its file, or by a search."""
    path = folder / "cells" / f"{cell.name}.json"
    if path.exists():
        kept = read_figures(path)
        if kept.get("limit") != limit_text(cell.stop):
            raise InputError(
                f"{path} was searched for {kept.get('limit')}, not {limit_text(cell.stop)}; give "
                "the limit it had, or another folder."
            )
        return kept
    found = _searched(cell, workers, on_progress)
    write_figures(path, found)
    return found


def limit_text(stop: Stop) -> str:
    """How long each search is."""
    if stop.seconds is None:
        return f"{stop.last_generation:,} generations"
    return f"{stop.seconds:g} s"


def golden_figures(task: str, folder: Path) -> dict[str, Any]:
    """What is measured of the golden network itself."""
    path = folder / "cells" / f"{task}-golden.json"
    network = zoo.golden(task)
    if path.exists():
        kept = read_figures(path)
        if kept.get("network") == network.to_dict():
            return kept
    found = {"task": task, **_measured(network, task)}
    write_figures(path, found)
    return found


def _searched(cell: Cell, workers: Any, on_progress: OnProgress | None) -> dict[str, Any]:
    regulariser = REGULARISERS[cell.regulariser]
    golden = zoo.golden(cell.task)
    encoding = golden_encoding(cell.task)
    search = Search(encoding=encoding, saturation=golden.saturation)
    if regulariser.limited:
        search = replace(
            search, max_units=len(golden.units), max_connections=len(golden.connections)
        )
    corpus = EVERY_TASK[cell.task].training(SIZE, SEED)
    objective = Objective.named(regulariser.objective)
    problem = Problem(corpus, search, encoding, objective, cell.seed)
    start = _archipelago(problem, golden) if cell.start == "golden" else None
    run = evolve_islands(problem, cell.stop, workers, on_progress=on_progress, start=start)
    if run.reason == "stopped":
        raise RunStopped
    return {
        "task": cell.task,
        "regulariser": cell.regulariser,
        "start": cell.start,
        "seed": cell.seed,
        "limit": limit_text(cell.stop),
        **_measured(run.best, cell.task),
        "kept": run.best == golden,
        "steps": run.archipelago.steps,
        "seconds": run.archipelago.seconds,
        "machine": machine(),
        "versions": versions(),
        "date": today(),
    }


def _archipelago(problem: Problem, golden: Network) -> Archipelago:
    """Every island with the golden network among random ones."""
    row = row_of(golden)
    states = random_states(problem.seed, problem.search.islands)
    return Archipelago(tuple(new_island(problem, random, (row,)) for random in states))


def _measured(network: Network, task: str) -> dict[str, Any]:
    known: Language = EVERY_TASK[task]
    cost = score(network, known.training(SIZE, SEED), golden_encoding(task))
    report = measure(network, known, SIZE, SEED)
    shares = report.to_dict()
    return {
        "g": cost.g,
        "d_given_g": cost.d_given_g,
        "test_cross_entropy": shares["test_cross_entropy"],
        "optimal_test_cross_entropy": shares["optimal_test_cross_entropy"],
        "right": report.first_failure is None,
        "units": len(network.units),
        "network": network.to_dict(),
    }


def regularisers_sheet(golden: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> Sheet:
    """For each task the golden network, then a row for each search."""
    several = len({row["seed"] for row in rows}) > 1
    lines: list[tuple[str, ...]] = []
    breaks = []
    for own in golden:
        task = own["task"]
        lines.append((task, "", "", *_numbers(own), "golden"))
        for row in rows:
            if row["task"] == task:
                title = REGULARISERS[row["regulariser"]].title
                start = f"{row['start']}, seed {row['seed']}" if several else row["start"]
                lines.append((task, title, start, *_numbers(row), _verdict(row)))
        breaks.append(len(lines) - 1)
    return Sheet(HEAD, tuple(lines), 3, tuple(breaks))


def _numbers(row: dict[str, Any]) -> tuple[str, ...]:
    test, best = row["test_cross_entropy"], row["optimal_test_cross_entropy"]
    return (f"{row['g']:,}", bits(row["d_given_g"], 2), _excess(test, best))


def _excess(test: float, best: float) -> str:
    """By how much the test set costs more than under the true distribution, in percent; less than
    0 can be where a test set is not drawn from it."""
    return "∞" if test == float("inf") else f"{100 * (test / best - 1):+.2f} %"


def _verdict(row: dict[str, Any]) -> str:
    right = "right" if row["right"] else "wrong"
    if row["start"] != "golden":
        return right
    return "kept" if row["kept"] else f"left, {right}"


_REGULARISERS = """\
|G| and the training set's |D:G| are in bits, under the encoding abudy2025. *test* is by how much
the test set's |D:G| is above that of the true distribution; where a test set is not drawn from it,
as those of a^n b^n and a^n b^n c^n are not, a network can be below. *kept*: the search from the
golden network ended with it; *left*: with another network, which is *right* if it makes no mistake
on the training set, the test set and the language's shortest strings, else *wrong*. *size*
minimises |D:G| among networks with no more units and connections than the golden one."""


def regularisers_page(
    golden: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], command: str
) -> str:
    limits = ", ".join(sorted({row["limit"] for row in rows}))
    parts = [
        "# Which regulariser keeps a golden network",
        made(command, rows, [f"Each search: {limits}"]),
        markdown(regularisers_sheet(golden, rows)),
        _REGULARISERS,
    ]
    return "\n\n".join(parts) + "\n"
