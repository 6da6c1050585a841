"""`mdlrnn draw`."""

from __future__ import annotations

import click

from .._files import save
from ..drawing import draw as draw_network
from ..drawing._formats import format_of
from ..interface._say import say
from ..runs._networks import network_from
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
    close a loop, and units that reach no output.
    """
    kind = format_of(out)
    net = network_from(network)
    with naming(network):
        data = draw_network(net).to_bytes(kind)
    save(out, data)
    say(f"saved as {out}")
