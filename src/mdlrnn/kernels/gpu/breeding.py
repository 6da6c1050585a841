"""Selection, mutation, replacement and migration on a card.

A generation is made in two batches. All offspring of a batch are drawn from the population as it
was before the batch, each by a thread of its own with random numbers of its own; then they take
their places one after the other, as on the CPU. A batch that needs longer rows on some island is
not counted there, and is made again when the rows are longer.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from .. import _advance, _genome, _offspring
from .. import _advance as _state
from .. import _genome as _random
from .. import _mutations as _stack
from .. import _offspring as _crossover
from .._advance import BY_D, EVALUATIONS, HITS, IMPROVED_AT, STEPS, State
from .._genome import Space
from .._plan import SCRATCH
from ._cuda import WARP, cuda, device, kernel, on_device
from ._feeding import (
    DISTINCT,
    ELITIST,
    INPUTS,
    MAX_CONNECTIONS,
    MAX_UNITS,
    MIGRATION_SIZE,
    OUTPUTS,
    POPULATION,
    SPREAD,
    TOURNAMENT,
    WIDTH,
    weigh,
    worker_number,
)
from ._threads import SCALARS

BATCHES = 2
"""Of a generation."""
CROSS, STACKING = len(_offspring.MUTATIONS), len(_offspring.MUTATIONS) + 1
ACTIONS = len(_offspring.MUTATIONS) + 2
"""What can happen to an offspring: the mutations, a part of another network, a stack."""
TURNS = 4
"""How often offspring are sorted by what happens to them next; in the last turn the rest does."""
TRIES = _advance.FOUNDER_TRIES
# What became of an offspring before it was fed.
ABSENT, SETTLED, TO_FEED = 0, 1, 2
# Places of the rates of a space, and of the fewest bits that any network can need.
FURTHER, REDRAW, COMPOUND, CROSSOVER, STACK, LEAST_BITS = 0, 1, 2, 3, 4, 5

draw_parents = on_device(_advance.draw_parents, SCALARS)
words_needed = on_device(_advance.words_needed, SCALARS)
new_network = on_device(_advance.new_network, SCALARS)
cross_over = on_device(_crossover.cross_over, SCALARS)
grow_stack = on_device(_stack.grow_stack, SCALARS)
apply = on_device(_offspring.apply, SCALARS)
draw_mutation = on_device(_offspring.draw_mutation, SCALARS)
next_mutation = on_device(_offspring.next_mutation, SCALARS)
tidy = on_device(_genome.tidy, SCALARS)
has_stacks = on_device(_stack.has_stacks, SCALARS)
most_bits = on_device(_advance.most_bits, SCALARS)
value_of = on_device(_advance.value_of, SCALARS)
slot_of = on_device(_advance.slot_of, SCALARS)
hash_of = on_device(_advance.hash_of, SCALARS)
next_word = on_device(_random.next_word, SCALARS)
copy_row = on_device(_genome.copy_row, SCALARS)
descend = on_device(_genome.descend, SCALARS)
size_of = on_device(_genome.size_of, SCALARS)
keep = on_device(_state.keep, SCALARS)
join_front = on_device(_state.join_front, SCALARS)


@device
def is_known(value, values):
    found = 0
    for i in range(cuda.threadIdx.x, values.size, cuda.blockDim.x):
        if values[i] == value:
            found = 1
    return cuda.syncthreads_or(found) != 0


is_welcome = on_device(_advance.is_welcome, {**SCALARS, _advance.is_known: is_known})


@device
def copy_together(source, to):
    for i in range(cuda.threadIdx.x, size_of(source), cuda.blockDim.x):
        to[i] = source[i]


@device
def space_of(kind, about, rates, activations, activation_counts, parts, simple, compound):
    return Space(
        about[INPUTS], about[OUTPUTS], activations[kind, : activation_counts[kind]],
        parts[kind, 0] != 0, parts[kind, 1] != 0, about[MAX_UNITS], about[MAX_CONNECTIONS],
        rates[FURTHER], rates[REDRAW], rates[COMPOUND], rates[CROSSOVER], rates[STACK],
        simple[kind], compound,
    )  # fmt: skip


@device
def start_stream(random, number, stream):
    """Random numbers for one thread: the island's next word, then splitmix64 from there."""
    for k in range(4):
        stream[k] = random[k]
    word = next_word(stream)
    for k in range(4):
        z = word + np.uint64(0x9E3779B97F4A7C15) * np.uint64(4 * number + k + 1)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        stream[k] = z ^ (z >> np.uint64(31))


@device
def batch_begin(steps, population):
    """Where in its generation the batch after so many steps begins and ends; it is never empty."""
    done = steps % population
    batch = (BATCHES * (done + 1) + population - 1) // population - 1
    return population * batch // BATCHES, population * (batch + 1) // BATCHES


@device
def enqueue(
    i, genome, limit, least, encoding, multipliers, scratch, memo_keys, memo_bits, lengths, costs,
    limits, bits, keys, fates, queue, queued,
):  # fmt: skip
    """Weigh an offspring; unless its |D:G| is known or does not matter, it is to be fed."""
    length, cost = weigh(genome, encoding, multipliers, scratch)
    lengths[i] = length
    costs[i] = cost
    most = np.inf
    if multipliers[BY_D] != 0.0:
        most = most_bits(limit, cost, multipliers)
    limits[i] = most
    fates[i] = SETTLED
    if most < least:
        bits[i] = np.inf
        keys[i] = 0
        return
    key = hash_of(genome)
    keys[i] = key
    slot = slot_of(key, memo_keys.size)
    if memo_keys[slot] == key:
        bits[i] = memo_bits[slot]
        return
    fates[i] = TO_FEED
    queue[cuda.atomic.add(queued, 0, 1)] = i


def choose_parents(
    first, islands, about, rates, activations, activation_counts, parts, simple, compound, kinds,
    crowded, genomes, values, random, counters, short, target, children, losers, others, streams,
    made, leasts, bins, binned, fates,
):  # fmt: skip
    """A thread an offspring: draw its parents and what happens to it first; copy its parent."""
    worker = worker_number(cuda.grid(1), about[SPREAD])
    if worker < 0 or worker >= islands * about[WIDTH]:
        return
    number = worker // about[WIDTH]
    slot = worker - number * about[WIDTH]
    island = first + number
    i = island * about[WIDTH] + slot
    fates[i] = ABSENT
    steps = counters[island, STEPS]
    if short[island] != 0 or steps >= target[0]:
        return
    population = about[POPULATION]
    begin, end = batch_begin(steps, population)
    if slot >= end - begin:
        return
    stream = cuda.local.array(4, uint64)
    start_stream(random[island], slot, stream)
    space = space_of(
        kinds[island], about, rates, activations, activation_counts, parts, simple, compound
    )
    stacks = space.stack_rate > 0 and has_stacks(space)
    winner, loser, other, crossing, stacking = draw_parents(
        values[island], population, about[TOURNAMENT], crowded[island] != 0, stacks, stream, space
    )
    parent, donor = genomes[island, winner], genomes[island, other]
    if words_needed(parent, donor, crossing, stacking) > parent.size:
        short[island] = 1
        return
    copy_row(parent, children[i])
    descend(children[i], parent)
    losers[i] = loser
    others[i] = other
    made[i] = 0
    leasts[i] = 1
    fates[i] = SETTLED
    action = CROSS if crossing else STACKING
    if not crossing and not stacking:
        action = next_mutation(0, 1, stream, space)
    place = cuda.atomic.add(binned, (0, action), 1)
    bins[0, action, place] = i - first * about[WIDTH]
    for k in range(4):
        streams[i, k] = stream[k]


@device
def act(action, i, child, donor, stream, space, scratch, made, leasts):
    """Let one thing happen to an offspring; what happens next, or -1."""
    if action == CROSS:
        if cross_over(child, donor, stream, space, scratch):
            leasts[i] = 0
    elif action == STACKING:
        if grow_stack(child, stream, space):
            leasts[i] = 0
    elif apply(action, child, stream, space):
        made[i] += 1
    else:
        return draw_mutation(stream, space)
    return next_mutation(made[i], leasts[i], stream, space)


def change_offspring(
    first, turn, about, rates, activations, activation_counts, parts, simple, compound, kinds,
    genomes, children, plans, others, streams, made, leasts, bins, binned,
):  # fmt: skip
    """A thread an offspring: what happens to it now. A warp has offspring to all of which the same
    happens, so that its threads go the same way through the code."""
    number = worker_number(cuda.grid(1), about[SPREAD])
    if number < 0:
        return
    workers = WARP // about[SPREAD]
    action = 0
    while action < ACTIONS:
        there = (binned[turn, action] + workers - 1) // workers * workers
        if number < there:
            break
        number -= there
        action += 1
    if action == ACTIONS or number >= binned[turn, action]:
        return
    i = first * about[WIDTH] + bins[turn % 2, action, number]
    island = i // about[WIDTH]
    stream = cuda.local.array(4, uint64)
    for k in range(4):
        stream[k] = streams[i, k]
    space = space_of(
        kinds[island], about, rates, activations, activation_counts, parts, simple, compound
    )
    after = action
    while True:
        after = act(
            after, i, children[i], genomes[island, others[i]], stream, space, plans[i, SCRATCH],
            made, leasts,
        )  # fmt: skip
        if after < 0 or turn + 1 < TURNS:
            break
    if after >= 0:
        for k in range(4):
            streams[i, k] = stream[k]
        place = cuda.atomic.add(binned, (turn + 1, after), 1)
        bins[(turn + 1) % 2, after, place] = i - first * about[WIDTH]


def finish_offspring(
    first, islands, about, rates, values, encoding, multipliers, memo_keys, memo_bits, children,
    plans, losers, lengths, costs, limits, bits, keys, fates, queue, queued,
):  # fmt: skip
    """A thread an offspring: tidy and weigh it."""
    worker = worker_number(cuda.grid(1), about[SPREAD])
    if worker < 0 or worker >= islands * about[WIDTH]:
        return
    number = worker // about[WIDTH]
    slot = worker - number * about[WIDTH]
    island = first + number
    i = island * about[WIDTH] + slot
    if fates[i] == ABSENT:
        return
    child = children[i]
    if rates[COMPOUND] > 0:
        tidy(child, about[INPUTS] + about[OUTPUTS], plans[i, SCRATCH])
    limit = values[island, losers[i]] if about[ELITIST] != 0 else np.inf
    enqueue(
        i, child, limit, rates[LEAST_BITS], encoding, multipliers, plans[i, SCRATCH],
        memo_keys[island], memo_bits[island], lengths, costs, limits, bits, keys, fates, queue,
        queued,
    )  # fmt: skip


@device
def remember(first, count, fates, keys, limits, bits, memo_keys, memo_bits):
    """Keep what was fed in the memo; how many were known before."""
    hits = 0
    for i in range(first, first + count):
        if fates[i] == SETTLED and keys[i] != 0:
            hits += 1
        if fates[i] == TO_FEED and (bits[i] < np.inf or limits[i] == np.inf):
            slot = slot_of(keys[i], memo_keys.size)
            memo_keys[slot] = keys[i]
            memo_bits[slot] = bits[i]
    return hits


def replace_losers(
    first_island, about, genomes, values, lengths, bits, random, counters, best_value, front,
    front_lengths, front_bits, short, target, multipliers, memo_keys, memo_bits, children, losers,
    child_lengths, costs, limits, child_bits, keys, fates, queued, binned,
):  # fmt: skip
    """A block an island: its offspring take their places one after the other."""
    island = first_island + cuda.blockIdx.x
    first_thread = cuda.threadIdx.x == 0
    if cuda.blockIdx.x == 0 and first_thread:
        queued[0] = 0
        queued[1] = 0
        queued[2] = 0
        for turn in range(TURNS):
            for action in range(ACTIONS):
                binned[turn, action] = 0
    steps = counters[island, STEPS]
    if short[island] != 0 or steps >= target[0]:
        return
    begin, end = batch_begin(steps, about[POPULATION])
    first = island * about[WIDTH]
    state = State(
        genomes[island], values[island], lengths[island], bits[island], random[island],
        counters[island], best_value[island], front[island], front_lengths[island],
        front_bits[island],
    )  # fmt: skip
    for slot in range(end - begin):
        i = first + slot
        loser = losers[i]
        value = value_of(costs[i], child_bits[i], multipliers)
        if multipliers[BY_D] == 0.0:
            value = costs[i]
        if is_welcome(value, state.values, loser, about[ELITIST] != 0, about[DISTINCT] != 0):
            copy_together(children[i], state.genomes[loser])
            cuda.syncthreads()
            if first_thread:
                state.counters[STEPS] = steps + slot + 1
                keep(state, loser, children[i], child_lengths[i], child_bits[i], value)
            cuda.syncthreads()
    cuda.syncthreads()
    if first_thread:
        hits = remember(
            first, end - begin, fates, keys, limits, child_bits, memo_keys[island],
            memo_bits[island],
        )  # fmt: skip
        state.counters[STEPS] = steps + end - begin
        state.counters[EVALUATIONS] += end - begin
        state.counters[HITS] += hits
        next_word(state.random)


def draw_networks(
    first, islands, about, rates, activations, activation_counts, parts, simple, compound, kinds,
    random, restart, begin, end, attempt, given, founders, encoding, multipliers, memo_keys,
    memo_bits, children, plans, pending, lengths, costs, limits, bits, keys, fates, queue, queued,
):  # fmt: skip
    """A thread a place, begin..end, of an island that starts: a founder or a random network."""
    worker = worker_number(cuda.grid(1), about[SPREAD])
    if worker < 0 or worker >= islands * about[WIDTH]:
        return
    number = worker // about[WIDTH]
    slot = worker - number * about[WIDTH]
    island = first + number
    i = island * about[WIDTH] + slot
    place = begin + slot
    fates[i] = ABSENT
    if attempt == 0:
        pending[i] = 1 if restart[island] != 0 and place < end else 0
    if pending[i] == 0:
        return
    child = children[i]
    if place < given.shape[1] and given[island, place] >= 0:
        copy_row(founders[given[island, place]], child)
    else:
        stream = cuda.local.array(4, uint64)
        start_stream(random[island], place * TRIES + attempt, stream)
        space = space_of(
            kinds[island], about, rates, activations, activation_counts, parts, simple, compound
        )
        new_network(child, stream, space)
    enqueue(
        i, child, np.inf, rates[LEAST_BITS], encoding, multipliers, plans[i, SCRATCH],
        memo_keys[island], memo_bits[island], lengths, costs, limits, bits, keys, fates, queue,
        queued,
    )  # fmt: skip


def settle_networks(
    first_island, about, rates, genomes, values, lengths, bits, random, counters, best_value, front,
    front_lengths, front_bits, restart, begin, end, attempt, given, multipliers, memo_keys,
    memo_bits, children, pending, child_lengths, costs, limits, child_bits, keys, fates, queued,
    left,
):  # fmt: skip
    """A block an island that starts: its new networks, those apart that are drawn again."""
    island = first_island + cuda.blockIdx.x
    first_thread = cuda.threadIdx.x == 0
    if cuda.blockIdx.x == 0 and first_thread:
        queued[0] = 0
        queued[1] = 0
        queued[2] = 0
    if restart[island] == 0:
        return
    if first_thread and begin == 0 and attempt == 0:
        best_value[island, 0] = np.inf
    cuda.syncthreads()
    first = island * about[WIDTH]
    founding = rates[COMPOUND] > 0
    state = State(
        genomes[island], values[island], lengths[island], bits[island], random[island],
        counters[island], best_value[island], front[island], front_lengths[island],
        front_bits[island],
    )  # fmt: skip
    for place in range(begin, end):
        i = first + place - begin
        if pending[i] == 0:
            continue
        value = value_of(costs[i], child_bits[i], multipliers)
        if multipliers[BY_D] == 0.0:
            value = costs[i]
        is_given = place < given.shape[1] and given[island, place] >= 0
        cuda.syncthreads()
        if value < np.inf or is_given or not founding or attempt == TRIES - 1:
            copy_together(children[i], state.genomes[place])
            cuda.syncthreads()
            if first_thread:
                keep(state, place, children[i], child_lengths[i], child_bits[i], value)
                pending[i] = 0
        elif first_thread:
            cuda.atomic.add(left, 0, 1)
        if first_thread:
            state.counters[EVALUATIONS] += 1
        cuda.syncthreads()
    if first_thread:
        remember(
            first, end - begin, fates, keys, limits, child_bits, memo_keys[island],
            memo_bits[island],
        )  # fmt: skip


def end_restarts(restart, random):
    """The islands that started go on with other random numbers."""
    for island in range(cuda.grid(1), restart.size, cuda.gridsize(1)):
        if restart[island] != 0:
            next_word(random[island])
            restart[island] = 0


@device
def best_after(values, value, place):
    """The place of the next best network after that one; ties by place."""
    best = -1
    for i in range(values.size):
        later = values[i] > value or (values[i] == value and i > place)
        if later and (best < 0 or values[i] < values[best]):
            best = i
    return best


@device
def worst_places(values, count, places):
    """The places of the worst networks, the worst last; ties by place."""
    value, place = np.inf, values.size
    for k in range(count):
        worst = -1
        for i in range(values.size):
            before = values[i] < value or (values[i] == value and i < place)
            if before and (worst < 0 or values[i] >= values[worst]):
                worst = i
        places[count - 1 - k] = worst
        value, place = values[worst], worst


def collect_offers(
    about, members, genomes, values, lengths, bits, offers, offered_values, offered_lengths,
    offered_bits,
):  # fmt: skip
    """A thread a member: copy the best networks of its island."""
    for number in range(cuda.grid(1), members.size, cuda.gridsize(1)):
        island = members[number]
        value, place = -np.inf, -1
        for k in range(about[MIGRATION_SIZE]):
            place = best_after(values[island], value, place)
            value = values[island, place]
            copy_row(genomes[island, place], offers[number, k])
            offered_values[number, k] = value
            offered_lengths[number, k] = lengths[island, place]
            offered_bits[number, k] = bits[island, place]


def receive_offers(
    about, homes, givers, fits, genomes, values, lengths, bits, counters, best_value, front,
    front_lengths, front_bits, offers, offered_values, offered_lengths, offered_bits, worst,
):  # fmt: skip
    """A thread a home: the networks offered to it, as far as they fit, for its worst.

    Row h of `givers` has the places among the offers that home h receives from, -1 for none.
    """
    for number in range(cuda.grid(1), homes.size, cuda.gridsize(1)):
        island = homes[number]
        for g in range(givers.shape[1]):
            giver = givers[number, g]
            if giver < 0:
                continue
            worst_places(values[island], about[MIGRATION_SIZE], worst[number])
            for k in range(about[MIGRATION_SIZE]):
                if fits[giver, k] == 0:
                    continue
                i = worst[number, k]
                copy_row(offers[giver, k], genomes[island, i])
                value = offered_values[giver, k]
                values[island, i] = value
                lengths[island, i] = offered_lengths[giver, k]
                bits[island, i] = offered_bits[giver, k]
                best_value[island, 0] = min(best_value[island, 0], value)
                join_front(
                    genomes[island, i], lengths[island, i], bits[island, i], counters[island],
                    front[island], front_lengths[island], front_bits[island],
                )  # fmt: skip


def find_stagnant(counters, waits, restart):
    for island in range(cuda.grid(1), restart.size, cuda.gridsize(1)):
        waited = counters[island, STEPS] - counters[island, IMPROVED_AT]
        restart[island] = 1 if waited >= waits[island] else 0


def find_best(values, places, found):
    """A thread an island: where its best network is, the first of equals."""
    for island in range(cuda.grid(1), places.size, cuda.gridsize(1)):
        place = best_after(values[island], -np.inf, -1)
        places[island] = place
        found[island] = values[island, place]


def copy_rows(source, to):
    """Rows of one width to rows of another; what a network uses must fit."""
    for i in range(cuda.blockIdx.x, source.shape[0], cuda.gridDim.x):
        for k in range(cuda.threadIdx.x, min(source.shape[1], to.shape[1]), cuda.blockDim.x):
            to[i, k] = source[i, k]


choose_kernel = kernel(choose_parents)
change_kernel = kernel(change_offspring)
finish_kernel = kernel(finish_offspring)
replace_kernel = kernel(replace_losers)
draw_kernel = kernel(draw_networks)
settle_kernel = kernel(settle_networks)
end_restarts_kernel = kernel(end_restarts)
collect_kernel = kernel(collect_offers)
receive_kernel = kernel(receive_offers)
stagnant_kernel = kernel(find_stagnant)
best_kernel = kernel(find_best)
copy_rows_kernel = kernel(copy_rows)
