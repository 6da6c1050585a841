"""What mutations start from: valid files of every kind, made once and shared by all workers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

import mdlrnn
from mdlrnn import Network, Search, Stop, zoo

FOUND = Path(__file__).parents[2] / "docs" / "found"
PROVED = ("anbn", "dyck1", "addition")
"""Networks of the zoo whose certificates are attacked."""
SEARCH = Search(islands=2, population=12, migration_interval=5)
GENERATIONS = 20
STRINGS = ["ab", "aabb", "aaabbb", "ab", "", "aabb"]
WORDS = ["the cat sleeps", "the dog sings", "a cat sees the dog"]
BOMBS = {"zeros": 2**26, "many": 2**28}
"""Numbers of one byte that unpack from next to nothing: within the limits, and beyond them."""


class Base:
    """The folder with all of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.networks = {
            path.stem: json.loads(path.read_text()) for path in (folder / "networks").glob("*.json")
        }
        self.certificates = [path.read_text() for path in sorted(folder.glob("*.smt2"))]
        self.runs = sorted((folder / "runs").iterdir())

    def bomb(self, name: str) -> Path:
        """A file of zeros, made when it is first asked for."""
        path = self.folder / f"{name}.npz"
        if not path.exists():
            made = path.with_suffix(f".{os.getpid()}")
            _bomb(made, BOMBS[name])
            made.replace(path)
        return path


def build(folder: Path) -> Base:
    """Make all files; takes some seconds, mostly for proofs and runs."""
    subprocess.run([sys.executable, "-m", "mdlrnn.kernels._warm_up", "all"], check=True)
    networks = folder / "networks"
    networks.mkdir(parents=True)
    for name in zoo.names():
        zoo.load(name).save(networks / f"{name}.json")
    for path in FOUND.glob("*.json"):
        Network.from_dict(json.loads(path.read_text())).save(networks / f"found_{path.name}")
    for name in PROVED:
        proof = mdlrnn.prove(zoo.load(name), name)
        (folder / f"{name}.smt2").write_text(proof.certificate())
    runs = folder / "runs"
    runs.mkdir()
    stop = Stop(generations=GENERATIONS)
    for name, source, words in (
        ("task", "anbn_20", False), ("numbers", "addition_100", False),
        ("strings", STRINGS, False), ("words", WORDS, True),
    ):  # fmt: skip
        given: object = [tuple(line.split()) for line in source] if words else source
        mdlrnn.evolve(
            given, SEARCH, stop=stop, out=runs / name, workers=1, progress=False, words=words
        )
    for run in runs.iterdir():
        (run / "lock").unlink(missing_ok=True)
    _save_sequences(folder / "sequences.npz")
    return Base(folder)


def _save_sequences(path: Path) -> None:
    numbers = np.random.default_rng(1)
    inputs = numbers.integers(0, 2, (8, 5, 2)).astype(np.float64)
    targets = numbers.integers(0, 2, (8, 5, 1)).astype(np.float64)
    np.savez(path, inputs=inputs, targets=targets, lengths=np.array([5, 4, 3, 5, 1, 2, 5, 5]))


def _bomb(path: Path, size: int) -> None:
    """An array of zeros that takes a thousandth of itself on disk."""
    zeros = bytes(2**20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, units in (("inputs", 2), ("targets", 1)):
            steps = size // 1024
            header = np.lib.format.header_data_from_array_1_0(np.zeros(0, np.int8))
            header["shape"] = (1024, steps, units)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array_header_1_0(file, header)
                left = 1024 * steps * units
                while left:
                    file.write(zeros[: min(left, len(zeros))])
                    left -= min(left, len(zeros))


def copied(run: Path, to: Path) -> Path:
    shutil.copytree(run, to, symlinks=True)
    return to
