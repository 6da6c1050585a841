"""Notations that the first strings of a language suggest: blocks with exponents, and Dyck-k.

A guess may be wrong; it is held against the runs, and proved, elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from ..errors import InputError
from ..languages import PAIRS, dyck, language_from_notation
from ..machines import Machine, Rule, counter
from ..network import BOUNDARY

MOST_NUMBERS = 3
"""n, m and k."""
LETTERS = "nmk"
MOST_BLOCKS = 5
LONGEST_UNIT = 3

String = tuple[str, ...]
Vector = tuple[int, ...]


def guesses(strings: Sequence[String], symbols: Sequence[str]) -> Iterator[Machine]:
    """Languages with a name, the simplest first."""
    for text in dict.fromkeys(_notations(strings)):
        try:
            yield language_from_notation(text)
        except InputError:
            continue
    if any(symbol.isspace() for word in symbols for symbol in word):
        return  # no language has such symbols
    yield from _brackets(strings, symbols)
    if len(symbols) == 2:
        yield _equally_many(*symbols)


def _notations(strings: Sequence[String]) -> Iterator[str]:
    whole = [string for string in strings if string]
    if len(whole) < 2:
        return
    empty = len(whole) < len(strings)
    yield from _powers(whole, empty)
    vectors, shape = _in_one_shape(strings)
    if vectors is not None:
        yield from _linear(shape, vectors)
    yield from _unions(whole, empty)
    yield from _templates(whole, empty)


# Blocks of single symbols


def _runs_of(string: String) -> list[tuple[str, int]]:
    return [(symbol, len(list(run))) for symbol, run in groupby(string)]


def _in_one_shape(strings: Sequence[String]) -> tuple[list[Vector] | None, list[str]]:
    """The lengths of the runs, 0 where one is missing, if all strings have one order of runs."""
    rows = [_runs_of(string) for string in strings]
    shape = [symbol for symbol, _ in max(rows, key=len)]
    vectors = []
    for row in rows:
        found = [0] * len(shape)
        place = 0
        for symbol, count in row:
            while place < len(shape) and shape[place] != symbol:
                place += 1
            if place == len(shape):
                return None, shape
            found[place] = count
            place += 1
        vectors.append(tuple(found))
    return vectors, shape


def _linear(shape: Sequence[str], vectors: Sequence[Vector]) -> Iterator[str]:
    base = tuple(min(column) for column in zip(*vectors, strict=True))
    away = {tuple(a - b for a, b in zip(v, base, strict=True)) for v in vectors}
    away -= {(0,) * len(shape)}
    steps = _generators(away)
    if 1 <= len(steps) <= MOST_NUMBERS:
        yield _written(shape, base, steps)


def _generators(vectors: set[Vector]) -> list[Vector]:
    """Those that are no sum of others."""
    found: list[Vector] = []
    for vector in sorted(vectors, key=lambda v: (sum(v), v)):
        if not _is_sum(vector, found):
            found.append(vector)
            if len(found) > MOST_NUMBERS:
                break
    return sorted(found, key=lambda v: [x == 0 for x in v])


def _is_sum(vector: Vector, parts: Sequence[Vector]) -> bool:
    """Whether it is a sum of multiples."""
    if not any(vector):
        return True
    if not parts:
        return False
    first, *others = parts
    while min(vector) >= 0:
        if _is_sum(vector, others):
            return True
        vector = tuple(a - b for a, b in zip(vector, first, strict=True))
    return False


def _written(shape: Sequence[str], base: Sequence[int], steps: Sequence[Vector]) -> str:
    """The blocks with their exponents; a number begins at 1 where that leaves no block below 0.
    Where no number stands twice, x* and x+."""
    constants = list(base)
    least = []
    for step in steps:
        one = all(c >= s for c, s in zip(constants, step, strict=True))
        least.append(int(one))
        if one:
            constants = [c - s for c, s in zip(constants, step, strict=True)]
    drawn = [any(step[place] for step in steps) for place in range(len(shape))]
    alone = (
        all(sum(step) == 1 for step in steps)
        and (len(steps) > 1 or not least[0])
        and not any(d and c for d, c in zip(drawn, constants, strict=True))
    )
    blocks = []
    for place, symbol in enumerate(shape):
        here = [i for i, step in enumerate(steps) if step[place]]
        if alone and here:
            blocks.append(f"{_quoted(symbol)}{'*+'[least[here[0]]]}")
            continue
        exponent = _exponent({LETTERS[i]: steps[i][place] for i in here}, constants[place])
        if exponent != "0":
            blocks.append(_quoted(symbol) + ("" if exponent == "1" else f"^{exponent}"))
    from_zero = [] if alone else [LETTERS[i] for i, one in enumerate(least) if not one]
    return " ".join(blocks) + "".join(f", {letter} >= 0" for letter in from_zero)


def _exponent(factors: dict[str, int], constant: int) -> str:
    parts = [f"{factor if factor > 1 else ''}{letter}" for letter, factor in factors.items()]
    if constant or not parts:
        parts.append(str(constant))
    return parts[0] if len(parts) == 1 else f"({'+'.join(parts)})"


def _quoted(symbol: str) -> str:
    return symbol if len(symbol) == 1 and symbol not in "^*+|(),'\"" else f"'{symbol}'"


# Other forms


def _powers(strings: Sequence[String], empty: bool) -> Iterator[str]:
    """(ab)^n"""
    unit = strings[0]
    if len(unit) > 1 and all(
        len(s) % len(unit) == 0 and s == unit * (len(s) // len(unit)) for s in strings
    ):
        if len(set(unit)) == 1:
            yield f"{_quoted(unit[0])}^{len(unit)}n" + (", n >= 0" if empty else "")
        else:
            yield f"({_together(unit)})^n" + (", n >= 0" if empty else "")


def _together(unit: Sequence[str]) -> str:
    return (" " if any(len(s) > 1 for s in unit) else "").join(map(_quoted, unit))


def _unions(strings: Sequence[String], empty: bool) -> Iterator[str]:
    """One notation or another: by the order of runs, or by the shares of the symbols."""
    by_shape: dict[String, list[String]] = {}
    for string in strings:
        by_shape.setdefault(tuple(symbol for symbol, _ in _runs_of(string)), []).append(string)
    if 2 <= len(by_shape) <= 3 and not empty:
        parts = [_one_line(shape, some) for shape, some in by_shape.items()]
        if all(parts):
            yield " | ".join(sorted(part for part in parts if part))
    if len(by_shape) == 1 and not empty:
        [(shape, some)] = by_shape.items()
        lines: dict[Vector, list[String]] = {}
        for string in some:
            lines.setdefault(_primitive(tuple(n for _, n in _runs_of(string))), []).append(string)
        if len(lines) == 2:
            parts = [_one_line(shape, members) for members in lines.values()]
            if all(parts):
                yield " | ".join(sorted(part for part in parts if part))


def _one_line(shape: Sequence[str], strings: Sequence[String]) -> str | None:
    vectors = [tuple(count for _, count in _runs_of(string)) for string in strings]
    if len(vectors) < 2:
        return None
    return next((text for text in _linear(shape, vectors) if "," not in text), None)


def _primitive(vector: Vector) -> Vector:
    divisor = math.gcd(*vector)
    return tuple(value // divisor for value in vector)


class _Block(NamedTuple):
    unit: String
    factor: int
    constant: int


def _templates(strings: Sequence[String], empty: bool) -> Iterator[str]:
    """Blocks of several symbols and one number: (ab)^n c^n, a^n (ab)^n."""
    first = strings[:4]
    if len(first) < 3 or len({len(s) for s in first}) < len(first):
        return
    steps = {len(b) - len(a) for a, b in pairwise(first)}
    if len(steps) != 1:
        return
    found = min(
        _parsed(first, (0,) * len(first), MOST_BLOCKS),
        key=lambda blocks: (len(blocks), sum(len(b.unit) + abs(b.constant) for b in blocks)),
        default=None,
    )
    if found is None:
        return
    texts = []
    for unit, factor, constant in found:
        exponent = _exponent({"n": factor} if factor else {}, constant)
        body = f"({_together(unit)})" if len(unit) > 1 else _quoted(unit[0])
        texts.append(body if exponent == "1" else f"{body}^{exponent}")
    if not empty:
        yield " ".join(texts)


def _parsed(strings: Sequence[String], at: Vector, most: int) -> Iterator[list[_Block]]:
    """All ways to read the n-th string as blocks whose exponents are factor · n + constant."""
    if all(place == len(s) for s, place in zip(strings, at, strict=True)):
        yield []
        return
    if not most:
        return
    rest = strings[-1][at[-1] :]
    for size in range(1, min(LONGEST_UNIT, len(rest)) + 1):
        unit = rest[:size]
        if size > 1 and len(set(unit)) == 1:
            continue
        for factor in range(4):
            for constant in range(-1, 4):
                counts = [factor * n + constant for n in range(1, len(strings) + 1)]
                if counts[0] < 0 or counts[-1] == 0:
                    continue
                ends = [p + c * size for p, c in zip(at, counts, strict=True)]
                if all(
                    s[p:e] == unit * c for s, p, e, c in zip(strings, at, ends, counts, strict=True)
                ):
                    for more in _parsed(strings, tuple(ends), most - 1):
                        yield [_Block(unit, factor, constant), *more]


# Brackets


def _brackets(strings: Sequence[String], symbols: Sequence[str]) -> Iterator[Machine]:
    """Dyck-k, the pairs being the strings of two symbols."""
    pairs = [string for string in strings if len(string) == 2]
    kinds = len(pairs)
    fits = sorted(s for pair in pairs for s in pair) == sorted(symbols)
    if not fits or not 1 <= kinds <= len(PAIRS):
        return
    language = dyck(kinds)
    new = {old: s for own, pair in zip(PAIRS, pairs, strict=False)
           for old, s in zip(own, pair, strict=True)}  # fmt: skip
    rules = tuple(
        replace(rule, symbol=new.get(rule.symbol, rule.symbol)) for rule in language.rules
    )
    between = " " if any(len(s) > 1 for s in symbols) else ""
    shown = " ".join(between.join(pair) for pair in pairs)
    yield Machine(language.name, f"Dyck-{kinds} over {shown}", rules)


def _equally_many(one: str, other: str) -> Machine:
    n = counter("n")
    rules = [Rule("even", BOUNDARY)]
    for state, more, fewer in (("more", one, other), ("fewer", other, one)):
        rules += [
            Rule("even", more, state, then=(("n", 1),)),
            Rule(state, more, state, then=(("n", n + 1),)),
            Rule(state, fewer, state, when=((n - 1).positive,), then=(("n", n - 1),)),
            Rule(state, fewer, "even", when=((n - 1).zero,), then=(("n", 0),)),
        ]
    chance = {"even": 3, "more": 2, "fewer": 2}
    shared = tuple(replace(rule, chance=rule.chance / chance[rule.state]) for rule in rules)
    return Machine("equally_many", f"equally many {one}'s and {other}'s", shared, "even")
