"""Names for what a network has learned: remainders, regular expressions, notations."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice, permutations
from typing import NamedTuple

from ..errors import InputError
from ..machines import END, Configuration, Machine, Rule, renamed
from ..network import BOUNDARY
from ._fit import SAME, simple_chances
from ._guesses import String, guesses
from ._places import Runs

MODULI = (2, 3, 4, 5, 6, 7, 8)
MOST_STATES = 64
MOST_PAIRS = 5_000
"""Of counts that are tried together."""


class Count(NamedTuple):
    """The strings in which what is counted leaves this rest."""

    symbol: str | None
    """None for the length."""
    modulus: int
    rest: int

    def counts(self, symbol: str) -> bool:
        return self.symbol in (None, symbol)

    @property
    def text(self) -> str:
        k, r = self.modulus, self.rest
        if self.symbol is None:
            kind = {(2, 0): "an even length", (2, 1): "an odd length"}.get((k, r))
            return kind or f"a length {'divisible by' if r == 0 else f'that is {r} modulo'} {k}"
        kind = {(2, 0): "an even number", (2, 1): "an odd number"}.get((k, r))
        if kind is not None:
            return f"{kind} of {self.symbol}'s"
        number = f"a number of {self.symbol}'s"
        return f"{number} divisible by {k}" if r == 0 else f"{number} that is {r} modulo {k}"


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
            return " and ".join(count.text for count in counts)
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
MOST_ELIMINATED = 10
ORDERS = 300
"""In which states are eliminated, at most."""
SPECIAL = r"\()|*?+[]{}.^$"
_FIRST = "(start)"


def regex_of(machine: Machine) -> str | None:
    """A regular expression for the strings of a machine without counters, the shortest that is
    found; None if none is short."""
    states = list(dict.fromkeys([machine.start, *(rule.state for rule in machine.rules)]))
    if machine.counters or len(states) > MOST_ELIMINATED:
        return None
    ways: dict[tuple[str, str], str] = {}
    for rule in machine.rules:
        text = "" if rule.to == END else _escaped(rule.symbol, machine.words)
        key = (rule.state, rule.to)
        ways[key] = either(ways[key], text) if key in ways else text
    ways[_FIRST, machine.start] = ""
    found = [text for order in _orders(states, ways) if (text := _eliminated(ways, order))]
    shortest = min(found, key=lambda text: (len(text), text), default="")
    if _enclosed(shortest):
        shortest = shortest[1:-1]
    return shortest.strip() if 0 < len(shortest) <= LONGEST else None


def _orders(states: list[str], ways: dict[tuple[str, str], str]) -> Iterator[Iterable[str]]:
    def traffic(state: str) -> int:
        return sum(b == state for _, b in ways) * sum(a == state for a, _ in ways)

    yield reversed(states)
    yield sorted(states, key=traffic)
    yield sorted(states, key=traffic, reverse=True)
    yield from islice(permutations(states), ORDERS)


def _eliminated(ways: dict[tuple[str, str], str], order: Iterable[str]) -> str:
    for state in order:
        loop = ways.get((state, state))
        again = "" if loop is None else star(loop)
        into = [(a, text) for (a, b), text in ways.items() if b == state and a != state]
        out = [(b, text) for (a, b), text in ways.items() if a == state and b != state]
        ways = {key: text for key, text in ways.items() if state not in key}
        for a, first in into:
            for b, last in out:
                text = then(first, again, last)
                if len(text) > 10 * LONGEST:
                    return ""
                ways[a, b] = either(ways[a, b], text) if (a, b) in ways else text
    return ways.get((_FIRST, END), "")


def _escaped(symbol: str, words: bool) -> str:
    text = "".join(f"\\{c}" if c in SPECIAL else c for c in symbol)
    return f"{text} " if words else text


def _is_one(text: str) -> bool:
    """Whether a star or a question mark behind it would mean all of it."""
    if len(text) == 1 or (len(text) == 2 and text[0] == "\\"):
        return True
    return _enclosed(text)


def _depths(text: str) -> Iterator[tuple[int, str, int]]:
    """The characters that are no escaped ones, with the depth of brackets after each."""
    depth = 0
    place = 0
    while place < len(text):
        c = text[place]
        if c == "\\":
            place += 2
            continue
        depth += (c == "(") - (c == ")")
        yield place, c, depth
        place += 1


def _enclosed(text: str) -> bool:
    if not text.startswith("(") or not text.endswith(")"):
        return False
    closing = next((place for place, _, depth in _depths(text) if depth == 0), -1)
    return closing == len(text) - 1


def _has_bar(text: str) -> bool:
    return any(c == "|" and depth == 0 for _, c, depth in _depths(text))


def _one(text: str) -> str:
    return text if _is_one(text) else f"({text})"


def star(text: str) -> str:
    if text[-1:] in ("?", "*", "+") and _is_one(text[:-1]):
        text = text[:-1]
    return f"{_one(text)}*" if text else ""


def then(*texts: str) -> str:
    """One after the other; x x* is x+."""
    found = ""
    for text in texts:
        text = f"({text})" if _has_bar(text) else text
        inner = text[:-1]
        if text.endswith("*") and _is_one(inner):
            plain = inner[1:-1] if _enclosed(inner) else inner
            if found and not _has_bar(plain) and _ends_with(found, plain):
                found = found[: len(found) - len(plain)] + f"{inner}+"
                continue
            if found and found.endswith(inner) and _ends_with(found, inner):
                found = f"{found}+"
                continue
        found += text
    return found


def _ends_with(text: str, tail: str) -> bool:
    """Whether the tail stands at the end as a part of its own: not in brackets, not escaped."""
    if not text.endswith(tail):
        return False
    cut = len(text) - len(tail)
    if text[:cut].endswith("\\"):
        return False
    depth = 0
    for place, _, after in _depths(text):
        if place >= cut:
            break
        depth = after
    return depth == 0


def either(one: str, other: str) -> str:
    if one == other:
        return one
    if not one or not other:
        text = one or other
        if text.endswith(("*", "?")) and _is_one(text[:-1]):
            return text
        if text.endswith("+") and _is_one(text[:-1]):
            return f"{text[:-1]}*"
        return f"{_one(text)}?"
    return f"{one}|{other}"


STRINGS = 60
"""First strings that a name is guessed from."""
PAIRS = 2_500
"""Prefixes along which a language is held against the runs."""


def named_machines(runs: Runs) -> Iterator[Machine]:
    """Languages with a name whose possible symbols are those of all runs, with probabilities that
    are near the network's."""
    symbols = [symbol for symbol in runs.alphabet if symbol != BOUNDARY]
    for language in guesses(list(first_strings(runs)), symbols):
        found = _with_chances(language, runs)
        if found is not None:
            yield found


def automaton_name(machine: Machine) -> str | None:
    """For a machine without counters: 'an even number of a's', or a regular expression."""
    return count_name(machine) or regex_of(machine)


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
