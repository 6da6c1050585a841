"""What `prove` gives back: a theorem, a counterexample, or what was tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..network._network import Network
from ._certificate import certificate
from ._claims import Claim
from ._document import cells, document
from ._obligations import Induction
from ._proof_values import Counterexample, FloatFailure
from ._rounding import AsItRuns
from ._system import System


@dataclass(frozen=True)
class Proof:
    network: Network
    title: str
    outcome: str
    """proved, refuted or not shown."""
    statement: str
    """The theorem, or what is the matter, in one sentence."""
    claims: tuple[Claim, ...]
    """All that was shown, the strongest first; without a theorem, what falls short of one."""
    counterexample: Counterexample | None
    checked: int
    """All prefixes up to this many symbols were run and none was wrong."""
    seconds: float
    notes: tuple[str, ...] = ()
    """What else is claimed and what is not; or what was tried."""
    induction: Induction | None = field(default=None, repr=False)
    """The relation behind the claims."""
    system: System | None = field(default=None, repr=False)
    as_it_runs: AsItRuns | None = None
    """What is shown of the network in float64, sums cut to ±10^6."""
    float_failure: FloatFailure | None = None
    """A string on which the network is wrong as it runs, if runs have met one."""

    @property
    def proved(self) -> bool:
        return self.outcome == "proved"

    @property
    def margin(self) -> float | None:
        """Of the strongest claim; 0 where it is exact."""
        return float(self.claims[0].margin) if self.proved else None

    def to_markdown(self) -> str:
        """Theorem, table and notes."""
        return document(self, "markdown")

    def to_latex(self) -> str:
        return document(self, "latex")

    def certificate(self) -> str:
        """The proof as SMT-LIB 2, for `mdlrnn check` or any solver."""
        return certificate(self)

    def to_dict(self) -> dict[str, Any]:
        found = self.counterexample
        return {
            "proved": self.proved,
            "outcome": self.outcome,
            "statement": self.statement,
            "margin": self.margin,
            "claims": [{"kind": c.kind, "margin": float(c.margin)} for c in self.claims],
            "counterexample": None if found is None else found.to_dict(),
            "checked_length": self.checked,
            "as_it_runs": None if self.as_it_runs is None else self.as_it_runs.to_dict(),
            "float_failure": (None if self.float_failure is None else self.float_failure.to_dict()),
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The head and the rows of the proof's table; empty where nothing is proved."""
        return cells(self) if self.proved else ([], [])

    def __repr__(self) -> str:
        return f"Proof({self.outcome}: {self.statement})"
