"""Proofs in a run: which networks to look at, and what to say at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..machines import Machine, Symbols, Transducer
from ..network import FLOAT, Network, distribution, feed, input_rows
from ._proof import Proof
from ._prove import prove
from ._smt import FIRST_TRY, IN_RUN, RUNNERS_UP, SHORTEST_PROOF, available

PRECHECK_STRINGS = (29, 59, 149)
"""Strings of the language, shortest first, by place: a network must be right on them to be given
to the solver."""
HINT = 'With the extra prove, pip install "mdlrnn[prove]", a run ends with its theorem.'


@dataclass(frozen=True)
class Verdict:
    """What was found out at the end of a run; without a solver, nothing."""

    proof: Proof | None
    """Of the best network."""
    other: Proof | None = None
    """Of another, where only that is proved."""
    more_bits: float = 0.0
    """By which its |G| + |D:G| is higher; below 0 where something else was minimised."""

    @property
    def proved(self) -> Proof | None:
        """The theorem, whichever network it is about."""
        return next((p for p in (self.proof, self.other) if p is not None and p.proved), None)

    def lines(self, file: str, best: Network) -> list[str]:
        """What to say; `file` is where a network is kept that is proved and not the best."""
        if self.proof is None:
            return [HINT]
        if self.other is not None:
            return [
                self.proof.statement,
                f"Theorem, of the network in {file}, {self._beside_the_best()}: "
                f"{self.other.statement} {self.other.limits}",
            ]
        if not self.proof.proved:
            return [self.proof.statement]
        other = "" if self.proof.network == best else f" (The network in {file}.)"
        return [f"Theorem. {self.proof.statement}{other} {self.proof.limits}"]

    def _beside_the_best(self) -> str:
        if self.more_bits < 0:
            return f"whose |G| + |D:G| is {-self.more_bits:,.2f} bits lower"
        return f"which scores {self.more_bits:,.2f} bits more"

    def to_dict(self) -> dict[str, Any] | None:
        if self.proof is None:
            return None
        if self.other is None:
            return self.proof.to_dict()
        return self.proof.to_dict() | {"other": self.other.to_dict() | {"more": self.more_bits}}


class Prover:
    """Looks at the networks of a run, at none of them twice."""

    def __init__(self, machine: Machine | Transducer) -> None:
        self.machine = machine
        self.can_prove = available("z3")
        self._found: dict[str, Proof] = {}
        self._tried: dict[str, float] = {}
        """Seconds that were given to networks that were not proved."""
        self._in_vain = 0.0
        """Seconds that these took."""

    def __call__(
        self, best: Sequence[Network], others: Sequence[Network], spent: float, left: float
    ) -> str | None:
        """A reason to stop: one of the networks is proved.

        The run has gone on for `spent` seconds and has `left`. Others than the best are given a
        short time each, and no more than half of the run's together with what was in vain.
        """
        ends = time.monotonic() + left
        for network in dict.fromkeys([*best, *others]):
            began = time.monotonic()
            if began >= ends:
                return None
            seconds = IN_RUN
            if network not in best:
                if self._in_vain > spent / 2:
                    return None
                seconds = FIRST_TRY
            if self.fails_on_longer_strings(network):
                continue
            if self.prove(network, min(seconds, max(ends - began, SHORTEST_PROOF))).proved:
                return "proved"
        return None

    def prove(self, network: Network, seconds: float = IN_RUN) -> Proof:
        key = network.to_json()
        seconds = min(seconds, IN_RUN)
        if key in self._found and (self._found[key].proved or self._tried[key] >= seconds):
            return self._found[key]
        began = time.monotonic()
        self._found[key] = prove(network, self.machine, seconds=seconds)
        self._tried[key] = seconds
        if not self._found[key].proved:
            self._in_vain += time.monotonic() - began
        return self._found[key]

    def remember(self, proof: Proof | None) -> None:
        """A proof that was found before, so that it need not be found again."""
        if proof is not None and proof.proved:
            self._found[proof.network.to_json()] = proof

    def first_proved(self) -> Proof:
        """The proof that ended the run."""
        return next(proof for proof in self._found.values() if proof.proved)

    def another(self, networks: Iterable[Network]) -> Proof | None:
        """Of the runners-up the first that is proved: with few strings, lucky networks win."""
        ends = time.monotonic() + RUNNERS_UP
        for network in networks:
            left = ends - time.monotonic()
            if left <= 0:
                return None
            if self.fails_on_longer_strings(network):
                continue
            proof = self.prove(network, left)
            if proof.proved:
                return proof
        return None

    def fails_on_longer_strings(self, network: Network) -> bool:
        """Whether it is wrong on some string that is longer than most it was found with.

        That is soon known, while a solver takes seconds to say neither yes nor no. Wrong is what no
        theorem bears: an impossible symbol gets as much as a possible one.
        """
        return any(self._fails(network, string) for string in self._longer)

    def _fails(self, network: Network, string: Symbols) -> bool:
        machine = self.machine
        assert isinstance(machine, Machine)
        here = machine.beginning
        rows = input_rows(network, string, machine.alphabet)
        names = network.alphabet or machine.alphabet
        for symbol, values in zip((None, *string), feed(network, rows, FLOAT), strict=True):
            if symbol is not None:
                after = machine.step(here, symbol)
                assert after is not None
                here = after
            allowed = machine.next_from(here).allowed
            given = dict(zip(names, distribution(network, values), strict=True))
            least = min(given[name] for name in allowed)
            if any(p >= least for name, p in given.items() if name not in allowed):
                return True
        return False

    @cached_property
    def _longer(self) -> list[Symbols]:
        """Nothing for sequences of numbers, all of which a proof runs through soon enough."""
        if not isinstance(self.machine, Machine):
            return []
        shortest = self.machine.shortest(PRECHECK_STRINGS[-1] + 1)
        return [string for place, string in enumerate(shortest) if place in PRECHECK_STRINGS]
