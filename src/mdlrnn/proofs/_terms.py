"""Values as terms: affine combinations, with rational coefficients, of atoms.

An atom is a counter of the language, a memory unit, or an activation whose argument is not known.
Everything that can be folded is folded here, so that a gate with a known input leaves no trace.
How terms look is in `_statement`, what they are to a solver in `_smt`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..checks import exact_fraction
from ..network import ACTIVATIONS, Arithmetic

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


PLAIN = 4
"""Zeros after the point up to which a small number is written out."""


def exponent_of(value: Fraction) -> int:
    """e with 10^e <= value < 10^(e+1), for a value above 0."""
    guess = math.floor(math.log10(value.numerator) - math.log10(value.denominator))
    while Fraction(10) ** guess > value:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    return guess


def rounded_up(value: Fraction, digits: int = 2) -> Fraction:
    """To so many digits, never down."""
    scale = _scale(value, digits)
    return Fraction(math.ceil(value * scale)) / scale if value > 0 else Fraction(0)


def rounded_down(value: Fraction, digits: int = 2) -> Fraction:
    scale = _scale(value, digits)
    return Fraction(math.floor(value * scale)) / scale if value > 0 else Fraction(0)


def bound_text(value: Fraction) -> str:
    """A bound from above in two digits, never less than it is."""
    return decimal_text(rounded_up(value))


def _scale(value: Fraction, digits: int) -> Fraction:
    return Fraction(10) ** (digits - 1 - exponent_of(value)) if value > 0 else Fraction(1)


def decimal_text(value: Fraction) -> str:
    """The number exactly: 0.034, 1.3·10^-7, 10^-6, or a fraction where no decimal ends."""
    if value == 0:
        return "0"
    if value < 0:
        return f"−{decimal_text(-value)}"
    places = _decimal_places(value)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    exponent = exponent_of(value)
    if exponent >= -PLAIN:
        whole, rest = divmod(value.numerator * 10**places // value.denominator, 10**places)
        return f"{whole}.{rest:0{places}}" if places else str(whole)
    digits = str(value.numerator * 10**places // value.denominator)
    if digits == "1":
        return f"10^{exponent}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}·10^{exponent}"


def _decimal_places(value: Fraction) -> int | None:
    """Digits after the point; None if there is no end of them."""
    rest = value.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


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


DIGITS = 24
"""Significant digits of an enclosure."""
LARGEST = 60
"""Beyond this |x| the bounds are coarse, from 2 < e < 3."""
VANISHING = 700
"""Beyond this |x|, where float64 soon gives 0 or 1, there are no bounds but 0 and 1."""


def terms_needed(x: Fraction) -> int:
    """N, so many that the remainder is far below the digits kept."""
    return math.ceil(3 * x) + 60


def exponential(x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on e^x for x ≥ 0."""
    count = terms_needed(x)
    lower, power = Fraction(1), Fraction(1)
    for place in range(1, count + 1):
        power = power * x / place
        lower += power
    rest = power * x / (count + 1) / (1 - x / (count + 2))
    return lower, lower + rest


@lru_cache(maxsize=4096)
def enclosure(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals strictly below and above 1/(1 + e^−x), unless x is 0."""
    if x == 0:
        return Fraction(1, 2), Fraction(1, 2)
    # Rounding |x| first keeps the series' fractions short.
    size = abs(x)
    if size > VANISHING:
        small = Fraction(0), Fraction(1, 2**VANISHING)
    elif size > LARGEST:
        small = Fraction(1, 1 + 3 ** math.ceil(size)), Fraction(1, 1 + 2 ** math.floor(size))
    else:
        low, high = exponential(shortened(size, down=True))[0], exponential(shortened(size))[1]
        small = _decimal(1 / (1 + high), down=True), _decimal(1 / (1 + low), down=False)
    return small if x < 0 else (1 - small[1], 1 - small[0])


SHOWN = 100_000
"""Beyond this |x| a sigmoid is shown as 0 or 1."""


@lru_cache(maxsize=4096)
def sigmoid_about(x: Fraction) -> Fraction:
    """1/(1 + e^−x) to some 20 digits, for people. Beyond `LARGEST` an enclosure is far wider, and
    certificates have it as it is."""
    size, halved = abs(x), 0
    if size > SHOWN:
        return Fraction(int(x > 0))
    if size <= LARGEST:
        return sum(enclosure(x), Fraction(0)) / 2
    while size > LARGEST:
        size, halved = size / 2, halved + 1
    power = exponential(shortened(size))[0]
    for _ in range(halved):
        power = _decimal(power * power, down=True)
    small = 1 / (1 + power)
    return small if x < 0 else 1 - small


def shortened(x: Fraction, down: bool = False) -> Fraction:
    if x.denominator < 10**6:
        return x
    scale = 10**30
    scaled = x * scale
    return Fraction(math.floor(scaled) if down else math.ceil(scaled), scale)


def _decimal(x: Fraction, down: bool) -> Fraction:
    """Rounded to `DIGITS` digits, downwards or upwards, and never onto the value itself."""
    places = DIGITS - math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    scaled = x * Fraction(10) ** places
    whole = math.floor(scaled) - 1 if down else math.ceil(scaled) + 1
    return Fraction(whole) / Fraction(10) ** places
