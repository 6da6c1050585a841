"""Hold the figures of the README and of the docs' user pages against what their commands print.

    python -m benchmarks.claims                 # every page; some minutes
    python -m benchmarks.claims README.md       # some pages
    python -m benchmarks.claims near            # a figure worked out from the laboratory's tables

A figure stands in a console block, below the command that prints it, or has a comment behind it:
`<!-- check: COMMAND | TEXT -->` says that COMMAND prints TEXT. In a block `...` stands for lines
left out. Times and counts of steps are not compared.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "docs" / "lab" / "tables"
PAGES = (
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "design.md"),
)
NEAR = 0.05
"""Bits a string above the entropy."""
_VARIES = re.compile(r"^.*(\d s\b|\d min\b|steps in|a second).*$", re.MULTILINE)
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CHECK = re.compile(r"<!-- check: (.+?) \| (.+?) -->", re.DOTALL)


class Claim(NamedTuple):
    command: str
    shown: str
    """What it is said to print."""


def claims_of(page: Path) -> Iterator[Claim]:
    text = page.read_text(encoding="utf-8")
    for block in _BLOCK.findall(text):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = piece.partition("\n")
            yield Claim(command, shown)
    for command, shown in _CHECK.findall(text):
        yield Claim(command, f"...\n{' '.join(shown.split())}\n...\n")


def agrees(shown: str, printed: str) -> bool:
    """Whether a block shows what is printed, where it leaves nothing out."""
    parts = [
        _VARIES.sub("", part).strip("\n") for part in re.split(r"^\.\.\.\n", shown, flags=re.M)
    ]
    text, place = _VARIES.sub("", printed).strip("\n"), 0
    if "...\n" not in shown:
        return text == parts[0]
    for part in parts:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def printed(command: str, folder: Path) -> str:
    """What a command prints at a width of 80; a Python of this environment is meant."""
    environment = os.environ | {"COLUMNS": "80", "PYTHONPATH": str(ROOT)}
    scripts = str(Path(sys.executable).parent)
    environment["PATH"] = os.pathsep.join([scripts, environment.get("PATH", "")])
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
    )  # fmt: skip
    return done.stdout


def failures(page: Path, folder: Path) -> Iterator[Claim]:
    """The claims of a page that do not hold; its commands are run in their order."""
    for claim in claims_of(page):
        if not agrees(claim.shown, printed(claim.command, folder)):
            yield claim


# Figures from tables


def rows(name: str) -> list[dict[str, str]]:
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def near() -> str:
    """On how many corpora each model needs hardly more than the entropy."""
    models = {"mdlrnn": "median", "LSTM": "LSTM", "ALERGIA": "ALERGIA", "n-gram": "n-gram"}
    found = rows("peer_corpora")
    counts = {
        name: sum(float(row[column].replace("∞", "inf")) <= NEAR for row in found)
        for name, column in models.items()
    }
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def learned() -> str:
    counts = Counter(row["verdict"] for row in rows("learned"))
    return ", ".join(
        f"{name} {counts[name]}" for name in ("named", "machine", "other", "no", "wrong")
    )


def table() -> str:
    """How often the published score is reached, and how often the best network is wrong."""
    tasks: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows("paper_table"):
        tasks.setdefault(row["task"], {})[row["selected"]] = row
    reached = refuted = 0
    for selected in tasks.values():
        scores = {name: float(row["MDL"].replace(",", "")) for name, row in selected.items()}
        published = min(score for name, score in scores.items() if name.startswith("paper"))
        reached += scores["by training"] <= published
        refuted += selected["by training"]["theorem"] == "refuted"
    of = f"of {len(tasks)}"
    return f"published reached or passed: {reached} {of}; refuted: {refuted} {of}"


FIGURES: dict[str, Callable[[], str]] = {"near": near, "learned": learned, "table": table}


def main() -> None:
    given = sys.argv[1:]
    if given and given[0] in FIGURES:
        print(FIGURES[given[0]]())
        return
    failed = 0
    for page in [Path(name).resolve() for name in given] or PAGES:
        with tempfile.TemporaryDirectory() as name:
            wrong = list(failures(page, Path(name)))
        count = sum(1 for _ in claims_of(page))
        print(f"{page.name}: {count - len(wrong)} of {count} hold", flush=True)
        for claim in wrong:
            print(f"  not what is printed: {shlex.quote(claim.command)}", flush=True)
        failed += len(wrong)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
