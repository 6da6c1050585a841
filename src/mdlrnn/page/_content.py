"""What a page shows, as values; where they come from is in `_sources`, how it looks in `_html`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..network._encoding import Encoding
from ..network._network import Network

if TYPE_CHECKING:
    from ..languages import Language
    from ..network._objective import Score
    from ..plots import Accuracy, Front, History, LinesOverStrings
    from ..tasks._report import Report


@dataclass(frozen=True)
class Theorem:
    """What is proved of the network, with the table of its phases."""

    statement: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    only_exact: bool = False
    """Whether it holds in exact numbers alone: as it runs, the network makes a mistake."""


@dataclass(frozen=True)
class LearnedMachine:
    """What the network has learned; without a machine, why none was found."""

    statement: str
    proved: bool
    machine: Language | None = None
    name: str | None = None


@dataclass(frozen=True)
class EnoughStrings:
    """How many strings make a right network win."""

    verdict: str
    lines: LinesOverStrings


@dataclass(frozen=True)
class Search:
    """How the search stands that found the network."""

    facts: tuple[tuple[str, str], ...]
    history: History
    front: Front
    running: bool = False


@dataclass(frozen=True)
class Content:
    network: Network
    encoding: Encoding
    title: str
    example: str | None = None
    """The string to begin with; by default one is made up."""
    corpus: str | None = None
    """What the score is taken on."""
    score: Score | None = None
    measures: Report | None = None
    """What `test` finds out."""
    accuracy: Accuracy | None = None
    search: Search | None = None
    theorem: Theorem | None = None
    learned: LearnedMachine | None = None
    enough: EnoughStrings | None = None
    refresh: int | None = None
    """Seconds after which the page loads itself again, while a run goes on."""
    back: tuple[str, str] | None = None
    """The address of a page that leads here, and the words of the link to it."""
