"""Minimum Description Length recurrent networks: evolve them, score them, read them.

This file is the public interface. Names are loaded when first used, so that `mdlrnn --help` and a
plain import answer at once and Numba is imported only where a network is scored.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import comparisons as comparisons
    from . import drawing as drawing
    from . import languages as languages
    from . import page as page
    from . import plots as plots
    from . import zoo as zoo
    from ._corpus import Corpus as Corpus
    from ._encoding import Encoding as Encoding
    from ._encoding import decode as decode
    from ._encoding import encode as encode
    from ._errors import InputError as InputError
    from ._errors import RunError as RunError
    from ._evolve import Progress as Progress
    from ._evolve import Run as Run
    from ._evolve import evolve as evolve
    from ._network import Connection as Connection
    from ._network import Network as Network
    from ._network import Unit as Unit
    from ._network import Weight as Weight
    from ._runs import record as record
    from ._runs import resume as resume
    from ._score import Objective as Objective
    from ._score import Score as Score
    from ._score import score as score
    from ._score import score_many as score_many
    from ._search import Search as Search
    from .proofs._explain import explain as explain
    from .proofs._proof import Proof as Proof
    from .proofs._prove import prove as prove

_HOME = {
    "Connection": "_network",
    "Corpus": "_corpus",
    "Encoding": "_encoding",
    "InputError": "_errors",
    "Network": "_network",
    "Objective": "_score",
    "Progress": "_evolve",
    "Proof": "proofs._proof",
    "Run": "_evolve",
    "RunError": "_errors",
    "Score": "_score",
    "Search": "_search",
    "Unit": "_network",
    "Weight": "_network",
    "decode": "_encoding",
    "encode": "_encoding",
    "evolve": "_evolve",
    "explain": "proofs._explain",
    "prove": "proofs._prove",
    "record": "_runs",
    "resume": "_runs",
    "score": "_score",
    "score_many": "_score",
}

_SUBMODULES = ("comparisons", "drawing", "languages", "page", "plots", "zoo")

__version__ = "0.1.0"
__all__ = [
    "Connection", "Corpus", "Encoding", "InputError", "Network", "Objective", "Progress",
    "Proof", "Run", "RunError", "Score", "Search", "Unit", "Weight", "decode", "encode", "evolve",
    "explain", "prove", "record", "resume", "score", "score_many",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return import_module(f"mdlrnn.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'mdlrnn' has no attribute {name!r}")
    value = getattr(import_module(f"mdlrnn.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
