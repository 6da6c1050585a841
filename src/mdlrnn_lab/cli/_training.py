"""How a training is shown: a bar where there is a terminal, else a line now and then."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from mdlrnn.interface import EXIT_CODE, StopSignals, say, say_now, time_text

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..rnns import TrainingProgress

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
