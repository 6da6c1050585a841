"""How kernels are compiled and where the machine code is kept.

Numba's own cache looks only at the file a function stands in and goes stale when a helper in
another file changes. The cache folder is therefore named after a hash of all kernel sources, the
Numba version and the Python version.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES = Path(__file__).parent
_PREFIX = "kernels-"
_STALE_AFTER = 30 * 24 * 3600.0


def source_hash(folder: Path = SOURCES) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """MDLRNN_CACHE_DIR, or the user's cache folder."""
    given = os.environ.get("MDLRNN_CACHE_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mdlrnn"


def _cache_folder() -> Path | None:
    """The folder for these sources, made if need be; None where nothing can be written."""
    try:
        folder = cache_root() / f"{_PREFIX}{source_hash()}"
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _remove_stale(folder)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home folder
        return None
    return folder if os.access(folder, os.W_OK) else None


def _remove_stale(folder: Path) -> None:
    """Folders of other versions go when nobody has used them for a month."""
    for other in folder.parent.glob(f"{_PREFIX}*"):
        if other != folder and other.is_dir():
            with contextlib.suppress(OSError):
                if time.time() - other.stat().st_mtime > _STALE_AFTER:
                    shutil.rmtree(other, ignore_errors=True)


CACHE_FOLDER = _cache_folder()


@contextlib.contextmanager
def _caching_there() -> Iterator[None]:
    """Numba reads the cache folder from its configuration while it decorates; put it back after."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def compiled(function: Function) -> Function:
    """Compile for the CPU, strictly by IEEE rules, so that every machine gives the same bits."""
    if CACHE_FOLDER is None:
        return numba.njit(nogil=True, error_model="numpy")(function)
    with _caching_there():
        return numba.njit(nogil=True, error_model="numpy", cache=True)(function)


@contextlib.contextmanager
def announced(name: str, what: str) -> Iterator[None]:
    """Say on standard error that `what` is compiled for the first call inside, if it has to be.

    While one thread makes that first call the others wait, as they would for the compiler.
    """
    if name in _READY:
        yield
        return
    with _FIRST_CALL:
        if name in _READY:
            yield
            return
        marker = None if CACHE_FOLDER is None else CACHE_FOLDER / f"{name}.ready"
        if marker is None or not marker.exists():
            once = "" if marker is None else ", once"
            message = f"mdlrnn: compiling {what} for this machine{once} ..."
            print(message, file=sys.stderr, flush=True)
        yield
        _READY.add(name)
        if marker is not None:
            with contextlib.suppress(OSError):
                marker.touch()


_READY: set[str] = set()
_FIRST_CALL = threading.RLock()
