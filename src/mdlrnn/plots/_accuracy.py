"""How accurate a network is as strings grow, as data."""

from __future__ import annotations

from itertools import groupby, islice
from typing import NamedTuple

from .._corpus import Corpus
from .._measure import Measures, measure_parts
from .._network import Network
from .._tasks import Task, addition, task_named

STRINGS = 60
DIGITS = 7
"""Of the longest numbers that are added: all pairs of numbers with that many digits are tried."""


class Accuracy(NamedTuple):
    """For strings of each length, the share of steps that are right."""

    length: tuple[int, ...]
    share: tuple[float, ...]
    measure: str
    """'deterministic', or 'categorical' where a language leaves a choice at every step."""
    unit: str
    """What lengths count: 'symbols', or for addition 'binary digits'."""


def accuracy(network: Network, task: Task | str, strings: int = STRINGS) -> Accuracy:
    """Over the shortest strings of the task's language, or numbers of 1, 2, ... digits."""
    chosen = task_named(task) if isinstance(task, str) else task
    groups: list[tuple[int, Corpus]] = []
    if chosen.language is None:
        for digits in range(1, DIGITS + 1):
            first = 0 if digits == 1 else 2 ** (digits - 1)
            groups.append((digits, addition(2**digits - first, first)))
    else:
        shortest = islice(chosen.language.strings(), strings)
        groups = [(size, Corpus.from_strings(list(some))) for size, some in groupby(shortest, len)]
    measured = [(size, measure_parts(network, chosen, [corpus])[0]) for size, corpus in groups]
    sure = any(found.deterministic_steps for _, found in measured)
    return Accuracy(
        tuple(size for size, _ in measured),
        tuple(_share(found, sure) for _, found in measured),
        "deterministic" if sure else "categorical",
        "binary digits" if chosen.language is None else "symbols",
    )


def _share(found: Measures, sure: bool) -> float:
    right, steps = found.categorical_right, found.characters
    if sure:
        right, steps = found.deterministic_right, found.deterministic_steps
    return right / steps if steps else 1.0
