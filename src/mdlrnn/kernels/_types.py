"""The arrays that kernels read and write, by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats2 = NDArray[np.float64]
"""Two-dimensional."""
Ints = NDArray[np.int64]
Indices = NDArray[np.uint32]
