"""`mdlrnn language` and `mdlrnn sample`: where strings come from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from ..checks import short
from ..corpus import line_text
from ..errors import InputError, printable
from ..files import check_writable, save
from ..interface import construct as construct_network
from ..interface import describe, filled, say, say_data, say_json, shell_text, table
from ..interface import sample as sample_strings
from ..languages import EVERY_TASK, exists, looks_like_notation
from ..network import Encoding, counted, length
from ._group import command
from ._options import check_language_out, json_option, naming, seed_option


@command(doing="working out the language")
@click.argument("source", metavar="[SOURCE]", required=False)
@click.option("--list", "is_list", is_flag=True, help="List the languages that have a name.")
@click.option("--stop", metavar="CHANCE", help="For a notation: the chance to stop at each number.")
@click.option("-o", "--out", type=click.Path(), help="Also write it as a language file, .lang.")
@json_option
def language(
    source: str | None, is_list: bool, stop: str | None, out: str | None, as_json: bool
) -> None:
    """Show what was understood of SOURCE: its rules, its first strings, what can be proved.

    SOURCE is a notation such as "a^n b^3n", a language file (.lang), a grammar (.pcfg) or one of
    the tasks. Without SOURCE, or with --list, the tasks are listed by the names that other commands
    take: those of the paper, and five of a later paper. With -o the language is written as a
    language file, which reads back to the same.
    """
    if is_list or source is None:
        if source is not None or stop is not None or out is not None:
            raise InputError("a list is of all languages; give a SOURCE and no --list, or neither.")
        _list(as_json)
        return
    if stop is not None and (exists(Path(source)) or not looks_like_notation(source)):
        raise InputError(
            f'--stop is for a notation such as "a^n b^n", and {source} is none; leave --stop out.'
        )
    check_language_out(out)
    found = describe(source if stop is None else f"{source}, stop {stop}")
    if out is not None:
        if found.machine is None:
            raise InputError(f"it cannot be written as a language file: {found.obstacle}")
        save(out, found.machine.to_text())
    if as_json:
        say_json(found.to_dict())
    else:
        for line in str(found).split("\n"):
            say(line if line.startswith("  ") else filled(line))
    if out is not None and not as_json:
        say(f"saved as {out}")


def _list(as_json: bool) -> None:
    """The tasks of the paper and of a later paper."""
    tasks = EVERY_TASK.values()
    if as_json:
        say_json(
            [
                {"name": t.name, "title": t.title, "sizes": t.sizes, "of_paper": t.of_paper}
                for t in tasks
            ]
        )
        return
    rows = [
        [t.name, t.title, ", ".join(f"{size:,}" for size in t.sizes), "yes" if t.of_paper else "no"]
        for t in tasks
    ]
    say(table(["task", "language", "training sizes", "of the paper"], rows, left=4))


@command(doing="constructing the network")
@click.argument("source", metavar="SOURCE")
@click.option("-o", "--out", type=click.Path(), help="Save the network here, as JSON.")
def construct(source: str, out: str | None) -> None:
    """Construct the network that runs the machine of SOURCE, without strings and without a search.

    SOURCE is a notation such as "a^n b^2n", a language file (.lang), a grammar (.pcfg) or a task.
    mdlrnn prove shows the network right for every string.
    """
    if out is not None:
        check_writable(out)
    network = construct_network(source)
    encoding = Encoding.every_part()
    say(
        f"A network of {counted(network.hidden, 'hidden unit')} and "
        f"{counted(len(network.connections), 'connection')}, |G| {length(network, encoding):,} "
        f"bits, constructed from {source}."
    )
    if not network.saturation:
        say("Its saturation is off: it multiplies counters, which would be cut at a million.")
    if out is None:
        say_data(f"{network.to_json()}\n")
    else:
        network.save(out)
        say(f"saved as {out}; show it right with: mdlrnn prove {out} {shell_text(source)}")


@command(doing="drawing strings")
@click.argument("source", metavar="SOURCE")
@click.option("-n", "--size", type=click.IntRange(min=1), help="How many. [default: as the paper]")
@seed_option
@click.option("-o", "--out", type=click.Path(), help="Save them here, do not print them.")
def sample(source: str, size: int | None, seed: int, out: str | None) -> None:
    """Draw random strings of SOURCE, as a corpus file: a count, a TAB and the string a line.

    SOURCE is a task, a notation such as "a^n b^3n", a language file (.lang), a grammar (.pcfg, in
    NLTK's notation), or a network or a run: then strings are drawn as it gives probabilities.
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
