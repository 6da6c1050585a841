"""The data of plots: accuracy by length, values along a string, a search, numbers of strings."""

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
from ..measures import Enough, Measures, measure_parts, named
from ..network import BOUNDARY, EXACT, Network, distribution, feed, input_rows, plan
from ..runs import FRONT, check_holds_run, read_log

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
            f"{path}: not a front as a run writes it; put back the file as it was."
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
