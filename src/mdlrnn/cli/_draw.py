"""`mdlrnn draw`."""

from __future__ import annotations

import click

from .._files import save
from ..drawing import draw as draw_network
from ..drawing._automaton import picture_of_machine
from ..drawing._formats import format_of, picture_bytes
from ..interface._say import say
from ..runs._networks import network_from
from ..tasks._sources import is_language_file, machine_from
from ._options import naming, network_argument


@click.command()
@network_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    required=True,
    help="Where to; the ending says how: .svg, .png, .pdf, .tex (TikZ) or .dot.",
)
def draw(network: str, out: str) -> None:
    """Draw a network, or the best one of a run, in the manner of the paper's figures.

    Inputs are yellow and at the bottom, outputs blue and at the top. Dashed connections are
    recurrent, an arrow without a source is a bias. Faded is what has no effect: connections that
    close a loop, and units that reach no output. A language file or a grammar is drawn as its
    machine: states in a row, rules as arrows.
    """
    kind = format_of(out)
    with naming(network):
        if is_language_file(network):
            data = picture_bytes(picture_of_machine(machine_from(network)), kind)
        else:
            data = draw_network(network_from(network)).to_bytes(kind)
    save(out, data)
    say(f"saved as {out}")
