"""Arrays as a sealed `.npz`: one that carries a SHA-256 of itself and holds no pickles.

The digest stands in the zip comment, the last bytes of the file, and every other byte enters it.
So a damaged file is known before it is parsed; `numpy.load` reads a sealed file like any other.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..corpus import DAMAGED, unpacked
from ..errors import InputError
from ..files import read_bytes
from ..limits import ARRAY_BYTES

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
