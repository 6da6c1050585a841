"""A probabilistic context-free grammar as values, and what follows from its productions alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import floor, prod
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", Fraction, Decimal)
"""Exact, or fast; decimal numbers do not become 0 for being small, as floats do."""

CONTEXT = Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""How decimal numbers are computed with."""


def fraction(number: Fraction) -> Fraction:
    return number


def decimal(number: Fraction) -> Decimal:
    return CONTEXT.divide(number.numerator, number.denominator)


def components(graph: Mapping[K, Iterable[K]]) -> list[list[K]]:
    """The strongly connected components, each after those that it leads to."""
    reached: dict[K, set[K]] = {}
    for key in graph:
        found, left = {key}, [key]
        while left:
            new = set(graph.get(left.pop(), ())) - found
            found |= new
            left += new
        reached[key] = found
    lists: list[list[K]] = []
    placed: set[K] = set()
    for key in sorted(graph, key=lambda key: len(reached[key])):
        if key not in placed:
            members = [other for other in graph if other in reached[key] and key in reached[other]]
            placed.update(members)
            lists.append(members)
    return lists


def closure(rows: Mapping[K, Mapping[K, N]], one: N) -> dict[K, dict[K, N]]:
    """1 + M + M² + ..., the inverse of 1 − M, where that sum converges.

    Kleene's elimination: after a key is eliminated, rows hold the paths whose inner keys all are.
    Keys that others lead to come first, so that without loops no entry is computed twice.
    """
    paths = {key: dict(row) for key, row in rows.items()}
    into: dict[K, set[K]] = {}
    for key, row in paths.items():
        for to in row:
            into.setdefault(to, set()).add(key)
    for key in _bottom_up(rows):
        row = paths[key]
        if key in row:
            star = one / (one - row[key])
            row = paths[key] = {to: star * weight for to, weight in row.items()}
        for other in into.get(key, set()) - {key}:
            theirs = paths[other]
            factor = theirs[key]
            for to, weight in row.items():
                if to in theirs:
                    theirs[to] += factor * weight
                else:
                    theirs[to] = factor * weight
                    into.setdefault(to, set()).add(other)
    for key, row in paths.items():
        row[key] = row[key] + one if key in row else one
    return paths


def _bottom_up(rows: Mapping[K, Mapping[K, N]]) -> list[K]:
    """The keys, each after those it leads to wherever there is no loop."""
    order: list[K] = []
    seen: set[K] = set()
    for first in rows:
        left = [(first, iter(rows[first]))] if first not in seen else []
        seen.add(first)
        while left:
            key, further = left[-1]
            for to in further:
                if to in rows and to not in seen:
                    seen.add(to)
                    left.append((to, iter(rows[to])))
                    break
            else:
                order.append(key)
                left.pop()
    return order


@dataclass(frozen=True)
class Nonterminal:
    name: str


Part = Nonterminal | str
"""What stands on the right of a production; a string is a terminal."""


class Production(NamedTuple):
    left: Nonterminal
    right: tuple[Part, ...]
    chance: Fraction


Equations = Mapping[Nonterminal, Sequence[tuple[Fraction, tuple[Nonterminal, ...]]]]
"""For each unknown the terms that sum up to it: a coefficient times a product of unknowns."""

DIGITS = 192
"""Binary digits of a solution that is not rational."""
MOST_STEPS = 2 * DIGITS
"""Newton's method doubles the digits that are right, or at the worst adds one, at each step."""
LARGEST_DENOMINATOR = 10**9


class Empty(NamedTuple):
    """How likely each nonterminal yields the empty string."""

    chances: dict[Nonterminal, Fraction]
    exact: bool
    """Whether all are right; else, being irrational, some are to nearly `DIGITS` digits."""


def nonterminals(parts: Iterable[Part]) -> tuple[Nonterminal, ...]:
    return tuple(part for part in parts if isinstance(part, Nonterminal))


def reachable(start: Nonterminal, productions: Sequence[Production]) -> list[Production]:
    """The productions that a derivation can use, in the order given."""
    found, left = {start}, [start]
    by_left = _by_left(productions)
    while left:
        for production in by_left.get(left.pop(), ()):
            new = set(nonterminals(production.right)) - found
            found |= new
            left += new
    return [production for production in productions if production.left in found]


def barren(productions: Sequence[Production]) -> Nonterminal | None:
    """The first nonterminal from which no derivation ends, if there is one."""
    fertile: set[Nonterminal] = set()
    waiting: dict[Nonterminal, list[int]] = {}
    left = [set(nonterminals(p.right)) for p in productions]
    for number, needed in enumerate(left):
        for part in needed:
            waiting.setdefault(part, []).append(number)
    ready = [p.left for p, needed in zip(productions, left, strict=True) if not needed]
    while ready:
        found = ready.pop()
        if found in fertile:
            continue
        fertile.add(found)
        for number in waiting.get(found, ()):
            left[number].discard(found)
            if not left[number]:
                ready.append(productions[number].left)
    return next((p.left for p in productions if p.left not in fertile), None)


def endless(productions: Sequence[Production]) -> Nonterminal | None:
    """A nonterminal that brings forth itself more than once on average, if there is one.

    Where none is barren, derivations end with probability 1 just when no such nonterminal is
    reached: when the mean number of offspring, a matrix, has no eigenvalue above 1. A component
    has none if all pivots of identity − matrix are positive, the last one perhaps 0.
    """
    means: dict[Nonterminal, dict[Nonterminal, Fraction]] = {p.left: {} for p in productions}
    for production in productions:
        row = means[production.left]
        for part in nonterminals(production.right):
            row[part] = row.get(part, Fraction(0)) + production.chance
    for members in components(means):
        inside = {a: {b: means[a][b] for b in members if b in means[a]} for a in members}
        for place, pivot in enumerate(members, start=1):
            loop = inside[pivot].get(pivot, Fraction(0))
            if loop > 1 or (loop == 1 and place < len(members)):
                return pivot
            for other in members[place:]:
                factor = inside[other].get(pivot)
                if factor:
                    for to, mean in inside[pivot].items():
                        more = factor * mean / (1 - loop)
                        inside[other][to] = inside[other].get(to, Fraction(0)) + more
    return None


def chance_to_end(start: Nonterminal, productions: Sequence[Production]) -> float:
    """The probability that a derivation comes to an end."""
    return float(least_solution(_equations(productions))[start])


def empty_chances(productions: Sequence[Production]) -> Empty:
    """For a grammar whose derivations all end."""
    visible: set[Nonterminal] = set()
    while True:
        new = {p.left for p in productions if any(_shows(part, visible) for part in p.right)}
        if new <= visible:
            break
        visible |= new
    silent = [p for p in productions if not any(isinstance(part, str) for part in p.right)]
    equations = _equations(silent) | {
        p.left: [(Fraction(1), ())] for p in productions if p.left not in visible
    }
    chances = {p.left: Fraction(0) for p in productions} | least_solution(equations)
    return Empty(
        chances, all(_value(terms, chances) == chances[a] for a, terms in equations.items())
    )


def least_solution(equations: Equations) -> dict[Nonterminal, Fraction]:
    """The least solution that is nowhere negative, one component after the other."""
    graph = {left: {b for _, term in terms for b in term} for left, terms in equations.items()}
    solved: dict[Nonterminal, Fraction] = {}
    for members in components(graph):
        solved |= _newton(members, equations, solved)
    return solved


def _newton(
    members: Sequence[Nonterminal], equations: Equations, solved: Mapping[Nonterminal, Fraction]
) -> dict[Nonterminal, Fraction]:
    """Newton's method from 0, which rises to the least solution; a linear system takes one step."""
    unknown = frozenset(members)
    terms = {
        a: [
            (
                prod((solved.get(b, Fraction(0)) for b in term if b not in unknown), start=chance),
                tuple(b for b in term if b in unknown),
            )
            for chance, term in equations[a]
        ]
        for a in members
    }
    linear = all(len(inner) < 2 for all_terms in terms.values() for _, inner in all_terms)
    x = dict.fromkeys(members, Fraction(0))
    for _ in range(MOST_STEPS):
        missing = {a: _value(terms[a], x) - x[a] for a in members}
        if not any(missing.values()):
            return x
        slopes: dict[Nonterminal, dict[Nonterminal, Fraction]] = {a: {} for a in members}
        for a in members:
            for chance, inner in terms[a]:
                for place, b in enumerate(inner):
                    others = prod((x[c] for c in inner[:place] + inner[place + 1 :]), start=chance)
                    slopes[a][b] = slopes[a].get(b, Fraction(0)) + others
        rows = closure(slopes, Fraction(1))
        new = {a: x[a] + sum(rows[a][b] * missing[b] for b in rows[a]) for a in members}
        if not linear:
            new = {a: Fraction(floor(value * 2**DIGITS), 2**DIGITS) for a, value in new.items()}
        if new == x:
            break
        x = new
    simple = {a: value.limit_denominator(LARGEST_DENOMINATOR) for a, value in x.items()}
    near = all(abs(simple[a] - x[a]) < Fraction(1, 2 ** (DIGITS // 2)) for a in members)
    return simple if near and all(_value(terms[a], simple) == simple[a] for a in members) else x


def _value(
    terms: Sequence[tuple[Fraction, tuple[Nonterminal, ...]]], x: Mapping[Nonterminal, Fraction]
) -> Fraction:
    return sum((prod((x[b] for b in term), start=chance) for chance, term in terms), Fraction(0))


def _shows(part: Part, visible: set[Nonterminal]) -> bool:
    return isinstance(part, str) or part in visible


def _by_left(productions: Sequence[Production]) -> dict[Nonterminal, list[Production]]:
    table: dict[Nonterminal, list[Production]] = {}
    for production in productions:
        table.setdefault(production.left, []).append(production)
    return table


def _equations(
    productions: Sequence[Production],
) -> dict[Nonterminal, list[tuple[Fraction, tuple[Nonterminal, ...]]]]:
    """Each nonterminal as the sum over its productions, terminals counting as 1."""
    return {
        left: [(p.chance, nonterminals(p.right)) for p in own]
        for left, own in _by_left(productions).items()
    }
