"""Which units are states and which are counters, and every prefix as a configuration of a machine.

A unit that takes finitely many values is a part of the state, any other a counter. A counter is an
integer that is never negative: values are scaled, and in each control counted from the end at
which they are bounded; where they are bounded at neither, each sign is a control of its own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ._runs import Node, Runs

ROUNDING = 1e-12
"""By which probabilities in float64 are off, generously."""
MOST_VALUES = 40
"""Of a unit that is a part of the state."""
LARGEST_SCALE = 10**6

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


def one_each(runs: Runs) -> Places:
    """Each node a control of its own, for a network whose nodes are all known."""
    return Places([Place((i,), (), node) for i, node in enumerate(runs.nodes)], ())


def with_counters(runs: Runs, tags: Sequence[Hashable] | None = None) -> Places:
    """A control is what was read last, the values of states and, if there are tags, the tag."""
    states, counting = _sorted_units(runs)
    controls: list[list[Hashable]] = [
        [node.symbol, *(node.memory[place] for place in states)] for node in runs.nodes
    ]
    for control, tag in zip(controls, tags or (), strict=tags is not None):
        control.append(tag)
    columns = []
    for place in counting:
        scale = math.lcm(*(node.memory[place].denominator for node in runs.nodes))
        if scale > LARGEST_SCALE:
            raise NoMachine(
                f"unit {runs.units[place]} takes values that are no multiples of one fraction, so "
                "that it is no counter"
            )
        numbers = [int(node.memory[place] * scale) for node in runs.nodes]
        columns.append(_counted(numbers, controls, runs))
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(runs.nodes)
    places = [
        Place(tuple(control), row, node)
        for control, row, node in zip(controls, rows, runs.nodes, strict=True)
    ]
    return Places(places, tuple(runs.units[place] for place in counting))


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
