"""Random numbers for islands: xoshiro256++ over four uint64 words that each island owns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled

Random = NDArray[np.uint64]
"""The state, four words, not all zero."""

_TO_UNIT = 1.0 / (1 << 53)


@compiled
def _rotate(x: np.uint64, by: int) -> np.uint64:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@compiled
def next_word(state: Random) -> np.uint64:
    result = _rotate(state[0] + state[3], 23) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotate(state[3], 45)
    return result


@compiled
def uniform(state: Random) -> float:
    """In [0, 1)."""
    return (next_word(state) >> np.uint64(11)) * _TO_UNIT


@compiled
def below(state: Random, n: int) -> int:
    """0 .. n-1, all but equally likely."""
    return int(uniform(state) * n)


@compiled
def geometric(state: Random, p: float) -> int:
    """1, 2, ...: how many trials of chance p until the first success."""
    n = 1
    while uniform(state) >= p:
        n += 1
    return n
