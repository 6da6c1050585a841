"""Symbols: the boundary, what an alphabet may be, and how a string is read symbol by symbol."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InputError
from ..limits import SYMBOL_LENGTH, check_size

BOUNDARY = "#"
"""Begins and ends every string; it is added, never written."""
MOST_UNITS = 4096
MOST_SYMBOLS = MOST_UNITS // 2
"""A network needs an input and an output for each symbol."""


def check_alphabet(alphabet: Sequence[object]) -> None:
    if not all(isinstance(symbol, str) and symbol for symbol in alphabet):
        raise InputError("the alphabet holds something that is not a symbol; give strings.")
    longest = max((len(str(symbol)) for symbol in alphabet), default=0)
    check_size(longest, SYMBOL_LENGTH, "a symbol of the alphabet", "characters")
    if len(set(alphabet)) != len(alphabet):
        raise InputError("the alphabet names a symbol twice; name each symbol once.")
    if BOUNDARY not in alphabet:
        raise InputError(f"the alphabet lacks the boundary symbol {BOUNDARY}; put it first.")
    if len(alphabet) > MOST_SYMBOLS:
        raise InputError(
            f"the alphabet has {len(alphabet)} symbols; a network holds at most {MOST_SYMBOLS}."
        )


def has_words(alphabet: Sequence[str] | None) -> bool:
    """Whether symbols are words, so that a string of them is written with blanks between."""
    return alphabet is not None and any(len(symbol) > 1 for symbol in alphabet)


def symbols_of(string: str, alphabet: Sequence[str] | None, words: bool = False) -> list[str]:
    """The symbols of a string as a person types it: its words or its characters.

    It has words where the alphabet has some, or where it has blanks that are no symbol.
    """
    if alphabet is not None and " " not in alphabet:
        words = words or has_words(alphabet) or any(map(str.isspace, string))
    return string.split() if words else list(string)


def spelled(symbols: Sequence[str], words: bool | None = None) -> str:
    """The string as a person types it; `words` is told from the symbols where it is None."""
    blank = has_words(symbols) if words is None else words
    return (" " if blank else "").join(symbols)
