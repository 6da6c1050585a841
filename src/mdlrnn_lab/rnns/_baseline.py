"""Classical RNNs on a task: trains what is missing in a folder, keeps what is done."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mdlrnn.corpus import Corpus
from mdlrnn.errors import ClusterError, InputError
from mdlrnn.files import PathLike
from mdlrnn.languages import Language
from mdlrnn.old import knows_old
from mdlrnn.search import (
    Piece,
    Spread,
    Workers,
    client_of,
    local_workers,
    on_every_worker,
    workers_from,
)

from .._sized import with_size
from ._configurations import Configuration, Model, configurations, groups, models
from ._group import (
    Group,
    Plan,
    Row,
    TrainingProgress,
    all_rows,
    check_device,
    fit,
    keep_rows,
    load_progress,
    model_of,
    opened,
    refuse_others,
    rows_from,
    rows_of,
    rows_on_worker,
    save_progress,
    torch_on_worker,
    training_of,
    write_results,
)

if TYPE_CHECKING:
    from ._training import Training

SAVE_SECONDS = 60.0
"""Between two savings of models on their way."""
EPOCHS = 1_000
"""As in the paper."""


class Stopped(Exception):  # noqa: N818, nothing went wrong
    """The user asked to stop; what is done is saved, and on this machine what is on its way."""


OnProgress = Callable[[TrainingProgress], bool | None]


@knows_old("train")
def train(
    folder: PathLike,
    task: Language | str,
    chosen: Sequence[Configuration],
    *,
    size: int | None = None,
    seeds: int = 3,
    epochs: int = EPOCHS,
    workers: object = None,
    on_progress: OnProgress | None = None,
) -> list[Row]:
    """The measures of the configurations asked for on a task, `seeds` models of each.

    All models of one cell and size train as one, a group. `workers` is a number of threads of
    PyTorch (by default one; the models are small, and more seldom help), 'cuda', or a cluster as
    `evolve` takes it: each of its workers trains one group at a time; the folder is kept here.
    Raises `Stopped` when `on_progress` asks for it.
    """
    if seeds < 1 or epochs < 1:
        raise InputError(f"seeds is {seeds} and epochs {epochs}; give 1 or more of each.")
    spec = workers_from(workers)
    if spec.cluster is None:
        local_workers(workers)
        check_device(spec.device)
    home = Path(folder)
    task, size = with_size(task, size)
    plan = Plan(task, size, epochs, spec.device, spec.threads or 1)
    corpus = plan.corpus()
    settings = {"task": task.name, "size": plan.size, "corpus": corpus.digest, "epochs": epochs}
    wanted = groups(models(chosen, seeds))
    connected: AbstractContextManager[Workers | None] = nullcontext()
    if spec.cluster is not None:
        connected = client_of(spec.cluster)
    with connected as there, ExitStack() as stack:
        refuse_others(home, settings)
        version = ""
        if there is not None and _missing(home, wanted):
            version = _torch_version(there, plan.device)
        # Nothing is written before it is known that there is a way to train.
        stack.enter_context(opened(home, settings))
        while missing := _missing(home, wanted):
            if there is None:
                found = _here(home, missing, plan, corpus, on_progress)
            else:
                found = _on_cluster(home, missing, plan, there, version, on_progress)
            for group, rows in found:
                keep_rows(home, group, [*rows_of(home, group), *rows])
                write_results(home, all_rows(home, _done_groups(home)))
        write_results(home, all_rows(home, _done_groups(home)))
        asked = {model for _, members in wanted for model in members}
        every = all_rows(home, [group for group, _ in wanted])
        return [row for row in every if model_of(row) in asked]


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


def _missing(folder: Path, wanted: Sequence[tuple[str, tuple[Model, ...]]]) -> list[Group]:
    """What is to be trained next. What was on its way comes first, even where others are asked for
    now, and by itself."""
    found = []
    for number, (name, members) in enumerate(wanted):
        done = {model_of(row) for row in rows_of(folder, name)}
        left = tuple(model for model in members if model not in done)
        if left:
            begun = load_progress(folder, name)
            file = str(folder / f"{name}.npz")
            chosen, arrays = (left, None) if begun is None else begun
            found.append(Group(name, number, len(wanted), chosen, arrays, file))
    return found


def _here(
    folder: Path,
    missing: Sequence[Group],
    plan: Plan,
    corpus: Corpus,
    on_progress: OnProgress | None,
) -> Iterator[tuple[str, list[Row]]]:
    """One group after the other, with a saved state now and then."""
    tests: list[Corpus] = []
    for group in missing:
        training = training_of(group, plan, corpus)
        fit(training, group, plan, _saving(folder, group, training, on_progress))
        tests = tests or plan.tests()
        yield group.name, rows_from(training, plan, corpus, tests)


def _saving(
    folder: Path, group: Group, training: Training, on_progress: OnProgress | None
) -> Callable[[TrainingProgress], None]:
    saved = time.monotonic()

    def look(progress: TrainingProgress) -> None:
        nonlocal saved
        stop = on_progress is not None and on_progress(progress)
        if stop or time.monotonic() - saved >= SAVE_SECONDS:
            save_progress(folder, group.name, training.models, training.to_arrays())
            saved = time.monotonic()
        if stop:
            raise Stopped

    return look


def _on_cluster(
    folder: Path,
    missing: Sequence[Group],
    plan: Plan,
    workers: Workers,
    version: str,
    on_progress: OnProgress | None,
) -> Iterator[tuple[str, list[Row]]]:
    """All groups side by side, one at a time a worker, each with this version of PyTorch."""
    pieces = [Piece(group.name, rows_on_worker, (group, plan, version)) for group in missing]
    first = missing[0]
    latest = TrainingProgress(
        first.name, len(first.models), 0, plan.epochs, first.number, first.of, 0.0, math.inf
    )

    def look(news: list[tuple[str, Any]]) -> None:
        nonlocal latest
        for progress in [TrainingProgress(*said) for _, said in news] or [latest]:
            latest = progress
            if on_progress is not None and on_progress(progress):
                raise Stopped

    try:
        yield from Spread(workers, pieces).results(look)
    except ClusterError as error:
        remedy = f"what is done is in {folder}, and the same command goes on"
        raise ClusterError(error.what, remedy) from None


def _torch_version(workers: Workers, device: str) -> str:
    """The one version of PyTorch that the workers have; others might give other last digits."""
    answers = on_every_worker(workers.client, torch_on_worker, device)
    (first, version), *others = answers.items()
    for worker, other in others:
        if other != version:
            raise InputError(
                f"the worker {worker} has PyTorch {other} and the worker {first} {version}; "
                "install the same on all."
            )
    return str(version)


def _done_groups(folder: Path) -> list[str]:
    names = dict.fromkeys(c.group for c in configurations())
    return [name for name in names if (folder / f"{name}.json").exists()]
