"""Where the content of a page comes from: a network with or without a corpus, or a run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._encoding import Encoding
from .._errors import InputError
from .._network import Network
from .._run_files import BEST, holds_run, read_settings
from .._run_status import Status, status_of
from .._tasks import Task
from ._content import Content, Search, Theorem

if TYPE_CHECKING:
    from .._corpus import Corpus

FOLLOW_SECONDS = 5
PROOF_SECONDS = 20.0


def network_content(
    network: Network,
    title: str,
    encoding: Encoding | None = None,
    *,
    corpus: Corpus | None = None,
    corpus_name: str | None = None,
    task: Task | None = None,
    size: int | None = None,
    theorem: Theorem | None = None,
) -> Content:
    """A network, scored on a corpus, measured on a task and proved for it where these are given."""
    from .._score import score

    encoding = encoding or Encoding.fitting(network)
    if task is not None and corpus is None:
        corpus, corpus_name = task.training(size), f"{task.title}, {size or task.size:,}"
    scored = None if corpus is None else score(network, corpus, encoding)
    measures, accuracy = _measured(network, task, size)
    theorem = theorem or _proved(network, task)
    return Content(
        network, encoding, title, corpus=corpus_name, score=scored, measures=measures,
        accuracy=accuracy, theorem=theorem,
    )  # fmt: skip


def run_content(
    folder: Path, title: str, *, task: Task | None = None, size: int | None = None,
    theorem: Theorem | None = None,
) -> Content:  # fmt: skip
    """The best network of a run so far. It is measured and proved once the run has ended."""
    from ..plots import front, history

    if not holds_run(folder):
        raise InputError(f"{folder}: holds no run; give a run's folder or a network file.")
    status = status_of(folder)
    if status.status == "broken":
        raise InputError(f"{folder}: this run is broken ({status.reason}); choose another.")
    if not (folder / BEST).exists():
        raise InputError(
            f"{folder}: the run has saved no network yet; wait until it has, some seconds at most."
        )
    network = Network.load(folder / BEST)
    settings = read_settings(folder)
    running = status.status == "running"
    measures, accuracy = (None, None) if running else _measured(network, task, size)
    if theorem is None and not running:
        theorem = _proved(network, task)
    search = Search(
        facts(status, settings.search.to_dict()), history(folder), front(folder), running
    )
    return Content(
        network, settings.search.code(), title, corpus=settings.corpus.get("name"),
        score=_score_of(folder, network, settings.search.code()), measures=measures,
        accuracy=accuracy, search=search, theorem=theorem,
        refresh=FOLLOW_SECONDS if running else None,
    )  # fmt: skip


def facts(status: Status, search: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """How the run stands, in pairs."""
    ended = f"{status.status}: {status.reason}" if status.reason else status.status
    return (
        ("status", ended),
        ("corpus", status.corpus or "not named"),
        ("generation", f"{status.generation:,}"),
        ("steps", f"{status.steps:,}"),
        ("time", f"{status.seconds:,.0f} s"),
        ("islands", f"{search['islands']:,} of {search['population']:,}, seed {search['seed']}"),
    )


def _score_of(folder: Path, network: Network, encoding: Encoding) -> Any:
    """Scored anew, since best.json and the log need not be of the same moment."""
    from .._run_files import CORPUS
    from .._score import score
    from .._sealed import unseal

    path = folder / CORPUS
    if not path.exists():
        return None
    from .._corpus import Corpus

    return score(network, Corpus.from_arrays(unseal(path.read_bytes())), encoding)


def _measured(network: Network, task: Task | None, size: int | None) -> tuple[Any, Any]:
    if task is None:
        return None, None
    from .._measure import measure
    from ..plots import accuracy

    report = measure(network, task, size)
    return {**report.to_dict(), "title": task.title}, accuracy(network, task)


def _proved(network: Network, task: Task | None) -> Theorem | None:
    """The theorem about the network and the task's language, where there is one and a solver."""
    from ..languages import Language
    from ..proofs._solver import available

    if task is None or not isinstance(task.language, Language | None) or not available("z3"):
        return None
    from ..proofs._document import cells
    from ..proofs._prove import prove

    proof = prove(network, task.language or task.name, seconds=PROOF_SECONDS)
    if not proof.proved:
        return None
    head, rows = cells(proof)
    return Theorem(
        proof.statement, tuple(head), tuple(tuple(row) for row in rows), " ".join(proof.notes)
    )
