"""The speed of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._speeds import BENCH_ISLANDS as BENCH_ISLANDS
    from ._speeds import CardSpeed as CardSpeed
    from ._speeds import Speed as Speed
    from ._speeds import card_evolve_speeds as card_evolve_speeds
    from ._speeds import card_score_speeds as card_score_speeds
    from ._speeds import evolve_speeds as evolve_speeds
    from ._speeds import score_speeds as score_speeds
else:
    from mdlrnn.door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
