"""The code of expressions in bits: a prefix code, written and read by one text.

`_describe` walks through an expression and hands each decision to a pen. One pen adds up the bits,
one writes them, one reads them and so finds the expression out. Small decisions share one
arithmetic code, whose length is rounded up once; strings that are written apart follow it bit by
bit.

The constants are round numbers: what a person writes often is cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, comb, log2
from typing import Any, Protocol

from ..errors import InputError
from ._expression import Chances, Expression, growth
from .nodes import (
    KINDS,
    Again,
    Exponent,
    Node,
    again,
    call,
    choice,
    named,
    optional,
    plus,
    power,
    rounds,
    rule,
    sequence,
    star,
    symbol,
    word,
)
from .program import Slot, program_of

WEIGHTS = {
    "symbol": 25, "join": 25, "power": 12, "choice": 10, "plus": 8, "star": 6, "set": 6, "word": 3,
    "optional": 3, "rule": 2, "empty": 1,
}  # fmt: skip
AGAIN, CALL = 8, 12
"""Of a word that comes again, where one is drawn; of a rule's own name, inside it."""
EXPONENTS = {
    "letter": 12, "times": 4, "plus": 4, "sum": 4, "square": 1, "double": 1, "constant": 2,
    "range": 4, "rounds": 1,
}  # fmt: skip
TERMS = {2: 4, 1: 2, 3: 1, 4: 1}
"""Letters in a sum; there are at most four."""
AGAINS = {(False, False): 4, (True, False): 2, (False, True): 1, (True, True): 1}
"""A word that comes again: reversed, with symbols exchanged."""
FROM_ZERO = 16
"""One number in this many begins at 0."""
USUAL_MEAN = 3
"""How often a repetition goes on where nothing is said: the chance to stop is 1/4."""
USUAL = (7, 1)
"""How often that is so, against another mean, which has to be worth its bits."""
FINEST = 12
"""Halvings of the unit in which a mean is written."""
APART, ALONE = (15, 1), (3, 1)
"""How often no string is apart, against some; and those beside an expression, against all."""
DEEPEST = 40


class Pen(Protocol):
    """Takes decisions. A value of None is one that is to be read."""

    def pick(self, weights: Sequence[int], value: int | None) -> int:
        """One of several, whose chances are as the weights."""

    def number(self, value: int | None) -> int:
        """A number from 1, in the Elias gamma code."""


class Scales:
    """Adds up the bits."""

    def __init__(self) -> None:
        self.bits = 0.0

    def pick(self, weights: Sequence[int], value: int | None) -> int:
        assert value is not None
        self.bits += log2(sum(weights) / weights[value])
        return value

    def number(self, value: int | None) -> int:
        assert value is not None
        self.bits += 2 * value.bit_length() - 1
        return value


class _Interval:
    """The numbers from 0 to 1 that begin with what was decided so far."""

    def __init__(self) -> None:
        self.low, self.width = Fraction(0), Fraction(1)

    def narrow(self, below: int, weight: int, whole: int) -> None:
        self.low += self.width * Fraction(below, whole)
        self.width *= Fraction(weight, whole)


class Writer(_Interval):
    def pick(self, weights: Sequence[int], value: int | None) -> int:
        assert value is not None
        self.narrow(sum(weights[:value]), weights[value], sum(weights))
        return value

    def number(self, value: int | None) -> int:
        assert value is not None
        size = value.bit_length()
        for _ in range(size - 1):
            self.pick((1, 1), 0)
        self.pick((1, 1), 1)
        for place in range(size - 2, -1, -1):
            self.pick((1, 1), value >> place & 1)
        return value

    def bits(self) -> str:
        """The shortest bits such that whatever follows them lies in the interval."""
        size = 0
        while True:
            first = ceil(self.low * 2**size)
            if Fraction(first + 1, 2**size) <= self.low + self.width:
                return f"{first:0{size}b}" if size else ""
            size += 1


class Reader(_Interval):
    def __init__(self, bits: str) -> None:
        super().__init__()
        self.given = bits
        self.value = Fraction(int(bits, 2), 2 ** len(bits)) if bits else Fraction(0)

    def pick(self, weights: Sequence[int], value: int | None) -> int:
        whole, below = sum(weights), 0
        place = (self.value - self.low) / self.width * whole
        for number, weight in enumerate(weights):
            if weight and below <= place < below + weight:
                self.narrow(below, weight, whole)
                return number
            below += weight
        raise InputError("the bits are no expression; give those that encode prints.")

    def number(self, value: int | None) -> int:
        size = 1
        while not self.pick((1, 1), None):
            size += 1
            if size > 64:
                raise InputError(
                    "the bits hold a number above 2^64; give those that encode prints."
                )
        found = 1
        for _ in range(size - 1):
            found = 2 * found + self.pick((1, 1), None)
        return found

    def used(self) -> int:
        """How many of the bits were written for what was read."""
        size = 0
        while True:
            first = ceil(self.low * 2**size)
            if Fraction(first + 1, 2**size) <= self.low + self.width:
                break
            size += 1
        if f"{first:0{size}b}"[: size or 0] != self.given[:size] and size:
            raise InputError("the bits are no expression; give those that encode prints.")
        return size


class _Scope:
    """What names stand for while a node is described."""

    def __init__(self, symbols: Sequence[str], least: dict[str, int]) -> None:
        self.symbols = tuple(symbols)
        self.least = least
        self.letters: list[str] = []
        self.words: list[str] = []
        self.rules: list[str] = []
        self.open: list[str] = []


def _kind(node: Node) -> str:
    if node.kind == "sequence":
        return "join"
    if node.kind == "choice" and all(part.kind == "symbol" for part in node.parts):
        return "set"
    return node.kind


def _describe(pen: Pen, node: Node | None, scope: _Scope, depth: int = 0) -> Node:
    """Decide what a node is. `node` is None where it is being read."""
    if depth > DEEPEST * 10:
        raise InputError("the expression is too deep; write less.")
    weights = dict(WEIGHTS)
    if scope.words:
        weights["again"] = AGAIN
    if scope.open:
        weights["call"] = CALL
    kinds = list(weights)
    given = None if node is None else kinds.index(_kind(node))
    kind = kinds[pen.pick(list(weights.values()), given)]

    def part(place: int) -> Node:
        return _describe(pen, None if node is None else node.parts[place], scope, depth + 1)

    if kind == "empty":
        return Node("empty")
    if kind == "symbol":
        return symbol(_symbol(pen, None if node is None else node.value, scope))
    if kind in ("join", "choice"):
        first = part(0)
        rest = None
        if node is not None:
            left = node.parts[1:]
            rest = left[0] if len(left) == 1 else Node(node.kind, left)
        second = _describe(pen, rest, scope, depth + 1)
        return (sequence if kind == "join" else choice)([first, second])
    if kind == "set":
        return _set(pen, node, scope)
    if kind in ("optional", "star", "plus"):
        return {"optional": optional, "star": star, "plus": plus}[kind](part(0))
    if kind == "power":
        # The body first: in (a^m)^n the inner number is the first that is read.
        body = part(0)
        return power(body, _exponent(pen, None if node is None else node.value, scope))
    if kind == "word":
        return _word(pen, node, scope, depth)
    if kind == "again":
        return _again(pen, None if node is None else node.value, scope)
    if kind == "call":
        place = None if node is None else scope.open.index(node.value)
        return call(scope.open[pen.pick((1,) * len(scope.open), place)])
    name = node.value if node is not None else f"S{len(scope.rules)}"
    scope.rules.append(name)
    scope.open.append(name)
    body = part(0)
    scope.open.pop()
    return rule(name, body)


def _symbol(pen: Pen, name: str | None, scope: _Scope) -> str:
    place = None if name is None else scope.symbols.index(name)
    return scope.symbols[pen.pick((1,) * len(scope.symbols), place)]


def _set(pen: Pen, node: Node | None, scope: _Scope) -> Node:
    """A choice between symbols: how many, and which."""
    most = len(scope.symbols)
    if most < 2:
        raise InputError("the bits are no expression; give those that encode prints.")
    size = pen.pick((1,) * (most - 1), None if node is None else len(node.parts) - 2) + 2
    chosen = None if node is None else sorted(scope.symbols.index(p.value) for p in node.parts)
    found: list[int] = []
    for number in range(most):
        left = size - len(found)
        with_it = comb(most - number - 1, left - 1) if left else 0
        without = comb(most - number - 1, left)
        if with_it and without:
            taken = pen.pick(
                (with_it, without), None if chosen is None else int(number not in chosen)
            )
        else:
            taken = 0 if with_it else 1
        if taken == 0:
            found.append(number)
    if node is not None:
        return node
    return choice([symbol(scope.symbols[number]) for number in found])


def _exponent(pen: Pen, exponent: Exponent | None, scope: _Scope) -> Exponent:
    kinds = list(EXPONENTS)
    given = None if exponent is None else kinds.index(_exponent_kind(exponent))
    kind = kinds[pen.pick(list(EXPONENTS.values()), given)]

    def number(value: int | None) -> int:
        return pen.number(value)

    if kind == "constant":
        most = None if exponent is None else exponent.constant - 1
        return Exponent("linear", (), number(most) + 1)
    if kind == "range":
        # From 1 is the usual case, then from 0.
        first = (
            None if exponent is None else {0: 2, 1: 1}.get(exponent.constant, exponent.constant + 1)
        )
        first = number(first)
        low = {1: 1, 2: 0}.get(first, first - 1)
        more = number(None if exponent is None else exponent.most - exponent.constant)
        return Exponent("range", (), low, low + more)
    terms = () if exponent is None else exponent.terms
    if kind == "rounds":
        inner = _counted(pen, terms[0][0] if terms else None, scope)
        return rounds(inner, _letter(pen, terms[1][0] if terms else None, scope))
    size = 1
    if kind == "sum":
        sizes = list(TERMS)
        chosen = None if exponent is None else sizes.index(len(terms))
        size = sizes[pen.pick(list(TERMS.values()), chosen)]
    found = []
    for place in range(size):
        letter = _letter(pen, terms[place][0] if terms else None, scope)
        factor = 1
        if kind in ("times", "sum"):
            extra = 1 if kind == "times" else 0
            factor = number(terms[place][1] - extra if terms else None) + extra
        found.append((letter, factor))
    constant = 0
    if kind in ("plus", "sum", "double"):
        constant = _signed(pen, None if exponent is None else exponent.constant, kind != "plus")
    form = kind if kind in ("square", "double") else "linear"
    return Exponent(form, tuple(found), constant)


def _exponent_kind(exponent: Exponent) -> str:
    if exponent.kind != "linear":
        return exponent.kind
    if not exponent.terms:
        return "constant"
    if len(exponent.terms) > 1 or (exponent.constant and exponent.terms[0][1] != 1):
        return "sum"
    if exponent.constant:
        return "plus"
    return "letter" if exponent.terms[0][1] == 1 else "times"


def _signed(pen: Pen, value: int | None, with_zero: bool) -> int:
    """A number that may be negative: its sign and size, or 0."""
    if with_zero:
        size = pen.number(None if value is None else abs(value) + 1) - 1
    else:
        size = pen.number(None if value is None else abs(value))
    if size and pen.pick((3, 1), None if value is None else int(value < 0)):
        return -size
    return size


def _letter(pen: Pen, name: str | None, scope: _Scope) -> str:
    """A number that came before, or a new one and where it begins."""
    place = None
    if name is not None:
        place = scope.letters.index(name) if name in scope.letters else len(scope.letters)
    place = pen.pick((1,) * (len(scope.letters) + 1), place)
    if place < len(scope.letters):
        return scope.letters[place]
    new = name if name is not None else f"n{place}"
    zero = None if name is None else int(scope.least.get(new, 1) == 0)
    scope.letters.append(new)
    if pen.pick((FROM_ZERO - 1, 1), zero):
        scope.least[new] = 0
    return new


def _counted(pen: Pen, name: str | None, scope: _Scope) -> str:
    """The number of the body that counts the rounds."""
    if name is not None and name not in scope.letters:
        raise InputError(f"the number {name} counts rounds that do not use it; leave it out.")
    if not scope.letters:
        raise InputError("the bits are no expression; give those that encode prints.")
    place = None if name is None else scope.letters.index(name)
    return scope.letters[pen.pick((1,) * len(scope.letters), place)]


def _word(pen: Pen, node: Node | None, scope: _Scope, depth: int) -> Node:
    """A word of any symbols, or of what is said."""
    said = pen.pick((1, 1), None if node is None else len(node.parts))
    body = None
    if said:
        body = _describe(pen, None if node is None else node.parts[0], scope, depth + 1)
    name = node.value if node is not None else f"w{len(scope.words)}"
    scope.words.append(name)
    return word(name, body)


def _again(pen: Pen, value: Again | None, scope: _Scope) -> Node:
    place = None if value is None else scope.words.index(value.name)
    name = scope.words[pen.pick((1,) * len(scope.words), place)]
    forms = list(AGAINS)
    form = None if value is None else forms.index((value.is_reversed, bool(value.swaps)))
    is_reversed, swapped = forms[pen.pick(list(AGAINS.values()), form)]
    swaps: list[tuple[str, str]] = []
    if swapped:
        size = pen.number(None if value is None else len(value.swaps))
        left = list(scope.symbols)
        for number in range(size):
            if len(left) < 2:
                raise InputError("the bits are no expression; give those that encode prints.")
            pair = None if value is None else value.swaps[number]
            sides = []
            for side in range(2):
                chosen = None if pair is None else left.index(pair[side])
                sides.append(left.pop(pen.pick((1,) * len(left), chosen)))
            swaps.append((min(sides), max(sides)))
    return again(name, is_reversed, tuple(swaps))


# Chances


def _chances(pen: Pen, slot: Slot, given: Sequence[Fraction] | None) -> tuple[Fraction, ...]:
    """The usual chances, or others. Of a repetition the mean says how often it goes on; of a choice
    each outcome has a weight."""
    if slot.repeats:
        mean = None if given is None else given[0] / given[1]
        if not pen.pick(USUAL, None if mean is None else int(mean != USUAL_MEAN)):
            return Fraction(USUAL_MEAN, USUAL_MEAN + 1), Fraction(1, USUAL_MEAN + 1)
        halvings = None if mean is None else mean.denominator.bit_length() - 1
        uneven = mean is not None and mean.denominator & (mean.denominator - 1)
        if mean is not None and halvings is not None and (uneven or halvings > FINEST):
            raise InputError(
                f"the code has no chance of exactly {given[1]} to stop; give one that it has."  # type: ignore[index]
            )
        halvings = pen.number(None if halvings is None else halvings + 1) - 1
        if halvings > FINEST:
            raise InputError("the bits are no expression; give those that encode prints.")
        steps = pen.number(None if mean is None else int(mean * 2**halvings))
        mean = Fraction(steps, 2**halvings)
        return mean / (mean + 1), 1 / (mean + 1)
    weights = None if given is None else _weights(given)
    uniform = None if weights is None else int(any(w != weights[0] for w in weights))
    if not pen.pick((1, 1), uniform):
        return (Fraction(1, slot.outcomes),) * slot.outcomes
    found = [pen.number(None if weights is None else w) for w in weights or [None] * slot.outcomes]  # type: ignore[list-item]
    return tuple(Fraction(weight, sum(found)) for weight in found)


def _weights(chances: Sequence[Fraction]) -> list[int]:
    """The smallest whole numbers with these ratios."""
    from math import gcd, lcm

    common = lcm(*(chance.denominator for chance in chances))
    found = [int(chance * common) for chance in chances]
    shared = gcd(*found)
    return [weight // shared for weight in found]


def structure_bits(
    node: Node, symbols: Sequence[str], least: dict[str, int] | None = None
) -> float:
    """The bits of an expression without its chances."""
    scales = Scales()
    _describe(scales, node, _Scope(symbols, dict(least or {})))
    return scales.bits


def mean_bits(steps: int, halvings: int) -> float:
    """The bits of the chances of a repetition that goes on steps / 2^halvings times."""
    if halvings == 0 and steps == USUAL_MEAN:
        return log2(sum(USUAL) / USUAL[0])
    unusual = log2(sum(USUAL) / USUAL[1])
    return unusual + 2 * (halvings + 1).bit_length() - 1 + 2 * steps.bit_length() - 1


def weights_bits(weights: Sequence[int]) -> float:
    """The bits of the chances of a choice with these weights."""
    if all(weight == weights[0] for weight in weights):
        return 1.0
    return 1.0 + sum(2 * weight.bit_length() - 1 for weight in weights)


def apart_bits(strings: int, alone: bool = False) -> float:
    """The bits for whether strings are written apart and how many; the strings cost extra."""
    if not strings:
        return log2(sum(APART) / APART[0])
    flag = log2(sum(APART) / APART[1]) + log2(sum(ALONE) / ALONE[int(alone)])
    return flag + 2 * strings.bit_length() - 1


def others_bits(lengths: Sequence[int], weights: Sequence[int], symbols: int) -> float:
    """The bits of strings that are written apart, without how many they are."""
    strings = sum(_string_bits(length, symbols) for length in lengths)
    return strings + weights_bits(weights) if lengths else 0.0


def _string_bits(length: int, symbols: int) -> int:
    return 2 * (length + 1).bit_length() - 1 + _digits(length, symbols)


def _digits(length: int, symbols: int) -> int:
    """The bits of a string of known length, as a number."""
    return int((symbols**length - 1).bit_length())


def _head(pen: Pen, expression: Expression | None, symbols: Sequence[str]) -> Expression:
    """Whether there is an expression, and how many strings are apart; the expression; chances."""
    node = None if expression is None else expression.node
    apart = None if expression is None else len(expression.others)
    alone = False
    if pen.pick(APART, None if apart is None else int(apart > 0)):
        apart = pen.number(apart)
        alone = bool(pen.pick(ALONE, None if expression is None else int(node is None)))
    else:
        apart = 0
    if alone:
        return Expression(None, (), tuple(symbols), (), (((), Fraction(1)),) * apart, Fraction(1))
    share = Fraction(0)
    if apart:
        given = None if expression is None else (1 - expression.share, expression.share)
        share = _chances(pen, Slot(False, 2), given)[1]
    least: dict[str, int] = {} if expression is None else dict(expression.least)
    found = _describe(pen, node, _Scope(symbols, least))
    program = program_of(found, symbols, least)
    chances: Chances = tuple(
        _chances(pen, slot, None if expression is None else expression.chances[place])
        for place, slot in enumerate(program.slots)
    )
    if growth(program, chances) > 1 + 1e-9:
        raise InputError("the bits are no expression; give those that encode prints.")
    found, letters = named(found)
    zero = tuple(sorted((letters.get(x, x), value) for x, value in least.items() if value == 0))
    others: Any = (((), Fraction(1)),) * apart
    return Expression(found, chances, tuple(symbols), zero, others, share)


def description_bits(expression: Expression) -> int:
    """How many bits an expression with its chances takes: the length of `write_description`."""
    return len(write_description(expression))


def write_description(expression: Expression) -> str:
    """The bits of an expression with its chances and the strings apart from it."""
    pen = Writer()
    _head(pen, expression, expression.symbols)
    bits = [pen.bits()]
    size = len(expression.symbols)
    for string, _ in expression.others:
        number = 0
        for name in string:
            number = number * size + expression.symbols.index(name)
        bits.append(_gamma(len(string) + 1))
        digits = _digits(len(string), size)
        bits.append(f"{number:0{digits}b}" if digits else "")
    if expression.others:
        weights = _weights([chance for _, chance in expression.others])
        alike = all(weight == weights[0] for weight in weights)
        bits.append("0" if alike else "1" + "".join(map(_gamma, weights)))
    return "".join(bits)


def _gamma(number: int) -> str:
    return "0" * (number.bit_length() - 1) + f"{number:b}"


def read_description(bits: str, symbols: Sequence[str]) -> tuple[Expression, int]:
    """The expression that bits begin with, and how many bits it took."""
    if any(bit not in "01" for bit in bits):
        raise InputError("the bits are not all 0 or 1; give those that encode prints.")
    pen = Reader(bits)
    try:
        head = _head(pen, None, symbols)
    except (IndexError, ValueError):
        raise InputError("the bits are no expression; give those that encode prints.") from None
    place = pen.used()
    strings, size = [], len(symbols)
    for _ in head.others:
        length, place = _read_gamma(bits, place)
        digits = _digits(length - 1, size)
        number = int(bits[place : place + digits] or "0", 2)
        place += digits
        names = []
        for _ in range(length - 1):
            number, digit = divmod(number, size)
            names.append(symbols[digit])
        strings.append(tuple(reversed(names)))
    weights = [1] * len(strings)
    if strings:
        alike = bits[place : place + 1] != "1"
        place += 1
        if not alike:
            for number in range(len(strings)):
                weights[number], place = _read_gamma(bits, place)
    if place > len(bits):
        raise InputError("the bits end too early; give those that encode prints.")
    whole = sum(weights)
    others = tuple((s, Fraction(w, whole)) for s, w in zip(strings, weights, strict=True))
    return Expression(head.node, head.chances, head.symbols, head.least, others, head.share), place


def _read_gamma(bits: str, place: int) -> tuple[int, int]:
    size = 1
    while bits[place : place + 1] == "0":
        size += 1
        place += 1
    digits = bits[place : place + size]
    if len(digits) < size or size > 64:
        raise InputError("the bits end too early; give those that encode prints.")
    return int(digits, 2), place + size


assert set(WEIGHTS) - {"join", "set"} <= set(KINDS)
