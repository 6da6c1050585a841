"""The content of a page: a network with or without a corpus, or a run's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..corpus import Corpus
from ..errors import InputError
from ..extraction import Learned, Verdict
from ..files import path_of
from ..languages import Language, language_from, language_of_run
from ..measures import Report, enough, measure
from ..network import Encoding, Network, Score, read_json
from ..proofs import Proof
from ..runs import (
    BEST,
    CORPUS,
    Settings,
    Status,
    check_holds_run,
    conclude,
    load_network,
    network_from,
    read_corpus,
    read_settings,
    status_of,
    verdict_of,
)
from ._plots import accuracy, front, history, lines_over_strings

if TYPE_CHECKING:
    from ._plots import Accuracy, Front, History, LinesOverStrings


@dataclass(frozen=True)
class EnoughStrings:
    """How many strings make a right network win."""

    verdict: str
    lines: LinesOverStrings


@dataclass(frozen=True)
class SearchSummary:
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
    search: SearchSummary | None = None
    verdict: Verdict | None = None
    """What was found out about the network; None while its run goes on."""
    enough: EnoughStrings | None = None
    refresh: int | None = None
    """Seconds after which the page loads itself again, while a run goes on."""
    back: tuple[str, str] | None = None
    """The address of a page that leads here, and the words of the link to it."""

    @property
    def theorem(self) -> Proof | None:
        """The theorem about the network and the task's language."""
        proof = None if self.verdict is None else self.verdict.proof
        return proof if proof is not None and proof.proved else None

    @property
    def learned(self) -> Learned | None:
        return None if self.verdict is None else self.verdict.learned


FOLLOW_SECONDS = 5
ENOUGH_NETWORKS = 10
"""Networks of a front whose lines over the number of strings are looked at."""


def content_of(
    source: object, *, task: object = None, corpus: object = None, title: str | None = None
) -> Content:
    """The content for a network, a run, a network's file or a run's folder."""
    known = None if task is None else language_from(task)
    if known is not None and known.rules is None:
        raise InputError(f"{known.name} is a file and no task; give it with --corpus.")
    folder = getattr(source, "out", None) or source
    if isinstance(folder, str | Path) and path_of(folder).is_dir():
        if corpus is not None:
            raise InputError("a run has its corpus; leave --corpus out.")
        return run_content(Path(folder), title, known)
    network = network_from(source)
    name = Path(source).stem if isinstance(source, str | Path) else "network"
    data = None if corpus is None else language_from(corpus)
    return network_content(network, title or network.name or name, task=known, corpus=data)


def network_content(
    network: Network,
    title: str,
    encoding: Encoding | None = None,
    *,
    corpus: Language | None = None,
    task: Language | None = None,
) -> Content:
    """A network, scored on a corpus, measured on a task and proved for it where these are given."""
    encoding = encoding or Encoding.fitting(network)
    scored_on, name = None, None
    if corpus is not None:
        scored_on, name = corpus.corpus(), corpus.name
    elif task is not None and task.rules is not None:
        scored_on = task.corpus()
        name = f"{task.title}, {task.size:,}"
    content = Content(
        network,
        encoding,
        title,
        corpus=name,
        score=None if scored_on is None else _scored(network, scored_on, encoding),
        example=example_of(scored_on),
    )
    content = replace(content, verdict=conclude(network, task, corpus=scored_on))
    if task is None or task.rules is None:
        return content
    measures, steps = _measured(network, task, task.size)
    return replace(content, measures=measures, accuracy=steps)


def run_content(folder: Path, title: str | None = None, task: Language | None = None) -> Content:
    """The best network of a run so far. It is measured and proved once the run has ended.

    The task is the run's own unless another is given. What was proved when the run ended is not
    proved again.
    """
    check_holds_run(folder)
    status = status_of(folder)
    if status.status == "broken":
        raise InputError(f"{folder}: this run is broken ({status.reason}); choose another.")
    network = load_network(folder)
    settings = read_settings(folder)
    corpus = read_corpus(folder / CORPUS) if (folder / CORPUS).exists() else None
    running = status.status == "running"
    content = Content(
        network,
        settings.encoding,
        title or folder.resolve().name,
        corpus=settings.corpus.get("name"),
        score=_score_of(folder, network, settings, corpus),
        search=SearchSummary(facts(status, settings), history(folder), front(folder), running),
        refresh=FOLLOW_SECONDS if running else None,
        example=example_of(corpus),
    )
    known = task or language_of_run(settings.corpus)
    if running:
        return content
    content = replace(content, verdict=verdict_of(folder, known))
    if known is None or known.rules is None:
        return content
    measures, steps = _measured(network, known, known.size)
    return replace(content, measures=measures, accuracy=steps, enough=_enough(folder, known))


def _enough(folder: Path, known: Language) -> EnoughStrings | None:
    try:
        found = enough(folder, known, most=ENOUGH_NETWORKS)
    except InputError:  # a front without a finite score
        return None
    return EnoughStrings(found.verdict(), lines_over_strings(found))


def example_of(corpus: Corpus | None) -> str | None:
    """A string to begin with: a middling one of the shortest of the corpus."""
    if corpus is None or corpus.alphabet is None:
        return None
    some = [string for _, (string, _) in zip(range(5), corpus.strings(), strict=False)]
    blank = " " if any(len(symbol) > 1 for symbol in corpus.alphabet) else ""
    return blank.join(some[min(2, len(some) - 1)])


def facts(status: Status, settings: Settings) -> tuple[tuple[str, str], ...]:
    """How the run stands, in pairs."""
    search = settings.search
    ended = f"{status.status}: {status.reason}" if status.reason else status.status
    origin = () if status.origin is None else (("origin", str(status.origin)),)
    return (
        ("status", ended),
        *origin,
        ("corpus", status.corpus or "not named"),
        ("generation", f"{status.generation:,}"),
        ("steps", f"{status.steps:,}"),
        ("time", f"{status.seconds:,.0f} s"),
        ("islands", f"{search.islands:,} of {search.population:,}, seed {settings.seed}"),
    )


def _score_of(
    folder: Path, network: Network, settings: Settings, corpus: Corpus | None
) -> Score | None:
    """As the run wrote it beside the network; runs of the first format did not."""
    data = read_json(folder / BEST)
    kept = data.get("score") if isinstance(data, Mapping) else None
    if isinstance(kept, Mapping) and isinstance(kept.get("g"), int):
        bits = kept.get("d_given_g")
        return Score(kept["g"], float(bits) if isinstance(bits, int | float) else float("inf"))
    return None if corpus is None else _scored(network, corpus, settings.encoding)


def _scored(network: Network, corpus: Corpus, encoding: Encoding) -> Score:
    from ..kernels import score  # heavy: Numba

    return score(network, corpus, encoding)


def _measured(network: Network, task: Language, size: int | None) -> tuple[Report, Any]:
    return measure(network, task, size), accuracy(network, task)
