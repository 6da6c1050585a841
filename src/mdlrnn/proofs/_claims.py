"""What can be claimed of a network's predictions, strongest first, as formulas over its outputs.

exact: the true distribution. within: each probability off by less than a margin. categorical:
impossible symbols get less than the margin and possible ones at least that, or with margin 0
exactly nothing and more than nothing. deterministic: where one symbol only can follow, it gets more
than 1 − margin; leading: more than any other. ordered: every possible symbol gets more than nothing
and more than every impossible one; a network without that is wrong.

The first three say that a network is right; the others do not, though they may be all that
holds. On the way, below: impossible symbols get less than the margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..errors import printable
from ..network import LEAST_TOTAL, powers
from ._smt import TRUE, Formula, conjunction, negation
from ._terms import ONE, Term, about, bounds, decimal_text, relu, total


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


class Shares(NamedTuple):
    """Probabilities before they are divided by their sum."""

    masses: list[Term]
    whole: Term


def shares(outputs: Sequence[Term]) -> Shares:
    if len(outputs) == 1:
        chance = relu(outputs[0]) - relu(outputs[0].plus(-1))
        return Shares([ONE - chance, chance], ONE)
    masses = [relu(output) for output in outputs]
    return Shares(masses, total(masses))


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
    formula = conjunction(*_usual(claim, chances, Shares([Term(p) for p in given], ONE)))
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


def probabilities(given: Shares) -> list[Fraction]:
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
