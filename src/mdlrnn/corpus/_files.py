"""Reading the two kinds of corpus file: text with one string a line, and `.npz` with sequences.

A text file is counted line by line and never held as a whole. What the strings and arrays
become is in `_corpus`.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from .._files import PathLike, not_utf8, unreadable
from ._sources import Symbols, forbid_boundary

Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_COUNT = 15
"""Digits of a count: more would not add up exactly in float64."""
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, MemoryError, OSError, RuntimeError,
    SyntaxError, TokenError, TypeError, ValueError, struct.error,
)  # fmt: skip
"""What NumPy and zipfile raise for a damaged file."""


def count_lines(path: PathLike, words: bool) -> dict[Symbols, int]:
    """How often each string is in the file; with `words`, its words are parted by one blank."""
    try:
        with Path(path).open("rb") as file:
            counts: dict[Symbols, int] = {}
            marked = file.peek(len(BYTE_ORDER_MARK)).startswith(BYTE_ORDER_MARK)
            offset = len(file.read(len(BYTE_ORDER_MARK))) if marked else 0
            for number, line in enumerate(file, 1):
                try:
                    _count_line(line, words, counts)
                except UnicodeDecodeError as error:
                    raise not_utf8(path, offset + error.start, "corpus") from None
                except InputError as error:
                    raise InputError(f"{path}: line {number}: {error}") from None
                offset += len(line)
    except OSError as error:
        raise unreadable(path, error) from None
    if not counts:
        raise InputError(f"{path}: the file is empty; write one string a line.")
    return counts


def _count_line(line: bytes, words: bool, counts: dict[Symbols, int]) -> None:
    text = line.decode("utf-8")
    if text.endswith("\n"):
        text = text[: -2 if text.endswith("\r\n") else -1]
    count = 1
    if "\t" in text:
        head, _, text = text.partition("\t")
        count = _count(head)
    if words:
        text = " ".join(text.split())
    if text in counts:
        counts[text] += count
    else:
        forbid_boundary(text.split() if words else text)
        counts[text] = count


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not text.strip("0"):
        raise InputError(
            f"{text[:40]!r} before the TAB is not a count; "
            "write an integer of 1 or more there, or remove the TAB."
        )
    if len(text.lstrip("0")) > LONGEST_COUNT:
        raise InputError(
            f"the count {text[:40]} is too large; write at most {LONGEST_COUNT} digits."
        )
    return int(text)


def read_sequences(path: PathLike) -> Arrays:
    """`inputs`, `targets` and, where the file has them, `lengths`; their sense is not checked."""
    try:
        with Path(path).open("rb") as file:
            return _arrays(file)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None


def _arrays(file: BinaryIO) -> Arrays:
    try:
        arrays = np.load(file, allow_pickle=False)
        if not isinstance(arrays, np.lib.npyio.NpzFile):
            raise zipfile.BadZipFile
        if missing := {"inputs", "targets"}.difference(arrays):
            raise InputError(
                f"the array {min(missing)!r} is missing; "
                "save it with numpy.savez(path, inputs=..., targets=...)."
            )
        return arrays["inputs"], arrays["targets"], arrays.get("lengths")
    except InputError:
        raise
    except DAMAGED as error:
        if "Object arrays" in str(error):
            raise InputError(
                "an array holds Python objects, which could run code; "
                "save plain numbers, padded to one number of steps."
            ) from None
        raise InputError("not an intact .npz file; save it again with numpy.savez.") from None
