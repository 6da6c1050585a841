"""`learned`: the machine that a network follows, its name, and what is proved of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .._errors import InputError
from ..corpus._corpus import Corpus
from ..languages import Language
from ..network._network import Network
from ..proofs._decimals import decimal_text
from ..proofs._proof import Proof
from ..proofs._prove import prove
from ..proofs._solver import require
from ._fit import NoMachine, machine_from_runs
from ._names import named_machines, regex_of
from ._runs import NOISE, Runs, run_through

SECONDS = 60.0
NAMED = 15.0
"""For the proof of one language that has a name."""


@dataclass(frozen=True)
class Learned:
    """What a network has learned. Without a machine, `statement` says why none was found."""

    network: Network
    machine: Language | None
    name: str | None
    """As a person writes the language; None where no name is known to fit."""
    proof: Proof | None
    statement: str
    seconds: float
    checked: int
    """All prefixes up to this length were run."""

    @property
    def proved(self) -> bool:
        return self.proof is not None and self.proof.proved

    @property
    def margin(self) -> float | None:
        return None if self.proof is None or not self.proof.proved else self.proof.margin

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "machine": None if self.machine is None else self.machine.to_text(),
            "proved": self.proved,
            "statement": self.statement,
            "margin": self.margin,
            "seconds": self.seconds,
            "checked_length": self.checked,
        }

    def certificate(self) -> str:
        """The proof as a file that a second solver can check."""
        if self.proof is None:
            raise InputError("there is no theorem to write down; a certificate needs a proof.")
        return self.proof.certificate()

    def of_corpus(self, corpus: Corpus) -> str | None:
        """How many strings of a corpus belong to the language."""
        machine = self.machine
        if machine is None or corpus.alphabet is None:
            return None
        inside = distinct = outside = 0
        example = ""
        for string, count in corpus.strings():
            distinct += 1
            if machine.accepts(tuple(string)):
                inside += count
            else:
                outside += count
                example = example or machine.spelled(tuple(string))
        every = inside + outside
        if not outside:
            return f"All {every:,} strings of the corpus ({distinct:,} distinct) belong to it."
        return (
            f"{inside:,} of the {every:,} strings of the corpus belong to it; "
            f"{example or 'the empty string'} does not."
        )

    def __str__(self) -> str:
        """What `mdlrnn learned` prints."""
        lines = []
        if self.machine is not None:
            lines.append(
                f"It has learned {self.name}."
                if self.name is not None
                else "It has learned the language of this machine."
            )
            rules = self.machine.to_text().splitlines()[1:]
            lines += ["", *(f"  {line}" for line in rules), ""]
        return "\n".join([*lines, f"Theorem. {self.statement}" if self.proved else self.statement])


def learned(network: Network, seconds: float = SECONDS) -> Learned:
    """The machine inside a network over symbols, proved equal to it where that succeeds.

    Needs the extra `prove`.
    """
    require("z3", "a proof of what was learned")
    if network.alphabet is None:
        raise InputError(
            "the network names no symbols, so it reads no strings; give a network over symbols."
        )
    began = time.monotonic()
    ends = began + seconds
    best: Learned | None = None
    reason = ""
    for noise in NOISE:
        runs = run_through(network, noise)
        for found in _candidates(network, runs, began, ends):
            if isinstance(found, str):
                reason = reason or found
            elif found.proved:
                return found
            else:
                best = best or found
        if time.monotonic() > ends or not any(node.noisy for node in runs.nodes):
            break
    if best is not None:
        return best
    text = (
        f"No machine was found: {reason}; its possible prefixes of up to {runs.depth} symbols were "
        "run."
    )
    return Learned(network, None, None, None, text, time.monotonic() - began, runs.depth)


def _candidates(network: Network, runs: Runs, began: float, ends: float) -> Iterator[Learned | str]:
    """Machines with what is proved of them: those with a name first; or why there is none."""

    def tried(machine: Language, name: str | None, most: float) -> Learned:
        left = max(1.0, ends - time.monotonic())
        proof = prove(network, machine, seconds=min(most, left))
        return _found(network, runs, machine, name, proof, began)

    for machine in named_machines(runs):
        yield tried(machine, machine.title, NAMED)
    for machine in named_machines(runs, alike=True):
        yield tried(machine, machine.title, NAMED)
    try:
        machine = machine_from_runs(runs)
    except NoMachine as reason:
        yield str(reason)
        return
    regex = regex_of(machine)
    if regex is not None:
        machine = replace(machine, title=regex)
    yield tried(machine, regex, SECONDS)


def _found(
    network: Network, runs: Runs, machine: Language, name: str | None, proof: Proof, began: float
) -> Learned:
    return Learned(
        network, machine, name, proof, _statement(proof, runs), time.monotonic() - began, runs.depth
    )


def _statement(proof: Proof, runs: Runs) -> str:
    after = "After every prefix that it finds possible, however long, the network gives each"
    if not proof.proved:
        return (
            "This is not proved; it fits all prefixes that the network finds possible, of up to "
            f"{runs.depth} symbols."
        )
    first = proof.claims[0]
    noise = f" (what it gives with less than {decimal_text(runs.noise)} is taken for nothing)"
    noisy = noise if any(node.noisy for node in runs.nodes) else ""
    if first.kind == "exact":
        return f"{after} next symbol exactly this machine's probability."
    if first.kind == "within":
        margin = decimal_text(first.margin)
        return f"{after} next symbol this machine's probability within {margin}{noisy}."
    if first.margin == 0:
        return (
            f"{after} symbol that this machine finds impossible probability 0 and each other one "
            "more; how much more changes along the string."
        )
    margin = decimal_text(first.margin)
    return (
        f"{after} symbol that this machine finds impossible less than {margin} and each other one "
        "at least that."
    )
