"""The same language by other machines: a stack of digits in another base, or with other digits.

A network is free in how it writes a stack down; the machine of the language has picked one way.
What is proved of a language by one of these machines is proved of the language, since they differ
in nothing but the names of the stack's digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from ..languages import Affine, Condition, Grammar, Language, Rule, Transducer

BASES = (3, 4, 5)
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


def same_language(one: Source, other: Source) -> bool:
    """Whether two machines are one, or machines of one language by their form."""
    if one == other:
        return True
    if not isinstance(one, Language) or not isinstance(other, Language):
        return False
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
