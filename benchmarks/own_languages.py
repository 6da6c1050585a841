"""Twelve languages that are no task of the paper, from the command line: a table of the docs.

    python benchmarks/own_languages.py docs/lab/tables/twelve_languages.csv

For each language `sample`, `evolve` for a minute, `test` and `prove`; and what the search found
without the networks that are constructed from the strings.
"""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mdlrnn.search import Origin

ROOT = Path(__file__).parents[1]
LANGUAGES = (
    "a^n b^3n",
    "a^n b^n a^n",
    "(ab)^n c^n",
    "examples/two_counters.lang",
    "examples/shuffle.lang",
    "examples/palindrome.lang",
    "examples/reber.pcfg",
    "examples/noun_phrase.pcfg",
    "examples/centre_embedding.pcfg",
    "examples/two_pairs.pcfg",
    "examples/parity.lang",
    "examples/majority.lang",
)
HEAD = ("language", "origin", "MDL", "proved", "without: MDL", "without: proved")
LIMITS = "--until-proved --time 60s --json --out"


def commands(source: str) -> list[str]:
    given = shlex.quote(source)
    sample = [] if is_numbers(source) else [f"mdlrnn sample {given} -n 3"]
    return [
        *sample,
        f"mdlrnn evolve {given} --until-proved --time 60s --out run",
        f"mdlrnn test run {given}",
        f"mdlrnn prove run {given}",
    ]


def is_numbers(source: str) -> bool:
    path = ROOT / source
    return path.suffix == ".lang" and " / " in path.read_text(encoding="utf-8")


def printed(command: str, folder: Path) -> str:
    """What the command prints at a width of 80, without what it says while it works."""
    program = [sys.executable, "-c", "from mdlrnn.cli import main; main()"]
    done = subprocess.run(
        [*program, *shlex.split(command)[1:]],
        cwd=folder, env=os.environ | {"COLUMNS": "80"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), (command, done.stderr)
    return done.stdout


def row_of(source: str) -> list[str]:
    """What a minute found with the networks that are constructed from the strings, and without."""
    given = shlex.quote(source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        for command in commands(source):
            printed(command, folder)
        (status,) = json.loads(printed("mdlrnn runs run --json", folder))
        theorem = json.loads((folder / "run/theorem.json").read_text(encoding="utf-8"))
        plain = f"mdlrnn evolve {given} --set founders=off {LIMITS} without"
        without = json.loads(printed(plain, folder))
    return [
        source,
        str(Origin.from_dict(status["origin"])),
        f"{status['mdl']:,.2f}",
        _proved(theorem["proved"]),
        f"{without['mdl']:,.2f}",
        _proved(without["reason"] == "proved"),
    ]


def _proved(proved: bool) -> str:
    return "yes" if proved else "no"


def main() -> None:
    table = Path(sys.argv[1])
    rows: list[Sequence[str]] = [HEAD]
    for source in LANGUAGES:
        rows.append(row_of(source))
        with table.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        print(source, flush=True)


if __name__ == "__main__":
    main()
