"""What a thread computes alone: products rounded as on the CPU, activations, logarithms."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from ..kernels import _activations, _arithmetic, _loops
from ..kernels._activations import LINEAR, RELU, SATURATION
from ..kernels._arithmetic import floor, log2, log2_parts
from ..kernels._compile import source_of
from ..kernels._genome import PRODUCT
from ._cuda import SIMULATED, device, libdevice, on_device, renamed

if SIMULATED:

    def times(a: float, b: float) -> float:
        return a * b

    bits_of, float_of = _arithmetic.bits_of, _arithmetic.float_of
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

    SCALARS = {_arithmetic.bits_of: bits_of, _arithmetic.float_of: float_of, floor: _floor}

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
