"""`feed`: a network at work, step by step, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..network import BOUNDARY, EXACT, Network, distribution, input_rows, plan, symbols_of
from ..network import feed as feed_rows
from ..runs import network_from


class Step(NamedTuple):
    """A step of a network at work, in exact fractions."""

    read: str
    values: Sequence[Fraction | None]
    """Of every unit; None for one that is not evaluated, since it reaches no output."""
    probabilities: dict[str, Fraction]
    """Of what can come next; of a network with one output, that of 1."""


def feed(network: object, string: str | Sequence[Any]) -> list[Step]:
    """A network at work: every unit and probability after the boundary and after each symbol.

    A network with numeric inputs takes rows of numbers.
    """
    net = network_from(network)
    rows = input_rows(net, string)
    if net.alphabet is None:
        read = [",".join(map(str, row)) for row in rows]
    else:
        symbols = symbols_of(string, net.alphabet) if isinstance(string, str) else string
        read = [BOUNDARY, *symbols]
    evaluated = {*plan(net).order, *range(net.inputs)}
    labels = outcomes(net)
    return [
        Step(
            symbol,
            [value if u in evaluated else None for u, value in enumerate(values)],
            dict(zip(labels, distribution(net, values), strict=True)),
        )
        for symbol, values in zip(read, feed_rows(net, rows, EXACT), strict=True)
    ]


def outcomes(network: Network) -> list[str]:
    """What each of the network's outputs is the probability of."""
    if network.alphabet is not None:
        return list(network.alphabet)
    return ["1"] if network.outputs == 1 else [str(output) for output in range(network.outputs)]
