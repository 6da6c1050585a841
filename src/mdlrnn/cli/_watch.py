"""`mdlrnn watch`: watch a run from another terminal, from its folder alone."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path

import click

from ..errors import InputError, printable
from ..interface._say import say
from ..interface._text import bits_text, count_text, curve_text, terminal_width, time_text
from ..network import Network, describe, summary
from ..runs import BEST, Status, check_holds_run, status_of
from ..show import history

SECONDS = 1.0


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
def watch(folder: Path) -> None:
    """Show how the run in the folder RUN stands, until it ends or Ctrl-C is pressed.

    Another process may be working on the run; watching does not disturb it.
    """
    check_holds_run(folder)
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

    with Live(shown(), console=Console(highlight=False), transient=True) as screen:
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
