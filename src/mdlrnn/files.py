"""Reading text and writing files so that nothing is ever half-written."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, TextIO
from weakref import WeakKeyDictionary

from .checks import nearest_name, short
from .errors import InputError, printable
from .limits import CORPUS_BYTES, TEXT_BYTES, are_lifted, check_size

PathLike = str | os.PathLike[str]
STANDARD_INPUT = "-"
"""What stands for standard input where a file to read is named."""
_READ: WeakKeyDictionary[TextIO, bytes] = WeakKeyDictionary()


def read_text(path: PathLike, what: str, limit: int = TEXT_BYTES) -> str:
    """The text of a UTF-8 file; `what` names the kind of file in the error."""
    try:
        return read_bytes(path, limit).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error.start, what) from None


def read_bytes(path: PathLike, limit: int) -> bytes:
    """A file of at most so many bytes, even if it has no end."""
    try:
        with open_bytes(path) as file:
            data = file.read(-1 if are_lifted() else limit + 1)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    check_size(len(data), limit, named(path), "bytes")
    return data


def open_bytes(path: PathLike) -> io.BufferedReader:
    """A file, or standard input, which may be opened again."""
    if not is_standard_input(path):
        return path_of(path).open("rb")
    stream = sys.stdin
    if stream is None:
        raise InputError("there is no standard input to read; name a file.")
    if stream not in _READ:
        _READ[stream] = stream.buffer.read(-1 if are_lifted() else CORPUS_BYTES + 1)
    return io.BufferedReader(io.BytesIO(_READ[stream]))


def is_standard_input(path: object) -> bool:
    return isinstance(path, str | os.PathLike) and os.fspath(path) == STANDARD_INPUT


def json_of(text: str) -> Any:
    """`json.loads`, for which JSON that is nested too deep is no JSON either."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def make_folder(path: Path) -> None:
    """The folder and those above it, where they are missing."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{named(path)}: cannot be made ({reason_of(error)}); choose another folder."
        ) from None


def named(path: PathLike) -> str:
    """The path as it can stand in a sentence."""
    if is_standard_input(path):
        return "standard input"
    return printable(os.fspath(path_of(path)))


LONGEST_NAME = 255
"""Bytes of a file's or folder's name, on all systems."""
LONGEST_PATH = 4_000
"""Bytes of a whole path, with room for the name of a file in that folder."""


def path_of(given: object) -> Path:
    """The path; anything that is none is answered in one sentence."""
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        if (
            "\0" in str(path)
            or len(os.fsencode(path)) > LONGEST_PATH
            or any(len(os.fsencode(part)) > LONGEST_NAME for part in path.parts)
        ):
            raise InputError(
                f"{short(str(path))} is no path: it or a name in it is too long, or it holds a "
                "null character; give a shorter one."
            )
        return path
    raise InputError(f"{short(given)} is no path; give the path of a file as text or a Path.")


def not_utf8(path: PathLike, at: int, what: str) -> InputError:
    return InputError(
        f"{named(path)}: byte {at} is not UTF-8; save the {what} as UTF-8 text and try again."
    )


def unreadable(path: PathLike, error: Exception) -> InputError:
    near = near_file(path) if isinstance(error, FileNotFoundError) else None
    remedy = "check the path." if near is None else f"did you mean {near}?"
    return InputError(f"{named(path)}: cannot be read ({reason_of(error)}); {remedy}")


def near_file(path: PathLike) -> str | None:
    """The file or folder beside it that was meant, it seems."""
    try:
        target = path_of(path)
        names = [beside.name for beside in target.parent.iterdir()]
    except (InputError, OSError):
        return None
    stem = nearest_name(target.stem, sorted({Path(name).stem for name in names}))
    found = [name for name in sorted(names) if Path(name).stem == stem]
    same = [name for name in found if name.endswith(target.suffix)]
    return named(target.with_name((same or found)[0])) if found else None


def reason_of(error: Exception) -> str:
    """What the system says, as it can stand in a sentence."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def write_atomically(path: PathLike, data: str | bytes) -> None:
    """Replace `path` by `data` in one step: readers see the old file or the new one, never a part.

    Raises OSError where the disk says no; the old file is then as it was.
    """
    target = path_of(path)
    # A file's name need not be UTF-8, and may stand in what is written; in JSON this is its escape.
    payload = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_usual_mode(target))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def save(path: PathLike, data: str | bytes) -> None:
    """`write_atomically`, with the disk's refusal as one sentence."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({reason_of(error)}); choose another place."
        ) from None


def check_writable(path: PathLike) -> None:
    """Refuse a file that `save` could not write, before the work whose result is to stand there."""
    target = path_of(path)
    if target.is_dir():
        raise InputError(f"{named(path)} is a folder; name a file to write.")
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise InputError(
            f"{named(path)}: cannot be written ({reason_of(error)}); choose another place."
        ) from None


def _usual_mode(target: Path) -> int:
    """The mode a plain `open` would have left, since mkstemp makes private files."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
