"""Plots: accuracy by length, values along a string, a search, numbers of strings. For each a
function that returns its data, and a renderer that makes a picture of them.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from ..errors import InputError
from ..files import PathLike, path_of, read_text
from ..languages import Language, language_with_rules
from ..measures import Enough, Measures, measure_parts, named, percent_text
from ..network import BOUNDARY, EXACT, Network, describe, distribution, feed, input_rows, plan
from ..runs import FRONT, check_holds_run, read_log
from ._drawing import draw
from ._formats import (
    Circle,
    Group,
    Line,
    Picture,
    Point,
    Shape,
    Words,
    escaped,
    series_style,
    shortened,
    text_width,
)

if TYPE_CHECKING:
    from ..search import Run

STRINGS = 60


class Accuracy(NamedTuple):
    """For strings of each length, the share of steps that are right."""

    length: tuple[int, ...]
    share: tuple[float, ...]
    measure: str
    """'deterministic', or 'categorical' where a language leaves a choice at every step."""
    unit: str
    """What lengths count: 'symbols', or for addition 'digits'."""


def accuracy(network: Network, task: Language | str, strings: int = STRINGS) -> Accuracy:
    """Over the shortest strings of the task's language, or numbers of 1, 2, ... digits."""
    chosen = language_with_rules(task)
    network = named(network, chosen)
    measured = [
        (size, measure_parts(network, chosen, [corpus])[0])
        for size, corpus in chosen.by_length(strings)
    ]
    sure = any(found.deterministic_steps for _, found in measured)
    return Accuracy(
        tuple(size for size, _ in measured),
        tuple(_share(found, sure) for _, found in measured),
        "deterministic" if sure else "categorical",
        f"{chosen.noun}s",
    )


def _share(found: Measures, sure: bool) -> float:
    right, steps = found.categorical_right, found.characters
    if sure:
        right, steps = found.deterministic_right, found.deterministic_steps
    return right / steps if steps else 1.0


LARGEST = Fraction(sys.float_info.max)


class Probabilities(NamedTuple):
    """Next-symbol probabilities after each step; the first step reads the boundary."""

    read: tuple[str, ...]
    symbols: tuple[str, ...]
    chances: tuple[tuple[float, ...], ...]
    """For each step, one for each symbol."""


class Values(NamedTuple):
    """Unit values after each step."""

    read: tuple[str, ...]
    units: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    """For each step, one for each unit."""


def probabilities(network: Network, string: str | Sequence[Any]) -> Probabilities:
    """The distributions along a string, or along rows of numbers for a numeric network."""
    rows = input_rows(network, string)
    steps = [distribution(network, values) for values in feed(network, rows, EXACT)]
    if network.outputs == 1:
        steps = [[1 - chance, chance] for (chance,) in steps]
    symbols = network.alphabet or tuple(map(str, range(max(2, network.outputs))))
    return Probabilities(
        _read(network, string, rows), symbols, tuple(tuple(map(float, step)) for step in steps)
    )


def values(
    network: Network, string: str | Sequence[Any], units: Iterable[int] | None = None
) -> Values:
    """The values of these units along a string; by default of all that are computed."""
    rows = input_rows(network, string)
    if units is None:
        computed = set(plan(network).order)
        units = [u for u in range(network.inputs, len(network.units)) if u in computed]
    chosen = tuple(units)
    for u in chosen:
        if not 0 <= u < len(network.units):
            raise InputError(
                f"there is no unit {u}; the units are numbered 0 to {len(network.units) - 1}."
            )
    steps = tuple(tuple(_finite(step[u]) for u in chosen) for step in feed(network, rows, EXACT))
    return Values(_read(network, string, rows), chosen, steps)


def _finite(value: Fraction) -> float:
    """Without saturation a value can be beyond float64; it is then drawn at the end of it."""
    return float(max(-LARGEST, min(LARGEST, value)))


def _read(network: Network, string: str | Sequence[Any], rows: list[list[Any]]) -> tuple[str, ...]:
    if network.alphabet is not None and all(isinstance(symbol, str) for symbol in string):
        return (BOUNDARY, *string)
    return tuple(",".join(f"{value:g}" for value in map(float, row)) for row in rows)


class History(NamedTuple):
    """The best network so far, each time it was looked at or improved."""

    generation: tuple[int, ...]
    g: tuple[float, ...]
    d_given_g: tuple[float, ...]

    @property
    def mdl(self) -> tuple[float, ...]:
        return tuple(g + d for g, d in zip(self.g, self.d_given_g, strict=True))


class Front(NamedTuple):
    """|G| and |D:G| of the networks that no other beats in both; `best` is a place in the list."""

    g: tuple[int, ...]
    d_given_g: tuple[float, ...]
    best: int | None

    def _repr_svg_(self) -> str:
        return plot_front(self).svg()


def history(run: Run | PathLike) -> History:
    if _is_run(run):
        end = {"generation": run.archipelago.generation, "g": run.score.g,
               "d_given_g": run.score.d_given_g}  # fmt: skip
        return _history([*run.history, end])
    return _history(read_log(_folder(run)))


def _is_run(run: object) -> TypeGuard[Run]:
    return hasattr(run, "archipelago")


def _history(events: Iterable[Mapping[str, Any]]) -> History:
    """Steps without a finite |D:G| are left out: there is no place for them on paper."""
    rows = [
        (int(event["generation"]), float(event["g"]), float(event["d_given_g"]))
        for event in events
        if all(isinstance(event.get(key), int | float) for key in ("generation", "g", "d_given_g"))
        and float("-inf") < event["d_given_g"] < float("inf")
    ]
    generation, g, d = zip(*rows, strict=True) if rows else ((), (), ())
    return History(tuple(generation), tuple(g), tuple(d))


def front(run: Run | PathLike) -> Front:
    if _is_run(run):
        pairs = [(score.g, score.d_given_g) for _, score in run.front]
    else:
        pairs = _saved_front(_folder(run))
    finite = [(g, d) for g, d in pairs if d < float("inf")]
    best = min(range(len(finite)), key=lambda i: sum(finite[i]), default=None)
    return Front(tuple(g for g, _ in finite), tuple(d for _, d in finite), best)


def _saved_front(folder: Path) -> list[tuple[int, float]]:
    path = folder / FRONT
    if not path.exists():
        return []
    try:
        return [
            (int(row["g"]), float(row["d_given_g"])) for row in json.loads(read_text(path, "front"))
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path} is not a front written by a run; restore the original file."
        ) from None


def _folder(path: object) -> Path:
    folder = path_of(path)
    check_holds_run(folder)
    return folder


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


STEP = 17.0
"""Least width of a step along a string."""
GAP = 4.0
"""Between two symbols under it."""
LONGEST_LABEL = 24


def plot_probabilities(data: Probabilities) -> Picture:
    """Stacked bars, a bar for each step, as in the paper's figures."""
    frame = _string_frame(data.read, 0.0, 1.0)
    groups = [axes(frame, "Next-symbol probabilities", "symbol read", "", x_ticks=False)]
    for i, (read, chances) in enumerate(zip(data.read, data.chances, strict=True)):
        shapes: list[Shape] = []
        done = 0.0
        for k, chance in enumerate(chances):
            if chance > 0:
                a, b = frame.at(i + 0.06, done + chance), frame.at(i + 0.94, done)
                corners = (a, Point(b.x, a.y), b, Point(a.x, b.y))
                shapes.append(Line(corners, series_style(k), closed=True))
            done += chance
        words = ", ".join(f"P({s}) = {c:.4g}" for s, c in zip(data.symbols, chances, strict=True))
        groups.append(Group(tuple(shapes), f"after {read}: {words}"))
    groups.append(_symbols(frame, data.read))
    groups.append(key(frame, [(f"P({s})", series_style(k)) for k, s in enumerate(data.symbols)]))
    return _picture(frame, groups, "next-symbol probabilities along a string")


def plot_values(data: Values) -> Picture:
    """A line for each unit."""
    everything = [value for step in data.values for value in step]
    frame = _string_frame(data.read, *spanning(everything, zero=True))
    groups = [axes(frame, "Unit values", "symbol read", "", x_ticks=False)]
    for k, unit in enumerate(data.units):
        points = tuple(frame.at(i + 0.5, step[k]) for i, step in enumerate(data.values))
        dots = tuple(Circle(point, 1.8, series_style(k)) for point in points)
        groups.append(Group((Line(points, series_style(k)), *dots), f"unit {unit}"))
    groups.append(_symbols(frame, data.read))
    groups.append(key(frame, [(f"u{u}", series_style(k)) for k, u in enumerate(data.units)]))
    return _picture(frame, groups, "unit values along a string")


def plot_history(data: History) -> Picture:
    """|G|, |D:G| and their sum over the generations, as stairs: the best stands until beaten."""
    series = (("|G|", data.g), ("|D:G|", data.d_given_g), ("MDL", data.mdl))
    last = max(1, max(data.generation, default=1))
    top = max(data.mdl, default=1.0)
    frame = Frame(Point(0, 0), Point(last, 1.05 * top or 1.0))
    groups = [axes(frame, "The best network so far", "generation", "bits")]
    for k, (name, ys) in enumerate(series, 1):
        stairs: list[Point] = []
        for x, y in zip(data.generation, ys, strict=True):
            if stairs:
                stairs.append(Point(frame.at(x, y).x, stairs[-1].y))
            stairs.append(frame.at(x, y))
        if stairs:
            groups.append(Group((Line(tuple(stairs), series_style(k)),), name))
    groups.append(key(frame, [(name, series_style(k)) for k, (name, _) in enumerate(series, 1)]))
    return _picture(frame, groups, "|G|, |D:G| and MDL of the best network over the generations")


def plot_front(data: Front) -> Picture:
    """A dot for each network; the best by MDL is ringed."""
    (left, right), (bottom, top) = spanning(data.g), spanning(data.d_given_g)
    frame = Frame(Point(left, bottom), Point(right, top))
    groups = [axes(frame, "The front", "|G|, bits", "|D:G|, bits")]
    places = [frame.at(g, d) for g, d in zip(data.g, data.d_given_g, strict=True)]
    if len(places) > 1:
        groups.append(Group((Line(tuple(places), series_style(0)),)))
    for i, (place, g, d) in enumerate(zip(places, data.g, data.d_given_g, strict=True)):
        best = i == data.best
        dot = Circle(place, 5.0 if best else 3.2, series_style(1 if best else 2))
        words = f"|G| {g:,}, |D:G| {d:,.2f}, MDL {g + d:,.2f}{', the best' if best else ''}"
        groups.append(Group((dot,), words))
    groups.append(key(frame, [("best", series_style(1))] if data.best is not None else []))
    return _picture(frame, groups, "the front of |G| against |D:G|")


def plot_accuracy(data: Accuracy) -> Picture:
    low, high = spanning([float(x) for x in data.length])
    frame = Frame(Point(max(0.0, low), 0), Point(high, 1.05))
    groups = [axes(frame, f"Accuracy, {data.measure} steps", f"length, {data.unit}", "share right")]
    points = tuple(frame.at(x, y) for x, y in zip(data.length, data.share, strict=True))
    if points:
        groups.append(Group((Line(points, series_style(2)),)))
    for point, x, y in zip(points, data.length, data.share, strict=True):
        words = f"length {x}: {percent_text(y)} %"
        groups.append(Group((Circle(point, 2.6, series_style(2)),), words))
    return _picture(frame, groups, "accuracy against length")


def plot_enough(data: LinesOverStrings) -> Picture:
    """A line for each network, the number of strings on a logarithmic axis."""
    last = math.log10(data.strings[-1])
    top = max(10.0, *(min(line[0], line[-1]) * 1.5 for line in data.excess))
    frame = Frame(Point(0, 0), Point(last, top))
    groups = [axes(frame, "Expected score above the best", "strings, as a power of ten", "bits")]
    for k, (name, line) in enumerate(zip(data.names, data.excess, strict=True)):
        points = [
            frame.at(math.log10(n), y) for n, y in zip(data.strings, line, strict=True) if y <= top
        ]
        if len(points) > 1:
            groups.append(Group((Line(tuple(points), series_style(k + 1)),), name))
    groups.append(key(frame, [(name, series_style(k + 1)) for k, name in enumerate(data.names)]))
    return _picture(frame, groups, "expected scores of networks over the number of strings")


def _string_frame(read: Sequence[str], low: float, high: float) -> Frame:
    """The frame for a string: steps as wide as the widest symbol, or wider to fill the width."""
    step = max([STEP, *(text_width(_label(symbol), SIZE) + GAP for symbol in read)])
    width = max(WIDTH, LEFT + RIGHT + step * len(read))
    return Frame(Point(0, low), Point(float(max(1, len(read))), high), width)


def _label(symbol: str) -> str:
    return shortened(symbol, LONGEST_LABEL)


def _symbols(frame: Frame, read: Sequence[str]) -> Group:
    level = frame.height - BOTTOM + 12
    return Group(
        tuple(
            Words(Point(frame.at(i + 0.5, frame.low.y).x, level), _label(s), SIZE, "name")
            for i, s in enumerate(read)
        )
    )


def _picture(frame: Frame, groups: list[Group], title: str) -> Picture:
    return Picture(frame.width, frame.height, tuple(groups), title)


def run_html(run: Run) -> str:
    """What a notebook shows of a `Run`: its expression, its best network, and its curve where it
    has several points."""
    found = run.expression
    head = "" if found is None else f"<p><code>{escaped(found.notation)}</code></p>"
    text = f"<pre>{escaped(describe(run.best))}</pre>"
    curve = history(run)
    plot = plot_history(curve).svg() if len(set(curve.mdl)) > 1 else ""
    return head + draw(run.best).svg() + text + plot
