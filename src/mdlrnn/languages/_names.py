"""Languages that have a name in words: the machine of each, and the name read back.

An even number of a's over a b; equally many a's and b's; Dyck-2 over () [].
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ..errors import InputError
from ..machines import END, Machine, Rule, counter
from ..network import BOUNDARY
from ._paper import PAIRS, P, dyck

MOST_RESTS = 64
"""Combinations of rests that a name may count with: the states of its machine."""


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


def counts_text(counts: Sequence[Count], symbols: Sequence[str]) -> str:
    """The name of all strings over the symbols with these counts."""
    text = " and ".join(count.text for count in counts)
    is_said = {count.symbol for count in counts} == set(symbols)
    return text if is_said else f"{text} over {' '.join(symbols)}"


def counting(counts: Sequence[Count], symbols: Sequence[str]) -> Machine:
    """The machine of all strings over the symbols with these counts."""
    title = counts_text(counts, symbols)
    if math.prod(count.modulus for count in counts) > MOST_RESTS:
        raise InputError(f"{title}: there are more than {MOST_RESTS} cases; count by less.")
    rules = []
    for rests in product(*(range(count.modulus) for count in counts)):
        ends = all(r == count.rest for r, count in zip(rests, counts, strict=True))
        chance = (1 - P if ends else Fraction(1)) / len(symbols)
        for symbol in symbols:
            to = tuple(
                (r + count.counts(symbol)) % count.modulus
                for r, count in zip(rests, counts, strict=True)
            )
            rules.append(Rule(_state(rests), symbol, _state(to), chance))
        if ends:
            rules.append(Rule(_state(rests), BOUNDARY, END, P))
    return Machine("counted", title, tuple(rules), _state([0] * len(counts)), assumed=True)


def _state(rests: Sequence[int]) -> str:
    return "r" + "_".join(map(str, rests))


def equally_many(one: str, other: str) -> Machine:
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
    title = f"equally many {one}'s and {other}'s"
    return Machine("equally_many", title, shared, "even", assumed=True)


def brackets(pairs: Sequence[Sequence[str]], nonempty: bool = False) -> Machine:
    """The Dyck language of these pairs of symbols, with or without the empty string."""
    language = dyck(len(pairs))
    new = {old: s for own, pair in zip(PAIRS, pairs, strict=False)
           for old, s in zip(own, pair, strict=True)}  # fmt: skip
    rules = [replace(rule, symbol=new.get(rule.symbol, rule.symbol)) for rule in language.rules]
    if nonempty:
        inner = [
            replace(rule, state="S", to=rule.to if rule.symbol == BOUNDARY else "S")
            for rule in rules
        ]
        opening = [replace(rule, state="start") for rule in inner if not rule.when]
        rules = [*(replace(rule, chance=rule.chance / len(opening) / rule.chance)
                   for rule in opening), *inner]  # fmt: skip
    between = " " if any(len(s) > 1 for pair in pairs for s in pair) else ""
    shown = " ".join(between.join(pair) for pair in pairs)
    title = f"{'nonempty ' if nonempty else ''}Dyck-{len(pairs)} over {shown}"
    return Machine(language.name, title, tuple(rules), assumed=True)


_EQUALLY = re.compile(r"equally many (\S+)'s and (\S+)'s")
_DYCK = re.compile(r"(nonempty )?dyck-(\d)(?: over (.+))?", re.IGNORECASE)
_COUNT = re.compile(
    r"(?:an? (even|odd) (?:length|number of (\S+)'s)"
    r"|a (?:length|number of (\S+)'s) (?:divisible by|that is (\d+) modulo) (\d+))"
    r"(?: and | over (.+)$|$)"
)


def language_named(text: str) -> Machine | None:
    """The language with this name in words; None if the text is no such name."""
    name = " ".join(text.split())
    if match := _EQUALLY.fullmatch(name):
        return None if match[1] == match[2] else equally_many(match[1], match[2])
    if match := _DYCK.fullmatch(name):
        return _dyck_named(name, bool(match[1]), int(match[2]), (match[3] or "").split())
    counts, over, place = [], None, 0
    while place < len(name):
        found = _COUNT.match(name, place)
        if found is None:
            return None
        parity, first, second, rest, modulus, over = found.groups()
        left = int(rest or 0) if parity is None else int(parity.lower() == "odd")
        counts.append(Count(first or second, int(modulus or 2), left))
        place = found.end()
    return _counted(name, counts, over)


def _counted(name: str, counts: list[Count], over: str | None) -> Machine | None:
    named = [count.symbol for count in counts if count.symbol is not None]
    symbols = list(dict.fromkeys(over.split() if over else named))
    if any(count.modulus < 1 or count.rest >= count.modulus for count in counts):
        raise InputError(f"{name}: what is left over is less than what is divided by; mend it.")
    if not over and len(symbols) < 2:
        example = f"{name} over {' '.join(dict.fromkeys([*named, 'a', 'b']))}"
        raise InputError(f"{name}: over which symbols is not said; write such as {example}.")
    if missing := [symbol for symbol in named if symbol not in symbols]:
        raise InputError(f"{name}: {missing[0]} is not among the symbols; add it at the end.")
    return counting(counts, symbols)


def _dyck_named(name: str, nonempty: bool, kinds: int, parts: list[str]) -> Machine:
    if not parts:
        return brackets(PAIRS[:kinds], True) if nonempty and kinds <= len(PAIRS) else dyck(kinds)
    pairs: list[Sequence[str]] = list(zip(parts[::2], parts[1::2], strict=False))
    if all(len(part) == 2 for part in parts) and len(parts) == kinds:
        pairs = list(parts)
    symbols = [symbol for pair in pairs for symbol in pair]
    if len(pairs) != kinds or len(set(symbols)) < 2 * kinds:
        raise InputError(f"{name}: give {kinds} pairs of symbols; () [] are two, say.")
    return brackets(pairs, nonempty)
