"""Closed forms for people: a term made shorter by what is known where it stands.

A maximum whose sign is settled, a remainder or floor that never varies there: each replacement is
first shown by the solver to hold throughout the location.
"""

from __future__ import annotations

from collections.abc import Callable

from ._invariant import Location
from ._obligations import Induction, counters_as, hypothesis
from ._smt import Formula, Script, negation
from ._solver import ask_z3
from ._terms import Term, known, rebuilt, substitute


def simplifier(induction: Induction, location: Location) -> Callable[[Term], Term]:
    system = induction.system
    here = hypothesis(induction, location)
    start = Script(system.counters)
    start.add(here)
    model = ask_z3("\n".join(start.lines), start.variables).model
    at = None
    if model is not None:
        at = counters_as(system, {name: known(value) for name, value in model.items()})
    settled: dict[Term, Term] = {}

    def always(formula: Formula) -> bool:
        script = Script(system.counters)
        script.add(here)
        script.add(negation(formula))
        return ask_z3("\n".join(script.lines)).verdict == "unsat"

    def short(term: Term) -> Term:
        result = Term(term.constant)
        for atom, factor in term.parts:
            alone = Term(known(0).constant, ((atom, known(1).constant),))
            if atom.inputs and alone not in settled:
                settled[alone] = _settled(rebuilt(atom, [short(x) for x in atom.inputs]))
            result = result + settled.get(alone, alone).times(factor)
        return result

    def _settled(term: Term) -> Term:
        """A single activation, or what it is throughout the location."""
        if len(term.parts) != 1 or at is None:
            return term
        atom = term.parts[0][0]
        if atom.kind == "sigmoid" or not atom.inputs:
            return term
        guesses = [substitute(term, at)]
        if atom.kind == "relu":
            factor = term.parts[0][1]
            guesses.append(atom.inputs[0].times(factor).plus(term.constant))
        for guess in guesses:
            if always(("=", term - guess)):
                return guess
        return term

    return short
