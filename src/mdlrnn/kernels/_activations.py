"""The activations, compiled, and the loops over stretches of entries that use them.

Each activation has a branch; a missing one is an error at import.
"""

from __future__ import annotations

import numpy as np

from ..network import ACTIVATIONS
from ._arithmetic import exp, floor, tanh
from ._compile import compiled, source_of
from ._genome import HEADER, PRODUCT, UNIT_WORDS, Floats, Indices, Words

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
