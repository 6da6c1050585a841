"""What a theorem, which is about exact numbers, says of the network as it runs; in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..network._text import counted
from ._claims import Claim
from ._decimals import decimal_text
from ._facts import stack_bases
from ._float_runs import GROWTH, FloatRuns, float_runs
from ._obligations import Induction
from ._proof_values import FloatFailure
from ._rounding import AsItRuns, as_it_runs
from ._saturation import largest_counter
from ._sentences import claim_text, folded, separated_text
from ._system import System

LONG_ENOUGH = 2_000
"""Symbols of strings: where something is shown of all strings up to here, none are run."""
NOT_KNOWN = -2
"""It was not looked for."""


class Reach(NamedTuple):
    uncut: int | None
    """Counters up to which no sum is cut; None if none ever is, -1 if some are at once, or
    `NOT_KNOWN`."""
    shown: AsItRuns | None
    runs: FloatRuns | None
    """What runs in float64 gave; None where more than they could show is shown."""
    saturation: bool = True
    """The network's."""

    @property
    def mistake(self) -> FloatFailure | None:
        return None if self.runs is None else self.runs.mistake


def reach_of(induction: Induction, claim: Claim) -> Reach:
    saturation = induction.executor.network.saturation
    uncut = largest_counter(induction)
    shown = None if uncut is not None and uncut < 1 else as_it_runs(induction, claim, uncut)
    if shown is not None and _is_beyond_runs(shown):
        return Reach(uncut, shown, None, saturation)
    runs = float_runs(induction.system, induction.executor, claim)
    return Reach(uncut, shown, runs, saturation)


def _is_beyond_runs(shown: AsItRuns) -> bool:
    """Whether more is shown than runs along strings could say."""
    most, length = shown.most or GROWTH[-1], shown.length or LONG_ENOUGH
    return most >= GROWTH[-1] and length >= LONG_ENOUGH


def quick_reach(induction: Induction, claim: Claim, seconds: float) -> Reach:
    """What runs in float64 show, without a look at what could be proved of them."""
    runs = float_runs(induction.system, induction.executor, claim, seconds)
    return Reach(NOT_KNOWN, None, runs, induction.executor.network.saturation)


def reach_notes(system: System, reach: Reach) -> Iterator[str]:
    if reach.saturation:
        yield (
            "The theorem is about exact numbers. The network that runs computes in float64 and "
            f"cuts sums to ±10^6{_cut_text(system, reach.uncut)}."
        )
    else:
        yield (
            "The theorem is about exact numbers; the network's saturation is off, so that no sum "
            "is cut. Feed and the page compute in exact numbers, up to 2^262144; float64 rounds "
            "integers beyond 2^53."
        )
    if reach.shown is not None:
        yield _shown_text(system, reach.shown)
    else:
        yield "That rounding leaves the claim true is not shown."
    if reach.runs is not None:
        yield _runs_text(reach.runs)


def _cut_text(system: System, uncut: int | None) -> str:
    if uncut is None:
        return ", and none of its sums is ever cut"
    if uncut == NOT_KNOWN:
        return ", from where on is not known"
    if uncut < 0:
        return ", and some of its sums are cut from the start"
    return f"; none is cut while {_at_most(system, uncut)}"


def _at_most(system: System, bound: int) -> str:
    many = "are" if len(system.counters) > 1 else "is"
    stacks = "".join(
        f" (up to {counted(_depth(bound, min(bases)), 'symbol')} on the stack)"
        for bases in stack_bases(system).values()
    )
    return f"{' and '.join(system.counters)} {many} at most {bound:,}{stacks}"


def _shown_text(system: System, shown: AsItRuns) -> str:
    claim = shown.claim
    outcome = system.source.outcome
    text = claim_text(claim, outcome)
    if claim.kind == "categorical" and claim.margin:
        least = decimal_text(shown.least)
        text = separated_text(outcome, decimal_text(claim.margin), least)
    limits = []
    if shown.most is not None:
        limits.append(f"while {_at_most(system, shown.most)}")
    if shown.length is not None:
        limits.append(f"in strings of up to {counted(shown.length, system.source.noun)}")
    where = f", {', '.join(limits)}" if limits else ""
    return f"As it runs, too{where}, {text}: that is shown."


def _runs_text(runs: FloatRuns) -> str:
    found = runs.mistake or runs.claim_fails
    if found is None:
        return (
            f"In float64 the claim held along {counted(runs.strings, 'string')} of up to "
            f"{counted(runs.longest, 'symbol')}, which shows nothing of others."
        )
    given = ", ".join(f"P({symbol}) = {p:.6g}" for symbol, p in found.given.items())
    what = "it makes a mistake" if runs.mistake is not None else "the claim fails"
    return f"In float64 {what} on {folded(found.string)}, at step {found.step:,}: {given}."


def _depth(bound: int, base: int) -> int:
    """Digits that a stack may have whatever they are."""
    digits = 0
    while base ** (digits + 1) - 1 <= bound:
        digits += 1
    return digits
