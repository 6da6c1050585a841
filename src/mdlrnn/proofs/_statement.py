"""Theorems, counterexamples and what they leave open, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._checks import printable
from ..network._text import counted
from ._claims import Claim
from ._decimals import decimal_text
from ._equivalent_machines import counts_of_symbols
from ._models import Model
from ._proof_values import Counterexample
from ._reach import Reach, reach_notes
from ._sentences import claim_text, folded
from ._system import System
from ._table import UNKNOWN, table

if TYPE_CHECKING:
    from ._obligations import Induction


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
