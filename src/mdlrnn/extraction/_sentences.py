"""What is proved of a machine, or why there is none, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ..network._text import counted
from ..proofs._decimals import decimal_text
from ..proofs._proof import Proof
from ..proofs._sentences import folded
from ._runs import Runs

AFTER = "After every prefix that it finds possible, however long, the network gives each"


def statement(proof: Proof, runs: Runs) -> str:
    return _claim(proof, runs) + _as_it_runs(proof)


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
