"""Compiles all kernels for a card on a machine without one, in a process of its own: numba-cuda's
compiler needs no card, only the arrays on it and the launches do. Arrays are NumPy's here, and a
launch compiles the kernel for the types of its arguments. Prints, by kernel, the lines of PTX."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

if not hasattr(np, "row_stack"):
    setattr(np, "row_stack", np.vstack)  # noqa: B010, some versions of numba-cuda ask for it

from numba import typeof, types
from numba.cuda import dispatcher

from mdlrnn import Corpus, Encoding, Search, zoo
from mdlrnn.kernels.gpu import _cuda

HOPPER = (9, 0)
HOPPER_CARD = SimpleNamespace(compute_capability=HOPPER)
LINES: dict[str, int] = {}
DONE: set[tuple[Any, ...]] = set()


class There(np.ndarray[Any, Any]):
    """An array on the card."""

    def copy_to_host(self) -> Any:
        return np.array(self)

    def copy_to_device(self, values: Any) -> None:
        self[...] = values


def to_device(values: Any) -> Any:
    return np.array(values).view(There)


def device_array(shape: Any, dtype: Any) -> Any:
    return np.zeros(shape, dtype).view(There)


class Compiling:
    """In place of `_cuda.Kernel`: a launch compiles and runs nothing."""

    def __init__(self, compiled: Any) -> None:
        self.function = compiled.py_func

    def __getitem__(self, launch: Any) -> Any:
        return self.compile

    def compile(self, *arguments: Any) -> None:
        kinds = tuple(
            typeof(np.asarray(a)) if isinstance(a, np.ndarray) else typeof(a) for a in arguments
        )
        if (self.function, kinds) in DONE:
            return
        DONE.add((self.function, kinds))
        with _cuda._short_code():
            text, _ = _cuda.cuda.compile_ptx(
                self.function, types.void(*kinds), cc=HOPPER, device=False
            )
        LINES[self.function.__name__] = text.count("\n")


def compile_all() -> None:
    """A batch, a migration of either kind and scores, on small and on large trees, with saturation
    and without."""
    from mdlrnn.kernels.gpu import _scoring
    from mdlrnn.kernels.gpu._scoring import score_on_card
    from mdlrnn.search._island import Problem
    from mdlrnn.search.workers import _card_islands as _islands
    from mdlrnn.search.workers._cards import migrate

    corpus = Corpus.from_strings(["ab", "aabb", "ab"])
    for tree in (2048, 1):
        _scoring.LARGE_TREE = tree
        for saturation in (True, False):
            search = Search(islands=32, population=6, saturation=saturation)
            for encoding in (Encoding("paper"), Encoding.every_part()):
                islands = _islands.Islands(Problem(corpus, search, encoding))
                islands.begin()
                islands.get_ready()
                migrate(islands, 0)
            score_on_card([replace(zoo.anbn(), saturation=saturation)], corpus)
    islands._widen()
    islands.best()
    search = Search(islands=2, population=4, restarts=False)
    ring = _islands.Islands(Problem(corpus, search, Encoding("paper")))
    ring.begin()
    migrate(ring, 0)


def main() -> None:
    with (
        patch.object(_cuda, "Kernel", Compiling),
        patch.object(_cuda, "require_card", lambda: None),
        patch.object(_cuda, "free_bytes", lambda: 1 << 33),
        patch.object(_cuda, "multiprocessors", lambda: 132),
        patch.object(_cuda, "new_stream", lambda: 0),
        patch.object(_cuda, "synchronize", lambda: None),
        patch.object(_cuda, "repeated", lambda launch, stream: launch),
        patch.object(_cuda.cuda, "to_device", to_device),
        patch.object(_cuda.cuda, "device_array", device_array),
        patch.object(dispatcher, "get_current_device", lambda: HOPPER_CARD),
    ):
        compile_all()
    print(json.dumps(LINES))


if __name__ == "__main__":
    main()
