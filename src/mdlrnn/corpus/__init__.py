"""What a network is fed: strings as a weighted prefix tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._corpus import Corpus as Corpus
    from ._corpus import forbid_only_boundary as forbid_only_boundary
    from ._corpus import match as match
    from ._strings import DAMAGED as DAMAGED
    from ._strings import blank_lines as blank_lines
    from ._strings import forbid_table as forbid_table
    from ._strings import line_text as line_text
    from ._strings import unpacked as unpacked
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
