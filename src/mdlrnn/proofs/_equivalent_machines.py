"""The same language by other machines: a stack of digits in another base, or with other digits, or
with counters besides.

A network is free in how it writes a stack down; the machine of the language has picked one way. And
a network may count what the language does not ask for. What is proved of a language by one of these
machines is proved of the language, since they differ in nothing but the names of the stack's
digits, or in counters on which nothing depends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from ..languages import Affine, Condition, Grammar, Language, Rule, Transducer
from ..network._alphabet import BOUNDARY

BASES = (3, 4, 5)
MOST_COUNTERS = 5
Source = Language | Grammar | Transducer


def equivalent_machines(language: Language) -> Iterator[Language]:
    """Machines for the same language, this one left out."""
    stack = _stack(language)
    if stack is None:
        return
    base, digits = stack
    for new_base in BASES:
        for chosen in permutations(range(1, new_base), len(digits)):
            if new_base != base or chosen != digits:
                renamed = dict(zip(digits, chosen, strict=True))
                rules = tuple(_written(rule, new_base, renamed) for rule in language.rules)
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


def _stack(language: Language) -> tuple[int, tuple[int, ...]] | None:
    """Base and digits, if all that the rules do is to push digits and to pop what is on top."""
    if len(language.counters) != 1:
        return None
    bases: set[int] = set()
    pushed: list[int] = []
    for rule in language.rules:
        tops = [c for c in rule.when if c.relation == "mod"]
        bases |= {c.base for c in tops}
        if any(c.relation == ">" for c in rule.when) or not all(map(_bare, rule.when)):
            return None
        for _, update in rule.then:
            if not isinstance(update, Affine) or len(update.terms) != 1:
                return None
            factor = update.terms[0][1]
            if update.divisor > 1:
                # Only what has a known digit on top is popped.
                if factor != 1 or update.constant or len(tops) != 1:
                    return None
                bases.add(update.divisor)
            else:
                bases.add(factor)
                pushed.append(update.constant)
    if len(bases) != 1 or not pushed or min(bases) < 3:
        return None
    [base] = bases
    digits = tuple(dict.fromkeys(pushed))
    tops_known = {c.digit for rule in language.rules for c in rule.when if c.relation == "mod"}
    fits = all(0 < digit < base for digit in digits) and tops_known <= set(digits)
    return (base, digits) if fits else None


def _bare(condition: Condition) -> bool:
    """Whether it speaks of the counter itself."""
    expression = condition.expression
    return [f for _, f in expression.terms] == [1] and not expression.constant


def _written(rule: Rule, base: int, digits: dict[int, int]) -> Rule:
    when = tuple(
        replace(c, digit=digits[c.digit], base=base) if c.relation == "mod" else c
        for c in rule.when
    )
    then = []
    for name, update in rule.then:
        assert isinstance(update, Affine)
        if update.divisor > 1:
            then.append((name, replace(update, divisor=base)))
        else:
            terms = tuple((other, base) for other, _ in update.terms)
            then.append((name, Affine(terms, digits[update.constant])))
    return replace(rule, when=when, then=tuple(then))
