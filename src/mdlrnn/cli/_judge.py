"""`mdlrnn test` and `mdlrnn score`: how good a network is, and what it costs."""

from __future__ import annotations

import math

import click
from click.core import ParameterSource

from ..errors import InputError
from ..interface import bits_text, say, say_json
from ..interface import test as test_network
from ..languages import Language, language_from
from ..network import has_words
from ..runs import network_from, training_of
from ._group import command
from ._options import (
    encoding_from,
    encoding_options,
    json_option,
    naming,
    network_argument,
    saturation_option,
    seed_option,
    with_saturation,
    words_option,
)


@command()
@network_argument
@click.argument("source", metavar="SOURCE")
@click.option("--size", type=click.IntRange(min=1), help="Training size. [default: as the paper]")
@seed_option
@words_option
@click.option(
    "--longest", type=click.IntRange(min=1), metavar="N",
    help="Test on strings of up to about so many symbols. [default: as the paper, or about four "
    "times the longest training string]",
)  # fmt: skip
@click.option(
    "--training", type=click.Path(), metavar="FILE",
    help="The strings that the network was found with, to compare with simple models of them. "
    "[default: those of the run]",
)  # fmt: skip
@saturation_option
@json_option
def test(
    network: str,
    source: str,
    size: int | None,
    seed: int,
    words: bool,
    longest: int | None,
    training: str | None,
    uncut: bool,
    as_json: bool,
) -> None:
    """How well a network does on SOURCE: on its training set and on its test set.

    The network is a file, or a run's folder for its best one. SOURCE is a task, a
    notation such as "a^n b^3n", a language file (.lang), a grammar (.pcfg, in NLTK's notation), or
    a file of strings that the network has not seen: for these the cross-entropy is given beside
    that of simple models, and the strings that cost most.
    """
    net = with_saturation(network_from(network), uncut)
    known = language_from(source, size=size, words=words or has_words(net.alphabet))
    _forbid_ignored(source, known, longest, training)
    seen = training_of(network) if training is None else training
    with naming(network, source):
        report = test_network(net, known, seed=seed, training=seen, longest=longest)
    if as_json:
        say_json(report.to_dict())
    else:
        say(str(report))


def _forbid_ignored(name: str, source: Language, longest: int | None, training: str | None) -> None:
    """Strings that are given are not drawn, and those of a language need no others beside them."""
    if source.rules is not None:
        if training is not None:
            raise InputError(
                f"--training is for a file of strings, and {name} is a language; leave it out."
            )
        return
    seed = click.get_current_context().get_parameter_source("seed")
    for option, given in (
        ("--longest", longest is not None),
        ("--seed", seed is ParameterSource.COMMANDLINE),
    ):
        if given:
            raise InputError(
                f"{option} is for strings that are drawn from a language, and {name} has "
                "its strings; leave it out."
            )


@command()
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
    data = language_from(corpus, words=words or has_words(net.alphabet)).corpus()
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
