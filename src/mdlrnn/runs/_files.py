"""What lies in a run's folder:

    settings.json   what is searched for, and how; written once, but for the limits
    corpus.npz      the corpus, so that going on needs nothing else
    log.jsonl       one event a line: start, progress, resume, end
    best.json       the best network at the last checkpoint, with its score
    front.json      the networks that no other beats in both |G| and |D:G|
    theorem.json    what was proved of a known language, by the run or by a command later
    learned.json    what was read off the best network, by the run or by a command later
    expression.json the expression that describes the strings best, where one does
    proved.json     a network that was proved right, where it is not the best one
    checkpoint-*    all islands, at the generation in the name; the two newest are kept
    held_out.txt    strings that were kept out of the search
    lock            held by the process that works on the run

Here they are named, read and written; when, and what must fit together, is in `_recorder`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import math
import os
import re
import socket
import struct
import sys
import time
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ..checks import short
from ..corpus import DAMAGED, unpacked
from ..errors import InputError, RunError
from ..files import read_bytes, read_text, reason_of, write_atomically
from ..limits import ARRAY_BYTES
from ..network import Network, Score, json_text, to_dict

_MARK = b"mdlrnn sha256 "
_COMMENT = len(_MARK) + 64


def seal(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The file's bytes; equal arrays give equal bytes, since no time of day is noted."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")
            archive.writestr(entry, content.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=1)
    body = buffer.getvalue()[:-2] + struct.pack("<H", _COMMENT)
    return body + _comment(body)


def is_sealed(data: bytes) -> bool:
    """Whether these are a sealed file's bytes, all as they were written."""
    return data[-_COMMENT:] == _comment(data[:-_COMMENT])


def read_sealed(path: Path) -> bytes:
    """The bytes of a file. Errors say what is wrong; what to do about it the caller knows."""
    try:
        return read_bytes(path, ARRAY_BYTES)
    except InputError:
        size = path.stat().st_size if path.is_file() else 0
        what = "too large for a file of mdlrnn" if size > ARRAY_BYTES else "cannot be read"
        raise InputError(what) from None


def unseal(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of a sealed file; a file that is not intact is refused."""
    if not is_sealed(data):
        raise InputError("not intact, or not a file of mdlrnn")
    try:
        return unpacked(io.BytesIO(data))
    except InputError:
        raise
    except DAMAGED:
        raise InputError("sealed, but not by mdlrnn") from None


def _comment(body: bytes) -> bytes:
    return _MARK + hashlib.sha256(body).hexdigest().encode()


SETTINGS, CORPUS, LOG, LOCK = "settings.json", "corpus.npz", "log.jsonl", "lock"
BEST, FRONT, THEOREM, PROVED = "best.json", "front.json", "theorem.json", "proved.json"
HELD_OUT, LEARNED, EXPRESSION = "held_out.txt", "learned.json", "expression.json"
OWN = (SETTINGS, CORPUS, LOG, BEST, FRONT, THEOREM, PROVED, HELD_OUT, LEARNED, EXPRESSION)
"""Files that a run writes, and writes over."""
_CHECKPOINT = re.compile(r"checkpoint-(\d{9,})\.npz")


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def checkpoint_path(folder: Path, generation: int) -> Path:
    return folder / f"checkpoint-{generation:09}.npz"


def checkpoints(folder: Path) -> list[Path]:
    """The folder's checkpoints, newest first."""
    found = [(m, path) for path in folder.iterdir() if (m := _CHECKPOINT.fullmatch(path.name))]
    return [path for _, path in sorted(found, key=lambda item: int(item[0][1]), reverse=True)]


def holds_run(folder: Path) -> bool:
    return folder.is_dir() and bool((folder / SETTINGS).exists() or checkpoints(folder))


def check_holds_run(folder: Path) -> None:
    """Raise unless a run was saved in the folder."""
    if not holds_run(folder):
        what = "holds no run" if folder.is_dir() else "there is no such folder"
        raise InputError(f"{folder}: {what}; give the folder that a run was saved in.")


def write(path: Path, data: str | bytes) -> None:
    """`write_atomically`; where the disk refuses, the run stops with one sentence."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise cannot_write(path, error) from None


def cannot_write(path: Path, error: OSError) -> RunError:
    if not path.parent.exists():
        return RunError(
            f"{path.parent}: the folder is gone, and with it the run, which has stopped; start it "
            "again in a folder that stays."
        )
    if not holds_run(path.parent):
        return RunError(
            f"{path}: cannot be written ({reason_of(error)}), so the run was not begun; "
            "make room or choose another folder."
        )
    return RunError(
        f"{path}: cannot be written ({reason_of(error)}); the run has stopped, and once that is "
        f"put right mdlrnn evolve --resume {path.parent} goes on from where it was last saved."
    )


def tidy(folder: Path) -> None:
    """Remove what a process left that was killed while it wrote. Only for who holds the lock."""
    for name in (*OWN, "checkpoint-"):
        for path in folder.glob(f".{name}*"):
            with contextlib.suppress(OSError):
                path.unlink()


def append_event(folder: Path, event: Mapping[str, Any]) -> None:
    """One more line in the log, whole or not at all."""
    path = folder / LOG
    line = _line({name: _finite(value) for name, value in event.items()}).encode()
    try:
        with path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, "no space left on device")
            except OSError:
                file.truncate(before)
                raise
    except OSError as error:
        raise cannot_write(path, error) from None


LARGEST_NUMBER = 2**62
"""In a log: generations, steps, seconds and bits are less."""


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The events; a line that a crash left half-written is passed over, one with a number that no
    run writes is refused."""
    path = folder / LOG
    if not path.exists():
        return []
    events = []
    for place, line in enumerate(read_text(path, "log").splitlines(), start=1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and isinstance(event.get("generation"), int):
            for name, value in event.items():
                if isinstance(value, int | float) and not 0 <= value <= LARGEST_NUMBER:
                    raise InputError(
                        f"{path}: line {place}: {short(name)} is {short(value)}, which no run "
                        "writes; delete the line."
                    )
            events.append(event)
    return events


def start_event(created: str) -> dict[str, Any]:
    return {"event": "start", "time": created, "generation": 0, "steps": 0, "seconds": 0.0}


def trim_log(folder: Path, generation: int | None, created: str) -> None:
    """Keep what happened up to the generation from which the run goes on; None is the start.

    A process that was killed in its first moments may have left no start, which is made up for.
    """
    events = read_log(folder)
    if generation is None:
        kept = [event for event in events if event.get("event") in ("start", "resume")]
    else:
        kept = [event for event in events if event["generation"] <= generation]
    if not any(event.get("event") == "start" for event in kept):
        kept.insert(0, start_event(created))
    write(folder / LOG, "".join(map(_line, kept)))


def write_best(folder: Path, network: Network, score: Score, scheme: str) -> None:
    """The network's file, with what it costs."""
    about = {"g": score.g, "d_given_g": score.d_given_g, "mdl": score.mdl, "encoding": scheme}
    cost = {name: _finite(value) for name, value in about.items()}
    write(folder / BEST, json_text({**to_dict(network), "score": cost}) + "\n")


def write_front(folder: Path, front: Iterable[Mapping[str, Any]]) -> None:
    rows = ",\n".join(" " + json.dumps(entry, ensure_ascii=False) for entry in front)
    write(folder / FRONT, f"[\n{rows}\n]\n")


def write_theorem(folder: Path, theorem: Mapping[str, Any]) -> None:
    write(folder / THEOREM, json.dumps(theorem, ensure_ascii=False, indent=1) + "\n")


def write_learned(folder: Path, learned: Mapping[str, Any]) -> None:
    write(folder / LEARNED, json.dumps(learned, ensure_ascii=False, indent=1) + "\n")


def write_expression(folder: Path, expression: Mapping[str, Any]) -> None:
    write(folder / EXPRESSION, json_text(expression) + "\n")


def read_object(path: Path, what: str) -> dict[str, Any]:
    """A JSON object that a run wrote; `what` names it in the error."""
    try:
        data = json.loads(read_text(path, what))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not JSON; put back the file as the run wrote it.") from None
    if not isinstance(data, dict):
        raise InputError(f"{path}: not the {what} of a run; choose the folder of a run.")
    return data


def _line(event: Mapping[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False) + "\n"


def _finite(value: Any) -> Any:
    """JSON has no infinity; a log says null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


PATIENCE = 0.5
"""Seconds to try for: to ask if a lock is held is to hold it for a moment."""
OWN_LOCK = re.compile(r"(process \d+ on .*)?")
"""What a lock file says; nothing where its process was killed just then, or the disk was full."""
_held: WeakSet[FileIO] = WeakSet()

if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 30
    """A locked byte cannot be read by others on Windows; this one holds nothing."""

    def _try(file: FileIO | int) -> bool:
        if isinstance(file, int):
            return True  # a folder, which cannot be locked here
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(file: FileIO | int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _let_go() -> None:
        for file in list(_held):
            file.close()

    # A worker forked off would keep the lock alive after its parent has died.
    os.register_at_fork(after_in_child=_let_go)


class _Lock(FileIO):
    """A file that is locked, and its folder where that is locked too."""

    folder: int | None = None

    def close(self) -> None:
        super().close()
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None


def _lock_folder(path: Path) -> tuple[bool, int | None]:
    """Whether nobody else holds the folder of a lock file, and what holds it from now on. Who
    deletes the file lets nobody in then. Where folders cannot be locked, the file alone counts."""
    try:
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError:
        return True, None
    try:
        free = _try(folder)
    except OSError:
        free = True
    if not free:
        os.close(folder)
    return free, folder if free else None


def acquire(path: Path, with_folder: bool = False) -> FileIO | None:
    """An open file that holds the lock until it is closed, or None if another holds it."""
    file = _Lock(path, "a+b")
    until = time.monotonic() + PATIENCE
    while not _try(file):
        if time.monotonic() > until:
            file.close()
            return None
        time.sleep(0.02)
    if with_folder:
        free, file.folder = _lock_folder(path)
        if not free:
            file.close()
            return None
    with contextlib.suppress(OSError):
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
    _held.add(file)
    return file


def holder(path: Path) -> str:
    """Who says in the lock file to hold it, or nothing."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()[:80]
    except OSError:
        return ""


def is_own(path: Path) -> bool:
    """Whether it is a lock file of a run, and not a user's file of that name."""
    return path.is_file() and OWN_LOCK.fullmatch(holder(path)) is not None


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        with path.open("r+b" if os.access(path, os.W_OK) else "rb", buffering=0) as file:
            return not _try(file)
    except OSError:
        free, folder = _lock_folder(path)
        if folder is not None:
            os.close(folder)
        return not free
