"""Linear algebra over sparse rows, of fractions or of decimal numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import TypeVar

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
