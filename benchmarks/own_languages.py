"""Twelve languages that are no task of the paper, from the command line: a page of the docs.

    python benchmarks/own_languages.py docs/twelve_languages.md

For each language `sample`, `evolve` for a minute, `test` and `prove`, each with what it printed;
and a table of what the search found without the networks that are constructed from the strings.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from textwrap import indent

from mdlrnn.search import Origin

ROOT = Path(__file__).parents[1]
LANGUAGES = (
    ("A number three times over", "a^n b^3n"),
    ("One number, three blocks, two symbols", "a^n b^n a^n"),
    ("Blocks of two symbols", "(ab)^n c^n"),
    ("Two counters: numbers that cross", "examples/two_counters.lang"),
    ("Two counters: brackets that cross", "examples/shuffle.lang"),
    ("A stack: palindromes with a mark", "examples/palindrome.lang"),
    ("A regular grammar: Reber's", "examples/reber.pcfg"),
    ("A regular grammar: noun phrases", "examples/noun_phrase.pcfg"),
    ("A counter grammar: centre embedding", "examples/centre_embedding.pcfg"),
    ("A counter grammar: two pairs", "examples/two_pairs.pcfg"),
    ("Numbers to numbers: parity", "examples/parity.lang"),
    ("Numbers to numbers: a running majority", "examples/majority.lang"),
)
HEAD = """# Twelve languages

None of these is a task of the paper. Each was searched for a minute at most on {cores}, from
500 strings or sequences, with nothing but its file or its line given. What the commands printed
stands below, unedited. The page is made by
`python benchmarks/own_languages.py docs/twelve_languages.md`.

## Constructed or evolved

Most of these networks are
[constructed from the strings](search.md#networks-constructed-from-the-strings): evolution had no
part in them, or shortened them. *Without* is the same search, of a minute, from random networks
alone (`--set founders=off`). MDL is |G| + |D:G| in bits.

| language | origin | MDL | proved | without: MDL | proved |
| :-- | :-- | --: | :-- | --: | :-- |
"""
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


def section(title: str, source: str) -> tuple[str, str]:
    """Its row of the table, and what the commands printed."""
    given = shlex.quote(source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        shown = "\n".join(f"$ {c}\n{printed(c, folder)}" for c in commands(source))
        (status,) = json.loads(printed("mdlrnn runs run --json", folder))
        theorem = json.loads((folder / "run/theorem.json").read_text(encoding="utf-8"))
        plain = f"mdlrnn evolve {given} --set founders=off {LIMITS} without"
        without = json.loads(printed(plain, folder))
    row = " | ".join([
        f"`{source}`".replace("|", "\\|"),
        str(Origin.from_dict(status["origin"])),
        f"{status['mdl']:,.2f}",
        _proved(theorem["proved"]),
        f"{without['mdl']:,.2f}",
        _proved(without["reason"] == "proved"),
    ])  # fmt: skip
    file = ROOT / source
    rules = ""
    if file.is_file():
        rules = indent(file.read_text(encoding="utf-8"), "    ") + "\n"
    return f"| {row} |", f"## {title}: `{source}`\n\n{rules}```text\n{shown.rstrip()}\n```\n"


def _proved(proved: bool) -> str:
    return "yes" if proved else "no"


def main() -> None:
    page = Path(sys.argv[1])
    count = len(os.sched_getaffinity(0))
    head = HEAD.format(cores="one core" if count == 1 else f"{count} cores")
    found = []
    for title, source in LANGUAGES:
        found.append(section(title, source))
        rows, sections = zip(*found, strict=True)
        text = head + "\n".join(rows) + "\n\n" + "\n".join(sections)
        page.write_text(text, encoding="utf-8")
        print(source, flush=True)


if __name__ == "__main__":
    main()
