"""How well a network does: on a task, on strings, and with how many strings it wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._enough import Enough as Enough
    from ._enough import enough as enough
    from ._measures import Measures as Measures
    from ._measures import Report as Report
    from ._measures import UnseenReport as UnseenReport
    from ._measures import fed as fed
    from ._measures import judge as judge
    from ._measures import list_length as list_length
    from ._measures import measure as measure
    from ._measures import measure_parts as measure_parts
    from ._measures import measure_unseen as measure_unseen
    from ._measures import named as named
    from ._measures import percent_text as percent_text
    from ._measures import trigram_length as trigram_length
    from ._measures import truth_of as truth_of
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
