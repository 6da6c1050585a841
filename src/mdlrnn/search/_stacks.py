"""Stacks that a corpus suggests: every symbol but one pushes a digit of its own, and from that one
on every symbol pops. A stack is worth having if what follows depends on its top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus
from ..network._interpreter import SATURATION
from ._counters import LEAST_GAIN, Counted, Mark, Stack, Top, bits_given

MOST_DIGITS = 3
"""Float64 then holds 26 of them exactly."""


def stack_tests(corpus: Corpus, boundary: int) -> list[list[Counted]]:
    """The tests of the top of the stack that tells most about the next symbol, if any does: of the
    stack as a fraction, and as a whole number where none is too large."""
    symbols = [s for s in range(corpus.inputs) if s != boundary]
    best: tuple[float, Stack] | None = None
    if not 2 <= len(symbols) <= MOST_DIGITS + 1:
        return []
    for mark in symbols:
        digits = [0] * corpus.inputs
        for number, symbol in enumerate((s for s in symbols if s != mark), 1):
            digits[symbol] = number
        stack = Stack(tuple(digits), Mark(mark))
        tops, phase, _ = _walked(corpus, stack)
        context = 2 * corpus.symbol.astype(np.int64) + phase
        plain = bits_given(corpus, context, 2 * corpus.inputs)
        base = stack.base
        told = bits_given(corpus, base * context + tops, 2 * base * corpus.inputs)
        if plain - told > (LEAST_GAIN if best is None else best[0]):
            best = plain - told, stack
    if best is None:
        return []
    fraction, whole = best[1], best[1]._replace(whole=True)
    fits = _walked(corpus, whole)[2] <= SATURATION
    return [_tests(corpus, stack) for stack in ((fraction, whole) if fits else (fraction,))]


def _tests(corpus: Corpus, stack: Stack) -> list[Counted]:
    tops, *_ = _walked(corpus, stack)
    return [Counted(Top(stack, digit), tops == digit) for digit in range(1, max(stack.digits) + 1)]


def _walked(corpus: Corpus, stack: Stack) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """For each node the digit on top, 0 where the stack is empty, and whether the mark is there;
    and the largest whole number that the stack is."""
    base = stack.base
    numbers: list[int] = []
    marked: list[bool] = []
    for parent, symbol in zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True):
        number = numbers[parent] if parent >= 0 else 0
        after = (parent >= 0 and marked[parent]) or symbol == stack.mark.symbol
        if stack.digits[symbol]:
            number = number // base if after else number * base + stack.digits[symbol]
        numbers.append(number)
        marked.append(after)
    tops = np.array([number % base for number in numbers], dtype=np.int64)
    return tops, np.array(marked, dtype=np.int64), max(numbers)
