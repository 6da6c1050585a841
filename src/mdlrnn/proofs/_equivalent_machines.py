"""The same language by other machines: a stack of digits in another base, or with other digits, or
with fewer of them where a rule pushes several, or with counters besides.

A network is free in how it writes a stack down; the machine of the language has picked one way. And
a network may count what the language does not ask for. What is proved of a language by one of these
machines is proved of the language, since they differ in nothing but how the stack is written down,
or in counters on which nothing depends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import permutations

from .._errors import InputError
from ..languages import Affine, Grammar, Language, Transducer
from ..network._alphabet import BOUNDARY
from ._stack_moves import (
    letters_of,
    moves_of_blocks,
    rules_of,
    stack_moves,
    tops_in_states,
)

BASES = (3, 4, 5)
MOST_COUNTERS = 5
Source = Language | Grammar | Transducer


def equivalent_machines(language: Language) -> Iterator[Language]:
    """Machines for the same language, this one left out."""
    moves = stack_moves(language)
    if moves is None:
        return
    # Fewer letters first: there are fewer ways to write them.
    in_blocks = tops_in_states(moves_of_blocks(moves))
    for some in (in_blocks, moves) if letters_of(in_blocks) != letters_of(moves) else (moves,):
        letters = letters_of(some)
        for base in BASES:
            for digits in permutations(range(1, base), len(letters)):
                rules = rules_of(some, base, dict(zip(letters, digits, strict=True)))
                if rules != language.rules:
                    with suppress(InputError):  # if it lacks a rule that nothing leads to
                        yield replace(language, rules=rules)


def counting_machine(language: Language) -> Language | None:
    """The machine that also counts how often each symbol has been read; None where that would be
    too many counters."""
    names = _names_of_counts(language)
    if len(language.counters) + len(names) > MOST_COUNTERS or set(names) & set(language.counters):
        return None
    counts = {symbol: (name, _one_more(name)) for name, symbol in names.items()}
    rules = (
        replace(rule, then=(*rule.then, counts[rule.symbol])) if rule.symbol in counts else rule
        for rule in language.rules
    )
    return replace(language, rules=tuple(rules))


def counts_of_symbols(language: Language) -> dict[str, str]:
    """Counters that count how often a symbol has been read, by `counting_machine`'s names."""
    return {
        name: symbol
        for name, symbol in _names_of_counts(language).items()
        if all(
            dict(rule.then).get(name) == (_one_more(name) if rule.symbol == symbol else None)
            for rule in language.rules
        )
    }


def _names_of_counts(language: Language) -> dict[str, str]:
    symbols = [symbol for symbol in language.alphabet if symbol != BOUNDARY]
    return {
        f"{s}_read" if s.isascii() and s.isidentifier() else f"read{number}": s
        for number, s in enumerate(symbols, 1)
    }


def _one_more(name: str) -> Affine:
    return Affine(((name, 1),), 1)


def same_language(one: Source, other: Source) -> bool:
    """Whether two machines are one, or machines of one language by their form."""
    if one == other:
        return True
    if not isinstance(one, Language) or not isinstance(other, Language):
        return False
    if counting_machine(other) == one:
        return True
    return any(machine == one for machine in equivalent_machines(other))
