"""The paper's proof tables, made by machine: rows are phases, entries closed forms.

Here are the cells; `_document` writes them. Values follow from the relation that was proved: what
memory units hold in a location, and the input that was read last.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..network._interpreter import LEAST_TOTAL
from ._claims import shares
from ._formula import term_text
from ._invariant import Location
from ._obligations import Induction, targets
from ._simplify import simplifier
from ._terms import Term, bounds

UNKNOWN = "…"


class Share(NamedTuple):
    """A probability: exact, or rounded, or mass over whole where it varies."""

    mass: Term
    whole: Term
    outcomes: int

    def text(self, latex: bool = False) -> str:
        low_whole, high_whole = bounds(self.whole)
        if high_whole is not None and high_whole <= LEAST_TOTAL:
            return term_text(Term(Fraction(1, self.outcomes)), latex)
        if self.mass == Term(self.mass.constant * 0):
            return "0"
        if self.mass == self.whole:
            return "1"
        low, high = bounds(self.mass)
        if low is not None and high is not None and low_whole and high_whole:
            if low == high and low_whole == high_whole:
                return term_text(Term(low / low_whole), latex)
            about = float(low / low_whole)
            return f"{'' if latex else '≈ '}{_rounded(about, latex)}"
        over = term_text(self.whole, latex)
        if latex:
            return rf"\frac{{{term_text(self.mass, latex)}}}{{{over}}}"
        mass = term_text(self.mass)
        mass = f"({mass})" if _is_sum(self.mass) else mass
        return f"{mass} / ({over})" if _is_sum(self.whole) else f"{mass} / {over}"


def _is_sum(term: Term) -> bool:
    return len(term.parts) + (term.constant != 0) > 1


def _rounded(value: float, latex: bool) -> str:
    text = f"{value:.3g}"
    if text == "1":
        return r"\sim 1" if latex else "1"
    if latex and "e" in text:
        base, exponent = text.split("e")
        return rf"{base}\cdot 10^{{{int(exponent)}}}"
    return rf"\sim {text}" if latex else text


class Row(NamedTuple):
    location: Location
    memory: list[Term]
    outputs: list[Term | None]
    shares: list[Share] | None
    """None where the outputs have no closed form here."""


def table(induction: Induction) -> list[Row]:
    return [_row(induction, location) for location in induction.locations]


def _row(induction: Induction, location: Location) -> Row:
    executor, system = induction.executor, induction.system
    short = simplifier(induction, location)
    memory = dict(zip(executor.memory, location.memory, strict=True))
    values = executor.read(system.rows[location.key.history[-1]], memory)
    first = executor.network.inputs
    places = range(first, first + executor.network.outputs)
    outputs = [values.get(u) or _constant(induction, location, u) for u in places]
    shown = [None if value is None else short(value) for value in outputs]
    found = None
    if all(value is not None for value in shown):
        given = shares([value for value in shown if value is not None])
        masses = [short(mass) for mass in given.masses]
        whole = Term(given.whole.constant * 0)
        for mass in masses:
            whole = whole + mass
        found = [Share(mass, whole, len(masses)) for mass in masses]
    return Row(location, [short(term) for term in location.memory], shown, found)


def _constant(induction: Induction, location: Location, unit: int) -> Term | None:
    """What a unit holds after each step into a location, if that is one known value."""
    found = set()
    for source, step in induction.steps:
        if location in targets(induction, source, step):
            found.add(step.values.value[unit])
    return found.pop() if len(found) == 1 and all(term.known for term in found) else None
