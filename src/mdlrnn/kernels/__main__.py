"""`python -m mdlrnn.kernels PART ...`: compile kernels for the cache, beside who waits for them."""

from __future__ import annotations

import os
import sys

from ._warm_up import compile_parts

if sys.argv[1:] != ["offspring"] and hasattr(os, "nice"):
    os.nice(10)  # nobody waits for the rest
compile_parts(sys.argv[1:])
