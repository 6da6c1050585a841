"""A frame with axes and ticks that data are drawn into; nothing here knows what they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..drawing._shapes import Group, Line, Point, Shape, Words, text_width

WIDTH, HEIGHT = 440.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 14.0, 34.0, 44.0
SIZE = 10.5


class Frame(NamedTuple):
    """The range of both axes, and the size of the whole picture."""

    low: Point
    high: Point
    width: float = WIDTH
    height: float = HEIGHT

    def at(self, x: float, y: float) -> Point:
        across = self.width - LEFT - RIGHT
        down = self.height - TOP - BOTTOM
        return Point(
            LEFT + across * (x - self.low.x) / (self.high.x - self.low.x),
            TOP + down * (1 - (y - self.low.y) / (self.high.y - self.low.y)),
        )


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high, at most this many."""
    rough = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s for s in (power, 2 * power, 5 * power, 10 * power) if s >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def spanning(values: Sequence[float], zero: bool = False) -> tuple[float, float]:
    """A range that holds the values, never empty, with 0 in it if asked for."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        return low - 1, high + 1
    room = 0.05 * (high - low)
    return (low if zero and low == 0 else low - room), high + room


def axes(frame: Frame, title: str, x_name: str, y_name: str, x_ticks: bool = True) -> Group:
    """Frame lines, ticks, names and the title."""
    corner, end = frame.at(*frame.low), frame.at(*frame.high)
    shapes: list[Shape] = []
    for y in ticks(frame.low.y, frame.high.y):
        level = frame.at(frame.low.x, y).y
        shapes.append(Line((Point(corner.x, level), Point(end.x, level)), "grid"))
        shapes.append(Words(Point(corner.x - 6, level), number_text(y), SIZE, "label", "end"))
    if x_ticks:
        for x in ticks(frame.low.x, frame.high.x):
            place = frame.at(x, frame.low.y)
            shapes.append(Line((place, Point(place.x, place.y + 4)), "axis"))
            shapes.append(Words(Point(place.x, place.y + 13), number_text(x), SIZE, "label"))
    shapes.append(Line((Point(corner.x, end.y), corner, Point(end.x, corner.y)), "axis"))
    shapes.append(Words(Point((corner.x + end.x) / 2, frame.height - 10), x_name, SIZE, "label"))
    shapes.append(Words(Point(8, 12), title, 12, "name", "start", bold=True))
    shapes.append(Words(Point(8, TOP - 9), y_name, SIZE, "label", "start"))
    return Group(tuple(shapes))


def key(frame: Frame, names: Sequence[tuple[str, str]]) -> Group:
    """Which colour is what: (name, style), flush right above the plot."""
    shapes: list[Shape] = []
    x = frame.width - RIGHT
    for name, style in reversed(names):
        x -= text_width(name, SIZE)
        if x < 130:  # no room left; the titles of the series still name them
            break
        shapes.append(Words(Point(x, TOP - 9), name, SIZE, "label", "start"))
        square = (Point(x - 14, TOP - 14), Point(x - 4, TOP - 14), Point(x - 4, TOP - 4))
        shapes.append(Line((*square, Point(x - 14, TOP - 4)), style, closed=True))
        x -= 26
    return Group(tuple(shapes))


def number_text(value: float) -> str:
    if value == 0:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    if abs(value) >= 1e6:
        text = f"{value / 1e6:g} M"
    return text.replace("-", "−")
