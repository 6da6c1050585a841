"""Small changes to valid files: of their bytes, their words, their JSON and their arrays."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TEXTS = (
    "", " ", "\t", "\x00", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "\x7f", "a\nb",
    "\r", "\r\n",
    "\u202egnihtyna", "\u2028", "\ufeff", "\ud800", "é", "𝒳", "a" * 300, "x" * 100_000,
    "\x1b" * 500,
    "../../../etc/passwd", "1e999999999", "NaN", "-0", "{}", "[]", "#", "##", "%s %d", "{0}", "\\",
    "'", '"', "$(id)", "<script>", "anbn", "sigmoid", "product", "recurrent", "mdlrnn/2", "0", "1",
    "9" * 4000, "1/0", "1/3", "-1e400", "\x1b[2J" * 30_000, "ab" * 40,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 7, 100, 2**15, 2**31, 2**32, 2**53, 2**53 + 1, 2**62, 2**63, 2**64, 10**18,
    10**100, -(10**30), -(2**63), 0.5, -0.0, 1e308, 1e-320, float("inf"), float("-inf"),
    float("nan"), True, False, None,
)  # fmt: skip
BYTES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"\xc2\x9b", b"\xed\xa0\x80", b"\r\n",
    b"\n",
    b"\t", b"#", b"1e999999999", b"9" * 5000, b"[" * 50_000, b'{"a":' * 2000, b"-", b" " * 1000,
    b"\xe2\x80\xae", b"PK\x03\x04", b"\x93NUMPY",
)  # fmt: skip


def mutated_bytes(data: bytes, draw: random.Random) -> bytes:
    """One to four changes somewhere in the bytes."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice((1, 1, 2, 8, 60, 400)))
        part = data[at:end]
        kind = draw.randrange(8)
        if kind == 0:
            new = bytes(byte ^ (1 << draw.randrange(8)) for byte in part)
        elif kind == 1:
            new = b""
        elif kind == 2:
            new = part * draw.choice((2, 3, 50, 2000))
        elif kind == 3:
            new = draw.choice(BYTES)
        elif kind == 4:
            new = part + draw.choice(BYTES)
        elif kind == 5:
            new = draw.randbytes(len(part))
        elif kind == 6:
            return data[:at]
        else:
            other = draw.randrange(len(data) + 1)
            new = part + data[other : other + draw.choice((1, 10, 200))]
        data = data[:at] + new + data[end:]
    return data


def mutated_words(text: str, draw: random.Random, more: tuple[str, ...] = ()) -> str:
    """Words of a text swapped, dropped, repeated or replaced by others."""
    words = re.split(r"(\s+|[^\w\s])", text)
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        at = draw.randrange(len(words))
        kind = draw.randrange(6)
        if kind == 0:
            words[at] = draw.choice(words)
        elif kind == 1:
            words[at] = ""
        elif kind == 2:
            words[at] *= draw.choice((2, 3, 200))
        elif kind == 3:
            words[at] = draw.choice(TEXTS).encode("utf-8", "replace").decode()
        elif kind == 4 and more:
            words[at] = draw.choice(more)
        else:
            other = draw.randrange(len(words))
            words[at], words[other] = words[other], words[at]
    return "".join(words)


def strange(draw: random.Random) -> Any:
    kind = draw.randrange(6)
    if kind < 2:
        return draw.choice(TEXTS)
    if kind < 4:
        return draw.choice(NUMBERS)
    if kind == 4:
        deep: Any = draw.choice(NUMBERS)
        for _ in range(draw.choice((1, 2, 40, 300))):
            deep = [deep] if draw.random() < 0.5 else {"a": deep}
        return deep
    return draw.choice(([], {}, [[]], [None], [1, 2], ["a", "b"], {"format": "mdlrnn/1"}))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all parts of a decoded JSON value but the whole."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, (*path, key))
    elif isinstance(value, list):
        for key, item in enumerate(value):
            found += places(item, (*path, key))
    return found


def mutated_json(value: Any, draw: random.Random) -> Any:
    """A copy with one to three parts replaced, removed, repeated, moved or added."""
    value = json.loads(json.dumps(value))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        ways = places(value)
        if not ways:
            return strange(draw)
        *above, last = draw.choice(ways)
        holder = value
        for key in above:
            holder = holder[key]
        _change(holder, last, value, ways, draw)
    return value


def _change(holder: Any, last: Any, whole: Any, ways: list[Any], draw: random.Random) -> None:
    kind = draw.randrange(7)
    if kind <= 1:
        holder[last] = strange(draw)
    elif kind == 2:
        del holder[last]
    elif kind == 3 and isinstance(holder[last], int | float):
        holder[last] = holder[last] * draw.choice((-1, 2, 10)) + draw.choice((-1, 0, 1))
    elif kind == 4 and isinstance(holder, list):
        copies = draw.choice((1, 2, 20, 5000 if len(holder) < 100 else 2))
        holder[last:last] = [holder[last]] * copies
    elif kind == 5 and isinstance(holder, dict):
        holder[draw.choice(TEXTS[:20])] = strange(draw)
    else:
        other = whole
        for key in draw.choice(ways):
            other = other[key]
        holder[last] = json.loads(json.dumps(other))


def json_bytes(value: Any, draw: random.Random) -> bytes:
    """The text of a JSON value; now and then with a number too long for JSON's reader."""
    text = json.dumps(value, indent=draw.choice((None, 1)), ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.1:
        numbers = list(re.finditer(r"-?\d+", text))
        if numbers:
            found = draw.choice(numbers)
            long = draw.choice(("9" * 5000, "1e999999999", "1e999", "0.1", "01", "-", "1.0"))
            text = text[: found.start()] + long + text[found.end() :]
    return text.encode("utf-8", "surrogatepass" if draw.random() < 0.1 else "replace")


def mutated_array(array: NDArray[Any], draw: random.Random) -> NDArray[Any]:
    """Another type, another shape, or other numbers."""
    array = np.array(array)
    kind = draw.randrange(9)
    if kind == 0:
        types = ("int8", "uint64", "float16", "float32", "float64", "complex128", "bool", "S3",
                 "U2",
                 "datetime64[s]", ">f8", "object")  # fmt: skip
        with np.errstate(all="ignore"):
            try:
                return array.astype(draw.choice(types))
            except (TypeError, ValueError):
                return np.array([None])
    if kind == 1:
        return array.reshape(-1)
    if kind == 2:
        return array[..., None]
    if kind == 3:
        return array[: draw.randrange(len(array) + 1)] if array.ndim else array[None]
    if kind == 4:
        return np.concatenate([array] * draw.choice((2, 3, 100))) if array.ndim else array
    if kind == 5:
        return np.array(strange(draw), dtype=object) if draw.random() < 0.2 else array.T
    if kind == 6 and array.dtype.kind in "US":
        return np.array(draw.choice(TEXTS))
    if not array.size or array.dtype.kind not in "iuf":
        return np.zeros(draw.choice(((), (0,), (1, 0), (2, 3, 0), (1, 1, 1))))
    flat = array.reshape(-1).copy()
    for _ in range(draw.choice((1, 2, 10))):
        at = draw.randrange(flat.size)
        flat[at] = _number_for(flat.dtype, draw)
    return flat.reshape(array.shape)


def _number_for(kind: np.dtype[Any], draw: random.Random) -> Any:
    if kind.kind == "f":
        return draw.choice((0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 1e-320, np.nan, np.inf, -np.inf))
    bounds = np.iinfo(kind)
    near = (0, 1, 2, 3, 7, 255, 4095, 2**31, 2**53, 2**62)
    fitting = [n for n in near if n <= bounds.max] + [bounds.max, bounds.min]
    return draw.choice(fitting)


def chosen(draw: random.Random, *options: Callable[[], Any]) -> Any:
    return draw.choice(options)()
