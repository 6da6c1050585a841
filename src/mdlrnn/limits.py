"""Bounds on what a file may hold, so that a stranger's file costs neither the memory nor the day.

Each is far beyond what a search can use. Those who have a reason lift them all:
`mdlrnn --no-limits ...`, or in Python `with mdlrnn.no_limits():`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import InputError

TEXT_BYTES = 16 * 2**20
"""Of a file that is read as a whole: a network, settings, a front, a certificate."""
GRAMMAR_BYTES = 2**20
CORPUS_BYTES = 2**30
"""Of a corpus as text, which is read line by line."""
LINE_BYTES = 10_000_000
"""Of one line of a corpus."""
DISTINCT_BYTES = 10_000_000
"""Of all distinct strings of a corpus together."""
NUMBERS = 16_000_000
"""In the arrays of a corpus together: each takes some 40 bytes while it is read, whatever its
type."""
ARRAY_BYTES = 512 * 2**20
"""Of all arrays of a file together, unpacked."""
SEARCHED_NETWORKS = 4_000_000
"""On all islands of a search together: each takes some kilobytes."""
SEARCHED_NUMBERS = 5_000_000
"""Distinct prefixes of a corpus times its inputs and outputs: a search works out so many numbers
for every network."""
FED_NUMBERS = 60_000_000
"""Units of a network times distinct prefixes of the strings that it is fed at once."""
FED_PRODUCTS = 1_000_000_000
"""Connections of a network times those prefixes."""
CONNECTIONS = 100_000
SYMBOL_LENGTH = 200
"""Characters of one symbol."""
RULES = 2_000
"""Of a grammar, and of a machine, a notation's included."""
NONTERMINALS = 150
"""Of a grammar, those that recur through each other."""
GRAMMAR_STRING = 2_000
"""Symbols of a string whose probability a grammar is asked for: that takes the cube of it."""
GRAMMAR_SECONDS = 8.0
"""For the probabilities of a set of strings under a grammar."""
DRAWN_LENGTH = 100_000
"""Symbols of a string that is drawn."""
COUNTER_BITS = 1 << 18
"""Of a machine's counter while a string is drawn: one that a rule multiplies grows with every
symbol."""

_LIFTED: ContextVar[bool] = ContextVar("lifted", default=False)


@contextmanager
def no_limits() -> Iterator[None]:
    """In this context files of any size are read, if memory allows."""
    token = _LIFTED.set(True)
    try:
        yield
    finally:
        _LIFTED.reset(token)


def lift_limits() -> None:
    """From here on, for the whole process."""
    _LIFTED.set(True)


def are_lifted() -> bool:
    return _LIFTED.get()


def passes(value: int, limit: int) -> bool:
    """Whether a value is within a limit, or limits are lifted."""
    return value <= limit or are_lifted()


def too_large(what: str, limit: int, unit: str) -> InputError:
    """`what` goes on with 'has more than so many ...'."""
    return InputError(
        f"{what} has more than {limit:,} {unit}; make it smaller, or lift the limits with "
        "mdlrnn --no-limits (in Python, mdlrnn.no_limits())."
    )


def check_size(value: int, limit: int, what: str, unit: str) -> None:
    if not passes(value, limit):
        raise too_large(what, limit, unit)
