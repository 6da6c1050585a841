"""`MDLRNN`: the search as an estimator of scikit-learn, which needs no scikit-learn itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._estimator import MDLRNN as MDLRNN
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
