"""`mdlrnn lab atlas`: a folder of results as a site; `mdlrnn lab bliss`: the BLISS benchmark."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mdlrnn.cli import command, json_option, listed, numbers, workers_option
from mdlrnn.interface import EXIT_CODE, StopSignals, filled, parse_time, say, say_json, say_now
from mdlrnn.search import Stop

from ..site import INDEX, SECONDS, TITLE
from ..site import atlas as make_atlas
from ..tables import (
    MOST_STRINGS,
    SEARCHED,
    STRINGS,
    Row,
    RunStopped,
    bliss_notes,
    bliss_rows,
    bliss_table,
)


@command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default="atlas", show_default=True,
    help="The folder of the site: a new one, or that of an atlas.",
)  # fmt: skip
@click.option("--title", default=TITLE, show_default=True, help="The heading of the index.")
@click.option(
    "--time", "limit", metavar="TIME", default=f"{SECONDS:g}s", show_default=True,
    help="For the proof of a network, and for what it has learned if there is none.",
)  # fmt: skip
@click.option("--docs", metavar="ADDRESS", help="Link to this page from the index.")
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="[default: one for each core]"
)
@click.option("--quiet", is_flag=True, help="Say nothing but the end.")
def atlas(
    results: Path, out: Path, title: str, limit: str, docs: str | None, workers: int | None,
    quiet: bool,
) -> None:  # fmt: skip
    """Write a site with a page for each language of a folder of results, and an index of them.

    RESULTS holds run folders, files of `python -m benchmarks.languages run`, or files of networks,
    at any depth. Each page has the language, the corpus, the network drawn, what it has learned,
    the theorem, and a page to step through strings. What was found out is kept in the site, so that
    a second call only does what is missing. The pages work offline.
    """
    made = make_atlas(
        results, out, title=title, seconds=parse_time(limit, "--time"),
        workers=workers or os.cpu_count() or 1, docs=docs,
        tell=None if quiet else lambda text: say(text, err=True),
    )  # fmt: skip
    for problem in made.problems:
        say(problem, err=True)
    languages = f"{made.languages:,} language{'' if made.languages == 1 else 's'}"
    exact = f", {made.only_exact:,} of them in exact numbers only" if made.only_exact else ""
    say(f"{languages}, {made.proved:,} proved{exact}; open {out / INDEX} in a browser")


@command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--languages", metavar="NAMES", help="an_bn,dyck_1, say. [default: all]")
@click.option("--sizes", metavar="NUMBERS", help="Training strings: 100,500, say. [default: all]")
@click.option("--time", "limit", metavar="TIME", help=f"Of each search. [default: {SEARCHED:.0f}s]")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--strings", type=click.IntRange(1, MOST_STRINGS), default=STRINGS, show_default=True,
    help="Test strings, shortest first.",
)  # fmt: skip
@workers_option
@click.option(
    "-o", "--out", type=click.Path(path_type=Path),
    help="Keep the table here, as JSON; what it has of the same version, time, seed and test "
    "strings is not made again.",
)  # fmt: skip
@json_option
def bliss(
    folder: Path, languages: str | None, sizes: str | None, limit: str | None, seed: int,
    strings: int, workers: str | None, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Search on every training set of BLISS and see how far the networks generalise.

    FOLDER is a clone of the benchmark of Lan, Chemla and Katzir (2023), as it is: zipped, with its
    password and masks. A test string is right if at every step with one possible symbol the network
    gives that the most, or for Dyck languages if it gives exactly the possible symbols 0.005 or
    more. A theorem answers for all strings at once. With another --time every search is made again;
    what FILE had before stays in it and is not shown.
    """
    rows: list[Row] = []
    stopped = False
    try:
        with StopSignals(say_now) as signals:
            for row in bliss_rows(
                folder,
                listed(languages) if languages else (),
                numbers(sizes, "--sizes") if sizes else (),
                stop=Stop(seconds=SEARCHED if limit is None else parse_time(limit, "--time")),
                search=None,
                strings=strings,
                workers=workers,
                seed=seed,
                out=out,
                tell=None if as_json else lambda text: say(text, err=True),
                is_stopped=lambda: signals.asked,
            ):
                rows.append(row)
    except RunStopped:
        stopped = True
    except Exception:
        if rows:
            _show(rows, as_json)
        raise
    if rows or as_json:
        _show(rows, as_json)
    if stopped:
        say(_stopped(out), err=True)
        click.get_current_context().exit(EXIT_CODE)


def _show(rows: list[Row], as_json: bool) -> None:
    if as_json:
        say_json(rows)
        return
    say(bliss_table(rows))
    for note in bliss_notes(rows):
        say(filled(note))


def _stopped(out: Path | None) -> str:
    if out is None:
        return "Stopped; with -o FILE what is done is kept, and the same command goes on."
    if not out.exists():
        return "Stopped before the first search was done; the same command begins again."
    return f"Stopped; what is done is in {out}, and the same command goes on."
