"""Values of wrong types, and files that are none, are answered in one sentence."""

from __future__ import annotations

import contextlib
import inspect
import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mdlrnn
from mdlrnn import Corpus, Encoding, InputError, Network, decode, encode, exports, show, zoo
from mdlrnn.files import json_of
from mdlrnn.search.workers import _workers
from mdlrnn_lab.tables import _bliss
from mdlrnn_lab.tables._runs import read_figures

NETWORK = zoo.anbn()
CORPUS = Corpus.from_strings(["ab", "aabb"])
GOOD: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Corpus.load": (Corpus.load, {"path": "strings.txt"}),
    "Corpus.from_strings": (Corpus.from_strings, {"strings": ["ab"], "counts": [1]}),
    "Corpus.from_arrays": (Corpus.from_arrays, {"arrays": CORPUS.to_arrays()}),
    "Corpus.split": (CORPUS.split, {"share": 0.5, "seed": 1}),
    "Network.load": (Network.load, {"path": "network.json"}),
    "Network.from_dict": (Network.from_dict, {"data": NETWORK.to_dict()}),
    "Network.save": (NETWORK.save, {"path": "out.json"}),
    "encode": (encode, {"network": NETWORK, "encoding": Encoding()}),
    "decode": (decode, {"bits": encode(NETWORK, Encoding()), "encoding": Encoding()}),
    "check": (mdlrnn.check, {"certificate": "none", "seconds": 1.0}),
    "score": (mdlrnn.score, {"network": NETWORK, "source": ["ab"]}),
    "explain": (mdlrnn.explain, {"network": NETWORK}),
    "suggest": (mdlrnn.suggest, {"strings": ["ab"]}),
    "draw": (show.draw, {"network": NETWORK}),
    **{
        f"exports.{name}": (getattr(exports, name), {"network": NETWORK})
        for name in ("c", "python", "networkx", "nltk", "sympy", "torch")
    },
}
WRONG: tuple[object, ...] = (
    True, 5, -1, 2.5, 10**400, "", "x", "\0", "a" * 5000, b"ab", [], [[]], {}, (), object(), len,
    set(), ..., int,
)  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_any_value_is_taken_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands for whichever parameter: it works, or one sentence says what is wrong."""
    monkeypatch.chdir(tmp_path)
    NETWORK.save("network.json")
    Path("strings.txt").write_text("ab\n")
    function, good = GOOD[name]
    assert good.keys() <= inspect.signature(function).parameters.keys()
    for parameter in good:
        for value in WRONG:
            with contextlib.suppress(InputError):
                function(**{**good, parameter: value})


@pytest.mark.parametrize("text", [
    "jobs: 2001-13-45\nslurm: {cores: 1}\n", "jobs: !!int ''\nslurm: {}\n",
    f"jobs: {'9' * 5000}\nslurm: {{}}\n", "jobs: 2\nslurm:\n  scheduler_options: 5\n",
    "jobs: 2\nslurm:\n  interface: ib0\n  job_extra_directives: 7\n",
])  # fmt: skip
def test_a_cluster_file_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"cluster\.yaml"):
        _workers._settings(path)


def test_json_that_is_nested_too_deep_is_no_json() -> None:
    with pytest.raises(ValueError, match="nested too deep"):
        json_of("[" * 100_000)


def test_a_torch_file_of_three_bytes_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "x.pt").write_bytes(b"\x80\x02.")
    (tmp_path / "y.pt").write_bytes(b"PK\x03")
    for name in ("x.pt", "y.pt"):
        with pytest.raises(InputError, match="no module of mdlrnn"):
            exports.load_torch(tmp_path / name)


def test_figures_that_are_nested_too_deep_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match="holds no figures"):
        read_figures(path)


def test_a_mask_with_a_broken_header_is_refused(tmp_path: Path) -> None:
    header = b"{'descr': '|b1', 'fortran_order': False, 'shape': (3, ".ljust(118)
    data = io.BytesIO(np.lib.format.magic(1, 0) + struct.pack("<H", len(header)) + header)
    with pytest.raises(InputError, match=r"mask\.npz holds no array"):
        _bliss._head(data, Path("mask.npz"))
