"""`mdlrnn bench`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .._errors import InputError
from ._options import json_option
from ._show import echo_json

if TYPE_CHECKING:
    from .._bench import Speed

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group()
def bench() -> None:
    """Measure the speed of this machine."""


def threads_option(command: Command) -> Command:
    return click.option(
        "--threads",
        type=click.IntRange(1, 1024),
        help="Threads of the last column.  [default: all cores]",
    )(command)


@bench.command("score", short_help="Networks scored a second, beside the authors' code.")
@click.option("--seconds", default=1.0, show_default=True, help="Time for each measurement.")
@threads_option
@json_option
def bench_score(seconds: float, threads: int | None, as_json: bool) -> None:
    """Networks scored a second, beside the speed of the authors' released code.

    The networks and corpora are fixed, and all scores are finite. The authors' figures were
    measured once, on one core of a 2-core machine, so that the ratio is approximate.
    """
    from .._bench import score_speeds

    if not 0 < seconds <= 3600:
        raise InputError(f"--seconds is {seconds:g}; give a number above 0, at most 3600.")
    threads = threads or os.cpu_count() or 1
    _show_speeds("networks scored a second", score_speeds(seconds, threads), threads, as_json)


@bench.command("evolve", short_help="Steps of the search a second, beside the authors' code.")
@threads_option
@json_option
def bench_evolve(threads: int | None, as_json: bool) -> None:
    """Steps of the paper's search a second, beside the authors' 800.

    Two islands of 500 networks a thread; generations 100 to 500 are measured. The authors' figure
    was measured once, on anbn_500 and one core of a 2-core machine.
    """
    from .._bench import evolve_speeds

    threads = threads or os.cpu_count() or 1
    _show_speeds("steps of the search a second", evolve_speeds(threads), threads, as_json)


@bench.command("baseline", short_help="Classical RNNs trained together and one by one.")
@click.argument("task", metavar="[TASK]", default="anbn_500")
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True)
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True)
@json_option
def bench_baseline(task: str, seeds: int, epochs: int, as_json: bool) -> None:
    """An epoch of the paper's 84 configurations: trained together, and one by one.

    One by one is plain PyTorch over the padded strings. Both on one thread of the CPU.
    """
    from ..comparisons._torch import require_torch

    require_torch()
    from ..comparisons._speed import training_speeds
    from ._data import load_task

    known, suffix = load_task(task)
    speeds = []
    if not as_json:
        click.echo(f"{'':<12}{'models':>8}{'one by one':>14}{'together':>12}{'ratio':>8}")
    for speed in training_speeds(known, suffix or known.size, seeds, epochs):
        speeds.append(speed)
        if not as_json:
            _show_training(speed.group, speed.models, speed.alone, speed.together)
    models = sum(speed.models for speed in speeds)
    alone, together = (sum(part) for part in zip(*(s[2:4] for s in speeds), strict=True))
    if as_json:
        rows = [{**speed._asdict(), "ratio": speed.ratio} for speed in speeds]
        total = {"models": models, "alone": alone, "together": together, "ratio": alone / together}
        echo_json({"groups": rows, "all": total})
        return
    _show_training("all", models, alone, together)
    click.echo("\nmilliseconds an epoch of all models of a cell and size")


def _show_training(name: str, models: int, alone: float, together: float) -> None:
    click.echo(
        f"{name:<12}{models:>8}{1000 * alone:>14,.1f}{1000 * together:>12,.1f}"
        f"{alone / together:>8.1f}"
    )


def _show_speeds(title: str, speeds: Iterable[Speed], threads: int, as_json: bool) -> None:
    found = []
    if not as_json:
        last = f"{threads} threads"
        click.echo(title)
        click.echo(
            f"{'corpus':<14}{'authors':>9}{'1 thread':>12}{'ratio':>8}{last:>14}{'ratio':>8}"
        )
    for speed in speeds:
        found.append({**speed._asdict(), "ratio": speed.ratio, "scaling": speed.scaling})
        if not as_json:
            click.echo(
                f"{speed.corpus:<14}{speed.authors:>9,.0f}{speed.one:>12,.0f}{speed.ratio:>8,.0f}"
                f"{speed.many:>14,.0f}{speed.scaling:>8.2f}"
            )
    if as_json:
        echo_json(found)
    else:
        click.echo("\nratios: 1 thread to the authors' code, then all threads to 1 thread")
