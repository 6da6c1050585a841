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
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from ..corpus._files import DAMAGED

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


def unseal(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of a sealed file; a file that is not intact is refused."""
    if not is_sealed(data):
        raise InputError("not intact, or not a file of mdlrnn")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays}
    except (*DAMAGED, TokenError, struct.error):
        raise InputError("sealed, but not by mdlrnn") from None


def _comment(body: bytes) -> bytes:
    return _MARK + hashlib.sha256(body).hexdigest().encode()
