"""What must hold of the networks in a checkpoint. Kernels use their words as indices without
looking, so nothing that breaks a rule here may reach an island."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from ..kernels._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Words,
)
from ..network._activations import ACTIVATIONS
from ..network._alphabet import MOST_UNITS
from ..network._units import LARGEST_INTEGER, TYPES


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
