"""One group of RNNs, which train as one: begun or gone on with, trained, measured.

The same on this machine and on a worker of a cluster, which keeps nothing: what it has found goes
back to the machine that asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import InputError
from ..cluster._spread import Line, naming_the_worker
from ..corpus._corpus import Corpus
from ..tasks._tasks import SEED, Task
from ._configurations import Model
from ._store import Row, row_of
from ._torch import check_device

if TYPE_CHECKING:
    from ._training import Training

LOOK_EPOCHS = 10
"""Between two looks at the clock and the user."""


class Plan(NamedTuple):
    """What is common to all groups of a baseline."""

    task: Task
    size: int
    epochs: int
    device: str
    threads: int

    def corpus(self) -> Corpus:
        return self.task.training(self.size, SEED)

    def tests(self) -> list[Corpus]:
        return list(self.task.test(self.size, SEED))


class Group(NamedTuple):
    name: str
    number: int
    """Its place among all groups, from 0."""
    of: int
    models: tuple[Model, ...]
    begun: Mapping[str, Any] | None
    """What `Training.restore` takes, where these models are on their way."""
    file: str
    """Where that came from."""


class TrainingProgress(NamedTuple):
    """What `on_progress` is told; it may return True to stop and save."""

    group: str
    models: int
    """Models of this group that train together."""
    epoch: int
    epochs: int
    groups_done: int
    """Groups that come before this one; on one machine they are done."""
    groups: int
    seconds: float
    """Spent on this group."""
    loss: float
    """The lowest training loss of the group, in nats a character; infinite before the first."""


def training_of(group: Group, plan: Plan, corpus: Corpus) -> Training:
    """The models as they were, or with their first weights."""
    from ._training import Training
    from ._tree import tree_of

    use_threads(plan.threads)
    training = Training(group.models, tree_of(corpus, plan.device), corpus.outputs)
    if group.begun is not None:
        try:
            training.restore(group.begun)
        except (KeyError, RuntimeError):
            raise InputError(f"{group.file} is damaged; delete it to train these again.") from None
    return training


def fit(
    training: Training, group: Group, plan: Plan, look: Callable[[TrainingProgress], None]
) -> None:
    """Train to the end, with a look now and then."""
    began = time.monotonic() - training.seconds
    for losses in training.steps(plan.epochs):
        if training.epoch % LOOK_EPOCHS and training.epoch < plan.epochs:
            continue
        training.seconds = time.monotonic() - began
        progress = TrainingProgress(
            group.name, len(training.models), training.epoch, plan.epochs, group.number, group.of,
            training.seconds, float(losses.min()),
        )  # fmt: skip
        look(progress)


def rows_from(training: Training, plan: Plan, corpus: Corpus, tests: Iterable[Corpus]) -> list[Row]:
    from ._evaluation import reports

    measured = reports(training.cell, training.weights, plan.task, plan.size, corpus, tests)
    parameters = sum(values[0].numel() for values in training.weights.values())
    losses = training.losses().tolist()
    return [
        row_of(model, _measures(found, loss, parameters, training))
        for model, found, loss in zip(training.models, measured, losses, strict=True)
    ]


def rows_on_worker(line: Line, group: Group, plan: Plan, version: str) -> list[Row]:
    """All of it, on a worker of a cluster that has this version of PyTorch."""
    with naming_the_worker():
        there = torch_on_worker(plan.device)
        if there != version:
            raise InputError(
                f"it has PyTorch {there}, where others have {version}; install the same on all."
            )
    corpus = plan.corpus()
    training = training_of(group, plan, corpus)

    def look(progress: TrainingProgress) -> None:
        line.tell(list(progress))

    fit(training, group, plan, look)
    return rows_from(training, plan, corpus, plan.tests())


def torch_on_worker(device: str) -> str:
    """Its version of PyTorch; raises where there is none, or no such device."""
    check_device(device, where="")
    import torch

    return str(torch.__version__)


def use_threads(threads: int) -> None:
    """PyTorch's own, in this thread of Python."""
    import torch

    torch.set_num_threads(threads)


def _measures(
    found: dict[str, Any], loss: float, parameters: int, training: Training
) -> dict[str, Any]:
    return {
        "parameters": parameters,
        "epochs": training.epoch,
        "device": training.tree.rows.device.type,
        "loss": loss,
        **found,
        "seconds": round(training.seconds / len(training.models), 3),
    }
