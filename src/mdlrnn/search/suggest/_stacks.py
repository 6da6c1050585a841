"""Stacks that a corpus suggests.

On one kind every symbol but one pushes a digit of its own, and from that one on every symbol pops:
the last one pushed or, from a queue, the first. On another, symbols push a digit of their own, pop,
add 1 to the top, or do nothing, wherever they are read; of a large alphabet, pairs of symbols push
and pop. A stack is worth having if what follows depends on its top.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from ...construction import Counted, Mark, Stack, Top
from ...corpus import Corpus
from ...network import SATURATION
from ._memories import LEAST_GAIN, MOST_NUMBERS, MOST_PAIRED, MOST_SYMBOLS, bits_given, symbols_of

MOST_DIGITS = 3
"""Float64 then holds 26 of them exactly."""
EXACT_INTEGERS = 2**53
"""Float64 has all integers up to this."""
NOTHING, PUSH, POP, RAISE = range(4)


def stack_tests(corpus: Corpus, boundary: int, saturation: bool = True) -> list[list[Counted]]:
    """The tests of the top of the stack of each kind that tells most about the next symbol, if any
    does: of the stack as a fraction, and as a whole number where none is cut or rounded."""
    most = SATURATION if saturation else EXACT_INTEGERS
    symbols = symbols_of(corpus, boundary)
    found = []
    kinds = (
        _marked(symbols, corpus.inputs, queue=False),
        _marked(symbols, corpus.inputs, queue=True),
        _unmarked(symbols, corpus.inputs),
    )
    for best in (*(_best(corpus, list(kind)) for kind in kinds), _grown(corpus, symbols)):
        if best is not None:
            found.append(_tests(corpus, best))
            whole = best._replace(whole=True)
            if not best.queue and _largest(corpus, whole) <= most:
                found.append(_tests(corpus, whole))
    return found


def _marked(symbols: list[int], size: int, queue: bool) -> Iterator[Stack]:
    if 2 <= len(symbols) <= MOST_DIGITS + 1:
        for mark in symbols:
            digits = _numbered([s for s in symbols if s != mark], size)
            yield Stack(digits, Mark(mark), queue=queue)


def _unmarked(symbols: list[int], size: int) -> list[Stack]:
    """The simplest first: as many symbols that pop as push, none that raises, none that rests. One
    digit alone would be a counter."""
    if not 2 <= len(symbols) <= MOST_SYMBOLS:
        return []
    found = []
    for chosen in product((NOTHING, PUSH, POP, RAISE), repeat=len(symbols)):
        by = [
            tuple(s for s, what in zip(symbols, chosen, strict=True) if what == kind)
            for kind in (NOTHING, PUSH, POP, RAISE)
        ]
        digits = len(by[PUSH]) + len(by[RAISE])
        if by[PUSH] and by[POP] and 2 <= digits <= MOST_DIGITS and len(by[RAISE]) <= 1:
            odd = (len(by[RAISE]), abs(len(by[PUSH]) - len(by[POP])), len(by[NOTHING]))
            stack = Stack(_numbered(by[PUSH], size), pops=by[POP], raises=by[RAISE])
            found.append((odd, stack))
    return [stack for _, stack in sorted(found)]


def _numbered(pushing: list[int] | tuple[int, ...], size: int) -> tuple[int, ...]:
    digits = [0] * size
    for number, symbol in enumerate(pushing, 1):
        digits[symbol] = number
    return tuple(digits)


def _grown(corpus: Corpus, symbols: list[int]) -> Stack | None:
    """Of a large alphabet: one pair of symbols that push and pop after the other, as long as the
    next tells more."""
    if not MOST_SYMBOLS < len(symbols) <= MOST_PAIRED:
        return None
    found: Stack | None = None
    digits, pops = [0] * corpus.inputs, tuple[int, ...]()
    for digit in range(1, MOST_DIGITS + 2):
        free = [s for s in symbols if not digits[s] and s not in pops]
        tried = []
        for up, down in permutations(free, 2):
            row = list(digits)
            row[up] = digit
            tried.append(Stack(tuple(row), pops=(*pops, down)))
        better = _best(corpus, tried, found)
        if better is None:
            break
        found = better
        digits, pops = list(found.digits), found.pops
    return found if found is not None and found.highest > 1 else None


def _best(corpus: Corpus, tried: list[Stack], given: Stack | None = None) -> Stack | None:
    """The stack that tells most, and enough more than a given one."""
    tried = tried[: max(1, MOST_NUMBERS // (4 * len(corpus.parent)))]
    if not tried:
        return None
    best = LEAST_GAIN
    if given is not None:
        best += _gains(corpus, [given])[0]
    gains = _gains(corpus, tried)
    most = int(np.argmax(gains))
    return tried[most] if gains[most] > best else None


def _gains(corpus: Corpus, tried: list[Stack]) -> list[float]:
    """Bits that the top of each stack tells."""
    tops, late = _tops(corpus, tried)
    gains = []
    for column, stack in enumerate(tried):
        digits = stack.highest + 1
        top = tops[:, column]
        if top.max() >= digits:
            gains.append(0.0)
            continue
        context = 2 * corpus.symbol.astype(np.int64) + late[:, column]
        plain = bits_given(corpus, context, 2 * corpus.inputs)
        told = bits_given(corpus, digits * context + top, 2 * digits * corpus.inputs)
        gains.append(plain - told)
    return gains


def _tests(corpus: Corpus, stack: Stack) -> list[Counted]:
    tops = _tops(corpus, [stack])[0][:, 0]
    return [Counted(Top(stack, digit), tops == digit) for digit in range(1, stack.highest + 1)]


def _tops(corpus: Corpus, tried: list[Stack]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """(node, stack): the digit on top, 0 where the stack is empty, and whether its mark is there.

    A stack is a list that ends at a node: the digit that the node pushed, and the node below.
    """
    if tried[0].queue:
        return _fronts(corpus, tried)
    size = (len(corpus.parent), len(tried))
    columns = np.arange(len(tried))[None, :]
    end, below = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    digit = np.zeros(size, dtype=np.int8)
    late = np.zeros(size, dtype=np.bool_)
    digits = np.array([stack.digits for stack in tried], dtype=np.int8)
    marks = np.array([-1 if stack.mark is None else stack.mark.symbol for stack in tried])
    moves = np.array([_moves(stack, corpus.inputs) for stack in tried], dtype=np.int8)
    for first, last in zip(corpus.levels[:-1], corpus.levels[1:], strict=True):
        nodes = np.arange(first, last, dtype=np.int32)[:, None]
        symbol = corpus.symbol[first:last, None]
        after = symbol == marks
        before = np.full((last - first, len(tried)), -1, dtype=np.int32)
        if first:
            parent = corpus.parent[first:last]
            after = after | late[parent]
            before = end[parent]
        late[first:last] = after
        move = moves[columns, after.astype(np.int8), symbol]
        empty = before < 0
        under = np.where(empty, -1, below[before, columns])
        pushed, raised = move == PUSH, (move == RAISE) & ~empty
        digit[first:last] = np.where(
            pushed, digits[columns, symbol], np.where(raised, digit[before, columns] + 1, 0)
        )
        below[first:last] = np.where(pushed, before, under)
        popped = np.where(move == POP, under, before)
        end[first:last] = np.where(pushed | raised, nodes, popped)
    return np.where(end < 0, 0, digit[end, columns]), late


def _fronts(corpus: Corpus, tried: list[Stack]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The same for queues."""
    fronts = np.zeros((len(corpus.parent), len(tried)), dtype=np.int8)
    late = np.zeros(fronts.shape, dtype=np.bool_)
    for column, queue in enumerate(tried):
        moves = _moves(queue, corpus.inputs)
        held: list[bytes] = []
        for node, (parent, symbol) in enumerate(
            zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True)
        ):
            now = held[parent] if parent >= 0 else b""
            marked = bool(parent >= 0 and late[parent, column])
            marked = marked or (queue.mark is not None and symbol == queue.mark.symbol)
            late[node, column] = marked
            move = moves[marked][symbol]
            if move == PUSH:
                now += bytes([queue.digits[symbol]])
            elif move == POP:
                now = now[1:]
            held.append(now)
            fronts[node, column] = now[0] if now else 0
    return fronts, late


def _moves(stack: Stack, size: int) -> list[list[int]]:
    """What each symbol does, before the mark and from it on."""
    before = [PUSH if stack.digits[symbol] else NOTHING for symbol in range(size)]
    for symbols, move in ((stack.pops, POP), (stack.raises, RAISE)):
        for symbol in symbols:
            before[symbol] = move
    after = [POP if move == PUSH else move for move in before]
    return [before, after] if stack.mark is not None else [before, before]


def _largest(corpus: Corpus, stack: Stack) -> int:
    """The largest whole number that the stack is."""
    base = stack.base
    moves = _moves(stack, corpus.inputs)
    numbers: list[int] = []
    marked: list[bool] = []
    for parent, symbol in zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True):
        number = numbers[parent] if parent >= 0 else 0
        after = parent >= 0 and marked[parent]
        after = after or (stack.mark is not None and symbol == stack.mark.symbol)
        move = moves[after][symbol]
        if move == PUSH:
            number = number * base + stack.digits[symbol]
        elif move == POP:
            number //= base
        elif move == RAISE and number % base:
            number += 1
        numbers.append(number)
        marked.append(after)
    return max(numbers)
