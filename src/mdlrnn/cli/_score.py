"""`mdlrnn score`."""

from __future__ import annotations

import math

import click

from ..interface._say import say, say_json
from ..interface._text import bits_text
from ..languages import source_from
from ..network import has_words
from ..runs import network_from
from ._options import (
    encoding_from,
    encoding_options,
    json_option,
    naming,
    network_argument,
    saturation_option,
    with_saturation,
    words_option,
)


@click.command()
@network_argument
@click.argument("corpus", metavar="CORPUS", type=click.Path())
@encoding_options
@saturation_option
@words_option
@json_option
def score(
    network: str,
    corpus: str,
    scheme: str | None,
    activations: str | None,
    products: bool,
    uncut: bool,
    words: bool,
    as_json: bool,
) -> None:
    """What a network costs on the strings of CORPUS, in bits.

    CORPUS is a text file, one string a line (a count and a TAB may stand before it), or an .npz
    file with the arrays inputs, targets and, if sequences differ in length, lengths. The network
    of a run is written in the run's own encoding, where no other is asked for.
    """
    from ..kernels import score as score_network  # heavy: Numba

    net = with_saturation(network_from(network), uncut)
    data = source_from(corpus, words=words or has_words(net.alphabet)).corpus()
    encoding = encoding_from(scheme, activations, products, net, network)
    with naming(network, corpus):
        result = score_network(net, data, encoding)
    each = result.d_given_g / data.characters
    if as_json:
        say_json(
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
    paper = encoding.scheme == "paper"
    scheme = "the paper's encoding" if paper else f"encoding {encoding.scheme}"
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
        say(f"{name:<11}  {bits:>{width}} bits  {what}")
    if math.isinf(result.d_given_g):
        say("\nA symbol that occurs has probability 0; `mdlrnn feed` shows where.")
