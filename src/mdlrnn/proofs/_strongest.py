"""Which claims the outputs bear, strongest first; margins have two digits.

What the runs show says where to begin, so that few queries are lost on what cannot hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ._claims import Claim, probabilities
from ._decimals import exponent_of
from ._explore import Node
from ._induction import OutOfTime
from ._models import Model, model_of
from ._obligations import Induction, Query, claimed
from ._solver import ask_z3, milliseconds_until

SMALLEST = Fraction(1, 10**15)
"""The smallest margin that is tried."""
DIGITS = 2


class Spread(NamedTuple):
    """What the runs show: the largest error, and chances of what can and cannot follow."""

    error: Fraction
    missing: Fraction | None
    """The most that a sure symbol lacks of 1."""
    impossible: Fraction
    possible: Fraction


def strongest(
    induction: Induction,
    nodes: Sequence[Node],
    wanted: Claim | None,
    least: Claim,
    deadline: float,
    one: bool = False,
) -> tuple[tuple[Claim, ...], Model | None]:
    """All that holds of each kind, those that make the network right first; or where the least of
    it fails. If `one` will do, nothing is looked for beside a narrow margin."""
    if wanted is not None:
        model = fails(induction, wanted, deadline)
        return ((wanted,), None) if model is None else ((), model[0])
    seen = spread(nodes)
    if seen.error == 0 and holds(induction, Claim("exact"), deadline):
        return (Claim("exact"),), None  # the rest follows
    model = fails(induction, least, deadline)
    if model is not None:
        return (), model[0]
    within = _smallest(induction, "within", seen.error, Fraction(1), deadline)
    if one and within is not None and _rank(within, induction.system.least_chance) == 1:
        return (within,), None
    found = [
        within,
        _categorical(induction, seen, deadline),
        _deterministic(induction, seen, deadline),
        least,
    ]
    claims = [claim for claim in found if claim is not None]
    chance = induction.system.least_chance
    claims.sort(key=lambda claim: _rank(claim, chance))
    if claims[0].makes_right(chance):
        claims.remove(least)
    return tuple(claims), None


def _rank(claim: Claim, least_chance: Fraction) -> int:
    """Those that make a network right come first; a wide margin says less than what is possible."""
    if not claim.makes_right(least_chance):
        return 3
    wide = claim.kind == "within" and claim.margin > least_chance / 2
    return 2 if wide else 1


def _categorical(induction: Induction, seen: Spread, deadline: float) -> Claim | None:
    none = Claim("categorical")
    if seen.impossible == 0 and holds(induction, none, deadline):
        return none
    below = _smallest(induction, "below", seen.impossible, seen.possible, deadline)
    if below is None:
        return None
    claim = Claim("categorical", below.margin)
    return claim if holds(induction, claim, deadline) else None


def _deterministic(induction: Induction, seen: Spread, deadline: float) -> Claim | None:
    if seen.missing is None:
        return None
    found = _smallest(induction, "deterministic", seen.missing, Fraction(1, 2), deadline)
    if found is not None:
        return found
    for claim in (Claim("deterministic", Fraction(1, 2)), Claim("leading")):
        if holds(induction, claim, deadline):
            return claim
    return None


def _smallest(
    induction: Induction, kind: str, above: Fraction, below: Fraction, deadline: float
) -> Claim | None:
    """The claim with the smallest margin of two digits that holds.

    Mostly it is the first above what was seen; if not, ever larger steps are taken, and the last
    one is halved.
    """
    margins = list(_margins(above, below))
    bad, step = -1, 1
    while True:
        place = min(bad + step, len(margins) - 1)
        if place <= bad:
            return None
        if holds(induction, Claim(kind, margins[place]), deadline):
            break
        bad, step = place, 2 * step
    good = place
    while good - bad > 1:
        middle = (good + bad) // 2
        if holds(induction, Claim(kind, margins[middle]), deadline):
            good = middle
        else:
            bad = middle
    return Claim(kind, margins[good])


def _margins(above: Fraction, below: Fraction) -> Iterator[Fraction]:
    """Numbers of two digits between the two, ascending."""
    start = max(above, SMALLEST)
    exponent = exponent_of(start)
    while True:
        unit = Fraction(10) ** (exponent - DIGITS + 1)
        for mantissa in range(10 ** (DIGITS - 1), 10**DIGITS):
            margin = mantissa * unit
            if margin >= below and margin > above:
                return
            if margin > above and margin >= SMALLEST:
                yield margin
        exponent += 1


def spread(nodes: Sequence[Node]) -> Spread:
    error = impossible = Fraction(0)
    missing: Fraction | None = None
    possible = Fraction(1)
    for node in nodes:
        chances = node.system.chances(node.phase)
        assert chances is not None
        for chance, given in zip(chances, probabilities(node.shares), strict=True):
            error = max(error, abs(given - chance))
            if chance == 1:
                missing = max(missing or Fraction(0), 1 - given)
            if chance:
                possible = min(possible, given)
            else:
                impossible = max(impossible, given)
    return Spread(error, missing, impossible, possible)


def holds(induction: Induction, claim: Claim, deadline: float) -> bool:
    return _open_query(induction, claim, deadline) is None


def fails(induction: Induction, claim: Claim, deadline: float) -> tuple[Model | None] | None:
    """None if the claim holds everywhere; else where it fails, if that is known."""
    found = _open_query(induction, claim, deadline)
    if found is None:
        return None
    query, model = found
    return (model_of(induction.system, query, model),)


def _open_query(
    induction: Induction, claim: Claim, deadline: float
) -> tuple[Query, dict[str, int] | None] | None:
    """The first query that is not shown to have no model, and its model if there is one."""
    for location in induction.locations:
        for query in claimed(induction, location, claim):
            if time.monotonic() > deadline:
                raise OutOfTime
            answer = ask_z3(query.text, query.variables, milliseconds_until(deadline))
            if answer.verdict != "unsat":
                return query, answer.model
    return None
