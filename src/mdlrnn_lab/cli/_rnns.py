"""`mdlrnn lab rnns`: the paper's classical RNNs on a task, beside the published best; and
`mdlrnn lab bench`.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from mdlrnn.cli import Command, command, json_option
from mdlrnn.interface import (
    EXIT_CODE,
    StopSignals,
    parse_time,
    say,
    say_json,
    say_now,
    table,
    time_text,
)
from mdlrnn.languages import Language
from mdlrnn.measures import percent_text
from mdlrnn.search import CARD, local_workers, workers_from
from mdlrnn.waiting import hidden

from ..bench import (
    BENCH_ISLANDS,
    CardSpeed,
    Speed,
    card_evolve_speeds,
    card_score_speeds,
    evolve_speeds,
    score_speeds,
)
from ..rnns import accuracy, require_torch, selected, train, type_title, with_size
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
    "--seeds", type=click.IntRange(1), default=3, show_default=True, help="Seeds per config."
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
        self._hidden = ExitStack()
        self._group = self._bar.add_task("", total=1, left="Ctrl-C stops and saves")

    def __enter__(self) -> None:
        self._hidden.enter_context(hidden())
        self._bar.start()

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self._bar.stop()
        self._hidden.close()

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


@click.group()
def bench() -> None:
    """Measure the speed of this machine."""


workers_option = click.option(
    "--workers",
    metavar="N|cuda",
    help="Threads of the last column, or a graphics card beside all threads.  [default: all cores]",
)


@bench.command("score", cls=Command, short_help="Networks scored a second, beside plain NumPy.")
@click.option(
    "--time", "limit", metavar="TIME", default="1s", show_default=True, help="Of each measurement."
)
@workers_option
@json_option
def bench_score(limit: str, workers: str | None, as_json: bool) -> None:
    """Networks scored a second, beside plain NumPy and the authors' released code.

    The networks and corpora are fixed, and all scores are finite. Plain NumPy feeds the padded
    batch of strings, in this run. The authors' code was measured once, on one core of another
    machine, so that the ratio to it is approximate.
    """
    seconds = parse_time(limit, "--time")
    _show(
        "networks scored a second", workers, as_json,
        lambda threads: card_score_speeds(seconds, threads),
        lambda threads: score_speeds(seconds, threads),
    )  # fmt: skip


@bench.command(
    "evolve", cls=Command, short_help="Steps of the search a second, beside plain NumPy."
)
@workers_option
@click.option(
    "--islands",
    type=click.IntRange(1),
    default=BENCH_ISLANDS,
    show_default=True,
    help="Islands on the card.",
)
@json_option
def bench_evolve(workers: str | None, islands: int, as_json: bool) -> None:
    """Steps of the paper's search a second, beside what plain NumPy would allow.

    Two islands of 500 networks a thread; generations 100 to 500 are measured. Plain NumPy only
    scores the networks of an island, in this run. The authors' search was measured once, on
    anbn_500 and one core of another machine.

    With --workers cuda it is the default search on more corpora, with enough islands to keep a
    large card busy; no other code is measured.
    """
    _show(
        "steps of the search a second", workers, as_json,
        lambda threads: card_evolve_speeds(threads, islands), evolve_speeds,
    )  # fmt: skip


@bench.command(
    "baseline", cls=Command, short_help="Classical RNNs trained together and one by one."
)
@click.argument("task", metavar="[TASK]", default="anbn_500")
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True)
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True)
@json_option
def bench_baseline(task: str, seeds: int, epochs: int, as_json: bool) -> None:
    """An epoch of the paper's 84 configurations: trained together, and one by one.

    One by one is plain PyTorch over the padded strings. Both on one thread of the CPU.
    """
    from ..rnns import require_torch

    require_torch()
    from ..rnns import training_speeds

    known, size = with_size(task)
    speeds = []
    if not as_json:
        say(f"{'':<12}{'models':>8}{'one by one':>14}{'together':>12}{'ratio':>8}")
    for speed in training_speeds(known, size, seeds, epochs):
        speeds.append(speed)
        if not as_json:
            _show_training(speed.group, speed.models, speed.alone, speed.together)
    models = sum(speed.models for speed in speeds)
    alone, together = (sum(part) for part in zip(*(s[2:4] for s in speeds), strict=True))
    if as_json:
        rows = [{**speed._asdict(), "ratio": speed.ratio} for speed in speeds]
        total = {"models": models, "alone": alone, "together": together, "ratio": alone / together}
        say_json({"groups": rows, "all": total})
        return
    _show_training("all", models, alone, together)
    say("\nmilliseconds an epoch of all models of a cell and size")


def _show(
    title: str, workers: str | None, as_json: bool,
    on_card: Callable[[int], Iterable[CardSpeed]], here: Callable[[int], Iterable[Speed]],
) -> None:  # fmt: skip
    spec = local_workers(workers)
    threads = spec.threads or os.cpu_count() or 1
    if spec.device == CARD:
        _show_card_speeds(title, on_card(threads), threads, as_json)
    else:
        _show_speeds(title, here(threads), threads, as_json)


def _show_card_speeds(title: str, speeds: Iterable[CardSpeed], threads: int, as_json: bool) -> None:
    found: list[dict[str, Any]] = []
    for speed in speeds:
        if not found and not as_json:
            say(title)
            say(f"{'corpus':<14}{f'{threads} threads':>14}{'card':>14}{'ratio':>8}")
        found.append({**speed._asdict(), "ratio": speed.ratio})
        if not as_json:
            say(f"{speed.corpus:<14}{speed.many:>14,.0f}{speed.card:>14,.0f}{speed.ratio:>8.1f}")
    if as_json:
        say_json(found)


def _show_training(name: str, models: int, alone: float, together: float) -> None:
    say(
        f"{name:<12}{models:>8}{1000 * alone:>14,.1f}{1000 * together:>12,.1f}"
        f"{alone / together:>8.1f}"
    )


def _show_speeds(title: str, speeds: Iterable[Speed], threads: int, as_json: bool) -> None:
    found = []
    if not as_json:
        last = f"{threads} threads"
        say(title)
        say(
            f"{'corpus':<14}{'authors*':>10}{'ratio':>7}{'NumPy':>9}{'ratio':>7}{'1 thread':>12}"
            f"{last:>13}{'ratio':>7}"
        )
    for speed in speeds:
        ratios = {
            "ratio": speed.ratio, "authors_ratio": speed.authors_ratio, "scaling": speed.scaling,
        }  # fmt: skip
        found.append({**speed._asdict(), **ratios})
        if not as_json:
            say(
                f"{speed.corpus:<14}{speed.authors:>10,.0f}{speed.authors_ratio:>7,.0f}"
                f"{speed.padded:>9,.0f}{speed.ratio:>7,.0f}{speed.one:>12,.0f}{speed.many:>13,.0f}"
                f"{speed.scaling:>7.2f}"
            )
    if as_json:
        say_json(found)
    else:
        say("\n* the authors' released code, measured once on another machine")
        say("ratios: 1 thread to the column before, then all threads to 1 thread")
