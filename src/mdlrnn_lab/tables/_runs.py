"""The searches of a comparison, each in a run folder: start, resume or reuse."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mdlrnn import __version__
from mdlrnn.errors import InputError
from mdlrnn.files import json_of, make_folder, named, read_text, save
from mdlrnn.kernels import score
from mdlrnn.languages import SEED, Language
from mdlrnn.measures import measure
from mdlrnn.network import Encoding, Network, Objective
from mdlrnn.runs import (
    Recorder,
    Settings,
    begin,
    holds_run,
    load_network,
    read_settings,
    reopen,
    status_of,
)
from mdlrnn.search import CPU, NewCrew, Problem, Progress, Search, Stop

PACKAGES = {"numpy": "NumPy", "numba": "Numba", "torch": "PyTorch", "z3-solver": "Z3"}


def versions() -> str:
    """'mdlrnn 0.1.0, Python 3.11.7, NumPy 2.3.1', of what is installed."""
    found = [f"mdlrnn {__version__}", f"Python {platform.python_version()}"]
    for package, title in PACKAGES.items():
        try:
            found.append(f"{title} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def machine() -> str:
    """The processor, its cores and the system."""
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} core{'s' if cores > 1 else ''}, {platform.system()}"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine()


MOST_KINDS = 3
"""Lengths of searches that a sentence names."""
OnProgress = Callable[[Progress], bool | None]
OnStart = Callable[[Recorder], None]
OWN = {
    "runs", "figures", "cells", "rnn",
    *(f"{table}.{kind}" for table in ("probe", "table", "regularisers")
      for kind in ("md", "tex", "csv")),
}  # fmt: skip
"""What comparisons write into their folder."""


class RunStopped(Exception):  # noqa: N818, nothing went wrong
    """The user asked to stop; the run is saved."""


@dataclass(frozen=True)
class Wanted:
    """One search of a comparison."""

    name: str
    """Of its folder."""
    task: Language
    size: int
    search: Search
    seed: int
    stop: Stop
    objective: str = "mdl"

    @property
    def encoding(self) -> Encoding:
        return self.search.encoding_for(self.task.encoding())


@dataclass(frozen=True)
class Runner:
    """Where runs are kept, and who is told how they go."""

    folder: Path
    on_start: OnStart | None = None
    on_progress: OnProgress | None = None
    new_crew: NewCrew = nullcontext
    """The workers of one search; by default all cores."""
    device: str = CPU
    """On which new searches run."""
    had_more: list[str] = field(default_factory=list)
    """How long those searches were that an earlier call made longer than is asked for now."""

    def note(self, searches: int) -> str | None:
        """A sentence on these, where there are some."""
        if not self.had_more:
            return None
        kinds = list(dict.fromkeys(self.had_more))
        more = "" if len(kinds) <= MOST_KINDS else " and so on"
        return (
            f"Done before, with more than is asked for: {len(self.had_more)} of {searches} "
            f"searches ({', '.join(kinds[:MOST_KINDS])}{more})."
        )


def evolved(wanted: Wanted, runner: Runner) -> dict[str, Any]:
    """The figures of a search, which is made or gone on with where that is needed."""
    home = runner.folder / "runs" / wanted.name
    if not _is_done(home, wanted):
        _work(home, wanted, runner)
    longer = _longer(home, wanted.stop)
    if longer is not None:
        runner.had_more.append(longer)
    return _figures(home, wanted, runner.folder / "figures" / f"{wanted.name}.json")


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds other things than comparisons made."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{named(folder)} is a file; choose a new folder, or an empty one.")
    if holds_run(folder):
        raise InputError(
            f"{named(folder)} holds a run or a baseline of its own; choose another folder."
        )
    if not _is_ours(folder) and any(path.name not in OWN for path in folder.iterdir()):
        raise InputError(
            f"{named(folder)} is there and holds other things; choose a new folder, or an empty "
            "one."
        )


def _is_ours(folder: Path) -> bool:
    """Whether a comparison, of whatever version, has measured something there."""
    measured = (path.stem for path in (folder / "figures").glob("*.json"))
    golden = (folder / "cells").glob("*-golden.json")
    return any((folder / "runs" / name).is_dir() for name in measured) or any(golden)


def best_network(folder: Path, name: str) -> Network:
    """The best network of the search of that name."""
    return load_network(folder / "runs" / name)


def _is_done(home: Path, wanted: Wanted) -> bool:
    if not holds_run(home):
        return False
    kept = read_settings(home)
    differ = _differences(kept, wanted)
    if differ:
        raise InputError(
            f"{home} was searched with other settings ({', '.join(differ)}); "
            "give the settings it had, or another folder."
        )
    status = status_of(home)
    if status.status == "broken":
        raise InputError(f"{home} is broken ({status.reason}); delete it to search again.")
    if status.status not in ("finished", "stopped"):
        return False
    asked_seconds = wanted.stop.seconds
    if status.generation >= wanted.stop.last_generation:
        return True
    if asked_seconds is not None and status.seconds >= asked_seconds:
        return True
    if status.status == "stopped":
        return False
    if status.reason == "generations":
        return wanted.stop.last_generation <= kept.stop.last_generation
    limit = {"time": "seconds"}.get(status.reason, status.reason)
    had, asked = getattr(kept.stop, limit), getattr(wanted.stop, limit)
    if had is None or asked is None:
        return False
    return bool(asked >= had if limit == "target" else asked <= had)


def _longer(home: Path, asked: Stop) -> str | None:
    """How long a search was, if that is longer than asked for. The time is looked at between
    rounds, so a search always takes a little more than its limit."""
    status, had = status_of(home), read_settings(home).stop.seconds
    if status.generation > asked.last_generation:
        return f"{status.generation:,} generations"
    if asked.seconds is None or status.seconds <= asked.seconds:
        return None
    if had is None or had > asked.seconds:
        return f"{min(status.seconds, had or status.seconds):,.0f} s"
    return None


def _differences(kept: Settings, wanted: Wanted) -> list[str]:
    """Names of the settings in which the kept run differs from `wanted`."""
    theirs, ours = kept.search.to_dict(), wanted.search.to_dict()
    differ = [name for name in ours if theirs[name] != ours[name]]
    if kept.seed != wanted.seed:
        differ.append("seed")
    if kept.encoding != wanted.encoding:
        differ.append("encoding")
    if kept.objective != Objective.named(wanted.objective):
        differ.append("objective")
    return differ


def _work(home: Path, wanted: Wanted, runner: Runner) -> None:
    corpus = wanted.task.training(wanted.size, SEED)
    if holds_run(home):
        opened = reopen(home, corpus, wanted.stop)
    else:
        objective = Objective.named(wanted.objective)
        problem = Problem(corpus, wanted.search, wanted.encoding, objective, wanted.seed)
        about = {"name": wanted.name, "task": f"{wanted.task.name}_{wanted.size}"}
        opened = begin(home, problem, wanted.stop, about, device=runner.device)
    with runner.new_crew() as crew, opened as recorder:
        if runner.on_start is not None:
            runner.on_start(recorder)
        run = recorder.evolve(crew, runner.on_progress)
    if run.reason == "stopped":
        raise RunStopped


def _figures(home: Path, wanted: Wanted, path: Path) -> dict[str, Any]:
    """From the file, if it is of the network that the run has now."""
    network = load_network(home)
    digest = hashlib.sha256(network.to_json().encode()).hexdigest()
    status = status_of(home)
    if path.exists():
        kept = read_figures(path)
        if kept.get("network") == digest and kept.get("steps") == status.steps:
            return kept
    found: dict[str, Any] = {
        "name": wanted.name,
        "network": digest,
        "task": wanted.task.name,
        "size": wanted.size,
        "objective": wanted.objective,
        "seed": wanted.seed,
        "encoding": wanted.encoding.scheme,
        **_cost(network, wanted),
        **_measures(network, wanted),
        "hidden": network.hidden,
        "connections": len(network.connections)
        + sum(unit.bias is not None for unit in network.units),
        "origin": None if status.origin is None else status.origin.to_dict(),
        "steps": status.steps,
        "seconds": status.seconds,
        "ended": status.reason,
        "machine": machine(),
        "versions": versions(),
        "date": today(),
    }
    write_figures(path, found)
    return found


def _cost(network: Network, wanted: Wanted) -> dict[str, Any]:
    found = score(network, wanted.task.training(wanted.size, SEED), wanted.encoding)
    return {"mdl": found.mdl, "g": found.g, "d_given_g": found.d_given_g}


def _measures(network: Network, wanted: Wanted) -> dict[str, Any]:
    report = measure(network, wanted.task, wanted.size, SEED)
    return {**report.to_dict(), "test_d_given_g": report.test.bits}


def read_figures(path: Path) -> dict[str, Any]:
    try:
        data = json_of(read_text(path, "figures"))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        data = None
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no figures; delete it to measure again.")
    return data


def write_figures(path: Path, data: dict[str, Any]) -> None:
    """Infinity stays infinity: JSON as Python writes and reads it."""
    make_folder(path.parent)
    save(path, json.dumps(data, indent=1) + "\n")
