"""A regular expression for an automaton: its states are eliminated, in several orders, and the
shortest expression is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations

from .nodes import EMPTY, Node, choice, plus, sequence, size, star, symbol

MOST_ELIMINATED = 24
MOST_TRIED = 5
"""States up to which every order is tried."""
MOST_SIZE = 120
"""Nodes of an expression that is still worked on."""

Way = tuple[Hashable, Hashable]
BEGIN, FINISH = ("begin",), ("finish",)


def regular_expression(
    start: Hashable, moves: Iterable[tuple[Hashable, str, Hashable]], ends: Iterable[Hashable]
) -> Node | None:
    """The shortest expression that is found for the strings from the start to a state that ends."""
    ways: dict[Way, Node] = {(BEGIN, start): EMPTY}
    for state in ends:
        ways[state, FINISH] = EMPTY
    states = {start: None}
    for state, name, to in moves:
        states |= {state: None, to: None}
        way, one = (state, to), symbol(name)
        ways[way] = choice([ways[way], one]) if way in ways else one
    if len(states) > MOST_ELIMINATED:
        return None
    found = (_eliminated(ways, order) for order in _orders(list(states), ways))
    return min((node for node in found if node is not None), key=size, default=None)


def _orders(states: Sequence[Hashable], ways: Mapping[Way, Node]) -> Iterator[Sequence[Hashable]]:
    """The empty one stands for the state that lengthens least at each step."""
    yield ()
    yield states[::-1]
    if len(states) <= MOST_TRIED:
        yield from permutations(states)


def _weight(state: Hashable, ways: Mapping[Way, Node]) -> int:
    """About how much longer the others get without a state (Delgado and Morais 2004)."""
    into = [size(node) for (a, b), node in ways.items() if b == state and a != state]
    out = [size(node) for (a, b), node in ways.items() if a == state and b != state]
    loop = size(ways[state, state]) if (state, state) in ways else 0
    return (
        sum(into) * (len(out) - 1) + sum(out) * (len(into) - 1) + loop * (len(into) * len(out) - 1)
    )


def _eliminated(ways: dict[Way, Node], order: Sequence[Hashable]) -> Node | None:
    left = list(order) or [a for a, _ in ways if a != BEGIN]
    left = list(dict.fromkeys(left))
    while left:
        state = left[0] if order else min(left, key=lambda one: _weight(one, ways))
        left.remove(state)
        loop = ways.get((state, state))
        into = [(a, node) for (a, b), node in ways.items() if b == state and a != state]
        out = [(b, node) for (a, b), node in ways.items() if a == state and b != state]
        ways = {way: node for way, node in ways.items() if state not in way}
        for a, first in into:
            for b, last in out:
                whole = sequence([first, last]) if loop is None else _around(first, loop, last)
                if (a, b) in ways:
                    whole = _either(ways[a, b], whole)
                if size(whole) > MOST_SIZE:
                    return None
                ways[a, b] = whole
    return ways.get((BEGIN, FINISH))


def _parts(node: Node) -> tuple[Node, ...]:
    if node.kind == "sequence":
        return node.parts
    return () if node.kind == "empty" else (node,)


def _around(first: Node, loop: Node, last: Node) -> Node:
    """first loop* last; x x* and x* x are x+."""
    before, after, again = _parts(first), _parts(last), star(loop)
    if again.kind == "star":
        once = _parts(again.parts[0])
        if before[len(before) - len(once) :] == once:
            before, again = before[: len(before) - len(once)], plus(again.parts[0])
        elif after[: len(once)] == once:
            after, again = after[len(once) :], plus(again.parts[0])
    return sequence([*before, again, *after])


def _either(one: Node, other: Node) -> Node:
    """One or the other, with what both begin and end with written once."""
    first, second = _parts(one), _parts(other)
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    head, first, second = first[:shared], first[shared:], second[shared:]
    shared = 0
    while shared < min(len(first), len(second)) and first[-1 - shared] == second[-1 - shared]:
        shared += 1
    tail = first[len(first) - shared :]
    inner = [sequence(first[: len(first) - shared]), sequence(second[: len(second) - shared])]
    return sequence([*head, choice(inner), *tail])
