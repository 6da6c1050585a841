"""Theorems, counterexamples and what they leave open, in sentences."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..network._text import powers
from ._claims import Claim
from ._saturation import reach_text
from ._system import System

if TYPE_CHECKING:
    from ._obligations import Induction
    from ._proof import Counterexample


def theorem(system: System, claims: tuple[Claim, ...]) -> str:
    source = system.source
    text = source.exactly if claims[0].kind == "exact" else claim_text(claims[0])
    return f"{source.every} {text}."


def claim_text(claim: Claim) -> str:
    margin = number(claim.margin)
    match claim.kind:
        case "exact":
            return "the network gives each next symbol exactly its true probability"
        case "within":
            return f"the network gives each next symbol its true probability within {margin}"
        case "deterministic":
            low = "1/2" if claim.margin == Fraction(1, 2) else f"1 − {margin}"
            return f"where one symbol only can follow, the network gives it more than {low}"
        case "leading":
            return "where one symbol only can follow, the network gives it more than any other"
        case "categorical" if claim.margin == 0:
            return (
                "the network gives each impossible next symbol probability 0 and each possible "
                "one more"
            )
        case "categorical":
            return (
                f"the network gives each impossible next symbol less than {margin} and each "
                f"possible one at least that"
            )
        case _:
            return "the network gives each possible next symbol more than each impossible one"


def number(value: Fraction) -> str:
    exponent = len(str(value.denominator)) - 1
    if value.numerator == 1 and value.denominator == 10**exponent and exponent > 4:
        return f"10^-{exponent}"
    return f"{float(value):g}"


def notes(induction: Induction, claims: tuple[Claim, ...]) -> tuple[str, ...]:
    """What else is claimed, what of strings outside the language, and what of float64."""
    found = [_sentence(claim_text(claim)) for claim in claims[1:]]
    system = induction.system
    if system.language is not None:
        found.append(_rejection(claims))
    return (*found, *reach_text(induction, claims[0]))


def _rejection(claims: tuple[Claim, ...]) -> str:
    after = "what it predicts after a wrong symbol is not claimed"
    for claim in claims:
        if claim.kind == "exact" or (claim.kind == "categorical" and claim.margin == 0):
            return f"A string that is not in the language gets probability 0; {after}."
    margins = [claim.margin for claim in claims if claim.kind in ("within", "categorical")]
    if margins:
        least = number(min(margins))
        return f"A wrong symbol gets less than {least} where it first occurs; {after}."
    return f"Nothing is claimed of strings that are not in the language: {after}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def not_shown_notes(tried: list[str]) -> tuple[str, ...]:
    counts = {why: tried.count(why) for why in dict.fromkeys(tried)}
    return tuple(
        f"Tried: {why}" + (f" ({count} times)." if count > 1 else ".")
        for why, count in counts.items()
    )


def refutation(system: System, claim: Claim, found: Counterexample) -> str:
    # A string begins with the boundary, which is not counted; numbers begin with a digit.
    count = found.step + (system.language is None)
    read = f"{count} {system.source.noun}{'' if count == 1 else 's'}"
    what = f"off by {number(claim.margin)} or more" if claim.kind == "within" else "wrong"
    if found.step == 0 and system.language is not None:
        return f"The network is {what} at the very start of {folded(found.string)}."
    return f"The network is {what} on {folded(found.string)}, after {read}."


def folded(string: str) -> str:
    """aaabb as it is, a long one as a^1001 b^1001."""
    if not string:
        return "the empty string"
    if len(string) <= 24 or " " in string:
        return string if len(string) <= 60 else f"{string[:57]}..."
    return powers(string)
