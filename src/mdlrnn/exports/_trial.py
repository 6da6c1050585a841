"""A short string for a network, and what the interpreter says of it: a file's own test."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..network._activations import Arithmetic, Number
from ..network._alphabet import BOUNDARY
from ..network._interpreter import distribution, feed, input_rows
from ..network._network import Network

LONGEST = 12


class Trial(NamedTuple):
    symbols: tuple[str, ...]
    """Without the boundary; empty for a network that is fed numbers."""
    rows: list[list[Any]]
    """What the input units hold at each step."""
    probabilities: list[list[Number]]


def trial(network: Network, arithmetic: Arithmetic) -> Trial:
    """Every symbol twice, one after the other: aabb; rows of 0s and 1s where there are none."""
    if network.alphabet is not None:
        others = [symbol for symbol in network.alphabet if symbol != BOUNDARY]
        symbols = tuple(symbol for symbol in others for _ in range(2))[:LONGEST]
        rows = input_rows(network, symbols)
    else:
        symbols = ()
        rows = [
            [(step >> i % LONGEST) & 1 for i in range(network.inputs)]
            for step in (1, 2, 3, 3, 0, 1, 0)
        ]
    steps = feed(network, rows, arithmetic)
    return Trial(symbols, rows, [distribution(network, values) for values in steps])
