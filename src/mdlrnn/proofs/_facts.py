"""What may be known of the counters in a location: candidates that hold in all runs seen.

Bounds on counters and on sums and differences of two, sums of more that are equal to another,
remainders, and for a counter that is used
as a stack which digits it has, and has below the last. Those that an induction does not bear out
are dropped by `_induction`, so that a candidate that is no more than an accident does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from ..machines import Affine
from ._execute import Node
from ._numbers import solve
from ._smt import Formula
from ._system import System
from ._terms import Term, counter_term, floor

MODULI = (2, 3, 4, 6)


class Stack(NamedTuple):
    """A counter that is used as a stack, with the digits that runs have on it, as bits."""

    name: str
    base: int
    digits: int
    below: int
    """Those that lie below another."""
    zero_is_empty: bool
    """Whether a rule asks for the digit 0 on top, which is there if nothing is."""


def candidates(
    system: System, nodes: Sequence[Node], stacks: Sequence[Stack]
) -> tuple[Formula, ...]:
    if not system.counters:
        return ()
    return tuple(_candidates(system, [node.here.counters for node in nodes], stacks))


def _candidates(
    system: System, seen: Sequence[tuple[int, ...]], stacks: Sequence[Stack]
) -> Iterator[Formula]:
    for place, name in enumerate(system.counters):
        values = [counters[place] for counters in seen]
        yield from _bounded(counter_term(name), values, upper=True)
        for base in MODULI:
            left = {value % base for value in values}
            if len(left) == 1 and len(set(values)) > 1:
                yield ("mod", counter_term(name), base, left.pop())
        for stack in stacks:
            if stack.name == name:
                yield from _digits(stack)
    factors = _factors(system)
    for (i, one), (j, other) in combinations(enumerate(system.counters), 2):
        for a, b in factors:
            values = [a * counters[i] + b * counters[j] for counters in seen]
            term = counter_term(one).times(a) + counter_term(other).times(b)
            yield from _bounded(term, values, upper=True)
    for place in range(2, len(system.counters)):
        yield from _sum_of_others(system.counters[: place + 1], seen)


def _sum_of_others(names: Sequence[str], seen: Sequence[tuple[int, ...]]) -> Iterator[Formula]:
    """That the last of these counters is a sum of multiples of two or more of the others."""
    before = len(names) - 1
    rows = [
        ([Fraction(1), *map(Fraction, here[:before])], [Fraction(here[before])])
        for here in dict.fromkeys(seen)
    ]
    solution = solve(rows, before + 1, 1)
    if solution is None:
        return
    [constant], *factors = solution
    if sum(1 for [factor] in factors if factor) < 2:
        return
    term = counter_term(names[before]).plus(-constant)
    for name, [factor] in zip(names, factors, strict=False):
        term = term + counter_term(name).times(-factor)
    yield (">=", term)
    yield (">=", term.times(-1))


def _digits(stack: Stack) -> Iterator[Formula]:
    term, base = counter_term(stack.name), stack.base
    usual = stack.below == 2**base - 2 and not stack.zero_is_empty
    if stack.digits & 1 or usual:
        yield ("digits", term, base)
        return
    yield ("digits", term, base, stack.digits)
    if stack.below not in (0, stack.digits):
        yield ("digits", floor(term.times(Fraction(1, base))), base, stack.below)


def stacks_of(system: System, nodes: Sequence[Node]) -> tuple[Stack, ...]:
    """The stacks of a system, and what its runs have on them."""
    found = []
    asked = {
        (condition.base, condition.digit)
        for conditions in system.conditions.values()
        for condition in conditions
        if condition.relation == "mod"
    }
    for name, bases in stack_bases(system).items():
        place = system.counters.index(name)
        values = {node.here.counters[place] for node in nodes}
        for base in sorted(bases):
            below = _on({value // base for value in values}, base)
            found.append(Stack(name, base, below | _on(values, base), below, (base, 0) in asked))
    return tuple(found)


def _on(values: Iterable[int], base: int) -> int:
    """The digits of integers, as bits."""
    found, left = 0, set(values)
    while left:
        left = {value for value in left if value > 0}
        for value in left:
            found |= 1 << value % base
        left = {value // base for value in left}
    return found


def _bounded(term: Term, values: Sequence[int], upper: bool) -> Iterator[Formula]:
    yield (">=", term.plus(-min(values)))
    if upper:
        yield (">=", term.times(-1).plus(max(values)))


def _factors(system: System) -> list[tuple[int, int]]:
    """1 and −1, and the multiples that the rules speak of."""
    sizes = {1, *(abs(f) for x in _expressions(system) for _, f in x.terms)}
    found = {(1, 1)}
    for size in sizes:
        found |= {(size, -1), (1, -size)}
    return sorted(found)


def stack_bases(system: System) -> dict[str, set[int]]:
    """Counters that a rule multiplies or divides, and by how much; by 64 where there is 4 is by 4,
    several times."""
    found: dict[str, set[int]] = {}
    for rule in system.rules:
        for name, update in rule.then:
            if isinstance(update, Affine):
                if update.divisor > 1:
                    found.setdefault(name, set()).add(update.divisor)
                for other, factor in update.terms:
                    if other == name and factor > 1:
                        found.setdefault(name, set()).add(factor)
    return {
        name: {base for base in bases if not any(_is_power(base, other) for other in bases)}
        for name, bases in found.items()
    }


def _is_power(number: int, base: int) -> bool:
    """Whether it is the base times itself, once or more."""
    power = base * base
    while power < number:
        power *= base
    return power == number


def _expressions(system: System) -> Iterator[Affine]:
    for rule in system.rules:
        yield from (condition.expression for condition in rule.when)
        yield from (x for _, x in rule.then if isinstance(x, Affine))
