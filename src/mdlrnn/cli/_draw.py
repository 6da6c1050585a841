"""`mdlrnn draw`."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from ..files import check_writable, save
from ..interface._say import say
from ..languages import exists, is_language_file, looks_like_notation, machine_from
from ..runs import network_from
from ..show import FORMATS, PLOT_FORMATS, format_of, picture_bytes, picture_of_machine
from ..show import draw as draw_network
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
    machine: states as circles, rules as arrows.
    """
    machine = machine_from(network) if is_language_file(network) else None
    kind = format_of(out, FORMATS if machine is None else PLOT_FORMATS)
    check_writable(out)
    if machine is None:
        if looks_like_notation(network) and not exists(Path(network)):
            raise InputError(
                f"{network} is a notation, not a file; write it as a language file with "
                "mdlrnn language -o, and draw that."
            )
        net = network_from(network)
        with naming(network):
            data = draw_network(net).to_bytes(kind)
    else:
        with naming(network):
            data = picture_bytes(picture_of_machine(machine), kind)
    save(out, data)
    say(f"saved as {out}")
