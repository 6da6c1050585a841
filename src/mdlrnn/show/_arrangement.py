"""The order of units in a drawing: try several and keep the layout with the fewest crossings."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..network import Network
from ._formats import Point
from ._layout import Layout, ask_graphviz, label_box, pointing_back

_SAMPLES = 8
"""Straight pieces that stand for one Bézier curve."""
_COARSE = 100

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Clarity(NamedTuple):
    """Compares as a tuple: the worst comes first, and less is better."""

    overlaps: int
    """Weights that lie on a unit or on another weight."""
    struck: int
    """Weights and units that a foreign curve goes through."""
    crossings: int
    length: int
    """Of all curves together, in steps so coarse that only a clear gain counts."""


def clarity(layout: Layout) -> Clarity:
    placed = layout.placed
    return clarity_of(
        [(item.curve, item.tip) for item in placed],
        [label_box(item) for item in placed],
        [{item.unit, None if item.connection is None else item.connection.source}
         for item in placed],
        layout.units,
        layout.radius,
    )  # fmt: skip


def clarity_of(
    curves: Sequence[tuple[Sequence[Point], Point]],
    boxes: Sequence[Box],
    ends: Sequence[Container[int | None]],
    circles: Sequence[Point],
    radius: float,
    samples: int = _SAMPLES,
) -> Clarity:
    """Of arrows, each a curve and the tip of its head, with the boxes of their labels and the
    numbers of the circles at their ends. `samples` of a curve are looked at for what it strikes."""
    lines = [_polyline(curve, tip) for curve, tip in curves]
    fine = [_polyline(curve, tip, samples) for curve, tip in curves]
    r = radius
    squares = [(x - r, y - r, x + r, y + r) for x, y in circles]
    overlaps = sum(_overlap(*pair) for pair in combinations(boxes, 2))
    overlaps += sum(_overlap(box, square) for box in boxes for square in squares)
    struck = crossings = 0
    extents = [(*line.min(axis=0).tolist(), *line.max(axis=0).tolist()) for line in lines]
    for i, line in enumerate(lines):
        near = [j for j in range(i) if _overlap(extents[i], extents[j])]
        crossings += sum(_cross(line, lines[j]) for j in near)
        hit = [box for j, box in enumerate(boxes) if j != i and _overlap(extents[i], box)]
        struck += sum(_inside(fine[i], box) for box in hit)
        foreign = [c for u, c in enumerate(circles) if u not in ends[i]]
        struck += sum(_over(fine[i], circle, radius) for circle in foreign)
    length = sum(float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)
    return Clarity(overlaps, struck, crossings, round(length / _COARSE))


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _polyline(curve: Sequence[Point], tip: Point, samples: int = _SAMPLES) -> NDArray[np.float64]:
    points = np.array(curve)
    t = np.linspace(0, 1, samples + 1)[1:, None]
    pieces = [points[:1]]
    for at in range(0, len(points) - 1, 3):
        a, b, c, d = points[at : at + 4]
        pieces.append(
            (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
        )
    return np.vstack([*pieces, [tip]])


def _cross(one: NDArray[np.float64], two: NDArray[np.float64]) -> bool:
    """Whether two lines meet anywhere but at their ends, where they may share a unit."""
    a, b = one[:-1, None], one[1:, None]
    c, d = two[None, :-1], two[None, 1:]
    sides = _side(a, b, c) * _side(a, b, d), _side(c, d, a) * _side(c, d, b)
    return bool(np.any((sides[0] < 0) & (sides[1] < 0)))


def _side(
    a: NDArray[np.float64], b: NDArray[np.float64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    u, v = b - a, p - a
    side: NDArray[np.float64] = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return side


def _inside(line: NDArray[np.float64], box: Box) -> bool:
    left, top, right, bottom = box
    x, y = line.T
    return bool(np.any((x > left + 2) & (x < right - 2) & (y > top + 2) & (y < bottom - 2)))


def _over(line: NDArray[np.float64], circle: Point, radius: float) -> bool:
    return bool(np.any(np.hypot(*(line - np.array(circle)).T) < radius))


TRIALS, FEW_TRIALS = 16, 6
"""Further layouts to choose from, if the first one has something crossed."""
SEVERAL, MANY = 24, 60
"""Units up to which many are tried, and up to which any are: a layout takes ever longer."""
CROWDED = 100
"""Connections beyond which none is tried."""


def lay_out(network: Network) -> Layout:
    """The clearest of several layouts; they differ in the order in which units are named."""
    random = Random(0)
    last = network.inputs + network.outputs
    ranks = [
        list(range(network.inputs)),
        list(range(network.inputs, last)),
        list(range(last, len(network.units))),
    ]
    back = pointing_back(network)
    best = ask_graphviz(network, ranks, back)
    if len(network.units) > MANY or len(network.connections) > CROWDED:
        return best
    least = clarity(best)
    for _ in range(TRIALS if len(network.units) <= SEVERAL else FEW_TRIALS):
        if not any(least[:-1]):
            break
        for units in ranks:
            random.shuffle(units)
        other = ask_graphviz(network, ranks, back)
        # Only what is clearer counts, so that units stand in the order of numbers if they can.
        if clarity(other) < least:
            best, least = other, clarity(other)
    return best
