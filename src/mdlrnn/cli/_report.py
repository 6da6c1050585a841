"""What is said when a run has ended."""

from __future__ import annotations

import math
import os
import shlex
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._text import describe
from ._show import bits_text, echo_json, terminal_width
from ._table import table
from ._theorem import task_language
from ._times import time_text

if TYPE_CHECKING:
    from .._corpus import Corpus
    from .._evolve import Run
    from .._run_files import Settings
    from .._search import Search
    from ._theorem import Theorem

HELD_OUT = "held_out.txt"
ROWS = 9
"""Rows of the front that are shown."""


def report(
    run: Run, folder: Path, settings: Settings, corpus: Corpus, theorem: Theorem | None = None
) -> None:
    spent = f"after {run.statistics.steps:,} steps in {time_text(run.statistics.seconds)}"
    click.echo(f"Ended: {_why(run)}.")
    click.echo(f"Generation {run.archipelago.generation:,}, {spent}.\n")
    for line in describe(run.best).splitlines():
        click.echo(textwrap.fill(line, terminal_width(), subsequent_indent="    "))
    click.echo()
    click.echo(f"|G|          {run.score.g:>12,}     bits, the network")
    click.echo(f"|D:G|        {bits_text(run.score.d_given_g):>15}  bits, the corpus")
    click.echo(f"|G| + |D:G|  {bits_text(run.score.mdl):>15}  bits")
    if run.value != run.score.mdl:
        click.echo(f"objective    {bits_text(run.value):>15}")
    if len(run.front) > 1:
        click.echo("\nThe lowest |D:G| found for each |G| (front.json):")
        click.echo(_front(run))
    if theorem is not None:
        click.echo()
        for sentence in theorem.lines(run):
            click.echo(textwrap.fill(sentence, terminal_width(), break_on_hyphens=False))
    click.echo(f"\nSaved in {folder}. Next:")
    for command in _next(run, folder, settings, corpus):
        click.echo(f"  {command}")


def report_json(run: Run, folder: Path, theorem: Theorem | None = None) -> None:
    statistics = run.statistics
    echo_json(
        {
            "folder": str(folder),
            "reason": run.reason,
            "generation": run.archipelago.generation,
            "steps": statistics.steps,
            "evaluations": statistics.evaluations,
            "seconds": statistics.seconds,
            "steps_per_second": statistics.steps_per_second,
            "value": run.value,
            "g": run.score.g,
            "d_given_g": run.score.d_given_g,
            "mdl": run.score.mdl,
            "network": run.best.to_dict(),
            "front": [
                {"g": s.g, "d_given_g": s.d_given_g, "mdl": s.mdl, "network": n.to_dict()}
                for n, s in run.front
            ],
            "history": run.history,
            "digest": run.archipelago.digest(),
            "theorem": None if theorem is None else theorem.to_dict(),
        }
    )


def _why(run: Run) -> str:
    search = run.search
    match run.reason:
        case "target":
            return f"the target of {search.target:,.10g} is reached"
        case "patience":
            return f"nothing better in {search.patience:,} generations"
        case "time":
            return f"the time of {time_text(search.seconds or 0)} is up"
        case "stopped":
            return "you stopped it"
        case "proved":
            return "a network is proved right for every string"
        case _:
            return "all generations asked for are done"


def _front(run: Run) -> str:
    """The rows around the best network."""
    scores = [score for _, score in run.front]
    middle = min(range(len(scores)), key=lambda i: (abs(scores[i].g - run.score.g), i))
    start = max(0, min(middle - ROWS // 2, len(scores) - ROWS))
    rows = [
        [f"{s.g:,}", bits_text(s.d_given_g), bits_text(s.mdl), "the best" if i == middle else ""]
        for i, s in enumerate(scores)
    ]
    return table(["|G|", "|D:G|", "MDL", ""], rows[start : start + ROWS])


def _next(run: Run, folder: Path, settings: Settings, corpus: Corpus) -> list[str]:
    best = shlex.quote(str(folder / "best.json"))
    words = " --words" if settings.corpus.get("words") else ""
    path = settings.corpus.get("path")
    commands = [f"mdlrnn feed {best} {_example(corpus, bool(words))}{words}"]
    if path is not None:
        here = shlex.quote(min(path, os.path.relpath(path), key=len))
        commands.append(f"mdlrnn score {best} {here}{words}{_encoding(run.search)}")
    held_out = folder / HELD_OUT
    if held_out.exists():
        commands.append(f"mdlrnn test {best} {shlex.quote(str(held_out))}{words}")
    task = settings.corpus.get("task")
    if task is not None:
        commands.append(f"mdlrnn test {best} {task}")
        if task_language(task) is not None:
            commands.append(f"mdlrnn prove {best} {task_language(task)}")
    commands.append(f"mdlrnn report {shlex.quote(str(folder))} -o report.html")
    more = {
        "generations": f" --generations {2 * max(1, run.search.generations)}",
        "patience": " --patience none",
        "target": " --target none",
        "time": f" --time {math.ceil(2 * (run.search.seconds or 0))}s",
    }.get(run.reason, "")
    commands.append(f"mdlrnn evolve --resume {shlex.quote(str(folder))}{more}")
    return commands


def _example(corpus: Corpus, words: bool) -> str:
    """A short string of the corpus, ready to be typed."""
    if corpus.alphabet is None:
        step = ",".join(["1"] * corpus.inputs)
        return shlex.quote(f"{step} {step}")
    short = [string for _, (string, _) in zip(range(3), corpus.strings(), strict=False)]
    return shlex.quote((" " if words else "").join(short[-1]))


def _encoding(search: Search) -> str:
    """The options under which `mdlrnn score` gives the same |G|."""
    plain: Any = type(search)()
    text = "" if search.encoding == plain.encoding else f" --encoding {search.encoding}"
    if search.activations != plain.activations:
        text += f" --activations {','.join(search.activations)}"
    return text + (" --products" if search.products else "")
