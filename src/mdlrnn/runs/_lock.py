"""A lock that the system itself releases when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import sys
import time
from io import FileIO
from pathlib import Path
from weakref import WeakSet

PATIENCE = 0.5
"""Seconds to try for: to ask if a lock is held is to hold it for a moment."""
OWN_LOCK = re.compile(r"(process \d+ on .*)?")
"""What a lock file says; nothing where its process was killed just then, or the disk was full."""
_held: WeakSet[FileIO] = WeakSet()

if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 30
    """A locked byte cannot be read by others on Windows; this one holds nothing."""

    def _try(file: FileIO) -> bool:
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(file: FileIO) -> bool:
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


def acquire(path: Path) -> FileIO | None:
    """An open file that holds the lock until it is closed, or None if another holds it."""
    file = path.open("a+b", buffering=0)
    until = time.monotonic() + PATIENCE
    while not _try(file):
        if time.monotonic() > until:
            file.close()
            return None
        time.sleep(0.02)
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
        return False
