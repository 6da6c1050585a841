"""`mdlrnn enough`."""

from __future__ import annotations

import click

from ..files import check_writable
from ..interface._say import say, say_json
from ..interface._text import filled
from ..measures import enough as enough_strings
from ..show import PLOT_FORMATS, format_of, lines_over_strings, plot_enough
from ._options import json_option


@click.command()
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
