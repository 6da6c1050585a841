"""What is proved of a machine, or why there is none, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..languages import Language
from ..network._text import counted
from ..proofs._decimals import decimal_text, rounded_up
from ..proofs._proof import Proof
from ..proofs._sentences import folded
from ._agreement import Agreement, agreement
from ._runs import Runs

AFTER = "After every prefix that it finds possible, however long, the network gives each"


def statement(proof: Proof, machine: Language, runs: Runs) -> str:
    return _claim(proof, runs) + _in_the_middle(proof, machine, runs) + _as_it_runs(proof)


def _in_the_middle(proof: Proof, machine: Language, runs: Runs) -> str:
    """What the machine's probabilities are worth where the first claim does not speak of them."""
    if proof.proved and proof.claims[0].kind in ("exact", "within"):
        return ""
    close = next((claim for claim in proof.claims if claim.kind == "within"), None)
    if proof.proved and close is not None:
        return f" Each probability is within {decimal_text(close.margin)} of this machine's."
    found = agreement(machine, runs, runs.depth)
    if found is None or not found.off:
        return ""
    return (
        " This machine's own probabilities are not the network's: in the prefixes of up to "
        f"{counted(found.length, 'symbol')} they differ by up to {_at_most(found.off)}."
    )


def agrees(found: Agreement, noise: Fraction | None) -> str:
    """What is so of a machine of which nothing is proved."""
    taken = ""
    if noise is not None:
        taken = f" (what it gives with less than {decimal_text(noise)} is taken for nothing)"
    off = f"probabilities that differ by up to {_at_most(found.off)}"
    return (
        f"Up to {counted(found.length, 'symbol')} it finds the same symbols possible as this "
        f"machine{taken}, with {off if found.off else 'the same probabilities'}; no claim beyond."
    )


def _at_most(off: Fraction) -> str:
    return decimal_text(rounded_up(off))


def _claim(proof: Proof, runs: Runs) -> str:
    if not proof.proved:
        return (
            f"{AFTER} symbol that this machine finds possible more than each that it finds "
            "impossible; no bound parts the two, since probabilities change along the string."
        )
    first = proof.claims[0]
    margin = decimal_text(first.margin)
    noise = ""
    if any(node.noise for node in runs.nodes):
        noise = f" (what it gives with less than {decimal_text(runs.noise)} is taken for nothing)"
    if first.kind == "exact":
        return f"{AFTER} next symbol exactly this machine's probability."
    if first.kind == "within":
        return f"{AFTER} next symbol this machine's probability within {margin}{noise}."
    if first.margin == 0:
        return (
            f"{AFTER} symbol that this machine finds impossible probability 0 and each other one "
            "more; how much more changes along the string."
        )
    return (
        f"{AFTER} symbol that this machine finds impossible less than {margin} and each other one "
        "at least that."
    )


def _as_it_runs(proof: Proof) -> str:
    if proof.float_failure is None:
        return ""
    return (
        " That is the network in exact numbers: as it runs, in float64, it makes a mistake on "
        f"{folded(proof.float_failure.string)}."
    )


def no_machine(reasons: Sequence[str], runs: Runs, seconds: float | None) -> str:
    """`seconds` is the time that was too short, if it was."""
    tried = "; ".join(dict.fromkeys(reasons)) or "there was no time to look for one"
    time = "" if seconds is None else f", in the {seconds:g} s it was given"
    depth = counted(runs.depth, "symbol")
    return (
        f"No machine was found{time}: {tried}. All prefixes of up to {depth} that it finds "
        "possible were run."
    )
