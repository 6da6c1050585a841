"""The genetic algorithm on one island with several threads, which find what one thread finds.

A step needs nothing of the steps before it but what they have replaced. So the thread that has the
island makes offspring ahead, as if none of those under way were to take a place; other threads
score them. It then takes the steps one after the other: the parents are drawn again, and where they
and the offspring's rival are as they were, the score counts. Else all that was made ahead is
dropped and made again from there.

Offspring are numbered. They wait in a ring of slots, in which the number says the slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._advance import (
    BY_D,
    DONE,
    EVALUATIONS,
    HELPERS,
    HITS,
    NEEDS_ROOM,
    STEPS,
    Memo,
    State,
    add,
    draw_parents,
    hash_of,
    is_welcome,
    keep,
    load,
    most_bits,
    pause,
    replace,
    slot_of,
    store,
    value_of,
    weigh,
    words_needed,
)
from ._compile import compiled, entry, inlined
from ._genome import Floats, Random, Space, copy_row
from ._mutations import has_stacks
from ._offspring import make_offspring
from ._plan import SCRATCH, Tree, Workspace
from ._scoring import surprisal

ALONE = 3
"""How a call ended: nobody helps any more."""
SLOTS = 64
LINE = 8
"""Words of a line of the cache: what different threads write does not lie in the same one."""
# Places of flags; HELPERS is 0.
IS_OPEN, PUBLISHED, TAKEN = LINE, 2 * LINE, 3 * LINE
FLAGS: int = 4 * LINE
AHEAD = 5
"""Offspring made ahead for each thread."""
SPINS = 30_000
"""Looks for work after which a helper goes, about a millisecond."""
PATIENCE = 100_000
"""Looks for a score after which a thread no longer waits: the other may have been suspended."""
MORE, FEWER = 0.05, 0.8
"""How far ahead offspring are made: a twentieth of one more for each step that is taken, and a
fifth fewer each time that some were made in vain."""
# Places in a slot's line. ASKED holds the number of an offspring that is to be scored, until
# somebody claims it, or NOTHING; FINISHED the number of the one that was scored last.
ASKED, FINISHED, BITS, MOST = 0, 1, 2, 3
NOTHING, CLAIMED = -1, -2
# Columns of `Board.facts`.
NUMBER, WINNER, LOSER, OTHER, LENGTH, MADE_AT, IS_KNOWN = 0, 1, 2, 3, 4, 5, 6
FACTS = 7


class Board(NamedTuple):
    """What the threads that work on an island share."""

    flags: NDArray[np.int64]
    rows: NDArray[np.int64]
    """The offspring: (slot, word)"""
    lines: NDArray[np.int64]
    """A line of the cache for each slot."""
    floats: Floats
    """The same memory: |D:G|, and the |D:G| above which an offspring is not wanted."""
    facts: NDArray[np.int64]
    costs: Floats
    keys: NDArray[np.uint64]
    before: NDArray[np.uint64]
    """The random state before each offspring: (slot, word)"""
    drawn: NDArray[np.uint64]
    """And when its parents have been drawn."""
    pending: NDArray[np.int64]
    """The numbers of offspring whose steps are to be taken, in this order."""
    changed_at: NDArray[np.int64]
    """The step at which each network of the island took its place, counted on this board."""


def new_board(words: int, population: int) -> Board:
    lines = np.full(SLOTS * LINE, NOTHING, dtype=np.int64)
    return Board(
        flags=np.zeros(FLAGS, dtype=np.int64),
        rows=np.zeros((SLOTS, words), dtype=np.int64),
        lines=lines,
        floats=lines.view(np.float64),
        facts=np.zeros((SLOTS, FACTS), dtype=np.int64),
        costs=np.zeros(SLOTS),
        keys=np.zeros(SLOTS, dtype=np.uint64),
        before=np.zeros((SLOTS, 4), dtype=np.uint64),
        drawn=np.zeros((SLOTS, 4), dtype=np.uint64),
        pending=np.zeros(SLOTS, dtype=np.int64),
        changed_at=np.zeros(population, dtype=np.int64),
    )


@inlined
def put_random(source: Random, to: NDArray[np.uint64], slot: int) -> None:
    for k in range(4):
        to[slot, k] = source[k]


@inlined
def get_random(source: NDArray[np.uint64], slot: int, to: Random) -> None:
    for k in range(4):
        to[k] = source[slot, k]


@inlined
def copy_random(source: Random, to: Random) -> None:
    for k in range(4):
        to[k] = source[k]


@compiled
def take(flags: NDArray[np.int64]) -> int:
    """The number of an offspring that nobody else takes, or NOTHING."""
    while True:
        number = load(flags, TAKEN)
        if number >= load(flags, PUBLISHED):
            return NOTHING
        if replace(flags, TAKEN, number, number + 1):
            return number


@compiled
def claim(lines: NDArray[np.int64], number: int) -> bool:
    """Whether an offspring is the caller's to score, and nobody else's; some need not be scored."""
    at = number % SLOTS * LINE
    # Look first: an attempt to replace takes the line of the cache from the thread that has it.
    return load(lines, at + ASKED) == number and replace(lines, at + ASKED, number, CLAIMED)


@inlined
def score_claimed(board: Board, number: int, tree: Tree, work: Workspace) -> None:
    slot = number % SLOTS
    at = slot * LINE
    board.floats[at + BITS] = surprisal(board.rows[slot], tree, work, board.floats[at + MOST])
    store(board.lines, at + FINISHED, number)


@compiled
def is_finished(lines: NDArray[np.int64], slot: int, number: int) -> bool:
    """Whether nobody is to score or scores what is in the slot, which has this number."""
    at = slot * LINE
    asked = load(lines, at + ASKED)
    return asked == NOTHING or (asked == CLAIMED and load(lines, at + FINISHED) == number)


@compiled
def drop(lines: NDArray[np.int64], pending: NDArray[np.int64], first: int, last: int) -> None:
    """These need no score any more. A thread that has begun with one goes on."""
    for k in range(first, last):
        number = pending[k % SLOTS]
        replace(lines, number % SLOTS * LINE + ASKED, number, NOTHING)


@entry
def help_out(board: Board, tree: Tree, work: Workspace, called: NDArray[np.int64]) -> int:
    """Score offspring of an island while there are some and nobody calls; the number of them.

    `called` says how many threads are to leave; a thread that leaves takes one off.
    """
    add(board.flags, HELPERS, 1)
    scored = 0
    spins = 0
    while spins < SPINS and load(board.flags, IS_OPEN) == 1:
        calls = load(called, 0)
        if calls > 0 and replace(called, 0, calls, calls - 1):
            break
        number = take(board.flags)
        if number == NOTHING:
            spins += 1
            pause()
        elif claim(board.lines, number):
            score_claimed(board, number, tree, work)
            scored += 1
            spins = 0
    add(board.flags, HELPERS, -1)
    return scored


@entry
def advance_helped(
    state: State,
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
    board: Board,
) -> int:
    """`advance` while others help. It ends before its time where nobody does, or where a network
    might outgrow its row."""
    population = state.values.size
    stacks = space.stack_rate > 0 and has_stacks(space)
    ahead = state.random.copy()
    drawn = state.random.copy()
    number = load(board.flags, PUBLISHED)
    board.changed_at[:] = -1
    # What is pending are the places first .. last - 1; a place is the number of a step.
    first = last = 0
    reach = float(SLOTS)
    needs_room = False
    while first < steps:
        helpers = load(board.flags, HELPERS)
        if helpers == 0:
            drop(board.lines, board.pending, first, last)
            return ALONE
        reach = min(reach + MORE, float(AHEAD * (helpers + 1)), float(SLOTS))
        deep = min(int(reach), steps - first)
        while last - first < deep and not needs_room:
            if last > first and number - board.pending[first % SLOTS] >= SLOTS:
                break
            slot = number % SLOTS
            while not is_finished(board.lines, slot, board.facts[slot, NUMBER]):
                pause()
            put_random(ahead, board.before, slot)
            winner, loser, other, crossing, stacking = draw_parents(
                state.values, population, tournament, crowded, stacks, ahead, space
            )
            put_random(ahead, board.drawn, slot)
            parent, donor = state.genomes[winner], state.genomes[other]
            if words_needed(parent, donor, crossing, stacking) > parent.size:
                get_random(board.before, slot, ahead)
                needs_room = True
                break
            child = board.rows[slot]
            make_offspring(
                parent, donor, crossing, stacking, child, ahead, space, work.plan[SCRATCH]
            )
            board.facts[slot, NUMBER] = number
            board.facts[slot, MADE_AT] = first
            board.facts[slot, WINNER] = winner
            board.facts[slot, LOSER] = loser
            board.facts[slot, OTHER] = other
            limit = state.values[loser] if elitist else np.inf
            prepare(board, number, limit, tree, encoding, multipliers, work, memo)
            board.pending[last % SLOTS] = number
            last += 1
            number += 1
            store(board.flags, PUBLISHED, number)
        if first == last:
            return NEEDS_ROOM
        slot = board.pending[first % SLOTS] % SLOTS
        winner = board.facts[slot, WINNER]
        loser = board.facts[slot, LOSER]
        other = board.facts[slot, OTHER]
        copy_random(state.random, drawn)
        again = draw_parents(state.values, population, tournament, crowded, stacks, drawn, space)
        newest = max(board.changed_at[winner], board.changed_at[loser], board.changed_at[other])
        same = again[0] == winner and again[1] == loser and again[2] == other
        for k in range(4):
            same &= drawn[k] == board.drawn[slot, k]
        if not same or newest >= board.facts[slot, MADE_AT]:
            drop(board.lines, board.pending, first, last)
            last = first
            reach = max(FEWER * reach, 2.0)
            copy_random(state.random, ahead)
            needs_room = False
            continue
        bits = bits_of(board, slot, tree, work)
        value = board.costs[slot]
        if multipliers[BY_D] != 0.0:
            value = value_of(value, bits, multipliers)
            remember(board, slot, bits, memo)
        first += 1
        if first == last:
            copy_random(ahead, state.random)
        else:
            get_random(board.before, board.pending[first % SLOTS] % SLOTS, state.random)
        state.counters[EVALUATIONS] += 1
        state.counters[HITS] += board.facts[slot, IS_KNOWN]
        state.counters[STEPS] += 1
        if is_welcome(value, state.values, loser, elitist, distinct):
            child = board.rows[slot]
            copy_row(child, state.genomes[loser])
            keep(state, loser, child, board.facts[slot, LENGTH], bits, value)
            board.changed_at[loser] = first - 1
            # From the first offspring on that has to do with that place, all is to be made again.
            for k in range(first, last):
                pending = board.pending[k % SLOTS] % SLOTS
                if (
                    loser == board.facts[pending, WINNER]
                    or loser == board.facts[pending, LOSER]
                    or loser == board.facts[pending, OTHER]
                ):
                    drop(board.lines, board.pending, k, last)
                    last = k
                    reach = max(FEWER * reach, 2.0)
                    get_random(board.before, pending, ahead)
                    needs_room = False
                    break
    return DONE


@inlined
def prepare(
    board: Board,
    number: int,
    limit: float,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    work: Workspace,
    memo: Memo,
) -> None:
    """The quick part of `evaluate`; it asks for |D:G| where that decides."""
    slot = number % SLOTS
    at = slot * LINE
    child = board.rows[slot]
    length, cost = weigh(child, encoding, multipliers, work.plan[SCRATCH])
    board.facts[slot, LENGTH] = length
    board.facts[slot, IS_KNOWN] = 0
    board.costs[slot] = cost
    board.floats[at + MOST] = np.inf
    asked = number
    if multipliers[BY_D] != 0.0:
        most = most_bits(limit, cost, multipliers)
        board.floats[at + MOST] = most
        if most < tree.lower_bounds[tree.chunk_start[tree.full]]:
            board.floats[at + BITS] = np.inf
            asked = NOTHING
        else:
            key = hash_of(child)
            board.keys[slot] = key
            entry = slot_of(key, memo.keys.size)
            if memo.keys[entry] == key:
                board.facts[slot, IS_KNOWN] = 1
                board.floats[at + BITS] = memo.bits[entry]
                asked = NOTHING
    store(board.lines, at + ASKED, asked)


@inlined
def bits_of(board: Board, slot: int, tree: Tree, work: Workspace) -> float:
    """|D:G| of an offspring when it is there; meanwhile others are scored."""
    wanted = board.facts[slot, NUMBER]
    number = wanted
    spins = 0
    while True:
        if number != NOTHING and claim(board.lines, number):
            score_claimed(board, number, tree, work)
        if is_finished(board.lines, slot, wanted):
            return board.floats[slot * LINE + BITS]
        number = take(board.flags)
        if number == NOTHING:
            spins += 1
            if spins > PATIENCE:
                return surprisal(board.rows[slot], tree, work, board.floats[slot * LINE + MOST])
            pause()


@inlined
def remember(board: Board, slot: int, bits: float, memo: Memo) -> None:
    """A score that was asked for."""
    at = slot * LINE
    asked = board.lines[at + ASKED] != NOTHING
    if asked and (bits < np.inf or board.floats[at + MOST] == np.inf):
        key = board.keys[slot]
        entry = slot_of(key, memo.keys.size)
        memo.keys[entry] = key
        memo.bits[entry] = bits
