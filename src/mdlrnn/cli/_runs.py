"""`mdlrnn runs`: runs as a list, or one of them until it ends."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import InputError, printable
from ..interface import (
    bits_text,
    count_text,
    curve_text,
    say,
    say_json,
    table,
    terminal_width,
    time_text,
)
from ..network import Network, describe, summary
from ..runs import BEST, SETTINGS, Status, check_holds_run, find_runs, holds_run, status_of
from ..show import history
from ..waiting import hidden
from ._group import command
from ._options import json_option

_DEFAULT = "runs"
_HEAD = ["run", "status", "generation", "|G|", "|D:G|", "MDL", "steps", "time"]


@command(doing="reading the runs")
@click.argument("folders", metavar="[DIR]...", nargs=-1)
@click.option(
    "--watch", is_flag=True, help="Show how the run in DIR stands, until it ends or Ctrl-C."
)
@json_option
def runs(folders: tuple[str, ...], watch: bool, as_json: bool) -> None:
    """List the runs at or under the folders DIR, by default ./runs and those in this folder.

    With --watch one run is shown as it goes on. Another process may be working on it; watching does
    not disturb that. If DIR holds several runs, the one that began last is shown.
    """
    if watch:
        if as_json or len(folders) > 1:
            raise InputError("--watch shows one run; give one DIR, and leave out --json.")
        _watch(_newest([Path(folders[0])] if folders else _here()))
        return
    roots = [Path(folder) for folder in folders] or _here()
    found = [status_of(folder) for root in roots for folder in find_runs(root)]
    if as_json:
        say_json([_as_json(status) for status in found])
        return
    if not found:
        where = ", ".join(map(str, roots)) or "this folder"
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
    origin = None if status.origin is None else status.origin.to_dict()
    return {**status._asdict(), "folder": str(status.folder), "origin": origin}


SECONDS = 1.0


def _here() -> list[Path]:
    """The folder of runs, and the folders beside it that are runs, or hold runs of several seeds;
    deeper in this folder may be anything."""
    beside = [folder for folder in sorted(Path().iterdir()) if folder.is_dir()]
    return [
        folder
        for folder in beside
        if folder.name == _DEFAULT or holds_run(folder) or holds_run(folder / "seed-1")
    ]


def _newest(folders: Sequence[Path]) -> Path:
    """The run in a folder, or the one under these that began last."""
    if len(folders) == 1 and holds_run(folders[0]):
        return folders[0]
    found = [f for root in folders if root.exists() for f in find_runs(root) if holds_run(f)]
    if not found:
        check_holds_run(folders[0] if folders else Path(_DEFAULT))
    return max(found, key=lambda run: (run / SETTINGS).stat().st_mtime)


def _watch(folder: Path) -> None:
    status = _intact_status(folder)
    if status.status == "running":
        live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        status = _live(folder, status) if live else _lines(folder, status)
    say("\n".join(view(folder, status)))


def view(folder: Path, status: Status) -> list[str]:
    """The run in a few lines: its state, the best network, the way there."""
    width = terminal_width()
    ended = f"{status.status}: {status.reason}" if status.reason else status.status
    lines = [f"{folder}  {ended}"]
    rows = [("corpus", status.corpus or "not named")]
    if status.g is not None:
        rows.append(("best", best_text(status)))
    if status.origin is not None:
        rows.append(("origin", str(status.origin)))
    rows.append(("MDL", curve(folder, width - 12)))
    of = "" if status.generations is None else f" of {status.generations:,}"
    rows.append(("generation", f"{status.generation:,}{of}"))
    rows.append(("steps", f"{count_text(status.steps)} in {time_text(status.seconds)}"))
    if status.where:
        rows.append(("running on", printable(status.where)))
    network = _best(folder)
    if network is not None:
        rows.append(("network", summary(network)))
    for name, text in rows:
        if text:
            indent = " " * 12
            wrapped = textwrap.fill(f"{name:<12}{text}", width, subsequent_indent=indent)
            lines.append(wrapped)
    if network is not None:
        lines.append("")
        for line in describe(network).splitlines():
            lines.append(textwrap.fill(line, width, subsequent_indent="    "))
    return "\n".join(lines).splitlines()


def curve(folder: Path, width: int) -> str:
    """The best MDL from the first generation to the last, as a line of bars."""
    data = history(folder)
    return curve_text(data.generation, data.mdl, width)


def best_text(status: Status) -> str:
    assert status.g is not None
    data = "infinite" if status.d_given_g is None else bits_text(status.d_given_g)
    mdl = "infinite" if status.mdl is None else bits_text(status.mdl)
    return f"|G| {status.g:,}  |D:G| {data}  MDL {mdl}"


def _live(folder: Path, status: Status) -> Status:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    def shown() -> Text:
        return Text("\n".join([*view(folder, status), "", "Ctrl-C ends the view, not the run"]))

    with hidden(), Live(shown(), console=Console(highlight=False), transient=True) as screen:
        while status.status == "running":
            time.sleep(SECONDS)
            status = _intact_status(folder)
            screen.update(shown())
    return status


def _lines(folder: Path, status: Status) -> Status:
    """Where there is no screen, a line for each change."""
    said = ""
    while status.status == "running":
        line = f"generation {status.generation:,}: " + (
            best_text(status) if status.g is not None else "nothing found yet"
        )
        if line != said:
            say(line)
            said = line
        time.sleep(SECONDS)
        status = _intact_status(folder)
    return status


def _intact_status(folder: Path) -> Status:
    status = status_of(folder)
    if status.status == "broken":
        raise InputError(f"{folder}: this run is broken ({status.reason}); choose another.")
    return status


def _best(folder: Path) -> Network | None:
    return Network.load(folder / BEST) if (folder / BEST).exists() else None
