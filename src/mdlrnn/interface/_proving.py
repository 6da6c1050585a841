"""Proofs beside a search that goes on until something is proved.

At some generations networks are handed over, with the archipelago as it stands there. A process of
its own looks at them, one after the other, while the search goes on. The first that is proved ends
the run, with the result as it stood at its generation; so one seed gives one result, however busy
the machine is. What is handed over is decided by generations, and what is done with it by work.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..corpus import Corpus
from ..extraction import Learned, learned
from ..machines import AnyMachine, Machine
from ..network import Network
from ..proofs import IN_RUN, Proof, Prover, prove
from ..search import Archipelago, FoundExpression, Progress

FIRST = 50
"""The generation from which on the network of an expression is handed over."""
FIRST_TRY = 4.0
"""Work, in seconds of an idle core, for a proof of another than the best; most that succeed take
less."""
ATTEMPTS = 3
"""Times that a job is given to a process; a job that ends three processes is not proved."""
OTHERS = 4
"""Networks beside the best one that are looked at in one generation."""

Job = tuple[Network, AnyMachine | None, Machine | None, float]
"""A network, the language that it is to be right for or None, a machine to try first, and how much
work a proof may take, in seconds of an idle core."""


@dataclass(frozen=True)
class Handed:
    """Networks of one generation."""

    generation: int
    mdl: float
    networks: tuple[Network, ...]
    archipelago: Archipelago


class Proving:
    """What is handed over and what has come of it."""

    def __init__(
        self, corpus: Corpus, prover: Prover | None, aside: Any, known: Learned | None
    ) -> None:
        """`aside` searches for expressions, if anything does; `known` is what the run's folder has
        of its best network."""
        self.corpus, self.prover, self.aside = corpus, prover, aside
        self.inside: Learned | None = None
        """What the network that ended the run has learned, where no language is known."""
        self._waiting: deque[Handed] = deque()
        self._jobs: deque[Job] = deque()
        self._now: Handed | None = None
        self._seen: set[str] = set()
        self._kept = {} if known is None or not known.proved else {known.network: known}
        self._expression: FoundExpression | None = None
        self._handed = False
        self._worker = _Worker()

    @property
    def said(self) -> str:
        """What a view shows."""
        if self._now is None:
            return ""
        return f"proving what was found by generation {self._now.generation:,}"

    def hand_over(self, progress: Progress, best: Sequence[Network]) -> None:
        """Where no language is known, a network that something better may soon replace is left
        alone: it has to have stood for as long as it took to find, and for a migration."""
        networks = dict.fromkeys(best)
        if self.aside is not None and not self._handed and progress.generation >= FIRST:
            # An expression that is shorter than what the islands have is not for them to better.
            self._handed = True
            here = Handed(progress.generation, progress.mdl, (), progress.archipelago)
            self._waiting.append(here)
        if self.prover is None:
            since = progress.standing.improved_at
            standing = progress.generation - since
            if standing < max(since, progress.problem.search.migration_interval):
                return
            networks = dict.fromkeys(best[:1])
        new = [
            network
            for network in networks
            if network.to_json() not in self._seen
            and not (self.prover is not None and self.prover.fails_on_longer_strings(network))
        ][: 1 + OTHERS]
        if not new:
            return
        self._seen |= {network.to_json() for network in new}
        at = Handed(progress.generation, progress.mdl, tuple(new), progress.archipelago)
        self._waiting.append(at)

    def answer(self, wait: bool = False) -> Archipelago | None:
        """The archipelago to end with, if something is proved; `wait` for all that was handed
        over."""
        while True:
            if self._worker.is_busy:
                if not wait and not self._worker.has_ended:
                    return None
                found = self._worker.result()
                if self._is_proof(found):
                    assert self._now is not None
                    return self._now.archipelago
            if self._jobs:
                self._worker.begin(self._jobs.popleft())
                continue
            self._now = None
            if not self._waiting:
                return None
            # What the islands have is not the answer where an expression is shorter.
            if self.aside is not None and not (wait or self.aside.has_ended):
                return None
            self._now = self._waiting.popleft()
            for job in self._jobs_of(self._now):
                kept = self._kept.get(job[0])
                if kept is not None and self._is_proof(kept):
                    return self._now.archipelago
                self._jobs.append(job)

    def _jobs_of(self, handed: Handed) -> list[Job]:
        machine = None if self.prover is None else self.prover.machine
        if self.aside is not None and self._expression is None:
            self._expression = self.aside.result()
        found = self._expression
        if found is None or found.bits >= handed.mdl:
            times = [IN_RUN, *[FIRST_TRY] * len(handed.networks)]
            pairs = zip(handed.networks, times, strict=False)
            return [(network, machine, None, seconds) for network, seconds in pairs]
        network = found.network
        if network is None or network.to_json() in self._seen:
            return []
        self._seen.add(network.to_json())
        return [(network, machine, found.machine, IN_RUN)]

    def _is_proof(self, found: Proof | Learned | None) -> bool:
        if isinstance(found, Proof) and self.prover is not None:
            self.prover.remember(found)
            return found.proved
        if not isinstance(found, Learned) or not found.proved or found.machine is None:
            return False
        if all(found.machine.accepts(tuple(string)) for string, _ in self.corpus.strings()):
            self.inside = found
            return True
        return False

    def close(self) -> None:
        self._worker.close()


class _Worker:
    """A process that proves; it ends with this one, and one that is lost is replaced."""

    def __init__(self) -> None:
        self._process = _started()
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._found: Any = None

    @property
    def is_busy(self) -> bool:
        return self._thread is not None

    @property
    def has_ended(self) -> bool:
        return self._thread is not None and not self._thread.is_alive()

    def begin(self, job: Job) -> None:
        self._found = None
        self._thread = threading.Thread(target=self._ask, args=(job,), daemon=True)
        self._thread.start()

    def _ask(self, job: Job) -> None:
        for _ in range(ATTEMPTS):
            process = self._process
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                pickle.dump(job, process.stdin)
                process.stdin.flush()
                self._found = pickle.load(process.stdout)
            except (OSError, ValueError, EOFError, pickle.UnpicklingError):
                if not self._replaced():
                    return
            else:
                return

    def _replaced(self) -> bool:
        """Whether there is a new process in place of the lost one; none once it is closed."""
        with self._lock:
            if self._is_closed:
                return False
            _ended(self._process)
            self._process = _started()
            return True

    def result(self) -> Proof | Learned | None:
        """None where the process found nothing, or is gone."""
        assert self._thread is not None
        self._thread.join()
        self._thread = None
        found: Proof | Learned | None = self._found
        return found

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            _ended(self._process)


def _started() -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-m", "mdlrnn.interface._proving"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def _ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def solved(job: Job) -> Proof | Learned:
    network, machine, first, seconds = job
    if machine is None:
        return learned(network, seconds, first)
    return prove(network, machine, seconds=seconds)


def _serve() -> None:
    """Jobs from standard input, their results to standard output, until that is closed."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not disturb the answers
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        found: Proof | Learned | None = None
        with suppress(Exception):  # what cannot be looked at is not proved
            found = solved(job)
        pickle.dump(found, answers)
        answers.flush()


if __name__ == "__main__":
    _serve()
