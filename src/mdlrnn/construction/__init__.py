"""Networks constructed from automata with counters and stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._automaton import Automaton as Automaton
    from ._automaton import Counted as Counted
    from ._automaton import Counter as Counter
    from ._automaton import Loaded as Loaded
    from ._automaton import Mark as Mark
    from ._automaton import Stack as Stack
    from ._automaton import Top as Top
    from ._machine import machine_network as machine_network
    from ._network import Classes as Classes
    from ._network import automaton_network as automaton_network
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
