"""Hypothesis strategies for networks, the odd ones included (connections into inputs and out of
outputs, loops, units that nothing feeds and units that feed nothing), and for small corpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mdlrnn import Corpus
from mdlrnn.network._network import Network
from mdlrnn.network._units import (
    ACTIVATIONS,
    KINDS,
    LARGEST_INTEGER,
    TYPES,
    Connection,
    Unit,
    Weight,
)


def weights(largest: int = LARGEST_INTEGER) -> st.SearchStrategy[Weight]:
    """Mostly small fractions, now and then any up to `largest`."""
    size = st.integers(1, min(9, largest)) | st.integers(1, largest)
    numerator = st.builds(lambda n, positive: n if positive else -n, size, st.booleans())
    return st.builds(Weight, numerator, size)


def dyadic_weights(places: int = 2) -> st.SearchStrategy[Weight]:
    """Fractions that float64 holds exactly: their denominators are powers of two."""
    numerator = st.sampled_from((1, -1, 2, -2, 3, -3, 4, -4, 7))
    return st.builds(Weight, numerator, st.sampled_from([2**k for k in range(places + 1)]))


@st.composite
def networks(
    draw: st.DrawFn,
    inputs: int | None = None,
    outputs: int | None = None,
    activations: Sequence[str] = tuple(ACTIVATIONS),
    products: bool = True,
    max_hidden: int = 5,
    min_connections: int = 0,
    max_connections: int = 20,
    weight: st.SearchStrategy[Weight] | None = None,
    readouts: Sequence[str] | None = None,
) -> Network:
    """Any valid network without an alphabet; inputs and outputs are drawn (1 to 5) where None.

    `readouts` are the outputs' activations: with sigmoid most networks score finitely.
    """
    some = st.integers(1, 5)
    n_inputs = draw(some) if inputs is None else inputs
    n_outputs = draw(some) if outputs is None else outputs
    others = n_outputs + draw(st.integers(0, max_hidden))
    weight = weights() if weight is None else weight
    types = st.sampled_from(TYPES if products else ("sum",))
    unit = st.builds(Unit, st.sampled_from(tuple(activations)), types, st.none() | weight)
    units = [Unit()] * n_inputs + draw(st.lists(unit, min_size=others, max_size=others))
    if readouts is not None:
        for u in range(n_inputs, n_inputs + n_outputs):
            units[u] = replace(units[u], activation=draw(st.sampled_from(tuple(readouts))))
    number = st.integers(0, len(units) - 1)
    connection = st.builds(Connection, number, number, st.sampled_from(KINDS), weight)
    connections = st.lists(
        connection,
        min_size=min(min_connections, 2 * len(units)),
        max_size=max_connections,
        unique_by=lambda c: (c.source, c.target, c.kind),
    )
    return Network(n_inputs, n_outputs, tuple(units), tuple(draw(connections)))


def string_corpora(symbols: str = "ab", max_strings: int = 8) -> st.SearchStrategy[Corpus]:
    """All symbols occur, so that the alphabet has one size."""
    strings = st.dictionaries(st.text(symbols, max_size=7), st.integers(1, 5), max_size=max_strings)
    return strings.map(lambda given: given | {symbols: 1}).map(
        lambda given: Corpus.from_strings(given.keys(), given.values())
    )


@st.composite
def numeric_corpora(draw: st.DrawFn, inputs: int, outputs: int) -> Corpus:
    """Sequences that begin with any of several inputs, with targets that need not be one-hot."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    value = st.sampled_from((0.0, 1.0, 1.0, -1.0, 0.5, 2.0, 2000000.0))
    target = st.sampled_from((0.0, 1.0, 1.0, 0.25, 0.5))

    def array(items: st.SearchStrategy[float], units: int) -> np.ndarray:
        count = shape[0] * shape[1] * units
        flat = draw(st.lists(items, min_size=count, max_size=count))
        return np.array(flat).reshape(*shape, units)

    targets = array(target, outputs)
    targets[0, 0, 0] = 1.0  # at least one prediction
    lengths = draw(st.lists(st.integers(1, shape[1]), min_size=shape[0], max_size=shape[0]))
    return Corpus.from_sequences(array(value, inputs), targets, np.array(lengths))
