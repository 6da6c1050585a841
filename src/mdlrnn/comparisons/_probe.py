"""The probe of the objective (paper, section 4.6 and its last table): five objectives, one task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..network._objective import OBJECTIVES
from ..search._settings import Search, Stop
from ..tasks._tasks import Task
from ._published import published
from ._runs import Runner, Wanted, evolved
from ._sheet import Sheet, cross_entropy, printed

ORDER = ("g", "d", "d+l1", "d+l2", "mdl")
"""Of the paper's table."""
HEAD = ("objective", "", "train CE", "test CE", "units", "conn")


def probe(
    task: Task, size: int, search: Search, stop: Stop, runner: Runner
) -> list[dict[str, Any]]:
    """The figures of one search for each objective."""
    return [
        evolved(
            Wanted(f"{task.name}_{size}-{name}-{search.seed}", task, size, search, stop, name),
            runner,
        )
        for name in ORDER
    ]


def probe_sheet(rows: Iterable[dict[str, Any]], beside: bool) -> Sheet:
    """Each objective as the paper has it and as it is here; sizes as the paper counts them:
    hidden units, and connections together with biases."""
    cells: list[tuple[str, ...]] = []
    breaks = []
    for row in rows:
        name = row["objective"]
        if beside:
            theirs = published()["probe"][name]
            cells.append(
                (
                    OBJECTIVES[name].title,
                    "paper",
                    printed(theirs["train_cross_entropy"]),
                    printed(theirs["test_cross_entropy"]),
                    f"{theirs['units']}",
                    f"{theirs['connections']}",
                )
            )
        cells.append(
            (
                "" if beside else OBJECTIVES[name].title,
                "here",
                cross_entropy(row["train_cross_entropy"]),
                cross_entropy(row["test_cross_entropy"]),
                f"{row['hidden']}",
                f"{row['connections']}",
            )
        )
        breaks.append(len(cells) - 1)
    return Sheet(HEAD, tuple(cells), 2, tuple(breaks))


def has_published(task: Task, size: int) -> bool:
    return (task.name, size) == ("anbn", 500)
