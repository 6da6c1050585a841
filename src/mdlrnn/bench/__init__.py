"""What `mdlrnn bench` measures: this machine's speed on fixed networks and corpora.

`_speeds` measures scoring and the search, `_card_speeds` both on a graphics card, `_padded` is the
plain NumPy evaluator beside them.
"""

from ._card_speeds import BENCH_ISLANDS as BENCH_ISLANDS
from ._card_speeds import CardSpeed as CardSpeed
from ._card_speeds import card_evolve_speeds as card_evolve_speeds
from ._card_speeds import card_score_speeds as card_score_speeds
from ._speeds import Speed as Speed
from ._speeds import evolve_speeds as evolve_speeds
from ._speeds import score_speeds as score_speeds

__all__ = [
    "CardSpeed",
    "Speed",
    "card_evolve_speeds",
    "card_score_speeds",
    "evolve_speeds",
    "score_speeds",
]
