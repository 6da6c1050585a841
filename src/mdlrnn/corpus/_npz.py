"""Unpacking `.npz` files without pickles, and only when their arrays are of a size that fits."""

from __future__ import annotations

import struct
import zipfile
import zlib
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from .._errors import InputError
from .._limits import ARRAY_BYTES, check_size

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
