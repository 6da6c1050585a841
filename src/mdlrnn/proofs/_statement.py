"""Theorems, counterexamples and the paper's proof tables, in sentences and closed forms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from ..errors import printable
from ..machines import Affine, Condition
from ..network import LEAST_TOTAL, counted
from ._equivalent_machines import counts_of_symbols
from ._execute import Phase, System, affine_term
from ._induction import Model
from ._invariant import Location
from ._obligations import Induction, counters_as, hypothesis, targets
from ._smt import Claim, Formula, Script, ask_z3, claim_text, folded, negation, shares
from ._terms import Atom, Term, about, bounds, decimal_text, known, rebuilt, substitute
from ._witness import Counterexample
from .float64._runs import Reach, reach_notes


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


Names = Callable[[str], str]


def term_text(term: Term, latex: bool = False, names: Names | None = None) -> str:
    """constant and factors in the order a person expects: what varies first."""
    pieces = [_piece(factor, _atom(atom, latex, names), latex) for atom, factor in term.parts]
    # A sum that begins with a minus reads worse than one that begins with a number.
    if term.constant > 0 and all(negative for negative, _ in pieces):
        pieces.insert(0, (False, number_text(term.constant, latex)))
    elif term.constant or not pieces:
        pieces.append((term.constant < 0, number_text(abs(term.constant), latex)))
    pieces.sort(key=lambda piece: piece[0])
    minus = "-" if latex else "−"
    negative, text = pieces[0]
    result = f"{minus}{text}" if negative else text
    for negative, text in pieces[1:]:
        result += f" {minus if negative else '+'} {text}"
    return result


def _piece(factor: Fraction, atom: str, latex: bool) -> tuple[bool, str]:
    size = abs(factor)
    if size == 1:
        return factor < 0, atom
    if size.numerator == 1 and not latex:
        return factor < 0, f"{atom}/{size.denominator}"
    dot = r"\," if latex else "·"
    return factor < 0, f"{number_text(size, latex)}{dot}{atom}"


def number_text(value: Fraction, latex: bool = False) -> str:
    if value.denominator == 1:
        return str(value.numerator) if latex else str(value.numerator).replace("-", "−")
    if latex:
        sign = "-" if value < 0 else ""
        return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    return str(value).replace("-", "−")


def _atom(atom: Atom, latex: bool, names: Names | None) -> str:
    if atom.kind == "counter":
        return latex_name(atom.name) if latex else atom.name
    if atom.kind == "memory":
        if names is not None:
            return names(atom.name)
        return rf"[u_{{{atom.name}}}]" if latex else f"[{atom.name}]"
    inner = [term_text(term, latex, names) for term in atom.inputs]
    match atom.kind:
        case "product" if atom.inputs[0] == atom.inputs[1]:
            alone = len(atom.inputs[0].parts) == 1 and not atom.inputs[0].constant
            bare = alone and atom.inputs[0].parts[0][1] == 1
            whole = inner[0] if bare else f"({inner[0]})"
            return f"{whole}^2" if latex else f"{whole}²"
        case "product":
            dot = r"\cdot " if latex else " · "
            return f"({inner[0]}){dot}({inner[1]})"
        case "floor":
            return rf"\lfloor {inner[0]} \rfloor" if latex else f"⌊{inner[0]}⌋"
        case "mod":
            alone = len(atom.inputs[0].parts) == 1 and not atom.inputs[0].constant
            whole = inner[0] if alone else f"({inner[0]})"
            return rf"({whole} \bmod {atom.base})" if latex else f"({whole} mod {atom.base})"
        case "mirror":
            under = rf"_{{{atom.base}}}" if latex else str(atom.base)
            return (
                rf"\mathrm{{mirror}}{under}({inner[0]})" if latex else f"mirror{under}({inner[0]})"
            )
        case "sigmoid":
            return rf"\sigma({inner[0]})" if latex else f"σ({inner[0]})"
        case "step":
            return _bracket(atom.inputs[0], latex, names)
        case _:
            return rf"\max(0, {inner[0]})" if latex else f"max(0, {inner[0]})"


def _bracket(argument: Term, latex: bool, names: Names | None) -> str:
    """[x > 1], which is 1 if it is so, else 0; the constant on the other side."""
    moving, limit = Term(argument.constant * 0, argument.parts), -argument.constant
    if all(factor < 0 for _, factor in argument.parts):
        left, sign, limit = moving.times(-1), "<", -limit
    else:
        left, sign = moving, ">"
    return f"[{term_text(left, latex, names)} {sign} {number_text(limit, latex)}]"


def latex_name(name: str) -> str:
    return name if len(name) == 1 else rf"\mathit{{{name}}}"


def latex_symbol(symbol: str) -> str:
    """A symbol of an alphabet inside text."""
    special = {"#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_", "{": r"\{",
               "}": r"\}", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}",
               "^": r"\textasciicircum{}"}  # fmt: skip
    return "".join(special.get(c, c) for c in symbol)


def condition_text(system: System, phase: Phase, latex: bool = False) -> str:
    """The phase's conditions, those that follow from others left out; its state if it has none."""
    texts = []
    for condition, true in zip(system.conditions[phase.state], phase.truth, strict=True):
        if true:
            texts.append(_condition(condition, latex))
    if not texts:
        return "" if latex else f"state {phase.state}"
    return ", ".join(texts)


def _condition(condition: Condition, latex: bool) -> str:
    expression = condition.expression
    assert isinstance(expression, Affine)
    text = term_text(affine_term(expression), latex)
    if condition.relation == "mod":
        mod = r"\bmod" if latex else "mod"
        return f"{text} {mod} {condition.base} = {condition.digit}"
    return f"{text} {condition.relation} 0"


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
            mass, whole = about(self.mass), about(self.whole)
            if mass is None or not whole:
                return r"\ldots" if latex else UNKNOWN
            return f"{'' if latex else '≈ '}{_rounded(float(mass / whole), latex)}"
        over = term_text(self.whole, latex)
        if latex:
            return rf"\frac{{{term_text(self.mass, latex)}}}{{{over}}}"
        share = term_text(self.mass)
        share = f"({share})" if _is_sum(self.mass) else share
        return f"{share} / ({over})" if _is_sum(self.whole) else f"{share} / {over}"


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
        given = shares(tuple(value for value in shown if value is not None))
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


def theorem(system: System, claims: tuple[Claim, ...]) -> str:
    source = system.source
    text = source.exactly if claims[0].kind == "exact" else claim_text(claims[0], source.outcome)
    return f"{source.every} {text}."


def notes(induction: Induction, claims: tuple[Claim, ...], reach: Reach) -> tuple[str, ...]:
    """What else is claimed, what of strings outside the language, and what of float64."""
    system = induction.system
    outcome = system.source.outcome
    found = [_mirrored(base) for base in _bases(induction)]
    found += [_sentence(claim_text(claim, outcome)) for claim in claims[1:]]
    if system.language is not None:
        found.append(_rejection(claims))
        counts = counts_of_symbols(system.language)
        found += [
            f"{name} is how many {printable(symbol)}'s have been read."
            for name, symbol in counts.items()
        ]
    return (*found, *reach_notes(system, reach))


def on_the_table(induction: Induction) -> tuple[str, ...]:
    """What a reader has to know of the cells of the proof's table."""
    rows = table(induction)
    if any(row.shares is None or None in row.outputs for row in rows):
        return (f"{UNKNOWN} stands for what depends on more than this table shows.",)
    return ()


def _bases(induction: Induction) -> list[int]:
    """Of stacks that memory holds as fractions."""
    terms = [term for location in induction.locations for term in location.memory]
    return sorted({a.base for term in terms for a, _ in term.parts if a.kind == "mirror"})


def _mirrored(base: int) -> str:
    return (
        f"mirror{base}(x) is x in base {base} with its last digit first, behind the point: "
        f"mirror{base}(1) = 1/{base}, mirror{base}({base}) = 1/{base**2}."
    )


def _rejection(claims: tuple[Claim, ...]) -> str:
    after = "what it predicts after a wrong symbol is not claimed"
    for claim in claims:
        if claim.kind == "exact" or (claim.kind == "categorical" and claim.margin == 0):
            return f"A string that is not in the language gets probability 0; {after}."
    margins = [claim.margin for claim in claims if claim.kind in ("within", "categorical")]
    if margins:
        least = decimal_text(min(margins))
        return f"A wrong symbol gets less than {least} where it first occurs; {after}."
    return f"Nothing is claimed of strings that are not in the language: {after}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def refutation(system: System, claim: Claim, found: Counterexample, saturation: bool) -> str:
    # A string begins with the boundary, which is not counted; numbers begin with a digit.
    count = found.step + (system.language is None)
    read = f"{count} {system.source.noun}{'' if count == 1 else 's'}"
    what = f"off by {decimal_text(claim.margin)} or more" if claim.kind == "within" else "wrong"
    where = f"on {folded(found.string)}, after {read}"
    if found.step == 0 and system.language is not None:
        where = f"at the very start of {folded(found.string)}"
    if found.as_it_runs:
        return f"The network is {what} {where}."
    exact, runs = "In exact numbers", "in float64"
    if saturation:
        exact, runs = f"{exact}, with no sum cut", f"{runs} and with sums cut to ±10^6"
    return f"{exact}, the network is {what} {where}. As it runs, {runs}, it is not."


def as_it_runs_warning(reach: Reach) -> str:
    """What is said in the same breath of a network that float64 breaks on strings of the size of
    the paper's test sets."""
    if reach.mistake is None:
        return ""
    return (
        " But that is the network in exact numbers: as it runs, in float64, it makes a mistake on "
        f"{folded(reach.mistake.string)}."
    )


class Attempts(NamedTuple):
    """What was done before a proof was given up."""

    reasons: tuple[str, ...]
    length: int
    """All prefixes up to so many symbols were run."""
    further: int
    """Random strings that were run beyond that."""
    unreached: Model | None
    """Counters at which the outputs fail the claim, too large for a string to be run."""


EXPLANATIONS = {
    "memory is no affine function of the counters": (
        "what the network remembers could not be written as a sum of multiples of the language's "
        "counters"
    ),
    "a step leaves the relation": (
        "a relation between memory and counters fits every string that was run, but does not stay "
        "true from step to step"
    ),
    "the solver gave up on a step": "the solver gave up on a step, which may need more time",
    "the relation is inductive, but the outputs do not bear the claim": (
        "what the network remembers is known for every string, but its outputs do not keep "
        "possible and impossible symbols apart for all values of the counters"
    ),
    "its formulas grow too long": "the formulas of its units grow too long to reason about",
    "its numbers grow too long": "its numbers grow too long to compute with exactly",
}
"""Reasons in words that need no knowledge of proofs."""
TO_TRY = (
    "What may help: more time (--time 5m); mdlrnn explain, which shows what the network remembers; "
    "mdlrnn test, which also takes for a mistake that a possible symbol gets too little."
)


def not_shown(system: System, attempts: Attempts, claim: Claim) -> tuple[str, tuple[str, ...]]:
    """The verdict, and why; the claim is what the runs were held against."""
    source, ran = system.source, []
    if attempts.length:
        ran.append(f"in all prefixes of up to {counted(attempts.length, source.noun)}")
    if attempts.further:
        ran.append(f"in {counted(attempts.further, 'longer string')}")
    seen = "no string could be run"
    if ran:
        what = f"each possible {source.outcome} gets more than each impossible one"
        if claim.kind == "within":
            what = f"each probability is off by less than {decimal_text(claim.margin)}"
        seen = f"{' and '.join(ran)} {what}"
    text = f"Not shown: neither a proof nor a mistake was found; {seen}."
    told = [_reason_text(why, attempts.reasons) for why in dict.fromkeys(attempts.reasons)]
    if attempts.unreached is not None:
        told.append(_unreached_text(system, attempts.unreached))
    return text, (*told, TO_TRY)


def _reason_text(why: str, reasons: tuple[str, ...]) -> str:
    count = reasons.count(why)
    times = f" ({count} times)" if count > 1 else ""
    return f"Tried: {EXPLANATIONS.get(why, why)}{times}."


def _unreached_text(system: System, model: Model) -> str:
    counters = ", ".join(f"{name} = {value:,}" for name, value in model.counters.items())
    where = f"with {counters}" if counters else f"in state {printable(model.state)}"
    return (
        f"The solver knows a place where the outputs are wrong: {where}, after reading "
        f"{printable(model.label)}; a string that leads there is too long to be run."
    )


IN_EXACT_NUMBERS = (
    "That is about exact numbers. What rounding makes of it in the network that runs is not shown."
)


def not_right(system: System, claims: tuple[Claim, ...]) -> tuple[str, tuple[str, ...]]:
    """The verdict on a network of which something holds, but not enough to call it right."""
    source = system.source
    text = (
        "Shown, but the network is not right: no bound separates possible symbols from impossible "
        f"ones. {source.every} {claim_text(claims[0], source.outcome)}."
    )
    told = [_sentence(claim_text(claim, source.outcome)) for claim in claims[1:]]
    return text, (*told, IN_EXACT_NUMBERS)
