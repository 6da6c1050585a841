"""Where no machine was proved: the small automaton that agrees with a network up to a length, and
how far a machine is from the network over the prefixes that were run.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import NamedTuple

from ..errors import InputError
from ..machines import END, Configuration, Machine, Rule, tidied
from ..network import BOUNDARY
from ._fit import SAME, simple_chances
from ._places import Kinds, Node, NoMachine, Runs

MOST_PLACES = 5_000
"""Nodes, each with a configuration of the machine, that are compared."""


class Agreement(NamedTuple):
    length: int
    """Up to so many symbols the two find the same symbols possible."""
    off: Fraction
    """The most by which a probability differs up to there."""


def agreement(machine: Machine, runs: Runs, length: int) -> Agreement | None:
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


LONGEST = 12
MOST_STATES = 12
"""Of an automaton that is shown."""
MOST_KINDS = 60


class Cover(NamedTuple):
    machine: Machine
    length: int
    """Up to so many symbols the network finds the same symbols possible."""
    off: Fraction
    """The most by which a probability differs up to there."""
    noise: Fraction | None = None
    """What is given with less than this was taken for nothing."""


def cover(runs: Runs) -> Cover | None:
    """The automaton for the greatest length for which it is small."""
    for apart in (SAME, None):
        kinds = Kinds(apart, MOST_KINDS)
        try:
            numbers = [kinds.of(node.chances) for node in runs.nodes]
        except NoMachine:
            continue
        chances = [simple_chances(members) for members in kinds.members]
        for length in range(min(LONGEST, runs.depth), 0, -1):
            machine = _covered(runs, numbers, chances, length)
            found = None if machine is None else compared(machine, runs, length)
            if found is not None:
                return found
    return None


def compared(machine: Machine, runs: Runs, length: int) -> Cover | None:
    """The machine with how far it agrees with the runs, which is up to this length at most."""
    found = agreement(machine, runs, length)
    if found is None:
        return None
    noise = runs.noise if any(node.noise for node in runs.nodes) else None
    return Cover(machine, found.length, found.off, noise)


def _covered(
    runs: Runs, kinds: list[int], chances: list[list[Fraction]], length: int
) -> Machine | None:
    known: dict[tuple[int, int], int] = {}
    different: dict[Hashable, int] = {}

    def ahead(number: int, steps: int) -> int:
        """What can follow a node in so many steps, as a number: to compare two of the sets of sets
        themselves would go through all strings."""
        key = (number, steps)
        if key not in known:
            below = runs.nodes[number].below if steps else {}
            what = (
                kinds[number],
                frozenset((symbol, ahead(to, steps - 1)) for symbol, to in below.items()),
            )
            known[key] = different.setdefault(what, len(different))
        return known[key]

    chosen: list[int] = []
    state_of: dict[int, int] = {}
    left = [0]
    for number in left:
        node = runs.nodes[number]
        steps = length - node.depth
        same = next((i for i in chosen if ahead(i, steps) == ahead(number, steps)), None)
        state_of[number] = number if same is None else same
        if same is not None:
            continue
        chosen.append(number)
        if len(chosen) > MOST_STATES:
            return None
        for to in node.below.values() if steps else ():
            if to not in state_of:
                state_of[to] = to
                left.append(to)
    return _automaton(runs, kinds, chances, chosen, state_of)


def _automaton(
    runs: Runs,
    kinds: list[int],
    chances: list[list[Fraction]],
    chosen: list[int],
    state_of: dict[int, int],
) -> Machine | None:
    rules = []
    for number in chosen:
        below = runs.nodes[number].below
        for symbol, chance in zip(runs.alphabet, chances[kinds[number]], strict=True):
            if not chance:
                continue
            if symbol == BOUNDARY:
                rules.append(Rule(f"q{number}", symbol, END, chance))
                continue
            # Where the length is reached nothing is known of what follows; any state will do.
            to = state_of.get(below.get(symbol, -1), number)
            rules.append(Rule(f"q{number}", symbol, f"q{to}", chance))
    small = tidied(rules, f"q{chosen[0]}")
    try:
        return Machine("agrees", "the automaton", tuple(small), small[0].state)
    except InputError:
        return None
