"""A network as the list of formulas that every export writes in its own language.

Here too are what exports share: statements with the signs of C, a trial string with the
interpreter's answer, and the one sentence for a missing optional dependency.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from ..checks import check_kind
from ..errors import InputError, MissingExtra, printable
from ..network import (
    BOUNDARY,
    FLOAT_CUT,
    SATURATION,
    Arithmetic,
    Network,
    Number,
    Weight,
    describe,
    distribution,
    feed,
    input_rows,
    plan,
)


def require(module: str, what: str, package: str, extra: str) -> None:
    if find_spec(module) is None:
        raise MissingExtra(what, package, extra)


def require_torch() -> None:
    require("torch", "a PyTorch module", "PyTorch", "torch")


LONGEST = 12


class Trial(NamedTuple):
    symbols: tuple[str, ...]
    """Without the boundary; empty for a network that is fed numbers."""
    rows: list[list[Any]]
    """What the input units hold at each step."""
    probabilities: list[list[Number]]


def trial(network: Network, arithmetic: Arithmetic) -> Trial:
    """Every symbol twice, one after the other: aabb; rows of 0s and 1s where there are none."""
    if network.alphabet is not None:
        others = [symbol for symbol in network.alphabet if symbol != BOUNDARY]
        symbols = tuple(symbol for symbol in others for _ in range(2))[:LONGEST]
        rows = input_rows(network, symbols)
    else:
        symbols = ()
        rows = [
            [(step >> i % LONGEST) & 1 for i in range(network.inputs)]
            for step in (1, 2, 3, 3, 0, 1, 0)
        ]
    steps = feed(network, rows, arithmetic)
    return Trial(symbols, rows, [distribution(network, values) for values in steps])


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
    check_kind(network, Network, "give a Network")
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


TERMS_A_LINE = 6
"""Longer sums go on in the next statement: a parser's depth is bounded."""


class Dialect(NamedTuple):
    number: Callable[[int, int], str]
    """A fraction."""
    assign: Callable[[str, str], str]
    """A new name for a value."""
    change: Callable[[str, str], str]
    """Another value for a name."""
    unless_first: Callable[[list[str]], list[str]]
    """Statements that the first step leaves out."""
    function: Callable[[str], str]
    """What `clip`, `known` and the activations are called."""


def helper_name(activation: str) -> str:
    """What the function of an activation is called; `step` is the name of a network's step."""
    return "above" if activation == "step" else activation


def value_name(unit: int) -> str:
    return f"u{unit}"


def memory_name(unit: int) -> str:
    return f"m{unit}"


def statements(formula: Formula, dialect: Dialect, one_hot: bool) -> Iterator[str]:
    """The unit's value, by its name, from the values before it (`u4`), from those of the step
    before (`m4`) and from what is fed (`x0`), which is 0 or 1 where it is `one_hot`."""
    name = value_name(formula.unit)
    number = dialect.number
    bias = [] if formula.bias is None else [number(*_parts(formula.bias))]
    if formula.product:
        yield from _product(formula, name, dialect)
        value = _joined([name, *bias])
        yield dialect.change(name, _activated(formula, value, dialect))
        return
    terms = [f"x{formula.unit}"] if formula.reads else []
    terms += [_times(t.weight, value_name(t.source), number) for t in formula.forward]
    terms += [_times(t.weight, memory_name(t.source), number) for t in formula.recurrent]
    terms += bias
    if one_hot and formula.reads and len(terms) == 1:
        yield dialect.assign(name, terms[0])
    elif len(terms) <= TERMS_A_LINE:
        value = _joined(terms or [number(0, 1)])
        yield dialect.assign(name, _activated(formula, value, dialect))
    else:
        yield from _sum(terms, name, dialect)
        yield dialect.change(name, _activated(formula, name, dialect))


def _activated(formula: Formula, value: str, dialect: Dialect) -> str:
    cut = f"{dialect.function('clip')}({value})"
    if formula.activation == "linear":
        return cut
    return f"{dialect.function(formula.activation)}({cut})"


def _sum(terms: list[str], name: str, dialect: Dialect) -> Iterator[str]:
    yield dialect.assign(name, _joined(terms[:TERMS_A_LINE]))
    for at in range(TERMS_A_LINE, len(terms), TERMS_A_LINE):
        yield dialect.change(name, _joined([name, *terms[at : at + TERMS_A_LINE]]))


def _product(formula: Formula, name: str, dialect: Dialect) -> Iterator[str]:
    forward = [_factor(_times(t.weight, value_name(t.source), dialect.number))
               for t in formula.forward]  # fmt: skip
    back = [_factor(_times(t.weight, memory_name(t.source), dialect.number))
            for t in formula.recurrent]  # fmt: skip
    if not forward:
        yield dialect.assign(name, dialect.number(0, 1))
        return
    yield dialect.assign(name, " * ".join(forward[:TERMS_A_LINE]))
    for at in range(TERMS_A_LINE, len(forward), TERMS_A_LINE):
        yield dialect.change(name, " * ".join([name, *forward[at : at + TERMS_A_LINE]]))
    later = [
        dialect.change(name, " * ".join([name, *back[at : at + TERMS_A_LINE]]))
        for at in range(0, len(back), TERMS_A_LINE)
    ]
    if later:
        yield from dialect.unless_first(later)
    yield dialect.change(name, f"{dialect.function('known')}({name})")


def _times(weight: Weight, name: str, number: Callable[[int, int], str]) -> str:
    if weight.numerator == weight.denominator:
        return name
    if weight.numerator == -weight.denominator:
        return f"-{name}"
    return f"{_factor(number(*_parts(weight)))} * {name}"


def _parts(weight: Weight) -> tuple[int, int]:
    return weight.numerator, weight.denominator


def _factor(text: str) -> str:
    return text if re.fullmatch(r"-?\w[\w.]*(\([^()]*\))?", text) else f"({text})"


def _joined(terms: list[str]) -> str:
    """A sum; adding −x and taking x away are one thing in every arithmetic here."""
    text = terms[0]
    for term in terms[1:]:
        plain = re.fullmatch(r"-[\w.]+( \* \w+)?", term)
        text += f" - {term[1:]}" if plain else f" + {term}"
    return text


def formula_lines(network: Network) -> list[str]:
    """The network as text, for a comment: nothing in it can end a comment or a line."""
    lines = [network.name] if network.name else []
    lines += describe(network).split("\n")
    if not network.saturation:
        lines.append("Saturation is off: sums are not cut to 10^6.")
    return [printable(line).replace("*/", "* /").replace("/*", "/ *") for line in lines]


def identifier(network: Network, fallback: str = "network") -> str:
    """The network's name as it can stand in code."""
    name = re.sub(r"\W+", "_", network.name or "", flags=re.ASCII).strip("_").lower()[:40]
    return name if re.match(r"[a-z]", name) else f"{fallback}_{name}".rstrip("_")
