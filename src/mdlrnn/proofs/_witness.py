"""Strings on which a network fails: from a solver's counter-model, or by running short ones."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile
from typing import Any, NamedTuple

from .. import work
from ..machines import END, Configuration, Machine
from ..network import BOUNDARY, EXACT, FLOAT, distribution, feed, stepper
from ._execute import Executor, Node, System, along, words
from ._invariant import stack_bases
from ._smt import Claim, Shares, is_broken
from ._terms import ONE, known, sigmoid_about


@dataclass(frozen=True)
class Counterexample:
    string: str
    """A string of the language, or two numbers."""
    step: int
    """Symbols read before the mistake, not counting the boundary."""
    expected: dict[str, Fraction]
    given: dict[str, Fraction]
    shortest: bool
    """Whether no shorter prefix is wrong; else it is the shortest found."""
    as_it_runs: bool = True
    """Whether the network is also wrong there as it runs, in float64 and with sums that are cut."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "string": self.string,
            "step": self.step,
            "expected": {s: float(p) for s, p in self.expected.items()},
            "given": {s: float(p) for s, p in self.given.items()},
            "shortest": self.shortest,
            "as_it_runs": self.as_it_runs,
        }


class FloatFailure(NamedTuple):
    """Where a network fails as it runs, in float64."""

    string: str
    step: int
    given: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"string": self.string, "step": self.step, "given": self.given}


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


def _moves_to_the_end(language: Machine) -> dict[str, int]:
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


SLACK = Fraction(1, 10**6)
"""What is wrong by less may be the rounding's fault, and is not said to be wrong."""
NODES = 20_000
SECONDS = 4.0


TRUE_SIGMOID = EXACT._replace(sigmoid=sigmoid_about, tanh=lambda x: 2 * sigmoid_about(2 * x) - 1)
"""To some 20 digits."""


class _Node(NamedTuple):
    labels: tuple[str, ...]
    here: Configuration
    values: Any


def explore_rounded(
    system: System, executor: Executor, claim: Claim, seconds: float = SECONDS
) -> tuple[Counterexample | None, int]:
    """The shortest string that is clearly wrong, and the length up to which none is."""
    depth = 0
    for node in _short_strings(system, executor, seconds, saturation=False):
        depth = len(node.labels) - 1
        if _wrong(system, claim, node.here, distribution(executor.network, node.values)):
            given = _again(system, executor, node.labels)
            if _wrong(system, claim, node.here, given):
                found = _counterexample(system, node, given)
                runs = is_wrong_as_it_runs(system, executor, claim, node.labels, node.here)
                return replace(found, as_it_runs=runs), max(0, depth - 1)
    return None, max(0, depth - 1)


def explore_running(
    system: System, executor: Executor, claim: Claim, seconds: float
) -> Counterexample | None:
    """A short string that is wrong in exact numbers and as the network runs, if one is found."""
    for node in _short_strings(system, executor, seconds, saturation=True):
        if _fails(system, claim, node.here, distribution(executor.network, node.values)):
            given = _again(system, executor, node.labels)
            if _wrong(system, claim, node.here, given):
                return _counterexample(system, node, given)
    return None


def _short_strings(
    system: System, executor: Executor, seconds: float, saturation: bool
) -> Iterator[_Node]:
    """Beginnings of the language's strings, the shortest first, and the network's values after
    each, in float64, until there are enough of them or time is up."""
    step = stepper(executor.network, FLOAT, saturation=saturation)
    ends = work.now() + seconds
    left = deque(
        _Node((label,), to, step(system.rows[label], None)) for label, to in system.openings
    )
    for _ in range(NODES):
        if not left or work.now() > ends:
            return
        node = left.popleft()
        work.spend(work.FLOAT_STEP)
        yield node
        for label, to in system.successors(node.here):
            values = step(system.rows[label], node.values)
            left.append(_Node((*node.labels, label), to, values))


def is_wrong_as_it_runs(
    system: System, executor: Executor, claim: Claim, labels: Sequence[str], here: Configuration
) -> bool:
    """Whether the claim fails after these labels in float64, with sums cut as the network says."""
    *_, last = feed(executor.network, [system.rows[label] for label in labels], FLOAT)
    return _fails(system, claim, here, distribution(executor.network, last))


def _fails(system: System, claim: Claim, here: Configuration, given: Sequence[Any]) -> bool:
    """Whether the claim fails with these probabilities, as they are."""
    chances = system.chances(system.phase(here))
    assert chances is not None
    masses = tuple(map(known, _outcomes([Fraction(p) for p in given])))
    return is_broken(claim, chances, Shares(masses, ONE))


def _wrong(system: System, claim: Claim, here: Configuration, given: Sequence[Any]) -> bool:
    """Whether the claim fails, and would if each probability were better by the slack."""
    chances = system.chances(system.phase(here))
    assert chances is not None
    masses = _outcomes([Fraction(p) for p in given])
    better = [
        p + SLACK if chance == 1 or (chance and claim.kind != "within") else
        p + max(-SLACK, min(SLACK, chance - p))
        for p, chance in zip(masses, chances, strict=True)
    ]  # fmt: skip
    return is_broken(claim, chances, Shares(tuple(map(known, better)), ONE))


def _outcomes(given: list[Fraction]) -> list[Fraction]:
    return [1 - given[0], given[0]] if len(given) == 1 else given


def _again(system: System, executor: Executor, labels: Sequence[str]) -> list[Fraction]:
    rows = [system.rows[label] for label in labels]
    *_, last = feed(executor.network, rows, TRUE_SIGMOID, saturation=False)
    return [Fraction(p) for p in distribution(executor.network, last)]


def _counterexample(system: System, node: _Node, given: list[Fraction]) -> Counterexample:
    chances = system.chances(system.phase(node.here))
    assert chances is not None
    return Counterexample(
        words([*node.labels, *completion(system, node.here)], system),
        len(node.labels) - 1,
        dict(zip(system.outcomes, chances, strict=True)),
        dict(zip(system.outcomes, _outcomes(given), strict=True)),
        shortest=False,
    )
