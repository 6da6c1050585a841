"""How far a machine that is not proved of a network is from it, over the prefixes that were run."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..languages import Language
from ..languages._machine import Configuration
from ._runs import Node, Runs

MOST_PLACES = 5_000
"""Nodes, each with a configuration of the machine, that are compared."""


class Agreement(NamedTuple):
    length: int
    """Up to so many symbols the two find the same symbols possible."""
    off: Fraction
    """The most by which a probability differs up to there."""


def agreement(machine: Language, runs: Runs, length: int) -> Agreement | None:
    """Of a machine and the prefixes of up to this length; None if they differ from the start."""
    symbols = tuple(runs.alphabet)
    level: dict[tuple[int, Configuration], None] = {(0, machine.beginning): None}
    off, places = Fraction(0), 0
    for depth in range(min(length, runs.depth) + 1 if not runs.finite else length + 1):
        here_off, after = Fraction(0), dict[tuple[int, Configuration], None]()
        places += len(level)
        for number, here in level:
            node = runs.nodes[number]
            chances = machine.next_from(here).distribution
            given = dict(zip(symbols, node.chances, strict=True))
            if places > MOST_PLACES or not _same_possible(chances, given):
                return Agreement(depth - 1, off) if depth else None
            here_off = max(here_off, _off(chances, given, node))
            for symbol, below in node.below.items():
                to = machine.step(here, symbol)
                assert to is not None
                after[below, to] = None
        off, level = max(off, here_off), after
    return Agreement(length, off)


def _same_possible(one: dict[str, Fraction], other: dict[str, Fraction]) -> bool:
    return all(bool(one.get(symbol)) == bool(chance) for symbol, chance in other.items())


def _off(chances: dict[str, Fraction], given: dict[str, Fraction], node: Node) -> Fraction:
    """With what was taken for nothing, which the network spreads over other symbols."""
    noise = node.noise * sum(1 for chance in given.values() if not chance)
    return max(abs(chances.get(s, Fraction(0)) - p) for s, p in given.items()) + noise
