"""The prefixes that a network finds possible, run in exact numbers.

Prefixes after which the network remembers the same and predicts the same are one node. What is
taken for noise gets nothing: such symbols are not followed.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from ..network._alphabet import BOUNDARY
from ..network._interpreter import EXACT, distribution, stepper
from ..network._network import Network
from ..proofs._execute import executor

NOISE = (Fraction(1, 10**4), Fraction(1, 10**3), Fraction(1, 10**2))
"""A probability below this is noise; the larger ones are tried where the first shows nothing."""
NODES = 700
LONGEST_NUMBER = 2_000
"""Bits of a number that is remembered; beyond that nothing is followed."""
_ROUNDED = 10**20


@dataclass
class Node:
    symbol: str
    """What was read last."""
    depth: int
    """Symbols read, not counting the boundary."""
    memory: tuple[Fraction, ...]
    chances: tuple[Fraction, ...]
    """Of what follows, noise left out, in the order of the alphabet."""
    noise: Fraction
    """The most that was left out of one symbol."""
    least: Fraction
    """The least that was not."""
    below: dict[str, int] = field(default_factory=dict)
    """The nodes that follow, for those that were looked at."""


class Runs(NamedTuple):
    alphabet: tuple[str, ...]
    units: tuple[int, ...]
    """The units that are remembered and have a part in what is predicted."""
    nodes: list[Node]
    depth: int
    """All prefixes up to this length were run."""
    finite: bool
    """Whether these are all."""
    noise: Fraction
    out_of_time: bool = False
    """Whether the clock ended them."""


def run_through(
    network: Network, noise: Fraction = NOISE[0], most: int = NODES, ends: float = math.inf
) -> Runs:
    """The nodes in the order of their shortest prefixes; no more than `most`, or than were run
    when the clock has passed `ends`."""
    alphabet = network.alphabet
    assert alphabet is not None
    units = executor(network).memory
    step = stepper(network, EXACT, saturation=False)
    rows = {s: tuple(int(s == other) for other in alphabet) for s in alphabet}
    values = step(rows[BOUNDARY], None)
    nodes = [_node(network, units, BOUNDARY, 0, values, noise)]
    known = {_key(nodes[0]): 0}
    left = deque([(0, values)])
    while left:
        number, before = left.popleft()
        node = nodes[number]
        out_of_time = time.monotonic() > ends
        if out_of_time or len(nodes) > most or _too_long(node):
            return Runs(alphabet, units, nodes, node.depth, False, noise, out_of_time)
        for symbol, chance in zip(alphabet, node.chances, strict=True):
            if not chance or symbol == BOUNDARY:
                continue
            after = step(rows[symbol], before)
            new = _node(network, units, symbol, node.depth + 1, after, noise)
            place = known.setdefault(_key(new), len(nodes))
            if place == len(nodes):
                nodes.append(new)
                left.append((place, after))
            node.below[symbol] = place
    return Runs(alphabet, units, nodes, nodes[-1].depth, True, noise)


def _node(
    network: Network,
    units: tuple[int, ...],
    symbol: str,
    depth: int,
    values: tuple[Fraction, ...],
    noise: Fraction,
) -> Node:
    given = [Fraction(p) for p in distribution(network, values)]
    kept = [p if p >= noise else Fraction(0) for p in given]
    total = sum(kept)
    chances = tuple(p / total for p in kept)
    left_out = max((p for p in given if p < noise), default=Fraction(0))
    memory = tuple(values[u] for u in units)
    return Node(symbol, depth, memory, chances, left_out, min(p for p in kept if p))


def _key(node: Node) -> tuple[object, ...]:
    """Equal for nodes that are one, as far as 20 digits tell."""
    numbers = [round(v * _ROUNDED) for v in (*node.memory, *node.chances)]
    return (node.symbol, *numbers)


def _too_long(node: Node) -> bool:
    return any(v.numerator.bit_length() > LONGEST_NUMBER for v in node.memory)
