"""The sizes of exported files, and how many strings a second they read, beside mdlrnn's own.

    python benchmarks/exports/speed.py

Each network reads 1,000 strings of its language and gives the probabilities after every symbol;
PyTorch and onnxruntime read all of them as one batch, Python and C one after the other. The kernels
do what a search does: |D:G| of the same strings, in which a prefix that strings share is read once.
All on one thread; the best of several rounds. Needs the extras torch and onnx, onnxruntime and a C
compiler; what is missing is left out.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mdlrnn import Corpus, Network, exports, sample, score, zoo
from mdlrnn.interface._text import count_text, table

Reader = Callable[[], object]
TASKS = {"anbn": "anbn", "dyck1": "dyck1", "dyck2": "dyck2"}
"""Networks of the zoo, and the language that each reads."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--strings", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each line, at least")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, task in TASKS.items():
            net = zoo.load(name)
            strings = ["".join(string) for string in sample(task, arguments.strings)]
            symbols = sum(map(len, strings)) / len(strings)
            for number, (what, size, read) in enumerate(readers(net, strings, Path(folder))):
                speed = len(strings) / fastest(read, arguments.seconds)
                of = f"{name}, {symbols:.1f} symbols a string" if number == 0 else ""
                rows.append([of, what, f"{size:,}" if size else "", count_text(speed)])
    print(table(["network", "reader", "bytes", "strings a second"], rows, left=2))


def fastest(read: Reader, seconds: float) -> float:
    """The time of the quickest round, after one to warm up."""
    read()
    best, began = float("inf"), time.perf_counter()
    while best == float("inf") or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        read()
        best = min(best, time.perf_counter() - start)
    return best


def readers(net: Network, strings: list[str], folder: Path) -> list[tuple[str, int, Reader]]:
    assert net.alphabet is not None
    place = {symbol: number for number, symbol in enumerate(net.alphabet)}
    codes = [[0, *(place[symbol] for symbol in string)] for string in strings]
    corpus = Corpus.from_strings(strings)
    found: list[tuple[str, int, Reader]] = [
        ("mdlrnn, kernels, |D:G|", len(net.to_json()), lambda: score(net, corpus)),
        ("mdlrnn, interpreter", 0, lambda: [net.probabilities(string) for string in strings]),
    ]
    if find_spec("torch"):
        found.append(_torch(net, codes, folder))
    if find_spec("onnx") and find_spec("onnxruntime"):
        found.append(_onnx(net, codes, folder))
    found.append(_python(net, strings))
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler:
        found.append(_c(net, codes, folder, compiler))
    return found


def _padded(codes: list[list[int]]) -> list[list[int]]:
    longest = max(map(len, codes))
    return [code + [0] * (longest - len(code)) for code in codes]


def _torch(net: Network, codes: list[list[int]], folder: Path) -> tuple[str, int, Reader]:
    import torch

    torch.set_num_threads(1)
    module, batch = exports.torch(net), torch.tensor(_padded(codes))
    exports.export(net, folder / "net.pt", "torch")

    def read() -> object:
        with torch.inference_mode():
            return module(batch)

    return "PyTorch, one batch", (folder / "net.pt").stat().st_size, read


def _onnx(net: Network, codes: list[list[int]], folder: Path) -> tuple[str, int, Reader]:
    import numpy as np
    import onnxruntime

    path = folder / "net.onnx"
    exports.onnx(net, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    batch = np.array(_padded(codes))
    return (
        "onnxruntime, one batch",
        path.stat().st_size,
        lambda: session.run(None, {"symbols": batch}),
    )


def _python(net: Network, strings: list[str]) -> tuple[str, int, Reader]:
    text = exports.python(net)
    space: dict[str, Any] = {}
    exec(text, space)
    step = space["step"]

    def read() -> None:
        for string in strings:
            state, _ = step(None, "#")
            for symbol in string:
                state, _ = step(state, symbol)

    return "plain Python", len(text.encode()), read


def _c(
    net: Network, codes: list[list[int]], folder: Path, compiler: str
) -> tuple[str, int, Reader]:
    import ctypes

    text = exports.c(net)
    (folder / "net.h").write_text(text)
    (folder / "read.c").write_text(
        '#include "net.h"\n'
        "double read_all(const int *symbols, const int *ends, int strings) {\n"
        f"    double p[{net.outputs}], total = 0.0;\n"
        "    int at = 0;\n"
        "    for (int s = 0; s < strings; s++) {\n"
        f"        {net.name}_state state = {{0}};\n"
        f"        for (; at < ends[s]; at++) {net.name}_step(&state, symbols[at], p);\n"
        "        total += p[0];\n"
        "    }\n"
        "    return total;\n"
        "}\n"
    )
    target = folder / f"{net.name}.so"
    command = [compiler, "-std=c99", "-O2", "-shared", "-fPIC", "read.c", "-o", str(target), "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(target))
    library.read_all.restype = ctypes.c_double
    flat = [symbol for code in codes for symbol in code]
    ends, total = [], 0
    for code in codes:
        total += len(code)
        ends.append(total)
    symbols, stops = (ctypes.c_int * len(flat))(*flat), (ctypes.c_int * len(ends))(*ends)
    return "C", len(text.encode()), lambda: library.read_all(symbols, stops, len(ends))


if __name__ == "__main__":
    main()
