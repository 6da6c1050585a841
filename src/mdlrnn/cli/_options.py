"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import click

from ..corpus import blank_lines
from ..errors import InputError
from ..files import STANDARD_INPUT, check_writable, named
from ..interface import say
from ..languages import SEED, STDIN, Language
from ..machines import SEEDS, SUFFIXES
from ..network import SCHEMES, Encoding, Network
from ..runs import encoding_of
from ..search import Search
from ._group import option

Command = TypeVar("Command", bound=Callable[..., Any])

SEARCHES: dict[str, Callable[[], Search]] = {"default": Search, "paper": Search.paper}
"""What --search names."""

network_argument = click.argument("network", metavar="NET_OR_RUN", type=click.Path())
workers_option = option(
    "--workers",
    metavar="WHO",
    group="Where it runs",
    help="A number of threads; tcp://HOST:PORT of a Dask scheduler, local:N for N processes, or a "
    ".yaml file; cuda for a graphics card, or cuda@ before one of these; mpi. [default: all cores; "
    "with --resume a card's run stays on the card]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
words_option = click.option(
    "--words", is_flag=True, help="Symbols are words between blanks, not single characters."
)
saturation_option = click.option(
    "--no-saturation",
    "uncut",
    is_flag=True,
    help="Do not cut sums to ±10^6, whatever the network says.",
)
format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "markdown", "latex"]),
    default="text",
    show_default=True,
    help="How it is written.",
)


seed_option = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS - 1),
    default=SEED,
    show_default=True,
    help="100 gives the paper's own strings.",
)


def encoding_options(function: Command) -> Command:
    """--encoding, --activations and --products, to be given to `encoding_from`."""
    for add in (
        click.option("--products", is_flag=True, help="Networks may have product units."),
        click.option(
            "--activations",
            metavar="NAMES",
            help="Activations that networks may have, separated by commas.  [default: the "
            "paper's six, and those that the network has]",
        ),
        click.option(
            "--encoding",
            "scheme",
            type=click.Choice(list(SCHEMES)),
            help="How |G| is counted: as in the paper; as in the authors' code; as in their "
            "paper of 2025; or with bits that say which parts the network has.  [default: a "
            "run's own, else paper]",
        ),
    ):
        function = add(function)
    return function


def encoding_from(
    scheme: str | None,
    activations: str | None,
    products: bool,
    network: Network | None = None,
    source: str | None = None,
) -> Encoding:
    """The encoding asked for; what is not said is taken as the run has it from which the network
    comes, or as the network needs it."""
    own = encoding_of(source) if scheme is None else None
    scheme = scheme or "paper"
    fitting = own or (Encoding(scheme) if network is None else Encoding.fitting(network, scheme))
    if network is None and fitting.says_parts:
        fitting = Encoding.every_part()
    names = fitting.activations
    if activations is not None:
        names = listed(activations)
    return Encoding(fitting.scheme, names, products or fitting.products)


def with_saturation(network: Network, uncut: bool) -> Network:
    """The network, its saturation switched off where that was asked for."""
    return replace(network, saturation=False) if uncut else network


def numbers(text: str, option: str) -> list[int]:
    """Numbers separated by commas."""
    for part in text.split(","):
        if not part.strip().replace("_", "").isdecimal():
            raise InputError(
                f"{option} has {part!r}; write numbers separated by commas, as 100,500."
            )
    return [int(part) for part in text.split(",")]


def listed(names: str) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in names.split(","))


def check_language_out(path: str | None) -> None:
    """Refuse a file that could not be written, or not be known again as a language file."""
    if path is None:
        return
    if not path.endswith(SUFFIXES):
        raise InputError(
            f"{named(path)}: a language file is known by its ending; end the name in {SUFFIXES[0]}."
        )
    check_writable(path)


def say_hints(source: Language) -> None:
    """Say on standard error what may not be meant in strings that were read from a file."""
    corpus = source.given
    if corpus is None or corpus.alphabet is None or (source.path is None and source.name != STDIN):
        return
    if not source.words and any(symbol.isspace() for symbol in corpus.alphabet):
        say("Note: a blank is a symbol here, as any character; if words are the symbols, add "
            "--words.", err=True)  # fmt: skip
    blank = blank_lines(source.path or STANDARD_INPUT)
    if blank:
        verb = "line is blank and stands" if blank == 1 else "lines are blank and stand"
        say(f"Note: {blank:,} {verb} for the empty string; if that is not meant, delete "
            f"{'it' if blank == 1 else 'them'}.", err=True)  # fmt: skip


@contextmanager
def naming(*paths: str) -> Iterator[None]:
    """Say of which files an error inside speaks."""
    try:
        yield
    except InputError as error:
        where = f"{' on '.join(paths)}: " if paths else ""
        raise InputError(f"{where}{error}") from None
