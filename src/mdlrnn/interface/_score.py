"""`score` and `score_many`: what networks cost. Apart from the others, since they need Numba."""

from __future__ import annotations

from collections.abc import Iterable

from .._checks import short
from .._errors import InputError
from ..kernels._scoring import score_many as score_networks
from ..network._alphabet import has_words
from ..network._encoding import Encoding
from ..network._objective import Score
from ..runs._networks import network_from
from ..tasks._sources import source_from


def score(network: object, source: object, encoding: Encoding | None = None) -> Score:
    """|G| and |D:G| of a network on the strings of a source.

    Without an encoding, the paper's, as the network needs it.
    """
    return score_many([network], source, encoding, threads=1)[0]


def score_many(
    networks: Iterable[object],
    source: object,
    encoding: Encoding | None = None,
    *,
    threads: int | None = None,
) -> list[Score]:
    """The scores of many networks, on as many threads as asked for (by default, all cores)."""
    if isinstance(networks, str) or not isinstance(networks, Iterable):
        raise InputError(f"networks is {short(networks)}; give a list of networks.")
    if encoding is not None and not isinstance(encoding, Encoding):
        raise InputError(f"the encoding is {short(encoding)}; make it with Encoding(...).")
    found = [network_from(network) for network in networks]
    words = any(has_words(network.alphabet) for network in found)
    corpus = source_from(source, words=words).corpus()
    return score_networks(found, corpus, encoding, threads=threads)
