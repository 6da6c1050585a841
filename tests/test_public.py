"""The public interface: its names, and that looking at it costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mdlrnn

PUBLIC = [
    "Connection", "Corpus", "Encoding", "InputError", "Network", "Objective", "Progress",
    "Proof", "Run", "RunError", "Score", "Search", "Unit", "Weight", "decode", "encode", "evolve",
    "explain", "prove", "record", "resume", "score", "score_many",
]  # fmt: skip


def test_the_public_names_are_these() -> None:
    assert mdlrnn.__all__ == PUBLIC
    assert dir(mdlrnn) == sorted([*PUBLIC, "__version__"])


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_loads_and_is_kept(name: str) -> None:
    assert getattr(mdlrnn, name).__name__ == name
    assert name in vars(mdlrnn)


@pytest.mark.parametrize("name", ["drawing", "languages", "page", "plots", "zoo"])
def test_every_submodule_is_loaded_by_its_name(name: str) -> None:
    code = f"import mdlrnn; print(mdlrnn.{name}.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"mdlrnn.{name}"


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'mdlrnn' has no attribute 'Nettwork'"):
        mdlrnn.Nettwork  # noqa: B018


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import mdlrnn", ("numba", "numpy", "click", "rich")),
        ("from mdlrnn import Network, Encoding, encode, decode", ("numba", "numpy", "wasmtime")),
        ("import mdlrnn.plots, mdlrnn.drawing, mdlrnn.page", ("numba", "matplotlib", "wasmtime")),
        ("from mdlrnn import score, Corpus, Objective", ("numba",)),
    ],
)
def test_importing_loads_only_what_is_used(code: str, absent: tuple[str, ...]) -> None:
    code += f"; import sys; print([name for name in {absent!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
