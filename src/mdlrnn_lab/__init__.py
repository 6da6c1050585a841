"""The laboratory of mdlrnn: what reproduces, compares and measures.

A user who learns from strings needs none of it. `mdlrnn` never imports this package; its command
line finds the commands here through an entry point. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import bench as bench
    from . import rnns as rnns
    from .site import atlas as atlas
    from .tables import bliss as bliss
else:
    from mdlrnn.door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
