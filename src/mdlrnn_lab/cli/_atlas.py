"""`mdlrnn lab atlas`: a folder of results as a site."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mdlrnn.cli import command
from mdlrnn.interface import parse_time, say

from .._atlas import atlas as make_atlas
from ..site import INDEX, SECONDS, TITLE


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
