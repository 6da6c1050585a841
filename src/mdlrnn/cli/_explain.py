"""`mdlrnn explain`."""

from __future__ import annotations

import textwrap

import click

from ..interface._say import say
from ..interface._text import terminal_width
from ..proofs import explain as explained
from ..runs import network_from
from ._options import format_option, naming, network_argument


@click.command()
@network_argument
@format_option
def explain(network: str, style: str) -> None:
    """What a network does, symbol by symbol, in words and equations.

    For each input symbol: how the units that remember change, and what the outputs are then.
    Whatever is constant is computed, and units that reach no output are left out.
    """
    net = network_from(network)
    with naming(network):
        text = explained(net, style)
    for line in text.splitlines():
        indent = " " * (4 if line.startswith(" ") else 1)
        plain = style != "text" or len(line) <= terminal_width()
        say(line if plain else _wrapped(line, indent))


def _wrapped(line: str, indent: str) -> str:
    return textwrap.fill(line, terminal_width(), subsequent_indent=indent, break_on_hyphens=False)
