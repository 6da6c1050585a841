"""Values as terms: affine combinations, with rational coefficients, of atoms.

An atom is a counter of the language, a memory unit, or an activation whose argument is not known.
Everything that can be folded is folded here, so that a gate with a known input leaves no trace.
How terms look is in `_statement`, what they are to a solver in `_smt`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..checks import exact_fraction
from ..network import ACTIVATIONS, Arithmetic
from ._numbers import enclosure, sigmoid_about

LONGEST = 20_000
"""Characters of an atom's key; a network that needs more is beyond what is tried here."""


class TooComplex(Exception):  # noqa: N818, it is named for what is the matter
    """A term outgrew the limits, or its sign cannot be told; the caller says 'not shown'."""


@dataclass(frozen=True)
class Atom:
    """Of a kind: counter, memory, mirror, relu, step, floor, mod, product or sigmoid. The key says
    all."""

    key: str
    kind: str = field(compare=False)
    name: str = field(default="", compare=False)
    inputs: tuple[Term, ...] = field(default=(), compare=False)
    base: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Term:
    constant: Fraction
    parts: tuple[tuple[Atom, Fraction], ...] = ()
    """Ordered by the atoms' keys, without zeros, so that equal terms are equal values."""

    @property
    def known(self) -> bool:
        return not self.parts

    def __add__(self, other: Term) -> Term:
        if not self.parts and not other.parts:
            return Term(self.constant + other.constant)
        parts = dict(self.parts)
        for atom, factor in other.parts:
            parts[atom] = parts.get(atom, 0) + factor
        return _term(self.constant + other.constant, parts)

    def __neg__(self) -> Term:
        return self.times(-1)

    def __sub__(self, other: Term) -> Term:
        return self + other.times(-1)

    def times(self, factor: Fraction | int) -> Term:
        if factor == 0:
            return ZERO
        parts = tuple((atom, c * factor) for atom, c in self.parts)
        return Term(self.constant * factor, parts)

    def plus(self, constant: Fraction | int) -> Term:
        return Term(self.constant + constant, self.parts)


def _term(constant: Fraction, parts: Mapping[Atom, Fraction]) -> Term:
    kept = [(atom, factor) for atom, factor in parts.items() if factor]
    return Term(constant, tuple(sorted(kept, key=lambda part: part[0].key)))


def known(value: Fraction | int) -> Term:
    return Term(Fraction(value))


ZERO, ONE = known(0), known(1)


def counter_term(name: str) -> Term:
    # Quoted, since a name with brackets in it could otherwise pass for another atom.
    return _alone(Atom(f"c {json.dumps(name)}", "counter", name))


def memory_term(unit: int) -> Term:
    return _alone(Atom(f"m {unit}", "memory", str(unit)))


def _alone(atom: Atom) -> Term:
    return Term(Fraction(0), ((atom, Fraction(1)),))


def total(terms: Iterable[Term]) -> Term:
    result = ZERO
    for term in terms:
        result = result + term
    return result


def product(left: Term, right: Term) -> Term:
    if left.known:
        return right.times(left.constant)
    if right.known:
        return left.times(right.constant)
    pair = tuple(sorted((left, right), key=_key))
    return _made("product", pair)


def relu(x: Term) -> Term:
    low, _ = bounds(x)
    if low is not None and low >= 0:
        # Whether it is 0 or more makes no difference: a sigmoid that all but vanishes, say.
        return x
    sign = sign_of(x)
    if sign is None:
        return _made("relu", (x,))
    return x if sign > 0 else ZERO


def step(x: Term) -> Term:
    sign = sign_of(x)
    if sign is None:
        return _made("step", (x,))
    return ONE if sign > 0 else ZERO


def floor(x: Term) -> Term:
    # Whole numbers come out of the floor: floor(n/2 + 3) is floor(n/2) + 3.
    whole = math.floor(x.constant)
    if x.known:
        return known(whole)
    if x.constant.denominator == 1 and _whole(x):
        return x
    low, high = bounds(x)
    if low is not None and high is not None and math.floor(low) == math.floor(high):
        return known(math.floor(low))
    return _made("floor", (x.plus(-whole),)).plus(whole)


def remainder(x: Term, base: int) -> Term:
    if x.known:
        return known(x.constant % base)
    low, high = bounds(x)
    if low is not None and high is not None:
        if math.floor(low / base) == math.floor(high / base):
            return x.plus(-base * math.floor(low / base))
        raise TooComplex("the remainder of a value that is not known exactly")
    return _made("mod", (x.plus(-base * math.floor(x.constant / base)),), base)


def mirror(x: Term, base: int) -> Term:
    """A stack as a fraction: the digits of an integer in that base, the last of them first, behind
    the point. Of integers below 0, which have no digits, it is 0."""
    if not x.known:
        return _made("mirror", (x,), base)
    found, rest = Fraction(0), int(x.constant)
    place = Fraction(1, base)
    while rest > 0:
        rest, digit = divmod(rest, base)
        found += digit * place
        place /= base
    return known(found)


def sigmoid(x: Term) -> Term:
    return known(Fraction(1, 2)) if x == ZERO else _made("sigmoid", (x,))


def _tanh(x: Term) -> Term:
    return sigmoid(x.times(2)).times(2).plus(-1)


TERMS = Arithmetic(
    number=known,
    relu=relu,
    step=step,
    floor=floor,
    remainder=remainder,
    product=product,
    sigmoid=sigmoid,
    tanh=_tanh,
    tidy=lambda x: x,
)


def activate(name: str, x: Term) -> Term:
    """The activation of the interpreter, without saturation, over a term."""
    result: Term = ACTIVATIONS[name].meaning(TERMS, x)
    return result


def sign_of(x: Term) -> int | None:
    """1 if it is above 0, 0 if it is not, None if that depends on counters or memory."""
    if x.known:
        return int(x.constant > 0)
    low, high = bounds(x)
    if low is not None and low > 0:
        return 1
    if high is not None and high <= 0:
        return 0
    if low is not None and high is not None:
        raise TooComplex("the sign of a value that is not known exactly")
    return None


def bounds(x: Term) -> tuple[Fraction | None, Fraction | None]:
    """An enclosure where nothing unknown but sigmoids of known values occurs; else (None, None)."""
    low = high = x.constant
    for atom, factor in x.parts:
        found = _atom_bounds(atom)
        if found is None:
            return None, None
        ends = [factor * end for end in found]
        low, high = low + min(ends), high + max(ends)
    return low, high


@lru_cache(maxsize=50_000)
def _atom_bounds(atom: Atom) -> tuple[Fraction, Fraction] | None:
    if not atom.inputs:
        return None
    ranges = []
    for term in atom.inputs:
        low, high = bounds(term)
        if low is None or high is None:
            return None
        ranges.append((low, high))
    low, high = ranges[0]
    match atom.kind:
        case "sigmoid":
            return enclosure(low)[0], enclosure(high)[1]
        case "relu":
            return max(low, Fraction(0)), max(high, Fraction(0))
        case "step":
            return Fraction(int(low > 0)), Fraction(int(high > 0))
        case "floor":
            return Fraction(math.floor(low)), Fraction(math.floor(high))
        case "mod":
            return Fraction(0), Fraction(atom.base)
        case _:
            corners = [a * b for a in ranges[0] for b in ranges[1]]
            return min(corners), max(corners)


def about(x: Term) -> Fraction | None:
    """Its value to many digits, for people; None if there are counters or memory in it."""
    value = x.constant
    for atom, factor in x.parts:
        found = _atom_about(atom)
        if found is None:
            return None
        value += factor * found
    return value


@lru_cache(maxsize=50_000)
def _atom_about(atom: Atom) -> Fraction | None:
    inputs = [value for value in map(about, atom.inputs) if value is not None]
    if not inputs or len(inputs) < len(atom.inputs):
        return None
    match atom.kind:
        case "sigmoid":
            return sigmoid_about(inputs[0])
        case "relu":
            return max(inputs[0], Fraction(0))
        case "step":
            return Fraction(int(inputs[0] > 0))
        case "floor":
            return Fraction(math.floor(inputs[0]))
        case "mod":
            return inputs[0] % atom.base
        case "product":
            return inputs[0] * inputs[1]
        case _:
            return None


def _whole(x: Term) -> bool:
    """Whether it is an integer, being made of integers."""
    return all(
        factor.denominator == 1 and atom.kind in ("counter", "floor", "step")
        for atom, factor in x.parts
    )


def _made(kind: str, inputs: tuple[Term, ...], base: int = 0) -> Term:
    key = f"{kind}{base or ''}({', '.join(map(_key, inputs))})"
    if len(key) > LONGEST:
        raise TooComplex("its formulas grow too long")
    return _alone(Atom(key, kind, "", inputs, base))


def _key(term: Term) -> str:
    return "+".join(
        [str(term.constant), *(f"{factor}*[{atom.key}]" for atom, factor in term.parts)]
    )


def substitute(term: Term, values: Mapping[Atom, Term]) -> Term:
    """The term with counters or memory replaced, and folded again."""
    result = Term(term.constant)
    for atom, factor in term.parts:
        result = result + _replaced(atom, values).times(factor)
    return result


def _replaced(atom: Atom, values: Mapping[Atom, Term]) -> Term:
    if atom in values:
        return values[atom]
    if not atom.inputs:
        return _alone(atom)
    return rebuilt(atom, [substitute(term, values) for term in atom.inputs])


def rebuilt(atom: Atom, inputs: list[Term]) -> Term:
    """An activation of the same kind over other arguments."""
    match atom.kind:
        case "relu":
            return relu(inputs[0])
        case "step":
            return step(inputs[0])
        case "floor":
            return floor(inputs[0])
        case "mod":
            return remainder(inputs[0], atom.base)
        case "mirror":
            return mirror(inputs[0], atom.base)
        case "sigmoid":
            return sigmoid(inputs[0])
        case _:
            return product(*inputs)


def to_json(term: Term) -> list[Any]:
    return [
        str(term.constant),
        *(
            [str(factor), atom.kind, atom.name, atom.base, [to_json(x) for x in atom.inputs]]
            for atom, factor in term.parts
        ),
    ]


def from_json(data: list[Any]) -> Term:
    result = known(exact_fraction(data[0]))
    for factor, kind, name, base, inputs in data[1:]:
        terms = tuple(from_json(x) for x in inputs)
        if kind == "counter":
            part = counter_term(str(name))
        elif kind == "sigmoid":
            part = sigmoid(*terms)
        elif kind == "floor":
            part = floor(*terms)
        elif kind == "mirror" and isinstance(base, int) and base >= 2:
            [term] = terms
            part = mirror(term, base)
        else:
            raise ValueError(f"a term holds {kind!r} {base!r}")
        result = result + part.times(exact_fraction(factor))
    return result
