"""Formulas over terms: their text in SMT-LIB 2 and the solvers that decide them (extras); and what
can be claimed of a network's predictions, strongest first, as formulas over its outputs.

exact: the true distribution. within: each probability off by less than a margin. categorical:
impossible symbols get less than the margin and possible ones at least that, or with margin 0
exactly nothing and more than nothing. deterministic: where one symbol only can follow, it gets more
than 1 − margin; leading: more than any other. ordered: every possible symbol gets more than nothing
and more than every impossible one; a network without that is wrong.

The first three say that a network is right; the others do not, though they may be all that holds.
On the way, below: impossible symbols get less than the margin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from .. import work
from ..errors import MissingExtra, printable
from ..network import LEAST_TOTAL, powers
from ._terms import (
    ONE,
    Atom,
    Term,
    TooComplex,
    about,
    bounds,
    decimal_text,
    enclosure,
    relu,
    total,
)

Formula = tuple[Any, ...]
TRUE: Formula = ("and",)
GRID = (-700, -100, -30, -20, -15, -10, -7, -5, -3, -2, -1, 0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 100)
"""Where a sigmoid of something unknown is tied to its values."""


def conjunction(*formulas: Formula) -> Formula:
    return ("and", *formulas)


def negation(formula: Formula) -> Formula:
    return ("not", formula)


class Script:
    """The text of one query: definitions of what its formulas mention, then assertions."""

    def __init__(self, counters: tuple[str, ...]) -> None:
        self.lines: list[str] = []
        self._names: dict[Atom, tuple[str, int | None]] = {}
        self._digits: set[str] = set()
        self._mirrors: set[int] = set()
        self.points: set[Fraction] = set()
        """Where the sigmoid's bounds are used."""
        self._counters = {name: f"c{i}_{_plain(name)}" for i, name in enumerate(counters)}
        for name in self._counters.values():
            self.lines.append(f"(declare-const {name} Int)")

    @property
    def variables(self) -> dict[str, str]:
        """Counter by the solver's name for it."""
        return {text: name for name, text in self._counters.items()}

    def add(self, formula: Formula) -> None:
        text = self.text(formula)
        if text != "true":
            self.lines.append(f"(assert {text})")

    def text(self, formula: Formula) -> str:
        head, *rest = formula
        if head in ("and", "or"):
            neutral = "true" if head == "and" else "false"
            texts = [text for text in map(self.text, rest) if text != neutral]
            if len(texts) < 2:
                return texts[0] if texts else neutral
            return f"({head} {' '.join(texts)})"
        if head == "not":
            return f"(not {self.text(rest[0])})"
        if head == "mod":
            term, base, digit = rest
            return f"(= (mod {self._integer(term)} {base}) {digit})"
        if head == "digits":
            return self._with_digits(*rest)
        term = rest[0]
        if term.known:
            value = term.constant
            true = value > 0 if head == ">" else value >= 0 if head == ">=" else value == 0
            return "true" if true else "false"
        scaled, _, real = self._scaled(term)
        return f"({head} {scaled} {'0.0' if real else '0'})"

    def _with_digits(self, term: Term, base: int, among: int | None = None) -> str:
        """The predicate is the one that satisfies its definition at every integer; the definition
        is given at the integer asked about, which is all that an induction step needs. Where a
        stack is a fraction, what is left after a pop is looked at as well."""
        name = digits_name(base, among)
        if name not in self._digits:
            self._digits.add(name)
            self.lines.append(f"(declare-fun {name} (Int) Bool)")
            self.lines.append(f"(assert ({name} 0))")
        scaled = self._integer(term)
        self.lines.append(digits_defined(scaled, base, among))
        if among is not None:
            self.lines.append(digits_defined(f"(div {scaled} {base})", base, among))
        return f"({name} {scaled})"

    def _gated(self, inputs: tuple[Term, ...], sides: list[str]) -> str | None:
        """A product with a step, which is one of two multiples: linear, as no product is."""
        for term, other in zip(inputs, reversed(sides), strict=True):
            if len(term.parts) == 1 and term.parts[0][0].kind == "step":
                [(step, factor)] = term.parts
                one, none = map(fraction_text, (term.constant + factor, term.constant))
                return f"(ite (> {self._name(step)[0]} 0) (* {one} {other}) (* {none} {other}))"
        return None

    def _mirrored(self, term: Term, base: int) -> str:
        """As with the digits: the function is the one that satisfies its definition at every
        integer from 0 on, and the definition is given where it is asked about."""
        if base not in self._mirrors:
            self._mirrors.add(base)
            self.lines.append(f"(declare-fun mirror{base} (Int) Real)")
            self.lines.append(f"(assert (= (mirror{base} 0) 0.0))")
        scaled = self._integer(term)
        # What is left after a pop is looked at as well.
        self.lines.append(mirror_defined(scaled, base))
        self.lines.append(mirror_defined(f"(div {scaled} {base})", base))
        return f"(mirror{base} {scaled})"

    def _integer(self, term: Term) -> str:
        text, scale, real = self._scaled(term)
        if scale != 1 or real:
            raise ValueError("a remainder is asked for of something that is no integer")
        return text

    def _scaled(self, term: Term) -> tuple[str, int, bool]:
        """The term times a positive integer, that integer, and whether it is real."""
        named = [(*self._name(atom), factor) for atom, factor in term.parts]
        factors = [factor / (grain or 1) for _, grain, factor in named]
        scale = math.lcm(term.constant.denominator, *(f.denominator for f in factors))
        real = any(grain is None for _, grain, _ in named)
        pieces = []
        for (name, grain, _), factor in zip(named, factors, strict=True):
            text = f"(to_real {name})" if real and grain is not None else name
            whole = int(factor * scale)
            pieces.append(text if whole == 1 else f"(* {_integer(whole, real)} {text})")
        constant = int(term.constant * scale)
        if constant or not pieces:
            pieces.append(_integer(constant, real))
        return (pieces[0] if len(pieces) == 1 else f"(+ {' '.join(pieces)})"), scale, real

    def _name(self, atom: Atom) -> tuple[str, int | None]:
        """The solver's name for an atom, and by what its value is scaled; None for a real."""
        if atom.kind == "counter":
            return self._counters[atom.name], 1
        found = self._names.get(atom)
        if found is None:
            body, sort, grain, facts = self._definition(atom)
            name = f"x{len(self._names) + 1}"
            if body is None:
                self.lines.append(f"(declare-const {name} {sort})")
            else:
                self.lines.append(f"(define-fun {name} () {sort} {body})")
            self.lines += [f"(assert {fact.replace('@', name)})" for fact in facts]
            found = self._names[atom] = name, grain
        return found

    def _definition(self, atom: Atom) -> tuple[str | None, str, int | None, list[str]]:
        if atom.kind == "product":
            (left, a, real_a), (right, b, real_b) = map(self._scaled, atom.inputs)
            if not real_a and not real_b:
                return f"(* {left} {right})", "Int", a * b, []
            sides = [_real(*side) for side in ((left, a, real_a), (right, b, real_b))]
            return self._gated(atom.inputs, sides) or f"(* {sides[0]} {sides[1]})", "Real", None, []
        if atom.kind == "mirror":
            return self._mirrored(atom.inputs[0], atom.base), "Real", None, []
        text, scale, real = self._scaled(atom.inputs[0])
        zero = "0.0" if real else "0"
        match atom.kind:
            case "relu":
                body = f"(ite (> {text} {zero}) {text} {zero})"
                if real:
                    return f"(/ {body} {scale}.0)", "Real", None, []
                return body, "Int", scale, []
            case "step":
                return f"(ite (> {text} {zero}) 1 0)", "Int", 1, []
            case "floor":
                whole = f"(to_int (/ {text} {scale}.0))" if real else f"(div {text} {scale})"
                return whole, "Int", 1, []
            case "mod":
                if real:
                    value = _real(text, scale, real)
                    whole = f"(to_real (to_int (/ {value} {atom.base}.0)))"
                    return f"(- {value} (* {atom.base}.0 {whole}))", "Real", None, []
                return f"(mod {text} {atom.base * scale})", "Int", scale, []
            case _:
                argument = atom.inputs[0]
                self.points.update([argument.constant] if argument.known else map(Fraction, GRID))
                return None, "Real", None, _sigmoid_facts(argument, text, scale, real)


def digits_name(base: int, among: int | None = None) -> str:
    return f"nonzero{base}" if among is None else f"digits{base}_{among}"


def digits_defined(text: str, base: int, among: int | None = None) -> str:
    """The definition of the predicate at one integer."""
    name, last = digits_name(base, among), f"(mod {text} {base})"
    fits = f"(> {last} 0)"
    if among is not None:
        fits = f"(or {' '.join(f'(= {last} {d})' for d in range(base) if among >> d & 1)} false)"
    return (
        f"(assert (= ({name} {text}) (or (= {text} 0) (and (> {text} 0) "
        f"{fits} ({name} (div {text} {base}))))))"
    )


def mirror_defined(text: str, base: int) -> str:
    """The definition of a mirrored integer at one that is not below 0: its last digit comes first.
    With it that the fraction is below 1, and above 0 if a digit is, which follow by induction over
    the digits."""
    here, rest = f"(mirror{base} {text})", f"(mirror{base} (div {text} {base}))"
    return (
        f"(assert (=> (>= {text} 0) (and "
        f"(= (* {base}.0 {here}) (+ {rest} (to_real (mod {text} {base})))) "
        f"(< {here} 1.0) (< {rest} 1.0) (>= {here} 0.0) (>= {rest} 0.0) "
        f"(= (> {here} 0.0) (> {text} 0)) (= (> {rest} 0.0) (>= {text} {base})))))"
    )


def _sigmoid_facts(argument: Term, text: str, scale: int, real: bool) -> list[str]:
    if argument.known:
        low, high = enclosure(argument.constant)
        return [f"(< {fraction_text(low)} @ {fraction_text(high)})"]
    facts = ["(< 0.0 @ 1.0)"]
    for point in GRID:
        low, high = enclosure(Fraction(point))
        at = _integer(point * scale, real)
        facts.append(f"(=> (>= {text} {at}) (>= @ {fraction_text(low)}))")
        facts.append(f"(=> (<= {text} {at}) (<= @ {fraction_text(high)}))")
    return facts


def _real(text: str, scale: int, real: bool) -> str:
    whole = text if real else f"(to_real {text})"
    return whole if scale == 1 else f"(/ {whole} {scale}.0)"


MOST_BITS = 14_000
"""Of a number that a solver is given: Python writes out no integers of more than 4,300 digits."""


def _check_size(value: int) -> None:
    if value.bit_length() > MOST_BITS:
        raise TooComplex("its numbers grow too long")


def _integer(value: int, real: bool = False) -> str:
    _check_size(value)
    text = f"{abs(value)}.0" if real else str(abs(value))
    return f"(- {text})" if value < 0 else text


def fraction_text(value: Fraction) -> str:
    _check_size(value.numerator)
    _check_size(value.denominator)
    text = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)


SECONDS = 60.0
"""A proof that a user asks for, or that a table needs."""
IN_RUN = 15.0
"""A proof of one network in a run, or for a page."""
RUNNERS_UP = 20.0
"""At the end of a run, all networks but the best together."""
CHECK = 600.0
"""All queries of a certificate together."""


EXTRA = "prove"
MILLISECONDS = 4_000
"""For one query; linear ones take a few."""
PATIENCE = 4
"""Times as long as the work should take, a query may take on a busy machine."""
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
    return max(100, min(MILLISECONDS, int(1000 * (deadline - work.now()))))


def ask_z3(
    text: str, variables: Mapping[str, str] | None = None, milliseconds: int = MILLISECONDS
) -> Answer:
    import z3

    # What a solver finds and how long it takes depend on nothing that was asked before.
    solver = z3.Solver(ctx=(own := z3.Context()))
    solver.set("rlimit", milliseconds * work.SOLVER_SECOND // 1000)
    solver.set("timeout", PATIENCE * milliseconds)
    try:
        solver.from_string(text)
        verdict = str(solver.check())
    except z3.Z3Exception:
        verdict = "unknown"
    counted = solver.statistics()
    spent = counted.get_key_value("rlimit count") if "rlimit count" in counted.keys() else 0  # noqa: SIM118
    work.spend(work.QUERY + work.CHARACTER * len(text) + spent / work.SOLVER_SECOND)
    if verdict != "sat" or variables is None:
        return Answer(verdict)
    model: Any = solver.model()
    values = {}
    for name, counter in variables.items():
        value = model.eval(z3.Int(name, own), model_completion=True)
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


class Claim(NamedTuple):
    kind: str
    margin: Fraction = Fraction(0)

    @property
    def about_some_steps(self) -> bool:
        return self.kind in ("deterministic", "leading")

    def makes_right(self, least_chance: Fraction) -> bool:
        """Whether a network of which it holds is right: every possible symbol gets more than
        nothing, and every impossible one less than a bound that is stated.

        `least_chance` is the least true probability of what is possible.
        """
        if self.kind == "within":
            return self.margin <= least_chance
        return self.kind in ("exact", "categorical")


CACHED = 4096
"""Of what is said of outputs: in runs the same ones come again and again."""


class Shares(NamedTuple):
    """Probabilities before they are divided by their sum."""

    masses: tuple[Term, ...]
    whole: Term


@lru_cache(maxsize=CACHED)
def shares(outputs: tuple[Term, ...]) -> Shares:
    if len(outputs) == 1:
        chance = relu(outputs[0]) - relu(outputs[0].plus(-1))
        return Shares((ONE - chance, chance), ONE)
    masses = tuple(map(relu, outputs))
    return Shares(masses, total(masses))


@lru_cache(maxsize=CACHED)
def is_broken(claim: Claim, chances: tuple[Fraction, ...], given: Shares) -> bool:
    """Whether the claim is certainly false where probabilities are known."""
    return certain(claim_formula(claim, chances, given)) is False


def claim_formula(claim: Claim, chances: Sequence[Fraction], given: Shares) -> Formula:
    """What is to hold in a phase with these true probabilities."""
    if claim.about_some_steps and 1 not in chances:
        return TRUE
    normal: Formula = (">", given.whole.plus(-LEAST_TOTAL))
    usual = conjunction(normal, *_usual(claim, chances, given))
    even = [Fraction(1, len(chances))] * len(chances)
    if given.whole == ONE or not _holds_for(claim, chances, even):
        return usual
    return ("or", usual, negation(normal))


def _usual(claim: Claim, chances: Sequence[Fraction], given: Shares) -> Iterator[Formula]:
    masses, whole = given
    margin = claim.margin
    pairs = list(zip(masses, chances, strict=True))
    match claim.kind:
        case "exact":
            yield from (("=", mass - whole.times(chance)) for mass, chance in pairs)
        case "within":
            for mass, chance in pairs:
                off = mass - whole.times(chance)
                yield (">", whole.times(margin) - off)
                yield (">", whole.times(margin) + off)
        case "deterministic":
            right = masses[list(chances).index(Fraction(1))]
            yield (">", right - whole.times(1 - margin))
        case "categorical" if margin == 0:
            yield from ((">", mass) if chance else ("=", mass) for mass, chance in pairs)
        case "categorical":
            for mass, chance in pairs:
                above = mass - whole.times(margin)
                yield (">=", above) if chance else (">", above.times(-1))
        case "below":
            yield from ((">", whole.times(margin) - mass) for mass, chance in pairs if not chance)
        case _:  # leading, ordered
            possible = [mass for mass, chance in pairs if chance]
            yield from ((">", mass) for mass in possible)
            for mass in (mass for mass, chance in pairs if not chance):
                yield from ((">", other - mass) for other in possible)


def _holds_for(claim: Claim, chances: Sequence[Fraction], given: Sequence[Fraction]) -> bool:
    formula = conjunction(*_usual(claim, chances, Shares(tuple(map(Term, given)), ONE)))
    return certain(formula) is True


def certain(formula: Formula) -> bool | None:
    """Whether a formula over known values and sigmoids holds; None if the bounds leave it open."""
    head, *rest = formula
    if head == "not":
        inner = certain(rest[0])
        return None if inner is None else not inner
    if head in ("and", "or"):
        parts = [certain(part) for part in rest]
        decisive = bool(head == "or")
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if head == "mod":
        term, base, digit = rest
        return bool(term.constant % base == digit)
    if head == "digits":
        term, *digits = rest
        return _has_digits(int(term.constant), *digits)
    low, high = bounds(rest[0])
    assert low is not None
    assert high is not None
    if head == "=":
        return low == 0 if low == high else (None if low <= 0 <= high else False)
    if head == ">":
        return True if low > 0 else False if high <= 0 else None
    return True if low >= 0 else False if high < 0 else None


def _has_digits(value: int, base: int, among: int | None = None) -> bool:
    while value > 0:
        value, digit = divmod(value, base)
        if digit == 0 if among is None else not among >> digit & 1:
            return False
    return value == 0


@lru_cache(maxsize=CACHED)
def probabilities(given: Shares) -> Sequence[Fraction]:
    """The probabilities, sigmoids at the middle of their bounds: what a proof can hope for."""
    return _normal([_middle(mass) for mass in given.masses])


def shown_probabilities(given: Shares) -> list[Fraction]:
    """The probabilities to many digits, for people."""
    found = [(mass, about(mass)) for mass in given.masses]
    return _normal([_middle(mass) if value is None else value for mass, value in found])


def _normal(masses: list[Fraction]) -> list[Fraction]:
    whole = sum(masses, Fraction(0))
    if whole <= LEAST_TOTAL:
        return [Fraction(1, len(masses))] * len(masses)
    return [mass / whole for mass in masses]


def _middle(term: Term) -> Fraction:
    low, high = bounds(term)
    assert low is not None
    assert high is not None
    return low if low == high else (low + high) / 2


def claim_text(claim: Claim, outcome: str) -> str:
    """The claim; `outcome` names what gets probabilities, such as 'next symbol'."""
    margin = decimal_text(claim.margin)
    match claim.kind:
        case "exact":
            return f"the network gives each {outcome} exactly its true probability"
        case "within":
            return f"the network gives each {outcome} its true probability within {margin}"
        case "deterministic":
            low = "1/2" if claim.margin == Fraction(1, 2) else f"1 − {margin}"
            return f"where one {outcome} only is possible, the network gives it more than {low}"
        case "leading":
            return f"where one {outcome} only is possible, the network gives it more than any other"
        case "categorical" if claim.margin == 0:
            return (
                f"the network gives each impossible {outcome} probability 0 and each possible one "
                "more"
            )
        case "categorical":
            return separated_text(outcome, margin, "that")
        case _:
            return (
                f"the network gives each possible {outcome} more than 0 and more than each "
                "impossible one"
            )


def separated_text(outcome: str, less: str, least: str) -> str:
    return (
        f"the network gives each impossible {outcome} less than {less} and each possible one at "
        f"least {least}"
    )


def folded(string: str) -> str:
    """aaabb as it is, a long one as a^1001 b^1001."""
    if not string:
        return "the empty string"
    if len(string) <= 24 or " " in string:
        return printable(string if len(string) <= 60 else f"{string[:57]}...")
    return powers(string)
