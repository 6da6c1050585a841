"""What a thread computes alone: products rounded as on the CPU, activations, logarithms."""

from __future__ import annotations

from typing import Any

from ..kernels import _activations, _loops
from ..kernels._activations import LINEAR, RELU, SATURATION
from ..kernels._arithmetic import bits_of, float_of, floor, log2, log2_parts
from ..kernels._genome import PRODUCT
from ._cuda import SIMULATED, device, on_device

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

respond = on_device(_activations.respond, SCALARS)
saturate = on_device(_activations.saturate, SCALARS)
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
def finished(code, received, bias):
    """`finish` for one entry."""
    if code >= PRODUCT and received != received:
        received = 0.0
    x = saturate(received + bias, SATURATION)
    activation = code & (PRODUCT - 1)
    if activation == LINEAR:
        return x
    if activation == RELU:
        return max(x, 0.0)
    return respond(activation, x)
