"""The command line: each command is a module, and nothing here computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._group import Command as Command
    from ._group import Entry as Entry
    from ._group import LazyGroup as LazyGroup
    from ._group import command as command
    from ._main import cli as cli
    from ._main import main as main
    from ._options import SEARCHES as SEARCHES
    from ._options import json_option as json_option
    from ._options import listed as listed
    from ._options import numbers as numbers
    from ._options import workers_option as workers_option
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
