"""The languages: in notation, in a file beside this one, or a task of the package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mdlrnn.languages import EVERY_TASK

FILES = Path(__file__).with_name("files")
REGULAR = (
    "a^n", "a^2n", "a*", "(ab)*", "(abc)^n", "a^n | b^n", "a* b*", "a+ b a+", "a+ b+ c+",
)  # fmt: skip
ONE_COUNTER = (
    "a^n b^n", "a^n b^2n", "a^n b^3n", "a^2n b^n", "a^n b^(n+1)", "a^n b^(n+2)", "a^n c b^n",
    "a^n b a^n", "a^n (ab)^n", "a^n (bc)^n", "(ab)^n c^n", "(ab)^n (aba)^n", "a^n b^(n+m)",
    "a^n b^m c^n", "a^n b^n c^m", "a^n | a^n b^n", "a^n b^n | c^n d^2n", "a^n b^n c^m d^m",
    "a^n b^n | a^n b^2n", "a^n b^m a^n",
)  # fmt: skip
SEVERAL_COUNTERS = (
    "a^n b^m c^(n+m)", "a^n b^m c^m d^n", "a^n b^m c^n d^m", "a^n b^m a^n b^m", "a^n b^n a^n",
    "a^n b^n a^n b^n", "a^n b^n c^n", "a^n b^n c^n d^n", "a^n b^n c^n d^n e^n", "a^n b^2n c^3n",
    "a^n b^(n+1) c^(n+2)", "a^n b^m c^2n d^m",
)  # fmt: skip


class Entry(NamedTuple):
    name: str
    """For tables and files; no two are equal."""
    source: str
    """What `mdlrnn evolve` takes."""
    test: str | None = None
    """The test strings of a corpus whose language is not known."""
    size: int | None = None
    """Training strings, where the language has a number of its own."""


def catalogue() -> list[Entry]:
    notations = [Entry(text, text) for text in (*REGULAR, *ONE_COUNTER, *SEVERAL_COUNTERS)]
    files = [Entry(path.stem, str(path)) for path in sorted(FILES.iterdir())]
    return notations + files


def tasks() -> list[Entry]:
    """The tasks of the package, which are run where they are named."""
    return [Entry(f"task {name}", name, size=task.size) for name, task in EVERY_TASK.items()]


def collection(folder: Path) -> list[Entry]:
    """The corpora of a folder, which has a NAME.train.txt and a NAME.test.txt for each."""
    found = []
    for path in sorted(folder.glob("*.train.txt")):
        name = path.name.removesuffix(".train.txt")
        test = path.with_name(f"{name}.test.txt")
        if test.exists():
            found.append(Entry(f"corpus {name}", str(path), str(test)))
    return found
