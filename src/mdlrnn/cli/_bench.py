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
