"""The expected scores of networks over the number of strings, as data."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..tasks._enough import Enough

POINTS = 60
MOST_LINES = 4
"""Networks that are drawn: first the one from which on those win that are right in test, then those
that win with the most strings."""


class LinesOverStrings(NamedTuple):
    strings: tuple[float, ...]
    names: tuple[str, ...]
    excess: tuple[tuple[float, ...], ...]
    """For each network the bits above the best of all at each number of strings."""
    needed: int | None


def lines_over_strings(found: Enough) -> LinesOverStrings:
    """Bits above the lowest expected score, for numbers of strings from 1 to beyond the last change
    of the winner."""
    last = max([10.0, 4.0 * found.reigns[-1].first])
    strings = tuple(math.exp(math.log(last) * i / (POINTS - 1)) for i in range(POINTS))
    winners = [reign.candidate for reign in found.reigns]
    others = [c for c in found.candidates if c not in winners and not math.isinf(c.bits)]
    turned = [] if found.turning_point is None else [found.turning_point.candidate]
    ranked = dict.fromkeys(
        [*turned, *reversed(winners), *sorted(others, key=lambda c: not c.right)]
    )
    shown = sorted(list(ranked)[:MOST_LINES], key=lambda c: c.g)
    lowest = [min(c.at(n) for c in found.candidates) for n in strings]
    return LinesOverStrings(
        strings,
        tuple(c.name for c in shown),
        tuple(tuple(c.at(n) - low for n, low in zip(strings, lowest, strict=True)) for c in shown),
        found.needed,
    )
