"""The checkpoint of a run: all islands in one sealed file, checked before a kernel sees them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..checks import short
from ..errors import InputError
from ..kernels import (
    CONNECTION_WORDS,
    COUNTERS,
    FRONT_COUNT,
    FRONT_SIZE,
    HEADER,
    PRODUCT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    UNKNOWN,
    State,
    Words,
    marked,
    pack,
)
from ..network import ACTIVATIONS, LARGEST_INTEGER, MOST_UNITS, TYPES
from ..search import (
    ROW_WORDS,
    Archipelago,
    Problem,
    begins_with_founders,
    front_of,
    rows_of,
)
from ._files import read_sealed, seal, unseal


def damaged(what: str) -> InputError:
    return InputError(f"not a checkpoint that mdlrnn wrote ({what})")


def check_rows(words: Words, sizes: Words, inputs: int, outputs: int) -> None:
    """Raise InputError unless the packed rows are networks with these inputs and outputs."""
    _hold((sizes >= HEADER) & (sizes <= words.size))
    if int(sizes.sum()) != words.size:
        raise damaged("its rows do not fit their sizes")
    starts = np.cumsum(sizes) - sizes
    units, connections = words[starts], words[starts + 1]
    _hold((units >= inputs + outputs) & (units <= MOST_UNITS))
    _hold((connections >= 0) & (connections <= words.size))
    _hold(sizes == HEADER + UNIT_WORDS * units + CONNECTION_WORDS * connections)
    _check_units(words, starts + HEADER, units, inputs)
    _check_connections(words, starts + HEADER + UNIT_WORDS * units, connections, units)


def _check_units(words: Words, starts: Words, units: Words, inputs: int) -> None:
    number, at = _places(starts, units, UNIT_WORDS)
    code, numerator = words[at], words[at + 1]
    _hold((code >= 0) & (code < PRODUCT * len(TYPES)) & (code % PRODUCT < len(ACTIVATIONS)))
    _check_weights(numerator, words[at + 2])
    _hold((number >= inputs) | ((code == 0) & (numerator == 0)))


def _check_connections(words: Words, starts: Words, connections: Words, units: Words) -> None:
    number, at = _places(starts, connections, CONNECTION_WORDS)
    key, numerator = words[at], words[at + 1]
    known = np.repeat(units, connections)
    _hold((key >= 0) & (key // TARGET < known) & ((key & SOURCE_MASK) < known))
    _hold(numerator != 0)
    _check_weights(numerator, words[at + 2])
    _hold((key[1:] > key[:-1]) | (number[1:] == 0))


def _check_weights(numerator: Words, denominator: Words) -> None:
    _hold((numerator >= -LARGEST_INTEGER) & (numerator <= LARGEST_INTEGER))
    _hold((denominator >= 1) & (denominator <= LARGEST_INTEGER))


def _places(starts: Words, counts: Words, step: int) -> tuple[Words, Words]:
    """For all items of all rows: the item's number in its row, and its place in the words."""
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return number, np.repeat(starts, counts) + step * number


def _hold(rule: NDArray[Any]) -> None:
    if not rule.all():
        raise damaged("a row is no network")


FORMAT = "mdlrnn-checkpoint/1"
_NUMBERS = tuple(
    f.name for f in fields(Archipelago) if f.name not in ("islands", "history", "rescore")
)


def to_bytes(archipelago: Archipelago, fingerprint: str) -> bytes:
    """The content of a checkpoint file. Equal archipelagos give equal bytes."""
    about = {
        "format": FORMAT,
        "version": __version__,
        "fingerprint": fingerprint,
        "ancestry": True,
        **{name: getattr(archipelago, name) for name in _NUMBERS},
        "history": archipelago.history,
    }
    islands = archipelago.islands
    words, starts = pack([row for state in islands for row in rows_of(state)])
    fronts = [front_of(state) for state in islands]
    entries = [entry for front in fronts for entry in front]
    front_words, front_starts = pack([row for _, _, row in entries])
    return seal(
        {
            "about": np.array(json.dumps(about)),
            "words": _narrow(words),
            "sizes": _narrow(np.diff(starts)),
            "values": np.stack([state.values for state in islands]),
            "lengths": _narrow(np.stack([state.lengths for state in islands])),
            "bits": np.stack([state.bits for state in islands]),
            "random": np.stack([state.random for state in islands]),
            "counters": np.stack([state.counters for state in islands]),
            "best_values": np.concatenate([state.best_value for state in islands]),
            "front_counts": np.array([len(front) for front in fronts], np.int64),
            "front_words": _narrow(front_words),
            "front_sizes": _narrow(np.diff(front_starts)),
            "front_lengths": np.array([length for length, _, _ in entries], np.int64),
            "front_bits": np.array([bits for _, bits, _ in entries], np.float64),
        }
    )


def load(path: Path, problem: Problem, fingerprint: str) -> Archipelago:
    """The archipelago of a checkpoint file that belongs to the run with this fingerprint.

    Errors say what is wrong with the file; what to do about it only the run folder knows.
    """
    try:
        return from_bytes(read_sealed(path), problem, fingerprint)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def from_bytes(data: bytes, problem: Problem, fingerprint: str) -> Archipelago:
    """The archipelago that `to_bytes` wrote; anything else is refused."""
    arrays = unseal(data)
    try:
        about = json.loads(str(arrays["about"]))
        _check_about(about, fingerprint)
        numbers = {name: _number(about[name], name) for name in _NUMBERS}
        history = tuple(dict(entry) for entry in about["history"])
        noted = "ancestry" in about or not begins_with_founders(problem)
        islands = _islands(arrays, problem, None if noted else UNKNOWN)
        return Archipelago(islands, history=history, **numbers)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, RecursionError):
        raise damaged("a part is missing") from None


def _check_about(about: Any, fingerprint: str) -> None:
    kind = about.get("format") if isinstance(about, dict) else None
    if not isinstance(kind, str) or not kind.startswith("mdlrnn-checkpoint/"):
        raise damaged("it does not say so")
    if kind != FORMAT:
        raise InputError(
            f'made by a newer mdlrnn, which can go on from it ("{kind}"; this one reads "{FORMAT}")'
        )
    if about.get("fingerprint") != fingerprint:
        raise InputError("made with another corpus or other settings than those of this run")


def _number(value: Any, name: str) -> Any:
    wanted = (int, float) if name in ("best", "seconds") else int
    if isinstance(value, bool) or not isinstance(value, wanted) or not _is_possible(value):
        raise damaged(f"{name} is {short(value)}")
    return value


def _is_possible(value: float) -> bool:
    """Of counts, seconds and scores; the score of a run without a network yet is infinite."""
    return 0 <= value <= 2**62 or value == math.inf


def _islands(
    arrays: Mapping[str, NDArray[Any]], problem: Problem, ancestry: int | None
) -> tuple[State, ...]:
    """The islands, all of whose networks have this ancestry where one is given."""
    islands, population = problem.search.islands, problem.search.population
    counts = _array(arrays, "front_counts", "i", islands)
    if not ((counts >= 0) & (counts <= FRONT_SIZE)).all():
        raise damaged("a front has an impossible length")
    rows = _rows(arrays, "", islands * population, problem)
    values = _array(arrays, "values", "f", islands, population)
    lengths = _array(arrays, "lengths", "i", islands, population)
    bits = _array(arrays, "bits", "f", islands, population)
    random = _array(arrays, "random", "u", islands, 4)
    counters = _array(arrays, "counters", "i", islands, COUNTERS)
    best_values = _array(arrays, "best_values", "f", islands)
    everywhere = int(counts.sum())
    front_rows = _rows(arrays, "front_", everywhere, problem)
    front_lengths = _array(arrays, "front_lengths", "i", everywhere)
    front_bits = _array(arrays, "front_bits", "f", everywhere)
    if np.isnan(values).any() or not random.any(axis=1).all():
        raise damaged("a value or a random state is impossible")
    if not np.array_equal(counters[:, FRONT_COUNT], counts):
        raise damaged("its counters do not fit its fronts")
    states = []
    end = 0
    for i, count in enumerate(counts.tolist()):
        own = rows[i * population : (i + 1) * population]
        start, end = end, end + count
        front = front_rows[start:end]
        if ancestry is not None:
            own, front = ([marked(row, ancestry) for row in some] for some in (own, front))
        width = _width(own + front)
        states.append(
            State(
                genomes=_matrix(own, population, width),
                values=values[i].copy(),
                lengths=lengths[i].copy(),
                bits=bits[i].copy(),
                random=random[i].copy(),
                counters=counters[i].copy(),
                best_value=best_values[i : i + 1].copy(),
                front=_matrix(front, FRONT_SIZE, width),
                front_lengths=np.pad(front_lengths[start:end], (0, FRONT_SIZE - count)),
                front_bits=np.pad(front_bits[start:end], (0, FRONT_SIZE - count)),
            )
        )
    return tuple(states)


def _rows(
    arrays: Mapping[str, NDArray[Any]], prefix: str, count: int, problem: Problem
) -> list[Words]:
    sizes = _array(arrays, prefix + "sizes", "i", count)
    words = _array(arrays, prefix + "words", "i", arrays[prefix + "words"].size)
    check_rows(words, sizes, problem.corpus.inputs, problem.corpus.outputs)
    return np.split(words, np.cumsum(sizes)[:-1]) if count else []


def _array(arrays: Mapping[str, NDArray[Any]], name: str, kind: str, *shape: int) -> NDArray[Any]:
    """The array as islands hold it, 64 bits wide."""
    array = arrays[name]
    if array.dtype.kind != kind or array.shape != shape:
        raise damaged(f"{name} has another type or shape")
    return array.astype({"i": np.int64, "u": np.uint64, "f": np.float64}[kind])


def _width(rows: list[Words]) -> int:
    """A row length that holds all these; islands widen their rows themselves when need be."""
    largest = max(row.size for row in rows)
    width = ROW_WORDS
    while width < largest:
        width *= 2
    return width


def _matrix(rows: list[Words], height: int, width: int) -> NDArray[np.int64]:
    matrix = np.zeros((height, width), dtype=np.int64)
    for i, row in enumerate(rows):
        matrix[i, : row.size] = row
    return matrix


def _narrow(array: NDArray[np.int64]) -> NDArray[Any]:
    """The same integers in as few bytes as hold them all."""
    for kind in (np.int16, np.int32):
        bounds = np.iinfo(kind)
        if array.min(initial=0) >= bounds.min and array.max(initial=0) <= bounds.max:
            return array.astype(kind)
    return array
