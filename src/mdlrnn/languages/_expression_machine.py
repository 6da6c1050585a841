"""The machine of an expression, where there is a deterministic one.

The program of an expression becomes states and counters: a state is a place after a symbol, what is
counted down from a fixed number is part of the state, and the other numbers are counters. A word
that comes back is a number whose digits are its symbols. Rules that contain themselves go by way of
a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from ..checks import short
from ..errors import InputError
from ..expressions import Expression, Instruction, Program, nodes, program
from ..machines import (
    END,
    Affine,
    Condition,
    Machine,
    Rule,
    counter,
    determinised,
    with_fewer_counters,
)
from ..network import BOUNDARY
from ._grammar_machine import machine_of
from ._productions import Nonterminal, Part, Production

MOST_STATES = MOST_RULES = 2_000
"""Of a machine, before it is made deterministic."""
OTHERS = "klijpqrstuvwxyzabcdefgh"
"""Names of counters that are no numbers of the expression."""
MOST_BRANCHES = 5_000
"""Ways from one symbol to the next."""


def slug(title: str) -> str:
    """A name for files made of a notation."""
    name = re.sub(r"\W+", "", title.replace("*", "s").replace("+", "p").replace("|", "_or_"))
    return name[:40] or "language"


def machine_of_expression(expression: Expression) -> Machine:
    """The machine with the expression's strings and probabilities; an InputError says why there is
    none."""
    if expression.node is None or expression.others:
        raise InputError(
            f"{expression.title} has strings written apart; name the expression alone."
        )
    steps = expression.program
    assert steps is not None
    name = slug(expression.title)
    if any(step.op == program.CALL for step in steps.instructions):
        start, productions = productions_of(expression, steps)
        return machine_of(name, expression.title, start, productions)
    rules = checked_rules(_Maker(steps, expression).rules(), expression.title)
    try:
        found = Machine(name, expression.title, determinised(rules, "start"))
    except InputError as error:
        if steps.words:
            raise InputError(
                f"{expression.title} has no machine: whoever reads from left to right cannot know "
                "where a word that comes back begins; put a symbol between that no word has."
            ) from None
        raise InputError(f"{expression.title}: {error}") from None
    return _with_names(with_fewer_counters(found), steps)


def checked_rules(rules: Iterable[Rule], title: str) -> tuple[Rule, ...]:
    """The rules; an InputError if there are too many to be made deterministic in seconds."""
    found = tuple(islice(rules, MOST_RULES + 1))
    if len(found) > MOST_RULES:
        raise InputError(
            f"{short(title)} has a machine of more than {MOST_RULES:,} rules; write smaller "
            "numbers, or fewer repetitions in a row."
        )
    return found


def _with_names(machine: Machine, steps: Program) -> Machine:
    """The machine with the expression's own letters for its numbers, and others for the rest."""
    letters = {f"r{place}": name for name, place in steps.letters}
    free = (name for name in OTHERS if name not in letters.values())
    names = {name: letters.get(name) or next(free, name) for name in machine.counters}

    def named(value: Affine) -> Affine:
        terms = tuple(sorted((names[name], factor) for name, factor in value.terms))
        return Affine(terms, value.constant, value.divisor)

    rules = tuple(
        replace(
            rule,
            when=tuple(replace(c, expression=named(c.expression)) for c in rule.when),
            then=tuple(
                (names[name], value if isinstance(value, int) else named(value))
                for name, value in rule.then
            ),
        )
        for rule in machine.rules
    )
    return replace(machine, rules=rules)


class _Place(NamedTuple):
    """A state: an instruction after a symbol, what is left of fixed numbers, the open word."""

    at: int
    fixed: tuple[tuple[int, int], ...]
    open: int
    copying: int = -1
    """The instruction that copies, while a word comes back."""


@dataclass
class _Branch:
    """One way on from a place, as it is followed without a symbol."""

    at: int
    fixed: dict[int, int]
    open: int
    chance: Fraction
    values: dict[str, Affine]
    when: tuple[Condition, ...]
    copying: int = -1


@dataclass
class _Maker:
    program: Program
    expression: Expression
    names: dict[_Place, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        steps = self.program.instructions
        set_to: dict[int, list[Instruction]] = {}
        for step in steps:
            if step.op == program.SET:
                set_to.setdefault(step.a, []).append(step)
        self.fixed = {r for r, all_ in set_to.items() if all(not s.sum[0] for s in all_)}
        # Numbers that others are made of are counters, even those that are set once.
        self.fixed -= {r for step in steps for r, _ in step.sum[0]}
        copies = {step.a for step in steps if step.op == program.COPY}
        self.low_first = {
            word: any(s.op == program.COPY and s.a == word and not s.again.is_reversed  # type: ignore[union-attr]
                      for s in steps) for word in copies
        }  # fmt: skip
        self.high_first = {
            word: any(s.op == program.COPY and s.a == word and s.again.is_reversed  # type: ignore[union-attr]
                      for s in steps) for word in copies
        }  # fmt: skip
        self.written: dict[int, set[int]] = {word: set() for word in copies}
        """The symbols that a word that comes back can have."""
        for word, step in zip(self._open_words(), steps, strict=True):
            if step.op == program.WRITE and word in copies:
                self.written[word].add(step.a)
        every = sorted(set().union(*self.written.values()))
        self.digits = {number: digit for digit, number in enumerate(every, start=1)}
        # A power of 2, so that floats hold the digits exactly.
        self.base = 1 << len(every).bit_length()
        self.live = self._liveness()
        self.positive = self._positive()

    # Which counters matter where

    def _uses(self, step: Instruction, after: set[str]) -> set[str]:
        """What an instruction asks for; a number that nothing asks for later asks for nothing."""
        if step.op == program.SET:
            return {f"r{place}" for place, _ in step.sum[0]} if f"r{step.a}" in after else set()
        if step.op == program.LOOP and step.a not in self.fixed:
            return {f"r{step.a}"}
        if step.op == program.COPY:
            assert step.again is not None
            return {f"{'s' if step.again.is_reversed else 'w'}{step.a}"}
        return set()

    def _sets(self, step: Instruction) -> set[str]:
        if step.op == program.SET:
            return {f"r{step.a}"}
        return {f"s{step.a}", f"w{step.a}", f"p{step.a}"} if step.op == program.MARK else set()

    def _following(self, at: int) -> tuple[int, ...]:
        step = self.program.instructions[at]
        if step.op in (program.SPLIT, program.JUMP):
            return step.targets
        if step.op == program.LOOP:
            return (at + 1, *step.targets)
        return () if step.op == program.STOP else (at + 1,)

    def _liveness(self) -> list[set[str]]:
        """The counters that are asked for from each instruction on."""
        steps = self.program.instructions
        live: list[set[str]] = [set() for _ in steps]
        inside = self._open_words()
        changed = True
        while changed:
            changed = False
            for at in range(len(steps) - 1, -1, -1):
                after = set().union(*(live[to] for to in self._following(at)))
                now = self._uses(steps[at], after) | (after - self._sets(steps[at]))
                if steps[at].op == program.WRITE and inside[at] >= 0:
                    word = inside[at]
                    if f"w{word}" in now:
                        now.add(f"p{word}")
                if now != live[at]:
                    live[at], changed = now, True
        return live

    def _positive(self) -> set[str]:
        """The numbers that are never 0 where they are asked for."""
        steps = self.program.instructions
        counted = {step.a for step in steps if step.op == program.LOOP}
        sums: dict[int, list[Instruction]] = {}
        for step in steps:
            if step.op == program.SET and step.a not in counted:
                sums.setdefault(step.a, []).append(step)
        found = {f"r{place}" for place in sums}
        while True:
            kept = {f"r{place}" for place, all_ in sums.items()
                    if all(_least(_named_sum(step), found) > 0 for step in all_)}  # fmt: skip
            if kept == found:
                break
            found = kept
        for node in nodes.walk(self.expression.node or nodes.EMPTY):
            if node.kind == "word" and not (node.parts and program.may_be_empty(node.parts[0])):
                number = self.program.word_names.index(node.value)
                found |= {f"w{number}", f"s{number}"}
        return found

    def _open_words(self) -> list[int]:
        """For each instruction the word that is being drawn, -1 if none is."""
        found, open_word = [], -1
        for step in self.program.instructions:
            open_word = (
                step.a if step.op == program.MARK else -1 if step.op == program.BOUND else open_word
            )
            found.append(open_word)
        return found

    # From places to rules

    def rules(self) -> Iterator[Rule]:
        first = _Place(0, (), -1)
        self.names[first] = "start"
        left = [first]
        while left:
            place = left.pop(0)
            for rule, to in self._ways(place):
                if to is not None and to not in self.names:
                    if len(self.names) >= MOST_STATES:
                        raise InputError(
                            f"{self.expression.title} has a machine of more than {MOST_STATES} "
                            "states; write smaller numbers."
                        )
                    self.names[to] = self._name(rule.symbol)
                    left.append(to)
                yield replace(rule, to=END if to is None else self.names[to])

    def _name(self, symbol: str) -> str:
        """Named for the symbol that was written last."""
        base = (
            symbol.upper() if symbol.isalnum() else f"after {symbol}" if symbol.isalpha() else "s"
        )
        taken = set(self.names.values()) | {END}
        number = 1
        while (name := base if number == 1 else f"{base}{number}") in taken:
            number += 1
        return name

    def _ways(self, place: _Place) -> Iterator[tuple[Rule, _Place | None]]:
        here = self.names[place]
        begin = _Branch(place.at, dict(place.fixed), place.open, Fraction(1), {}, (), place.copying)
        left, done = [begin], 0
        while left:
            branch = left.pop()
            done += 1
            if done > MOST_BRANCHES:
                raise InputError(
                    f"{self.expression.title} has more than {MOST_BRANCHES} ways from one symbol "
                    "to the next; write less."
                )
            if branch.copying >= 0:
                written, further = self._copy(branch)
                left += further
                for symbol, after, to in written:
                    yield self._rule(here, symbol, after, to), to
                continue
            step = self.program.instructions[branch.at]
            if step.op == program.STOP:
                rule = Rule(here, BOUNDARY, END, branch.chance, branch.when)
                yield rule, None
            elif step.op == program.WRITE:
                grown = replace(branch, values=self._grown(branch, step.a))
                to = self._place(branch.at + 1, branch.fixed, branch.open)
                yield self._rule(here, self.program.symbols[step.a], grown, to), to
            else:
                left += reversed(list(self._moved(branch, step)))

    def _place(self, at: int, fixed: dict[int, int], open_word: int, copying: int = -1) -> _Place:
        live = set() if copying >= 0 else self._live_fixed(at)
        if copying >= 0:
            live = self._live_fixed(copying + 1)
        kept = tuple(sorted((r, value) for r, value in fixed.items() if r in live))
        return _Place(at, kept, open_word, copying)

    def _live_fixed(self, at: int) -> set[int]:
        """Fixed numbers that are counted on from an instruction, before they are set again."""
        seen: set[tuple[int, frozenset[int]]] = set()
        found: set[int] = set()
        left = [(at, frozenset[int]())]
        while left:
            here, set_ = left.pop()
            if (here, set_) in seen:
                continue
            seen.add((here, set_))
            step = self.program.instructions[here]
            if step.op == program.LOOP and step.a in self.fixed and step.a not in set_:
                found.add(step.a)
            now = set_ | {step.a} if step.op == program.SET and step.a in self.fixed else set_
            left += [(to, now) for to in self._following(here)]
        return found

    def _rule(self, here: str, symbol: str, branch: _Branch, to: _Place) -> Rule:
        live = self._live_at(to)
        then = tuple(
            (name, value if value.terms else value.constant)
            for name, value in sorted(branch.values.items())
            if name in live and value != counter(name)
        )
        return Rule(here, symbol, END, branch.chance, branch.when, then)

    def _live_at(self, place: _Place) -> set[str]:
        if place.copying < 0:
            return self.live[place.at]
        return self.live[place.copying + 1] | {f"c{place.copying}"}

    def _value(self, branch: _Branch, name: str) -> Affine:
        return branch.values.get(name, counter(name))

    def _sum(self, branch: _Branch, step: Instruction) -> Affine:
        terms, constant = step.sum
        found = Affine((), constant)
        for place, factor in terms:
            found = _added(found, self._value(branch, f"r{place}"), factor)
        return found

    def _moved(self, branch: _Branch, step: Instruction) -> Iterator[_Branch]:
        at = branch.at + 1
        if step.op == program.SPLIT:
            for target, chance in zip(step.targets, self.expression.chances[step.a], strict=True):
                if chance:
                    yield replace(branch, at=target, chance=branch.chance * chance)
        elif step.op == program.SET:
            if step.a in self.fixed:
                yield replace(branch, at=at, fixed={**branch.fixed, step.a: step.sum[1]})
            else:
                values = {**branch.values, f"r{step.a}": self._sum(branch, step)}
                yield replace(branch, at=at, values=values)
        elif step.op == program.LOOP:
            yield from self._counted(branch, step)
        elif step.op == program.JUMP:
            yield replace(branch, at=step.targets[0])
        elif step.op == program.MARK:
            new = {f"w{step.a}": Affine(), f"s{step.a}": Affine(), f"p{step.a}": Affine((), 1)}
            yield replace(branch, at=at, open=step.a, values={**branch.values, **new})
        elif step.op == program.BOUND:
            yield replace(branch, at=at, open=-1)
        else:
            assert step.op == program.COPY
            assert step.again is not None
            source = f"{'s' if step.again.is_reversed else 'w'}{step.a}"
            values = {**branch.values, f"c{branch.at}": self._value(branch, source)}
            yield replace(branch, values=values, copying=branch.at)

    def _counted(self, branch: _Branch, step: Instruction) -> Iterator[_Branch]:
        at = branch.at + 1
        if step.a in self.fixed:
            left = branch.fixed.get(step.a, 0)
            if left > 0:
                yield replace(branch, at=at, fixed={**branch.fixed, step.a: left - 1})
            else:
                yield replace(branch, at=step.targets[0])
            return
        name = f"r{step.a}"
        left_over = self._value(branch, name)
        one_less = {**branch.values, name: left_over - 1}
        if not left_over.terms:
            if left_over.constant > 0:
                yield replace(branch, at=at, values=one_less)
            else:
                yield replace(branch, at=step.targets[0])
            return
        more = left_over.positive
        if _least(left_over, self.positive) > 0:
            yield replace(branch, at=at, values=one_less)
            return
        yield replace(branch, at=at, values=one_less, when=(*branch.when, more))
        yield replace(branch, at=step.targets[0], when=(*branch.when, left_over.zero))

    # Words as numbers

    def _grown(self, branch: _Branch, symbol: int) -> dict[str, Affine]:
        """The values after a symbol of the open word: it becomes the lowest digit of a word read
        backwards, and the highest of one read forwards."""
        word = branch.open
        if word < 0:
            return branch.values
        values, digit = dict(branch.values), self.digits.get(symbol, 0)
        if self.high_first.get(word):
            values[f"s{word}"] = _added(
                Affine((), digit), self._value(branch, f"s{word}"), self.base
            )
        if self.low_first.get(word):
            power = self._value(branch, f"p{word}")
            values[f"w{word}"] = _added(self._value(branch, f"w{word}"), power, digit)
            values[f"p{word}"] = _added(Affine(), power, self.base)
        return values

    def _copy(self, branch: _Branch) -> tuple[list[tuple[str, _Branch, _Place]], list[_Branch]]:
        """The next symbol of a word that comes back, and going on where it is over."""
        at = branch.copying
        step = self.program.instructions[at]
        assert step.again is not None
        name = f"c{at}"
        rest = self._value(branch, name)
        over = replace(branch, at=at + 1, copying=-1, when=(*branch.when, rest.zero))
        if not rest.terms:
            raise InputError(f"{self.expression.title} has no machine: a word comes back that is "
                             "empty; write it so that it has a symbol.")  # fmt: skip
        swaps = {one: other for pair in step.again.swaps for one, other in (pair, pair[::-1])}
        written = []
        for number, symbol in enumerate(self.program.symbols):
            if number not in self.written[step.a]:
                continue
            digit = self.digits[number]
            if rest.divisor != 1:
                raise InputError(f"{self.expression.title} has no machine: a word comes back twice "
                                 "without a symbol between.")  # fmt: skip
            after = Affine(rest.terms, rest.constant - digit, self.base)
            values = {**branch.values, name: after}
            when = (*branch.when, rest.positive, rest.ends_in(digit, self.base))
            to = self._place(at, branch.fixed, -1, at)
            found = replace(branch, values=values, when=when)
            written.append((swaps.get(symbol, symbol), found, to))
        return written, [] if _least(rest, self.positive) > 0 else [over]


def _named_sum(step: Instruction) -> Affine:
    return Affine(tuple((f"r{place}", factor) for place, factor in step.sum[0]), step.sum[1])


def _least(value: Affine, positive: set[str]) -> int:
    """A number that the value is never below."""
    if value.divisor != 1 or any(factor < 0 for _, factor in value.terms):
        return -1
    return value.constant + sum(factor for name, factor in value.terms if name in positive)


def _added(one: Affine, other: Affine, factor: int) -> Affine:
    terms = dict(one.terms)
    for name, own in other.terms:
        terms[name] = terms.get(name, 0) + own * factor
    kept = tuple((name, own) for name, own in sorted(terms.items()) if own)
    return Affine(kept, one.constant + other.constant * factor)


# Rules that contain themselves


def productions_of(
    expression: Expression, own: Program
) -> tuple[Nonterminal, tuple[Production, ...]]:
    """A grammar whose nonterminals are the decisions of the program, and its rules."""
    steps = own.instructions
    found: list[Production] = []
    keys: dict[tuple[int, tuple[tuple[int, int], ...]], Nonterminal] = {}
    left: list[tuple[int, tuple[tuple[int, int], ...]]] = []

    def named(at: int, numbers: tuple[tuple[int, int], ...]) -> Nonterminal:
        key = (at, numbers)
        if key not in keys:
            if len(keys) >= MOST_STATES:
                raise InputError(f"{expression.title} has too many states; write smaller numbers.")
            keys[key] = Nonterminal(f"X{len(keys)}" if keys else "S")
            left.append(key)
        return keys[key]

    def run(at: int, values: dict[int, int]) -> tuple[Part, ...]:
        """What is written until a decision is taken or a rule ends."""
        written: list[Part] = []
        while True:
            step = steps[at]
            if step.op == program.WRITE:
                written.append(own.symbols[step.a])
                at += 1
            elif step.op == program.CALL:
                written.append(named(step.targets[0], ()))
                at += 1
            elif step.op == program.JUMP:
                at = step.targets[0]
            elif step.op == program.SET:
                values = {**values, step.a: step.sum[1]}
                at += 1
            elif step.op == program.LOOP:
                if values.get(step.a, 0) > 0:
                    values = {**values, step.a: values[step.a] - 1}
                    at += 1
                else:
                    values = {r: value for r, value in values.items() if r != step.a}
                    at = step.targets[0]
            elif step.op in (program.RETURN, program.STOP):
                return tuple(written)
            else:
                written.append(named(at, tuple(sorted(values.items()))))
                return tuple(written)

    start = named(0, ())
    while left:
        at, numbers = left.pop(0)
        step = steps[at]
        left_side = keys[at, numbers]
        if step.op == program.SPLIT:
            for target, chance in zip(step.targets, expression.chances[step.a], strict=True):
                found.append(Production(left_side, run(target, dict(numbers)), chance))
        else:
            found.append(Production(left_side, run(at, dict(numbers)), Fraction(1)))
    return start, tuple(found)
