"""`mdlrnn learned`, `mdlrnn compare` and `mdlrnn enough`."""

from __future__ import annotations

import click

from ..files import check_writable, save
from ..interface import compare as compare_networks
from ..interface import display_for, filled, parse_time, say, say_json, verdict_by
from ..languages import language_from
from ..measures import enough as enough_strings
from ..runs import is_network
from ..show import PLOT_FORMATS, format_of, lines_over_strings, plot_enough
from ._group import command, option
from ._options import check_language_out, json_option, say_hints, words_option
from ._outcome import say_verdict

NOT_PROVED = 1


@command(doing="reading the network")
@click.argument("source", metavar="NET_OR_STRINGS", type=click.Path())
@click.argument("strings", metavar="[STRING]...", nargs=-1)
@click.option("-o", "--out", type=click.Path(), help="Write the machine as a language file, .lang.")
@option(
    "--time", "limit", metavar="TIME",
    help="Give up after the work that an idle core does in this.  [default: 20s; "
    "for a search on strings 60s, by the clock]",
)  # fmt: skip
@words_option
@json_option
def learned(
    source: str,
    strings: tuple[str, ...],
    out: str | None,
    limit: str | None,
    words: bool,
    as_json: bool,
) -> None:
    """What has a network learned? The machine inside it, its name, and a theorem.

    The network is a file, or a run's folder for its best one; or a file of strings, on which a
    network is searched for first (mdlrnn evolve keeps such a search and can go on with it). Nothing
    is told of the language: the machine is read off the network, and then it is proved that the
    network follows it for ever. What a run has found out is in its folder and is not found again.
    Does a STRING belong to the language? For each that is given, the answer with its probability.
    The exit code is 0 with a theorem and 1 without. Needs the extra `prove`.
    """
    check_language_out(out)
    seconds = None if limit is None else parse_time(limit, "--time")
    display = display_for(as_json, as_json)
    given = None if is_network(source) else language_from(source, words=words)
    if given is not None:
        say_hints(given)
    verdict = verdict_by(given or source, seconds=seconds, progress=display)
    if out is not None and verdict.machine is not None:
        save(out, verdict.machine.to_text())
    belongs = [verdict.belongs(string) for string in strings]
    if as_json:
        found = {} if verdict.learned is None else verdict.learned.to_dict()
        data = {**found, "verdict": verdict.to_dict(), "corpus": verdict.of_corpus}
        say_json({**data, "strings": [one.to_dict() for one in belongs]} if strings else data)
    else:
        if strings:
            for one in belongs:
                say(filled(str(one)))
            say(filled(verdict.line))
        else:
            say_verdict(verdict)
        if out is not None:
            saved = verdict.machine is not None
            say(f"saved as {out}" if saved else "no machine is proved, so none is saved")
    if verdict.theorem is None:
        click.get_current_context().exit(NOT_PROVED)


@command(doing="comparing")
@click.argument("first", metavar="NET_OR_RUN", type=click.Path())
@click.argument("second", metavar="NET_OR_RUN", type=click.Path())
@json_option
def compare(first: str, second: str, as_json: bool) -> None:
    """Have two networks learned the same?

    Either it is proved that they give the same probabilities after every prefix that the first
    finds possible, or the shortest prefix is shown after which they differ. The exit code is 0 if
    they are the same and 1 if not, or if neither is shown. Needs the extra `prove`.
    """
    found = compare_networks(first, second)
    if as_json:
        say_json(found.to_dict())
    else:
        say(filled(str(found)))
    if not found.same:
        click.get_current_context().exit(NOT_PROVED)


@command(doing="drawing lines over numbers of strings")
@click.argument("run", metavar="RUN", type=click.Path())
@click.argument("language", metavar="[LANGUAGE]", required=False)
@click.option(
    "--network", "networks", multiple=True, metavar="NET_OR_RUN",
    help="Also look at this network; may be given again.",
)  # fmt: skip
@click.option("-o", "--out", type=click.Path(), help="Also draw it: .svg, .png, .pdf or .tex.")
@json_option
def enough(
    run: str, language: str | None, networks: tuple[str, ...], out: str | None, as_json: bool
) -> None:
    """How many strings make a right network win?

    With few strings the shortest description is often a network that is wrong. On N strings a
    network's expected score is |G| + N times its bits a string: a straight line in N. This shows
    these lines for the front of a RUN, which wins from which N on, and how many strings of
    LANGUAGE, by default the run's own, would make a right one win.
    """
    if out is not None:
        format_of(out, PLOT_FORMATS)
        check_writable(out)
    found = enough_strings(run, language, networks=networks)
    if out is not None:
        plot_enough(lines_over_strings(found)).save(out)
    if as_json:
        say_json(found.to_dict())
        return
    *lines, last = str(found).split("\n")
    say("\n".join([*lines, filled(last)]))
    if out is not None:
        say(f"saved as {out}")
