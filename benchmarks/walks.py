"""Three walks of a new user: README to theorem, own strings to verdict, Python and notebook.

    python benchmarks/walks.py --fresh > walks.txt   # from a fresh clone, in a new environment
    python benchmarks/walks.py                       # with the mdlrnn that is installed here

Each command is printed with what it prints. The exit code is 1 if one of them fails, or if what the
README shows is not printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FEW = r"ab\naabb\naaabbb\nab\naabb\naaaabbbb\nab\naaabbb\n"
CELLS = """import json, sys
book = json.load(open(sys.argv[1], encoding="utf-8"))
code = ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code"]
exec(compile("\\n".join(code), sys.argv[1], "exec"), {"__name__": "__main__"})
"""
WALKS: dict[str, tuple[str, ...]] = {
    "README to theorem": (
        f"printf '{FEW}' > eight.txt",
        "mdlrnn evolve eight.txt --until-proved --out eight",
        "mdlrnn report eight -o eight.html",
        "mdlrnn prove eight 'a^n b^n' --certificate eight.smt2",
        "mdlrnn prove --check eight.smt2 --language 'a^n b^n'",
        "mdlrnn runs",
    ),
    "own strings to verdict": (
        r"printf 'let x end\nlet let x end end\nlet x end\nlet let let x end end end\n' > mine.txt",
        "mdlrnn evolve mine.txt --words --until-proved --time 20s --out mine",
        "mdlrnn sample mine -n 5",
        "mdlrnn sample mine -n 20 -o more.txt",
        "mdlrnn test mine more.txt",
        "mdlrnn learned mine -o mine.lang",
        "mdlrnn prove mine mine.lang",
        "mdlrnn export mine -o mine.py",
    ),
    "Python and notebook": (
        'python -c \'import mdlrnn; net = mdlrnn.construct("a^n b^2n"); print(net); '
        'print(mdlrnn.prove(net, "a^n b^2n"))\'',
        "python -c 'import mdlrnn; print(mdlrnn.learned(\"ab aabb ab aaabbb aabb\".split()))'",
        f"python cells.py {ROOT / 'notebooks' / 'own_strings.ipynb'}",
    ),
}


def walk(name: str, folder: Path, scripts: Path) -> bool:
    """Whether every command of the walk does its work."""
    (folder / "cells.py").write_text(CELLS, encoding="utf-8")
    environment = os.environ | {"COLUMNS": "80"}
    environment["PATH"] = os.pathsep.join([str(scripts), environment["PATH"]])
    went_well = True
    print(f"\n## {name}\n", flush=True)
    for command in WALKS[name]:
        print(f"$ {command}", flush=True)
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        print(done.stdout, end="", flush=True)
        if done.returncode:
            went_well = False
            print(f"[exit code {done.returncode}]", flush=True)
    return went_well


def fresh(folder: Path) -> Path:
    """A clone with an environment of its own, as the README says; gives the folder of its
    programs."""
    subprocess.run(["git", "clone", "-q", str(ROOT), "clone"], cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=folder, check=True)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    command = [str(scripts / "pip"), "install", "-q", ".[prove]"]
    subprocess.run(command, cwd=folder / "clone", check=True)
    return scripts


def main() -> None:
    scripts, is_fresh = Path(sys.executable).parent, "--fresh" in sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if is_fresh:
            scripts = fresh(folder)
            os.environ["MDLRNN_CACHE_DIR"] = str(folder / "cache")
        results = []
        for number, title in enumerate(WALKS):
            home = folder / f"walk-{number}"
            home.mkdir()
            results.append(walk(title, home, scripts))
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
