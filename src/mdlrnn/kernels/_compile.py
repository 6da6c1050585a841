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
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import config

from ..waiting import doing, is_shown

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES = Path(__file__).parent
CODES = SOURCES.parent / "network" / "_units.py"
"""The numbers of activations, which compiled code holds as constants."""
_PREFIX = "kernels-"
_STALE_AFTER = 30 * 24 * 3600.0


def source_hash(folder: Path = SOURCES) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in (CODES, *sorted(folder.glob("*.py"))):
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
    """Compile a helper that only kernels call, strictly by IEEE rules: every machine gives the same
    bits.

    Without the wrappers that let Python call it, it compiles in two thirds of the time.
    """
    return _general(_jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))


def inlined(function: Function) -> Function:
    """Compile a helper into the one function that calls it: everything below it is then optimised
    once less."""
    return _jit(function, inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function: Function) -> Function:
    """Compile a kernel that Python calls, and keep its machine code on disk."""
    return _kept(function)


def shared(function: Function) -> Function:
    """Compile a large helper that several kernels call, kept on disk so as to compile it once."""
    return _general(_kept(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))


def _kept(function: Function, **options: bool | str) -> Function:
    if CACHE_FOLDER is None:
        return _jit(function, **options)
    with _caching_there():
        return _jit(function, cache=True, **options)


def _jit(function: Function, **options: bool | str) -> Function:
    return numba.njit(nogil=True, error_model="numpy", **options)(function)


def _general(dispatcher: Any) -> Any:
    """Let constants as arguments not be compiled apart: f(0) and f(1) are f(int64) both."""
    if not hasattr(dispatcher, "get_call_template"):
        return dispatcher  # compiling is switched off
    resolve = dispatcher.get_call_template

    def general(arguments: Any, keywords: Any) -> Any:
        plain = {name: types.unliteral(value) for name, value in dict(keywords).items()}
        return resolve(tuple(map(types.unliteral, arguments)), plain)

    dispatcher.get_call_template = general
    return dispatcher


def source_of(function: Callable[..., Any]) -> Any:
    """The Python function behind a compiled one; it is itself where compiling is switched off."""
    return getattr(function, "py_func", function)


def dispatcher(name: str, functions: Sequence[tuple[Callable[..., bool], int | None]]) -> Any:
    """A compiled function (kind, genome, random, space) that calls the function of that number.

    Where a function comes with an argument, that is passed first. Written out as a chain of
    comparisons, since Numba has no table of functions.
    """
    lines = [f"def {name}(kind, genome, random, space):"]
    for number, (_, argument) in enumerate(functions):
        first = "" if argument is None else f"{argument}, "
        lines += [
            f"    if kind == {number}:",
            f"        return f{number}({first}genome, random, space)",
        ]
    lines.append("    return False")
    scope: dict[str, Any] = {f"f{number}": f for number, (f, _) in enumerate(functions)}
    exec("\n".join(lines), scope)
    return inlined(scope[name])


def is_ready(name: str) -> bool:
    """Whether the kernel of that name is compiled, in this process or on disk."""
    return name in _READY or (CACHE_FOLDER is not None and _marker(name).exists())


def mark_ready(name: str) -> None:
    _READY.add(name)
    if CACHE_FOLDER is not None:
        with contextlib.suppress(OSError):
            _marker(name).touch()


def _marker(name: str) -> Path:
    assert CACHE_FOLDER is not None
    return CACHE_FOLDER / f"{name}.ready"


@contextlib.contextmanager
def announced(name: str, what: str, before: Callable[[], None] | None = None) -> Iterator[None]:
    """Say on standard error that `what` is compiled for the first call inside, if it has to be.

    While one thread makes that first call the others wait, as they would for the compiler. `before`
    is called first, if there is something to compile. What another process is compiling is waited
    for.
    """
    if name in _READY:
        yield
        return
    with _FIRST_CALL, contextlib.ExitStack() as stack:
        if not is_ready(name):
            stack.enter_context(doing(f"compiling {what}, on the first run only"))
            while _is_compiled_elsewhere(name) and not is_ready(name):
                time.sleep(0.1)
        if not is_ready(name):
            once = "" if CACHE_FOLDER is None else ", once"
            message = f"mdlrnn: compiling {what} for this machine{once} ..."
            if not is_shown():
                print(message, file=sys.stderr, flush=True)
            if before is not None:
                before()
        yield
        mark_ready(name)


BEAT = 0.5
"""Seconds between two signs of life of a process that compiles for others."""


@contextlib.contextmanager
def compiling_for_others(names: Iterable[str]) -> Iterator[None]:
    """Give signs of life inside, so that other processes wait for these kernels."""
    if CACHE_FOLDER is None:
        yield
        return
    files = [CACHE_FOLDER / f"{name}.compiling" for name in names]
    ended = threading.Event()

    def beat() -> None:
        while True:
            for file in files:
                with contextlib.suppress(OSError):
                    file.touch()
            if ended.wait(BEAT):
                return

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for file in files:
            with contextlib.suppress(OSError):
                file.unlink()


def _is_compiled_elsewhere(name: str) -> bool:
    if CACHE_FOLDER is None:
        return False
    try:
        seen = (CACHE_FOLDER / f"{name}.compiling").stat().st_mtime
    except OSError:
        return False
    return abs(time.time() - seen) < 20 * BEAT


_READY: set[str] = set()
_FIRST_CALL = threading.RLock()
