"""`mdlrnn tasks`, `mdlrnn sample` and `mdlrnn test`."""

from __future__ import annotations

from collections import Counter

import click
from click.core import ParameterSource

from ..checks import short
from ..corpus import line_text
from ..errors import InputError, printable
from ..files import check_writable, save
from ..interface._functions import sample as sample_strings
from ..interface._functions import test as test_network
from ..interface._say import say, say_data, say_json
from ..interface._text import table
from ..languages import EVERY_TASK, SEED, Source, source_from
from ..machines import SEEDS
from ..network import counted, has_words
from ..runs import network_from, training_of
from ._options import (
    json_option,
    naming,
    network_argument,
    saturation_option,
    with_saturation,
    words_option,
)

seed_option = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS - 1),
    default=SEED,
    show_default=True,
    help="100 gives the paper's own strings.",
)


@click.command()
@json_option
def tasks(as_json: bool) -> None:
    """The paper's tasks and those of a later paper, by the names that other commands take."""
    if as_json:
        say_json(
            [{"name": t.name, "title": t.title, "sizes": t.sizes} for t in EVERY_TASK.values()]
        )
        return
    rows = [
        [task.name, task.title, ", ".join(f"{size:,}" for size in task.sizes)]
        for task in EVERY_TASK.values()
    ]
    say(table(["task", "language", "training sizes"], rows, left=3))


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("-n", "--size", type=click.IntRange(min=1), help="How many. [default: as the paper]")
@seed_option
@click.option("-o", "--out", type=click.Path(), help="Save them here, do not print them.")
def sample(source: str, size: int | None, seed: int, out: str | None) -> None:
    """Draw random strings of SOURCE, as a corpus file: a count, a TAB and the string a line.

    SOURCE is one of `mdlrnn tasks`, a notation such as "a^n b^3n", a language file (.lang) or a
    grammar (.pcfg, in NLTK's notation).
    """
    if out is not None:
        check_writable(out)
    drawn = sample_strings(source, size, seed)
    counts = Counter(drawn)
    with naming(source):
        text = "".join(line_text(s, count, not isinstance(s, str)) for s, count in counts.items())
    if out is None:
        odd = next((s for s in map("".join, counts) if not s.isprintable()), None)
        if odd is not None:
            raise InputError(
                f"{printable(source)}: {short(odd)} has control characters, which a terminal would "
                "obey; give a file to write to (-o)."
            )
        say_data(text)
    else:
        save(out, text)
        say(f"{counted(counts.total(), 'string')}, {len(counts):,} distinct, saved as {out}")


@click.command()
@network_argument
@click.argument("source", metavar="SOURCE")
@click.option("--size", type=click.IntRange(min=1), help="Training size. [default: as the paper]")
@seed_option
@words_option
@click.option(
    "--longest", type=click.IntRange(min=1), metavar="N",
    help="Test on strings of up to about so many symbols. [default: as the paper, or about four "
    "times the longest training string]",
)  # fmt: skip
@click.option(
    "--training", type=click.Path(), metavar="FILE",
    help="The strings that the network was found with, to compare with simple models of them. "
    "[default: those of the run]",
)  # fmt: skip
@saturation_option
@json_option
def test(
    network: str,
    source: str,
    size: int | None,
    seed: int,
    words: bool,
    longest: int | None,
    training: str | None,
    uncut: bool,
    as_json: bool,
) -> None:
    """How well a network does on SOURCE: on its training set and on its test set.

    The network is a file, or a run's folder for its best one. SOURCE is one of `mdlrnn tasks`, a
    notation such as "a^n b^3n", a language file (.lang), a grammar (.pcfg, in NLTK's notation), or
    a file of strings that the network has not seen: for these the cross-entropy is given beside
    that of simple models, and the strings that cost most.
    """
    net = with_saturation(network_from(network), uncut)
    known = source_from(source, size=size, words=words or has_words(net.alphabet))
    _forbid_ignored(source, known, longest, training)
    seen = training_of(network) if training is None else training
    with naming(network, source):
        report = test_network(net, known, seed=seed, training=seen, longest=longest)
    if as_json:
        say_json(report.to_dict())
    else:
        say(str(report))


def _forbid_ignored(name: str, source: Source, longest: int | None, training: str | None) -> None:
    """Strings that are given are not drawn, and those of a language need no others beside them."""
    if source.task is not None:
        if training is not None:
            raise InputError(
                f"--training is for a file of strings, and {name} is a language; leave it out."
            )
        return
    seed = click.get_current_context().get_parameter_source("seed")
    for option, given in (
        ("--longest", longest is not None),
        ("--seed", seed is ParameterSource.COMMANDLINE),
    ):
        if given:
            raise InputError(
                f"{option} is for strings that are drawn from a language, and {name} has "
                "its strings; leave it out."
            )
