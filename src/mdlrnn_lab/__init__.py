"""The laboratory of mdlrnn: what reproduces, compares and measures.

A user who learns from strings needs none of it. `mdlrnn` never imports this package; its command
line finds the commands here through an entry point. Names are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mdlrnn import bench as bench
    from mdlrnn import comparisons as comparisons

    from ._atlas import atlas as atlas
    from ._bliss import bliss as bliss

_HOME = {"atlas": "mdlrnn_lab._atlas", "bliss": "mdlrnn_lab._bliss"}
_MODULES = {"bench": "mdlrnn_lab.bench", "comparisons": "mdlrnn_lab.rnns"}

__all__ = sorted([*_HOME, *_MODULES])


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOME:
        raise AttributeError(f"module 'mdlrnn_lab' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
