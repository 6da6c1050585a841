"""Kernels as tests call them: helpers from Python, one mutation on one network."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from mdlrnn import Network
from mdlrnn.kernels import _offspring
from mdlrnn.kernels._compile import source_of
from mdlrnn.kernels._genome import Space, network_from_row, row_of, size_of
from mdlrnn.kernels._offspring import MUTATIONS, compound_rates, simple_rates
from mdlrnn.network._units import ACTIVATIONS

KIND = {mutation.name: number for number, mutation in enumerate(MUTATIONS)}
"""The number by which kernels know a mutation."""


@cache
def from_python(helper: Callable[..., Any]) -> Callable[..., Any]:
    """A helper that only kernels call, compiled once more with a way in for Python."""
    compiled: Callable[..., Any] = njit(nogil=True, error_model="numpy")(source_of(helper))
    return compiled


def space_for(network: Network, **changes: Any) -> Space:
    """Every activation and products are allowed, and nothing happens by chance."""
    return Space(
        inputs=network.inputs,
        outputs=network.outputs,
        activations=np.array([a.code for a in ACTIVATIONS.values()], dtype=np.int64),
        products=True,
        unrestricted=False,
        max_units=64,
        max_connections=64,
        further_mutation_rate=0.0,
        redraw_weight_rate=0.0,
        compound_mutation_rate=0.0,
        crossover_rate=0.0,
        stack_rate=0.0,
        simple_mutations=simple_rates(True),
        compound_mutations=compound_rates(),
    )._replace(**changes)


def randomness(seed: int) -> NDArray[np.uint64]:
    return np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)


def roomy(network: Network) -> NDArray[np.int64]:
    row = row_of(network)
    return np.concatenate([row, np.zeros(_offspring.GROWTH, dtype=np.int64)])


def mutated(network: Network, kind: int, seed: int, **changes: Any) -> Network | None:
    """The network after a mutation, or None if it found nothing to change."""
    row = roomy(network)
    before = row[: int(size_of(row))].copy()
    apply = from_python(_offspring.apply)
    if not apply(kind, row, randomness(seed), space_for(network, **changes)):
        assert np.array_equal(row[: int(size_of(row))], before), "left as it was"
        return None
    after = network_from_row(row[: int(size_of(row))], network.inputs, network.outputs)
    assert np.array_equal(row_of(after), row[: int(size_of(row))]), "sorted, nothing twice"
    return after
