"""Classical RNNs on a task: trains what is missing in a folder, keeps what is done."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import InputError
from .._files import PathLike
from ..corpus._corpus import Corpus
from ..tasks._tasks import SEED, Task, task_named
from ._configurations import Configuration, Model, configurations, groups, models
from ._store import (
    Row,
    all_rows,
    keep_rows,
    load_progress,
    model_of,
    opened,
    row_of,
    rows_of,
    save_progress,
    write_results,
)
from ._torch import check_device

if TYPE_CHECKING:
    from ._training import Training

SAVE_SECONDS = 60.0
"""Between two savings of models on their way."""
LOOK_EPOCHS = 10
"""Between two looks at the clock and the user."""
EPOCHS = 1_000
"""As in the paper."""


class TrainingProgress(NamedTuple):
    """What `on_progress` is told; it may return True to stop and save."""

    group: str
    models: int
    """Models of this group that train together."""
    epoch: int
    epochs: int
    groups_done: int
    groups: int
    seconds: float
    """Spent on this group."""
    loss: float
    """The lowest training loss of the group, in nats a character."""


class Stopped(Exception):  # noqa: N818, nothing went wrong
    """The user asked to stop; what is on its way is saved."""


OnProgress = Callable[[TrainingProgress], bool | None]


def train(
    folder: PathLike,
    task: Task | str,
    chosen: Sequence[Configuration],
    *,
    size: int | None = None,
    seeds: int = 3,
    epochs: int = EPOCHS,
    device: str = "cpu",
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> list[Row]:
    """The measures of the configurations asked for on a task, `seeds` models of each.

    All models of one cell and size train as one. Raises `Stopped` when `on_progress` asks for it.
    """
    if seeds < 1 or epochs < 1:
        raise InputError(f"seeds is {seeds} and epochs {epochs}; give 1 or more of each.")
    check_device(device)
    import torch

    torch.set_num_threads(threads)
    home = Path(folder)
    task = task_named(task) if isinstance(task, str) else task
    size = task.size if size is None else size
    corpus = task.training(size, SEED)
    settings = {"task": task.name, "size": size, "corpus": corpus.digest, "epochs": epochs}
    wanted = groups(models(chosen, seeds))
    tests: list[Corpus] = []
    with opened(home, settings):
        for number, (group, members) in enumerate(wanted):
            while missing := _missing(home, group, members):
                training = _training(home, group, missing, corpus, device)
                place = (home, group, number, len(wanted))
                _trained(training, epochs, place, on_progress)
                if not tests:
                    tests.extend(task.test(size, SEED))
                rows = _rows(training, task, size, corpus, tests)
                keep_rows(home, group, [*rows_of(home, group), *rows])
            write_results(home, all_rows(home, _done_groups(home)))
        asked = {model for _, members in wanted for model in members}
        found = all_rows(home, [group for group, _ in wanted])
        return [row for row in found if model_of(row) in asked]


def kept(folder: PathLike) -> list[Row]:
    """The measures of all models that are done in a folder; none where there is no such folder."""
    home = Path(folder)
    return all_rows(home, _done_groups(home))


def best(rows: Iterable[Row], key: str = "test_cross_entropy") -> Row | None:
    """The row with the lowest of these, the first of equals."""
    finite = [row for row in rows if row[key] is not None and math.isfinite(row[key])]
    return min(finite, key=lambda row: row[key], default=None)


def accuracy(measures: Mapping[str, Any]) -> float | None:
    """As the paper's table has it: deterministic where there is such a step, else categorical."""
    found = measures["test_deterministic_accuracy"]
    share: float | None = found if found is not None else measures["test_categorical_accuracy"]
    return share


def _missing(folder: Path, group: str, members: Iterable[Model]) -> tuple[Model, ...]:
    done = {model_of(row) for row in rows_of(folder, group)}
    return tuple(model for model in members if model not in done)


def _training(
    folder: Path, group: str, missing: tuple[Model, ...], corpus: Corpus, device: str
) -> Training:
    """What was on its way comes first, even where others are asked for now."""
    from ._training import Training
    from ._tree import tree_of

    tree = tree_of(corpus, device)
    begun = load_progress(folder, group)
    if begun is None:
        return Training(missing, tree, corpus.outputs)
    training = Training(begun[0], tree, corpus.outputs)
    try:
        training.restore(begun[1])
    except (KeyError, RuntimeError):
        path = folder / f"{group}.npz"
        raise InputError(f"{path} is damaged; delete it to train these again.") from None
    return training


def _trained(
    training: Training,
    epochs: int,
    place: tuple[Path, str, int, int],
    on_progress: OnProgress | None,
) -> None:
    """Train to the end, with a saved state now and then."""
    folder, group, number, of = place
    saved = time.monotonic()
    began = saved - training.seconds
    for losses in training.steps(epochs):
        if training.epoch % LOOK_EPOCHS and training.epoch < epochs:
            continue
        now = time.monotonic()
        training.seconds = now - began
        progress = TrainingProgress(
            group, len(training.models), training.epoch, epochs, number, of, training.seconds,
            float(losses.min()),
        )  # fmt: skip
        stop = on_progress is not None and on_progress(progress)
        if stop or now - saved >= SAVE_SECONDS:
            save_progress(folder, group, training.models, training.to_arrays())
            saved = now
        if stop:
            raise Stopped


def _rows(
    training: Training,
    task: Task,
    size: int,
    corpus: Corpus,
    tests: Iterable[Corpus],
) -> list[Row]:
    from ._evaluation import reports

    measured = reports(training.cell, training.weights, task, size, corpus, tests)
    parameters = sum(values[0].numel() for values in training.weights.values())
    losses = training.losses().tolist()
    return [
        row_of(model, _measures(found, loss, parameters, training))
        for model, found, loss in zip(training.models, measured, losses, strict=True)
    ]


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


def _done_groups(folder: Path) -> list[str]:
    names = dict.fromkeys(c.group for c in configurations())
    return [name for name in names if (folder / f"{name}.json").exists()]
