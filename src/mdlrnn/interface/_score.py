"""`score` and `score_many`: what networks cost. Apart from the others, since they need Numba."""

from __future__ import annotations

from collections.abc import Iterable

from ..checks import short
from ..errors import InputError
from ..kernels import score_many as score_networks
from ..languages import language_from
from ..network import Encoding, Score, has_words
from ..old import knows_old
from ..runs import encoding_of, network_from
from ..search import CARD, local_workers


def score(network: object, source: object, encoding: Encoding | None = None) -> Score:
    """|G| and |D:G| of a network on the strings of a source.

    Without an encoding, that of the run from which the network comes, or the paper's, as the
    network needs it.
    """
    if encoding is None:
        encoding = encoding_of(network)
    return score_many([network], source, encoding, workers=1)[0]


@knows_old("score_many")
def score_many(
    networks: Iterable[object],
    source: object,
    encoding: Encoding | None = None,
    *,
    workers: object = None,
) -> list[Score]:
    """The scores of many networks, on that many threads (by default, all cores), or with
    `workers="cuda"` on a graphics card."""
    spec = local_workers(workers)
    if isinstance(networks, str) or not isinstance(networks, Iterable):
        raise InputError(f"networks is {short(networks)}; give a list of networks.")
    if encoding is not None and not isinstance(encoding, Encoding):
        raise InputError(f"the encoding is {short(encoding)}; make it with Encoding(...).")
    found = [network_from(network) for network in networks]
    words = any(has_words(network.alphabet) for network in found)
    corpus = language_from(source, words=words).corpus()
    if spec.device == CARD:
        # Imported here: without a card nothing of CUDA is needed.
        from ..kernels import gpu

        return gpu.score_on_card(found, corpus, encoding)
    return score_networks(found, corpus, encoding, threads=spec.threads)
