"""Trained RNNs measured as networks are: the same sets, the same measures, in bits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..corpus._corpus import Corpus
from ..tasks._measures import judge, truth_of
from ..tasks._report import Measures, Report
from ..tasks._tasks import Task
from ._cells import Weights
from ._tree import chances_of, tree_of

MOST_NUMBERS = 50_000_000
"""Of chances, or of gates on one level, that are held at once; more models take turns."""


def reports(
    cell: str, weights: Weights, task: Task, size: int, train: Corpus, test: Iterable[Corpus]
) -> list[dict[str, Any]]:
    """For each model the measures that `mdlrnn test` gives, as its JSON has them."""
    first = _measured(cell, weights, task, [train])
    then = _measured(cell, weights, task, test)
    found = []
    for seen, unseen in zip(first, then, strict=True):
        report = Report(
            task.name, size, seen, unseen, None, seen.deterministic_steps > 0, task.title,
            task.language.noun, task.language.alphabet is not None,
        )  # fmt: skip
        data = report.to_dict()
        del data["first_failure"]
        found.append(data)
    return found


def _measured(cell: str, weights: Weights, task: Task, parts: Iterable[Corpus]) -> list[Measures]:
    count = len(weights["output"])
    totals = [Measures()] * count
    for part in parts:
        tree = tree_of(part, str(weights["output"].device))
        truth = truth_of(part, task)
        chances_each = len(part.parent) * max(2, part.outputs)
        gates_each = max(tree.sizes) * weights["recurrent"].shape[2]
        share = max(1, MOST_NUMBERS // max(chances_each, gates_each))
        for begin in range(0, count, share):
            some = {name: values[begin : begin + share] for name, values in weights.items()}
            chances = chances_of(cell, some, tree).cpu().numpy()
            for i, of_one in enumerate(chances, begin):
                totals[i] = totals[i].plus(judge(of_one, part, truth, task.language.spelled)[0])
    return totals
