"""A campaign: one case after the other through a worker, which is replaced if it hangs or dies."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from ._worker import SECONDS as CPU_SECONDS
from ._worker import Outcome, work

SECONDS = 60.0
"""After which a case is given up that waits for something; the worker ends one that computes."""
STARTING_SECONDS = 300.0
CASES_OF_A_WORKER = 3_000
"""A worker is then replaced, so that what libraries keep does not add up."""


@dataclass
class Tally:
    """What a campaign has come to."""

    campaign: str
    cases: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    slowest: float = 0.0
    memory: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Worker:
    def __init__(self, base: Path, seed: int) -> None:
        self._base, self._seed = base, seed
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._answered = 0

    def run(self, campaign: str, number: int, folder: Path) -> Outcome:
        pipe = self._started()
        began = time.monotonic()
        pipe.send((campaign, number, str(folder)))
        try:
            if pipe.poll(SECONDS):
                found = pipe.recv()
                assert isinstance(found, Outcome)
                self._answered += 1
                if found.spent or self._answered >= CASES_OF_A_WORKER:
                    self.stop()
                return found
            self.stop()
            return Outcome(f"no answer after {SECONDS:.0f} s", 0, SECONDS, True)
        except EOFError:
            return Outcome(self._death(), 0, time.monotonic() - began, True)

    def _death(self) -> str:
        assert self._process is not None
        self._process.join()
        code = self._process.exitcode or 0
        self.stop()
        if code == -signal.SIGXCPU:
            return f"took more than {CPU_SECONDS} s of the processor"
        return f"the process died ({signal.Signals(-code).name if code < 0 else code})"

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def _started(self) -> Connection:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=work, args=(theirs, self._base, self._seed), daemon=True
            )
            self._process.start()
            theirs.close()
            self._answered = 0
            if not self._pipe.poll(STARTING_SECONDS) or self._pipe.recv() != "ready":
                raise RuntimeError("a worker does not start")
        return self._pipe


def run_cases(
    worker: Worker, tally: Tally, numbers: Iterable[int], out: Path, seconds: float
) -> None:
    """Cases by their numbers, until the time is up; failures are noted and kept under `out`."""
    began = time.monotonic()
    for number in numbers:
        if time.monotonic() - began >= seconds:
            break
        folder = out / f"{tally.campaign}-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        outcome = worker.run(tally.campaign, number, folder)
        with tally.lock:
            tally.cases += outcome.made
            tally.memory = max(tally.memory, outcome.memory)
            tally.slowest = max(tally.slowest, outcome.seconds)
            if outcome.wrong is not None:
                tally.failures.append(f"{tally.campaign} {number}: {outcome.wrong}")
        if outcome.wrong is None:
            shutil.rmtree(folder, ignore_errors=True)
    with tally.lock:
        tally.seconds += time.monotonic() - began
