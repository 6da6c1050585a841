"""How many bits an expression and some strings take together.

The chances of each decision are fitted to the strings and rounded as far as pays; strings that the
expression does not make are written apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import inf, log2
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...expressions import (
    FINEST,
    USUAL_MEAN,
    Expression,
    Node,
    Program,
    Slot,
    apart_bits,
    growth,
    mean_bits,
    others_bits,
    program_of,
    structure_bits,
    weights_bits,
)
from ...kernels import Desk, Packed, Texts, new_desk, read_strings

Strings = Mapping[tuple[int, ...], int]
"""Strings as numbers of symbols, with how often each comes."""
WORK = 400
"""Instructions for each symbol, over all strings, before an expression is given up."""
_SPLIT, _SET, _LOOP, _JUMP, _MARK, _BOUND, _COPY, _CALL = 1, 2, 3, 4, 5, 6, 7, 8


class Weighed(NamedTuple):
    """An expression on the scale."""

    bits: float
    """Of the description and of the strings given it."""
    description: float
    missed: int
    """Strings that are written apart, each counted as often as it comes."""


NEVER = Weighed(inf, inf, 0)


class Reading(NamedTuple):
    """What reading the strings found out."""

    program: Program
    logs: np.ndarray
    """log2 of the probability of each string, -inf if it is not read."""
    slots: list[Fitted]
    chance_bits: float
    data_bits: float
    used: list[tuple[float, ...]]
    """How often each outcome of each decision was used."""


def packed(program: Program) -> Packed:
    """A program as arrays for the kernel."""
    code = np.zeros((len(program.instructions), 5), np.int32)
    targets: list[int] = []
    terms: list[tuple[int, int]] = []
    swaps: list[int] = []
    offsets = program.offsets
    for place, step in enumerate(program.instructions):
        row = code[place]
        row[0] = step.op
        row[1] = step.a
        if step.op == _SPLIT:
            row[1], row[2], row[3] = offsets[step.a], len(targets), len(step.targets)
            targets += step.targets
        elif step.op == _SET:
            row[2], row[3], row[4] = len(terms), len(step.sum[0]), step.sum[1]
            terms += step.sum[0]
        elif step.op in (_LOOP, _JUMP, _CALL):
            row[2] = step.targets[0]
        elif step.op in (_MARK, _BOUND, _COPY):
            row[1] = program.registers + 2 * step.a
            if step.again is not None:
                row[2], row[3] = int(step.again.is_reversed), -1
                if step.again.swaps:
                    row[3] = len(swaps)
                    swaps += _swap_table(program.symbols, step.again.swaps)
    return Packed(
        code,
        np.array(targets or [0], np.int32),
        np.array(terms or [(0, 0)], np.int32),
        np.array(swaps or [0], np.int32),
        program.registers + 2 * program.words,
        offsets[-1],
    )


def _swap_table(symbols: Sequence[str], swaps: Sequence[tuple[str, str]]) -> list[int]:
    table = list(range(len(symbols)))
    for one, other in swaps:
        first, second = symbols.index(one), symbols.index(other)
        table[first], table[second] = second, first
    return table


def texts_of(strings: Strings) -> Texts:
    flat = [symbol for string in strings for symbol in string]
    starts = np.cumsum([0, *map(len, strings)])
    counts = np.array([float(count) for count in strings.values()])
    return Texts(np.array(flat, np.int32), starts.astype(np.int64), counts)


class Fitted(NamedTuple):
    """Chances of one decision that are as coarse as pays."""

    weights: tuple[int, ...]
    """Their ratios."""
    own: float
    """Bits of the chances."""
    data: float
    """Bits of the decisions, given the chances."""
    logs: tuple[float, ...]

    @property
    def chances(self) -> tuple[Fraction, ...]:
        whole = sum(self.weights)
        return tuple(Fraction(weight, whole) for weight in self.weights)


@lru_cache(100_000)
def fitted_mean(on: float, stop: float) -> Fitted:
    """Of a repetition that went on and stopped so often."""
    best = _at_mean(USUAL_MEAN, 0, on, stop)
    for halvings in range(FINEST + 1) if stop > 0 else ():
        steps = max(1, round(on / stop * 2**halvings))
        for near in (steps - 1, steps, steps + 1):
            if near > 0 and (near % 2 or not halvings):
                best = min(best, _at_mean(near, halvings, on, stop), key=_bits)
        if 4**halvings > 16 * (on + stop):
            break
    return best


def _at_mean(steps: int, halvings: int, on: float, stop: float) -> Fitted:
    unit = 2**halvings
    whole = log2(steps + unit)
    logs = (log2(steps) - whole, halvings - whole)
    own = mean_bits(steps, halvings)
    return Fitted((steps, unit), own, -on * logs[0] - stop * logs[1], logs)


def _bits(fitted: Fitted) -> float:
    return fitted.own + fitted.data


@lru_cache(100_000)
def fitted_weights(counts: tuple[float, ...]) -> Fitted:
    """Of a choice whose outcomes came so often."""
    given, whole, size = np.array(counts), sum(counts), len(counts)
    best, least = np.ones(size), 1.0 + whole * log2(size)
    scale = float(size)
    while whole and scale <= 4 * whole + size:
        scale *= 2
        weights = np.maximum(1, np.rint(given * (scale / whole)))
        bits = 1.0 + float((2 * np.frexp(weights)[1] - 1).sum())
        bits += float((given * np.log2(weights.sum() / weights)).sum())
        if bits < least:
            best, least = weights, bits
    total = int(best.sum())
    logs = np.log2(best / total)
    own = weights_bits([int(weight) for weight in best])
    whole_weights = tuple(int(weight) for weight in best)
    return Fitted(whole_weights, own, -float((given * logs).sum()), tuple(logs.tolist()))


@dataclass
class Scale:
    """Weighs expressions on given strings."""

    strings: Strings
    symbols: tuple[str, ...]
    _seen: dict[Node, Weighed] = field(default_factory=dict)
    _desks: dict[int, Desk] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.texts = texts_of(self.strings)
        self.lengths = np.diff(self.texts.starts)
        self.count = float(self.texts.counts.sum())
        self.price = 1 + int(self.lengths.sum()) // 500
        """What it costs to weigh an expression, in tries on few strings."""
        self.limit = WORK * (int(self.lengths.sum()) + 10 * len(self.strings))
        self.alone = [
            others_bits([int(length)], [1], len(self.symbols)) - 1 for length in self.lengths
        ]

    def weigh(self, node: Node, most: float = inf) -> Weighed:
        """The bits of an expression in canonical form; infinite if it makes none of the strings, or
        is certain to take more than `most`."""
        known = self._seen.get(node)
        if known is None:
            try:
                structure = 1.0 + structure_bits(node, self.symbols)
            except (InputError, ValueError):
                structure = inf
            if structure > most:
                return NEVER
            known = self._weigh(node, structure)
            if len(self._seen) > 200_000:
                self._seen.clear()
            self._seen[node] = known
        return known

    def _weigh(self, node: Node, structure: float) -> Weighed:
        try:
            reading = None if structure == inf else self._read(node, len(self.strings))
        except InputError:
            reading = None
        if reading is None:
            return NEVER
        apart = np.flatnonzero(np.isinf(reading.logs))
        if len(apart) == len(self.strings):
            return NEVER
        others, data, missed = self._apart(apart)
        description = structure + reading.chance_bits + others
        return Weighed(description + reading.data_bits + data, description, missed)

    def _apart(self, apart: np.ndarray) -> tuple[float, float, int]:
        """The bits of the strings that are written apart, of what they add to the data, and how
        many they are."""
        if not len(apart):
            return apart_bits(0), 0.0, 0
        counts = self.texts.counts[apart]
        missed = float(counts.sum())
        own = fitted_weights(tuple(counts.tolist()))
        share = fitted_weights((self.count - missed, missed))
        bits = apart_bits(len(apart)) + own.own + share.own
        bits += sum(self.alone[place] for place in apart)
        return bits, own.data + share.data, int(missed)

    def memorised(self) -> float:
        """The bits if all strings are written apart."""
        bits = 1 + apart_bits(len(self.strings), alone=True)
        return bits + sum(self.alone) + _bits(fitted_weights(tuple(self.texts.counts.tolist())))

    def _read(self, node: Node, most_missed: int) -> Reading | None:
        program = program_of(node, self.symbols)
        rows = packed(program)
        desk = self._desks.get(rows.registers)
        if desk is None:
            desk = self._desks[rows.registers] = new_desk(rows.registers)
        found = np.empty(len(self.strings))
        uses = np.empty(max(1, rows.outcomes))
        logs = np.array([log for slot in program.slots for log in _first_logs(slot)] or [0.0])
        texts, limit = self.texts, self.limit
        several = read_strings(rows, logs, texts, desk, limit, most_missed, found, uses)
        if several < 0:
            return None
        fitted = self._fitted(program, uses)
        data = sum(slot.data for slot in fitted)
        for _ in range(2 if several else 0):
            kept = fitted
            logs = np.array([log for slot in kept for log in slot.logs] or [0.0])
            read_strings(rows, logs, texts, desk, limit, most_missed, found, uses)
            read = ~np.isinf(found)
            data = -float((found[read] * texts.counts[read]).sum())
            fitted = self._fitted(program, uses)
        chosen = kept if several else fitted
        used = [
            tuple(uses[place : place + slot.outcomes].tolist())
            for place, slot in zip(program.offsets, program.slots, strict=False)
        ]
        return Reading(program, found, chosen, sum(slot.own for slot in chosen), data, used)

    def _fitted(self, program: Program, uses: np.ndarray) -> list[Fitted]:
        """Chances for each decision from how often each outcome was used."""
        found = []
        used = [round(use, 1) for use in uses.tolist()]
        for place, slot in zip(program.offsets, program.slots, strict=False):
            own = used[place : place + slot.outcomes]
            found.append(fitted_mean(*own) if slot.repeats else fitted_weights(tuple(own)))
        return found

    def described(self, node: Node | None) -> Expression:
        """The expression with its chances, and the strings that it does not make."""
        slots: list[tuple[Fraction, ...]] = []
        apart = np.arange(len(self.strings))
        if node is not None:
            reading = self._read(node, len(self.strings))
            assert reading is not None
            slots = [slot.chances for slot in reading.slots]
            apart = np.flatnonzero(np.isinf(reading.logs))
        if not len(apart):
            return Expression(node, tuple(slots), self.symbols)
        counts = self.texts.counts[apart]
        missed = float(counts.sum())
        share = Fraction(1)
        if node is not None:
            share = fitted_weights((self.count - missed, missed)).chances[1]
        listed = list(self.strings)
        others = tuple(
            (tuple(self.symbols[symbol] for symbol in listed[place]), chance)
            for place, chance in zip(
                apart, fitted_weights(tuple(counts.tolist())).chances, strict=True
            )
        )
        return Expression(node, tuple(slots), self.symbols, (), others, share)

    def data_bits(self, expression: Expression) -> float:
        """The bits of the strings given an expression."""
        return sum(
            -count * log2(expression.likely([self.symbols[symbol] for symbol in string]))
            for string, count in self.strings.items()
        )

    def variants(self, node: Node) -> list[tuple[Expression, float]]:
        """The expression with the best chances and with others nearby, each with its bits."""
        reading = self._read(node, len(self.strings))
        assert reading is not None
        best, bits = self.described(node), self.weigh(node).bits
        found = [(best, bits)]
        for place, slot in enumerate(reading.program.slots):
            if not slot.repeats:
                continue
            on, stop = reading.used[place]
            fitted = reading.slots[place]
            for mean in (1, 2, 3, 4, 6, 8, 12, 16):
                other = _at_mean(mean, 0, on, stop)
                if other.chances != fitted.chances:
                    chances = (*best.chances[:place], other.chances, *best.chances[place + 1 :])
                    more = _bits(other) - _bits(fitted)
                    found.append((replace(best, chances=chances), bits + more))
        return found

    def is_sound(self, node: Node) -> bool:
        """Whether the strings of its rules end for sure under the fitted chances."""
        if not any(part.kind == "call" for part in _parts(node)):
            return True
        reading = self._read(node, len(self.strings))
        if reading is None:
            return False
        return growth(reading.program, tuple(slot.chances for slot in reading.slots)) <= 1 + 1e-9


def _parts(node: Node) -> list[Node]:
    return [node, *(inner for part in node.parts for inner in _parts(part))]


@lru_cache(1000)
def _first_logs(slot: Slot) -> tuple[float, ...]:
    """Chances to begin with, before any are known."""
    if slot.repeats:
        return log2(0.75), log2(0.25)
    return (-log2(slot.outcomes),) * slot.outcomes
