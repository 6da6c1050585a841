"""The genetic algorithm of the paper (section 3.3, Algorithm 1) on one island, compiled: the
island's state, the value of a network with a memory of recent ones, and the steps.

Numbers that several threads read and change at the same time lie in arrays of int64. Who reads a
number with `load` that another thread has written with `store` also sees all that the other wrote
before it. Where compiling is switched off there are no such threads.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic
from numpy.typing import NDArray

from ._compile import compiled, entry, inlined, shared
from ._genome import Floats, Random, Space, Words, below, copy_row, happens, size_of
from ._mutations import STACK_GROWTH, founder, has_stacks, random_network
from ._offspring import ROOM, make_offspring
from ._plan import SCRATCH, Tree, Workspace
from ._scoring import encoded_length, surprisal, weight_norms

_BYTES = 8
_HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")


def _written(writer: Callable[..., Any]) -> Any:
    """A function for kernels to call, of which `writer` says the type and writes the code."""
    return intrinsic(writer)


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.gep(builder, array.data, arguments[1])


@_written
def load(_typing: Any, numbers: Any, i: Any) -> Any:
    """numbers[i]"""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.load_atomic(place, "acquire", _BYTES)

    return types.int64(numbers, types.intp), write


@_written
def store(_typing: Any, numbers: Any, i: Any, value: Any) -> Any:
    """numbers[i] = value"""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], place, "release", _BYTES)
        return context.get_dummy_value()

    return types.void(numbers, types.intp, types.int64), write


@_written
def add(_typing: Any, numbers: Any, i: Any, value: Any) -> Any:
    """numbers[i] += value; returns the old value."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(numbers, types.intp, types.int64), write


@_written
def replace(_typing: Any, numbers: Any, i: Any, old: Any, new: Any) -> Any:
    """numbers[i] = new if it is `old`; whether it was."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        found = builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(numbers, types.intp, types.int64, types.int64), write


@_written
def pause(_typing: Any) -> Any:
    """A moment's rest for a thread that looks for something again and again."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            name = "llvm.x86.sse2.pause"
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [])
        return context.get_dummy_value()

    return types.void(), write


if config.DISABLE_JIT:

    def load(numbers: Any, i: int) -> Any:
        return numbers[i]

    def store(numbers: Any, i: int, value: int) -> None:
        numbers[i] = value

    def add(numbers: Any, i: int, value: int) -> Any:
        numbers[i] += value
        return numbers[i] - value

    def replace(numbers: Any, i: int, old: int, new: int) -> bool:
        if numbers[i] != old:
            return False
        numbers[i] = new
        return True

    def pause() -> None: ...


# Counters of an island.
STEPS, EVALUATIONS, HITS, IMPROVED_AT, FRONT_COUNT = 0, 1, 2, 3, 4
COUNTERS = 5
FRONT_SIZE = 96


class State(NamedTuple):
    """An island: everything that the next generation depends on, and what has been found."""

    genomes: NDArray[np.int64]
    """(network, word)"""
    values: Floats
    """The objective's value of each network."""
    lengths: NDArray[np.int64]
    bits: Floats
    random: Random
    counters: NDArray[np.int64]
    best_value: Floats
    """One number: the lowest value so far."""
    front: NDArray[np.int64]
    """Rows of the networks that no other beats in both |G| and |D:G|, shortest first."""
    front_lengths: NDArray[np.int64]
    front_bits: Floats


@inlined
def keep(state: State, i: int, genome: Words, length: int, bits: float, value: float) -> None:
    """Write the scores of network i, and note what is new about it."""
    state.lengths[i] = length
    state.bits[i] = bits
    state.values[i] = value
    if value < state.best_value[0]:
        state.best_value[0] = value
        state.counters[IMPROVED_AT] = state.counters[STEPS]
    join_front(
        genome, length, bits, state.counters, state.front, state.front_lengths, state.front_bits
    )


@entry
def join_front(
    genome: Words,
    length: int,
    bits: float,
    counters: NDArray[np.int64],
    front: NDArray[np.int64],
    lengths: NDArray[np.int64],
    given: Floats,
) -> None:
    """Enter the network unless one at most as long explains the data as well; drop whom it beats.

    Lengths rise and bits fall along the front. When it is full its longest network goes.
    """
    if bits == np.inf:
        return
    count = counters[FRONT_COUNT]
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if lengths[middle] <= length:
            low = middle + 1
        else:
            high = middle
    if low > 0 and given[low - 1] <= bits:
        return
    start = low - 1 if low > 0 and lengths[low - 1] == length else low
    end = start
    while end < count and given[end] >= bits:
        end += 1
    if start == lengths.size:
        return
    if start == end:
        last = min(count, lengths.size - 1)
        for i in range(last, start, -1):
            copy_entry(i - 1, i, front, lengths, given)
        counters[FRONT_COUNT] = last + 1
    else:
        for i in range(end, count):
            copy_entry(i, i - (end - start) + 1, front, lengths, given)
        counters[FRONT_COUNT] = count - (end - start) + 1
    copy_row(genome, front[start])
    lengths[start] = length
    given[start] = bits


@compiled
def copy_entry(
    source: int,
    to: int,
    front: NDArray[np.int64],
    lengths: NDArray[np.int64],
    given: Floats,
) -> None:
    copy_row(front[source], front[to])
    lengths[to] = lengths[source]
    given[to] = given[source]


SLACK = 1e-6
"""Bits by which a bound must be passed before it counts, for rounding."""
# Multipliers of the objective.
BY_G, BY_D, BY_L1, BY_L2 = 0, 1, 2, 3


class Memo(NamedTuple):
    """Scores of genomes seen lately; it saves time and changes nothing."""

    keys: NDArray[np.uint64]
    bits: Floats


def new_memo(entries: int = 1 << 14) -> Memo:
    return Memo(
        np.zeros(entries, dtype=np.uint64),
        np.zeros(entries),
    )


@compiled
def hash_of(genome: Words) -> np.uint64:
    """64 bits that depend on every word in use; never 0, which marks an empty entry."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(size_of(genome)):
        h ^= np.uint64(genome[i])
        h *= np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    return h | np.uint64(1)


@inlined
def evaluate(
    genome: Words,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    work: Workspace,
    memo: Memo,
    counters: NDArray[np.int64],
    limit: float,
) -> tuple[int, float, float]:
    """|G|, |D:G| and the objective's value.

    Both of the latter are infinite as soon as the value is sure to be above the limit.
    """
    counters[EVALUATIONS] += 1
    length, cost = weigh(genome, encoding, multipliers, work.plan[SCRATCH])
    if multipliers[BY_D] == 0.0:
        return length, surprisal(genome, tree, work, np.inf), cost
    most = most_bits(limit, cost, multipliers)
    if most < tree.lower_bounds[tree.chunk_start[tree.full]]:
        return length, np.inf, np.inf
    key = hash_of(genome)
    slot = slot_of(key, memo.keys.size)
    if memo.keys[slot] == key:
        counters[HITS] += 1
        bits = memo.bits[slot]
    else:
        bits = surprisal(genome, tree, work, most)
        if bits < np.inf or most == np.inf:
            memo.keys[slot] = key
            memo.bits[slot] = bits
    return length, bits, value_of(cost, bits, multipliers)


@compiled
def weigh(
    genome: Words, encoding: NDArray[np.int64], multipliers: Floats, scratch: NDArray[np.int64]
) -> tuple[int, float]:
    """|G|, and the objective's value without |D:G|."""
    length = encoded_length(genome, encoding, scratch)
    cost = 0.0
    if multipliers[BY_G] != 0.0:
        cost += multipliers[BY_G] * length
    if multipliers[BY_L1] != 0.0 or multipliers[BY_L2] != 0.0:
        l1, l2 = weight_norms(genome)
        cost += multipliers[BY_L1] * l1 + multipliers[BY_L2] * l2
    return length, cost


@compiled
def most_bits(limit: float, cost: float, multipliers: Floats) -> float:
    """The |D:G| above which the value is sure to be above the limit."""
    return (limit - cost) / multipliers[BY_D] + SLACK


@compiled
def value_of(cost: float, bits: float, multipliers: Floats) -> float:
    return cost + multipliers[BY_D] * bits


@compiled
def slot_of(key: np.uint64, entries: int) -> np.uint64:
    """Where in a memo of so many entries, a power of two, a genome belongs."""
    return (key >> np.uint64(20)) & np.uint64(entries - 1)


# How a call ended.
DONE, NEEDS_ROOM, HELPED = 0, 1, 2
HELPERS = 0
"""The flag that says how many threads are there to help, which `advance` leaves to others."""
FOUNDER_TRIES = 50
"""How often a network to start from is redrawn because it finds the corpus impossible."""


@entry
def advance(
    state: State,
    populate: bool,
    given: int,
    steps: int,
    tournament: int,
    distinct: bool,
    elitist: bool,
    crowded: bool,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    space: Space,
    work: Workspace,
    memo: Memo,
    child: Words,
    flags: NDArray[np.int64],
) -> int:
    """So many steps of select, mutate, evaluate, replace; with `populate`, from new networks on,
    of which the first `given` are there already.

    With `distinct`, an offspring with the value of a network that the island has is dropped.
    Where it is `crowded`, any network may be a parent, and its offspring contends with it alone.
    If a network might outgrow its row, the call ends before that step and says NEEDS_ROOM. It also
    ends when somebody comes to help, and says HELPED.
    """
    population = state.values.size
    # New networks first, each drawn several times if need be until its value is finite.
    founding = space.compound_mutation_rate > 0
    drawn = 0
    tries = 0
    while populate and drawn < population:
        genome = state.genomes[drawn]
        if drawn >= given:
            new_network(genome, state.random, space)
        length, bits, value = evaluate(
            genome, tree, encoding, multipliers, work, memo, state.counters, np.inf
        )
        tries += 1
        if value < np.inf or drawn < given or not founding or tries == FOUNDER_TRIES:
            keep(state, drawn, genome, length, bits, value)
            drawn += 1
            tries = 0
    saved = np.empty(4, dtype=np.uint64)
    stacks = space.stack_rate > 0 and has_stacks(space)
    for _ in range(steps):
        if load(flags, HELPERS) > 0:
            return HELPED
        for k in range(4):
            saved[k] = state.random[k]
        winner, loser, other, crossing, stacking = draw_parents(
            state.values, population, tournament, crowded, stacks, state.random, space
        )
        parent, donor = state.genomes[winner], state.genomes[other]
        needed = words_needed(parent, donor, crossing, stacking)
        if needed > parent.size:
            for k in range(4):
                state.random[k] = saved[k]
            return NEEDS_ROOM
        make_offspring(
            parent, donor, crossing, stacking, child, state.random, space, work.plan[SCRATCH]
        )
        length, bits, value = evaluate(
            child, tree, encoding, multipliers, work, memo, state.counters,
            state.values[loser] if elitist else np.inf,
        )  # fmt: skip
        state.counters[STEPS] += 1
        if not is_welcome(value, state.values, loser, elitist, distinct):
            continue
        copy_row(child, state.genomes[loser])
        keep(state, loser, child, length, bits, value)
    return DONE


@shared
def new_network(genome: Words, random: Random, space: Space) -> None:
    """A network to start from: the paper's, or where units are rewritten whole a founder."""
    if space.compound_mutation_rate > 0:
        founder(genome, random, space)
    else:
        random_network(genome, random, space)


@compiled
def draw_parents(
    values: Floats,
    population: int,
    tournament: int,
    crowded: bool,
    stacks: bool,
    random: Random,
    space: Space,
) -> tuple[int, int, int, bool, bool]:
    """A parent, whom its offspring contends with, a donor, and whether the offspring takes an
    output from the donor or gets a stack."""
    if crowded:
        winner = loser = below(random, population)
    else:
        winner, loser = select(values, population, tournament, random)
    other = winner
    crossing = space.crossover_rate > 0 and happens(space.crossover_rate, random)
    if crossing:
        other, _ = select(values, population, tournament, random)
    stacking = stacks and not crossing and happens(space.stack_rate, random)
    return winner, loser, other, crossing, stacking


@compiled
def words_needed(parent: Words, donor: Words, crossing: bool, stacking: bool) -> int:
    """The room that an offspring may take up on the way."""
    needed = size_of(parent) + ROOM
    if crossing:
        needed += size_of(donor)
    elif stacking:
        needed += STACK_GROWTH
    return needed


@compiled
def is_welcome(value: float, values: Floats, loser: int, elitist: bool, distinct: bool) -> bool:
    """Whether an offspring takes the loser's place."""
    if elitist and value > values[loser]:
        return False
    return not (distinct and is_known(value, values))


@compiled
def is_known(value: float, values: Floats) -> bool:
    found = 0
    for i in range(values.size):
        found += 1 if values[i] == value else 0
    return found > 0


@compiled
def select(values: Floats, population: int, tournament: int, random: Random) -> tuple[int, int]:
    """Winner and loser among `tournament` networks drawn at random, which are never the same.

    Ties go to the one drawn first as winner and the one drawn last as loser, so that a network
    with the best value is never the only one of that value to be replaced.
    """
    winner = below(random, population)
    loser = winner
    best = worst = values[winner]
    drawn = 1
    while drawn < tournament:
        i = below(random, population)
        if i == winner or i == loser:
            continue
        drawn += 1
        if values[i] < best:
            if loser == winner:
                loser, worst = winner, best
            winner, best = i, values[i]
        elif values[i] >= worst:
            loser, worst = i, values[i]
    return winner, loser
