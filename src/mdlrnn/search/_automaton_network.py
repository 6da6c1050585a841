"""A network that runs an automaton, as short as a plain construction makes it.

Units stand for states, exactly one of them is 1 at a time, and their connections to the outputs
are the chances of the next symbols. What a symbol alone decides needs no unit: the input is the
state. Else a unit is the relu of a sum: the symbols that lead to its state, and the states of the
step before, either those from which they do (and a bias of -1) or, with -1, those from which they
do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..network._network import Network
from ..network._units import Connection, Unit, Weight
from ._merging import Automaton

LARGEST_WEIGHT = 16
"""Of a connection to an output."""
UNIT_BITS, CONNECTION_BITS = 20, 13
"""About what they cost, to choose the shorter of two constructions."""


@dataclass
class _Way:
    """Symbols that lead to a state from these states of the step before, and not from those."""

    symbols: list[int] = field(default_factory=list)
    sources: set[int] = field(default_factory=set)
    others: set[int] = field(default_factory=set)


def automaton_network(automaton: Automaton, alphabet: tuple[str, ...], boundary: int) -> Network:
    size = len(alphabet)
    states = range(len(automaton))
    ways = [_ways(automaton, state, size) for state in states]
    alone: list[list[int]] = [[] for _ in states]
    alone[0].append(boundary)
    joint: list[list[_Way]] = [[] for _ in states]
    for state in states:
        for way in ways[state]:
            if way.others:
                joint[state].append(way)
            else:
                alone[state] += way.symbols
    units = [Unit()] * (2 * size)
    readers: list[list[int]] = []
    gates: list[tuple[int, _Way]] = []
    for state in states:
        own = list(alone[state])
        for way in joint[state]:
            own.append(len(units))
            gates.append((len(units), way))
            units.append(Unit("relu"))
        readers.append(own)
    weights = [_weights(automaton.counts[state], len(readers[state])) for state in states]
    plans = [(unit, way, _by_others(way, readers)) for unit, way in gates]
    read_by = [len(weights[state]) for state in states]
    for _, way, by_others in plans:
        for state in way.others if by_others else way.sources:
            read_by[state] += 1
    connections: list[Connection] = []
    for state in states:
        own = readers[state]
        separately = CONNECTION_BITS * len(own) * read_by[state]
        if UNIT_BITS + CONNECTION_BITS * (len(own) + read_by[state]) < separately:
            total = len(units)
            units.append(Unit())
            connections += [Connection(unit, total, "forward", Weight(1)) for unit in own]
            readers[state] = [total]
    for unit, way, by_others in plans:
        connections += [Connection(s, unit, "forward", Weight(1)) for s in way.symbols]
        if not by_others:
            units[unit] = Unit("relu", bias=Weight(-1))
        for state in way.others if by_others else way.sources:
            weight = Weight(-1 if by_others else 1)
            connections += [Connection(s, unit, "recurrent", weight) for s in readers[state]]
    for state in states:
        for symbol, number in weights[state].items():
            connections += [
                Connection(s, size + symbol, "forward", Weight(number)) for s in readers[state]
            ]
    return Network(size, size, tuple(units), tuple(connections), alphabet)


def _ways(automaton: Automaton, state: int, size: int) -> list[_Way]:
    """How the state is reached; symbols that agree on the states before share a way."""
    ways: list[_Way] = []
    for symbol in range(size):
        sources = {q for q, moves in enumerate(automaton.moves) if moves.get(symbol) == state}
        others = {q for q, moves in enumerate(automaton.moves) if symbol in moves} - sources
        if not sources:
            continue
        for way in ways:
            if bool(way.others) == bool(others) and not (
                way.sources & others or way.others & sources
            ):
                way.symbols.append(symbol)
                way.sources |= sources
                way.others |= others
                break
        else:
            ways.append(_Way([symbol], sources, others))
    return ways


def _by_others(way: _Way, readers: list[list[int]]) -> bool:
    """Whether it is shorter to name the states from which the symbols do not lead there."""
    bias = 5 / CONNECTION_BITS
    return sum(len(readers[q]) for q in way.others) < bias + sum(
        len(readers[q]) for q in way.sources
    )


def _weights(counts: dict[int, float], copies: int) -> dict[int, int]:
    """Small integers in the ratio of the counts: the shortest of corpus and weights together."""
    largest = max(counts.values())
    best: tuple[float, dict[int, int]] | None = None
    for scale in range(1, LARGEST_WEIGHT + 1):
        tried = {s: max(1, round(c / largest * scale)) for s, c in counts.items()}
        total = sum(tried.values())
        bits = sum(c * math.log2(total / tried[s]) for s, c in counts.items())
        bits += copies * sum(2 * w.bit_length() for w in tried.values())
        if best is None or bits < best[0]:
            best = bits, tried
    assert best is not None
    return best[1]
