"""Classical RNNs on a task: trains what is missing in a folder, keeps what is done. A group of RNNs
trains as one: it is begun or gone on with, trained, measured, kept.
"""

from __future__ import annotations

import csv
import io
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mdlrnn.corpus import Corpus
from mdlrnn.errors import ClusterError, InputError, MissingExtra
from mdlrnn.files import PathLike, json_of, read_text, reason_of, save, write_atomically
from mdlrnn.interface import json_text
from mdlrnn.languages import SEED, Language
from mdlrnn.measures import Measures, Report, judge, truth_of
from mdlrnn.old import knows_old
from mdlrnn.runs import acquire, holder, read_sealed, seal, unseal
from mdlrnn.search import (
    Line,
    Piece,
    Spread,
    Workers,
    client_of,
    local_workers,
    naming_the_worker,
    on_every_worker,
    workers_from,
)

from ._configurations import Configuration, Model, configurations, groups, models, with_size

if TYPE_CHECKING:
    from ._training import Training, Weights

DEVICES = ("cpu", "cuda")


def require_torch() -> None:
    if find_spec("torch") is None:
        raise MissingExtra("training classical RNNs", "PyTorch", "baseline")


def check_device(device: str, where: str = " on this machine") -> None:
    require_torch()
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise InputError(f"PyTorch sees no CUDA device{where}; leave cuda out to train on the CPU.")


FORMAT = "mdlrnn-baseline/1"
SETTINGS, LOCK = "settings.json", "lock"
RESULTS = ("results.csv", "results.json")
KEYS = ("cell", "hidden", "regularisation", "lambda", "seed")

Row = dict[str, Any]


@contextmanager
def opened(folder: Path, settings: Mapping[str, Any]) -> Iterator[None]:
    """The folder for this baseline alone, while inside; it is made where there is none."""
    refuse_others(folder, settings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = acquire(folder / LOCK)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be used ({reason_of(error)}); choose another folder."
        ) from None
    if file is None:
        who = holder(folder / LOCK) or "another process"
        raise InputError(f"{folder}: {who} is training in this folder; wait for it to end.")
    with file:
        save(folder / SETTINGS, json_text({"format": FORMAT, **settings}) + "\n")
        yield


def refuse_others(folder: Path, settings: Mapping[str, Any]) -> None:
    """What was trained on other data, or otherwise, must not be mixed with this."""
    path = folder / SETTINGS
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(_foreign(folder))):
            raise InputError(
                f"{folder} exists and holds no baseline; choose a new folder, or an empty one."
            )
        return
    kept = _read(path)
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise InputError(f"{path} is not of a baseline; choose another folder.")
    for name, value in settings.items():
        if kept.get(name) != value:
            raise InputError(
                f"{folder} holds a baseline whose {name} is {kept.get(name)!r}, not {value!r}; "
                "choose another folder."
            )


def row_of(model: Model, measures: Mapping[str, Any]) -> Row:
    c = model.configuration
    return {
        "cell": c.cell,
        "hidden": c.hidden,
        "regularisation": c.regularisation,
        "lambda": c.strength,
        "seed": model.seed,
        **measures,
    }


def model_of(row: Mapping[str, Any]) -> Model:
    cell, hidden, kind, strength, seed = (row[key] for key in KEYS)
    return Model(Configuration(cell, hidden, kind, strength), seed)


def rows_of(folder: Path, group: str) -> list[Row]:
    """What is done of a group."""
    path = folder / f"{group}.json"
    if not path.exists():
        return []
    rows = _read(path)
    try:
        for row in rows:
            model_of(row)
    except (TypeError, KeyError):
        raise InputError(f"{path} holds no results; delete it to train these again.") from None
    return list(rows)


def keep_rows(folder: Path, group: str, rows: Iterable[Row]) -> None:
    save(folder / f"{group}.json", json_text(sorted(rows, key=_order)) + "\n")
    (folder / f"{group}.npz").unlink(missing_ok=True)


def all_rows(folder: Path, groups: Iterable[str]) -> list[Row]:
    return [row for group in groups for row in rows_of(folder, group)]


def write_results(folder: Path, rows: Sequence[Row]) -> None:
    """What is infinite or does not apply is null in JSON and empty in the CSV file."""
    for name, text in zip(RESULTS, (csv_text(rows), json_text(rows) + "\n"), strict=True):
        save(folder / name, text)


def csv_text(rows: Sequence[Row]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]) if rows else list(KEYS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def save_progress(
    folder: Path, group: str, wanted: Sequence[Model], arrays: Mapping[str, Any]
) -> None:
    names = json.dumps([row_of(model, {}) for model in wanted])
    try:
        write_atomically(folder / f"{group}.npz", seal({"models": np.array(names), **arrays}))
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({reason_of(error)}); make room there."
        ) from None


def load_progress(folder: Path, group: str) -> tuple[tuple[Model, ...], dict[str, Any]] | None:
    """Models in training and their arrays, or None."""
    path = folder / f"{group}.npz"
    if not path.exists():
        return None
    try:
        arrays = unseal(read_sealed(path))
        found = tuple(model_of(row) for row in json_of(str(arrays["models"])))
    except (InputError, KeyError, TypeError, ValueError):
        raise InputError(f"{path} is damaged; delete it to train these again.") from None
    return found, arrays


def _order(row: Row) -> tuple[Any, ...]:
    return tuple(row[key] for key in KEYS)


def _foreign(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name != LOCK)


def _read(path: Path) -> Any:
    try:
        return json_of(read_text(path, "file"))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not JSON; delete it to train these again.") from None


MOST_NUMBERS = 50_000_000
"""Of chances, or of gates on one level, that are held at once; more models take turns."""


def reports(
    cell: str, weights: Weights, task: Language, size: int, train: Corpus, test: Iterable[Corpus]
) -> list[dict[str, Any]]:
    """For each model the measures that `mdlrnn test` gives, as its JSON has them."""
    first = _measured(cell, weights, task, [train])
    then = _measured(cell, weights, task, test)
    found = []
    for seen, unseen in zip(first, then, strict=True):
        report = Report(
            task.name, size, seen, unseen, None, seen.deterministic_steps > 0, task.title,
            task.noun, task.alphabet is not None,
        )  # fmt: skip
        data = report.to_dict()
        del data["first_failure"]
        found.append(data)
    return found


def _measured(
    cell: str, weights: Weights, task: Language, parts: Iterable[Corpus]
) -> list[Measures]:
    from ._training import chances_of, tree_of

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
                totals[i] = totals[i].plus(judge(of_one, part, truth, task.spelled)[0])
    return totals


LOOK_EPOCHS = 10
"""Between two looks at the clock and the user."""


class Plan(NamedTuple):
    """What is common to all groups of a baseline."""

    task: Language
    size: int
    epochs: int
    device: str
    threads: int

    def corpus(self) -> Corpus:
        return self.task.training(self.size, SEED)

    def tests(self) -> list[Corpus]:
        return list(self.task.tests(self.size, SEED))


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
    from ._training import Training, tree_of

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
    """The row with the lowest finite `key`; the first of equals."""
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
