"""Checks of what a user gives that several rooms share, each with one sentence to say.

Whatever a sentence quotes goes through `short`: cut to fit, and without control characters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from fractions import Fraction
from reprlib import Repr
from typing import TypeGuard

from .errors import InputError, printable

LONGEST_QUOTE = 60
MOST_THREADS = 1024
"""Many more than any machine runs at once; each takes memory before it does anything."""


def is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite real number, of those that a float can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def check_kind(value: object, kind: type, remedy: str) -> None:
    """Raise unless it is one; the remedy says what to give, as a sentence's end."""
    if not isinstance(value, kind):
        raise InputError(f"{short(value)} is no {kind.__name__}; {remedy}.")


def check_integer(name: str, value: object, least: int, most: int | None = None) -> None:
    if not is_integer(value) or value < least:
        raise InputError(f"{name} is {short(value)}; it must be an integer, {least} or more.")
    if most is not None and value > most:
        raise InputError(f"{name} is {short(value)}; it must be {most:,} or less.")


def check_threads(threads: object) -> None:
    if threads is not None and (not is_integer(threads) or not 1 <= threads <= MOST_THREADS):
        raise InputError(
            f"threads is {short(threads)}; give 1 to {MOST_THREADS:,}, or None for all cores."
        )


def check_known(value: object, known: Iterable[str], what: str) -> None:
    """Raise unless `value` is one of the known names; a near one is proposed."""
    names = tuple(known)
    if isinstance(value, str) and value in names:
        return
    near = nearest_name(value, names) if isinstance(value, str) else None
    remedy = f"did you mean {near}?" if near else f"use one of {', '.join(names)}."
    raise InputError(f"unknown {what} {short(value)}; {remedy}")


def nearest_name(given: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The name that was meant, it seems: the shortest whose first words are the given ones, as
    anbn_pcfg for anbn; else the most alike."""
    known = tuple(names)
    longer = [name for name in known if given and name.startswith(f"{given}_")]
    near = get_close_matches(given, known, 1, cutoff)
    return min(longer, key=len) if longer else near[0] if near else None


def exact_fraction(value: object) -> Fraction:
    """The fraction that a file writes as '3', '-1/2' or an integer; anything else is a ValueError.

    `Fraction` alone would also take '1e999999999', and compute it.
    """
    if is_integer(value):
        return Fraction(value)
    if not isinstance(value, str) or not _FRACTION.fullmatch(value):
        raise ValueError("not a fraction")
    return Fraction(value)


_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")


def short(value: object) -> str:
    """The value as it can stand in a sentence, whatever its size and depth."""
    text = _SHORT.repr(value)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."


class _Short(Repr):
    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write out integers of many thousand digits.
        return repr(x) if x.bit_length() < 100 else f"an integer of {x.bit_length()} bits"


_SHORT = _Short()
_SHORT.maxlevel = 2
_SHORT.maxstring = _SHORT.maxother = 40


def shown(symbols: Iterable[str]) -> str:
    """Symbols with blanks between, as a sentence can list them: escaped, and cut where long."""
    text = " ".join(printable(symbol) for symbol in symbols)
    return text if len(text) <= 2 * LONGEST_QUOTE else text[: 2 * LONGEST_QUOTE - 3] + "..."
