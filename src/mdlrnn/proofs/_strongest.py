"""Which claims the outputs bear, strongest first; margins are powers of ten.

What the runs show says where to begin, so that few queries are lost on what cannot hold.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ._claims import Claim, probabilities
from ._explore import Node
from ._induction import OutOfTime
from ._models import Model, model_of
from ._obligations import Induction, claimed
from ._solver import ask_z3

SMALLEST = -15
"""The exponent of the smallest margin that is tried."""


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
) -> tuple[tuple[Claim, ...], Model | None]:
    """All that holds of each kind, strongest first; or where the least of it fails."""
    if wanted is not None:
        model = fails(induction, wanted, deadline)
        return ((wanted,), None) if model is None else ((), model[0])
    found = []
    seen = spread(nodes)
    for ladder in _ladders(seen):
        claim = next((c for c in ladder if fails(induction, c, deadline) is None), None)
        if claim is not None:
            found.append(claim)
        if claim == Claim("exact"):
            break  # the rest follows
    if found:
        return tuple(found), None
    model = fails(induction, least, deadline)
    if model is None:
        return (least,), None
    return (), model[0]


def _ladders(seen: Spread) -> Iterator[Iterator[Claim]]:
    """For each kind what to try, the best first."""
    exact = [Claim("exact")] if seen.error == 0 else []
    yield iter([*exact, *(Claim("within", m) for m in _powers(seen.error, Fraction(1)))])
    if seen.missing is not None:
        sure = [Claim("deterministic", m) for m in _powers(seen.missing, Fraction(1))]
        yield iter([*sure, Claim("deterministic", Fraction(1, 2)), Claim("leading")])
    none = [Claim("categorical")] if seen.impossible == 0 else []
    margins = [m for m in _powers(seen.impossible, Fraction(1)) if m <= seen.possible]
    yield iter([*none, *(Claim("categorical", m) for m in margins), Claim("ordered")])


def _powers(above: Fraction, below: Fraction) -> Iterator[Fraction]:
    """Powers of ten, from the smallest above a value on."""
    start = SMALLEST if above <= 0 else max(SMALLEST, math.floor(math.log10(above)))
    for exponent in range(start, 0):
        power = Fraction(10) ** exponent
        if above < power < below:
            yield power


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


def fails(induction: Induction, claim: Claim, deadline: float) -> tuple[Model | None] | None:
    """None if the claim holds everywhere; else where it fails, if that is known."""
    for location in induction.locations:
        for query in claimed(induction, location, claim):
            if time.monotonic() > deadline:
                raise OutOfTime
            answer = ask_z3(query.text, query.variables)
            if answer.verdict == "unsat":
                continue
            return (model_of(induction.system, query, answer.model),)
    return None
