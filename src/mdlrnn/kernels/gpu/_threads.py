"""Teams of a card's threads, rows of arrays, and scalars rounded as on the CPU."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from numba import float64

from .. import _activations
from .. import _activations as _loops
from .._activations import LINEAR, RELU, SATURATION, floor, log2, log2_parts
from .._compile import source_of
from .._genome import PRODUCT
from ._cuda import SIMULATED, WARP, cuda, device, intrinsic, libdevice, on_device, renamed

GLOBAL, SHARED = 1, 3
"""The card's memory and a block's, as the compiler numbers them."""


def _rows_in(space: int) -> Any:
    if SIMULATED:
        return lambda array: array.reshape(-1)
    from llvmlite import ir

    @intrinsic  # type: ignore[untyped-decorator]
    def one_row(typing: Any, array: Any) -> Any:
        row = array.copy(ndim=1, layout="C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = context.make_array(array)(context, builder, value=arguments[0])
            there = ir.PointerType(context.get_data_type(array.dtype), space)
            start = builder.ptrtoint(builder.addrspacecast(given.data, there), ir.IntType(64))
            # What comes out of an assembler's line may be anything, as far as the compiler knows.
            same = ir.FunctionType(start.type, [start.type])
            start = builder.asm(same, "mov.u64 $0, $1;", "=l,l", [start], False)
            made = context.make_array(row)(context, builder)
            context.populate_array(
                made,
                data=builder.addrspacecast(builder.inttoptr(start, there), given.data.type),
                shape=[given.nitems],
                strides=[given.itemsize],
                itemsize=given.itemsize,
                meminfo=None,
            )
            return made._getvalue()

        return row(array), generate

    return one_row


one_row: Any = _rows_in(GLOBAL)
"""All numbers of an array in the card's memory, as one row."""
one_row_of_block: Any = _rows_in(SHARED)
"""The same for an array that the threads of a block share."""


TEAM, TEAMS = 4, 1
"""Threads that feed a network, and such teams in a block. `feed_kernel` puts others in their place,
and functions for teams within a warp in the place of those for a whole block."""


def lane():
    """The thread's number in its team."""
    return cuda.threadIdx.x


def team_number():
    return 0


def sync():
    """Let the team's threads wait for each other."""
    cuda.syncthreads()


def any_of(flag):
    return cuda.syncthreads_or(flag) != 0


def sum_of(x):
    """The sum over the team, the same for all of its threads and always in the same order."""
    parts = cuda.shared.array(TEAM, float64)
    here = cuda.threadIdx.x
    parts[here] = x
    cuda.syncthreads()
    half = TEAM // 2
    while half > 0:
        if here < half:
            parts[here] += parts[here + half]
        cuda.syncthreads()
        half //= 2
    total = parts[0]
    cuda.syncthreads()
    return total


# The same for teams that are a warp or a part of one.


def lane_of_warp():
    return cuda.threadIdx.x & (TEAM - 1)


def team_of_block():
    return cuda.threadIdx.x // TEAM


def members():
    """A bit for each thread of the warp that is in the team."""
    return ((1 << TEAM) - 1) << (cuda.threadIdx.x & (WARP - TEAM))


def sync_warp():
    cuda.syncwarp(members())


def any_of_warp(flag):
    return cuda.any_sync(members(), flag != 0)


def sum_of_warp(x):
    half = TEAM // 2
    while half > 0:
        x += cuda.shfl_xor_sync(members(), x, half)
        half //= 2
    return x


IN_WARP = {
    "lane": lane_of_warp, "team_number": team_of_block, "sync": sync_warp, "any_of": any_of_warp,
    "sum_of": sum_of_warp, "members": members,
}  # fmt: skip
IN_BLOCK = {
    "lane": lane, "team_number": team_number, "sync": sync, "any_of": any_of, "sum_of": sum_of,
}  # fmt: skip


if SIMULATED:

    def times(a: float, b: float) -> float:
        return a * b

    bits_of, float_of = _activations.bits_of, _activations.float_of
    SCALARS: dict[Any, Any] = {}
else:

    @device
    def times(a: float, b: float) -> float:
        """The product rounded before anything is added to it, as on the CPU."""
        return libdevice.dmul_rn(a, b)

    @device
    def bits_of(x: float) -> int:
        return libdevice.double_as_longlong(x)

    @device
    def float_of(bits: int) -> float:
        return libdevice.longlong_as_double(bits)

    @device
    def _floor(x: float) -> float:
        return libdevice.floor(x)

    SCALARS = {_activations.bits_of: bits_of, _activations.float_of: float_of, floor: _floor}

respond = on_device(_activations.respond, SCALARS)
log2_here = on_device(log2, SCALARS)
parts_here = on_device(log2_parts, SCALARS)
bias_of = on_device(_loops.bias_of, SCALARS)


@device
def together(product, received, weight, value):
    """What a unit has received and one input more."""
    if product:
        return received * times(weight, value)
    return received + times(weight, value)


@device
def mended(product):
    """Infinity times 0 is 0."""
    return product if product == product else 0.0


def _activated(respond: Any, most: float) -> Any:
    @device
    def activated(activation, x):
        """The activation of a sum, which is cut to ±most first.

        No value is NaN, since sums are finite and products are mended. So what is compared is a
        number, and a plain choice is what `min` and `max` are on the CPU, in a third of the
        instructions.
        """
        if abs(x) > most:
            x = math.copysign(most, x)
        if activation == LINEAR or activation == RELU:
            return 0.0 if activation == RELU and x < 0.0 else x
        return respond(activation, x)

    return activated


class Finishing(NamedTuple):
    """What becomes of what a unit has received, where sums are cut to ±most."""

    most: float
    finished: Any
    """Of its code, what it has received, and its bias: its value."""
    activated_inside: Any
    """Of its activation and its sum: its value. It is copied into the loop that needs it most: a
    call is thirty instructions."""


@cache
def finishing(most: float) -> Finishing:
    activated = _activated(respond, most)

    @device
    def finished(code, received, bias):
        if code >= PRODUCT:
            received = mended(received)
        return activated(code & (PRODUCT - 1), received + bias)

    inside = on_device(renamed(source_of(_activations.respond), "inside"), SCALARS)
    return Finishing(most, finished, _activated(inside, most))


MOST, finished, activated_inside = finishing(SATURATION)
"""`feed_kernel` puts others in their place where saturation is off."""
