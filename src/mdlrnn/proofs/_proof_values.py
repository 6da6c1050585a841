"""Strings on which something goes wrong, as values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple


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
    as_it_runs: bool = True
    """Whether the network is also wrong there as it runs, in float64 and with sums that are cut."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "string": self.string,
            "step": self.step,
            "expected": {s: float(p) for s, p in self.expected.items()},
            "given": {s: float(p) for s, p in self.given.items()},
            "shortest": self.shortest,
            "as_it_runs": self.as_it_runs,
        }


class FloatFailure(NamedTuple):
    """Where a network fails as it runs, in float64."""

    string: str
    step: int
    given: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"string": self.string, "step": self.step, "given": self.given}
