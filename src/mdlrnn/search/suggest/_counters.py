"""Counters that a corpus suggests: what is counted up, what down, and from which symbol on.

A counter is worth having if what follows depends on whether it is 0. All simple ones are tried:
each symbol adds or takes a small number, or does neither, from 0, 1 or -1 on; or it counts modulo
2, 3 or 4; or it is asked whether it is above 0; or one symbol adds 1 and one takes 1, before or
after another symbol, or two in a row, have been read for the first time. The one that tells most
about the next symbol is kept, and then the one that tells most besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ...construction import Counted, Counter, Loaded, Mark
from ...corpus import Corpus
from ._memories import LEAST_GAIN, MOST_NUMBERS, MOST_PAIRED, MOST_SYMBOLS, bits_given, symbols_of

MOST_COUNTERS = 5
LARGEST_STEPS = {2: 3, 3: 3, 4: 2, 5: 1}
"""What a symbol adds or takes at most, by the number of symbols, where no mark divides strings."""
MODULI = (2, 3, 4)
MOST_REMAINDERS = 300
"""Counters with a modulus that are tried; larger alphabets have more."""
HANDICAP = 8.0
"""Bits by which a counter that is more than plain has to be better than a plain one."""


def counters_of(corpus: Corpus, boundary: int, given: Sequence[Counted] = ()) -> list[Counted]:
    """The counters that tell most about the next symbol beside what is given, the best first."""
    symbols = symbols_of(corpus, boundary)
    if not 2 <= len(symbols) <= MOST_PAIRED:
        return []
    candidates = _candidates if len(symbols) <= MOST_SYMBOLS else _paired
    tried = list(candidates(symbols, corpus.inputs))
    tried = tried[: max(1, MOST_NUMBERS // len(corpus.parent))]
    zeros = _zeros(tried, values := _values(corpus, tried))
    handicaps = np.array([HANDICAP * bool(c.start or c.modulus or c.positive) for c in tried])
    found: list[Counted] = []
    context = corpus.symbol.astype(np.int64)
    contexts = corpus.inputs
    for counted in given:
        context, contexts = 2 * context + counted.zero, 2 * contexts
    bits = bits_given(corpus, context, contexts)
    for _ in range(MOST_COUNTERS):
        scores = [
            bits_given(corpus, 2 * context + zeros[:, i], 2 * contexts) for i in range(len(tried))
        ]
        best = int(np.argmin(scores + handicaps))
        if bits - scores[best] < LEAST_GAIN:
            break
        bits = scores[best]
        zero = zeros[:, best].copy()
        context, contexts = 2 * context + zero, 2 * contexts
        found.append(_counted(tried[best], values[:, best], zero))
    return found


def _counted(counter: Counter, values: NDArray[np.int64], zero: NDArray[np.bool_]) -> Counted:
    """Turned round where it is never above 0."""
    if counter.modulus or counter.positive:
        return Counted(counter, zero)
    if values.max() > 0:
        return Counted(counter, zero, bool(values.min() < 0))
    before, after = (tuple(-step for step in steps) for steps in counter.steps)
    return Counted(Counter((before, after), counter.mark, -counter.start), zero, False)


def _candidates(symbols: list[int], size: int) -> Iterator[Counter]:
    """Plain counters first, since of two that tell the same the first is kept."""
    plain = list(_plain(symbols, size))
    yield from plain
    yield from _marked(symbols, size)
    for counter in plain:
        for start in (-1, 1):
            yield counter._replace(start=start)
    for counter in plain:
        # Whether it is below 0 is whether it is above 0 with all steps turned round.
        backwards = tuple(-step for step in counter.steps[0])
        yield counter._replace(positive=True)
        yield Counter((backwards, backwards), positive=True)
    remainders = [
        Counter((row, row), modulus=modulus)
        for modulus in MODULI
        for row in _rows(symbols, size, range(modulus))
        if any(row) and (modulus != 4 or any(step % 2 for step in row))
    ]
    remainders.sort(key=lambda counter: sum(counter.steps[0]))
    yield from remainders[:MOST_REMAINDERS]


def _paired(symbols: list[int], size: int) -> Iterator[Counter]:
    """Of a large alphabet: one symbol adds 1, one takes 1."""
    for up, down in combinations(symbols, 2):
        row = tuple((symbol == up) - (symbol == down) for symbol in range(size))
        yield Counter((row, row))


def _plain(symbols: list[int], size: int) -> Iterator[Counter]:
    most = LARGEST_STEPS.get(len(symbols), 0)
    seen = set()
    rows = _rows(symbols, size, range(-most, most + 1)) if most else ()
    for row in sorted(rows, key=lambda row: (sum(map(abs, row)), row)):
        if max(row) > 0 > min(row) and tuple(-step for step in row) not in seen:
            seen.add(row)
            yield Counter((row, row))


def _marked(symbols: list[int], size: int) -> Iterator[Counter]:
    marks = [Mark(s) for s in symbols]
    marks += [Mark(s, after) for s in symbols for after in symbols if s != after]
    for mark in marks:
        for up, down in product([(s, p) for p in (0, 1) for s in symbols], repeat=2):
            if up == down or (mark.after is None and (mark.symbol, 0) in (up, down)):
                continue
            if up[1] == down[1] == 0:
                continue  # a counter that stands still from the mark on
            rows = [[0] * size, [0] * size]
            rows[up[1]][up[0]] = 1
            rows[down[1]][down[0]] = -1
            yield Counter((tuple(rows[0]), tuple(rows[1])), mark)


def _rows(symbols: list[int], size: int, steps: range) -> Iterator[tuple[int, ...]]:
    """What each symbol of an alphabet adds; the boundary symbol adds nothing."""
    for chosen in product(steps, repeat=len(symbols)):
        row = [0] * size
        for symbol, step in zip(symbols, chosen, strict=True):
            row[symbol] = step
        yield tuple(row)


def _values(corpus: Corpus, counters: list[Counter]) -> NDArray[np.int64]:
    """(node, counter): the counter after the node's symbol; one with a modulus goes on beyond."""
    nodes = len(corpus.parent)
    steps = np.array([counter.steps for counter in counters], dtype=np.int64)
    marks = np.array([-1 if c.mark is None else c.mark.symbol for c in counters])
    before = np.array(
        [-1 if c.mark is None or c.mark.after is None else c.mark.after for c in counters]
    )
    values = np.zeros((nodes, len(counters)), dtype=np.int64)
    marked = np.zeros((nodes, len(counters)), dtype=np.bool_)
    columns = np.arange(len(counters))
    for begin, end in zip(corpus.levels[:-1], corpus.levels[1:], strict=True):
        symbol = corpus.symbol[begin:end]
        after = symbol[:, None] == marks[None, :]
        if begin:
            parent = corpus.parent[begin:end]
            after &= (before < 0)[None, :] | (corpus.symbol[parent][:, None] == before[None, :])
            after |= marked[parent]
            values[begin:end] = values[parent]
        else:
            values[begin:end] = [counter.start for counter in counters]
        marked[begin:end] = after
        values[begin:end] += steps[columns[None, :], after.astype(np.int64), symbol[:, None]]
    return values


def _zeros(counters: list[Counter], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(node, counter): whether it is 0, or above 0 where that is asked."""
    beyond = int(np.abs(values).max()) + 1
    moduli = np.array([counter.modulus or beyond for counter in counters])
    positive = np.array([counter.positive for counter in counters])
    zeros: NDArray[np.bool_] = np.where(positive, values > 0, values % moduli == 0)
    return zeros


LARGEST = 2**20
"""A counter that doubles grows by no more at once; none of a corpus gets there."""


def loads_of(corpus: Corpus, boundary: int) -> list[Counted]:
    """The loaded counter that tells most about the next symbol, if one does."""
    symbols = symbols_of(corpus, boundary)
    if not 1 <= len(symbols) <= MOST_SYMBOLS:
        return []
    tried = list(_loaded_candidates(symbols))
    share = max(1, MOST_NUMBERS // len(corpus.parent))
    context = corpus.symbol.astype(np.int64)
    best = bits_given(corpus, context, corpus.inputs) - LEAST_GAIN
    found: list[Counted] = []
    zeros = zeros_of(corpus, tried[:share])
    for column, loaded in enumerate(tried[:share]):
        zero = zeros[:, column]
        bits = bits_given(corpus, 2 * context + zero, 2 * corpus.inputs)
        if bits < best:
            best = bits
            found = [Counted(loaded, zero.copy())]
    return found


def _loaded_candidates(symbols: list[int]) -> Iterator[Loaded]:
    """The simplest first, since of two that tell the same the first is kept."""
    phases: list[tuple[Mark | None, bool]] = [(None, False)]
    phases += [(Mark(symbol), late) for symbol in symbols for late in (False, True)]
    each = (symbols, symbols, symbols)
    for (mark, late), at_zero in product(phases, (False, True)):
        for counted, loading, down in product(*each):
            if mark is None or late or mark.symbol != counted:
                yield Loaded(counted, at_zero, mark, late, loading, down)
    more = product((False, True), (False, True), (1, 2), (-1, 0, 1))
    for load_at_zero, at_zero, step, start in more:
        if load_at_zero or (step, start) != (1, 0):
            for counted, loading, down in product(*each):
                yield Loaded(
                    counted, at_zero, None, False, loading, down, load_at_zero, step, start
                )
    for start, loading, down in product((1, 2), symbols, symbols):
        if loading != down:
            yield Loaded(None, False, None, False, loading, down, start=start)


def zeros_of(corpus: Corpus, tried: list[Loaded]) -> NDArray[np.bool_]:
    """(node, counter): whether the counter is 0 after the node's symbol."""
    nodes = len(corpus.parent)
    columns = len(tried)
    field = {name: np.array(values) for name, values in _fields(tried)}
    numbers = np.zeros((nodes, columns), dtype=np.int32)
    counters = np.zeros((nodes, columns), dtype=np.int32)
    marked = np.zeros((nodes, columns), dtype=np.bool_)
    marks = np.array([-1 if x.mark is None else x.mark.symbol for x in tried])
    doubles = np.array([x.counted is None for x in tried])
    for begin, end in zip(corpus.levels[:-1], corpus.levels[1:], strict=True):
        symbol = corpus.symbol[begin:end, None]
        if begin:
            parent = corpus.parent[begin:end]
            number, counter, after = numbers[parent], counters[parent], marked[parent]
        else:
            number = np.broadcast_to(field["start"], (end, columns)).astype(np.int32)
            counter = number * doubles
            after = np.zeros((end, columns), dtype=np.bool_)
        empty = counter == 0
        after = after | (symbol == marks)
        phase = (marks < 0) | (after == (field["late"] != 0))
        counts = (symbol == field["counted"]) & phase & (empty | (field["at_zero"] == 0))
        number = number + counts * field["step"].astype(np.int32)
        loads = (symbol == field["loading"]) & (empty | (field["load_at_zero"] == 0))
        added = np.where(doubles, np.minimum(counter, LARGEST), number)
        counter = counter + loads * added - (symbol == field["down"])
        numbers[begin:end] = number
        counters[begin:end] = np.maximum(counter, 0)
        marked[begin:end] = after
    zeros: NDArray[np.bool_] = counters == 0
    return zeros


def _fields(tried: list[Loaded]) -> Iterator[tuple[str, list[int]]]:
    for name in ("counted", "at_zero", "late", "loading", "down", "load_at_zero", "step", "start"):
        yield name, [-1 if (value := getattr(x, name)) is None else int(value) for x in tried]
