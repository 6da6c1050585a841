"""How accurate a network is as strings grow, as data."""

from __future__ import annotations

from typing import NamedTuple

from ..network._network import Network
from ..tasks._measures import measure_parts, named
from ..tasks._report import Measures
from ..tasks._sources import task_from
from ..tasks._tasks import Task

STRINGS = 60


class Accuracy(NamedTuple):
    """For strings of each length, the share of steps that are right."""

    length: tuple[int, ...]
    share: tuple[float, ...]
    measure: str
    """'deterministic', or 'categorical' where a language leaves a choice at every step."""
    unit: str
    """What lengths count: 'symbols', or for addition 'digits'."""


def accuracy(network: Network, task: Task | str, strings: int = STRINGS) -> Accuracy:
    """Over the shortest strings of the task's language, or numbers of 1, 2, ... digits."""
    chosen = task_from(task)
    network = named(network, chosen)
    measured = [
        (size, measure_parts(network, chosen, [corpus])[0])
        for size, corpus in chosen.language.by_length(strings)
    ]
    sure = any(found.deterministic_steps for _, found in measured)
    return Accuracy(
        tuple(size for size, _ in measured),
        tuple(_share(found, sure) for _, found in measured),
        "deterministic" if sure else "categorical",
        f"{chosen.language.noun}s",
    )


def _share(found: Measures, sure: bool) -> float:
    right, steps = found.categorical_right, found.characters
    if sure:
        right, steps = found.deterministic_right, found.deterministic_steps
    return right / steps if steps else 1.0
