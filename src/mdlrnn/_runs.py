"""Runs that outlive the process: `record` keeps one in a folder, `resume` goes on from there.

A run that is stopped, killed or cut off by a full disk goes on from its last checkpoint to the same
networks as one that was never disturbed. The files are described in `_run_files`.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np

from . import __version__
from ._archipelago import Archipelago
from ._checkpoint import LIMITS, fingerprint, load, to_bytes
from ._corpus import Corpus
from ._errors import InputError, RunError
from ._evolve import Progress, Run, evolve
from ._files import PathLike, unreadable
from ._island import Problem
from ._kernels._genome import network_of
from ._lock import acquire, holder
from ._network import Network
from ._run_files import (
    BEST,
    CORPUS,
    FRONT,
    LOCK,
    LOG,
    SETTINGS,
    Settings,
    append_event,
    checkpoint_path,
    checkpoints,
    holds_run,
    now,
    read_settings,
    tidy,
    trim_log,
    write,
    write_front,
    write_settings,
)
from ._score import Objective
from ._sealed import seal, unseal
from ._search import Search

KEPT = 2
"""Checkpoints that are kept: should the newest not be readable, there is one before it."""
LEAST_SECONDS = 5.0
"""Between two checkpoints at migrations."""
MOST_SECONDS = 60.0
"""Between two checkpoints at all."""
SHOWN = 5
"""Networks of the front that are looked at when a run goes on until something is found."""
LOG_SECONDS = 10.0
"""Between two progress lines in the log, unless there is news."""

OnProgress = Callable[[Progress], bool | None]


def record(
    folder: PathLike,
    corpus: Corpus,
    search: Search | None = None,
    *,
    objective: Objective | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """`evolve`, with everything kept in the folder, from which `resume` can go on."""
    problem = Problem(corpus, search or Search(), objective or Objective())
    with begin(folder, problem) as recorder:
        return recorder.evolve(executor, threads, on_progress)


def resume(
    folder: PathLike,
    *,
    corpus: Corpus | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
    **limits: float | None,
) -> Run:
    """Go on with the run in the folder, exactly as if it had never stopped.

    `generations`, `target`, `patience` and `seconds` may be given anew, and None lifts the last
    three; each counts from the very start of the run. Nothing else can change: a corpus, where one
    is given, must be the run's own.
    """
    with reopen(folder, corpus, limits) as recorder:
        return recorder.evolve(executor, threads, on_progress)


class Recorder:
    """Writes a run down. `evolve` tells it of progress; at the end it is given the outcome."""

    def __init__(
        self, folder: Path, problem: Problem, start: Archipelago | None, settings: Settings
    ) -> None:
        self.folder = folder
        self.problem = problem
        self.start = start
        self.settings = settings
        self._latest = start
        self._saved = None if start is None else start.generation
        self._best = np.inf
        self._saved_at = self._logged_at = time.monotonic()

    def evolve(
        self,
        executor: Executor | None = None,
        threads: int | None = None,
        on_progress: OnProgress | None = None,
        until: Callable[[list[Network]], str | None] | None = None,
    ) -> Run:
        """`until` is shown the best networks when there are new ones; it may name a reason to
        stop."""
        ended: str | None = None

        def tell(progress: Progress) -> bool | None:
            nonlocal ended
            self(progress)
            told = on_progress(progress) if on_progress is not None else None
            if until is not None and (progress.improved or progress.migrated):
                front = sorted(progress.archipelago.front(), key=lambda entry: entry[0] + entry[1])
                ended = until([self._network(row) for *_, row in front[:SHOWN]])
            return told or ended is not None

        corpus, search, objective = self.problem
        run = evolve(
            corpus, search, objective=objective, executor=executor, threads=threads,
            on_progress=tell, start=self.start,
        )  # fmt: skip
        if ended is not None:
            run = replace(run, reason=ended)
        self.finish(run)
        return run

    def __call__(self, progress: Progress) -> None:
        """To be told of progress, as `evolve` tells it."""
        self._latest = progress.archipelago
        at = time.monotonic()
        if progress.improved or progress.migrated or at - self._logged_at >= LOG_SECONDS:
            self._logged_at = at
            speed = progress.steps_per_second
            news = {"improved": progress.improved, "migrated": progress.migrated}
            self._log("progress", progress.archipelago, **news, steps_per_second=round(speed))
        passed = at - self._saved_at
        if passed >= (LEAST_SECONDS if progress.migrated else MOST_SECONDS):
            self._save(progress.archipelago)

    def finish(self, run: Run) -> None:
        self._save(run.archipelago)
        speed = round(run.statistics.steps_per_second)
        self._log("end", run.archipelago, reason=run.reason, steps_per_second=speed)

    def abandon(self, reason: str) -> None:
        """Save the run as it was last seen; the process is about to leave it."""
        if self._latest is not None:
            self._save(self._latest)
            self._log("end", self._latest, reason=reason)

    def _save(self, archipelago: Archipelago) -> None:
        """A checkpoint first; what people read follows it, so it is never ahead of it."""
        if self._saved != archipelago.generation:
            path = checkpoint_path(self.folder, archipelago.generation)
            write(path, to_bytes(archipelago, self.problem))
            self._saved = archipelago.generation
            for old in checkpoints(self.folder)[KEPT:]:
                with suppress(OSError):
                    old.unlink()
        self.show(archipelago)
        self._saved_at = time.monotonic()

    def show(self, archipelago: Archipelago) -> None:
        """Write the front and, if it is better than what is there, the best network."""
        write_front(
            self.folder,
            (
                {"g": g, "d_given_g": bits, "network": self._network(row).to_dict()}
                for g, bits, row in archipelago.front()
            ),
        )
        value, _, _, row = archipelago.best_row()
        if value < self._best or not (self.folder / BEST).exists():
            write(self.folder / BEST, self._network(row).to_json() + "\n")
            self._best = value

    def _network(self, row: Any) -> Any:
        corpus = self.problem.corpus
        return network_of(row, corpus.inputs, corpus.outputs, corpus.alphabet)

    def _log(self, event: str, archipelago: Archipelago, **more: Any) -> None:
        value, g, d_given_g, _ = archipelago.best_row()
        append_event(
            self.folder,
            {
                "event": event,
                "time": now(),
                "generation": archipelago.generation,
                "steps": archipelago.steps,
                "seconds": round(archipelago.seconds, 3),
                "value": value,
                "g": g,
                "d_given_g": d_given_g,
                "mdl": g + d_given_g,
                **more,
            },
        )


@contextmanager
def begin(
    folder: PathLike, problem: Problem, about: Mapping[str, Any] | None = None
) -> Iterator[Recorder]:
    """A recorder for a new run; `about` says more of the corpus: its name, path and words."""
    home = Path(folder)
    _refuse_if_taken(home)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{home}: cannot be made ({reason}); choose another folder.") from None
    with _locked(home):
        _refuse_if_taken(home)
        settings = Settings(
            problem.search,
            problem.objective,
            {**(about or {}), "digest": problem.corpus.digest},
            fingerprint(problem),
            _versions(),
            now(),
        )
        tidy(home)
        write(home / CORPUS, seal(problem.corpus.to_arrays()))
        # From here on the folder holds a run.
        write_settings(home, settings)
        append_event(
            home,
            {"event": "start", "time": now(), "generation": 0, "steps": 0, "seconds": 0.0},
        )
        with _abandoned_well(Recorder(home, problem, None, settings)) as recorder:
            yield recorder


@contextmanager
def reopen(
    folder: PathLike, corpus: Corpus | None = None, limits: Mapping[str, Any] | None = None
) -> Iterator[Recorder]:
    """A recorder that goes on with the run in the folder; `limits` are given anew."""
    home = Path(folder)
    if not holds_run(home):
        what = "holds no run" if home.is_dir() else "there is no such folder"
        raise InputError(f"{home}: {what}; give the folder that a run was saved in.")
    with _locked(home):
        settings = read_settings(home)
        problem = _problem(home, settings, corpus)
        start = _newest(home, problem)
        problem, settings = _limited(problem, settings, limits or {})
        tidy(home)
        trim_log(home, 0 if start is None else start.generation)
        write_settings(home, settings)
        if not (home / CORPUS).exists():
            write(home / CORPUS, seal(problem.corpus.to_arrays()))
        event = {"event": "resume", "time": now(), "generation": 0, "steps": 0, "seconds": 0.0}
        if start is not None:
            event["generation"], event["steps"] = start.generation, start.steps
            event["seconds"] = round(start.seconds, 3)
        bounds = {name: getattr(problem.search, name) for name in LIMITS}
        append_event(home, {**event, **bounds, "versions": _versions()})
        recorder = Recorder(home, problem, start, settings)
        if start is not None:
            recorder.show(start)
        with _abandoned_well(recorder):
            yield recorder


@contextmanager
def _abandoned_well(recorder: Recorder) -> Iterator[Recorder]:
    """Whatever else goes wrong, what has been found so far is saved."""
    try:
        yield recorder
    except RunError:
        raise
    except BaseException as error:
        with suppress(RunError):
            recorder.abandon("stopped" if isinstance(error, KeyboardInterrupt) else "failed")
        raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    path = folder / LOCK
    try:
        file = acquire(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{path}: cannot be locked ({reason}); choose another folder.") from None
    if file is None:
        who = holder(path) or "another process"
        raise InputError(
            f"{folder}: {who} is working on this run; wait for it to end, or stop it first."
        )
    with file:
        yield


def _refuse_if_taken(folder: Path) -> None:
    """A new run needs a folder without a run, and never writes over files that are not its own."""
    if holds_run(folder):
        raise InputError(
            f"{folder} already holds a run; --resume {folder} to go on, or choose another folder."
        )
    half_made = (folder / LOCK).exists() and not (folder / LOG).exists()
    for name in (LOG, BEST, FRONT, LOCK, CORPUS):
        if (folder / name).exists() and not (half_made and name in (LOCK, CORPUS)):
            raise InputError(
                f"{folder} has a file named {name}, which a run would write over; "
                "choose another folder."
            )


def _problem(folder: Path, settings: Settings, given: Corpus | None) -> Problem:
    """What the run searches for, and proof that it is still the same."""
    path = folder / CORPUS
    digest = settings.corpus["digest"]
    if given is not None and given.digest != digest:
        raise InputError(
            f"the corpus given is not the one that {folder} was started with; leave it out to go "
            "on with that one, or start a new run."
        )
    corpus = given
    if corpus is None:
        if not path.exists():
            raise InputError(f"{path} is missing; give the corpus file together with --resume.")
        try:
            corpus = Corpus.from_arrays(unseal(path.read_bytes()))
        except OSError as error:
            raise unreadable(path, error) from None
        except InputError as error:
            raise InputError(
                f"{path}: {str(error).rstrip('.')}; delete it and give the corpus file together "
                "with --resume."
            ) from None
        if corpus.digest != digest:
            raise InputError(
                f"{path} is not the corpus that {folder / SETTINGS} names; "
                "delete it and give the corpus file together with --resume."
            )
    problem = Problem(corpus, settings.search, settings.objective)
    if fingerprint(problem) != settings.fingerprint:
        raise InputError(
            f"{folder / SETTINGS} has been changed since the run began; put back the file as the "
            "run wrote it, or start a new run with the new settings."
        )
    return problem


def _newest(folder: Path, problem: Problem) -> Archipelago | None:
    """The newest checkpoint; None if the run was cut off before its first one."""
    found = checkpoints(folder)
    if not found:
        if (folder / BEST).exists():
            raise InputError(f"{folder}: its checkpoints are missing; start a new run.")
        return None
    try:
        return load(found[0], problem)
    except InputError as error:
        older = next((path for path in found[1:] if _can_load(path, problem)), None)
        advice = (
            "no other checkpoint of this run can be used, so start a new run"
            if older is None
            else f"delete it to go on from {older.name}"
        )
        raise InputError(f"{error}; {advice}.") from None


def _can_load(path: Path, problem: Problem) -> bool:
    try:
        load(path, problem)
    except InputError:
        return False
    return True


def _limited(
    problem: Problem, settings: Settings, limits: Mapping[str, Any]
) -> tuple[Problem, Settings]:
    for name in limits:
        if name not in LIMITS:
            raise InputError(
                f"{name} cannot change when a run goes on; only {', '.join(LIMITS)} can."
            )
    search = replace(problem.search, **limits)
    return problem._replace(search=search), settings._replace(search=search)


def _versions() -> dict[str, str]:
    return {
        "mdlrnn": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
