"""A network as a language model of NLTK (`nltk.lm.api`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import InputError
from ..network._network import Network
from ._extras import require

if TYPE_CHECKING:
    from ._language_model import NetworkModel


def nltk(network: Network) -> NetworkModel:
    """The network as an `nltk.lm.api.LanguageModel`: score, logscore, entropy, perplexity and
    generate.

    A context is the whole string so far, without or with NLTK's `<s>` before it; the end of the
    string is the word `</s>`. Needs the extra `nltk`.
    """
    require("nltk", "a language model for NLTK", "NLTK", "nltk")
    if network.alphabet is None:
        raise InputError("the network does not name its symbols; give it an alphabet first.")
    from ._language_model import NetworkModel

    return NetworkModel(network)
