"""Machines with the same strings: counters that are set only where they matter, or another stack,
with other digits, base or letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count, permutations
from typing import NamedTuple

from ..errors import InputError
from ..languages import Grammar
from ..machines import (
    Affine,
    Condition,
    Machine,
    Rule,
    Transducer,
    counter,
    live_rules,
)
from ..network import BOUNDARY

Letter = tuple[int, ...]
"""What lies on the stack: digits of the machine as it was given, the first to come off last."""


class Move(NamedTuple):
    """A rule, as what it does to the stack."""

    rule: Rule
    top: Letter | None
    """What has to be on top; () if nothing may be, None if it is not looked at."""
    taken: bool
    """Whether that is taken off."""
    pushed: tuple[Letter, ...]


def stack_moves(language: Machine) -> tuple[Move, ...] | None:
    """The moves, if all that the rules do is to push digits and to pop what is on top."""
    if len(language.counters) != 1:
        return None
    bases = {c.base for rule in language.rules for c in rule.when if c.relation == "mod"}
    if len(bases) != 1 or min(bases) < 3:
        return None
    [base] = bases
    found = [move_of(rule, base) for rule in language.rules]
    moves = tuple(move for move in found if move is not None)
    looked_at = {move.top for move in moves if move.top}
    known = len(moves) == len(found) and looked_at <= set(letters_of(moves))
    return moves if known else None


def move_of(rule: Rule, base: int) -> Move | None:
    """What a rule does to a stack in this base; None if it does something else."""
    top: Letter | None = None
    if len(rule.when) > 1 or len(rule.then) > 1:
        return None
    for condition in rule.when:
        if not _bare(condition) or condition.relation == ">":
            return None
        top = (condition.digit,) if condition.relation == "mod" else ()
        if top == (0,):
            return None
    for _, update in rule.then:
        if not isinstance(update, Affine) or len(update.terms) != 1:
            return None
        factor, known = update.terms[0][1], sum(top or ())
        if update.divisor > 1:
            # Only what has a known digit on top is popped.
            popped = update.divisor == base and factor == 1 and not update.constant and known
            return Move(rule, top, True, ()) if popped else None
        pushed = _digits(update.constant + factor * known, factor * (base if known else 1), base)
        if pushed is None:
            return None
        if not known:
            return Move(rule, top, False, pushed)
        kept = pushed[0] == top
        return Move(rule, top, not kept, pushed[1:] if kept else pushed)
    return Move(rule, top, False, ())


def _digits(number: int, factor: int, base: int) -> tuple[Letter, ...] | None:
    """The digits that stand for what is added when a stack is multiplied by the factor."""
    found: list[Letter] = []
    while factor > 1 and factor % base == 0 and number % base:
        number, digit = divmod(number, base)
        factor //= base
        found.insert(0, (digit,))
    return tuple(found) if factor == 1 and not number else None


def _bare(condition: Condition) -> bool:
    """Whether it speaks of the counter itself."""
    expression = condition.expression
    return [f for _, f in expression.terms] == [1] and not expression.constant


def letters_of(moves: Sequence[Move]) -> tuple[Letter, ...]:
    return tuple(dict.fromkeys(letter for move in moves for letter in move.pushed))


def moves_of_blocks(moves: Sequence[Move]) -> tuple[Move, ...]:
    """What a rule pushes as one letter, which becomes a shorter one as its digits come off."""
    taken = {move.top for move in moves if move.taken}
    letters: dict[Letter, None] = {}
    for move in moves:
        letter = _joined(move.pushed)
        while letter and letter not in letters:
            letters[letter] = None
            letter = letter[:-1] if letter[-1:] in taken else ()
    found: list[Move] = []
    for move in moves:
        block = (_joined(move.pushed),) if move.pushed else ()
        if not move.top:
            found.append(move._replace(pushed=block))
        for letter in letters if move.top else ():
            if letter[-1:] == move.top:
                shorter = (letter[:-1],) if move.taken and len(letter) > 1 else ()
                found.append(Move(move.rule, letter, move.taken, (*shorter, *block)))
    return tuple(found)


def tops_in_states(moves: Sequence[Move]) -> tuple[Move, ...]:
    """The same with fewer letters: one that is never covered, and of which something is left when
    it is taken off, is what is left, and the state says that it is on top."""
    found = list(moves)
    # The longest first: of what is left of a letter nothing may have been changed before.
    for letter in sorted(letters_of(moves), key=len, reverse=True):
        if len(letter) > 1 and _is_never_covered(letter, found):
            found = _in_state(letter, found)
    return tuple(found)


def _is_never_covered(letter: Letter, moves: Sequence[Move]) -> bool:
    """Whether it is taken off by the next move wherever it is on top."""
    states = {move.rule.to for move in moves if move.pushed and move.pushed[-1] == letter}
    return all(
        letter not in move.pushed[:-1]
        and (move.top != letter or move.taken)
        and (move.rule.state not in states or move.top is not None)
        for move in moves
    )


def _in_state(letter: Letter, moves: Sequence[Move]) -> list[Move]:
    states = {move.rule.to for move in moves if move.pushed and move.pushed[-1] == letter}
    taken = {name for move in moves for name in (move.rule.state, move.rule.to)}
    names: dict[str, str] = {}
    for state in sorted(states):
        names[state] = next(
            name for number in count(2) if (name := f"{state} {number}") not in taken
        )
        taken.add(names[state])
    found = []
    for move in moves:
        rule, top, is_taken, pushed = move
        if top == letter:
            if rule.state not in names:
                continue  # it is not on top there
            # What is left of it is there already.
            rule, top, is_taken, pushed = (
                replace(rule, state=names[rule.state]), None, False, pushed[1:],
            )  # fmt: skip
        if pushed and pushed[-1] == letter:
            rule, pushed = replace(rule, to=names[rule.to]), (*pushed[:-1], letter[:-1])
        found.append(Move(rule, top, is_taken, pushed))
    return found


def _joined(letters: Sequence[Letter]) -> Letter:
    return tuple(digit for letter in letters for digit in letter)


def rules_of(moves: Sequence[Move], base: int, digits: dict[Letter, int]) -> tuple[Rule, ...]:
    """The rules, with a stack in this base."""
    return tuple(
        replace(move.rule, when=_looks(move, base, digits), then=_makes(move, base, digits))
        for move in moves
    )


def _looks(move: Move, base: int, digits: dict[Letter, int]) -> tuple[Condition, ...]:
    if not move.top:
        return () if move.top is None else move.rule.when
    [condition] = move.rule.when
    return (replace(condition, digit=digits[move.top], base=base),)


def _makes(
    move: Move, base: int, digits: dict[Letter, int]
) -> tuple[tuple[str, Affine | int], ...]:
    if not move.taken and not move.pushed:
        return ()
    # A rule that looks at a letter or pushes one has always changed the stack.
    [(name, _)] = move.rule.then
    value, pushed = counter(name), list(move.pushed)
    if move.taken and not pushed:
        return ((name, value // base),)
    if move.taken:
        assert move.top
        value = value + (digits[pushed.pop(0)] - digits[move.top])
    for letter in pushed:
        value = base * value + digits[letter]
    return ((name, value),)


BASES = (3, 4, 5)
MOST_COUNTERS = 5
Source = Machine | Grammar | Transducer


def equivalent_machines(language: Machine) -> Iterator[Machine]:
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


def counting_machine(language: Machine) -> Machine | None:
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


def counts_of_symbols(language: Machine) -> dict[str, str]:
    """Counters that count how often a symbol has been read, by `counting_machine`'s names."""
    return {
        name: symbol
        for name, symbol in _names_of_counts(language).items()
        if all(
            dict(rule.then).get(name) == (_one_more(name) if rule.symbol == symbol else None)
            for rule in language.rules
        )
    }


def _names_of_counts(language: Machine) -> dict[str, str]:
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
    if not isinstance(one, Machine) or not isinstance(other, Machine):
        return False
    if counting_machine(other) == one:
        return True
    if live_rules(other) == one.rules and replace(one, rules=other.rules) == other:
        return True
    return any(machine == one for machine in equivalent_machines(other))
