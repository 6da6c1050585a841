"""Short strings through the interpreter, for networks whose values have no exact form.

A sigmoid that is remembered makes terms grow without end, so that nothing is proved; but where
such a network is wrong, it mostly is by far. What is found in float64 is looked at again with many
digits before it is believed. As in a theorem, no sum is cut and the sigmoid is never 0.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from ..languages import Configuration
from ..network._interpreter import EXACT, FLOAT, distribution, feed, stepper
from ._claims import Claim, Shares, certain, claim_formula
from ._execute import Executor
from ._proof_values import Counterexample
from ._sigmoid import enclosure
from ._system import System, words
from ._terms import ONE, known
from ._witness import completion

SLACK = Fraction(1, 10**6)
"""What is wrong by less may be the rounding's fault, and is not said to be wrong."""
NODES = 20_000
SECONDS = 4.0


def _sigmoid(x: Fraction) -> Fraction:
    low, high = enclosure(x)
    return (low + high) / 2


TRUE_SIGMOID = EXACT._replace(sigmoid=_sigmoid, tanh=lambda x: 2 * _sigmoid(2 * x) - 1)
"""To the digits of the enclosures."""


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
    ends = time.monotonic() + seconds
    left = deque(
        _Node((label,), to, step(system.rows[label], None)) for label, to in system.openings
    )
    for _ in range(NODES):
        if not left or time.monotonic() > ends:
            return
        node = left.popleft()
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
    masses = [known(p) for p in _outcomes([Fraction(p) for p in given])]
    return certain(claim_formula(claim, chances, Shares(masses, ONE))) is False


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
    formula = claim_formula(claim, chances, Shares([known(p) for p in better], ONE))
    return certain(formula) is False


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
