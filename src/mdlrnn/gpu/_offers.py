"""What islands on cards offer each other, on its way from one card to another. Nothing here needs a
card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Offers(NamedTuple):
    """The best networks of some islands, on a card or here: (island, network, ...)."""

    rows: Any
    values: Any
    lengths: Any
    bits: Any

    def here(self) -> Offers:
        """From the card."""
        return Offers(*(part.copy_to_host() for part in self))

    def taken(self, places: NDArray[np.int64]) -> Offers:
        """Those of the islands at these places, of offers that are here."""
        return Offers(*(part[places] for part in self))


def joined(offers: Sequence[Offers]) -> Offers:
    """The offers of several cards, which are here, as one."""
    words = max(each.rows.shape[2] for each in offers)
    rows = [np.pad(each.rows, ((0, 0), (0, 0), (0, words - each.rows.shape[2]))) for each in offers]
    others = [np.concatenate(parts) for parts in list(zip(*offers, strict=True))[1:]]
    return Offers(np.concatenate(rows), *others)
