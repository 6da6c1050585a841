"""From a solver's counter-model to a string: a configuration is reached, and the string finished.

The model speaks of counters that may be in the thousands, where no search over all strings gets.
A best-first search in the system alone, which costs nothing, finds a way there; then the network
is run along it, exactly.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any

from ..languages import Configuration, Language
from ..languages._rules import END
from ..network._alphabet import BOUNDARY
from ._claims import Claim
from ._execute import Executor
from ._explore import Node, along
from ._facts import stack_bases
from ._system import System

EXPANSIONS = 40_000
LONGEST = 12_000
"""Labels of a string that is run along."""
AFTERWARDS = 3
"""The string is finished within this many times its length."""


def reach(system: System, goal: Configuration) -> list[str] | None:
    """Labels that lead from the start to a configuration, if a way is found."""
    found: dict[Configuration, tuple[Configuration | None, str]] = {}
    heap: list[tuple[int, int, Configuration]] = []
    order = 0
    stacks = stack_bases(system)
    bases = [min(stacks.get(name, {0})) for name in system.counters]

    def push(here: Configuration, before: Configuration | None, label: str) -> None:
        nonlocal order
        if here not in found:
            found[here] = (before, label)
            # Of equally near ones the last found first, so that a chain is followed to its end.
            heapq.heappush(heap, (_distance(here, goal, bases), -order, here))
            order += 1

    for opening in system.openings:
        push(opening.to, None, opening.label)
    for _ in range(EXPANSIONS):
        if not heap:
            return None
        _, _, here = heapq.heappop(heap)
        if here == goal:
            return _path(found, here)
        for label, to in system.successors(here):
            push(to, here, label)
    return None


def _distance(here: Configuration, goal: Configuration, bases: list[int]) -> int:
    """How far the counters are apart; of a stack, how many digits are to be popped and pushed."""
    far = 0
    for a, b, base in zip(here.counters, goal.counters, bases, strict=True):
        if not base:
            far += abs(a - b)
            continue
        one, other = _digits(a, base), _digits(b, base)
        pairs = zip(one, other, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        far += len(one) + len(other) - 2 * shared
    return far


def _digits(value: int, base: int) -> list[int]:
    found = []
    while value > 0:
        value, digit = divmod(value, base)
        found.append(digit)
    return found[::-1]


def _path(
    found: dict[Configuration, tuple[Configuration | None, str]], here: Configuration
) -> list[str]:
    labels: list[str] = []
    at: Configuration | None = here
    while at is not None:
        at, label = found[at]
        labels.append(label)
    return labels[::-1]


def follow(
    system: System, executor: Executor, goal: Configuration, label: str, claim: Claim
) -> tuple[list[Node], Node | None]:
    """The nodes on the way to the configuration, by the label and on to the end; and of them
    the first that is wrong."""
    labels = reach(system, goal)
    if labels is None or len(labels) > LONGEST:
        return [], None
    labels.append(label)
    nodes: list[Node] = []
    for node in _onward(along(system, executor, labels), system, len(labels)):
        nodes.append(node)
        if node.breaks(claim):
            return nodes, node
    return nodes, None


def _onward(nodes: Iterator[Node], system: System, length: int) -> Iterator[Node]:
    for node in nodes:
        yield node
    for _ in range(AFTERWARDS * length + 20):
        to = onward(system, node.here)
        if to is None:
            return
        node = node.next(*to)
        yield node


def onward(system: System, here: Configuration) -> tuple[str, Configuration] | None:
    """A move that goes towards the end: into another state if it can, else with less to count."""
    return _onward_by(_other_state_first, system, here)


Order = Callable[[Configuration, str, Configuration], tuple[Any, ...]]


def _other_state_first(here: Configuration, label: str, to: Configuration) -> tuple[Any, ...]:
    return to.state == here.state, sum(to.counters), label


def _less_to_count_first(here: Configuration, label: str, to: Configuration) -> tuple[Any, ...]:
    """For a stack: a state may be one in which more is pushed."""
    return sum(to.counters), to.state == here.state, label


def _onward_by(
    order: Order, system: System, here: Configuration
) -> tuple[str, Configuration] | None:
    ways = list(system.successors(here))
    if system.language is not None and system.language.step(here, BOUNDARY) is not None:
        return None
    return min(ways, key=lambda way: order(here, *way), default=None)


def completion(system: System, here: Configuration, most: int = 50_000) -> list[str]:
    """Labels that end a string that has come so far; empty if it may end or no end is found."""
    if system.language is None:
        return []
    far = _moves_to_the_end(system.language)

    def nearer_state_first(here: Configuration, label: str, to: Configuration) -> tuple[Any, ...]:
        return far.get(to.state, len(far)), sum(to.counters), label

    # Side by side, since a wrong one goes on for ever, at times with counters that grow and grow.
    orders = (_other_state_first, nearer_state_first, _less_to_count_first)
    found: list[tuple[Order, Configuration, list[str]]] = [(order, here, []) for order in orders]
    for _ in range(most):
        for place, (order, at, labels) in enumerate(found):
            way = _onward_by(order, system, at)
            if way is None:
                return labels
            labels.append(way[0])
            found[place] = order, way[1], labels
    return []


def _moves_to_the_end(language: Language) -> dict[str, int]:
    """How many moves each state is from the end, whatever the counters."""
    far = {END: 0}
    while True:
        new = {
            rule.state: far[rule.to] + 1
            for rule in language.rules
            if rule.to in far and rule.state not in far
        }
        if not new:
            return far
        far |= new
