"""What happens along a string: probabilities and unit values, as data."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .._errors import InputError
from ..network._alphabet import BOUNDARY
from ..network._interpreter import EXACT, distribution, feed, input_rows, plan
from ..network._network import Network

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
