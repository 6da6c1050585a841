"""A network as the list of formulas that every export writes in its own language.

The order of the formulas is the interpreter's, and so is the order of the terms in each: floats
then give the interpreter's value to the last bit, wherever they are added and multiplied one by
one. Connections that close a loop and units that no output depends on are left out, once for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .._errors import InputError
from ..network._interpreter import FLOAT_CUT, SATURATION, plan
from ..network._network import Network
from ..network._units import Weight


class Term(NamedTuple):
    """A weight times the value of a unit, of this step or of the one before."""

    source: int
    weight: Weight
    place: int
    """In the network's connections."""


class Formula(NamedTuple):
    """What a unit computes from the units before it."""

    unit: int
    activation: str
    product: bool
    reads: bool
    """It is an input, so the value fed is added."""
    forward: tuple[Term, ...]
    recurrent: tuple[Term, ...]
    """Of the step before; at the first step there are none."""
    bias: Weight | None


class Program(NamedTuple):
    """The formulas in the order of evaluation, and what is kept from one step to the next."""

    formulas: tuple[Formula, ...]
    memory: tuple[int, ...]
    """The units whose values the next step needs."""
    outputs: range


def program(network: Network) -> Program:
    order, ignored = plan(network)
    forward: dict[int, list[Term]] = {u: [] for u in order}
    recurrent: dict[int, list[Term]] = {u: [] for u in order}
    for place, c in enumerate(network.connections):
        if c.target not in forward:
            continue
        if c.kind == "recurrent":
            recurrent[c.target].append(Term(c.source, c.weight, place))
        elif (c.source, c.target) not in ignored:
            forward[c.target].append(Term(c.source, c.weight, place))
    formulas = []
    for u in order:
        unit = network.units[u]
        is_product = unit.type == "product"
        # Without a forward connection a product is 0, whatever is remembered.
        kept = recurrent[u] if forward[u] or not is_product else []
        formulas.append(
            Formula(
                u, unit.activation, is_product, u < network.inputs, tuple(forward[u]), tuple(kept),
                unit.bias,
            )
        )  # fmt: skip
    outputs = range(network.inputs, network.inputs + network.outputs)
    needed = _needed(formulas, outputs)
    used = tuple(formula for formula in formulas if formula.unit in needed)
    remembered = {term.source for formula in used for term in formula.recurrent}
    return Program(used, tuple(sorted(remembered)), outputs)


def float_limit(network: Network) -> float:
    """What sums and products are cut to in float64, either way, before the activation."""
    return float(SATURATION) if network.saturation else FLOAT_CUT


def check_expressible(code: Program, known: Iterable[str], language: str) -> None:
    """Refuse a network with an activation that the export has no form for."""
    missing = {formula.activation for formula in code.formulas} - {"linear", *known}
    if missing:
        raise InputError(
            f"the activation {min(missing)} has no form in {language}; export to another format."
        )


def _needed(formulas: Iterable[Formula], outputs: range) -> set[int]:
    """The units that an output depends on, at its step or at a later one."""
    by_unit = {formula.unit: formula for formula in formulas}
    needed: set[int] = set()
    left = list(outputs)
    while left:
        u = left.pop()
        if u not in needed:
            needed.add(u)
            left += [term.source for term in by_unit[u].forward + by_unit[u].recurrent]
    return needed
