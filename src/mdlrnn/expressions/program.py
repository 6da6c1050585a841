"""An expression as a program that writes its strings: what its probabilities and its machine are
worked out from.

A program draws numbers as it writes: a^n begins with one a, and a decision says whether another
comes. Each decision is a slot whose outcomes have chances; the program does not hold the chances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ..errors import InputError
from .nodes import Again, Exponent, Node, choice, plus, symbol, symbols_of, walk

WRITE, SPLIT, SET, LOOP, JUMP, MARK, BOUND, COPY, CALL, RETURN, STOP = range(11)
"""What instructions do: write a symbol; decide; set a number; count down; go on elsewhere; begin
and end a word; write a word again; enter and leave a rule; end."""
MOST_INSTRUCTIONS = 20_000

Sum = tuple[tuple[tuple[int, int], ...], int]
"""Registers with factors, and a constant."""


class Unsayable(InputError):  # noqa: N818
    """An expression that the notation has and that has no program."""


class Instruction(NamedTuple):
    """`a` depends on `op`: a symbol for WRITE, a slot for SPLIT, a register for SET and LOOP, a
    word for MARK, BOUND and COPY."""

    op: int
    a: int = 0
    targets: tuple[int, ...] = ()
    sum: Sum = ((), 0)
    again: Again | None = None


class Slot(NamedTuple):
    """A decision. Of a repetition the outcomes are to go on and to stop."""

    repeats: bool
    outcomes: int
    in_rule: bool = False


@dataclass(frozen=True)
class Program:
    symbols: tuple[str, ...]
    instructions: tuple[Instruction, ...]
    slots: tuple[Slot, ...]
    registers: int
    word_names: tuple[str, ...]
    letters: tuple[tuple[str, int], ...]
    """The numbers that it draws, in order, with their registers."""

    @property
    def words(self) -> int:
        return len(self.word_names)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where the outcomes of each slot begin among those of all."""
        found = [0]
        for slot in self.slots:
            found.append(found[-1] + slot.outcomes)
        return tuple(found)


def program_of(
    node: Node, symbols: Sequence[str], least: Mapping[str, int] | None = None
) -> Program:
    """The program of an expression over these symbols.

    `least` has the smallest value of numbers that may be 0.
    """
    writer = _Writer(tuple(symbols), dict(least or {}), node)
    return writer.program()


@dataclass
class _Writer:
    symbols: tuple[str, ...]
    least: dict[str, int]
    node: Node
    instructions: list[Instruction] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    """The register of each letter, and of what is kept beside it ("n^2", "2^n+1")."""
    registers: int = 0
    words: dict[str, int] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    """Where each open or written rule begins."""
    open: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    beside: dict[str, list[Exponent]] = field(default_factory=dict)
    """The squares and powers of 2 that are asked of each letter."""
    empty: _Emptiness = field(init=False)
    counted_rounds: frozenset[str] = frozenset()
    """The numbers that count rounds, each within its own power alone."""
    hidden: frozenset[str] = frozenset()
    """The numbers that were drawn in a part that may be left out or come again."""

    def program(self) -> Program:
        for part in walk(self.node):
            if part.kind == "power" and part.value.kind in ("square", "double"):
                kept = self.beside.setdefault(part.value.letters[0], [])
                if part.value not in kept:
                    kept.append(part.value)
        self.empty = _emptiness(self.node, self.least)
        _check_rules(self.node, self.empty)
        self.emit(self.node, frozenset(), in_rule=False)
        self.add(Instruction(STOP))
        return Program(
            self.symbols, tuple(self.instructions), tuple(self.slots), self.registers,
            tuple(self.words), tuple((name, self.numbers[name]) for name in self.letters),
        )  # fmt: skip

    def add(self, instruction: Instruction) -> int:
        if len(self.instructions) >= MOST_INSTRUCTIONS:
            raise Unsayable("the expression is too long to be run; write less.")
        self.instructions.append(instruction)
        return len(self.instructions) - 1

    @property
    def next(self) -> int:
        return len(self.instructions)

    def slot(self, repeats: bool, outcomes: int, in_rule: bool) -> int:
        self.slots.append(Slot(repeats, outcomes, in_rule))
        return len(self.slots) - 1

    def split(self, slot: int) -> int:
        return self.add(Instruction(SPLIT, slot))

    def aim(self, place: int, *targets: int) -> None:
        self.instructions[place] = self.instructions[place]._replace(targets=targets)

    def register(self) -> int:
        self.registers += 1
        return self.registers - 1

    def emit(self, node: Node, known: frozenset[str], in_rule: bool) -> frozenset[str]:
        """Write the instructions of a node; `known` are the numbers and words drawn before."""
        kind = node.kind
        if kind == "symbol":
            self.add(Instruction(WRITE, self.symbols.index(node.value)))
        elif kind == "sequence":
            for part in node.parts:
                known = self.emit(part, known, in_rule)
        elif kind == "choice":
            known = self.choose(node, known, in_rule)
        elif kind == "optional":
            split = self.split(self.slot(False, 2, in_rule))
            self.hide(self.emit(node.parts[0], known, in_rule) - known)
            self.aim(split, split + 1, self.next)
        elif kind in ("star", "plus"):
            self.repeat(node, known, in_rule)
        elif kind == "power":
            known = self.power(node, known, in_rule)
        elif kind == "word":
            known = self.word(node, known, in_rule)
        elif kind == "again":
            if f"<{node.value.name}>" not in known:
                raise Unsayable(f"the word {node.value.name} is not always drawn before it comes "
                                f"again; draw it first.")  # fmt: skip
            self.add(Instruction(COPY, self.words[node.value.name], again=node.value))
        elif kind == "rule":
            self.rule(node, known)
        elif kind == "call":
            if node.value not in self.open:
                raise Unsayable(f"the rule {node.value} is not open where it is named; write "
                                f"<{node.value}: ...> around it.")  # fmt: skip
            self.add(Instruction(CALL, targets=(self.rules[node.value],)))
        return known

    def choose(self, node: Node, known: frozenset[str], in_rule: bool) -> frozenset[str]:
        split = self.split(self.slot(False, len(node.parts), in_rule))
        targets, ends, after = [], [], []
        hidden, all_hidden = self.hidden, self.hidden
        for part in node.parts:
            self.hidden = hidden
            targets.append(self.next)
            after.append(self.emit(part, known, in_rule))
            ends.append(self.add(Instruction(JUMP)))
            all_hidden |= self.hidden
        self.aim(split, *targets)
        for end in ends:
            self.aim(end, self.next)
        both = frozenset.intersection(*after)
        self.hidden = all_hidden | frozenset.union(*after) - both
        return both

    def hide(self, drawn: frozenset[str]) -> None:
        self.hidden |= drawn

    def check_repeated(self, body: Node) -> None:
        if self.empty.of(body):
            raise Unsayable("what is repeated may be empty, so that it cannot be counted; write it "
                            "so that it always has a symbol.")  # fmt: skip

    def repeat(self, node: Node, known: frozenset[str], in_rule: bool) -> None:
        body = node.parts[0]
        self.check_repeated(body)
        slot = self.slot(True, 2, in_rule)
        if node.kind == "plus":
            begin = self.next
            drawn = self.emit(body, known, in_rule)
            self.aim(self.split(slot), begin, self.next)
        else:
            split = self.split(slot)
            drawn = self.emit(body, known, in_rule)
            self.add(Instruction(JUMP, targets=(split,)))
            self.aim(split, split + 1, self.next)
        self.hide(drawn - known)

    # Powers

    def power(self, node: Node, known: frozenset[str], in_rule: bool) -> frozenset[str]:
        exponent: Exponent = node.value
        body = node.parts[0]
        if in_rule and any(part.kind == "call" for part in walk(body)):
            raise Unsayable("a power is taken of a rule's own name; write it out, as <S> <S>.")
        if exponent.kind == "range":
            self.range(body, exponent, known, in_rule)
            return known
        inner = exponent.letters[0] if exponent.kind == "rounds" else None
        elsewhere = known | (self.hidden - self.counted_rounds) | set(self.least)
        if inner is not None and inner in elsewhere:
            raise Unsayable(f"the number {inner} counts the rounds from 1 and is used elsewhere; "
                            "give it another letter.")  # fmt: skip
        new = [name for name in exponent.letters if name not in known and name != inner]
        lost = next((name for name in new if name in self.hidden), None)
        if lost is not None:
            raise Unsayable(f"the number {lost} is drawn in a part that may be left out or comes "
                            "again, and is used outside; give it another letter.")  # fmt: skip
        if any(x in p.value.letters for p in walk(body) if p.kind == "power" for x in new):
            raise Unsayable(f"the number {new[0]} is drawn by a power and used inside it; give one "
                            "of them another letter.")  # fmt: skip
        if (exponent.letters and in_rule) or (new and any(p.kind == "rule" for p in walk(body))):
            raise Unsayable(
                "a number is drawn in a rule or around one; write rules without numbers."
            )
        if len(new) > 1:
            raise Unsayable(f"an exponent has two numbers, {new[0]} and {new[1]}, that nothing "
                            "before it tells apart; let each appear alone first.")  # fmt: skip
        for name, factor in exponent.terms:
            if factor < 0:
                raise Unsayable(f"an exponent takes away {name}, so that it could fall below 0; "
                                "write the language with sums only.")  # fmt: skip
        loop = self.register()
        if inner is not None:
            self.counted_rounds |= {inner}
        if not new and inner is not None:
            self.check_repeated(body)
            self.count_rounds(inner, loop, exponent.letters[1], body, known, in_rule)
            self.hide(frozenset({inner}))
            return known
        if not new:
            if exponent.kind in ("square", "double"):
                self.check_repeated(body)
            total = self.known_sum(exponent)
            if exponent.kind == "linear":
                smallest = exponent.constant + sum(f * self.smallest(x) for x, f in exponent.terms)
                if smallest < 0:
                    raise Unsayable("an exponent falls below 0 for the smallest numbers; write a "
                                    "larger one.")  # fmt: skip
            self.add(Instruction(SET, loop, sum=total))
            self.counted(loop, body, known, in_rule)
            return known
        self.check_repeated(body)
        self.draw(new[0], loop, exponent, body, known)
        if inner is not None:
            self.hide(frozenset({inner}))
        return known | {new[0]}

    def smallest(self, letter: str) -> int:
        return self.least.get(letter, 1)

    def key(self, exponent: Exponent) -> str:
        letter = exponent.letters[0]
        return f"{letter}^2" if exponent.kind == "square" else f"2^{letter}{exponent.constant:+d}"

    def known_sum(self, exponent: Exponent) -> Sum:
        if exponent.kind != "linear":
            return ((self.numbers[self.key(exponent)], 1),), 0
        return tuple((self.numbers[x], f) for x, f in exponent.terms), exponent.constant

    def counted(self, loop: int, body: Node, known: frozenset[str], in_rule: bool) -> int:
        """Write the body as often as the register says; where the loop begins."""
        begin = self.add(Instruction(LOOP, loop))
        self.hide(self.emit(body, known, in_rule) - known)
        self.add(Instruction(JUMP, targets=(begin,)))
        self.aim(begin, self.next)
        return begin

    def draw(
        self, letter: str, loop: int, exponent: Exponent, body: Node, known: frozenset[str]
    ) -> None:
        """Draw a number as it is written: first what its smallest value asks for, then, as often as
        it goes on, what each further 1 adds."""
        first = self.smallest(letter)
        if letter not in self.numbers:
            self.letters.append(letter)
            self.numbers[letter] = self.register()
            for kept in self.beside.get(letter, ()):
                self.numbers[self.key(kept)] = self.register()
        own = self.numbers[letter]
        kept_beside = list(self.beside.get(letter, ()))
        if exponent.kind == "rounds":
            # The number grows by 1 with each round, so it is the number of the round.
            inner = exponent.letters[0]
            self.numbers[inner] = own
            for kept in self.beside.get(inner, ()):
                self.numbers[self.key(kept)] = self.register()
                kept_beside.append(kept)
            known |= {inner}
        self.add(Instruction(SET, own, sum=((), first)))
        for kept in kept_beside:
            self.add(Instruction(SET, self.numbers[self.key(kept)], sum=((), _value(kept, first))))
        step: Sum
        begin_with: Sum
        if exponent.kind == "rounds":
            begin_with, step = ((), first), ((), 1)
        elif exponent.kind == "linear":
            factor = dict(exponent.terms)[letter]
            terms = tuple((self.numbers[x], f) for x, f in exponent.terms if x != letter)
            begin_with = (terms, exponent.constant + factor * first)
            step = ((), factor)
            if (
                begin_with[1] + sum(f * self.smallest(x) for x, f in exponent.terms if x != letter)
                < 0
            ):
                raise Unsayable("an exponent falls below 0 for the smallest numbers; write a "
                                "larger one.")  # fmt: skip
        else:
            begin_with = ((), _value(exponent, first))
            square = exponent.kind == "square"
            step = (((own, 2),), 1) if square else (((self.numbers[self.key(exponent)], 1),), 0)
        self.add(Instruction(SET, loop, sum=begin_with))
        begin = self.counted(loop, body, known, False)
        split = self.split(self.slot(True, 2, False))
        self.add(Instruction(SET, loop, sum=step))
        self.grow(own, kept_beside)
        self.add(Instruction(JUMP, targets=(begin,)))
        self.aim(split, split + 1, self.next)

    def grow(self, own: int, kept_beside: Sequence[Exponent]) -> None:
        """One more of a number, and of its squares and powers of 2."""
        for kept in kept_beside:
            place = self.numbers[self.key(kept)]
            more = ((place, 1), (own, 2)) if kept.kind == "square" else ((place, 2),)
            self.add(Instruction(SET, place, sum=(more, int(kept.kind == "square"))))
        self.add(Instruction(SET, own, sum=(((own, 1),), 1)))

    def count_rounds(
        self, inner: str, loop: int, letter: str, body: Node, known: frozenset[str], in_rule: bool
    ) -> None:
        """Write the body as often as a number that was drawn before says."""
        own = self.numbers[inner] = self.register()
        kept_beside = self.beside.get(inner, [])
        self.add(Instruction(SET, own))
        for kept in kept_beside:
            self.numbers[self.key(kept)] = self.register()
            self.add(Instruction(SET, self.numbers[self.key(kept)], sum=((), _value(kept, 0))))
        self.add(Instruction(SET, loop, sum=(((self.numbers[letter], 1),), 0)))
        begin = self.add(Instruction(LOOP, loop))
        self.grow(own, kept_beside)
        self.hide(self.emit(body, known | {inner}, in_rule) - known)
        self.add(Instruction(JUMP, targets=(begin,)))
        self.aim(begin, self.next)

    def range(self, body: Node, exponent: Exponent, known: frozenset[str], in_rule: bool) -> None:
        """The smallest number of times, and then on with a chance, up to the largest."""
        self.check_repeated(body)
        loop = self.register()
        if exponent.constant:
            self.add(Instruction(SET, loop, sum=((), exponent.constant)))
            self.counted(loop, body, known, in_rule)
        self.add(Instruction(SET, loop, sum=((), exponent.most - exponent.constant)))
        begin = self.add(Instruction(LOOP, loop))
        split = self.split(self.slot(True, 2, in_rule))
        self.emit(body, known, in_rule)
        self.add(Instruction(JUMP, targets=(begin,)))
        self.aim(begin, self.next)
        self.aim(split, split + 1, self.next)

    # Words and rules

    def word(self, node: Node, known: frozenset[str], in_rule: bool) -> frozenset[str]:
        name = node.value
        body = node.parts[0] if node.parts else plus(choice([symbol(s) for s in self.symbols]))
        if in_rule or any(p.kind in ("power", "word", "again", "rule", "call") for p in walk(body)):
            raise Unsayable(f"the word {name} is drawn in a rule, or is more than symbols, choices "
                            "and repetitions; write such as <w:(a|b)+>.")  # fmt: skip
        number = self.words.setdefault(name, len(self.words))
        self.add(Instruction(MARK, number))
        self.emit(body, known, in_rule)
        self.add(Instruction(BOUND, number))
        return known | {f"<{name}>"}

    def rule(self, node: Node, known: frozenset[str]) -> None:
        if any(part.kind in ("word", "again") for part in walk(node)):
            raise Unsayable("a word is drawn in a rule; write rules without words.")
        if node.value in self.open:
            raise Unsayable(f"the rule {node.value} is open already; give this one another letter.")
        self.open.append(node.value)
        entry = self.add(Instruction(CALL))
        over = self.add(Instruction(JUMP))
        self.rules[node.value] = self.next
        self.aim(entry, self.next)
        self.emit(node.parts[0], frozenset(), True)
        self.open.pop()
        self.add(Instruction(RETURN))
        self.aim(over, self.next)


def _value(exponent: Exponent, number: int) -> int:
    if exponent.kind == "square":
        return number * number
    if number + exponent.constant < 0:
        raise Unsayable("a power of 2 is a fraction for the smallest numbers; write a larger one.")
    return int(2 ** (number + exponent.constant))


@dataclass(frozen=True)
class _Emptiness:
    """Which parts of an expression may write nothing."""

    least: Mapping[str, int]
    names: frozenset[str] = frozenset()
    """The rules that may, and the words, as "<w>"."""

    def of(self, node: Node) -> bool:
        if node.kind in ("empty", "optional", "star"):
            return True
        if node.kind in ("sequence", "choice"):
            some = all if node.kind == "sequence" else any
            return some(self.of(part) for part in node.parts)
        if node.kind == "power":
            return self.smallest(node.value) <= 0 or self.of(node.parts[0])
        if node.kind == "call":
            return node.value in self.names
        if node.kind == "again":
            return f"<{node.value.name}>" in self.names
        return bool(node.parts) and self.of(node.parts[0])

    def smallest(self, exponent: Exponent) -> int:
        if exponent.kind in ("square", "double"):
            return _value(exponent, self.least.get(exponent.letters[0], 1))
        if exponent.kind == "rounds":
            return self.least.get(exponent.letters[1], 1)
        return exponent.constant + sum(f * self.least.get(x, 1) for x, f in exponent.terms)


def _emptiness(node: Node, least: Mapping[str, int]) -> _Emptiness:
    names: frozenset[str] = frozenset()
    named = [part for part in walk(node) if part.kind in ("rule", "word") and part.parts]
    while True:
        known = _Emptiness(least, names)
        more = frozenset(
            part.value if part.kind == "rule" else f"<{part.value}>"
            for part in named
            if known.of(part.parts[0])
        )
        if more == names:
            return known
        names = more


def may_be_empty(node: Node) -> bool:
    """Whether a part without numbers, words and rules may write nothing."""
    return _Emptiness({}).of(node)


def _check_rules(node: Node, empty: _Emptiness) -> None:
    """Refuse rules that call themselves before they write a symbol, or that never end."""
    bodies = {part.value: part.parts[0] for part in walk(node) if part.kind == "rule"}
    first = {name: _first_calls(body, empty) for name, body in bodies.items()}
    for name in bodies:
        seen: set[str] = set()
        left = list(first[name])
        while left:
            called = left.pop()
            if called not in seen:
                seen.add(called)
                left += first.get(called, ())
        if name in seen:
            raise Unsayable(f"the rule {name} calls itself before it writes a symbol; write a "
                            "symbol first.")  # fmt: skip
    ends: set[str] = set()
    while True:
        more_ends = {name for name, body in bodies.items() if _can_end(body, ends)}
        if more_ends == ends:
            break
        ends = more_ends
    endless = next((name for name in bodies if name not in ends), None)
    if endless is not None:
        raise Unsayable(f"the rule {endless} never ends; give it a choice without <{endless}>.")


def _first_calls(node: Node, empty: _Emptiness) -> set[str]:
    """The rules that may be called before a symbol is written."""
    if node.kind == "call":
        return {node.value}
    if node.kind == "rule":
        return {node.value, *_first_calls(node.parts[0], empty)}
    found: set[str] = set()
    for part in node.parts:
        found |= _first_calls(part, empty)
        if node.kind == "sequence" and not empty.of(part):
            break
    return found


def _can_end(node: Node, ends: set[str]) -> bool:
    if node.kind == "call":
        return node.value in ends
    if node.kind in ("optional", "star"):
        return True
    if node.kind == "choice":
        return any(_can_end(part, ends) for part in node.parts)
    return all(_can_end(part, ends) for part in node.parts)


def symbols_of_words(node: Node) -> tuple[str, ...]:
    """The symbols of a word of which nothing is said: those that the expression names, or a and b
    where it names fewer than two."""
    named = symbols_of(node)
    return named if len(named) > 1 else ("a", "b")


def named_symbols(node: Node) -> tuple[str, ...]:
    """The symbols of an expression on its own."""
    named = set(symbols_of(node))
    if any(part.kind == "word" and not part.parts for part in walk(node)):
        named |= set(symbols_of_words(node))
    return tuple(sorted(named))


def said(node: Node, symbols: Sequence[str]) -> Node:
    """The expression with the symbols of each word said."""
    if node.kind == "word" and not node.parts:
        return Node("word", (plus(choice([symbol(name) for name in symbols])),), node.value)
    return Node(node.kind, tuple(said(part, symbols) for part in node.parts), node.value)
