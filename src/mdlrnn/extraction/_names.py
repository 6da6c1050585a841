"""Names for what a network has learned: remainders, expressions, notations."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, groupby, islice, pairwise
from typing import NamedTuple

from ..errors import InputError
from ..expressions import nodes, regular_expression, write
from ..languages import PAIRS, Count, brackets, counts_text, equally_many, language_from_notation
from ..machines import END, Configuration, Machine, Rule, renamed, smallest
from ..network import BOUNDARY
from ._fit import SAME, simple_chances
from ._places import Runs

MODULI = (2, 3, 4, 5, 6, 7, 8)
MOST_STATES = 64
MOST_PAIRS = 5_000
"""Of counts that are tried together."""


def count_name(machine: Machine) -> str | None:
    """'an even number of a's' and its like, if the strings of the machine, which has no counters,
    are all strings over its symbols with these counts and no others."""
    symbols = machine.alphabet[1:]
    states = {rule.state for rule in machine.rules}
    if machine.counters or not symbols or len(states) > MOST_STATES:
        return None
    if any(len(machine.options(Configuration(state, ()))) < len(symbols) for state in states):
        return None  # some string has no continuation
    # An automaton for a count modulo k has k states, one for two counts as many as both need.
    single = [count for count in _singles(symbols) if count.modulus <= len(states)]
    pairs = [
        (one, other)
        for one, other in islice(combinations(single, 2), MOST_PAIRS)
        if math.lcm(one.modulus, other.modulus) <= len(states)
    ]
    for counts in (*((one,) for one in single), *pairs):
        if _are_the_strings(machine, counts):
            return counts_text(counts, symbols)
    return None


def _singles(symbols: Sequence[str]) -> Iterator[Count]:
    for modulus in MODULI:
        for symbol in (*symbols, None):
            if symbol is None or len(symbols) > 1:
                yield from (Count(symbol, modulus, rest) for rest in range(modulus))


def _are_the_strings(machine: Machine, counts: Sequence[Count]) -> bool:
    """Whether machine and counts accept the same at every pair that a string leads to."""
    first = (machine.beginning, (0,) * len(counts))
    seen, left = {first}, [first]
    while left:
        here, rests = left.pop()
        accepted = all(r == count.rest for r, count in zip(rests, counts, strict=True))
        options = machine.options(here)
        if any(option.symbol == BOUNDARY for option in options) is not accepted:
            return False
        for option in options:
            if option.symbol == BOUNDARY:
                continue
            new = tuple(
                (rest + count.counts(option.symbol)) % count.modulus
                for rest, count in zip(rests, counts, strict=True)
            )
            if (option.to, new) not in seen:
                seen.add((option.to, new))
                left.append((option.to, new))
    return True


LONGEST = 60
"""Characters of an expression that is still read."""


def regular_name(machine: Machine) -> str | None:
    """An expression for the strings of a machine without counters, the shortest that is found;
    None if none is short."""
    if machine.counters:
        return None
    machine = smallest(machine)
    inner = [(rule.state, rule.symbol, rule.to) for rule in machine.rules if rule.to != END]
    ends = [rule.state for rule in machine.rules if rule.to == END]
    node = regular_expression(machine.start, inner, ends)
    text = "" if node is None or node.kind == "empty" else write(nodes.canonical(node))
    return text if 0 < len(text) <= LONGEST else None


STRINGS = 60
"""First strings that a name is guessed from."""
PAIRS_OF_BLOCKS = 2_500
"""Prefixes along which a language is held against the runs."""


def named_machines(runs: Runs) -> Iterator[Machine]:
    """Languages with a name whose possible symbols are those of all runs, with probabilities that
    are near the network's."""
    symbols = [symbol for symbol in runs.alphabet if symbol != BOUNDARY]
    for language in guesses(list(first_strings(runs)), symbols):
        found = _with_chances(replace(language, assumed=False), runs)
        if found is not None:
            yield found


def automaton_name(machine: Machine) -> str | None:
    """For a machine without counters: 'an even number of a's', or an expression."""
    return count_name(machine) or regular_name(machine)


def first_strings(runs: Runs) -> Iterator[String]:
    """The shortest strings that the network finds possible."""
    end = runs.alphabet.index(BOUNDARY)
    left: deque[tuple[String, int]] = deque([((), 0)])
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


def _with_chances(language: Machine, runs: Runs) -> Machine | None:
    """The language with chances near the network's, if the same symbols are possible in all runs;
    None if not."""
    here: deque[tuple[int, Configuration]] = deque([(0, language.beginning)])
    seen = {here[0]}
    given: dict[tuple[Rule, ...], list[dict[str, Fraction]]] = {}
    by_state: dict[str, list[Rule]] = {}
    for rule in language.rules:
        by_state.setdefault(rule.state, []).append(rule)
    while here and len(seen) < PAIRS_OF_BLOCKS:
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
    chosen: dict[Rule, Fraction] = {}
    for rules, every in given.items():
        found = simple_chances([[some[rule.symbol] for rule in rules] for some in every])
        for rule, chance in zip(rules, found, strict=True):
            if abs(chosen.setdefault(rule, chance) - chance) > SAME:
                return language  # one rule, several probabilities
    if any(rule not in chosen for rule in language.rules):
        return None  # the runs do not show all of it
    kept = [replace(rule, chance=chosen[rule]) for rule in language.rules]
    plain = all(name.isalnum() for rule in kept for name in (rule.state, rule.to))
    kept = kept if plain else renamed(kept, language.start)
    try:
        return Machine(language.name, language.title, tuple(kept), kept[0].state)
    except InputError:
        return language


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
        yield equally_many(*symbols)


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
    fits = sorted(s for pair in pairs for s in pair) == sorted(symbols)
    if fits and 1 <= len(pairs) <= len(PAIRS):
        yield brackets(pairs, nonempty=() not in strings)
