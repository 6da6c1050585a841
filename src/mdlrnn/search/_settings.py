"""How to search and when to stop: the settings of the genetic algorithm and the island model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from ..checks import check_integer, is_number, short
from ..errors import InputError
from ..limits import SEARCHED_NETWORKS, check_size
from ..network import MOST_UNITS, Encoding
from ..old import knows_old_fields

CPU: str = "cpu"
CARD: str = "cuda"
DEVICES = (CPU, CARD)
GENERATIONS = 25_000
"""Of a search that is given no limit, as in the paper."""
UNLIMITED = 10**9
"""So many generations are as good as no limit."""
RATES = (
    "further_mutation_rate", "redraw_weight_rate", "compound_mutation_rate", "crossover_rate",
    "stack_rate",
)  # fmt: skip
LARGEST_RATE = 0.95
AS_BEFORE: dict[str, Any] = {"saturation": True, "founders": None, "expressions": False}
"""For each field that `Search` has got since format mdlrnn-run/1: the value that searches as before
the field was there. It stands in for the field in the settings of older runs."""


@knows_old_fields
@dataclass(frozen=True)
class Search:
    """How to search. The same settings, seed, corpus and objective give the same networks.

    The one exception is `migration_seconds`, which depends on the machine's speed and is off by
    default.
    """

    islands: int = 16
    """Populations that evolve side by side."""
    population: int = 100
    """Networks on each island."""
    tournament: int = 2
    """Networks that compete at each step."""
    further_mutation_rate: float = 0.4
    """The chance that an offspring is mutated once more, and once more, and so on; 0 in the paper.
    Most traps take two or three changes at once to get out of."""
    redraw_weight_rate: float = 0.3
    """The chance that a weight to be changed is redrawn instead; 0 in the paper."""
    compound_mutation_rate: float = 0.5
    """The chance that a mutation changes a whole unit at once; 0 in the paper."""
    crossover_rate: float = 0.25
    """The chance that an offspring takes an output from a second network; 0 in the paper."""
    stack_rate: float = 0.02
    """The chance that an offspring gets a stack, where product units, floor and mod2 or mod3 are
    allowed, of which it is made; 0 in the paper, which proposes it."""
    founders: bool | None = None
    """Some islands begin with networks that are constructed from the strings. None: where the
    encoding is 'parts', which is not the case on the paper's tasks."""
    expressions: bool | None = None
    """Beside the islands, expressions such as a^n b^n are searched, and where one takes fewer bits
    than the best network, it is the answer. None: where the encoding is 'parts', which is not the
    case on the paper's tasks."""
    unrestricted: bool = False
    """Connections may come from outputs and go to inputs, too. Scores get lower, and with few
    strings the lowest are rarely those of networks that are right for all strings."""
    saturation: bool = True
    """Sums are cut to ±10^6 before the activation, as the authors' code does. Without it a stack in
    one number can hold more than a dozen symbols."""
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
    migration hands its best to the archive, the first island, and restarts. The paper's is without
    it."""
    migration_size: int = 2
    """How many networks an island sends on at each migration."""
    migration_interval: int = 300
    """Generations between two migrations."""
    migration_seconds: float | None = None
    """Migrate also when so much time has passed (earliest first); makes a run unrepeatable."""
    encoding: Encoding | str | None = None
    """How |G| is counted, and so which networks there are. None takes what fits the source: for
    the paper's tasks the paper's scheme with the units that the paper allows, for all else 'parts'
    with every part. A scheme's name ('tacl2022') takes the paper's units under that scheme."""
    max_units: int = 256
    """The most units of a network."""
    max_connections: int = 1024
    """The most connections of a network."""

    def __post_init__(self) -> None:
        least = {
            "islands": 1, "population": 2, "tournament": 2, "migration_size": 0,
            "migration_interval": 1, "max_units": 2, "max_connections": 1,
        }  # fmt: skip
        for name, bound in least.items():
            check_integer(name, getattr(self, name), bound)
        networks = self.islands * self.population
        check_size(networks, SEARCHED_NETWORKS, "a search with all its islands", "networks")
        _check_seconds("migration_seconds", self.migration_seconds)
        for name in RATES:
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value <= LARGEST_RATE:
                raise InputError(
                    f"{name} is {short(value)}; it must be a chance from 0 to {LARGEST_RATE}."
                )
        for name in ("unrestricted", "saturation", "crowding", "distinct", "elitist", "restarts"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is {short(getattr(self, name))}; give True or False.")
        for name in ("founders", "expressions"):
            if not isinstance(getattr(self, name), bool | None):
                value = short(getattr(self, name))
                raise InputError(f"{name} is {value}; give True, False or None.")
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
        if isinstance(self.encoding, str):
            Encoding(self.encoding)
        elif not isinstance(self.encoding, Encoding | None):
            raise InputError(
                f"encoding is {short(self.encoding)}; give an Encoding or a scheme's name."
            )

    @classmethod
    def paper(cls, **changes: Any) -> Search:
        """The paper's setting (section 4.1): 250 islands of 500 networks.

        Any unit may be connected to any, since the paper bars nothing. Its second migration clock,
        30 minutes, is left off, so that the run can be repeated.
        """
        plain = cls(
            islands=250,
            population=500,
            migration_interval=1_000,
            further_mutation_rate=0.0,
            redraw_weight_rate=0.0,
            compound_mutation_rate=0.0,
            crossover_rate=0.0,
            stack_rate=0.0,
            founders=False,
            expressions=False,
            unrestricted=True,
            distinct=False,
            elitist=False,
            crowding=False,
            restarts=False,
            encoding="paper",
        )
        return plain.but(changes)

    def but(self, changes: Mapping[str, Any]) -> Search:
        """The same search with these fields changed."""
        check_fields(changes, field_names(Search), "Search")
        return replace(self, **changes)

    def encoding_for(self, fitting: Encoding) -> Encoding:
        """The encoding to search under: the search's own, or the one that fits the source."""
        if isinstance(self.encoding, Encoding):
            return self.encoding
        if self.encoding is None or self.encoding == fitting.scheme:
            return fitting
        wanted = Encoding(self.encoding)
        if wanted.says_parts:
            return Encoding.every_part()
        return wanted if fitting.says_parts else replace(fitting, scheme=self.encoding)

    def to_dict(self) -> dict[str, Any]:
        """All but the encoding, which is a value of its own."""
        return {name: getattr(self, name) for name in field_names(Search) if name != "encoding"}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], encoding: Encoding | None = None) -> Self:
        """The search of a run's settings; missing fields get their old values."""
        known = [name for name in field_names(Search) if name != "encoding"]
        unknown = sorted(set(data) - set(known))
        if unknown:
            raise InputError(
                f"the settings have unknown fields ({', '.join(map(short, unknown))}); "
                "they may come from a newer version of mdlrnn."
            )
        missing = {name: AS_BEFORE[name] for name in known if name not in data}
        return cls(**missing, **data, encoding=encoding)


@dataclass(frozen=True)
class Stop:
    """When to stop: as soon as one of these is so. Each counts from the start of the run."""

    generations: int | None = None
    """After so many. None is no limit where `seconds` or `proved` is given, else 25,000, as in the
    paper."""
    target: float | None = None
    """When the objective is at or below this."""
    patience: int | None = None
    """After so many generations without improvement."""
    seconds: float | None = None
    """After so much time, which makes the length of a run depend on the machine."""
    proved: bool = False
    """When a network is proved right for every string. Then there is no limit to the generations
    unless one is given."""

    def __post_init__(self) -> None:
        for name, bound in (("generations", 0), ("patience", 1)):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), bound)
        if self.target is not None and not is_number(self.target):
            raise InputError(f"target is {short(self.target)}; it must be a finite number.")
        _check_seconds("seconds", self.seconds)
        if not isinstance(self.proved, bool):
            raise InputError(f"proved is {short(self.proved)}; give True or False.")

    @property
    def last_generation(self) -> int:
        """The generation at which the run ends at the latest; `UNLIMITED` where there is none."""
        if self.generations is not None:
            return self.generations
        return GENERATIONS if self.seconds is None and not self.proved else UNLIMITED

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The limits of a run's settings; those of earlier versions lack `proved`."""
        return cls(**{name: data[name] for name in LIMITS if name in data or name != "proved"})


LIMITS = tuple(field.name for field in fields(Stop))
"""What may change when a run goes on; everything else may not."""


def field_names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def check_fields(given: Iterable[str], known: tuple[str, ...], what: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(
                f"{what} has no field {short(name)}; its fields are {', '.join(known)}."
            )


def _check_seconds(name: str, value: object) -> None:
    if value is not None and not is_number(value):
        raise InputError(f"{name} is {short(value)}; it must be a finite number.")
    if value is not None and value <= 0:
        raise InputError(f"{name} is {short(value)}; it must be more than 0.")
