"""A site of results: an index of languages and a page for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._build import SECONDS as SECONDS
    from ._build import TITLE as TITLE
    from ._build import atlas as atlas
    from ._pages import INDEX as INDEX
else:
    from mdlrnn.door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
