"""What networks compute, once more, compiled: flat integer rows over arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import gpu as gpu
    from ._advance import COUNTERS as COUNTERS
    from ._advance import EVALUATIONS as EVALUATIONS
    from ._advance import FRONT_COUNT as FRONT_COUNT
    from ._advance import FRONT_SIZE as FRONT_SIZE
    from ._advance import HELPED as HELPED
    from ._advance import HELPERS as HELPERS
    from ._advance import HITS as HITS
    from ._advance import IMPROVED_AT as IMPROVED_AT
    from ._advance import NEEDS_ROOM as NEEDS_ROOM
    from ._advance import STEPS as STEPS
    from ._advance import Memo as Memo
    from ._advance import State as State
    from ._advance import advance as advance
    from ._advance import join_front as join_front
    from ._advance import new_memo as new_memo
    from ._compile import announced as announced
    from ._compile import is_ready as is_ready
    from ._compile import source_hash as source_hash
    from ._genome import ANCESTRY as ANCESTRY
    from ._genome import CONSTRUCTED as CONSTRUCTED
    from ._genome import RANDOM as RANDOM
    from ._genome import UNKNOWN as UNKNOWN
    from ._genome import Random as Random
    from ._genome import Space as Space
    from ._genome import Words as Words
    from ._genome import are_networks as are_networks
    from ._genome import cleared as cleared
    from ._genome import connections_in as connections_in
    from ._genome import is_in_space as is_in_space
    from ._genome import marked as marked
    from ._genome import network_from_row as network_from_row
    from ._genome import pack as pack
    from ._genome import row_of as row_of
    from ._genome import size_of as size_of
    from ._genome import words_for as words_for
    from ._helped import FLAGS as FLAGS
    from ._helped import IS_OPEN as IS_OPEN
    from ._helped import Board as Board
    from ._helped import advance_helped as advance_helped
    from ._helped import help_out as help_out
    from ._helped import new_board as new_board
    from ._offspring import mutation_rates as mutation_rates
    from ._plan import Tree as Tree
    from ._plan import Workspace as Workspace
    from ._plan import tree_of as tree_of
    from ._plan import workspace_for as workspace_for
    from ._readings import Desk as Desk
    from ._readings import Packed as Packed
    from ._readings import Texts as Texts
    from ._readings import new_desk as new_desk
    from ._readings import read_strings as read_strings
    from ._scoring import Batch as Batch
    from ._scoring import distributions as distributions
    from ._scoring import encoding_table as encoding_table
    from ._scoring import norms_of as norms_of
    from ._scoring import score as score
    from ._scoring import score_many as score_many
    from ._warm_up import compile_help_beside as compile_help_beside
    from ._warm_up import compile_rest as compile_rest
    from ._warm_up import warm_up as warm_up
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
