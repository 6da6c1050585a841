"""Runs that are killed at one of their file operations, or at a random moment, and then go on.

A child is forked from this process, which has everything loaded, so that a kill costs a fraction
of a second. In the child the operations on files are counted, and at the one asked for the child
ends itself by SIGKILL: before the operation, after it, or, of a write, when half is written.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ._campaign import Tally

HELD = "strings.txt"
"""A source of which some strings are held out."""
SOURCES = ("anbn_20", "addition_100", "dyck1_20", HELD)
GENERATIONS = 24
SETTINGS = (
    "--set",
    "islands=2",
    "--set",
    "population=12",
    "--set",
    "migration_interval=4",
    "--workers",
    "1",
)
STRIDE = 7919
"""A prime, so that all operations are reached."""
SECONDS = 60.0
"""For a run of a fraction of a second."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT,
           signal.SIGQUIT)  # fmt: skip
STOPPED = 130


class Ended(NamedTuple):
    code: int
    """The exit code; negative for a signal."""
    out: str
    err: str
    operations: int


class _Operations:
    """Counts operations on files and ends the process at one of them."""

    def __init__(self, at: int | None, report: Path) -> None:
        self.at, self.report = at, report
        self.count = 0

    def around(self, work: Callable[[], Any]) -> Any:
        self.tick()
        result = work()
        self.tick()
        return result

    def tick(self) -> None:
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def patch(self) -> None:
        """The few ways in which the package changes files."""
        for name in ("fsync", "replace", "unlink", "mkdir", "chmod"):
            setattr(os, name, self._wrapped(getattr(os, name)))
        opened, by_number = io.open, os.fdopen
        io.open = lambda *a, **k: self._file(opened(*a, **k))
        os.fdopen = lambda *a, **k: self._file(by_number(*a, **k))

    def _wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *a, **k: self.around(lambda: function(*a, **k))

    def _file(self, file: Any) -> Any:
        return _File(file, self) if file.writable() and not file.isatty() else file


class _File:
    """A file whose writes come in two halves, with a place to die between them."""

    def __init__(self, file: Any, operations: _Operations) -> None:
        self._file, self._operations = file, operations

    def write(self, data: Any) -> int:
        self._operations.tick()
        half = len(data) // 2
        written = self._file.write(data[:half])
        self._file.flush()
        self._operations.tick()
        written += self._file.write(data[half:])
        self._operations.tick()
        return int(written)

    def __enter__(self) -> _File:
        self._file.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._file.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def run_kills(
    tally: Tally, place: Path, out: Path, seed: int, numbers: Iterable[int], seconds: float
) -> None:
    """Kill runs at each of their operations in turn, and at random moments, till time is up."""
    place.mkdir(parents=True)
    _load()
    (place / HELD).write_text("".join(f"{'a' * n}{'b' * n}\n" for n in range(1, 30)))
    whole = {}
    for source in SOURCES:
        folder = place / f"whole-{source}"
        ended = _child(_new(source, folder), place)
        if ended.code != 0:
            raise RuntimeError(f"a run that nothing disturbs ends with {ended.code}: {ended.err}")
        whole[source] = (_result(ended, folder), ended.operations)
    began = time.monotonic()
    for number in numbers:
        if time.monotonic() - began >= seconds:
            break
        source = SOURCES[number % len(SOURCES)]
        result, operations = whole[source]
        draw = random.Random(f"{seed} kills {number}")
        folder = place / f"kills-{number}"
        at = time.monotonic()
        told: list[str] = []
        wrong = _killed_and_resumed(source, result, operations, folder, number, draw, told)
        tally.slowest = max(tally.slowest, time.monotonic() - at)
        tally.cases += 1
        if wrong is not None:
            tally.failures.append(f"kills {number}: {wrong}")
            kept = out / folder.name
            shutil.rmtree(kept, ignore_errors=True)
            if folder.exists():
                shutil.copytree(folder, kept)
            kept.mkdir(exist_ok=True)
            (kept / "case.json").write_text(json.dumps({"wrong": wrong, "told": told}, indent=1))
        shutil.rmtree(folder, ignore_errors=True)
    tally.seconds = time.monotonic() - began


def _killed_and_resumed(
    source: str,
    whole: dict[str, Any],
    operations: int,
    folder: Path,
    number: int,
    draw: random.Random,
    told: list[str],
) -> str | None:
    place = folder.parent
    for attempt in range(draw.choice((1, 1, 2, 3))):
        new = not (folder / "settings.json").exists()
        arguments = _new(source, folder) if new else _again(folder)
        if draw.random() < 0.7:
            # Far apart at first, and each operation has its turn; at random where a run goes on.
            place_of = number // len(SOURCES) * STRIDE
            at = 1 + (draw.randrange(operations) if attempt else place_of % operations)
            ended = _child(arguments, place, at=at)
            told.append(f"{arguments} killed at operation {at}: {ended.code}")
            expected: tuple[int, ...] = (-signal.SIGKILL, 0)
        else:
            which, after = draw.choice(SIGNALS), draw.uniform(0, 0.25)
            ended = _child(arguments, place, after=after, which=which)
            told.append(f"{arguments} got {which.name} after {after:.3f} s: {ended.code}")
            expected = (-which, 0, STOPPED)
        if ended.code not in expected or "Traceback" in ended.err:
            return f"ended with {ended.code} after {told[-1]}: {ended.err[-300:]}"
        wrong = _look(folder)
        if wrong is not None:
            return f"{wrong} after {told[-1]}"
    new = not (folder / "settings.json").exists()
    ended = _child(_new(source, folder) if new else _again(folder), place)
    told.append(f"then {'a new run' if new else 'resumed'}: {ended.code}")
    if ended.code != 0 or "Traceback" in ended.err:
        return f"does not go on ({ended.code}): {ended.err[-300:]}"
    found = _result(ended, folder)
    other = [name for name, value in whole.items() if found[name] != value]
    if other:
        return f"not as without a kill: {', '.join(other)}"
    return _look(folder, complete=True)


def _look(folder: Path, complete: bool = False) -> str | None:
    """What is wrong with the folder as it lies there."""
    from mdlrnn import InputError, Network
    from mdlrnn.runs._settings import status_of

    if not (folder / "settings.json").exists():
        return None
    try:
        if (folder / "best.json").exists():
            Network.load(folder / "best.json")
        if (folder / "front.json").exists():
            for entry in json.loads((folder / "front.json").read_text()):
                Network.from_dict(entry["network"])
        status = status_of(folder)
    except (InputError, ValueError) as error:
        return f"a file is broken: {error}"
    if status.status == "broken":
        return f"the run is broken: {status.reason}"
    return bad_log(folder / "log.jsonl") if complete else None


def bad_log(path: Path) -> str | None:
    events = []
    for line in path.read_text().splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            return f"a line of the log is no JSON: {line[:80]!r}"
    names = [event["event"] for event in events]
    if names[0] != "start" or names.count("start") != 1:
        return f"the log has events {names}"
    if names[-1] != "end":
        return f"the log does not end: {names}"
    generations = [event["generation"] for event in events if event["event"] != "resume"]
    if generations != sorted(generations):
        return f"the log goes back: {generations}"
    news = [e["generation"] for e in events if e["event"] == "progress"]
    if len(news) != len(set(news)):
        return f"the log tells of a generation twice: {news}"
    return None


def _result(ended: Ended, folder: Path) -> dict[str, Any]:
    """What must be the same with and without a kill: all that was found, and what lies there."""
    data = json.loads(ended.out)
    found = {name: data[name] for name in ("generation", "network", "front", "digest", "mdl")}
    for name in ("best.json", "front.json", "corpus.npz", "held_out.txt"):
        path = folder / name
        found[name] = path.read_bytes() if path.exists() else None
    return found


def _new(source: str, folder: Path) -> list[str]:
    given = [str(folder.parent / HELD), "--hold-out", "0.3"] if source == HELD else [source]
    return ["evolve", *given, "--out", str(folder), "--generations", str(GENERATIONS), *SETTINGS,
            "--quiet", "--json"]  # fmt: skip


def _again(folder: Path) -> list[str]:
    return ["evolve", "--resume", str(folder), "--workers", "1", "--quiet", "--json"]


# Children.


def _load() -> None:
    """Everything that a run needs, so that children have it from the start."""
    import z3  # noqa: F401

    import mdlrnn
    from mdlrnn import Search, Stop

    subprocess.run([sys.executable, "-m", "mdlrnn.kernels._warm_up", "all"], check=True)
    stop = Stop(generations=2)
    mdlrnn.evolve("anbn_20", Search(islands=1, population=4), stop=stop, workers=1, progress=False)


def _child(
    arguments: list[str],
    place: Path,
    at: int | None = None,
    after: float | None = None,
    which: signal.Signals = signal.SIGKILL,
) -> Ended:
    """`mdlrnn` in a forked process that dies at an operation, or gets a signal after a while."""
    files = [place / name for name in ("out.txt", "err.txt", "operations.txt")]
    for file in files:
        file.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _run_and_leave(arguments, at, files)
    begins = time.monotonic()
    sent = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        spent = time.monotonic() - begins
        if after is not None and not sent and spent >= after:
            os.kill(child, which)
            sent = True
        if spent > SECONDS:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Ended(-1, "", f"no end after {SECONDS:.0f} s", 0)
        time.sleep(0.001)
    out, err, count = (file.read_text() if file.exists() else "" for file in files)
    return Ended(os.waitstatus_to_exitcode(status), out, err, int(count or 0))


def _run_and_leave(arguments: list[str], at: int | None, files: list[Path]) -> None:
    code = 70
    try:
        for number, path in zip((1, 2), files, strict=False):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, number)
        for name in ("stdout", "stderr"):
            setattr(sys, name, os.fdopen(1 if name == "stdout" else 2, "w", closefd=False))
        from mdlrnn._command import main
        from mdlrnn.runs import _recorder

        _recorder.LEAST_SECONDS = 0.0  # a checkpoint at every migration
        operations = _Operations(at, files[2])
        operations.patch()
        sys.argv = ["mdlrnn", *arguments]
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 70
        sys.stdout.flush()
        sys.stderr.flush()
        count = operations.count
        operations.at = None
        handle = os.open(files[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(handle, str(count).encode())
    except KeyboardInterrupt:
        code = STOPPED  # before the command itself had begun
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)
