"""`score` and `score_many`: what networks cost. Apart from the others, since they need Numba."""

from __future__ import annotations

from collections.abc import Iterable

from .._checks import short
from .._errors import InputError
from ..kernels._scoring import score_many as score_networks
from ..network._alphabet import has_words
from ..network._encoding import Encoding
from ..network._objective import Score
from ..runs._networks import encoding_of, network_from
from ..runs._settings import CARD, check_device
from ..tasks._sources import source_from


def score(network: object, source: object, encoding: Encoding | None = None) -> Score:
    """|G| and |D:G| of a network on the strings of a source.

    Without an encoding, that of the run from which the network comes, or the paper's, as the
    network needs it.
    """
    if encoding is None:
        encoding = encoding_of(network)
    return score_many([network], source, encoding, threads=1)[0]


def score_many(
    networks: Iterable[object],
    source: object,
    encoding: Encoding | None = None,
    *,
    threads: int | None = None,
    device: str | None = None,
) -> list[Score]:
    """The scores of many networks, on as many threads as asked for (by default, all cores), or
    with `device="cuda"` on a graphics card."""
    if isinstance(networks, str) or not isinstance(networks, Iterable):
        raise InputError(f"networks is {short(networks)}; give a list of networks.")
    if encoding is not None and not isinstance(encoding, Encoding):
        raise InputError(f"the encoding is {short(encoding)}; make it with Encoding(...).")
    found = [network_from(network) for network in networks]
    words = any(has_words(network.alphabet) for network in found)
    corpus = source_from(source, words=words).corpus()
    if device is not None:
        check_device(device)
    if device == CARD:
        if threads is not None:
            raise InputError(f"threads are for the CPU; leave them out with the device {CARD}.")
        # Imported here: without a card nothing of CUDA is needed.
        from ..gpu._scoring import score_on_card

        return score_on_card(found, corpus, encoding)
    return score_networks(found, corpus, encoding, threads=threads)
