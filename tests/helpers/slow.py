"""Parameters of which some wait for `pytest -m slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(everything: Iterable[Any], *chosen: Any) -> list[Any]:
    """All of them as parameters; those that are not chosen are slow."""
    cases = list(everything)
    assert set(chosen) <= set(cases), "what is chosen is there"
    return [case if case in chosen else _slow(case) for case in cases]


def _slow(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
