"""An expression's program run exactly: the probabilities of prefixes and of what comes next.

All readings of a prefix are followed at once, and those that stand at the same place are merged.
This is the slow exact meaning; the kernel of `kernels` is held to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from .program import (
    BOUND,
    CALL,
    COPY,
    JUMP,
    LOOP,
    MARK,
    RETURN,
    SET,
    SPLIT,
    STOP,
    WRITE,
    Program,
)

MOST_PLACES = 20_000
"""Readings that are followed at once."""
MOST_MOVES = 5_000
"""Instructions between two symbols."""


class Place(NamedTuple):
    """Where one reading stands: before a symbol, or at the end."""

    at: int
    registers: tuple[int, ...]
    words: tuple[tuple[int, ...], ...]
    open: int
    """The word that is being drawn; -1 if none is."""
    stack: tuple[int, ...]
    due: tuple[int, ...]
    """What is still to be written of a word that comes again."""


Places = dict[Place, Any]


class Runner:
    """Follows a program with given chances, as fractions or as floats."""

    def __init__(self, program: Program, chances: Sequence[Sequence[Any]], one: Any) -> None:
        self.program = program
        self.chances = chances
        self.one = one
        self.moves = 0
        """Instructions that were followed so far: the work done."""
        self.again: dict[int, dict[int, int]] = {
            place: {
                program.symbols.index(side): program.symbols.index(other)
                for pair in step.again.swaps
                for side, other in (pair, pair[::-1])
            }
            for place, step in enumerate(program.instructions)
            if step.again is not None
        }

    def start(self) -> Places:
        program = self.program
        first = Place(0, (0,) * program.registers, ((),) * program.words, -1, (), ())
        return self._settled([(first, self.one)])

    def read(self, places: Places, symbol: int) -> Places:
        """Where the readings stand after one more symbol."""
        moved = []
        self.moves += len(places)
        for place, weight in places.items():
            if place.due:
                if place.due[0] == symbol:
                    moved.append((place._replace(due=place.due[1:]), weight))
                continue
            step = self.program.instructions[place.at]
            if step.op == WRITE and step.a == symbol:
                words = place.words
                if place.open >= 0:
                    grown = (*words[place.open], symbol)
                    words = (*words[: place.open], grown, *words[place.open + 1 :])
                moved.append((place._replace(at=place.at + 1, words=words), weight))
        return self._settled(moved)

    def next(self, places: Places) -> tuple[dict[int, Any], Any]:
        """The weight of each symbol that can come, and of the end."""
        symbols: dict[int, Any] = {}
        end = self.one * 0
        for place, weight in places.items():
            if place.due:
                symbol = place.due[0]
            else:
                step = self.program.instructions[place.at]
                if step.op == STOP:
                    end += weight
                    continue
                symbol = step.a
            symbols[symbol] = symbols.get(symbol, 0) + weight
        return symbols, end

    def _settled(self, moved: list[tuple[Place, Any]]) -> Places:
        found: Places = {}
        for place, weight in moved:
            for settled, chance in self._closure(place):
                found[settled] = found.get(settled, 0) + weight * chance
                if len(found) > MOST_PLACES:
                    raise InputError(
                        f"the expression can be read in more than {MOST_PLACES} ways at once; "
                        "write it with fewer choices."
                    )
        return found

    def _closure(self, place: Place) -> Iterator[tuple[Place, Any]]:
        """The places before a symbol or at the end that a place leads to, with their chances."""
        left = [(place, self.one)]
        moves = 0
        while left:
            here, weight = left.pop()
            if here.due:
                yield here, weight
                continue
            moves += 1
            self.moves += 1
            if moves > MOST_MOVES:
                raise InputError(
                    "the expression can go on for long without a symbol; write it so that what is "
                    "repeated has a symbol."
                )
            step = self.program.instructions[here.at]
            if step.op in (WRITE, STOP):
                yield here, weight
            elif step.op == SPLIT:
                for target, chance in zip(step.targets, self.chances[step.a], strict=True):
                    if chance:
                        left.append((here._replace(at=target), weight * chance))
            else:
                left.append((self._moved(here, step), weight))

    def _moved(self, here: Place, step: Any) -> Place:
        op, at = step.op, here.at + 1
        if op == SET:
            terms, constant = step.sum
            value = constant + sum(here.registers[place] * factor for place, factor in terms)
            return here._replace(at=at, registers=_with(here.registers, step.a, value))
        if op == LOOP:
            left = here.registers[step.a]
            if left <= 0:
                return here._replace(at=step.targets[0])
            return here._replace(at=at, registers=_with(here.registers, step.a, left - 1))
        if op == JUMP:
            return here._replace(at=step.targets[0])
        if op == MARK:
            return here._replace(at=at, words=_with(here.words, step.a, ()), open=step.a)
        if op == BOUND:
            return here._replace(at=at, open=-1)
        if op == COPY:
            swaps = self.again[here.at]
            word: tuple[int, ...] = here.words[int(step.a)]
            due = tuple(swaps.get(symbol, symbol) for symbol in word)
            return here._replace(at=at, due=due[::-1] if step.again.is_reversed else due)
        if op == CALL:
            return here._replace(at=step.targets[0], stack=(*here.stack, at))
        assert op == RETURN
        return here._replace(at=here.stack[-1], stack=here.stack[:-1])


def _with(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])
