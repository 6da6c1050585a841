"""The `mdlrnn` command. Subcommands are imported when called, so that `--help` answers at once."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib.metadata import entry_points

import click

from .._version import __version__
from ..errors import InputError, RunError, printable
from ..files import reason_of
from ..limits import lift_limits
from ..old import COMMANDS
from ..waiting import doing, shown
from ._group import Entry, LazyGroup

PLUGINS = "mdlrnn.commands"
"""The entry points of other packages whose commands are shown here."""
LABORATORY = "lab"
SECTIONS = {
    "Learn": {
        "evolve": Entry("_evolve", "Search for the network that describes strings best."),
        "learned": Entry("_learned", "Say what a network, or a search on strings, has learned."),
        "runs": Entry("_runs", "List runs, or watch one until it ends."),
    },
    "Judge": {
        "test": Entry("_judge", "Measure a network on strings it has not seen."),
        "prove": Entry("_judge", "Prove a network right for every string; check a proof."),
        "score": Entry("_judge", "Say what a network costs: |G|, |D:G| and their sum."),
        "compare": Entry("_learned", "Say whether two networks have learned the same."),
        "enough": Entry("_learned", "Say how many strings make a right network win."),
    },
    "Look inside": {
        "feed": Entry("_inside", "Show every unit and probability, symbol by symbol."),
        "explain": Entry("_inside", "Say in words and equations what a network does."),
        "draw": Entry("_show", "Draw a network or a machine: SVG, PNG, PDF, TikZ, dot."),
        "report": Entry("_show", "Write a page on a network or a run."),
        "bits": Entry("_inside", "Write a network as the bits of |G|, or read it from bits."),
    },
    "Make": {
        "language": Entry("_language", "List languages, or show what one stands for."),
        "construct": Entry("_language", "Write the network that runs a language's machine."),
        "sample": Entry("_language", "Draw random strings of a language."),
        "export": Entry("_show", "Write a network for PyTorch, ONNX, SymPy, Python or C."),
    },
    "Laboratory": {
        LABORATORY: Entry("", "Make the paper's tables, comparisons and measurements again."),
    },
}


class _Commands(LazyGroup):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _laboratory() if cmd_name == LABORATORY else super().get_command(ctx, cmd_name)


def _laboratory() -> click.Command:
    """The commands of the laboratory, a package of its own that may be missing."""
    found = tuple(entry_points(group=PLUGINS, name=LABORATORY))
    try:
        command = found[0].load()
    except (IndexError, ModuleNotFoundError) as error:
        if getattr(error, "name", None) not in (None, "mdlrnn_lab"):
            raise
        raise InputError(
            "the laboratory (the package mdlrnn_lab) is not installed; install mdlrnn again with "
            "pip install --force-reinstall mdlrnn."
        ) from None
    assert isinstance(command, click.Command)
    return command


@click.group(
    cls=_Commands,
    package=__package__,
    sections=SECTIONS,
    old_commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="mdlrnn")
@click.option("--no-limits", is_flag=True, help="Read files of any size.")
def cli(no_limits: bool) -> None:
    """Networks that generalise perfectly from a handful of examples and that a person can read."""
    if no_limits:
        lift_limits()


def main() -> None:
    """Run the command; bad input ends in one sentence on standard error and exit code 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # symbols may be beyond the locale
    try:
        with shown(), doing("starting"):
            code = cli.main(prog_name="mdlrnn", standalone_mode=False)
    except InputError as error:
        _stop(f"mdlrnn: {error}", 2)
    except RunError as error:
        _stop(f"mdlrnn: {error}", 1)
    except click.UsageError as error:
        _stop(*_usage(error))
    except (click.Abort, KeyboardInterrupt):
        _stop("mdlrnn: stopped.", 130)
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        _stop(f"mdlrnn: the output cannot be written ({reason_of(error)}); make room for it.", 1)
    except MemoryError:
        _stop("mdlrnn: there is not enough memory for that; give less, or smaller files.", 1)
    _flush(code if isinstance(code, int) else 0)


def _flush(code: int) -> None:
    """Write buffered output and exit; if it cannot be written, say why in one sentence."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        _leave_quietly(
            f"mdlrnn: the output cannot be written ({reason_of(error)}); make room for it.", 1
        )
    sys.exit(code)


def _leave_quietly(message: str = "", code: int = 141) -> None:
    """Without the interpreter's own attempt to flush, which would fail once more."""
    if message:
        _say(message)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _usage(error: click.UsageError) -> tuple[str, int]:
    where = error.ctx.command_path if error.ctx else "mdlrnn"
    message = error.format_message()
    if error.ctx and message == error.ctx.get_help():  # a group was called without a command
        return message, error.exit_code
    wrong, _, remedy = message.rstrip(".").partition(". ")
    remedy = remedy or f"see {where} --help."
    wrong, remedy = (text[:1].lower() + text[1:] for text in (wrong, remedy))
    return f"{where}: {wrong}; {remedy}", error.exit_code


def _stop(message: str, code: int) -> None:
    _say(message)
    sys.exit(code)


def _say(message: str) -> None:
    """Also where standard error is closed, or what a user typed has control characters."""
    with suppress(OSError):
        click.echo("\n".join(map(printable, message.split("\n"))), err=True)
