"""How far a theorem, which knows no bounds, reaches for the network as it runs in float64.

Sums are cut to ±10^6 there, and a sigmoid far out is 0. As long as no counter exceeds the number
found here, neither happens. Where sigmoids vanish long before anything is cut, and where float64
cannot hold a weight, the network is run, and what was seen is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..languages import Configuration
from ..network._activations import ACTIVATIONS
from ..network._interpreter import FLOAT, SATURATION, distribution, stepper
from ._claims import Claim, Shares, certain, claim_formula
from ._facts import stack_bases
from ._obligations import Induction, hypothesis, moves, symbolic_step
from ._sigmoid import VANISHING
from ._smt import Formula, Script
from ._solver import ask_z3
from ._system import System
from ._terms import ONE, Term, counter_term, known
from ._witness import onward

MOST = 10**8
"""A counter that may be larger still is as good as free."""
TIMES = 1_000
"""How often the run grows before it is brought to its end."""
ROUNDING = Fraction(1, 10**9)
"""What float64 may add to a margin by rounding probabilities."""


def largest_counter(induction: Induction, vanishing: int = VANISHING) -> int | None:
    """No counter up to this leads to saturation; None if none does at all.

    `vanishing` is what a sigmoid's argument must not pass.
    """
    found = MOST
    for source, move in moves(induction):
        values = symbolic_step(induction, source, move).values
        beyond: list[Formula] = []
        for unit, argument in values.argument.items():
            activation = induction.executor.network.units[unit].activation
            limit = vanishing if ACTIVATIONS[activation].smooth else SATURATION
            beyond += [(">", argument.plus(-limit)), (">", argument.times(-1).plus(-limit))]
        script = Script(induction.system.counters)
        if source is not None:
            script.add(hypothesis(induction, source))
        script.add(("or", *beyond))
        while found >= 0 and _happens(script, induction.system, found):
            found = _below(script, induction.system, found)
    return None if found == MOST else found


def _below(script: Script, system: System, high: int) -> int:
    """The largest bound under which it does not happen, by bisection."""
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        if _happens(script, system, middle):
            high = middle
        else:
            low = middle
    return low


def _happens(script: Script, system: System, bound: int) -> bool:
    limits = Script(system.counters)
    lines = list(script.lines)
    for name in system.counters:
        for sign in (1, -1):
            formula = (">=", counter_term(name).times(sign).plus(bound))
            lines.append(f"(assert {limits.text(formula)})")
    return ask_z3("\n".join(lines)).verdict != "unsat"


def rounded_weights(induction: Induction) -> list[Fraction]:
    """Weights and biases that have a part in memory or in a decision and that float64 rounds."""
    network = induction.executor.network
    matter = set(induction.executor.remembering) | {
        u for u in induction.executor.relevant if ACTIVATIONS[network.units[u].activation].jumps
    }
    weights = [c.weight.fraction for c in network.connections if c.target in matter]
    weights += [unit.bias.fraction for u, unit in enumerate(network.units)
                if u in matter and unit.bias is not None]  # fmt: skip
    return sorted({w for w in weights if w.denominator & (w.denominator - 1)})


def float_failure(induction: Induction, claim: Claim, most: int) -> tuple[int, int | None]:
    """Along one long string in float64: its length, and where the claim first fails, if it does."""
    system = induction.system
    step = stepper(induction.executor.network, FLOAT)
    kind = "within" if claim.kind == "exact" else claim.kind
    loose = Claim(kind, claim.margin + ROUNDING) if claim.margin or kind == "within" else claim
    previous = None
    length = 0
    for label, here in long_string(system, most):
        previous = step(system.rows[label], previous)
        given = [known(Fraction(p)) for p in distribution(induction.executor.network, previous)]
        masses: list[Term] = [ONE - given[0], given[0]] if len(given) == 1 else given
        chances = system.chances(system.phase(here))
        assert chances is not None
        if certain(claim_formula(loose, chances, Shares(masses, ONE))) is False:
            return length, length
        length += 1
    return length - 1, None


def long_string(system: System, most: int) -> Iterator[tuple[str, Configuration]]:
    """The largest counters up to `most` that so many moves give, then on to the end."""
    opening = system.openings[-1]
    label, here = opening.label, opening.to
    yield label, here
    for grown in range(100 * TIMES):
        ways = [way for way in system.successors(here) if max(way[1].counters, default=0) <= most]
        if grown < TIMES and ways:
            # A move that stays leaves the way to larger counters open.
            state = here.state
            label, here = max(ways, key=lambda w: (w[1].state == state, sum(w[1].counters), w[0]))
        else:
            way = onward(system, here)
            if way is None or system.language is None:
                return
            label, here = way
        yield label, here


def reach_text(induction: Induction, claim: Claim) -> Iterator[str]:
    """What is to be said of the network in float64."""
    bound = largest_counter(induction)
    uncut = bound if bound is None else largest_counter(induction, SATURATION)
    vanishes = bound != uncut
    if bound is None or not vanishes:
        how = _saturation_text(induction.system, bound)
    else:
        how = _vanishing_text(induction.system, bound, uncut)
    yield f"The theorem is about the network without saturation{how}"
    rounded = rounded_weights(induction)
    about = "Memory and decisions use no weight that float64 rounds"
    if rounded:
        shown = ", ".join(str(weight).replace("-", "−") for weight in rounded[:3])
        about = f"Memory or decisions use {shown}, which float64 rounds"
    if not rounded and not vanishes:
        yield f"{about}."
        return
    length, wrong = float_failure(induction, claim, MOST if uncut is None else max(0, uncut))
    seen = (
        f"the claim held in a run of {length:,} symbols"
        if wrong is None
        else f"the claim fails after {wrong:,} symbols of the run tried"
    )
    yield f"{about}; in float64 {seen}."


def _saturation_text(system: System, bound: int | None) -> str:
    if bound is None:
        return ", but nothing in it grows, so that it never saturates."
    if bound < 0:
        return "; cut to ±10^6 as it runs, this one saturates from the start."
    more = "".join(
        f", so up to {_depth(bound, min(bases))} symbols on the stack"
        for bases in stack_bases(system).values()
    )
    many = "are" if len(system.counters) > 1 else "is"
    return (
        f"; cut to ±10^6 as it runs, it does the same while {' and '.join(system.counters)} "
        f"{many} at most {bound:,}{more}."
    )


def _vanishing_text(system: System, bound: int, uncut: int | None) -> str:
    """Where sigmoids become 0 before sums are cut."""
    names = " or ".join(system.counters)
    zero = "from the start" if bound < 0 else f"where {names} exceeds {bound:,}"
    cut = "" if uncut is None else f", and sums are cut to ±10^6 beyond {uncut:,}"
    return f"; as it runs, sigmoids below 10^-300 become 0 {zero}{cut}."


def _depth(bound: int, base: int) -> int:
    """Digits that a stack may have whatever they are."""
    digits = 0
    while base ** (digits + 1) - 1 <= bound:
        digits += 1
    return digits
