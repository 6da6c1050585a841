"""How an expression's program reads strings: every reading of each, one after the other.

`expressions` has the exact meaning, which merges readings; here they are followed one by one with
the decisions taken on the way, which is fast where strings have few readings. The work is bounded:
a program with too many is given up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._compile import compiled, entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

WRITE, SPLIT, SET, LOOP, JUMP, MARK, BOUND, COPY, CALL, RETURN, STOP = range(11)
DEEPEST = 4096
"""Decisions that are still open, decisions taken, and rules that are entered, for one string."""


class Packed(NamedTuple):
    """A program as arrays."""

    code: NDArray[np.int32]
    """(instruction, 5): what it does; symbol, register, word or first outcome; target, first target
    or first term; how many; a constant."""
    targets: NDArray[np.int32]
    terms: NDArray[np.int32]
    """(term, 2): register and factor."""
    swaps: NDArray[np.int32]
    """For each word that comes again with symbols exchanged, what stands for each symbol."""
    registers: int
    """With two for each word: where it begins and ends."""
    outcomes: int


class Texts(NamedTuple):
    """Strings, one behind the other."""

    symbols: NDArray[np.int32]
    starts: NDArray[np.int64]
    counts: NDArray[np.float64]


class Desk(NamedTuple):
    """Room for the readings of one string."""

    places: NDArray[np.int64]
    """(open decision, 6): where it leads, position, decisions taken before it, rule, rules made,
    outcome."""
    weights: NDArray[np.float64]
    registers: NDArray[np.int64]
    taken: NDArray[np.int32]
    rules: NDArray[np.int64]
    """(rule entered, 2): the one around it, and where it goes on."""
    now: NDArray[np.int64]


def new_desk(registers: int) -> Desk:
    return Desk(
        np.empty((DEEPEST, 6), np.int64),
        np.empty(DEEPEST, np.float64),
        np.empty((DEEPEST, max(1, registers)), np.int64),
        np.empty(DEEPEST, np.int32),
        np.empty((DEEPEST, 2), np.int64),
        np.zeros(max(1, registers), np.int64),
    )


@compiled
def _copied(packed: Packed, step: int, symbols: NDArray[np.int32], place: int, end: int,
            first: int, last: int) -> bool:  # fmt: skip
    """Whether the word from first to last stands at a place again, as the instruction asks."""
    size = last - first
    if place + size > end:
        return False
    is_reversed = packed.code[step, 2] == 1
    swap = packed.code[step, 3]
    for k in range(size):
        symbol = symbols[last - 1 - k] if is_reversed else symbols[first + k]
        if swap >= 0:
            symbol = packed.swaps[swap + symbol]
        if symbols[place + k] != symbol:
            return False
    return True


@entry
def read_strings(
    packed: Packed,
    logs: NDArray[np.float64],
    texts: Texts,
    desk: Desk,
    limit: int,
    most_missed: int,
    found: NDArray[np.float64],
    uses: NDArray[np.float64],
) -> int:
    """The log2 probability of each string, -inf if it has no reading, and how often each outcome is
    used, by the readings' shares.

    Returns how many strings have more than one reading; -1 if the work exceeds the limit, and -2 if
    more than `most_missed` strings have none.
    """
    code, targets, terms = packed.code, packed.targets, packed.terms
    symbols = texts.symbols
    several, missed, work = 0, 0, 0
    own = np.zeros(max(1, packed.outcomes))
    uses[:] = 0.0
    now = desk.now
    for text in range(len(texts.counts)):
        begin, end = texts.starts[text], texts.starts[text + 1]
        place, step, taken, rule, made, weight, depth = begin, 0, 0, -1, 0, 0.0, 0
        readings, total, scale = 0, 0.0, 0.0
        own[:] = 0.0
        while True:
            work += 1
            if work > limit:
                return -1
            op = code[step, 0]
            fails = False
            if op == WRITE:
                if place < end and symbols[place] == code[step, 1]:
                    place += 1
                    step += 1
                else:
                    fails = True
            elif op == SPLIT:
                chosen, first = -1, code[step, 2]
                for k in range(code[step, 3] - 1, -1, -1):
                    target = targets[first + k]
                    # Do not open what cannot go on.
                    leads = code[target, 0]
                    if leads == WRITE and (place >= end or symbols[place] != code[target, 1]):
                        continue
                    if leads == STOP and place < end:
                        continue
                    if chosen >= 0:
                        if depth >= DEEPEST or taken >= DEEPEST:
                            return -1
                        outcome = code[step, 1] + chosen
                        desk.places[depth, 0] = targets[first + chosen]
                        desk.places[depth, 1] = place
                        desk.places[depth, 2] = taken
                        desk.places[depth, 3] = rule
                        desk.places[depth, 4] = made
                        desk.places[depth, 5] = outcome
                        desk.weights[depth] = weight
                        desk.registers[depth, :] = now
                        depth += 1
                    chosen = k
                if chosen < 0:
                    fails = True
                else:
                    if taken >= DEEPEST:
                        return -1
                    outcome = code[step, 1] + chosen
                    desk.taken[taken] = outcome
                    taken += 1
                    weight += logs[outcome]
                    step = targets[first + chosen]
            elif op == SET:
                value = np.int64(code[step, 4])
                for k in range(code[step, 2], code[step, 2] + code[step, 3]):
                    value += np.int64(now[terms[k, 0]] * terms[k, 1])
                now[code[step, 1]] = value if value < 1 << 40 else 1 << 40
                step += 1
            elif op == LOOP:
                left = now[code[step, 1]]
                if left <= 0:
                    step = code[step, 2]
                else:
                    now[code[step, 1]] = left - 1
                    step += 1
            elif op == JUMP:
                step = code[step, 2]
            elif op == MARK:
                now[code[step, 1]] = place
                step += 1
            elif op == BOUND:
                now[code[step, 1] + 1] = place
                step += 1
            elif op == COPY:
                first, last = now[code[step, 1]], now[code[step, 1] + 1]
                if _copied(packed, step, symbols, place, end, first, last):
                    place += last - first
                    step += 1
                else:
                    fails = True
            elif op == CALL:
                if made >= DEEPEST:
                    return -1
                desk.rules[made, 0] = rule
                desk.rules[made, 1] = step + 1
                rule = made
                made += 1
                step = code[step, 2]
            elif op == RETURN:
                step = desk.rules[rule, 1]
                rule = desk.rules[rule, 0]
            else:
                if place == end:
                    if readings == 0:
                        scale = weight
                    share = 2.0 ** min(weight - scale, 1000.0)
                    readings += 1
                    total += share
                    for k in range(taken):
                        own[desk.taken[k]] += share
                fails = True
            if fails:
                if depth == 0:
                    break
                depth -= 1
                step = desk.places[depth, 0]
                place = desk.places[depth, 1]
                taken = desk.places[depth, 2]
                rule = desk.places[depth, 3]
                made = desk.places[depth, 4]
                weight = desk.weights[depth] + logs[desk.places[depth, 5]]
                now[:] = desk.registers[depth]
                desk.taken[taken] = desk.places[depth, 5]
                taken += 1
        if readings == 0:
            found[text] = -np.inf
            missed += 1
            if missed > most_missed:
                return -2
        else:
            found[text] = scale + np.log2(total)
            several += readings > 1
            for k in range(packed.outcomes):
                if own[k]:
                    uses[k] += texts.counts[text] * own[k] / total
    return several
