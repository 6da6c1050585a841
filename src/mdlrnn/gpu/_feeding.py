"""Feeding and scoring networks on a card: a block of threads a network.

`surprisal` and all that it calls are the CPU's. The loops over entries have twins here, in which
each thread takes every so many-th entry; all threads go through everything else side by side. Sums
over threads are taken in a fixed order, so that a card repeats itself exactly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float64

from ..kernels import _activations, _contexts, _evaluate, _feed, _loops, _plan, _surprisal
from ..kernels._arithmetic import bits_of, float_of, floor, log2, log2_parts
from ..kernels._length import encoded_length, weight_norms
from ..kernels._plan import RESOLUTION, SCRATCH
from ..kernels._surprisal import LEAST_NORMAL, LEAST_TOTAL
from ..kernels._tree import CHUNK, Links, Tree
from ..kernels._workspace import Workspace
from ._cuda import SIMULATED, cuda, device, kernel, on_device

MOST_THREADS = 256
"""Threads of a block."""
# Numbers that every kernel reads, by their places.
INPUTS, OUTPUTS, FULL, MAX_UNITS, MAX_CONNECTIONS = 0, 1, 2, 3, 4
POPULATION, TOURNAMENT, DISTINCT, ELITIST, WIDTH, MIGRATION_SIZE = 5, 6, 7, 8, 9, 10
ABOUT = 11

if SIMULATED:

    def times(a: float, b: float) -> float:
        return a * b

    SCALARS: dict[Any, Any] = {}
else:
    from numba.cuda import libdevice

    @device
    def times(a: float, b: float) -> float:
        """The product rounded before anything is added to it, as on the CPU."""
        return libdevice.dmul_rn(a, b)

    @device
    def _bits_of(x: float) -> int:
        return libdevice.double_as_longlong(x)

    @device
    def _float_of(bits: int) -> float:
        return libdevice.longlong_as_double(bits)

    @device
    def _floor(x: float) -> float:
        return libdevice.floor(x)

    SCALARS = {bits_of: _bits_of, float_of: _float_of, floor: _floor}

activate_one = on_device(_activations.activate_one, SCALARS)
log2_here = on_device(log2, SCALARS)
parts_here = on_device(log2_parts, SCALARS)
make_plan = on_device(_plan.make_plan, SCALARS)
length_of = on_device(encoded_length, SCALARS)
norms_of = on_device(weight_norms, SCALARS)


@device
def fill(into, value):  # type: ignore[no-untyped-def]
    for i in range(cuda.threadIdx.x, into.size, cuda.blockDim.x):
        into[i] = value
    cuda.syncthreads()


@device
def spread(into, table, at):  # type: ignore[no-untyped-def]
    for i in range(cuda.threadIdx.x, into.size, cuda.blockDim.x):
        into[i] = table[at[i]]
    cuda.syncthreads()


@device
def take(product, into, weight, values):  # type: ignore[no-untyped-def]
    for i in range(cuda.threadIdx.x, into.size, cuda.blockDim.x):
        if product:
            into[i] *= times(weight, values[i])
        else:
            into[i] += times(weight, values[i])
    cuda.syncthreads()


@device
def take_at(product, into, weight, values, at):  # type: ignore[no-untyped-def]
    for i in range(cuda.threadIdx.x, into.size, cuda.blockDim.x):
        if product:
            into[i] *= times(weight, values[at[i]])
        else:
            into[i] += times(weight, values[at[i]])
    cuda.syncthreads()


@device
def mend_product(x):  # type: ignore[no-untyped-def]
    for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
        x[i] = x[i] if x[i] == x[i] else 0.0
    cuda.syncthreads()


@device
def activate(code, x, bias):  # type: ignore[no-untyped-def]
    for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
        x[i] = activate_one(code, x[i] + bias)
    cuda.syncthreads()


@device
def count_along(  # type: ignore[no-untyped-def]
    code, weight, bias, begin, end, roots, x, parents, levels
):
    """Level by level: the threads take a level's nodes together."""
    level = 0
    while levels[level + 1] <= begin:
        level += 1
    start = begin
    while start < end:
        stop = min(end, levels[level + 1])
        for i in range(start + cuda.threadIdx.x, stop, cuda.blockDim.x):
            received = x[i]
            if start >= roots:
                received += times(weight, x[parents[i]])
            x[i] = activate_one(code, received + bias)
        cuda.syncthreads()
        start = stop
        level += 1


@device
def output_at(unit, r, node, plan, values, links):  # type: ignore[no-untyped-def]
    q = plan[RESOLUTION, unit]
    at = node if q == r else links.entries[links.same_offsets[r, q] + node]
    return max(values[unit, at], 0.0)


@device
def set_chances(  # type: ignore[no-untyped-def]
    inputs, outputs, r, begin, end, plan, values, chances, links
):
    for i in range(cuda.threadIdx.x, end - begin, cuda.blockDim.x):
        if outputs == 1:
            p = min(output_at(inputs, r, begin + i, plan, values, links), 1.0)
            chances[i] = 1.0 - p
            chances[CHUNK + i] = p
            continue
        total = 0.0
        for t in range(outputs):
            chance = output_at(inputs + t, r, begin + i, plan, values, links)
            chances[t * CHUNK + i] = chance
            total += chance
        if total <= LEAST_TOTAL:
            total = float(outputs)
            for t in range(outputs):
                chances[t * CHUNK + i] = 1.0
        chances[outputs * CHUNK + i] = total
    cuda.syncthreads()


@device
def sum_of_threads(x):  # type: ignore[no-untyped-def]
    """The sum over the block's threads, the same for all of them and always in the same order."""
    parts = cuda.shared.array(MOST_THREADS, float64)
    here = cuda.threadIdx.x
    parts[here] = x
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if here < half:
            parts[here] += parts[here + half]
        cuda.syncthreads()
        half //= 2
    total = parts[0]
    cuda.syncthreads()
    return total


@device
def chunk_bits(chances, items, weights, start, buffer):  # type: ignore[no-untyped-def]
    """As on the CPU, items that count once are multiplied first, here by each thread its own."""
    impossible = 0
    for i in range(start[0] + cuda.threadIdx.x, start[3], cuda.blockDim.x):
        if not chances[items[i]] > 0.0:
            impossible = 1
    if cuda.syncthreads_or(impossible):
        return math.inf
    bits = 0.0
    for side in range(2):
        product = 1.0
        exponents = 0
        for i in range(start[side] + cuda.threadIdx.x, start[side + 1], cuda.blockDim.x):
            chance = chances[items[i]]
            if chance < LEAST_NORMAL:
                bits -= weights[i] * math.log2(chance)
            else:
                k, m = parts_here(chance)
                exponents += k
                product *= m
        once = exponents + log2_here(product)
        bits += once if side == 1 else -once
    for i in range(start[2] + cuda.threadIdx.x, start[3], cuda.blockDim.x):
        chance = chances[items[i]]
        if chance < LEAST_NORMAL:
            bits -= weights[i] * math.log2(chance)
        else:
            bits -= weights[i] * log2_here(chance)
    return sum_of_threads(bits)


@device
def planned(genome, inputs, outputs, full, plan, weights, reach):  # type: ignore[no-untyped-def]
    """In place of `make_plan`: plans are made before, a thread a network."""


TWINS = {
    **SCALARS,
    _loops.fill: fill,
    _loops.spread: spread,
    _loops.take: take,
    _loops.take_at: take_at,
    _loops.mend_product: mend_product,
    _activations.activate: activate,
    _feed.count_along: count_along,
    _surprisal.set_chances: set_chances,
    _surprisal.chunk_bits: chunk_bits,
    _plan.make_plan: planned,
}
"""What is done otherwise on a card than on the CPU; all else is the same text."""
surprisal = on_device(_surprisal.surprisal, TWINS)


def plan_networks(  # type: ignore[no-untyped-def]
    about, words, starts, queue, queued, plans, weights, reach
):
    """A thread a network of the queue: its plan."""
    for q in range(cuda.grid(1), queued[0], cuda.gridsize(1)):
        i = queue[q]
        genome = words[starts[i] : starts[i + 1]]
        make_plan(
            genome, about[INPUTS], about[OUTPUTS], about[FULL], plans[i], weights[i], reach[i]
        )


def feed_networks(  # type: ignore[no-untyped-def]
    about, sizes, rows, entries, same_offsets, previous_offsets, root_counts, levels, chunks,
    chunk_start, items, item_weights, item_start, lower_bounds, words, starts, queue, queued,
    plans, weights, reach, values, tables, chances, limits, bits,
):  # fmt: skip
    """A block a network of the queue: its |D:G|. Blocks take the next one when they are done."""
    links = Links(entries, same_offsets, previous_offsets, root_counts)
    tree = Tree(
        about[INPUTS], about[OUTPUTS], about[FULL], sizes, rows, links, levels, chunks,
        chunk_start, items, item_weights, item_start, lower_bounds,
    )  # fmt: skip
    block = cuda.blockIdx.x
    taken = cuda.shared.array(1, np.int64)
    while True:
        if cuda.threadIdx.x == 0:
            taken[0] = cuda.atomic.add(queued, 1, 1)
        cuda.syncthreads()
        q = taken[0]
        cuda.syncthreads()
        if q >= queued[0]:
            return
        i = queue[q]
        work = Workspace(
            plans[i], weights[i], reach[i], values[block], tables[block], chances[block],
            chances[block],
        )  # fmt: skip
        genome = words[starts[i] : starts[i + 1]]
        found = surprisal(genome, tree, work, limits[i])
        if cuda.threadIdx.x == 0:
            bits[i] = found


def weigh_networks(  # type: ignore[no-untyped-def]
    words, starts, count, encoding, plans, lengths, norms
):
    """A thread a network: |G|, L1 and L2."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        genome = words[starts[i] : starts[i + 1]]
        lengths[i] = length_of(genome, encoding, plans[i, SCRATCH])
        norms[0, i], norms[1, i] = norms_of(genome)


plan_kernel = kernel(plan_networks)
feed_kernel = kernel(feed_networks)
weigh_kernel = kernel(weigh_networks)
weigh = on_device(_evaluate.weigh, SCALARS)
