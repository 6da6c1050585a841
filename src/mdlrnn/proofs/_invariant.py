"""The relation between counters and memory, guessed from exact runs.

A location is a phase of the system together with what was last read and, where that is not enough,
with the signs or remainders of some activations' arguments at the last step. In each location
every memory unit is fitted as an affine function of the counters. That a guess holds for every
string is not shown here but in `_induction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from ..machines import Affine
from ..network import ACTIVATIONS
from ._execute import Executor, Node, Phase, System, Values, affine_term
from ._smt import Formula, conjunction, negation
from ._terms import (
    Atom,
    Term,
    bounds,
    counter_term,
    floor,
    known,
    mirror,
    remainder,
    sign_of,
    solve,
    substitute,
)

MOST_LOCATIONS = 120
MOST_REMAINDERS = 12
Tag = bool | Fraction | None


class Scheme(NamedTuple):
    """What tells locations of one phase apart."""

    history: int = 1
    signs: tuple[int, ...] = ()
    """Units whose argument is above 0 or not."""
    remainders: tuple[int, ...] = ()
    """Units of floor and mod, by what is left over."""


class Key(NamedTuple):
    phase: Phase
    history: tuple[str, ...]
    tags: tuple[Tag, ...]


@dataclass(frozen=True)
class Location:
    key: Key
    memory: tuple[Term, ...]
    """The value of each memory unit, over the counters."""
    facts: tuple[Formula, ...] = ()
    """What is known of the counters here, besides the conditions of the phase."""


def schemes(executor: Executor) -> list[Scheme]:
    """What is tried, one after the other."""
    units = executor.network.units
    inner = [u for u in executor.relevant if u in executor.remembering]
    signs = tuple(u for u in inner if ACTIVATIONS[units[u].activation].signed)
    remainders = tuple(u for u in inner if ACTIVATIONS[units[u].activation].modulus)
    found = [Scheme()]
    if signs:
        found.append(Scheme(1, signs))
    found.append(Scheme(2))
    if remainders:
        found += [Scheme(1, (), remainders), Scheme(1, signs, remainders)]
    if signs:
        found.append(Scheme(2, signs))
    return [*dict.fromkeys([*found, Scheme(2, signs, remainders), Scheme(3, signs)])]


def key_of(scheme: Scheme, node: Node) -> Key:
    tags: list[Tag] = []
    for unit in scheme.signs:
        sign = sign_of(node.values.argument[unit])
        tags.append(None if sign is None else bool(sign))
    for unit in scheme.remainders:
        rest = _remainder(node.executor, unit, node.values)
        tags.append(rest.constant if rest.known else None)
    return Key(node.phase, node.labels(scheme.history), tuple(tags))


def _remainder(executor: Executor, unit: int, values: Values) -> Term:
    argument = values.argument[unit]
    modulus = ACTIVATIONS[executor.network.units[unit].activation].modulus
    assert modulus is not None
    return argument - floor(argument) if modulus == 1 else remainder(argument, modulus)


def selected(
    scheme: Scheme, key: Key, executor: Executor, values: Values, phase: Formula
) -> Formula:
    """That a step led into this location, given its phase's formula over the new counters."""
    parts = [phase]
    units = (*scheme.signs, *scheme.remainders)
    for place, (unit, tag) in enumerate(zip(units, key.tags, strict=True)):
        if tag is None:
            continue
        if place < len(scheme.signs):
            above: Formula = (">", values.argument[unit])
            parts.append(above if tag else negation(above))
        else:
            assert isinstance(tag, Fraction)
            parts.append(("=", _remainder(executor, unit, values).plus(-tag)))
    return conjunction(*parts)


def phase_formula(system: System, phase: Phase, counters: Mapping[Atom, Term]) -> Formula:
    """The conditions of a phase, over counters replaced by these terms."""
    parts = []
    for condition, true in zip(system.conditions[phase.state], phase.truth, strict=True):
        term = substitute(affine_term(condition.expression), counters)
        formula: Formula
        if condition.relation == "mod":
            formula = ("mod", term, condition.base, condition.digit)
        else:
            formula = (condition.relation, term)
        parts.append(formula if true else negation(formula))
    return conjunction(*parts)


def guess(
    scheme: Scheme, nodes: Iterable[Node]
) -> tuple[list[Location], dict[Key, list[Node]]] | None:
    """A location for each key seen, with fitted memory; None where no affine function fits."""
    groups: dict[Key, list[Node]] = {}
    for node in nodes:
        groups.setdefault(key_of(scheme, node), []).append(node)
        if len(groups) > MOST_LOCATIONS:
            return None
    order = {history: i for i, history in enumerate(dict.fromkeys(key.history for key in groups))}
    groups = dict(
        sorted(groups.items(), key=lambda item: (order[item[0].history], _falling(item[0].phase)))
    )
    if _too_many_remainders(scheme, groups):
        return None
    for mirrored in (False, True):
        fitted = [fit(members, mirrored) for members in groups.values()]
        memory = [found for found in fitted if found is not None]
        if len(memory) == len(groups):
            found = [Location(key, terms) for key, terms in zip(groups, memory, strict=True)]
            return found, groups
    return None


def _falling(phase: Phase) -> tuple[str, tuple[bool, ...]]:
    """The conditions that a machine names first come first: k > 0 before k = 0."""
    return phase.state, tuple(not true for true in phase.truth)


def _too_many_remainders(scheme: Scheme, groups: Mapping[Key, object]) -> bool:
    first = len(scheme.signs)
    return any(
        len({key.tags[first + i] for key in groups}) > MOST_REMAINDERS
        for i in range(len(scheme.remainders))
    )


def fit(nodes: Sequence[Node], mirrored: bool = False) -> tuple[Term, ...] | None:
    """Each memory unit as constant + Σ factor · counter, with fixed multiples of sigmoids; or of
    counters that are stacks, and of those as fractions rather than as integers."""
    system = nodes[0].system
    units = len(nodes[0].memory)
    # Of each value the part without sigmoids is fitted; the sigmoids' factors must not vary.
    atoms = [value.parts for value in nodes[0].memory]
    if any(value.parts != atoms[i] for node in nodes for i, value in enumerate(node.memory)):
        return None
    names = list(map(counter_term, system.counters))
    if mirrored:
        stacks = stack_bases(system)
        fractions = [mirror(counter_term(n), b) for n in stacks for b in sorted(stacks[n])]
        if not fractions:
            return None
        names = fractions + names
    names.insert(0, known(1))
    rows = []
    for counters, memory in dict.fromkeys((node.here.counters, node.memory) for node in nodes):
        here = dict(zip(system.counters, map(known, counters), strict=True))
        at = {counter_term(name).parts[0][0]: value for name, value in here.items()}
        left = [substitute(name, at).constant for name in names]
        rows.append((left, [value.constant for value in memory]))
    solution = solve(rows, len(names), units)
    if solution is None:
        return None
    fitted = []
    for unit in range(units):
        term = Term(Fraction(0), atoms[unit])
        for factor, name in zip(solution, names, strict=True):
            term = term + name.times(factor[unit])
        fitted.append(term)
    return tuple(fitted)


def close(left: Term, right: Term) -> bool:
    """Whether two known values are equal."""
    low, high = bounds(left - right)
    return low == high == 0


MODULI = (2, 3, 4, 6)
MOST_BASE = 64
"""Of a stack: which digits it has is kept in as many bits."""


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
        if not any(stack.name == name for stack in stacks):
            yield from _remainders(system, name, values)
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


def _remainders(system: System, name: str, values: Sequence[int]) -> Iterator[Formula]:
    """The remainders that a counter never has, by the bases that conditions ask for."""
    bases = {
        condition.base
        for conditions in system.conditions.values()
        for condition in conditions
        if condition.relation == "mod" and condition.expression.terms == ((name, 1),)
    }
    for base in sorted(bases):
        left = {value % base for value in values}
        if len(left) == 1 and base not in MODULI:
            yield ("mod", counter_term(name), base, left.pop())
        elif len(left) > 1:
            for digit in range(base):
                if digit not in left:
                    above = remainder(counter_term(name).plus(Fraction(-digit)), base)
                    yield (">=", above.plus(-1))


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
    several times. Not by more than a digit may be."""
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
        name: own
        for name, bases in found.items()
        if (own := {base for base in bases if base <= MOST_BASE and not _is_a_power(base, bases)})
    }


def _is_a_power(base: int, bases: Iterable[int]) -> bool:
    return any(_is_power(base, other) for other in bases)


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
