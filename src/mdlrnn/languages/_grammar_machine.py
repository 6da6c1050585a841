"""A grammar as a machine over counters or a stack, where it can be one.

A leftmost derivation that has written a prefix has a rest before it: the parts, nonterminals and
terminals, that are still to be expanded. The next symbol depends on the first parts of the rest, up
to the first that cannot vanish; the others wait. So the rest is cut into groups that each end with
a part that cannot vanish. The first group is the state, the groups that wait are a stack, and
what remains at the very end, where everything may vanish, is kept in the state too. A state whose
parts may all vanish looks at the top of the stack.

Where one symbol leads to several rests, what they have in common at both ends is split off, and
what differs becomes one nonterminal, a mixture with its probabilities. If all this needs finitely
many groups and mixtures, the machine is exact. If the stack holds each kind of group in one run,
it is a counter for each; a single kind is one counter; else it is a number whose digits are groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from ..errors import InputError
from ..machines import (
    END,
    Affine,
    Condition,
    Machine,
    Rule,
    counter,
    state_names,
    with_fewer_counters,
)
from ..network import BOUNDARY
from ._productions import Nonterminal, Part, Production

MOST_STATES = 120
MOST_GROUPS = 12
"""Kinds of groups that wait on the stack."""
MOST_MIXTURES = 120
LONGEST_REST = 40
"""Parts of one group."""
LARGEST_MIXTURE = 300
"""Parts in all words of a mixture, those of mixtures inside it included."""

Word = tuple["Part | Mixture", ...]


@dataclass(frozen=True)
class Mixture:
    """One of several words, each with its probability."""

    ways: tuple[tuple[Word, Fraction], ...]

    @cached_property
    def _hash(self) -> int:
        return hash(self.ways)

    def __hash__(self) -> int:
        """Worked out once: mixtures stand in mixtures, and are looked up all the time."""
        return self._hash


class Way(NamedTuple):
    """A terminal that a word can begin with, and what then remains of the word."""

    symbol: str
    chance: Fraction
    rest: Word


class State(NamedTuple):
    """The first parts of the rest, and what comes at its very end, where everything may vanish."""

    word: Word
    looks: bool
    """Whether all of the word may vanish, so that the next symbol depends on the stack."""
    tail: Word


def machine_of(
    name: str, title: str, start: Nonterminal, productions: Sequence[Production]
) -> Machine:
    """The machine of a grammar; where there is none, an InputError that names the rule."""
    try:
        return _Compiler(name, title, start, productions).language()
    except RecursionError:
        raise InputError(
            f"{title} becomes no machine: its rules lead to each other too many times before a "
            "symbol is written; leave out rules that only rename."
        ) from None


@dataclass
class _Compiler:
    name: str
    title: str
    start: Nonterminal
    productions: Sequence[Production]
    vanishing: dict[Nonterminal | Mixture, Fraction] = field(default_factory=dict)
    first: dict[Nonterminal | Mixture, tuple[Way, ...]] = field(default_factory=dict)
    busy: list[Production] = field(default_factory=list)
    mixtures: dict[Mixture, Production | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rules_of: dict[Nonterminal, list[Production]] = {}
        for production in self.productions:
            self.rules_of.setdefault(production.left, []).append(production)
        self.open: set[Nonterminal] = set()
        self.latest = self.productions[0]

    def refused(self, why: str, production: Production | None = None) -> InputError:
        rule = production_text(production or self.latest)
        return InputError(
            f"{self.title} has no machine with counters or a stack: {why}, in {rule}; write that "
            "rule in another way."
        )

    # What a word can begin with

    def empty(self, part: Part | Mixture) -> Fraction:
        """How likely a part vanishes."""
        if isinstance(part, str):
            return Fraction(0)
        if part not in self.vanishing:
            self.ways(part)
        return self.vanishing[part]

    def ways(self, part: Part | Mixture) -> tuple[Way, ...]:
        if isinstance(part, str):
            return (Way(part, Fraction(1), ()),)
        if part in self.first:
            return self.first[part]
        if isinstance(part, Mixture):
            words: list[tuple[Word, Fraction, Production | None]] = [
                (word, chance, None) for word, chance in part.ways
            ]
        else:
            if part in self.open:
                raise self.refused(f"{part.name} begins with itself before any symbol is written")
            self.open.add(part)
            words = [(p.right, p.chance, p) for p in self.rules_of[part]]
        found: dict[str, dict[Word, Fraction]] = {}
        vanish = Fraction(0)
        for word, chance, production in words:
            if production is not None:
                self.latest = production
            ways, gone = self.begin(word)
            vanish += chance * gone
            for way in ways:
                rests = found.setdefault(way.symbol, {})
                rests[way.rest] = rests.get(way.rest, Fraction(0)) + chance * way.chance
        if isinstance(part, Nonterminal):
            self.open.discard(part)
            self.latest = self.rules_of[part][0]
        self.vanishing[part] = vanish
        self.first[part] = tuple(self.joined(symbol, rests) for symbol, rests in found.items())
        return self.first[part]

    def begin(self, word: Word) -> tuple[list[Way], Fraction]:
        """The terminals that a word can begin with, and how likely all of it vanishes."""
        found: list[Way] = []
        left = Fraction(1)
        for place, part in enumerate(word):
            for way in self.ways(part):
                found.append(Way(way.symbol, left * way.chance, way.rest + word[place + 1 :]))
            left *= self.empty(part)
            if not left:
                break
        return found, left

    def joined(self, symbol: str, rests: dict[Word, Fraction]) -> Way:
        """One way for a symbol: what differs between the rests becomes a mixture."""
        chance = sum(rests.values(), Fraction(0))
        if len(rests) == 1:
            [rest] = rests
            return Way(symbol, chance, self.checked(rest))
        first = next(iter(rests))
        before = 0
        while all(len(w) > before and w[: before + 1] == first[: before + 1] for w in rests):
            before += 1
        after = 0
        while all(len(w) > before + after and w[-1 - after] == first[-1 - after] for w in rests):
            after += 1
        shares = {word[before : len(word) - after]: share / chance for word, share in rests.items()}
        # A mixture inside a mixture is written out, so that equal ones are found equal.
        flat: dict[Word, Fraction] = {}
        for word, share in shares.items():
            if len(word) == 1 and isinstance(word[0], Mixture):
                for inner, inner_share in word[0].ways:
                    flat[inner] = flat.get(inner, Fraction(0)) + share * inner_share
            else:
                flat[word] = flat.get(word, Fraction(0)) + share
        size = sum(_size(word) for word in flat)
        mixture = Mixture(tuple(sorted(flat.items(), key=lambda item: _spelled(item[0]))))
        if mixture not in self.mixtures:
            if len(self.mixtures) >= MOST_MIXTURES or size > LARGEST_MIXTURE:
                raise self.refused(
                    f"after {symbol} it stays open which rule was used, in ever new proportions"
                )
            self.mixtures[mixture] = self.latest
        ending = first[len(first) - after :]
        return Way(symbol, chance, self.checked((*first[:before], mixture, *ending)))

    def checked(self, word: Word) -> Word:
        if len(word) > LONGEST_REST:
            raise self.refused(
                "what is still to come grows in a way that no machine keeps track of"
            )
        return word

    # Groups, states and the stack

    def grouped(self, word: Word) -> tuple[list[Word], Word]:
        """The groups of a word, each up to a part that cannot vanish, and what may vanish."""
        groups: list[Word] = []
        begin = 0
        for place, part in enumerate(word):
            if not self.empty(part):
                groups.append(word[begin : place + 1])
                begin = place + 1
        return groups, word[begin:]

    def language(self) -> Machine:
        exploration = _Exploration(self, eager=False)
        try:
            moves = exploration.moves()
        except _TwoDeep:
            exploration = _Exploration(self, eager=True)
            moves = exploration.moves()
        stack = _stack_for(moves, exploration.under)
        names = _names(moves)
        rules = tuple(dict.fromkeys(stack.rule(move, names) for move in moves))
        try:
            machine = Machine(self.name, self.title, rules, names[moves[0].state])
        except InputError as error:
            raise InputError(f"{self.title} has no machine that holds: {error}") from None
        return with_fewer_counters(machine)


class Move(NamedTuple):
    state: State
    symbol: str
    chance: Fraction
    needs: Word | None
    """The group on top of the stack, if it is looked at; () if the stack must be empty."""
    taken: bool
    """Whether that group is taken off."""
    pushed: tuple[Word, ...]
    """What is put on the stack then, the top last."""
    to: State | None


class _TwoDeep(Exception):  # noqa: N818, it is named for what is the matter
    """A move would have to look at two groups of the stack."""


class _Exploration:
    """All states, and the moves between them. Which groups can be on top of the stack in a state,
    and which below a group, is found on the way; () stands for nothing.

    When a group is done, the next is taken off the stack by the move that needs it, which gives the
    smaller machines; or if `eager` at once, which needs to look at no more than one group.
    """

    def __init__(self, compiler: _Compiler, eager: bool) -> None:
        self.compiler, self.eager = compiler, eager
        groups, tail = compiler.grouped((compiler.start,))
        first = State(groups[0], False, tail) if groups else State((), True, tail)
        self.tops: dict[State, dict[Word, None]] = {first: {(): None}}
        self.under: dict[Word, dict[Word, None]] = {}

    def moves(self) -> list[Move]:
        """Repeated until nothing new turns up."""
        while True:
            before = self._known()
            found = [move for state in list(self.tops) for move in self._from(state)]
            if self._known() == before:
                return self._without_idle_looks(list(dict.fromkeys(found)))

    def _known(self) -> int:
        return sum(1 + len(some) for some in (*self.tops.values(), *self.under.values()))

    def _letters(self, state: State) -> list[Word]:
        """Groups that can be on top of the stack."""
        return [group for group in self.tops[state] if group]

    def _from(self, state: State) -> Iterator[Move]:
        if not state.looks:
            for way in self._ways(state.word):
                yield from self._after(state, way, None)
            return
        for letter in self._letters(state):
            for way in self._ways((*state.word, *letter)):
                yield from self._after(state, way, letter)
        if () not in self.tops[state]:
            return
        empty = () if self._letters(state) else None
        for way in self._ways((*state.word, *state.tail)):
            groups, loose = self.compiler.grouped(way.rest)
            yield self._move(state, way, empty, groups, (), loose)
        gone = self.compiler.begin((*state.word, *state.tail))[1]
        if gone:
            yield Move(state, BOUNDARY, gone, empty, False, (), None)

    def _ways(self, word: Word) -> list[Way]:
        """One for each symbol."""
        together: dict[str, dict[Word, Fraction]] = {}
        for way in self.compiler.begin(word)[0]:
            rests = together.setdefault(way.symbol, {})
            rests[way.rest] = rests.get(way.rest, Fraction(0)) + way.chance
        return [self.compiler.joined(symbol, rests) for symbol, rests in together.items()]

    def _after(self, state: State, way: Way, needs: Word | None) -> Iterator[Move]:
        groups, loose = self.compiler.grouped(way.rest)
        if groups and not loose:
            yield self._move(state, way, needs, groups, (), state.tail)
        elif not groups and not self.eager:
            yield self._move(state, way, needs, groups, loose, state.tail)
        elif needs is not None:
            raise _TwoDeep
        else:
            # What is loose joins the group below, which has to be looked at.
            letters = self._letters(state)
            for letter in letters:
                joined = [*groups, (*loose, *letter)]
                yield self._move(state, way, letter, joined, (), state.tail)
            if () in self.tops[state]:
                empty = () if letters else None
                yield self._move(state, way, empty, groups, (), (*loose, *state.tail))

    def _move(
        self,
        state: State,
        way: Way,
        needs: Word | None,
        groups: list[Word],
        loose: Word,
        tail: Word,
    ) -> Move:
        compiler = self.compiler
        for word in (*groups, loose, tail):
            compiler.checked(word)
        pushed = tuple(reversed(groups[1:]))
        to = State(groups[0], False, tail) if groups else State(loose, True, tail)
        self._note(state, needs, pushed, to)
        taken = bool(needs)
        if taken and pushed and pushed[0] == needs:
            taken, pushed = False, pushed[1:]
        return Move(state, way.symbol, way.chance, needs, taken, pushed, to)

    def _note(self, state: State, needs: Word | None, pushed: tuple[Word, ...], to: State) -> None:
        """What a move shows of the stack."""
        compiler = self.compiler
        below: dict[Word, None] = {(): None}
        if needs is None:
            below = dict(self.tops[state])
        elif needs:
            below = dict(self.under[needs])
        for group in pushed:
            if group not in self.under and len(self.under) >= MOST_GROUPS:
                raise compiler.refused(
                    f"more than {MOST_GROUPS} different things may have to follow later"
                )
            self.under.setdefault(group, {}).update(below)
            below = {group: None}
        if to not in self.tops and len(self.tops) >= MOST_STATES:
            raise compiler.refused("what is still to come grows into ever new states")
        self.tops.setdefault(to, {}).update(below)

    def _without_idle_looks(self, moves: list[Move]) -> list[Move]:
        """A move that is the same whatever is on the stack need not look at it."""
        same: dict[Move, set[Word]] = {}
        for move in moves:
            if move.needs is not None and not move.taken:
                same.setdefault(move._replace(needs=None), set()).add(move.needs)
        found: dict[Move, None] = {}
        for move in moves:
            bare = move._replace(needs=None)
            idle = move.needs is not None and same.get(bare) == set(self.tops[move.state])
            found[bare if idle else move] = None
        return list(found)


# The stack as counters


class _Stack:
    """How the groups that wait are written down: a number with a digit for each."""

    def __init__(self, letters: Sequence[Word]) -> None:
        self.letters = list(letters)
        self.base = len(self.letters) + 1

    def rule(self, move: Move, names: dict[State, str]) -> Rule:
        stack = counter("stack")
        when: tuple[Condition, ...] = ()
        if move.needs == ():
            when = (stack.zero,)
        elif move.needs is not None:
            when = (stack.ends_in(self._digit(move.needs), self.base),)
        value = stack
        pushed = list(move.pushed)
        if move.taken and pushed:
            # The digit that is taken off is known, so that no division is needed.
            assert move.needs
            value = value + (self._digit(pushed.pop(0)) - self._digit(move.needs))
        elif move.taken:
            value = value // self.base
        for group in pushed:
            value = self.base * value + self._digit(group)
        return _rule(move, names, when, () if value == stack else (("stack", value),))

    def _digit(self, group: Word) -> int:
        return self.letters.index(group) + 1


class _Counters:
    """A counter for each kind of group, where each kind lies on the stack in one run."""

    def __init__(self, order: Sequence[Word]) -> None:
        self.order = list(order)
        """From the bottom to the top."""
        names = ["n"] if len(self.order) == 1 else [f"n{i}" for i in range(1, len(self.order) + 1)]
        self.names = dict(zip(self.order, names, strict=True))

    def rule(self, move: Move, names: dict[State, str]) -> Rule:
        changes = dict.fromkeys(self.order, 0)
        when: tuple[Condition, ...] = ()
        if move.needs == ():
            when = tuple(counter(name).zero for name in self.names.values())
        elif move.needs is not None:
            place = self.order.index(move.needs)
            above = [counter(self.names[group]).zero for group in self.order[place + 1 :]]
            when = (counter(self.names[move.needs]).positive, *above)
        if move.taken and move.needs:
            changes[move.needs] -= 1
        for group in move.pushed:
            changes[group] += 1
        then = tuple(
            (self.names[group], counter(self.names[group]) + change)
            for group, change in changes.items()
            if change
        )
        return _rule(move, names, when, then)


def _rule(
    move: Move,
    names: dict[State, str],
    when: tuple[Condition, ...],
    then: tuple[tuple[str, Affine | int], ...],
) -> Rule:
    to = END if move.to is None else names[move.to]
    return Rule(names[move.state], move.symbol, to, move.chance, when, then)


def _stack_for(moves: Sequence[Move], under: dict[Word, dict[Word, None]]) -> _Stack | _Counters:
    """Counters, if the groups can be ordered so that each lies on the stack in one run."""
    letters = list(dict.fromkeys(group for move in moves for group in move.pushed))
    order: list[Word] = []
    left = set(letters)
    while left:
        free = [a for a in letters if a in left and not (set(under[a]) & left - {a})]
        if not free:
            return _Stack(letters)
        order.append(free[0])
        left.remove(free[0])
    return _Counters(order)


# Names


def _names(moves: Sequence[Move]) -> dict[State, str]:
    return state_names(
        moves[0].state,
        [(move.state, move.symbol, move.to) for move in moves if move.to is not None],
    )


def _size(word: Word) -> int:
    """Parts of a word, those inside mixtures included."""
    return sum(
        sum(_size(inner) for inner, _ in part.ways) if isinstance(part, Mixture) else 1
        for part in word
    )


def _spelled(word: Word) -> str:
    return " ".join(_part_text(part) for part in word)


def _part_text(part: Part | Mixture) -> str:
    if isinstance(part, str):
        return repr(part)
    if isinstance(part, Nonterminal):
        return part.name
    return "(" + " | ".join(f"{_spelled(word)} [{share}]" for word, share in part.ways) + ")"


def production_text(production: Production) -> str:
    """The rule as it is written in a grammar file."""
    right = _spelled(production.right)
    return f"{production.left.name} ->{f' {right}' if right else ''} [{float(production.chance):g}]"
