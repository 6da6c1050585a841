"""Formulas of SymPy as functions over fractions, by a reader of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

Values = dict[str, Fraction]
Function = Callable[[Values], Any]
_CONTEXT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
_FAR = 3000
"""Beyond that, e^x and e^-x are as good as 0 beside 1."""


def compiled(expression: Any) -> Function:
    """The expression as a function from its symbols' values."""
    name = type(expression).__name__
    if expression.is_Rational:
        value = Fraction(int(expression.p), int(expression.q))
        return lambda _: value
    if expression.is_Symbol:
        symbol = expression.name
        return lambda values: values[symbol]
    if name in ("BooleanTrue", "BooleanFalse"):
        return lambda _: name == "BooleanTrue"
    parts = [compiled(part) for part in expression.args]
    if name == "Piecewise":
        return lambda values: next(p[0](values) for p in map(_pair, parts) if p[1](values))
    if name == "ExprCondPair":
        return lambda values: parts
    operation = _OPERATIONS[name]
    return lambda values: operation(*(part(values) for part in parts))


def _pair(part: Function) -> Any:
    return part({})


def _exponential(x: Fraction) -> Fraction:
    cut = max(Fraction(-_FAR), min(Fraction(_FAR), x))
    return Fraction(_CONTEXT.exp(_CONTEXT.divide(Decimal(cut.numerator), Decimal(cut.denominator))))


def _tanh(x: Fraction) -> Fraction:
    return 1 - 2 / (_exponential(2 * x) + 1)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "Add": lambda *terms: reduce(add, terms),
    "Mul": lambda *factors: reduce(mul, factors),
    "Pow": lambda x, n: x ** int(n),
    "Max": max,
    "Min": min,
    "sat": lambda x: max(Fraction(-(10**6)), min(Fraction(10**6), x)),
    "Heaviside": lambda x, at_zero: Fraction(int(x > 0)) if x else at_zero,
    "floor": lambda x: Fraction(math.floor(x)),
    "Mod": lambda x, base: x % base,
    "Abs": abs,
    "exp": _exponential,
    "Exp1": lambda: _exponential(Fraction(1)),
    "tanh": _tanh,
    "StrictGreaterThan": lambda x, y: x > y,
    "StrictLessThan": lambda x, y: x < y,
}
