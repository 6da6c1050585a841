"""How much faster many RNNs train as one than one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from ..corpus._corpus import Corpus
from ..tasks._tasks import Task
from ._configurations import Model, configurations, groups, models
from ._reference_training import train_reference
from ._training import Training
from ._tree import tree_of


class TrainingSpeed(NamedTuple):
    """Seconds for an epoch of all models of a group."""

    group: str
    models: int
    alone: float
    """One after the other, as plain PyTorch: a model's time times their number."""
    together: float

    @property
    def ratio(self) -> float:
        return self.alone / self.together


def training_speeds(task: Task, size: int, seeds: int, epochs: int) -> Iterator[TrainingSpeed]:
    """For each cell and size; both ways on one thread of the CPU."""
    torch.set_num_threads(1)
    corpus = task.training(size)
    for group, members in groups(models(configurations(), seeds)):
        alone = _alone(members, corpus, epochs) * len(members)
        yield TrainingSpeed(group, len(members), alone, _together(members, corpus, epochs))


def _alone(members: Sequence[Model], corpus: Corpus, epochs: int) -> float:
    """Seconds an epoch of one model, over one model of each regularisation."""
    one_each = [model for model in members if model.seed == 1]
    spent = 0.0
    for model in one_each:
        steps = train_reference(model, corpus, epochs + 1)
        next(steps)  # the first sets things up
        begin = time.perf_counter()
        for _ in steps:
            pass
        spent += time.perf_counter() - begin
    return spent / len(one_each) / epochs


def _together(members: Sequence[Model], corpus: Corpus, epochs: int) -> float:
    training = Training(members, tree_of(corpus), corpus.outputs)
    steps = training.steps(epochs + 1)
    next(steps)
    begin = time.perf_counter()
    for _ in steps:
        pass
    return (time.perf_counter() - begin) / epochs
