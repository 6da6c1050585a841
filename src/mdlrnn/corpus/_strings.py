"""What a corpus is made from, checked and laid out flat: strings as codes, sequences as rows; and
corpus files: text with one string a line, and `.npz` with sequences, read without pickles.
"""

from __future__ import annotations

import operator
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..checks import short, shown
from ..errors import InputError
from ..files import PathLike, named, not_utf8, open_bytes, path_of, unreadable
from ..limits import ARRAY_BYTES, CORPUS_BYTES, DISTINCT_BYTES, LINE_BYTES, NUMBERS, check_size
from ..network import BOUNDARY, MOST_SYMBOLS, spelled

Floats = NDArray[np.float64]
Symbols = str | tuple[str, ...]
"""A string with a symbol a character (or a word a symbol), or the symbols one by one."""


class Sequences(NamedTuple):
    """Numeric sequences one after the other: row i of `rows` and of `targets` is one step."""

    rows: Floats
    targets: Floats
    lengths: NDArray[np.int64]


def forbid_boundary(symbols: str | Sequence[str]) -> None:
    if BOUNDARY in symbols:
        raise InputError(
            f"{BOUNDARY!r} is in the string, but it is the boundary symbol, which is added and "
            "never written; remove it or use another symbol."
        )


def forbid_table(strings: object) -> None:
    """A table would be read by the names of its columns, or row by row."""
    columns = getattr(strings, "column_names", getattr(strings, "columns", None))
    if getattr(strings, "ndim", None) != 2 and columns is None:
        return
    shape = getattr(strings, "shape", None)
    named = "" if columns is None else f" with the columns {shown(map(str, columns))}"
    size = "" if shape is None else f" of shape {tuple(shape)}"
    raise InputError(
        f"the strings are a {type(strings).__name__}{size}{named}; give one of its columns."
    )


def count_strings(
    strings: Iterable[str | Sequence[str]], counts: Iterable[int] | None, words: bool
) -> dict[Symbols, int]:
    """How often each string is there; with `words`, its words are parted by one blank."""
    if isinstance(strings, str | bytes | Mapping):
        raise InputError(
            f"strings is a {type(strings).__name__}; give a list of strings, and how often each "
            "of them is there as counts."
        )
    forbid_table(strings)
    number = 0
    left = None if counts is None else iter(counts)
    counted: dict[Symbols, int] = {}
    for number, string in enumerate(strings, 1):
        place = f"strings[{number - 1}]"
        symbols = " ".join(string.split()) if words and isinstance(string, str) else string
        if not isinstance(symbols, str):
            symbols = _symbols(symbols, place)
        if symbols not in counted:
            try:
                forbid_boundary(symbols.split() if words and isinstance(symbols, str) else symbols)
            except InputError as error:
                raise InputError(f"{place}: {error}") from None
            counted[symbols] = 0
        counted[symbols] += 1 if left is None else _count(left, number)
    if left is not None and next(left, None) is not None:
        raise InputError(
            f"there are more counts than the {number} strings; give one count for each string."
        )
    if not counted:
        raise InputError("there are no strings; give one or more.")
    return counted


def encode(
    strings: Sequence[Symbols], words: bool
) -> tuple[tuple[str, ...], NDArray[Any], NDArray[np.int64]]:
    """The alphabet, the codes of all strings, each with the boundary before it, and the lengths."""

    def spelled() -> Iterable[str | Sequence[str]]:
        if not words:
            return strings
        return (string.split() if isinstance(string, str) else string for string in strings)

    alphabet = (BOUNDARY, *sorted(set(chain.from_iterable(spelled()))))
    if len(alphabet) > MOST_SYMBOLS:
        raise InputError(
            f"there are {len(alphabet)} symbols, but a network holds at most {MOST_SYMBOLS} of "
            "them; replace the rare ones by a common symbol."
        )
    code = {symbol: number for number, symbol in enumerate(alphabet)}
    lengths = np.fromiter(map(len, spelled()), np.int64, len(strings))
    codes = np.fromiter(
        map(code.__getitem__, chain.from_iterable(spelled())),
        np.min_scalar_type(len(alphabet) - 1),
        int(lengths.sum()),
    )
    return alphabet, np.insert(codes, np.cumsum(lengths) - lengths, 0), lengths + 1


def flatten(inputs: Any, targets: Any, lengths: Any) -> Sequences:
    """Sequences given as arrays (sequence, step, unit), or as lists with an array for each."""
    if isinstance(inputs, np.ndarray) and isinstance(targets, np.ndarray):
        flat = _flatten_padded(inputs, targets, lengths)
    else:
        flat = _flatten_list(_listed(inputs, "inputs"), _listed(targets, "targets"), lengths)
    _refuse(~np.isfinite(flat.rows), flat, "inputs", "every input must be a finite number")
    _refuse(~np.isfinite(flat.targets), flat, "targets", "every target must be a finite number")
    if flat.targets.shape[1] == 1:
        outside = (flat.targets < 0) | (flat.targets > 1)
        remedy = (
            "with a single output a target is the probability of 1, from 0 to 1; for more "
            "outputs give targets of shape (sequence, step, output)"
        )
    else:
        outside = flat.targets < 0
        remedy = "targets are weights of the outputs, 0 or more"
    _refuse(outside, flat, "targets", remedy)
    if flat.targets.shape[1] > 1 and not flat.targets.any():
        raise InputError("every target is 0, so there is nothing to predict; give targets.")
    return flat


def distinct_rows(rows: Floats) -> tuple[Floats, NDArray[Any]]:
    """The distinct rows in lexicographic order, and for each row which of them it is."""
    codes = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values = np.unique(column)
        codes = codes * len(values) + np.searchsorted(values, column)
        codes = np.searchsorted(np.unique(codes), codes)
    first = np.zeros(int(codes.max()) + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return rows[first], codes.astype(np.min_scalar_type(len(first) - 1))


def _symbols(string: object, place: str) -> tuple[str, ...]:
    if isinstance(string, bytes) or not isinstance(string, Sequence):
        raise InputError(f"{place} is a {type(string).__name__}; give a string or its symbols.")
    for symbol in string:
        if not isinstance(symbol, str) or not symbol:
            raise InputError(f"{place} holds {symbol!r}, which is no symbol; give non-empty text.")
    return tuple(string)


def _count(counts: Any, number: int) -> int:
    try:
        count = next(counts)
    except StopIteration:
        raise InputError(
            f"there are {number - 1} counts but more strings; give one count for each string."
        ) from None
    try:
        value = 0 if isinstance(count, bool | np.bool_) else operator.index(count)
    except TypeError:
        value = 0
    if value < 1:
        raise InputError(f"counts[{number - 1}] is {count!r}; give an integer of 1 or more.")
    return value


def _listed(sequences: Any, name: str) -> list[Any]:
    try:
        return list(sequences)
    except TypeError:
        raise InputError(
            f"{name} is {sequences!r:.40}; give an array (sequence, step, unit) or a list."
        ) from None


def _same_number(inputs: int, targets: int) -> None:
    if inputs != targets:
        raise InputError(
            f"there are {inputs} sequences of inputs but {targets} of targets; "
            "give both for each sequence."
        )


def _flatten_padded(inputs: NDArray[Any], targets: NDArray[Any], lengths: Any) -> Sequences:
    _check_kind(inputs, "inputs")
    _check_kind(targets, "targets")
    if targets.ndim == 2:
        targets = targets[:, :, np.newaxis]
    for name, array in (("inputs", inputs), ("targets", targets)):
        if array.ndim != 3:
            raise InputError(
                f"{name} has {array.ndim} dimensions; give it as (sequence, step, unit)."
            )
        if 0 in array.shape:
            raise InputError(f"{name} is empty, of shape {array.shape}; give steps and units.")
    _same_number(len(inputs), len(targets))
    if inputs.shape[1] != targets.shape[1]:
        raise InputError(
            f"the inputs have {inputs.shape[1]} steps but the targets {targets.shape[1]}; "
            "give a target for each step."
        )
    steps = inputs.shape[1]
    used = _check_lengths(lengths, np.full(len(inputs), steps))
    real = np.arange(steps) < used[:, np.newaxis]
    return Sequences(_floats(inputs[real]), _floats(targets[real]), used)


def _flatten_list(inputs: list[Any], targets: list[Any], lengths: Any) -> Sequences:
    if not inputs:
        raise InputError("there are no sequences; give one or more.")
    _same_number(len(inputs), len(targets))
    rows = [_matrix(item, f"inputs[{i}]") for i, item in enumerate(inputs)]
    goals = [_matrix(item, f"targets[{i}]", column=True) for i, item in enumerate(targets)]
    for name, matrices in (("inputs", rows), ("targets", goals)):
        for i, matrix in enumerate(matrices):
            if matrix.shape[1] != matrices[0].shape[1]:
                raise InputError(
                    f"{name}[{i}] has {matrix.shape[1]} units but {name}[0] has "
                    f"{matrices[0].shape[1]}; give all sequences the same units."
                )
    for i, (row, goal) in enumerate(zip(rows, goals, strict=True)):
        if len(row) != len(goal):
            raise InputError(
                f"inputs[{i}] has {len(row)} steps but targets[{i}] has {len(goal)}; "
                "give a target for each step."
            )
    used = _check_lengths(lengths, np.array([len(row) for row in rows]))
    cut = used.tolist()
    return Sequences(
        _floats(np.concatenate([row[:end] for row, end in zip(rows, cut, strict=True)])),
        _floats(np.concatenate([goal[:end] for goal, end in zip(goals, cut, strict=True)])),
        used,
    )


def _matrix(item: object, place: str, column: bool = False) -> NDArray[Any]:
    try:
        array = np.asarray(item)
    except ValueError:
        raise InputError(f"{place} is no matrix; give all steps equally many units.") from None
    _check_kind(array, place)
    if column and array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise InputError(
            f"{place} has {array.ndim} dimensions; give each sequence as (step, unit)."
        )
    if 0 in array.shape:
        raise InputError(f"{place} is empty, of shape {array.shape}; give steps and units.")
    return array


def _check_kind(array: NDArray[Any], place: str) -> None:
    if array.dtype.kind not in "biuf":
        raise InputError(
            f"{place} holds values of type {array.dtype}; give plain numbers, and sequences of "
            "differing lengths as a list of arrays or padded, with their lengths."
        )


def _check_lengths(lengths: Any, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many steps of each sequence to use: all of them where no lengths are given."""
    if lengths is None:
        return steps
    array = np.asarray(lengths)
    if array.shape != steps.shape:
        raise InputError(
            f"lengths has the shape {array.shape}, but there are {len(steps)} sequences; "
            "give one length for each."
        )
    if array.dtype.kind not in "iu":
        raise InputError(f"lengths holds values of type {array.dtype}; give integers.")
    wrong = np.flatnonzero((array < 1) | (array > steps))
    if len(wrong):
        at = int(wrong[0])
        raise InputError(
            f"lengths[{at}] is {array[at]}, but that sequence has {steps[at]} steps; "
            f"give a length from 1 to {steps[at]}."
        )
    return array.astype(np.int64)


def _floats(array: NDArray[Any]) -> Floats:
    """In double precision and without negative zeros, which would split equal prefixes."""
    return array.astype(np.float64) + 0.0


def _refuse(bad: NDArray[np.bool_], flat: Sequences, name: str, remedy: str) -> None:
    if not bad.any():
        return
    row, unit = (int(i) for i in np.argwhere(bad)[0])
    ends = np.cumsum(flat.lengths)
    sequence = int(np.searchsorted(ends, row, side="right"))
    step = row - int(ends[sequence] - flat.lengths[sequence])
    value = getattr(flat, "rows" if name == "inputs" else name)[row, unit]
    raise InputError(f"{name}[{sequence}, {step}, {unit}] is {value}; {remedy}.")


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
        with open_bytes(path) as file:
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


def blank_lines(path: PathLike) -> int:
    """How many lines of the file have nothing on them, so that they stand for the empty string."""
    with open_bytes(path) as file:
        return sum(not line.strip(b"\r\n") for line in file)


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
        count *= _count_of_line(head)
    if words:
        text = " ".join(text.split())
    if text in counts:
        counts[text] += count
    else:
        forbid_boundary(text.split() if words else text)
        counts[text] = count


def _count_of_line(text: str) -> int:
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
