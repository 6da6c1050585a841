"""How a network came to be: constructed from the strings, or evolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

MOST_STEPS = 2**62


class Origin(NamedTuple):
    """How a network came to be: `str` says it in words."""

    constructed: bool
    """Whether it was constructed from the strings, or has such a network among its ancestors."""
    steps: int
    """Steps of the search until it was found; 0 where evolution had no part in it."""
    expression: str | None = None
    """The expression that it was constructed from, if it was."""

    def __str__(self) -> str:
        if self.expression is not None:
            return f"constructed from {self.expression}, which the strings suggest"
        if self.constructed and not self.steps:
            return "constructed from the strings"
        if not self.constructed and not self.steps:
            return "drawn at random"
        start = "a constructed network" if self.constructed else "random networks"
        return f"evolved from {start} in {self.steps:,} step{'s' if self.steps != 1 else ''}"

    @property
    def kind(self) -> str:
        """The same in two words, for tables."""
        if not self.constructed:
            return "from random"
        return "from constructed" if self.steps else "constructed"

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"constructed": self.constructed, "steps": self.steps}
        return found if self.expression is None else {**found, "expression": self.expression}

    @classmethod
    def from_dict(cls, data: object) -> Self | None:
        """What `to_dict` wrote; None for anything else."""
        if not isinstance(data, Mapping):
            return None
        constructed, steps = data.get("constructed"), data.get("steps")
        if not isinstance(constructed, bool) or isinstance(steps, bool):
            return None
        if not isinstance(steps, int) or not 0 <= steps < MOST_STEPS:
            return None
        text = data.get("expression")
        return cls(constructed, steps, text if isinstance(text, str) else None)
