"""Errors of what is remembered are added up only where units add."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mdlrnn import Connection, Network, Unit, Weight
from mdlrnn.proofs._execute import executor
from mdlrnn.proofs.float64._rounding import _Analysis

ONE = Weight(1, 1)
LOOP = (
    Connection(0, 2, "forward", ONE), Connection(2, 2, "recurrent", ONE),
    Connection(2, 1, "forward", ONE),
)  # fmt: skip


@pytest.mark.parametrize(("memory", "adds"), [
    (Unit(), True), (Unit(type="product"), False), (Unit("square"), False),
    (Unit("square", "product"), False),
])  # fmt: skip
def test_a_memory_that_multiplies_has_no_accumulated_bound(memory: Unit, adds: bool) -> None:
    run = executor(Network(1, 1, (Unit(), Unit(), memory), LOOP))
    assert 2 in run.remembering
    stub: Any = SimpleNamespace(
        induction=SimpleNamespace(executor=run), _steps=lambda size, errors: iter(())
    )
    assert (_Analysis._accumulated(stub, 1, 5) is not None) is adds
