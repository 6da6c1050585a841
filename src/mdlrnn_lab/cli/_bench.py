"""`mdlrnn lab bench`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import click

from mdlrnn.cli import Command, json_option
from mdlrnn.interface import parse_time, say, say_json
from mdlrnn.search import CARD, local_workers

from .._sized import with_size
from ..bench import (
    BENCH_ISLANDS,
    CardSpeed,
    Speed,
    card_evolve_speeds,
    card_score_speeds,
    evolve_speeds,
    score_speeds,
)


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
