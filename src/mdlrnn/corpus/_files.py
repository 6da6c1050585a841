"""Corpus files: text with one string a line, and `.npz` with sequences, read without pickles."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..checks import short
from ..errors import InputError
from ..files import PathLike, named, not_utf8, path_of, unreadable
from ..limits import ARRAY_BYTES, CORPUS_BYTES, DISTINCT_BYTES, LINE_BYTES, NUMBERS, check_size
from ..network import spelled
from ._strings import Symbols, forbid_boundary

DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, MemoryError, NotImplementedError, OSError,
    OverflowError, RuntimeError, SyntaxError, TokenError, TypeError, ValueError, struct.error,
)  # fmt: skip
"""What NumPy and zipfile raise for a damaged file."""
MOST_ARRAYS = 64


def unpacked(file: BinaryIO, numbers: int | None = None) -> dict[str, NDArray[Any]]:
    """The arrays by name. Sizes are told by the arrays' own headers, before they are unpacked.

    With `numbers`, they may hold so many together.
    """
    with zipfile.ZipFile(file) as archive:
        members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        if len(members) > MOST_ARRAYS:
            raise InputError(f"there are more than {MOST_ARRAYS} arrays; save those needed only.")
        # Nothing is read beyond the first sum, so a header cannot be larger either.
        _check_bytes(sum(info.file_size for info in members))
        sizes = [_size(archive, info) for info in members]
        _check_bytes(sum(count * each for count, each in sizes))
        if numbers is not None:
            check_size(sum(count for count, _ in sizes), numbers, "the file", "numbers")
        found = {}
        for info in members:
            with archive.open(info) as content:
                array = npy.read_array(content, allow_pickle=False)
                found[info.filename.removesuffix(".npy")] = np.asarray(array)
        return found


def _check_bytes(total: int) -> None:
    check_size(total, ARRAY_BYTES, "the file", "bytes of arrays, unpacked")


def _size(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[int, int]:
    """How many items the array has and how many bytes each takes, as its header says."""
    with archive.open(info) as content:
        version = npy.read_magic(content)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(content)
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be loaded")
    count = 1
    for length in shape:
        count *= int(length)
    return count, dtype.itemsize


Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_COUNT = 15
"""Digits of a count: more would not add up exactly in float64."""
DISTINCT = "bytes in distinct strings"
BLOCK = 1 << 20
"""Bytes that are read at a time."""


def count_lines(path: PathLike, words: bool) -> dict[Symbols, int]:
    """How often each string is in the file; with `words`, its words are parted by one blank."""
    counts: dict[Symbols, int] = {}
    name, distinct, line_number = named(path), 0, 1
    try:
        with path_of(path).open("rb") as file:
            marked = file.peek(len(BYTE_ORDER_MARK)).startswith(BYTE_ORDER_MARK)
            offset = len(file.read(len(BYTE_ORDER_MARK))) if marked else 0
            for lines in _lines(file, name):
                for line, times in Counter(lines).items():
                    known = len(counts)
                    try:
                        _count_line(line, words, counts, times)
                    except UnicodeDecodeError as error:
                        before = sum(len(line) + 1 for line in lines[: lines.index(line)])
                        raise not_utf8(path, offset + before + error.start, "corpus") from None
                    except InputError as error:
                        number = line_number + lines.index(line)
                        raise InputError(f"{name}: line {number}: {error}") from None
                    distinct += len(line) + 1 if len(counts) > known else 0
                offset += sum(map(len, lines)) + len(lines)
                line_number += len(lines)
                check_size(distinct, DISTINCT_BYTES, name, DISTINCT)
                check_size(offset, CORPUS_BYTES, name, "bytes")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise unreadable(path, error) from None
    if not counts:
        raise InputError(f"{name}: the file is empty; write one string a line.")
    return counts


def _lines(file: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """Some lines at a time, none of them longer than a string may be."""
    begun: list[bytes] = []
    """A line whose end has not been read."""
    while block := file.read(BLOCK):
        head, newline, rest = block.rpartition(b"\n")
        if newline:
            lines = b"".join([*begun, head]).split(b"\n")
            _check_lines(max(map(len, lines)), name)
            yield lines
            begun = []
        begun += [rest] if rest else []
        _check_lines(sum(map(len, begun)), name)
    if begun:
        yield [b"".join(begun)]


def _check_lines(longest: int, name: str) -> None:
    check_size(longest, LINE_BYTES, f"a line of {name}", "bytes")


def _count_line(line: bytes, words: bool, counts: dict[Symbols, int], times: int) -> None:
    text = line.decode("utf-8").removesuffix("\r")
    if "\r" in text:
        raise InputError(
            "a carriage return stands within the line; convert the line ends of the file to LF or "
            "CRLF and try again."
        )
    count = times
    if "\t" in text:
        head, _, text = text.partition("\t")
        count *= _count(head)
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


def line_text(string: Symbols, count: int, words: bool) -> str:
    """The line from which `count_lines` reads the string; refused where there is none."""
    text = spelled(string, words)
    same = (text.split() if words else list(text)) == list(string)
    if not same or not {"\n", "\r"}.isdisjoint(text) or not _is_unicode(text):
        raise InputError(
            f"{short(text)} would not read back from a text file, since a symbol has a blank, a "
            "line end or half a character; use other symbols."
        )
    return f"{count}\t{text}\n"


def _is_unicode(text: str) -> bool:
    """Whether it can be written: JSON may hold half of a surrogate pair."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def read_sequences(path: PathLike) -> Arrays:
    """`inputs`, `targets` and, where the file has them, `lengths`; their sense is not checked."""
    try:
        with path_of(path).open("rb") as file:
            return _arrays(file)
    except InputError as error:
        raise InputError(f"{named(path)}: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None


def _arrays(file: BinaryIO) -> Arrays:
    try:
        arrays = unpacked(file, NUMBERS)
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
