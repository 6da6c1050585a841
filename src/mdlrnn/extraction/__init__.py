"""The machine inside a network, its name, and networks compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._compare import Comparison as Comparison
    from ._compare import compare as compare
    from ._learned import Learned as Learned
    from ._learned import learned as learned
    from ._verdict import Belonging as Belonging
    from ._verdict import Verdict as Verdict
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
