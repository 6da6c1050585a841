"""What a page shows, as values; where they come from is in `_sources`, how it looks in `_html`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._encoding import Encoding
from .._network import Network

if TYPE_CHECKING:
    from .._score import Score
    from ..plots import Accuracy, Front, History


@dataclass(frozen=True)
class Theorem:
    """What is proved of the network, with the table of its phases."""

    statement: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""


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
    measures: Mapping[str, Any] | None = None
    """As `Report.to_dict` has them, with the title of the task."""
    accuracy: Accuracy | None = None
    search: Search | None = None
    theorem: Theorem | None = None
    refresh: int | None = None
    """Seconds after which the page loads itself anew, while a run goes on."""
