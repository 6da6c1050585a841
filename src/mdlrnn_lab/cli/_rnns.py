"""`mdlrnn lab rnns`: the paper's classical RNNs on a task, beside the published best."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from mdlrnn.cli import command, json_option
from mdlrnn.interface import EXIT_CODE, StopSignals, say, say_json, say_now, table, time_text
from mdlrnn.languages import Language
from mdlrnn.measures import percent_text
from mdlrnn.search import workers_from

from .._sized import with_size
from ..rnns import accuracy, require_torch, selected, train, type_title
from ..tables import published_for

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..rnns import TrainingProgress

SHOWN = 8
"""Rows of the table that are shown; the files have all."""


@command()
@click.argument("task", metavar="TASK")
@click.option("--size", type=click.IntRange(min=1), metavar="N", help="The task's training size.")
@click.option(
    "--configs",
    default="all",
    show_default=True,
    metavar="NAMES",
    help="Which, by the first parts of their names: elman,gru-32,lstm-4-l1-0.1",
)
@click.option(
    "--seeds", type=click.IntRange(1), default=3, show_default=True, help="Models of each."
)
@click.option(
    "--epochs", type=click.IntRange(1), default=1_000, show_default=True, help="As in the paper."
)
@click.option(
    "--workers", metavar="WHO",
    help="A number of threads of PyTorch; tcp://HOST:PORT of a Dask scheduler, local:N or a .yaml "
    "file; cuda, or cuda@ before one of these. [default: 1]",
)  # fmt: skip
@click.option("--out", metavar="DIR", help="The folder. [default: baselines/TASK_SIZE]")
@click.option("--quiet", is_flag=True, help="Say nothing but the end.")
@json_option
def rnns(
    task: str,
    size: int | None,
    configs: str,
    seeds: int,
    epochs: int,
    workers: str | None,
    out: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train Elman, GRU and LSTM networks on TASK and measure them as mdlrnn test does.

    The paper's 84 configurations: 2, 4, 32 and 128 hidden units; no regularisation, or L1 or L2
    with λ = 1, 0.1 or 0.01. All models of one cell and size train as one. What is done is kept in
    the folder, as results.csv and results.json; called again, the command trains what is missing.
    On a cluster each worker trains all models of one cell and size at a time.
    """
    if workers_from(workers).cluster is None:
        require_torch()
    chosen = selected(configs.split(","))
    known, size = with_size(task, size)
    folder = Path(out) if out is not None else Path("baselines") / f"{known.name}_{size}"
    with shown(quiet, folder) as tell:
        rows = train(
            folder, known, chosen, size=size, seeds=seeds, epochs=epochs, workers=workers,
            on_progress=tell,
        )  # fmt: skip
    if as_json:
        say_json({"folder": str(folder), "rows": rows, "published": _beside(known, size)})
    else:
        _report(rows, folder, known, size)


def _beside(task: Language, size: int) -> dict[str, Any] | None:
    return published_for(task.name, size)


def _report(rows: Sequence[dict[str, Any]], folder: Path, task: Language, size: int) -> None:
    ordered = sorted(rows, key=lambda row: (row["test_cross_entropy"] or float("inf"), row["seed"]))
    words = "deterministic" if ordered[0]["test_deterministic_accuracy"] is not None else ""
    head = ["RNN", "hidden", "λ", "seed", "train CE", "test CE", f"{words or 'categorical'} acc."]
    shown = [
        [
            type_title(row["cell"], row["regularisation"]),
            f"{row['hidden']}",
            f"{row['lambda']:g}" if row["lambda"] else "",
            f"{row['seed']}",
            _number(row["train_cross_entropy"]),
            _number(row["test_cross_entropy"]),
            _percent(accuracy(row)),
        ]
        for row in ordered[:SHOWN]
    ]
    count = "1 model" if len(rows) == 1 else f"{len(rows):,} models"
    say(f"{task.title}, {size:,}: {count}, best test cross-entropy first\n")
    say(table(head, shown, 1))
    optimal = _number(ordered[0]["optimal_test_cross_entropy"])
    say(f"\ncross-entropy in bits a character; optimal {optimal}")
    perfect = sum(accuracy(row) == 1 for row in rows)
    say(f"models with 100 % test accuracy: {perfect}")
    printed = _beside(task, size)
    if printed is not None:
        best, theirs = ordered[0]["test_cross_entropy"], printed["rnn_test_cross_entropy_bits"]
        say(
            f"published best RNN: {printed['rnn_type']}, {printed['rnn_size']} hidden, "
            f"test CE {theirs:.4f}, accuracy {printed['rnn_accuracy']} %"
        )
        if best is not None:
            say(f"the best here differs by {100 * (best / theirs - 1):+.1f} %")
    say(f"\nAll rows: {folder / 'results.csv'} and results.json")


def _number(value: float | None) -> str:
    return "infinite" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{percent_text(value)} %"


LINE_SECONDS = 10.0


class TrainingDisplay(Protocol):
    def __enter__(self) -> Any: ...

    def __exit__(self, *error: object) -> None: ...

    def __call__(self, progress: TrainingProgress) -> None: ...

    def say(self, message: str) -> None:
        """Tell something in passing. Signal handlers call this."""


def training_display(quiet: bool) -> TrainingDisplay:
    if quiet:
        return QuietTraining()
    able = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return BarTraining() if able else LinesTraining()


@contextmanager
def shown(quiet: bool, folder: Path) -> Iterator[Callable[[TrainingProgress], bool]]:
    """What a training is to tell. Ctrl-C ends the command, with all saved in the folder."""
    from ..rnns import Stopped

    display = training_display(quiet)
    with StopSignals(display.say) as stop:

        def tell(progress: TrainingProgress) -> bool:
            display(progress)
            return stop.asked

        try:
            with display:
                yield tell
        except Stopped:
            say(f"Stopped; what is done is in {folder}, and the same command goes on.", err=True)
            click.get_current_context().exit(EXIT_CODE)


class QuietTraining:
    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...

    def __call__(self, progress: TrainingProgress) -> None: ...

    def say(self, message: str) -> None:
        say_now(message)


class LinesTraining(QuietTraining):
    """A line on standard error for each group, and while one takes long."""

    def __init__(self) -> None:
        self._said_at = 0.0
        self._said: TrainingProgress | None = None

    def __call__(self, progress: TrainingProgress) -> None:
        at = time.monotonic()
        if progress == self._said:
            return
        if progress.epoch == progress.epochs or at - self._said_at >= LINE_SECONDS:
            self._said_at, self._said = at, progress
            with suppress(OSError):
                say(_line(progress), err=True)


class BarTraining(QuietTraining):
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar: Progress = Progress(
            TextColumn("{task.description}"), BarColumn(12), TextColumn("{task.fields[left]}"),
            console=Console(stderr=True, highlight=False), transient=True,
        )  # fmt: skip
        self._group = self._bar.add_task("", total=1, left="Ctrl-C stops and saves")

    def __enter__(self) -> None:
        self._bar.start()

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self._bar.stop()

    def __call__(self, progress: TrainingProgress) -> None:
        self._bar.update(
            self._group,
            description=_title(progress),
            completed=progress.epoch,
            total=progress.epochs,
            left=f"{progress.epoch:,} of {progress.epochs:,}{_loss(progress)}, "
            f"{time_text(progress.seconds)}",
        )


def _title(progress: TrainingProgress) -> str:
    return f"{progress.group} x{progress.models} ({progress.groups_done + 1} of {progress.groups})"


def _line(progress: TrainingProgress) -> str:
    return (
        f"{_title(progress)}: epoch {progress.epoch:,} of {progress.epochs:,}"
        f"{_loss(progress)}, {time_text(progress.seconds)}"
    )


def _loss(progress: TrainingProgress) -> str:
    return f", lowest loss {progress.loss:.4f}" if math.isfinite(progress.loss) else ""
