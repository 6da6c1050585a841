"""Linear equations over fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def solve(
    rows: Sequence[tuple[list[Fraction], list[Fraction]]], width: int, units: int
) -> list[list[Fraction]] | None:
    """Factors with left · factors = right in every row, by elimination; free ones are 0."""
    pivots: list[tuple[int, list[Fraction], list[Fraction]]] = []
    for left, right in rows:
        left, right = list(left), list(right)
        for column, other, value in pivots:
            if left[column]:
                times = left[column]
                left = [a - times * b for a, b in zip(left, other, strict=True)]
                right = [a - times * b for a, b in zip(right, value, strict=True)]
        column = next((i for i, a in enumerate(left) if a), -1)
        if column < 0:
            if any(right):
                return None
            continue
        head = left[column]
        pivots.append((column, [a / head for a in left], [a / head for a in right]))
    solution = [[Fraction(0)] * units for _ in range(width)]
    for column, left, right in reversed(pivots):
        found = right
        for place, factor in enumerate(left):
            if place != column and factor:
                found = [a - factor * b for a, b in zip(found, solution[place], strict=True)]
        solution[column] = found
    return solution
