"""The paper's 84 RNN configurations (section 4.1), their names, and how a person picks some.

A group is all that trains as one batched model: the same cell and the same hidden size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from mdlrnn.errors import InputError
from mdlrnn.languages import Language, language_from

CELLS = ("elman", "gru", "lstm")
HIDDEN = (2, 4, 32, 128)
REGULARISATIONS = (
    ("none", 0.0), ("l1", 1.0), ("l1", 0.1), ("l1", 0.01), ("l2", 1.0), ("l2", 0.1), ("l2", 0.01),
)  # fmt: skip
TITLES = {"elman": "Elman", "gru": "GRU", "lstm": "LSTM"}


@dataclass(frozen=True, order=True)
class Configuration:
    cell: str
    hidden: int
    regularisation: str = "none"
    """'none', 'l1' or 'l2'."""
    strength: float = 0.0
    """The paper's λ."""

    @property
    def group(self) -> str:
        return f"{self.cell}-{self.hidden}"

    @property
    def name(self) -> str:
        plain = f"{self.group}-{self.regularisation}"
        return plain if self.regularisation == "none" else f"{plain}-{self.strength:g}"


@dataclass(frozen=True, order=True)
class Model:
    """One training: a configuration and the seed of its first weights."""

    configuration: Configuration
    seed: int

    @property
    def name(self) -> str:
        return f"{self.configuration.name}-{self.seed}"


def type_title(cell: str, regularisation: str) -> str:
    plain = TITLES[cell]
    return plain if regularisation == "none" else f"{plain} + {regularisation.upper()}"


def configurations() -> tuple[Configuration, ...]:
    """All 84, in the order of cell, size and regularisation."""
    return tuple(
        Configuration(cell, hidden, kind, strength)
        for cell in CELLS
        for hidden in HIDDEN
        for kind, strength in REGULARISATIONS
    )


def selected(selectors: Iterable[str]) -> tuple[Configuration, ...]:
    """Those that a selector names: 'all', or the first parts of a name, as in gru-32 or lstm."""
    chosen: set[str] = set()
    every = configurations()
    for selector in selectors:
        wanted = selector.strip().lower()
        found = {c.name for c in every if wanted == "all" or _begins(c.name, wanted)}
        if not found:
            raise InputError(
                f"{selector!r} names no configuration; write all, or the first parts of a name "
                "such as gru, gru-32, gru-32-none or gru-32-l1-0.1."
            )
        chosen |= found
    return tuple(c for c in every if c.name in chosen)


def models(chosen: Iterable[Configuration], seeds: int) -> tuple[Model, ...]:
    return tuple(Model(c, seed) for c in chosen for seed in range(1, seeds + 1))


def groups(wanted: Iterable[Model]) -> list[tuple[str, tuple[Model, ...]]]:
    """What trains together, small models first."""
    ordered = sorted(wanted, key=lambda m: (m.configuration.hidden, m.configuration.cell))
    return [
        (name, tuple(found)) for name, found in groupby(ordered, lambda m: m.configuration.group)
    ]


def _begins(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(f"{wanted}-")


def with_size(given: object, size: int | None = None) -> tuple[Language, int]:
    """'anbn_100' is the task anbn and the size 100; plain strings are refused."""
    found = language_from(given, size=size)
    found.check_rules()
    return replace(found, name=found.task or found.name, asked=None), found.size
