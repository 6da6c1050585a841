"""What may be known of the counters in a location: candidates that hold in all runs seen.

Bounds on counters and on sums and differences of two, remainders, and for a counter that is used
as a stack of digits that none of them is 0. Those that an induction does not bear out are dropped
by `_induction`, so that a candidate that is no more than an accident does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..languages import Affine
from ._explore import Node
from ._smt import Formula
from ._system import System
from ._terms import Term, counter_term

MODULI = (2, 3, 4, 6)


def candidates(system: System, nodes: Sequence[Node]) -> tuple[Formula, ...]:
    if not system.counters:
        return ()
    return tuple(_candidates(system, [node.here.counters for node in nodes]))


def _candidates(system: System, seen: Sequence[tuple[int, ...]]) -> Iterator[Formula]:
    bases = stack_bases(system)
    for place, name in enumerate(system.counters):
        values = [counters[place] for counters in seen]
        yield from _bounded(counter_term(name), values, upper=True)
        for base in MODULI:
            left = {value % base for value in values}
            if len(left) == 1 and len(set(values)) > 1:
                yield ("mod", counter_term(name), base, left.pop())
        for base in bases.get(name, ()):
            yield ("digits", counter_term(name), base)
    factors = _factors(system)
    for (i, one), (j, other) in combinations(enumerate(system.counters), 2):
        for a, b in factors:
            values = [a * counters[i] + b * counters[j] for counters in seen]
            term = counter_term(one).times(a) + counter_term(other).times(b)
            yield from _bounded(term, values, upper=True)


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
    """Counters that a rule multiplies or divides, and by how much."""
    found: dict[str, set[int]] = {}
    for rule in system.rules:
        for name, update in rule.then:
            if isinstance(update, Affine):
                if update.divisor > 1:
                    found.setdefault(name, set()).add(update.divisor)
                for other, factor in update.terms:
                    if other == name and factor > 1:
                        found.setdefault(name, set()).add(factor)
    return found


def _expressions(system: System) -> Iterator[Affine]:
    for rule in system.rules:
        yield from (condition.expression for condition in rule.when)
        yield from (x for _, x in rule.then if isinstance(x, Affine))
