"""The probe of the objective (paper, section 4.6 and its last table): five objectives, one task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mdlrnn.languages import Language
from mdlrnn.network import OBJECTIVES
from mdlrnn.search import Search, Stop

from ._runs import Runner, Wanted, evolved
from ._sheet import Sheet, cross_entropy, printed, published

ORDER = ("g", "d", "d+l1", "d+l2", "mdl")
"""Of the paper's table."""
HEAD = ("objective", "", "train CE", "test CE", "units", "conn")


def probe(
    task: Language, size: int, search: Search, seeds: range, stop: Stop, runner: Runner
) -> list[dict[str, Any]]:
    """The figures of a search for each objective and seed."""
    of = f"{task.name}_{size}"
    return [
        evolved(Wanted(f"{of}-{name}-{seed}", task, size, search, seed, stop, name), runner)
        for name in ORDER
        for seed in seeds
    ]


def probe_sheet(rows: Iterable[dict[str, Any]], beside: bool) -> Sheet:
    """Each objective as the paper has it and as it is here; sizes as the paper counts them:
    hidden units, and connections together with biases."""
    cells: list[tuple[str, ...]] = []
    breaks: list[int] = []
    rows = list(rows)
    several = len({row["seed"] for row in rows}) > 1
    for row, before in zip(rows, [None, *rows], strict=False):
        name = row["objective"]
        is_first = before is None or before["objective"] != name
        if not is_first:
            breaks.pop()
        if beside and is_first:
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
                OBJECTIVES[name].title if is_first and not beside else "",
                f"seed {row['seed']}" if several else "here",
                cross_entropy(row["train_cross_entropy"]),
                cross_entropy(row["test_cross_entropy"]),
                f"{row['hidden']}",
                f"{row['connections']}",
            )
        )
        breaks.append(len(cells) - 1)
    return Sheet(HEAD, tuple(cells), 2, tuple(breaks))


def has_published(task: Language, size: int) -> bool:
    return (task.name, size) == ("anbn", 500)
