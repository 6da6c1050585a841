"""Runs of a network in float64, as it runs: where it fails first, if it does.

Strings that grow ever longer, and random ones. What is seen here shows nothing, but what fails is
told.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ... import work
from ...machines import Affine, Configuration, Rule, is_mistake
from ...network import FLOAT, counted, distribution, stepper
from .._execute import Executor, System, words
from .._invariant import stack_bases
from .._obligations import Induction
from .._smt import Claim, Shares, claim_text, folded, is_broken, separated_text
from .._terms import ONE, decimal_text, known
from .._witness import FloatFailure, completion, onward
from ._rounding import AsItRuns, as_it_runs, largest_counter

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
    ends = work.now() + seconds
    seen: set[int] = set()
    longest = fed = 0
    fails: FloatFailure | None = None
    mistake: FloatFailure | None = None
    for path in paths(system):
        broken, wrong, labels = _along(system, executor, claim, path)
        seen.add(hash(tuple(labels)))
        longest = max(longest, len(labels))
        fed += len(labels)
        work.spend(work.FLOAT_STEP * len(labels))
        fails, mistake = fails or broken, mistake or wrong
        if mistake is not None or fed > MOST_STEPS or work.now() > ends:
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
    given = tuple(known(Fraction(mass)) for mass in masses)
    return is_broken(loose, chances, Shares(given, ONE))


LONG_ENOUGH = 2_000
"""Symbols of strings: where something is shown of all strings up to here, none are run."""
NOT_KNOWN = -2
"""It was not looked for."""


class Reach(NamedTuple):
    uncut: int | None
    """Counters up to which no sum is cut; None if none ever is, -1 if some are at once, or
    `NOT_KNOWN`."""
    shown: AsItRuns | None
    runs: FloatRuns | None
    """What runs in float64 gave; None where more than they could show is shown."""
    saturation: bool = True
    """The network's."""

    @property
    def mistake(self) -> FloatFailure | None:
        return None if self.runs is None else self.runs.mistake


def reach_of(induction: Induction, claim: Claim) -> Reach:
    saturation = induction.executor.network.saturation
    uncut = largest_counter(induction)
    shown = None if uncut is not None and uncut < 1 else as_it_runs(induction, claim, uncut)
    if shown is not None and _is_beyond_runs(shown):
        return Reach(uncut, shown, None, saturation)
    runs = float_runs(induction.system, induction.executor, claim)
    return Reach(uncut, shown, runs, saturation)


def _is_beyond_runs(shown: AsItRuns) -> bool:
    """Whether more is shown than runs along strings could say."""
    most, length = shown.most or GROWTH[-1], shown.length or LONG_ENOUGH
    return most >= GROWTH[-1] and length >= LONG_ENOUGH


def quick_reach(induction: Induction, claim: Claim, seconds: float) -> Reach:
    """What runs in float64 show, without a look at what could be proved of them."""
    runs = float_runs(induction.system, induction.executor, claim, seconds)
    return Reach(NOT_KNOWN, None, runs, induction.executor.network.saturation)


def limits_text(system: System, reach: Reach) -> str:
    """What the theorem does not say of the network that runs. All who state it say this, too."""
    if reach.saturation:
        return (
            "The theorem is about exact numbers. The network that runs computes in float64 and "
            f"cuts sums to ±10^6{_cut_text(system, reach.uncut)}."
        )
    return (
        "The theorem is about exact numbers; the network's saturation is off, so that no sum "
        "is cut. Feed and the page compute in exact numbers, up to 2^262144; float64 rounds "
        "integers beyond 2^53."
    )


def reach_notes(system: System, reach: Reach) -> Iterator[str]:
    yield limits_text(system, reach)
    if reach.shown is not None:
        yield _shown_text(system, reach.shown)
    else:
        yield "That rounding leaves the claim true is not shown."
    if reach.runs is not None:
        yield _runs_text(reach.runs)


def _cut_text(system: System, uncut: int | None) -> str:
    if uncut is None:
        return ", and none of its sums is ever cut"
    if uncut == NOT_KNOWN:
        return ", from where on is not known"
    if uncut < 0:
        return ", and some of its sums are cut from the start"
    return f"; none is cut while {_at_most(system, uncut)}"


def _at_most(system: System, bound: int) -> str:
    many = "are" if len(system.counters) > 1 else "is"
    stacks = "".join(
        f" (up to {counted(_depth(bound, min(bases)), 'symbol')} on the stack)"
        for bases in stack_bases(system).values()
    )
    return f"{' and '.join(system.counters)} {many} at most {bound:,}{stacks}"


def _shown_text(system: System, shown: AsItRuns) -> str:
    claim = shown.claim
    outcome = system.source.outcome
    text = claim_text(claim, outcome)
    if claim.kind == "categorical" and claim.margin:
        least = decimal_text(shown.least)
        text = separated_text(outcome, decimal_text(claim.margin), least)
    limits = []
    if shown.most is not None:
        limits.append(f"while {_at_most(system, shown.most)}")
    if shown.length is not None:
        limits.append(f"in strings of up to {counted(shown.length, system.source.noun)}")
    where = f", {', '.join(limits)}" if limits else ""
    return f"As it runs, too{where}, {text}: that is shown."


def _runs_text(runs: FloatRuns) -> str:
    found = runs.mistake or runs.claim_fails
    if found is None:
        return (
            f"In float64 the claim held along {counted(runs.strings, 'string')} of up to "
            f"{counted(runs.longest, 'symbol')}, which shows nothing of others."
        )
    given = ", ".join(f"P({symbol}) = {p:.6g}" for symbol, p in found.given.items())
    what = "it makes a mistake" if runs.mistake is not None else "the claim fails"
    return f"In float64 {what} on {folded(found.string)}, at step {found.step:,}: {given}."


def _depth(bound: int, base: int) -> int:
    """Digits that a stack may have whatever they are."""
    digits = 0
    while base ** (digits + 1) - 1 <= bound:
        digits += 1
    return digits
