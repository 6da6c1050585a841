"""Methods of values whose code lives in a later room of the package.

A value knows no faces: the modules of `network` and `search` import nothing of `drawing` or
`exports`. Where a value offers such a power as a method all the same (`net.draw()`), the method
names the function, and it is loaded when it is called. `tests/test_imports.py` lists these names
and checks that they exist.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def later(module: str, function: str) -> Any:
    """The function of that name in a later module, `drawing` for `mdlrnn.show._drawing`."""
    return getattr(import_module(f"mdlrnn.{module}"), function)
