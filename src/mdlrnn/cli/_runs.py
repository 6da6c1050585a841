"""`mdlrnn runs`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import click

from ..errors import printable
from ..interface._say import say, say_json
from ..interface._text import bits_text, count_text, table, terminal_width, time_text
from ..runs import Status, find_runs, status_of
from ._options import json_option

_DEFAULT = "runs"
_HEAD = ["run", "status", "generation", "|G|", "|D:G|", "MDL", "steps", "time"]


@click.command()
@click.argument("folders", metavar="[DIR]...", nargs=-1)
@json_option
def runs(folders: tuple[str, ...], as_json: bool) -> None:
    """List the runs at or under the folders DIR, by default ./runs."""
    roots = [Path(folder) for folder in folders or (_DEFAULT,)]
    if not folders and not roots[0].exists():
        found = []
    else:
        found = [status_of(folder) for root in roots for folder in find_runs(root)]
    if as_json:
        say_json([_as_json(status) for status in found])
        return
    if not found:
        where = ", ".join(map(str, roots))
        say(f"There are no runs in {where}; mdlrnn evolve CORPUS makes one.")
        return
    whole = [status for status in found if status.status != "broken"]
    if whole:
        say(_listing([_row(status) for status in whole]))
    for status in found:
        if status.where:
            text = f"{status.folder} is running on {status.where}."
            say(textwrap.fill(printable(text), terminal_width(), subsequent_indent="    "))
        if status.status == "broken":
            text = f"{status.folder}: broken: {status.reason}"
            say(textwrap.fill(text, terminal_width(), subsequent_indent="    "))


def _listing(rows: list[list[str]]) -> str:
    """A table, or where the terminal is too narrow for it a few lines a run."""
    wide = table(_HEAD, rows, left=2)
    if max(map(len, wide.splitlines())) <= terminal_width():
        return wide
    lines = []
    for name, status, generation, g, d_given_g, mdl, steps, seconds in rows:
        best = f"  |G| {g}  |D:G| {d_given_g}  MDL {mdl}" if g else ""
        lines.append(f"{name}  {status}")
        lines.append(f"    generation {generation}{best}  {steps} steps  {seconds}")
    return "\n".join(lines)


def _row(status: Status) -> list[str]:
    ended = f"{status.status}: {status.reason}" if status.reason else status.status
    return [
        str(status.folder),
        ended,
        f"{status.generation:,}",
        "" if status.g is None else f"{status.g:,}",
        "" if status.d_given_g is None else bits_text(status.d_given_g),
        "" if status.mdl is None else bits_text(status.mdl),
        count_text(status.steps),
        time_text(status.seconds),
    ]


def _as_json(status: Status) -> dict[str, Any]:
    return {**status._asdict(), "folder": str(status.folder)}
