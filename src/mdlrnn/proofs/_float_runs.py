"""Runs of a network in float64, as it runs: where it fails first, if it does.

Strings that grow ever longer, and random ones. What is seen here shows nothing, but what fails is
told.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ..languages import Affine, Configuration, Rule, is_mistake
from ..network._interpreter import FLOAT, distribution, stepper
from ._claims import Claim, Shares, certain, claim_formula
from ._execute import Executor
from ._proof_values import FloatFailure
from ._system import System, words
from ._terms import ONE, Term, known
from ._witness import completion, onward

GROWTH = (*range(1, 17), 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256, 320, 400, 512, 640,
          800, 1024)  # fmt: skip
"""How often a string grows before it is brought to its end; the paper's test sets go to 1,020."""
MOST_STEPS = 60_000
"""Symbols fed in all."""
RANDOM_STRINGS, RANDOM_LENGTH = 24, 400
ROUNDING = Fraction(1, 10**12)
"""What is off by less is not called a failure of the claim."""

Step = tuple[str, Configuration]


class FloatRuns(NamedTuple):
    """What was seen."""

    strings: int
    longest: int
    claim_fails: FloatFailure | None
    """The first string along which the claim fails."""
    mistake: FloatFailure | None
    """The first string along which it fails so far that `test` would count a mistake."""


def float_runs(
    system: System, executor: Executor, claim: Claim, seconds: float = math.inf
) -> FloatRuns:
    ends = time.monotonic() + seconds
    seen: set[int] = set()
    longest = fed = 0
    fails: FloatFailure | None = None
    mistake: FloatFailure | None = None
    for path in paths(system):
        broken, wrong, labels = _along(system, executor, claim, path)
        seen.add(hash(tuple(labels)))
        longest = max(longest, len(labels))
        fed += len(labels)
        fails, mistake = fails or broken, mistake or wrong
        if mistake is not None or fed > MOST_STEPS or time.monotonic() > ends:
            break
    return FloatRuns(len(seen), longest, fails, mistake)


def paths(system: System) -> Iterator[Iterator[Step]]:
    """Ways through the system, with growing strings first."""
    if system.counters:
        lasting = lasting_states(system)
        for growth in GROWTH:
            yield growing(system, growth, lasting)
    for seed in range(RANDOM_STRINGS):
        yield wandering(system, seed)


def lasting_states(system: System) -> frozenset[str]:
    """States from which a counter can be made larger again and again, as far as rules tell."""
    after: dict[str, set[str]] = {}
    for rule in system.rules:
        after.setdefault(rule.state, set()).add(rule.to)

    def reached(first: str) -> set[str]:
        found, waiting = {first}, [first]
        for state in waiting:
            new = after.get(state, set()) - found
            found |= new
            waiting += new
        return found

    growing_ones = {
        rule.state for rule in system.rules if _grows(rule) and rule.state in reached(rule.to)
    }
    return frozenset(state for state in after if reached(state) & growing_ones)


def _grows(rule: Rule) -> bool:
    return any(
        isinstance(value, Affine) and (value.constant > 0 or sum(f for _, f in value.terms) > 1)
        for _, value in rule.then
    )


def growing(system: System, growth: int, lasting: frozenset[str]) -> Iterator[Step]:
    """So many moves that make counters larger, then on to the end."""
    opening = max(system.openings, key=lambda opening: opening.to.state in lasting)
    here = opening.to
    yield opening.label, here
    for moved in range(100 * growth + 100):
        if moved < growth:
            ways = list(system.successors(here))
            if not ways:
                return
            # A move that stays in its state leaves the way to larger counters open.
            state = here.state
            label, here = max(
                ways,
                key=lambda way: (
                    way[1].state in lasting, way[1].state == state, sum(way[1].counters), way[0]
                ),
            )  # fmt: skip
        else:
            way = onward(system, here)
            if way is None:
                return
            label, here = way
        yield label, here


def wandering(system: System, seed: int) -> Iterator[Step]:
    """A random way; now and then one label is favoured throughout, so that counters get large."""
    choose = random.Random(seed)
    opening = choose.choice(system.openings)
    here = opening.to
    yield opening.label, here
    habit = choose.choice([None, *system.rows])
    for _ in range(RANDOM_LENGTH):
        ways = list(system.successors(here))
        if not ways:
            return
        favoured = [way for way in ways if way[0] == habit]
        label, here = choose.choice(favoured if favoured and choose.random() < 0.8 else ways)
        yield label, here


def _along(
    system: System, executor: Executor, claim: Claim, path: Iterator[Step]
) -> tuple[FloatFailure | None, FloatFailure | None, list[str]]:
    """Where the claim fails, where there is a mistake, and the labels that were read."""
    step = stepper(executor.network, FLOAT)
    previous = None
    labels: list[str] = []
    fails: FloatFailure | None = None
    for label, here in path:
        labels.append(label)
        previous = step(system.rows[label], previous)
        given = distribution(executor.network, previous)
        masses = [1 - given[0], given[0]] if len(given) == 1 else given
        chances = system.chances(system.phase(here))
        assert chances is not None
        if not _breaks(claim, chances, masses):
            continue
        there = dict(zip(system.outcomes, masses, strict=True))
        found = FloatFailure(_string(system, labels, here), len(labels) - 1, there)
        fails = fails or found
        if is_mistake(chances, masses):
            return fails, found, labels
    return fails, None, labels


def _string(system: System, labels: list[str], here: Configuration) -> str:
    return words([*labels, *completion(system, here)], system)


def _plainly_holds(claim: Claim, chances: tuple[Fraction, ...], masses: list[float]) -> bool:
    """Whether floats are enough to see that the claim is true; far faster than fractions."""
    margin = float(claim.margin)
    pairs = list(zip(masses, map(float, chances), strict=True))
    if claim.kind in ("exact", "within"):
        return all(abs(mass - chance) <= margin for mass, chance in pairs)
    if claim.kind == "categorical" and margin:
        return all(mass > 1.001 * margin if p else mass < margin for mass, p in pairs)
    return claim.kind == "categorical" and all((mass > 0) == (p > 0) for mass, p in pairs)


def _breaks(claim: Claim, chances: tuple[Fraction, ...], masses: list[float]) -> bool:
    """Whether the claim is false of these floats by more than the last digits."""
    if _plainly_holds(claim, chances, masses):
        return False
    kind = "within" if claim.kind == "exact" else claim.kind
    loose = Claim(kind, claim.margin + ROUNDING) if claim.margin or kind == "within" else claim
    given: list[Term] = [known(Fraction(mass)) for mass in masses]
    return certain(claim_formula(loose, chances, Shares(given, ONE))) is False
