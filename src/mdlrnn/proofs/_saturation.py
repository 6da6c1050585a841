"""How large counters may get before sums are cut to ±10^6, as they are in the network that runs."""

from __future__ import annotations

from ..network._activations import ACTIVATIONS
from ..network._interpreter import FLOAT_CUT, SATURATION
from ..network._network import Network
from ._obligations import Induction, hypothesis
from ._smt import Formula, Script
from ._solver import ask_z3
from ._system import System
from ._terms import counter_term

MOST = 10**9
"""The largest bound that is looked for."""
MOST_UNCUT = 2**53
"""And where saturation is off: beyond it, float64 does not hold every integer."""


def largest_sum(network: Network) -> int:
    """To what the network's sums are cut in float64."""
    return SATURATION if network.saturation else int(FLOAT_CUT)


def largest_counter(induction: Induction) -> int | None:
    """No counter up to this has a sum cut; None if none ever is, and -1 if some are at once.

    What goes into a sigmoid is left out: cut or not, it is 0 or 1 there.
    """
    network = induction.executor.network
    found = MOST if network.saturation else MOST_UNCUT
    largest = largest_sum(network)
    ever = False
    for source, step in induction.steps:
        values = step.values
        beyond: list[Formula] = []
        for unit, argument in values.argument.items():
            if not ACTIVATIONS[network.units[unit].activation].smooth:
                beyond += [
                    (">", argument.plus(-largest)),
                    (">", argument.times(-1).plus(-largest)),
                ]
        script = Script(induction.system.counters)
        if source is not None:
            script.add(hypothesis(induction, source))
        script.add(("or", *beyond))
        if ask_z3("\n".join(script.lines)).verdict == "unsat":
            continue
        ever = True
        if _happens(script, induction.system, found):
            found = _below(script, induction.system, found)
    return found if ever else None


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
