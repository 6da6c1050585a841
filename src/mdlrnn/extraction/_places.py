"""The prefixes that a network finds possible, run in exact numbers: which units are states, which
counters, and every prefix as a configuration of a machine.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from .. import work
from ..network import BOUNDARY, EXACT, Network, distribution, stepper
from ..proofs import executor, solve

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
    """Whether the limit of work ended them."""


def run_through(
    network: Network, noise: Fraction = NOISE[0], most: int = NODES, ends: float = math.inf
) -> Runs:
    """The nodes in the order of their shortest prefixes; no more than `most`, or than were run
    when the work has passed `ends`."""
    alphabet = network.alphabet
    assert alphabet is not None
    units = executor(network).memory
    step = stepper(network, EXACT, saturation=False)
    rows = {s: tuple(int(s == other) for other in alphabet) for s in alphabet}
    cost = work.STEP + work.PART * (len(network.units) + len(network.connections))
    values = step(rows[BOUNDARY], None)
    nodes = [_node(network, units, BOUNDARY, 0, values, noise)]
    known = {_key(nodes[0]): 0}
    left = deque([(0, values)])
    while left:
        number, before = left.popleft()
        node = nodes[number]
        out_of_time = work.now() > ends
        if out_of_time or len(nodes) > most or _too_long(node):
            return Runs(alphabet, units, nodes, node.depth, False, noise, out_of_time)
        for symbol, chance in zip(alphabet, node.chances, strict=True):
            if not chance or symbol == BOUNDARY:
                continue
            after = step(rows[symbol], before)
            work.spend(cost)
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


ROUNDING = 1e-12
"""By which probabilities in float64 are off, generously."""
MOST_VALUES = 40
"""Of a unit that is a part of the state."""
LARGEST_SCALE = 10**6
STACK_BASES = (4, 3, 5, 6, 7, 8, 9, 10, 2)
"""Powers of 2 end in base 4, 8 and 2; 4 comes first, which two or three kinds of symbols take."""
LEAST_DIGITS = 4
"""Of the longest fraction, for a unit to be a stack."""

Control = tuple[Hashable, ...]
Counters = tuple[int, ...]


class NoMachine(Exception):  # noqa: N818, it is named for what is the matter
    """Why no machine was found, in words."""


class Place(NamedTuple):
    """A node as a configuration of the machine."""

    control: Control
    counters: Counters
    node: Node


class Places(NamedTuple):
    places: list[Place]
    units: tuple[int, ...]
    """The unit behind each counter."""
    base: int | None = None
    """Of counters that are stacks."""
    stacks: int = 0
    """How many counters are; they come first."""


def one_each(runs: Runs) -> Places:
    """Each node a control of its own, for a network whose nodes are all known."""
    return Places([Place((i,), (), node) for i, node in enumerate(runs.nodes)], ())


def with_counters(
    runs: Runs, tags: Sequence[Hashable] | None = None, base: int | None = None
) -> Places:
    """A control is what was read last, the values of states and, if there are tags, the tag.

    With a base, units that are fractions in it are stacks, whose first digit is on top; and a unit
    that is a sum of multiples of them wherever the control is the same is left out.
    """
    states, counting = _sorted_units(runs)
    memory = [[node.memory[place] for node in runs.nodes] for place in range(len(runs.units))]
    stacks = [place for place in counting if base is not None and _is_fraction(memory[place], base)]
    columns = [[mirrored(value, base) for value in memory[stack]] for stack in stacks if base]
    units = list(stacks)
    if base is not None:
        # A stack has so many symbols that few steps were run: what has few values is a state.
        few = [p for p in counting if p not in stacks and len(set(memory[p])) <= base]
        counting = [place for place in counting if place not in few]
        states = _without_tops(runs, sorted([*states, *few]), columns, base)
    controls: list[list[Hashable]] = [
        [node.symbol, *(node.memory[place] for place in states)] for node in runs.nodes
    ]
    for control, tag in zip(controls, tags or (), strict=tags is not None):
        control.append(tag)
    for place in counting:
        if place in stacks:
            continue
        if stacks and _follows(memory[place], [memory[stack] for stack in stacks], controls):
            continue
        scale = math.lcm(*(value.denominator for value in memory[place]))
        if scale > LARGEST_SCALE:
            raise NoMachine(
                f"unit {runs.units[place]} takes values that are no multiples of one fraction, so "
                "that it is no counter"
            )
        numbers = [int(value * scale) for value in memory[place]]
        columns.append(_counted(numbers, controls, runs))
        units.append(place)
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(runs.nodes)
    places = [
        Place(tuple(control), row, node)
        for control, row, node in zip(controls, rows, runs.nodes, strict=True)
    ]
    return Places(places, tuple(runs.units[place] for place in units), base, len(stacks))


def bases_of_fractions(runs: Runs) -> list[int]:
    """Bases in which some unit is a stack."""
    _, counting = _sorted_units(runs)
    memory = [[node.memory[place] for node in runs.nodes] for place in counting]
    return [base for base in STACK_BASES if any(_is_fraction(values, base) for values in memory)]


def _is_fraction(values: Sequence[Fraction], base: int) -> bool:
    """Whether all are from 0 on and below 1, and have an end in this base, mostly after several
    digits."""
    if any(not 0 <= value < 1 for value in values):
        return False
    denominators = {value.denominator for value in values}
    if max(denominators) < base**LEAST_DIGITS:
        return False
    whole = math.lcm(*denominators)
    # They have the same prime factors.
    return not pow(base, whole.bit_length(), whole) and not pow(whole, base.bit_length(), base)


def mirrored(value: Fraction, base: int) -> int:
    """The integer whose last digit is the first behind the point, and so on."""
    found, place = 0, 1
    while value:
        digit, value = divmod(value * base, 1)
        found += int(digit) * place
        place *= base
    return found


def _without_tops(
    runs: Runs, states: list[int], columns: Sequence[Sequence[int]], base: int
) -> list[int]:
    """The units that say more than what is on top of the stacks does, beside the others."""
    kept = list(states)
    for place in states:
        others = [other for other in kept if other != place]
        known: dict[Hashable, Fraction] = {}
        for number, node in enumerate(runs.nodes):
            tops = [(column[number] % base, column[number] > 0) for column in columns]
            key = (node.symbol, *(node.memory[other] for other in others), *tops)
            if known.setdefault(key, node.memory[place]) != node.memory[place]:
                break
        else:
            kept = others
    return kept


def _follows(
    values: Sequence[Fraction],
    others: Sequence[Sequence[Fraction]],
    controls: list[list[Hashable]],
) -> bool:
    """Whether values are sums of multiples of others in each control; if that is so of each sign
    alone, it becomes a part of the control."""
    by_sign = [[*control, value < 0] for control, value in zip(controls, values, strict=True)]
    for number, some in enumerate((controls, by_sign)):
        if all(_is_sum(group, values, others) for group in _groups(some)):
            if number:
                controls[:] = by_sign
            return True
    return False


def _is_sum(
    group: Sequence[int], values: Sequence[Fraction], others: Sequence[Sequence[Fraction]]
) -> bool:
    rows = [([Fraction(1), *(other[i] for other in others)], [values[i]]) for i in group]
    return solve(rows, len(others) + 1, 1) is not None


def _sorted_units(runs: Runs) -> tuple[list[int], list[int]]:
    """States: all values were there when half of the way was run; counters: the others."""
    states: list[int] = []
    counting: list[int] = []
    early = [node for node in runs.nodes if node.depth <= runs.depth // 2]
    for place in range(len(runs.units)):
        everywhere = {node.memory[place] for node in runs.nodes}
        seen = {node.memory[place] for node in early}
        few = len(everywhere) <= MOST_VALUES and everywhere <= seen
        (states if few else counting).append(place)
    return states, counting


def _counted(numbers: list[int], controls: list[list[Hashable]], runs: Runs) -> list[int]:
    """The values of a counter at the nodes; a control that it parts in two is changed."""
    found = [0] * len(numbers)
    for group in _groups(controls):
        values = [numbers[i] for i in group]
        early = [numbers[i] for i in group if runs.nodes[i].depth <= runs.depth // 2]
        view = _view(values, early, runs.finite)
        for i in group:
            if view is None:
                controls[i].append(numbers[i] < 0)
            offset, sign = view or (0, -1 if numbers[i] < 0 else 1)
            found[i] = (numbers[i] - offset) * sign
    groups = _groups(controls)
    divisor = math.gcd(*(found[i] - found[group[0]] for group in groups for i in group)) or 1
    return [value // divisor for value in found]


def _groups(controls: Sequence[Sequence[Hashable]]) -> list[list[int]]:
    groups: dict[Control, list[int]] = {}
    for i, control in enumerate(controls):
        groups.setdefault(tuple(control), []).append(i)
    return list(groups.values())


def _view(values: list[int], early: list[int], finite: bool) -> tuple[int, int] | None:
    """Offset and sign with (value − offset) · sign never negative; None if there are none."""
    low, high = min(values), max(values)
    if finite or low == high:
        return low, 1
    if low >= 0:
        return 0, 1
    if high <= 0:
        return 0, -1
    if early and low == min(early):
        return low, 1
    if early and high == max(early):
        return high, -1
    return None


class Kinds:
    """The distributions that differ: by more than `apart`, or without it by what is possible."""

    def __init__(self, apart: Fraction | None, most: int) -> None:
        self.apart, self.most = apart, most
        self.members: list[list[tuple[Fraction, ...]]] = []
        self._floats: list[tuple[float, ...]] = []
        """Of the first member of each, since long fractions take long to compare."""

    def of(self, chances: tuple[Fraction, ...]) -> int:
        floats = tuple(map(float, chances))
        for number, members in enumerate(self.members):
            if self._is_near(self._floats[number], floats) and _same(
                members[0], chances, self.apart
            ):
                members.append(chances)
                return number
        if len(self.members) >= self.most:
            raise NoMachine("its probabilities go on changing along the string")
        self.members.append([chances])
        self._floats.append(floats)
        return len(self.members) - 1

    def _is_near(self, one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        """Whether they may be the same, as far as float64 can tell."""
        if self.apart is None:
            return True
        most = float(self.apart) + ROUNDING
        return all(abs(a - b) <= most for a, b in zip(one, other, strict=True))


def _same(one: Sequence[Fraction], other: Sequence[Fraction], apart: Fraction | None) -> bool:
    if any((a > 0) != (b > 0) for a, b in zip(one, other, strict=True)):
        return False
    return apart is None or max(abs(a - b) for a, b in zip(one, other, strict=True)) < apart
