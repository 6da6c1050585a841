"""What `prove` gives back: a theorem, a counterexample, or what was tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..network._network import Network
from ._certificate import certificate
from ._claims import Claim
from ._document import cells, document
from ._obligations import Induction
from ._system import System


@dataclass(frozen=True)
class Counterexample:
    string: str
    """A string of the language, or two numbers."""
    step: int
    """Symbols read before the mistake, not counting the boundary."""
    expected: dict[str, Fraction]
    given: dict[str, Fraction]
    shortest: bool
    """Whether no shorter prefix is wrong; else it is the shortest found."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "string": self.string,
            "step": self.step,
            "expected": {s: float(p) for s, p in self.expected.items()},
            "given": {s: float(p) for s, p in self.given.items()},
            "shortest": self.shortest,
        }


@dataclass(frozen=True)
class Proof:
    network: Network
    title: str
    outcome: str
    """proved, refuted or not shown."""
    statement: str
    """The theorem, or what is the matter, in one sentence."""
    claims: tuple[Claim, ...]
    """All that was shown, the strongest first."""
    counterexample: Counterexample | None
    checked: int
    """All prefixes up to this many symbols were run and none was wrong."""
    seconds: float
    notes: tuple[str, ...] = ()
    """What else is claimed and what is not; or what was tried."""
    induction: Induction | None = field(default=None, repr=False)
    """The relation behind the claims."""
    system: System | None = field(default=None, repr=False)

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
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The head and the rows of the proof's table; empty where nothing is proved."""
        return cells(self) if self.proved else ([], [])

    def __repr__(self) -> str:
        return f"Proof({self.outcome}: {self.statement})"
