"""Searches of a comparison: each in a run folder of its own, made, gone on with or taken as done.

Beside the runs stands what was measured of the network that each found, so that a table is printed
again without measuring again. The figures of a run whose best network has changed are made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import InputError
from .._files import read_text, save_text
from .._network import Network
from .._score import Objective, score
from .._search import Search
from .._tasks import SEED, Task
from ._circumstances import machine, today, versions

if TYPE_CHECKING:
    from .._evolve import Progress
    from .._runs import Recorder

LIMITS = ("generations", "patience", "seconds", "target")
"""What may differ from call to call: a run goes on when it is given more."""

OnProgress = Callable[["Progress"], bool | None]
OnStart = Callable[["Recorder"], None]


class RunStopped(Exception):  # noqa: N818, nothing went wrong
    """The user asked to stop; the run is saved."""


@dataclass(frozen=True)
class Wanted:
    """One search of a comparison."""

    name: str
    """Of its folder."""
    task: Task
    size: int
    search: Search
    objective: str = "mdl"


@dataclass(frozen=True)
class Runner:
    """Where runs are kept, and who is told how they go."""

    folder: Path
    threads: int | None = None
    on_start: OnStart | None = None
    on_progress: OnProgress | None = None


def evolved(wanted: Wanted, runner: Runner) -> dict[str, Any]:
    """The figures of a search, which is made or gone on with where that is needed."""
    home = runner.folder / "runs" / wanted.name
    if not _is_done(home, wanted):
        _work(home, wanted, runner)
    return _figures(home, wanted, runner.folder / "figures" / f"{wanted.name}.json")


def network_of(folder: Path, name: str) -> Network:
    from .._run_files import BEST

    return Network.load(folder / "runs" / name / BEST)


def _is_done(home: Path, wanted: Wanted) -> bool:
    from .._run_files import holds_run, read_settings
    from .._run_status import status_of

    if not holds_run(home):
        return False
    kept = read_settings(home)
    same = replace(kept.search, **{name: getattr(wanted.search, name) for name in LIMITS})
    if same != wanted.search or kept.objective != Objective.named(wanted.objective):
        differ = [f.name for f in fields(same) if getattr(same, f.name) != _asked(wanted, f.name)]
        raise InputError(
            f"{home} was searched with other settings ({', '.join(differ) or 'objective'}); "
            "give the settings it had, or another folder."
        )
    standing = status_of(home)
    if standing.status == "broken":
        raise InputError(f"{home} is broken ({standing.reason}); delete it to search anew.")
    if standing.status != "finished":
        return False
    limit = {"time": "seconds"}.get(standing.reason, standing.reason)
    had, asked = getattr(kept.search, limit), getattr(wanted.search, limit)
    if limit == "target":
        return asked is not None and had is not None and asked >= had
    return asked is not None and had is not None and asked <= had


def _asked(wanted: Wanted, name: str) -> Any:
    return getattr(wanted.search, name)


def _work(home: Path, wanted: Wanted, runner: Runner) -> None:
    from .._island import Problem
    from .._run_files import holds_run
    from .._runs import begin, reopen

    corpus = wanted.task.training(wanted.size, SEED)
    if holds_run(home):
        limits = {name: getattr(wanted.search, name) for name in LIMITS}
        opened = reopen(home, corpus, limits)
    else:
        problem = Problem(corpus, wanted.search, Objective.named(wanted.objective))
        about = {"name": wanted.name, "task": f"{wanted.task.name}_{wanted.size}"}
        opened = begin(home, problem, about)
    with opened as recorder:
        if runner.on_start is not None:
            runner.on_start(recorder)
        run = recorder.evolve(threads=runner.threads, on_progress=runner.on_progress)
    if run.reason == "stopped":
        raise RunStopped


def _figures(home: Path, wanted: Wanted, path: Path) -> dict[str, Any]:
    """From the file, if it is of the network that the run has now."""
    from .._run_files import BEST
    from .._run_status import status_of

    text = read_text(home / BEST, "network")
    digest = hashlib.sha256(text.encode()).hexdigest()
    standing = status_of(home)
    if path.exists():
        kept = read_figures(path)
        if kept.get("network") == digest and kept.get("steps") == standing.steps:
            return kept
    network = Network.load(home / BEST)
    found: dict[str, Any] = {
        "name": wanted.name,
        "network": digest,
        "task": wanted.task.name,
        "size": wanted.size,
        "objective": wanted.objective,
        "seed": wanted.search.seed,
        "encoding": wanted.search.encoding,
        **_cost(network, wanted),
        **_measures(network, wanted),
        "hidden": network.hidden,
        "connections": len(network.connections)
        + sum(unit.bias is not None for unit in network.units),
        "steps": standing.steps,
        "seconds": standing.seconds,
        "ended": standing.reason,
        "machine": machine(),
        "versions": versions(),
        "date": today(),
    }
    write_figures(path, found)
    return found


def _cost(network: Network, wanted: Wanted) -> dict[str, Any]:
    found = score(network, wanted.task.training(wanted.size, SEED), wanted.search.code())
    return {"mdl": found.mdl, "g": found.g, "d_given_g": found.d_given_g}


def _measures(network: Network, wanted: Wanted) -> dict[str, Any]:
    from .._measure import measure

    report = measure(network, wanted.task, wanted.size, SEED)
    return {**report.to_dict(), "test_d_given_g": report.test.bits}


def read_figures(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(read_text(path, "figures"))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        data = None
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no figures; delete it to measure anew.")
    return data


def write_figures(path: Path, data: dict[str, Any]) -> None:
    """Infinity stays infinity: JSON as Python writes and reads it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{path}: cannot be made ({reason}); choose another folder.") from None
    save_text(path, json.dumps(data, indent=1) + "\n")
