"""`mdlrnn score`."""

from __future__ import annotations

import math

import click

from .._network import Network
from .._score import score as score_network
from ._data import load_corpus
from ._options import (
    encoding_from,
    encoding_options,
    json_option,
    naming,
    network_argument,
    words_option,
)
from ._show import bits_text, echo_json


@click.command()
@network_argument
@click.argument("corpus", metavar="CORPUS", type=click.Path())
@encoding_options
@words_option
@json_option
def score(
    network: str,
    corpus: str,
    scheme: str,
    activations: str | None,
    products: bool,
    words: bool,
    as_json: bool,
) -> None:
    """What the network in the file NET costs on the strings in CORPUS, in bits.

    CORPUS is a text file, one string a line (a count and a TAB may stand before it), or an .npz
    file with the arrays inputs, targets and, if sequences differ in length, lengths.
    """
    net = Network.load(network)
    data = load_corpus(corpus, words)
    encoding = encoding_from(scheme, activations, products, net)
    with naming(network, corpus):
        result = score_network(net, data, encoding)
    each = result.d_given_g / data.characters
    if as_json:
        echo_json(
            {
                "g": result.g,
                "d_given_g": result.d_given_g,
                "mdl": result.mdl,
                "l1": result.l1,
                "l2": result.l2,
                "bits_per_character": each,
                "characters": data.characters,
                "encoding": encoding.scheme,
                "activations": encoding.activations,
                "products": encoding.products,
            }
        )
        return
    scheme = "the paper's encoding" if scheme == "paper" else f"encoding {scheme}"
    about = f"the corpus: {data.characters:,} characters"
    if math.isfinite(each):
        about += f", {each:.3g} bits each"
    rows = (
        ("|G|", f"{result.g:,}   ", f"the network, in {scheme}"),
        ("|D:G|", bits_text(result.d_given_g), about),
        ("|G| + |D:G|", bits_text(result.mdl), "what MDL minimises"),
    )
    width = max(len(bits) for _, bits, _ in rows)
    for name, bits, what in rows:
        click.echo(f"{name:<11}  {bits:>{width}} bits  {what}")
    if math.isinf(result.d_given_g):
        click.echo("\nA symbol that occurs has probability 0; `mdlrnn feed` shows where.")
