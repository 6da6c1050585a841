"""`mdlrnn explain`."""

from __future__ import annotations

import click

from .._network import Network
from ._options import naming, network_argument
from ._prove_options import format_option


@click.command()
@network_argument
@format_option
def explain(network: str, style: str) -> None:
    """What the network in NET does, symbol by symbol, in words and equations.

    For each input symbol: how the units that remember change, and what the outputs are then.
    Whatever is constant is computed, and units that reach no output are left out.
    """
    from ..proofs._explain import explain as explained

    net = Network.load(network)
    with naming(network):
        text = explained(net, style)
    click.echo(text, nl=False)
