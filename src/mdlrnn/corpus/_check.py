"""What must hold of a corpus. Kernels use its numbers as indices without looking, so nothing that
breaks a rule here, a damaged file above all, may become a `Corpus`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..network import BOUNDARY, check_alphabet

if TYPE_CHECKING:
    from ._corpus import Corpus

NUMBERS = ("inputs", "outputs", "sequences", "characters")
ARRAYS = {
    "input_rows": np.float64,
    "parent": np.int32,
    "symbol": np.int32,
    "levels": np.int32,
    "item_node": np.int32,
    "item_target": np.int32,
    "item_weight": np.float64,
}


def inconsistent(what: str) -> InputError:
    return InputError(
        f"the corpus is inconsistent: {what}; make it again with Corpus.load, from_strings or "
        "from_sequences."
    )


def frozen(name: str, value: Any) -> NDArray[Any]:
    """The array in its own type, read-only; refused where that type cannot hold its values."""
    kind = ARRAYS[name]
    array = np.asarray(value)
    integral = kind is np.int32
    if array.dtype.kind not in ("iu" if integral else "iuf"):
        raise inconsistent(f"{name} holds values of type {array.dtype}")
    if array.ndim != (2 if name == "input_rows" else 1):
        raise inconsistent(f"{name} has {array.ndim} dimensions")
    if not integral and not np.isfinite(array).all():
        raise inconsistent(f"{name} holds a value that is not finite")
    if integral and array.dtype != np.int32 and array.size:
        bounds = np.iinfo(np.int32)
        if array.min() < bounds.min or array.max() > bounds.max:
            raise inconsistent(f"{name} holds a value beyond 32 bits")
    array = np.ascontiguousarray(array, kind)
    array.setflags(write=False)
    return array


def check(corpus: Corpus) -> None:
    """Raise InputError unless everything holds that those who feed networks rely on."""
    for name in NUMBERS:
        value = getattr(corpus, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise inconsistent(f"{name} is {value!r}")
    if corpus.input_rows.shape[1] != corpus.inputs or not len(corpus.input_rows):
        raise inconsistent(
            f"input_rows has the shape {corpus.input_rows.shape} for {corpus.inputs} inputs"
        )
    _check_nodes(corpus)
    _check_items(corpus)
    if corpus.alphabet is not None:
        _check_strings(corpus, corpus.alphabet)


def _check_nodes(corpus: Corpus) -> None:
    parent, symbol, levels = corpus.parent, corpus.symbol, corpus.levels
    rows = len(corpus.input_rows)
    if len(levels) < 2 or levels[0] != 0 or levels[-1] != len(parent):
        raise inconsistent("levels does not go from 0 to the number of nodes")
    if (levels[1:] <= levels[:-1]).any():
        raise inconsistent("a level has no node")
    if len(symbol) != len(parent):
        raise inconsistent(f"there are {len(parent)} parents but {len(symbol)} symbols")
    if symbol.min() < 0 or symbol.max() >= rows:
        raise inconsistent("a symbol is not a row of input_rows")
    level = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
    if (parent[: levels[1]] != -1).any():
        raise inconsistent("a node of the first level has a parent")
    below = parent[levels[1] :]
    if ((below < 0) | (below >= len(parent))).any() or (
        level[below] + 1 != level[levels[1] :]
    ).any():
        raise inconsistent("a node's parent is not on the level before")
    if not _increasing(parent, symbol, rows):
        raise inconsistent("the nodes are not in the order of parent and symbol")


def _check_items(corpus: Corpus) -> None:
    node, target, weight = corpus.item_node, corpus.item_target, corpus.item_weight
    if not 0 < len(node) == len(target) == len(weight):
        raise inconsistent(
            f"there are {len(node)} nodes, {len(target)} targets and {len(weight)} weights of items"
        )
    if node.min() < 0 or node.max() >= len(corpus.parent):
        raise inconsistent("an item belongs to no node")
    known = max(corpus.outputs, 1 if corpus.alphabet is not None else 2)
    if target.min() < 0 or target.max() >= known:
        raise inconsistent("an item's target is no output")
    if weight.min() <= 0:
        raise inconsistent("an item's weight is not above 0")
    if not _increasing(node, target, known):
        raise inconsistent("the items are not in the order of node and target")


def _check_strings(corpus: Corpus, alphabet: tuple[str, ...]) -> None:
    check_alphabet(alphabet)
    if not len(alphabet) == corpus.inputs == corpus.outputs:
        raise inconsistent(
            f"there are {len(alphabet)} symbols, {corpus.inputs} inputs and "
            f"{corpus.outputs} outputs"
        )
    if not np.array_equal(corpus.input_rows, np.eye(len(alphabet))):
        raise inconsistent("input_rows is not the identity matrix")
    boundary = alphabet.index(BOUNDARY)
    if corpus.levels[1] != 1 or corpus.symbol[0] != boundary:
        raise inconsistent("the first level is not the boundary symbol alone")
    onward = corpus.item_target != boundary
    if not (
        np.array_equal(corpus.item_node[onward], corpus.parent[1:])
        and np.array_equal(corpus.item_target[onward], corpus.symbol[1:])
    ):
        raise inconsistent("the items do not agree with the nodes they lead to")
    passing = np.bincount(corpus.item_node, corpus.item_weight, len(corpus.parent))
    if (
        (corpus.item_weight % 1).any()
        or not np.array_equal(corpus.item_weight[onward], passing[1:])
        or (passing[0], passing.sum()) != (corpus.sequences, corpus.characters)
    ):
        raise inconsistent("the weights of the items do not add up")


def _increasing(major: NDArray[np.int32], minor: NDArray[np.int32], base: int) -> bool:
    key = major.astype(np.int64) * base + minor
    return bool((key[1:] > key[:-1]).all())
