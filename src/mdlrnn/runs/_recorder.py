"""Beginning a run in a folder, writing it down, and going on with it.

A run that is stopped, killed or cut off by a full disk goes on from its last checkpoint to the same
networks as one that was never disturbed. The files are described in `_files`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ..corpus import Corpus
from ..errors import ClusterError, InputError, RunError
from ..files import PathLike, make_folder, path_of, reason_of
from ..kernels import Words
from ..network import Network, Score
from ..search import (
    CARD,
    CPU,
    Archipelago,
    OnProgress,
    Problem,
    Progress,
    Run,
    Stop,
    evolve_islands,
    network_of,
    origin_of,
    rescored,
    run_at,
)
from ._checkpoint import load, to_bytes
from ._files import (
    BEST,
    CORPUS,
    HELD_OUT,
    LOCK,
    LOG,
    OWN,
    SETTINGS,
    acquire,
    append_event,
    check_holds_run,
    checkpoint_path,
    checkpoints,
    holder,
    holds_run,
    is_own,
    now,
    seal,
    start_event,
    tidy,
    trim_log,
    write,
    write_best,
    write_expression,
    write_front,
)
from ._networks import read_corpus
from ._settings import (
    Settings,
    check_unchanged,
    new_settings,
    read_settings,
    versions,
    write_settings,
)

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


class Until(Protocol):
    """Goes on beside a search, which ends when it has an answer."""

    @property
    def said(self) -> str:
        """What it is about."""

    def hand_over(self, progress: Progress, best: list[Network]) -> None:
        """At each look; with the best networks when there may be new ones."""

    def answer(self, wait: bool = False) -> Archipelago | None:
        """Where the search has to end, if that is known now, or known after a wait."""


def _shown(progress: Progress) -> list[Words]:
    """The best, those of the front, and the best of the islands: what can be proved need not be
    among the shortest."""
    front = sorted(progress.front(), key=lambda entry: entry[0] + entry[1])
    each = zip(progress.island_values, progress.island_rows, strict=True)
    islands = sorted(each, key=lambda entry: entry[0])
    rows = [progress.row, *(row for *_, row in front[:SHOWN])]
    return [*rows, *(row for _, row in islands)] if progress.migrated else rows


class Recorder:
    """A run as it is worked on. Without a folder nothing is written."""

    def __init__(
        self,
        folder: Path | None,
        problem: Problem,
        start: Archipelago | None,
        settings: Settings,
    ) -> None:
        self.folder = folder
        self.problem = problem
        self.start = start
        self.settings = settings
        self._latest: Archipelago | Progress | None = start
        self._saved = None if start is None else start.generation
        self._best: Network | None = None
        self._saved_at = self._logged_at = time.monotonic()
        self._is_waiting = False

    def evolve(
        self,
        workers: Any = None,
        on_progress: OnProgress | None = None,
        until: Until | None = None,
    ) -> Run:
        """By the workers given, or on the cards given where the run is on a card."""
        ended: Archipelago | None = None
        is_first = True

        def tell(progress: Progress) -> bool | None:
            nonlocal ended, is_first
            self._record(progress)
            if until is not None:
                progress = progress._replace(proving=until.said)
            stop_requested = on_progress(progress) if on_progress is not None else None
            if until is not None and not stop_requested:
                rows = []
                if progress.improved or progress.migrated or is_first:
                    is_first = False
                    rows = _shown(progress)
                until.hand_over(progress, [network_of(self.problem, row) for row in rows])
                ended = until.answer()
            return stop_requested or ended is not None

        common: dict[str, Any] = {
            "on_progress": tell, "start": self.start, "fronts": until is not None,
        }  # fmt: skip
        if self.settings.device == CARD:
            # Imported here: without a card nothing of CUDA is needed.
            from ..search import evolve_on_card

            run = evolve_on_card(self.problem, self.settings.stop, cards=workers, **common)
        else:
            run = evolve_islands(self.problem, self.settings.stop, workers, **common)
        if until is not None and ended is None and run.reason not in ("time", "stopped"):
            ended = until.answer(wait=True)
        if ended is not None:
            run = run_at(self.problem, run, ended, "proved")
            self._forget_after(ended.generation)
        self._finish(run)
        return replace(run, out=self.folder, corpus=self.problem.corpus)

    def keep_expression(
        self, expression: Mapping[str, Any], run: Run, network: Network | None = None
    ) -> None:
        """Write down the expression that is the answer; if it has a network, that as the best, with
        an end of the run that tells of it."""
        if self.folder is None:
            return
        write_expression(self.folder, expression)
        if network is not None:
            write_best(self.folder, network, run.score, self.problem.encoding.scheme)
            self._best = network
            cost = {"g": run.score.g, "d_given_g": run.score.d_given_g, "mdl": run.score.mdl}
            origin = None if run.origin is None else run.origin.to_dict()
            self._log("end", run.archipelago, **cost, origin=origin, reason=run.reason,
                      steps_per_second=round(run.statistics.steps_per_second))  # fmt: skip

    def abandon(self, reason: str) -> None:
        """Save the run as it was last seen; the process is about to leave it."""
        if self._latest is not None:
            archipelago = (
                self._latest.archipelago if isinstance(self._latest, Progress) else self._latest
            )
            self._save(archipelago)
            self._log("end", archipelago, reason=reason)

    def give_up(self) -> str:
        """Save what is at hand since the run's machines are gone; what to do about it."""
        with suppress(RunError):
            self.abandon("failed")
        if self.folder is None:
            return "start the run again, with a folder to keep it in"
        return (
            "the run has stopped, and once that is put right mdlrnn evolve --resume "
            f"{self.folder} goes on from generation {self._saved or 0:,}"
        )

    def show(self, archipelago: Archipelago) -> None:
        """Write the front and, if it is not the one that is there, the best network."""
        if self.folder is None:
            return
        write_front(
            self.folder,
            (
                {"g": g, "d_given_g": bits, "network": network_of(self.problem, row).to_dict()}
                for g, bits, row in archipelago.front()
            ),
        )
        _, g, d_given_g, row = archipelago.best_row()
        best = network_of(self.problem, row)
        if best != self._best:
            write_best(self.folder, best, Score(g, d_given_g), self.problem.encoding.scheme)
            self._best = best

    def _record(self, progress: Progress) -> None:
        """Write down where the run stands. Checkpoints wait for a look with all islands at hand."""
        at = time.monotonic()
        is_news = progress.improved or progress.migrated or progress.is_waiting != self._is_waiting
        if is_news or at - self._logged_at >= LOG_SECONDS:
            self._logged_at, self._is_waiting = at, progress.is_waiting
            self._log(
                "progress",
                progress,
                improved=progress.improved,
                migrated=progress.migrated,
                steps_per_second=round(progress.steps_per_second),
                workers=progress.workers,
                busy=round(progress.busy, 3),
            )
        if not progress.at_hand:
            return
        self._latest = progress
        passed = at - self._saved_at
        if passed >= (LEAST_SECONDS if progress.migrated else MOST_SECONDS):
            self._save(progress.archipelago)

    def _forget_after(self, generation: int) -> None:
        """What the search went on to while its result was proved is no part of the run."""
        if self.folder is None:
            return
        for path in checkpoints(self.folder):
            if path > checkpoint_path(self.folder, generation):
                path.unlink()
        trim_log(self.folder, generation, self.settings.created)
        self._saved = None

    def _finish(self, run: Run) -> None:
        self._save(run.archipelago)
        speed = round(run.statistics.steps_per_second)
        self._log("end", run.archipelago, reason=run.reason, steps_per_second=speed)

    def _save(self, archipelago: Archipelago) -> None:
        """A checkpoint first; what people read follows it, so it is never ahead of it."""
        if self.folder is None:
            return
        if self._saved != archipelago.generation:
            path = checkpoint_path(self.folder, archipelago.generation)
            write(path, to_bytes(archipelago, self.settings.fingerprint))
            self._saved = archipelago.generation
            for old in checkpoints(self.folder)[KEPT:]:
                with suppress(OSError):
                    old.unlink()
        self.show(archipelago)
        self._saved_at = time.monotonic()

    def _log(self, event: str, at: Archipelago | Progress, **more: Any) -> None:
        if self.folder is None:
            return
        if isinstance(at, Progress):
            value, g, d_given_g, origin = at.value, at.g, at.d_given_g, at.origin
        else:
            value, g, d_given_g, row = at.best_row()
            origin = origin_of(row, at.found_after, at.steps)
        append_event(
            self.folder,
            {
                "event": event,
                "time": now(),
                "generation": at.generation,
                "steps": at.steps,
                "seconds": round(at.seconds, 3),
                "value": value,
                "g": g,
                "d_given_g": d_given_g,
                "mdl": g + d_given_g,
                "origin": None if origin is None else origin.to_dict(),
                **more,
            },
        )


@contextmanager
def begin(
    folder: PathLike | None,
    problem: Problem,
    stop: Stop,
    about: Mapping[str, Any] | None = None,
    held_out: Corpus | None = None,
    device: str = CPU,
) -> Iterator[Recorder]:
    """A recorder for a new run; `about` says more of the corpus: its name, path and words.

    Strings that are held out are written before the folder holds a run: a run that is killed and
    goes on could not tell them any more.
    """
    settings = new_settings(problem, stop, about or {}, device)
    if folder is None:
        yield Recorder(None, problem, None, settings)
        return
    home = path_of(folder)
    _refuse_if_taken(home)
    make_folder(home)
    with _locked(home):
        _refuse_if_taken(home)
        tidy(home)
        write(home / CORPUS, seal(problem.corpus.to_arrays()))
        if held_out is not None:
            write(home / HELD_OUT, held_out.to_text())
        # From here on the folder holds a run.
        write_settings(home, settings)
        append_event(home, start_event(settings.created))
        with _abandoned_well(Recorder(home, problem, None, settings)) as recorder:
            yield recorder


@contextmanager
def reopen(
    folder: PathLike,
    corpus: Corpus | None = None,
    stop: Stop | None = None,
    device: str | None = None,
) -> Iterator[Recorder]:
    """A recorder that goes on with the run in the folder, with other limits or on another device
    if some are given."""
    home = Path(folder)
    check_holds_run(home)
    with _locked(home):
        settings = read_settings(home)
        problem = _problem(home, settings, corpus)
        start = _newest(home, problem, settings.fingerprint)
        if start is not None and settings.device == CARD:
            start = replace(start, rescore=partial(rescored, problem))
        if stop is not None:
            settings = settings.with_stop(stop)
        if device is not None and device != settings.device:
            settings = settings.with_device(device)
        tidy(home)
        trim_log(home, None if start is None else start.generation, settings.created)
        write_settings(home, settings)
        if not (home / CORPUS).exists():
            write(home / CORPUS, seal(problem.corpus.to_arrays()))
        event: dict[str, Any] = {
            "event": "resume", "time": now(), "generation": 0, "steps": 0, "seconds": 0.0,
        }  # fmt: skip
        if start is not None:
            event["generation"], event["steps"] = start.generation, start.steps
            event["seconds"] = round(start.seconds, 3)
        append_event(home, {**event, "stop": settings.stop.to_dict(), "versions": versions()})
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
    except ClusterError as error:
        raise ClusterError(error.what, recorder.give_up()) from None
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
        file = acquire(path, with_folder=True)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be locked ({reason_of(error)}); choose another folder."
        ) from None
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
    half_made = is_own(folder / LOCK) and not (folder / LOG).exists()
    for name in (*OWN, LOCK):
        if (folder / name).exists() and not (half_made and name in (LOCK, CORPUS, HELD_OUT)):
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
    corpus = read_corpus(path) if given is None else given
    if corpus.digest != digest:
        raise InputError(
            f"{path} is not the corpus that {folder / SETTINGS} names; "
            "delete it and give the corpus file together with --resume."
        )
    check_unchanged(folder, settings)
    return Problem(corpus, settings.search, settings.encoding, settings.objective, settings.seed)


def _newest(folder: Path, problem: Problem, fingerprint: str) -> Archipelago | None:
    """The newest checkpoint; None if the run was cut off before its first one."""
    found = checkpoints(folder)
    if not found:
        if (folder / BEST).exists():
            raise InputError(f"{folder}: its checkpoints are missing; start a new run.")
        return None
    try:
        return load(found[0], problem, fingerprint)
    except InputError as error:
        older = next((path for path in found[1:] if _can_load(path, problem, fingerprint)), None)
        advice = (
            "no other checkpoint of this run can be used, so start a new run"
            if older is None
            else f"delete it to go on from {older.name}"
        )
        raise InputError(f"{error}; {advice}.") from None


def _can_load(path: Path, problem: Problem, fingerprint: str) -> bool:
    try:
        load(path, problem, fingerprint)
    except InputError:
        return False
    return True
