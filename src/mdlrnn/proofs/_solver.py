"""Asking Z3 or cvc5 whether a query's text is unsatisfiable. Both are extras."""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from .._errors import MissingExtra

EXTRA = "prove"
MILLISECONDS = 4_000
"""For one query; linear ones take a few."""
LOGIC = "(set-logic ALL)"


class Answer(NamedTuple):
    verdict: str
    """unsat, sat or unknown."""
    model: dict[str, int] | None = None
    """Values of the counters, where it is sat."""


def available(package: str = "z3") -> bool:
    return find_spec(package) is not None


def require(package: str, what: str) -> None:
    if not available(package):
        shown = {"z3": "Z3", "cvc5": "cvc5"}[package]
        raise MissingExtra(what, shown, EXTRA)


def milliseconds_until(deadline: float) -> int:
    """For one query that should not go on for long after the deadline."""
    return max(100, min(MILLISECONDS, int(1000 * (deadline - time.monotonic()))))


def ask_z3(
    text: str, variables: Mapping[str, str] | None = None, milliseconds: int = MILLISECONDS
) -> Answer:
    import z3

    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    try:
        solver.from_string(text)
        verdict = str(solver.check())
    except z3.Z3Exception:
        return Answer("unknown")
    if verdict != "sat" or variables is None:
        return Answer(verdict)
    model: Any = solver.model()
    values = {}
    for name, counter in variables.items():
        value = model.eval(z3.Int(name), model_completion=True)
        values[counter] = int(value.as_long())
    return Answer(verdict, values)


def ask_cvc5(text: str, milliseconds: int = MILLISECONDS) -> Answer:
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"{LOGIC}\n{text}\n", "query")
    symbols = parser.getSymbolManager()
    try:
        while True:
            command = parser.nextCommand()
            if command.isNull():
                break
            command.invoke(solver, symbols)
        result = solver.checkSat()
    except RuntimeError:  # which all of its exceptions are
        return Answer("unknown")
    return Answer("unsat" if result.isUnsat() else "sat" if result.isSat() else "unknown")
