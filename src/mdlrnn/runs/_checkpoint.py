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
    COUNTERS,
    FRONT_COUNT,
    FRONT_SIZE,
    UNKNOWN,
    State,
    Words,
    are_networks,
    marked,
    pack,
)
from ..search import (
    Archipelago,
    Problem,
    begins_with_founders,
    front_of,
    narrow,
    row_words,
    rows_of,
)
from ._files import read_sealed, seal, unseal


def damaged(what: str) -> InputError:
    return InputError(f"not a checkpoint that mdlrnn wrote ({what})")


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
            "words": narrow(words),
            "sizes": narrow(np.diff(starts)),
            "values": np.stack([state.values for state in islands]),
            "lengths": narrow(np.stack([state.lengths for state in islands])),
            "bits": np.stack([state.bits for state in islands]),
            "random": np.stack([state.random for state in islands]),
            "counters": np.stack([state.counters for state in islands]),
            "best_values": np.concatenate([state.best_value for state in islands]),
            "front_counts": np.array([len(front) for front in fronts], np.int64),
            "front_words": narrow(front_words),
            "front_sizes": narrow(np.diff(front_starts)),
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
        width = row_words(max(row.size for row in own + front))
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
    if not are_networks(words, sizes, problem.corpus.inputs, problem.corpus.outputs):
        raise damaged("a row is no network")
    return np.split(words, np.cumsum(sizes)[:-1]) if count else []


def _array(arrays: Mapping[str, NDArray[Any]], name: str, kind: str, *shape: int) -> NDArray[Any]:
    """The array as islands hold it, 64 bits wide."""
    array = arrays[name]
    if array.dtype.kind != kind or array.shape != shape:
        raise damaged(f"{name} has another type or shape")
    return array.astype({"i": np.int64, "u": np.uint64, "f": np.float64}[kind])


def _matrix(rows: list[Words], height: int, width: int) -> NDArray[np.int64]:
    matrix = np.zeros((height, width), dtype=np.int64)
    for i, row in enumerate(rows):
        matrix[i, : row.size] = row
    return matrix
