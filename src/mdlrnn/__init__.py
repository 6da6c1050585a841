"""Minimum Description Length recurrent networks: evolve them, score them, read them, prove them.

This file is the public interface. Names are loaded when first used, so that `mdlrnn --help` and a
plain import answer at once and Numba is imported only where a network is scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from . import exports as exports
    from . import languages as languages
    from . import machines as machines
    from . import results as results
    from . import runs as runs
    from . import show as show
    from . import zoo as zoo
    from .corpus import Corpus as Corpus
    from .errors import InputError as InputError
    from .errors import RunError as RunError
    from .estimator import MDLRNN as MDLRNN
    from .interface import check as check
    from .interface import compare as compare
    from .interface import construct as construct
    from .interface import evolve as evolve
    from .interface import explain as explain
    from .interface import feed as feed
    from .interface import language as language
    from .interface import learned as learned
    from .interface import prove as prove
    from .interface import report as report
    from .interface import resume as resume
    from .interface import sample as sample
    from .interface import score as score
    from .interface import score_many as score_many
    from .interface import suggest as suggest
    from .interface import test as test
    from .languages import Language as Language
    from .limits import no_limits as no_limits
    from .measures import enough as enough
    from .network import Connection as Connection
    from .network import Encoding as Encoding
    from .network import Network as Network
    from .network import Objective as Objective
    from .network import Score as Score
    from .network import Unit as Unit
    from .network import Weight as Weight
    from .network import decode as decode
    from .network import encode as encode
    from .search import Run as Run
    from .search import Search as Search
    from .search import Stop as Stop
else:
    from ._notebook import attach_to_network
    from .door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
    attach_to_network()
