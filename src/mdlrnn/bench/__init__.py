"""What `mdlrnn bench` measures: this machine's speed on fixed networks and corpora.

`_speeds` measures scoring and the search, `_padded` is the plain NumPy evaluator beside them.
"""

from ._speeds import Speed as Speed
from ._speeds import evolve_speeds as evolve_speeds
from ._speeds import score_speeds as score_speeds

__all__ = ["Speed", "evolve_speeds", "score_speeds"]
