"""Names for what a network has learned: a notation, Dyck-k, or a regular expression.

A name is guessed from the first strings and then held against the runs; whether the network follows
the language of that name for ever is for the proof to say.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, permutations

from .._errors import InputError
from ..languages import Language, dyck
from ..languages._notation import language_from_notation
from ..languages._rules import END, Rule
from ..network._alphabet import BOUNDARY
from ._fit import SAME, simple_chances
from ._runs import Runs

STRINGS = 60
"""First strings that a name is guessed from."""
LONGEST = 60
PAIRS = 2_500
"""Prefixes along which a language is held against the runs."""
LONGEST_REGEX = 60
MOST_REGEX_STATES = 10


def named_machines(runs: Runs, alike: bool = False) -> Iterator[Language]:
    """Languages with a name that agree with all runs, with the network's probabilities; if
    `alike`, with probabilities of their own, the same symbols being possible."""
    strings = list(first_strings(runs))
    for language in _guesses(runs, strings):
        found = _with_chances(language, runs, alike)
        if found is not None:
            yield found


def first_strings(runs: Runs) -> Iterator[tuple[str, ...]]:
    """The shortest strings that the network finds possible."""
    end = runs.alphabet.index(BOUNDARY)
    left: deque[tuple[tuple[str, ...], int]] = deque([((), 0)])
    count = looked = 0
    while left and count < STRINGS and looked < 20_000:
        looked += 1
        prefix, number = left.popleft()
        node = runs.nodes[number]
        if node.chances[end]:
            count += 1
            yield prefix
        if len(prefix) < LONGEST:
            left += [((*prefix, symbol), below) for symbol, below in node.below.items()]


def _guesses(runs: Runs, strings: Sequence[tuple[str, ...]]) -> Iterator[Language]:
    for text in dict.fromkeys(_notations(strings)):
        try:
            yield language_from_notation(text)
        except InputError:
            continue
    yield from _brackets(runs)


# Notations


def _notations(strings: Sequence[tuple[str, ...]]) -> Iterator[str]:
    whole = [string for string in strings if string]
    if len(whole) < 2:
        return
    yield from _powers(whole, len(whole) < len(strings))
    rows = [[(symbol, len(list(run))) for symbol, run in groupby(string)] for string in whole]
    longest = max(rows, key=len)
    shape = [symbol for symbol, _ in longest]
    vectors = [_fitted(row, shape) for row in rows]
    if len(whole) < len(strings):
        vectors.append([0] * len(shape))
    if any(vector is None for vector in vectors):
        return
    known = [vector for vector in vectors if vector is not None]
    base = [min(column) for column in zip(*known, strict=True)]
    differences = [tuple(a - b for a, b in zip(vector, base, strict=True)) for vector in known]
    steps = sorted({d for d in differences if any(d)}, key=lambda d: (sum(d), d))
    if not steps:
        return
    first = _primitive(steps[0])
    yield _written(shape, base, [first])
    for other in steps[1:6]:
        if not _multiple(other, first):
            yield _written(shape, base, [first, _primitive(other)])
            yield _written(shape, base, [_primitive(other), first])


def _powers(strings: Sequence[tuple[str, ...]], with_empty: bool) -> Iterator[str]:
    """(ab)^n"""
    unit = strings[0]
    if len(unit) > 1 and all(
        len(s) % len(unit) == 0 and s == unit * (len(s) // len(unit)) for s in strings
    ):
        yield f"({' '.join(map(_quoted, unit))})^n" + (", n >= 0" if with_empty else "")


def _fitted(row: list[tuple[str, int]], shape: list[str]) -> list[int] | None:
    """The lengths of the runs, 0 where one is missing."""
    found = [0] * len(shape)
    place = 0
    for symbol, count in row:
        while place < len(shape) and shape[place] != symbol:
            place += 1
        if place == len(shape):
            return None
        found[place] = count
        place += 1
    return found


def _primitive(vector: Sequence[int]) -> tuple[int, ...]:
    divisor = math.gcd(*vector)
    return tuple(value // divisor for value in vector)


def _multiple(vector: Sequence[int], of: Sequence[int]) -> bool:
    return _primitive(vector) == tuple(of)


def _written(shape: list[str], base: Sequence[int], steps: Sequence[Sequence[int]]) -> str:
    """The blocks with their exponents; a number begins at 1 where that leaves no block below 0."""
    letters = "nm"[: len(steps)]
    constants = list(base)
    clauses = ""
    for letter, step in zip(letters, steps, strict=True):
        if all(c >= s for c, s in zip(constants, step, strict=True)):
            constants = [c - s for c, s in zip(constants, step, strict=True)]
        else:
            clauses += f", {letter} >= 0"
    blocks = []
    for place, symbol in enumerate(shape):
        parts = [
            f"{step[place] if step[place] > 1 else ''}{letter}"
            for letter, step in zip(letters, steps, strict=True)
            if step[place]
        ]
        if constants[place] or not parts:
            parts.append(str(constants[place]))
        if parts == ["1"]:
            blocks.append(_quoted(symbol))
        elif parts != ["0"]:
            text = "+".join(parts)
            blocks.append(f"{_quoted(symbol)}^{text if len(parts) == 1 else f'({text})'}")
    return " ".join(blocks) + clauses


def _quoted(symbol: str) -> str:
    return symbol if len(symbol) == 1 and symbol not in "^*+|(),'\"" else f"'{symbol}'"


# Brackets


def _brackets(runs: Runs) -> Iterator[Language]:
    symbols = [symbol for symbol in runs.alphabet if symbol != BOUNDARY]
    kinds = len(symbols) // 2
    if len(symbols) % 2 or not 1 <= kinds <= 2:
        return
    language = dyck(kinds)
    for chosen in permutations(symbols):
        new = dict(zip((s for pair in _pairs(language) for s in pair), chosen, strict=True))
        rules = tuple(
            replace(rule, symbol=new.get(rule.symbol, rule.symbol)) for rule in language.rules
        )
        pairs = " ".join(chosen[i] + chosen[i + 1] for i in range(0, len(chosen), 2))
        yield Language(language.name, f"Dyck-{kinds} over {pairs}", rules)


def _pairs(language: Language) -> list[tuple[str, str]]:
    own = [rule.symbol for rule in language.rules if rule.symbol != BOUNDARY]
    return list(zip(own[::2], own[1::2], strict=True))


# Against the runs


def _with_chances(language: Language, runs: Runs, alike: bool) -> Language | None:
    """The language with the network's probabilities, if the same symbols are possible in all
    runs; None if not."""
    here = deque([(0, language.beginning)])
    seen = {here[0]}
    given: dict[tuple[Rule, ...], list[dict[str, Fraction]]] = {}
    by_state: dict[str, list[Rule]] = {}
    for rule in language.rules:
        by_state.setdefault(rule.state, []).append(rule)
    while here and len(seen) < PAIRS:
        number, configuration = here.popleft()
        node = runs.nodes[number]
        chances = dict(zip(runs.alphabet, node.chances, strict=True))
        options = language.options(configuration)
        if {o.symbol for o in options} != {s for s, chance in chances.items() if chance}:
            return None
        values = dict(zip(language.counters, configuration.counters, strict=True))
        key = tuple(rule for rule in by_state[configuration.state] if rule.enabled(values))
        given.setdefault(key, []).append(chances)
        for option in options:
            below = node.below.get(option.symbol)
            if option.symbol != BOUNDARY and below is not None:
                pair = (below, option.to)
                if pair not in seen:
                    seen.add(pair)
                    here.append(pair)
    if alike:
        return language
    chosen: dict[Rule, Fraction] = {}
    for rules, every in given.items():
        found = simple_chances([[some[rule.symbol] for rule in rules] for some in every])
        for rule, chance in zip(rules, found, strict=True):
            if abs(chosen.setdefault(rule, chance) - chance) > SAME:
                return None
    kept = tuple(replace(rule, chance=chosen[rule]) for rule in language.rules if rule in chosen)
    try:
        return Language(language.name, language.title, kept, language.start)
    except InputError:
        return None


# Regular expressions


def regex_of(machine: Language) -> str | None:
    """A regular expression for a machine without counters, if a short one is found."""
    states = list(dict.fromkeys([machine.start, *(rule.state for rule in machine.rules)]))
    if machine.counters or len(states) > MOST_REGEX_STATES:
        return None
    ways: dict[tuple[str, str], str] = {}
    for rule in machine.rules:
        key = (rule.state, rule.to)
        text = "" if rule.to == END else _escaped(rule.symbol, machine.words)
        ways[key] = _either(ways[key], text) if key in ways else text
    ways["(start)", machine.start] = ""
    for state in reversed(states):
        loop = ways.pop((state, state), None)
        again = "" if loop is None else _star(loop)
        into = [(a, text) for (a, b), text in ways.items() if b == state]
        out = [(b, text) for (a, b), text in ways.items() if a == state]
        ways = {key: text for key, text in ways.items() if state not in key}
        for a, first in into:
            for b, last in out:
                text = _then(_then(first, again), last)
                ways[a, b] = _either(ways[a, b], text) if (a, b) in ways else text
                if len(text) > 40 * LONGEST_REGEX:
                    return None
    found = ways.get(("(start)", END), "")
    if _enclosed(found):
        found = found[1:-1]
    return found if 0 < len(found) <= LONGEST_REGEX else None


def _escaped(symbol: str, words: bool) -> str:
    text = "".join(f"\\{c}" if c in r"\()|*?+[]{}.^$" else c for c in symbol)
    return f"{text} " if words else text


def _is_one(text: str) -> bool:
    """Whether a star or a question mark behind it would mean all of it."""
    if len(text) == 1 or (len(text) == 2 and text[0] == "\\"):
        return True
    return _enclosed(text)


def _enclosed(text: str) -> bool:
    if not text.startswith("(") or not text.endswith(")"):
        return False
    depth = 0
    for place, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def _has_bar(text: str) -> bool:
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "|" and depth == 0:
            return True
    return False


def _star(text: str) -> str:
    if text.endswith("?") and _is_one(text[:-1]):
        text = text[:-1]
    return "" if not text else f"{text}*" if _is_one(text) else f"({text})*"


def _then(one: str, other: str) -> str:
    return (f"({one})" if _has_bar(one) else one) + (f"({other})" if _has_bar(other) else other)


def _either(one: str, other: str) -> str:
    if one == other:
        return one
    if not one or not other:
        text = one or other
        if text.endswith("*") and _is_one(text[:-1]):
            return text
        return f"{text}?" if _is_one(text) else f"({text})?"
    return f"{one}|{other}"
