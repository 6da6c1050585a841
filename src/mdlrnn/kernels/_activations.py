"""The numbers of a search that LLVM can vectorise: exp, log2 and the like without a library call,
the activations, and the loops over stretches of entries that use them.

The scalar helpers are tested to 1e-12 against `math`. They use the bits of a float64, which Numba
reaches through an intrinsic and plain Python (when Numba is switched off) through `struct`. Each
activation has a branch; a missing one is an error at import.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numba import types
from numba.core import config
from numba.extending import intrinsic

from ..network import ACTIVATIONS
from ._compile import compiled, source_of
from ._genome import HEADER, PRODUCT, UNIT_WORDS, Floats, Indices, Words

if config.DISABLE_JIT:

    def bits_of(x: float) -> int:
        return struct.unpack("<q", struct.pack("<d", x))[0]

    def float_of(bits: int) -> float:
        return struct.unpack("<d", struct.pack("<q", int(bits)))[0]

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def bits_of(typing: Any, x: Any) -> Any:
        """The bits of a float64, as an int64."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(types.int64))

        return types.int64(types.float64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def float_of(typing: Any, bits: Any) -> Any:
        """The float64 with these bits."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(types.float64))

        return types.float64(types.int64), generate


LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
ROUNDER = 6755399441055744.0
"""1.5 * 2^52: adding it leaves the nearest integer in the low bits of the sum."""
EXP_OVERFLOW = 709.782712893384
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD


@compiled
def floor(x: float) -> float:
    """Rounded down, as a float."""
    return np.floor(x)


@compiled
def exp(x: float) -> float:
    """e^x; infinite beyond the float64 range, and never below e^-708 (all callers add it to 1)."""
    clipped = min(max(x, -708.0), EXP_OVERFLOW)
    shifted = clipped * LOG2_E + ROUNDER
    k = shifted - ROUNDER
    r = (clipped - k * LN2_HIGH) - k * LN2_LOW
    # Taylor series on |r| <= 0.3466: the term left out is below 2e-17.
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    # 2^k in two factors, since 2^1024 is no float64. The low bits of `shifted` hold k.
    whole = bits_of(shifted) - bits_of(ROUNDER)
    half = whole >> 1
    scaled = p * float_of((half + 1023) << 52) * float_of((whole - half + 1023) << 52)
    return np.inf if x > EXP_OVERFLOW else scaled


@compiled
def tanh(x: float) -> float:
    """Near 0, where the difference would lose digits, Lambert's continued fraction."""
    if abs(x) > 0.25:
        return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
    t = x * x
    return x / (1.0 + t / (3.0 + t / (5.0 + t / (7.0 + t / (9.0 + t / 11.0)))))


@compiled
def log2_parts(x: float) -> tuple[int, float]:
    """(k, m) with x = m * 2^k and m in [sqrt(1/2), sqrt(2)), for x positive and normal."""
    bits = bits_of(x)
    k = (bits - SQRT_HALF_BITS) >> 52
    return k, float_of(bits - (k << 52))


@compiled
def log2(x: float) -> float:
    """log2 of a positive normal float64."""
    k, m = log2_parts(x)
    s = (m - 1.0) / (m + 1.0)
    t = s * s
    # 2 atanh(s) / ln 2; the first term left out is below 1e-17.
    p = 1.0 / 19.0
    p = p * t + 1.0 / 17.0
    p = p * t + 1.0 / 15.0
    p = p * t + 1.0 / 13.0
    p = p * t + 1.0 / 11.0
    p = p * t + 1.0 / 9.0
    p = p * t + 1.0 / 7.0
    p = p * t + 1.0 / 5.0
    p = p * t + 1.0 / 3.0
    p = p * t + 1.0
    return k + 2.0 * LOG2_E * (s * p)


@compiled
def integer_length(n: int) -> int:
    """Bits in the binary form of n, 0 <= n <= 2^53."""
    return (bits_of(float(n)) >> 52) - 1022 if n > 0 else 0


SATURATION = 1e6
LINEAR, RELU, SIGMOID, SQUARE, FLOOR, STEP, MOD2, MOD3, TANH, ABS, MOD4 = (
    ACTIVATIONS[name].code
    for name in (
        "linear", "relu", "sigmoid", "square", "floor", "step", "mod2", "mod3", "tanh", "abs",
        "mod4",
    )
)  # fmt: skip


@compiled
def saturate(x: float, most: float) -> float:
    return min(max(x, -most), most)


@compiled
def activate_one(code: int, x: float, most: float) -> float:
    return respond(code, saturate(x, most))


@compiled
def respond(code: int, x: float) -> float:
    """The activation of a sum that has been cut."""
    if code == LINEAR:
        return x
    if code == RELU:
        return max(x, 0.0)
    if code == SIGMOID:
        return 1.0 / (1.0 + exp(-x))
    if code == SQUARE:
        return x * x
    if code == FLOOR:
        return floor(x)
    if code == STEP:
        return 1.0 if x > 0.0 else 0.0
    if code == MOD2:
        return mod2(x)
    if code == MOD3:
        return mod3(x)
    if code == TANH:
        return tanh(x)
    if code == ABS:
        return abs(x)
    if code == MOD4:
        return mod4(x)
    return np.nan


@compiled
def mod2(x: float) -> float:
    return x - 2.0 * floor(x * 0.5)


@compiled
def mod4(x: float) -> float:
    return x - 4.0 * floor(x * 0.25)


@compiled
def mod3(x: float) -> float:
    """x modulo 3 in [0, 3): the quotient may round up, which the last line mends."""
    r = x - 3.0 * floor(x / 3.0)
    return r + 3.0 if r < 0.0 else r


@compiled
def activate(code: int, x: Floats, bias: float, most: float) -> None:
    """Add the bias, cut to ±most, apply the activation, in place."""
    n = x.size
    if code == LINEAR:
        for i in range(n):
            x[i] = saturate(x[i] + bias, most)
    elif code == RELU:
        for i in range(n):
            x[i] = max(saturate(x[i] + bias, most), 0.0)
    elif code == SIGMOID:
        for i in range(n):
            x[i] = 1.0 / (1.0 + exp(-saturate(x[i] + bias, most)))
    elif code == SQUARE:
        for i in range(n):
            y = saturate(x[i] + bias, most)
            x[i] = y * y
    elif code == FLOOR:
        for i in range(n):
            x[i] = floor(saturate(x[i] + bias, most))
    elif code == STEP:
        for i in range(n):
            x[i] = 1.0 if x[i] + bias > 0.0 else 0.0
    elif code == MOD2:
        for i in range(n):
            x[i] = mod2(saturate(x[i] + bias, most))
    elif code == MOD3:
        for i in range(n):
            x[i] = mod3(saturate(x[i] + bias, most))
    else:
        for i in range(n):
            x[i] = activate_one(code, x[i] + bias, most)


def _check_branches() -> None:
    """Every activation has its branch; one without would be NaN everywhere."""
    named = source_of(respond).__code__.co_names
    missing = [name for name in ACTIVATIONS if name.upper() not in named]
    if missing:
        raise NotImplementedError(f"respond has no branch for {', '.join(missing)}")


_check_branches()


@compiled
def fill(into: Floats, value: float) -> None:
    """A loop: the slice assignment would compile all of its error handling."""
    for i in range(into.size):
        into[i] = value


@compiled
def spread(into: Floats, table: Floats, at: Indices) -> None:
    for i in range(into.size):
        into[i] = table[at[i]]


@compiled
def take(product: bool, into: Floats, weight: float, values: Floats) -> None:
    if product:
        for i in range(into.size):
            into[i] *= weight * values[i]
    else:
        for i in range(into.size):
            into[i] += weight * values[i]


@compiled
def take_at(product: bool, into: Floats, weight: float, values: Floats, at: Indices) -> None:
    if product:
        for i in range(into.size):
            into[i] *= weight * values[at[i]]
    else:
        for i in range(into.size):
            into[i] += weight * values[at[i]]


@compiled
def mend_product(x: Floats) -> None:
    """Infinity times 0 is 0: only overflow on the way made it NaN."""
    for i in range(x.size):
        x[i] = x[i] if x[i] == x[i] else 0.0


@compiled
def bias_of(genome: Words, unit: int) -> float:
    at = HEADER + UNIT_WORDS * unit
    return genome[at + 1] / genome[at + 2]


@compiled
def finish(unit: int, into: Floats, genome: Words, most: float) -> None:
    code = genome[HEADER + UNIT_WORDS * unit]
    if code >= PRODUCT:
        mend_product(into)
    activate(code % PRODUCT, into, bias_of(genome, unit), most)
