"""Where strings come from: notations, grammars, files, and the paper's tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._entropy import Mean as Mean
    from ._entropy import Means as Means
    from ._entropy import means_of as means_of
    from ._grammar import Grammar as Grammar
    from ._grammar_machine import production_text as production_text
    from ._notation import language_from_notation as language_from_notation
    from ._notation import looks_like_notation as looks_like_notation
    from ._paper import PAIRS as PAIRS
    from ._paper import anb2n as anb2n
    from ._paper import anbmcnm as anbmcnm
    from ._paper import anbn as anbn
    from ._paper import anbncn as anbncn
    from ._paper import anbncndn as anbncndn
    from ._paper import dyck as dyck
    from ._sources import GRAMMAR_SUFFIXES as GRAMMAR_SUFFIXES
    from ._sources import Source as Source
    from ._sources import exists as exists
    from ._sources import is_language_file as is_language_file
    from ._sources import machine_from as machine_from
    from ._sources import source_from as source_from
    from ._sources import source_of as source_of
    from ._sources import task_from as task_from
    from ._tasks import EVERY_TASK as EVERY_TASK
    from ._tasks import SEED as SEED
    from ._tasks import TASKS as TASKS
    from ._tasks import Task as Task
    from ._tasks import split_size as split_size
    from ._tasks import string_chance as string_chance
    from ._tasks import task_for as task_for
    from ._tasks import task_named as task_named
    from ._tasks import tasks as tasks
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
