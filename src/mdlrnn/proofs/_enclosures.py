"""The sigmoid's bounds as a query of their own, so that nobody has to take them on trust.

What a reader of the certificate has to know of e^x is Taylor's theorem, and 2 < e < 3 where the
bounds are coarse; that the bounds follow from it is arithmetic, and left to the solver.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ._sigmoid import LARGEST, VANISHING, enclosure, shortened, terms_needed
from ._smt import fraction_text


def bounds_text(point: Fraction) -> str:
    """That e^|x|, between its own bounds, puts sigmoid(x) between the bounds used."""
    low, high = enclosure(point)
    size = abs(point)
    lines = [f"; e is e^{size}, and sigmoid({point}) is {'1' if point < 0 else 'e'}/(1 + e)"]
    lines.append("(declare-const e Real)")
    if size > VANISHING:
        lines.append(f"(assert (> e {2**VANISHING}.0))")
    elif size > LARGEST:
        lines.append(f"(assert (> e {2 ** math.floor(size)}.0))")
        lines.append(f"(assert (< e {3 ** math.ceil(size)}.0))")
    else:
        below, above = shortened(size, down=True), shortened(size)
        count = terms_needed(above)
        lines.append(f"(assert (> e {_partial_sum(below, terms_needed(below))}))")
        rest = Fraction(1)
        for place in range(1, count + 2):
            rest = rest * above / place
        rest /= 1 - above / (count + 2)
        lines.append(f"(assert (< e (+ {_partial_sum(above, count)} {fraction_text(rest)})))")
    middle = "1.0" if point < 0 else "e"
    sides = [f"(* {fraction_text(bound)} (+ 1.0 e))" for bound in (low, high)]
    lines.append(f"(assert (not (< {sides[0]} {middle} {sides[1]})))")
    return "\n".join(lines)


def _partial_sum(x: Fraction, count: int) -> str:
    """1 + x/1·(1 + x/2·(1 + ...)), up to x^count/count!."""
    text = "1.0"
    for place in range(count, 0, -1):
        text = f"(+ 1.0 (* {fraction_text(x / place)} {text}))"
    return text
