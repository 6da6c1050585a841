"""The search: islands of networks, and the workers that advance them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._archipelago import Archipelago as Archipelago
    from ._archipelago import Packed as Packed
    from ._archipelago import Progress as Progress
    from ._archipelago import Run as Run
    from ._archipelago import Statistics as Statistics
    from ._archipelago import narrow as narrow
    from ._archipelago import network_of as network_of
    from ._archipelago import origin_of as origin_of
    from ._archipelago import rescored as rescored
    from ._evolve import OnProgress as OnProgress
    from ._evolve import evolve_islands as evolve_islands
    from ._evolve import run_at as run_at
    from ._island import Problem as Problem
    from ._island import check_room as check_room
    from ._island import epoch as epoch
    from ._island import front_of as front_of
    from ._island import new_island as new_island
    from ._island import random_states as random_states
    from ._island import row_words as row_words
    from ._island import rows_of as rows_of
    from ._migration import is_crowded as is_crowded
    from ._origin import Origin as Origin
    from ._settings import CARD as CARD
    from ._settings import CPU as CPU
    from ._settings import DEVICES as DEVICES
    from ._settings import GENERATIONS as GENERATIONS
    from ._settings import LIMITS as LIMITS
    from ._settings import UNLIMITED as UNLIMITED
    from ._settings import Search as Search
    from ._settings import Stop as Stop
    from .suggest._beside import FoundExpression as FoundExpression
    from .suggest._beside import beside as beside
    from .suggest._expressions import ExpressionSearch as ExpressionSearch
    from .suggest._founders import begins_with_founders as begins_with_founders
    from .suggest._founders import suggested as suggested
    from .workers._card import evolve_on_card as evolve_on_card
    from .workers._card_islands import Islands as Islands
    from .workers._spread import Frozen as Frozen
    from .workers._spread import Line as Line
    from .workers._spread import Piece as Piece
    from .workers._spread import Spread as Spread
    from .workers._spread import Workers as Workers
    from .workers._spread import freeze as freeze
    from .workers._spread import naming_the_worker as naming_the_worker
    from .workers._spread import on_every_worker as on_every_worker
    from .workers._spread import thaw as thaw
    from .workers._workers import NewCrew as NewCrew
    from .workers._workers import WorkersSpec as WorkersSpec
    from .workers._workers import client_of as client_of
    from .workers._workers import crews_for as crews_for
    from .workers._workers import local_workers as local_workers
    from .workers._workers import workers_from as workers_from
    from .workers._workers import workers_with_cards as workers_with_cards
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
