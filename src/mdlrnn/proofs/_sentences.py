"""Claims and strings as a person reads them."""

from __future__ import annotations

from fractions import Fraction

from .._checks import printable
from ..network._text import powers
from ._claims import Claim
from ._decimals import decimal_text


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
