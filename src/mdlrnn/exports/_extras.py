"""The optional dependencies of exports, and the one sentence where one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from .._errors import MissingExtra


def require(module: str, what: str, package: str, extra: str) -> None:
    if find_spec(module) is None:
        raise MissingExtra(what, package, extra)


def require_torch() -> None:
    require("torch", "a PyTorch module", "PyTorch", "torch")
