"""Formulas as statements of a language with the signs of C: Python's and C's own.

What a language has to say of itself is its `Dialect`: how a number is written and what the
functions are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .._checks import printable
from ..network._network import Network
from ..network._text import describe
from ..network._units import Weight
from ._formulas import Formula

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
