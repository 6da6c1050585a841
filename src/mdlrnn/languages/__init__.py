"""Where strings come from: notations, grammars, files, and the paper's tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._entropy import Mean as Mean
    from ._entropy import Means as Means
    from ._entropy import mean_of as mean_of
    from ._entropy import means_of as means_of
    from ._grammar import Grammar as Grammar
    from ._known import known_by_name as known_by_name
    from ._language import SEED as SEED
    from ._language import Language as Language
    from ._language import Rules as Rules
    from ._language import machine_of as machine_of
    from ._language import rules_text as rules_text
    from ._notation import language_from_notation as language_from_notation
    from ._notation import looks_like_notation as looks_like_notation
    from ._paper import PAIRS as PAIRS
    from ._paper import anb2n as anb2n
    from ._paper import anbmcnm as anbmcnm
    from ._paper import anbn as anbn
    from ._paper import anbncn as anbncn
    from ._paper import anbncndn as anbncndn
    from ._paper import dyck as dyck
    from ._resolve import GRAMMAR_SUFFIXES as GRAMMAR_SUFFIXES
    from ._resolve import exists as exists
    from ._resolve import is_language_file as is_language_file
    from ._resolve import language_from as language_from
    from ._resolve import language_of_run as language_of_run
    from ._resolve import language_with_rules as language_with_rules
    from ._resolve import machine_from as machine_from
    from ._tasks import EVERY_TASK as EVERY_TASK
    from ._tasks import TASKS as TASKS
    from ._tasks import language_of as language_of
    from ._tasks import split_size as split_size
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
