"""`mdlrnn bench`."""

from __future__ import annotations

import os

import click

from .._errors import InputError
from ._options import json_option
from ._show import echo_json


@click.group()
def bench() -> None:
    """Measure the speed of this machine."""


@bench.command("score", short_help="Networks scored a second, beside the authors' code.")
@click.option("--seconds", default=1.0, show_default=True, help="Time for each measurement.")
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    help="Threads of the last column.  [default: all cores]",
)
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
    found = []
    if not as_json:
        last = f"{threads} threads"
        click.echo("networks scored a second")
        click.echo(
            f"{'corpus':<14}{'authors':>9}{'1 thread':>12}{'ratio':>8}{last:>14}{'ratio':>8}"
        )
    for speed in score_speeds(seconds, threads):
        found.append({**speed._asdict(), "ratio": speed.ratio, "scaling": speed.scaling})
        if not as_json:
            click.echo(
                f"{speed.corpus:<14}{speed.authors:>9,}{speed.one:>12,.0f}{speed.ratio:>8,.0f}"
                f"{speed.many:>14,.0f}{speed.scaling:>8.2f}"
            )
    if as_json:
        echo_json(found)
    else:
        click.echo("\nratios: 1 thread to the authors' code, then all threads to 1 thread")
