"""Exact runs of a network beside the system, over all short strings or along one long string."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..languages import Configuration
from ..languages._validity import check_configuration
from ._claims import Claim, Shares, certain, claim_formula, shares
from ._execute import Executor, Values
from ._system import Phase, System
from ._terms import Term, TooComplex

NODES = 2_500
"""Prefixes that are run through at the beginning."""
SECONDS = 3.0
WANDERED, WANDERED_LENGTHS = 200, (20, 60, 200, 600)
"""Random strings that are run where nothing is shown, and how long they are."""


@dataclass(frozen=True)
class Node:
    """A prefix that has been fed."""

    system: System
    executor: Executor
    before: Node | None
    label: str
    here: Configuration
    values: Values
    depth: int

    @cached_property
    def phase(self) -> Phase:
        return self.system.phase(self.here)

    @cached_property
    def shares(self) -> Shares:
        return shares(self.executor.outputs(self.values))

    @property
    def memory(self) -> tuple[Term, ...]:
        return self.executor.remembered(self.values)

    def labels(self, most: int | None = None) -> tuple[str, ...]:
        """The labels read, or the last ones."""
        found: list[str] = []
        node: Node | None = self
        while node is not None and (most is None or len(found) < most):
            found.append(node.label)
            node = node.before
        return tuple(reversed(found))

    def breaks(self, claim: Claim) -> bool:
        """Whether the claim is certainly false here."""
        chances = self.system.chances(self.phase)
        if chances is None and self.system.language is not None:
            check_configuration(self.system.language, self.here)
        assert chances is not None
        return certain(claim_formula(claim, chances, self.shares)) is False

    def next(self, label: str, to: Configuration) -> Node:
        memory = dict(zip(self.executor.memory, self.memory, strict=True))
        values = self.executor.step(self.system.rows[label], memory)
        return Node(self.system, self.executor, self, label, to, values, self.depth + 1)


def openings(system: System, executor: Executor) -> Iterator[Node]:
    for label, to in system.openings:
        values = executor.step(system.rows[label], None)
        yield Node(system, executor, None, label, to, values, 0)


class Explored(NamedTuple):
    nodes: list[Node]
    """Shortest first."""
    length: int
    """All prefixes up to this many labels after the first are among them."""
    wrong: Node | None
    """The first prefix that breaks the claim."""
    obstacle: str | None = None
    """Why it went no further, where values outgrew what can be computed exactly."""


def explore(
    system: System, executor: Executor, claim: Claim, most: int = NODES, seconds: float = SECONDS
) -> Explored:
    """All prefixes, shortest first, until one breaks the claim or there are enough."""
    ends = time.monotonic() + seconds
    nodes: list[Node] = []
    left: deque[Node | tuple[Node, str, Configuration]] = deque(openings(system, executor))
    before = 0
    while left:
        try:
            found = left.popleft()
            # Fed only now: most of what is waiting at the end never is.
            node = found if isinstance(found, Node) else found[0].next(*found[1:])
            nodes.append(node)
            before = max(0, node.depth - 1)
            if node.breaks(claim):
                return Explored(nodes, before, node)
            if len(nodes) >= most or time.monotonic() > ends:
                return Explored(nodes, before, None)
            left.extend((node, label, to) for label, to in system.successors(node.here))
        except TooComplex as reason:
            return Explored(nodes, before, None, str(reason))
    return Explored(nodes, nodes[-1].depth, None)


def along(system: System, executor: Executor, labels: Iterable[str]) -> Iterator[Node]:
    """The nodes of one string, which must be possible in the system."""
    first, *rest = labels
    node = next(n for n in openings(system, executor) if n.label == first)
    yield node
    for label in rest:
        node = node.next(label, dict(system.successors(node.here))[label])
        yield node


def wander(
    system: System, executor: Executor, claim: Claim, seconds: float = SECONDS
) -> tuple[Node | None, int]:
    """Long random strings: the first prefix that breaks the claim, and how many strings were run.

    Each favours one label, so that counters get large.
    """
    ends = time.monotonic() + seconds
    done = 0
    for seed in range(WANDERED):
        choose = random.Random(seed)
        habit = choose.choice([None, *system.rows])
        try:
            node = choose.choice(list(openings(system, executor)))
            for _ in range(choose.choice(WANDERED_LENGTHS)):
                if node.breaks(claim):
                    return node, done
                if time.monotonic() > ends:
                    return None, done
                ways = list(system.successors(node.here))
                if not ways:
                    break
                favoured = [way for way in ways if way[0] == habit]
                likely = favoured if favoured and choose.random() < 0.8 else ways
                node = node.next(*choose.choice(likely))
        except TooComplex:
            return None, done
        done += 1
    return None, done
