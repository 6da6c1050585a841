"""What a rule makes of the counters: the simplest expression over those before it that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from ..languages._rules import Affine, counter, reader
from ..proofs._linear import solve
from ._cells import BASES, NAMES
from ._places import Counters


class Change(NamedTuple):
    """The counters before a move, and after it."""

    before: Counters
    after: Counters


def update(
    changes: Sequence[Change], place: int, usable: Sequence[int], base: int | None = None
) -> Affine | int | None:
    """The new value of a counter, over those whose places are usable; None if nothing fits. With a
    base, pushes and pops come before what fits as well where few stacks were seen."""
    pairs = [(change.before, change.after[place]) for change in changes]
    few = dict.fromkeys([pairs[0], pairs[-1], *pairs[:8]])
    stack = () if base is None else _of_a_stack(pairs, place, base)
    for candidate in chain(stack, _candidates(pairs, place, usable)):
        value = reader(candidate, NAMES)
        if all(value(before) == after for before, after in few) and all(
            value(before) == after for before, after in pairs
        ):
            return candidate
    return None


def _of_a_stack(
    pairs: Sequence[tuple[Counters, int]], place: int, base: int
) -> Iterator[Affine | int]:
    """That it stays as it is, that a digit is pushed, that the last one is popped."""
    before, after = pairs[0]
    stack, top = counter(NAMES[place]), before[place] % base
    yield stack
    pushed = after - base * before[place]
    if 0 < pushed < base:
        yield base * stack + pushed
    if top:
        yield (stack - top) // base


def _candidates(
    pairs: Sequence[tuple[Counters, int]], place: int, usable: Sequence[int]
) -> Iterator[Affine | int]:
    before, after = pairs[0]
    order = [*(i for i in usable if i == place), *(i for i in usable if i != place)]
    for i in order:
        yield counter(NAMES[i]) + (after - before[i])
    yield after
    affine = _affine(pairs, order)
    if affine is not None:
        yield affine
    for i in order:
        for base in BASES:
            for shift in range(-base, base + 1):
                yield (counter(NAMES[i]) + shift) // base


def _affine(pairs: Sequence[tuple[Counters, int]], order: Sequence[int]) -> Affine | None:
    """A sum of multiples, perhaps divided by an integer."""
    rows = [
        ([Fraction(1), *(Fraction(before[i]) for i in order)], [Fraction(after)])
        for before, after in pairs
    ]
    solution = solve(rows, len(order) + 1, 1)
    if solution is None:
        return None
    factors = [factor for (factor,) in solution]
    divisor = max(factor.denominator for factor in factors)
    if any(divisor % factor.denominator for factor in factors):
        return None
    constant, *rest = [int(factor * divisor) for factor in factors]
    terms = tuple((NAMES[i], f) for i, f in zip(order, rest, strict=True) if f)
    return Affine(terms, constant, divisor)
