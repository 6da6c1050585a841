"""A network as exact formulas in SymPy, and as LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..network._network import Network
from ._extras import require

if TYPE_CHECKING:
    from ._symbolic import SymbolicNetwork


def sympy(network: Network) -> SymbolicNetwork:
    """The network's formulas in SymPy, over exact rationals: each unit, and what each symbol does.

    Needs the extra `sympy`.
    """
    require("sympy", "formulas in SymPy", "SymPy", "sympy")
    from ._symbolic import symbolic

    return symbolic(network)
