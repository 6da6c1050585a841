"""The kernels' cache: compiled once, announced once, never stale, and not needed.

A copy of the package runs in its own process with its own cache folder. It compiles something
small, a kernel for |G|, by the mechanism by which the scoring kernels are compiled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

import mdlrnn
from mdlrnn.kernels._compile import _cache_folder, source_hash

KERNEL = """
from mdlrnn.kernels._compile import entry
from mdlrnn.kernels._scoring import encoded_length

@entry
def length_of(row, encoding, scratch):
    return encoded_length(row, encoding, scratch)
"""
"""In a file of its own, since Numba caches nothing that comes from a command line."""
SMALL = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from mdlrnn import Encoding, Network, Unit, Weight
from mdlrnn.kernels._compile import announced
from mdlrnn.kernels._genome import row_of
from mdlrnn.kernels._scoring import encoding_table
from small_kernel import length_of

row = row_of(Network(1, 1, (Unit(), Unit(bias=Weight(3, 4)))))

def measure(_):
    with announced("length", "the length"):
        return length_of(row, encoding_table(Encoding()), np.zeros(2, dtype=np.int64))

with ThreadPoolExecutor(4) as pool:
    (length,) = set(pool.map(measure, range(4)))
hits = sum(length_of.stats.cache_hits.values())
print(length, hits)
"""
LENGTH = 5 + 2 * (3 + 1 + 1) + 2 + (1 + 5 + 7)
"""E(2), for each unit its activation, no connections and no cost, no bias, and 3/4."""


class Run(NamedTuple):
    length: int
    hits: int
    stderr: str


class Copy:
    """The package, copied, and a cache folder for it alone."""

    def __init__(self, folder: Path) -> None:
        source = Path(mdlrnn.__file__).parent
        shutil.copytree(source, folder / "mdlrnn", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "small_kernel.py").write_text(KERNEL)
        self.folder = folder
        self.cache = folder / "cache"

    def run(self, code: str = SMALL, cache: Path | None = None) -> Run:
        environment = os.environ | {
            "PYTHONPATH": str(self.folder),
            "MDLRNN_CACHE_DIR": str(cache or self.cache),
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        length, hits = map(int, done.stdout.split())
        return Run(length, hits, done.stderr)

    def edit(self, file: str, old: str, new: str) -> None:
        """As an editor would, but with the old time: Numba's own cache looks at that."""
        path = self.folder / "mdlrnn" / "kernels" / file
        before = path.stat()
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    @property
    def kernels(self) -> Path:
        return self.cache / f"kernels-{source_hash(self.folder / 'mdlrnn' / 'kernels')}"


@pytest.fixture
def package(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_kernels_are_compiled_once_and_never_stale(package: Copy) -> None:
    """One test, since each step needs what the one before it left in the cache."""
    once = "mdlrnn: compiling the length for this machine, once ...\n"
    assert package.run() == (LENGTH, 0, once)
    assert (package.kernels / "length.ready").exists()
    assert package.run() == (LENGTH, 1, "")

    # A helper in another file than the kernel that calls it: 10 bits more for each of 5 numbers.
    package.edit("_activations.py", "- 1022 if n > 0 else 0", "- 1022 + 5 if n > 0 else 5")
    assert package.run() == (LENGTH + 50, 0, once)
    assert package.run() == (LENGTH + 50, 1, "")

    # And back: the old machine code is still there.
    package.edit("_activations.py", "- 1022 + 5 if n > 0 else 5", "- 1022 if n > 0 else 0")
    assert package.run() == (LENGTH, 1, "")


def test_a_cache_folder_that_cannot_be_is_done_without(package: Copy) -> None:
    file = package.folder / "a file"
    file.touch()
    for _ in range(2):
        found = package.run(cache=file / "cache")
        assert found == (LENGTH, 0, "mdlrnn: compiling the length for this machine ...\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write anywhere")
def test_a_cache_folder_that_is_read_only_is_done_without(package: Copy) -> None:
    package.cache.mkdir(mode=0o555)
    assert package.run()[:2] == (LENGTH, 0)


def test_a_user_without_home_does_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    for name in ("MDLRNN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert _cache_folder() is None


FOLDER = "import mdlrnn.kernels._compile; print(0, 0)"


def test_caches_of_other_versions_go_when_nobody_has_used_them_for_a_month(package: Copy) -> None:
    old, recent = package.cache / "kernels-0123", package.cache / "kernels-4567"
    foreign = package.cache / "sixteen-letters!"
    for folder in (old, recent, foreign):
        folder.mkdir(parents=True)
        (folder / "content").touch()
    month_ago = time.time() - 31 * 24 * 3600
    for folder in (old, foreign):
        os.utime(folder, (month_ago, month_ago))
    package.run(FOLDER)
    assert sorted(package.cache.iterdir()) == sorted([recent, foreign, package.kernels])


def test_the_hash_is_of_all_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "b.py").write_text("")
    seen = {source_hash(tmp_path)}
    (tmp_path / "b.py").write_text("x = 2")
    seen.add(source_hash(tmp_path))
    (tmp_path / "b.py").rename(tmp_path / "c.py")
    seen.add(source_hash(tmp_path))
    codes = tmp_path / "of activations"
    codes.write_text("linear, sigmoid, relu")
    monkeypatch.setattr("mdlrnn.kernels._compile.CODES", codes)
    seen.add(source_hash(tmp_path))
    codes.write_text("linear, relu, sigmoid")
    seen.add(source_hash(tmp_path))
    assert len(seen) == 5


def test_scoring_works_without_a_compiler(package: Copy) -> None:
    """NUMBA_DISABLE_JIT, for debugging: the same code in plain Python."""
    code = """
import os
os.environ["NUMBA_DISABLE_JIT"] = "1"
import numpy as np
from mdlrnn import Connection, Corpus, Encoding, Network, Unit, Weight, score
from mdlrnn.corpus._corpus import surprisal
from mdlrnn.network._code import length
from mdlrnn.network._interpreter import EXACT
units = (Unit(), Unit("sigmoid", bias=Weight(-1)), Unit("tanh"))
loop = (Connection(0, 2, "forward", Weight(1)), Connection(2, 1, "forward", Weight(3)),
        Connection(2, 2, "recurrent", Weight(1)))
corpus = Corpus.from_sequences(np.arange(12.0).reshape(2, 6, 1) % 5, np.ones((2, 6, 1)))
network = Network(1, 1, units, loop)
found = score(network, corpus)
expected = surprisal(network, corpus, EXACT)
print(found.g - length(network, Encoding.fitting(network)), round(found.d_given_g / expected * 1e9))
"""
    assert package.run(code)[:2] == (0, 10**9)
