"""The `mdlrnn` command. Subcommands are imported when called, so that `--help` answers at once."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module

import click

from .._version import __version__
from ..errors import InputError, RunError, printable
from ..files import reason_of
from ..limits import lift_limits

_COMMANDS = {
    "evolve": ("_evolve", "Search for the network that describes a corpus best."),
    "test": ("_tasks", "Measure how well a network does on a task, as in the paper."),
    "tasks": ("_tasks", "List the paper's tasks."),
    "language": ("_language", "Show what a notation, language file or grammar stands for."),
    "sample": ("_tasks", "Draw random strings of a language."),
    "enough": ("_enough", "Say how many strings make a right network win."),
    "baseline": ("_baseline", "Train the paper's classical RNNs on a task, for comparison."),
    "reproduce": ("_reproduce", "Make the paper's tables again, beside the published figures."),
    "bliss": ("_bliss", "Search on the BLISS benchmark and see how far networks generalise."),
    "runs": ("_runs", "List runs: where they stand and what they have found."),
    "watch": ("_watch", "Watch a run from another terminal, until it ends."),
    "report": ("_report", "Write a page on which to look inside a network or a run."),
    "atlas": ("_atlas", "Write a site of all that a folder of results holds."),
    "score": ("_score", "What a network costs on a corpus: |G|, |D:G| and their sum."),
    "explain": ("_explain", "What a network does, symbol by symbol, in words and equations."),
    "learned": ("_learned", "Say what a network has learned: a machine, its name, a theorem."),
    "compare": ("_learned", "Say whether two networks have learned the same."),
    "prove": ("_prove", "Prove a network right for every string, or show one that breaks it."),
    "check": ("_prove", "Have a second solver check the certificate of a proof."),
    "feed": ("_feed", "Feed a string and show every unit and probability at each step."),
    "draw": ("_draw", "Draw a network as SVG, PNG, PDF, TikZ or dot."),
    "export": ("_export", "Write a network for PyTorch, ONNX, SymPy, plain Python or C."),
    "encode": ("_code", "Write a network as the bits that |G| counts, part by part."),
    "decode": ("_code", "Read a network back from its bits."),
    "bench": ("_bench", "Measure the speed of this machine."),
}


class _Lazy(click.Group):
    """Lists commands from the table above and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"{__name__}.{_COMMANDS[cmd_name][0]}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
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
    """Leave, with what is still to be written; a device that is full is answered in a sentence."""
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
