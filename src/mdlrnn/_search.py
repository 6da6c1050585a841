"""How to search: the settings of the genetic algorithm and the island model, as one small value."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from ._encoding import Encoding
from ._errors import InputError
from ._network import MOST_UNITS

DEFAULT_ACTIVATIONS = Encoding.activations
UNLIMITED = 10**9
"""So many generations are as good as no limit."""
CHANCES = ("further_mutations", "fresh_weights", "compound_mutations", "grafts", "stacks")


@dataclass(frozen=True)
class Search:
    """Settings of a search. The same settings, corpus and objective give the same networks.

    The two exceptions are `seconds` and `migration_seconds`, which depend on the machine's speed
    and are off by default.
    """

    islands: int = 16
    population: int = 100
    """Networks on each island."""
    generations: int = 25_000
    tournament: int = 2
    further_mutations: float = 0.4
    """The chance that an offspring is mutated once more, and once more, and so on; 0 in the paper.
    Most traps take two or three changes at once to get out of."""
    fresh_weights: float = 0.3
    """The chance that a weight to be changed is drawn anew instead; 0 in the paper."""
    compound_mutations: float = 0.5
    """The chance that a mutation changes a whole unit at once; 0 in the paper."""
    grafts: float = 0.25
    """The chance that an offspring takes an output from a second network; 0 in the paper."""
    stacks: float = 0.02
    """The chance that an offspring gets a stack, where product units, floor and mod2 or mod3 are
    allowed, of which it is made; 0 in the paper, which proposes it."""
    anywhere: bool = False
    """Connections may come from outputs and go to inputs, too. Scores get lower, and with few
    strings the lowest are rarely those of networks that are right for all strings."""
    distinct: bool = True
    """Drop an offspring that scores exactly as a network of its island does: it keeps an island
    from filling up with copies of one network. The paper's algorithm is without it."""
    elitist: bool = True
    """An offspring takes the loser's place only if it is not worse. The paper's always does."""
    crowding: bool = True
    """On half of the islands every network is a parent as often as any other, and an offspring
    takes its parent's place or none: no network drives the others out. The paper's is without."""
    restarts: bool = True
    """Instead of sending networks round, an island that found nothing better since the last
    migration hands its best to the first island and starts anew. The paper's is without it."""
    migration_size: int = 2
    """How many networks an island sends on at each migration."""
    migration_interval: int = 300
    """Generations between two migrations."""
    migration_seconds: float | None = None
    """Migrate also when so much time has passed (earliest first); makes a run unrepeatable."""
    seed: int = 1
    encoding: str = "paper"
    activations: tuple[str, ...] = DEFAULT_ACTIVATIONS
    products: bool = False
    max_units: int = 256
    max_connections: int = 1024
    target: float | None = None
    """Stop when the objective is at or below this."""
    patience: int | None = None
    """Stop after so many generations without improvement."""
    seconds: float | None = None
    """Stop after so much time; makes the length of a run depend on the machine."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "activations", tuple(self.activations))
        least = {
            "islands": 1, "population": 2, "generations": 0, "tournament": 2,
            "migration_size": 0, "migration_interval": 1, "seed": 0,
            "max_units": 2, "max_connections": 1, "patience": 1,
        }  # fmt: skip
        for name, bound in least.items():
            value = getattr(self, name)
            if value is None and name == "patience":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < bound:
                raise InputError(f"{name} is {value!r}; it must be an integer, {bound} or more.")
        for name in ("migration_seconds", "seconds", "target"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
                raise InputError(f"{name} is {value!r}; it must be a finite number.")
            if value is not None and name != "target" and value <= 0:
                raise InputError(f"{name} is {value!r}; it must be more than 0.")
        for name in CHANCES:
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value <= 0.95:
                raise InputError(f"{name} is {value!r}; it must be a chance from 0 to 0.95.")
        for name in ("anywhere", "crowding", "distinct", "elitist", "products", "restarts"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is {getattr(self, name)!r}; give True or False.")
        if self.tournament > self.population:
            raise InputError(
                f"tournament is {self.tournament}, more than the population of {self.population}; "
                "make it smaller."
            )
        if self.migration_size >= self.population:
            raise InputError(
                f"migration_size is {self.migration_size}, but an island has {self.population} "
                "networks; make it smaller."
            )
        if self.max_units > MOST_UNITS:
            raise InputError(f"max_units is {self.max_units}; it can be at most {MOST_UNITS}.")
        self.code()

    @classmethod
    def paper(cls, **changes: Any) -> Search:
        """The paper's setting (section 4.1): 250 islands of 500 networks, 25,000 generations.

        Its second migration clock, 30 minutes, is left off, so that the run can be repeated.
        """
        plain = cls(
            islands=250,
            population=500,
            migration_interval=1_000,
            further_mutations=0.0,
            fresh_weights=0.0,
            compound_mutations=0.0,
            grafts=0.0,
            stacks=0.0,
            distinct=False,
            elitist=False,
            crowding=False,
            restarts=False,
        )
        return replace(plain, **changes)

    def code(self) -> Encoding:
        """The encoding under which networks are scored."""
        return Encoding(self.encoding, self.activations, self.products)

    def to_dict(self) -> dict[str, Any]:
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        data["activations"] = list(self.activations)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Search:
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise InputError(
                f"the settings have unknown fields ({', '.join(unknown)}); "
                "they may come from a newer version of mdlrnn."
            )
        return cls(**data)
