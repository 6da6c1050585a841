"""Minimum Description Length recurrent networks: evolve them, score them, read them, prove them.

This file is the public interface. Names are loaded when first used, so that `mdlrnn --help` and a
plain import answer at once and Numba is imported only where a network is scored.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__ as __version__
from .tasks import tasks as tasks  # a function, and the name of its module

if TYPE_CHECKING:
    from . import bench as bench
    from . import comparisons as comparisons
    from . import drawing as drawing
    from . import exports as exports
    from . import languages as languages
    from . import page as page
    from . import plots as plots
    from . import runs as runs
    from . import zoo as zoo
    from ._errors import InputError as InputError
    from ._errors import RunError as RunError
    from ._limits import no_limits as no_limits
    from .corpus._corpus import Corpus as Corpus
    from .estimator._estimator import MDLRNN as MDLRNN
    from .interface._atlas import atlas as atlas
    from .interface._bliss import bliss as bliss
    from .interface._evolve import evolve as evolve
    from .interface._evolve import resume as resume
    from .interface._feed import feed as feed
    from .interface._functions import check as check
    from .interface._functions import compare as compare
    from .interface._functions import explain as explain
    from .interface._functions import learned as learned
    from .interface._functions import prove as prove
    from .interface._functions import report as report
    from .interface._functions import sample as sample
    from .interface._functions import test as test
    from .interface._language import describe as describe
    from .interface._score import score as score
    from .interface._score import score_many as score_many
    from .interface._seeds import evolve_seeds as evolve_seeds
    from .network._code import decode as decode
    from .network._code import encode as encode
    from .network._encoding import Encoding as Encoding
    from .network._network import Network as Network
    from .network._objective import Objective as Objective
    from .network._objective import Score as Score
    from .network._units import Connection as Connection
    from .network._units import Unit as Unit
    from .network._units import Weight as Weight
    from .proofs._proof import Proof as Proof
    from .runs._enough import enough as enough
    from .search._run import Progress as Progress
    from .search._run import Run as Run
    from .search._settings import Search as Search
    from .search._settings import Stop as Stop
    from .tasks._report import Report as Report
    from .tasks._tasks import Task as Task

_HOME = {
    "Connection": "network._units",
    "Corpus": "corpus._corpus",
    "Encoding": "network._encoding",
    "InputError": "_errors",
    "MDLRNN": "estimator._estimator",
    "Network": "network._network",
    "Objective": "network._objective",
    "Progress": "search._run",
    "Proof": "proofs._proof",
    "Report": "tasks._report",
    "Run": "search._run",
    "RunError": "_errors",
    "Score": "network._objective",
    "Search": "search._settings",
    "Stop": "search._settings",
    "Task": "tasks._tasks",
    "Unit": "network._units",
    "Weight": "network._units",
    "check": "interface._functions",
    "compare": "interface._functions",
    "decode": "network._code",
    "describe": "interface._language",
    "encode": "network._code",
    "enough": "runs._enough",
    "atlas": "interface._atlas",
    "bliss": "interface._bliss",
    "evolve": "interface._evolve",
    "evolve_seeds": "interface._seeds",
    "explain": "interface._functions",
    "feed": "interface._feed",
    "learned": "interface._functions",
    "no_limits": "_limits",
    "prove": "interface._functions",
    "report": "interface._functions",
    "resume": "interface._evolve",
    "sample": "interface._functions",
    "score": "interface._score",
    "score_many": "interface._score",
    "test": "interface._functions",
}
_MODULES = (
    "bench",
    "comparisons",
    "drawing",
    "exports",
    "languages",
    "page",
    "plots",
    "runs",
    "zoo",
)

__all__ = sorted([*_HOME, *_MODULES, "tasks"])


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"mdlrnn.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'mdlrnn' has no attribute {name!r}")
    value = getattr(import_module(f"mdlrnn.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
