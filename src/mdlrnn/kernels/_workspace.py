"""The working memory that one thread needs to score networks, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._limits import FED_NUMBERS, FED_PRODUCTS, check_size
from ..network._interpreter import FLOAT_CUT
from ._activations import SATURATION
from ._plan import PLAN_ROWS, Plan
from ._tree import CHUNK, Tree, table_rows
from ._types import Floats, Floats2


class Workspace(NamedTuple):
    plan: Plan
    weights: Floats
    reach: NDArray[np.uint64]
    values: Floats2
    tables: Floats2
    chances: Floats
    buffer: Floats
    most: float
    """To which sums are cut."""


def check_fed(tree: Tree, units: int, connections: int) -> None:
    """Raise unless a network of this size can be fed in bounded memory and time."""
    prefixes = int(tree.sizes[-1])
    what = "the network on these strings"
    check_size(units * prefixes, FED_NUMBERS, what, "units times distinct prefixes")
    check_size(connections * prefixes, FED_PRODUCTS, what, "connections times distinct prefixes")


def workspace_for(tree: Tree, units: int, connections: int, saturation: bool = True) -> Workspace:
    """Working memory for networks of up to so many units and connections."""
    finite = max(int(size) for size in tree.sizes[:-1])
    rows = table_rows(tree.outputs)
    return Workspace(
        plan=np.zeros((PLAN_ROWS, max(units, connections, 4) + 1), dtype=np.int64),
        weights=np.zeros(connections + 1),
        reach=np.zeros((units, (units + 63) // 64), dtype=np.uint64),
        values=np.zeros((units, int(tree.sizes[-1]))),
        tables=np.zeros((units, finite)),
        chances=np.zeros(rows * CHUNK),
        buffer=np.zeros(rows * CHUNK),
        most=SATURATION if saturation else FLOAT_CUT,
    )
