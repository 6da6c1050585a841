"""The name of what a network has learned, and the machine that has it.

A language with a name is guessed from the first strings and held against the runs. Whether the
network follows it for ever is for the proof to say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from .._errors import InputError
from ..languages import Configuration, Language
from ..languages._rules import Rule
from ..network._alphabet import BOUNDARY
from ._counts import count_name
from ._fit import SAME, simple_chances
from ._guesses import String, guesses
from ._reduce import renamed
from ._regex import regex_of
from ._runs import Runs

STRINGS = 60
"""First strings that a name is guessed from."""
LONGEST = 60
PAIRS = 2_500
"""Prefixes along which a language is held against the runs."""


def named_machines(runs: Runs) -> Iterator[Language]:
    """Languages with a name whose possible symbols are those of all runs, with probabilities that
    are near the network's."""
    symbols = [symbol for symbol in runs.alphabet if symbol != BOUNDARY]
    for language in guesses(list(first_strings(runs)), symbols):
        found = _with_chances(language, runs)
        if found is not None:
            yield found


def automaton_name(machine: Language) -> str | None:
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


def _with_chances(language: Language, runs: Runs) -> Language | None:
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
        return Language(language.name, language.title, tuple(kept), kept[0].state)
    except InputError:
        return language
