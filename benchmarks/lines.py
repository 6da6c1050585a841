"""Would a test notice? Single lines of the package are changed, and the tests that reach them run.

    python -m benchmarks.lines --changes 40 --seed 1
    python -m benchmarks.lines --changes 10 --seed 1 --rooms machines,proofs --case 3

A change swaps a comparison, moves a constant, negates a condition, swaps two arguments or drops a
statement, in a copy of the source tree. Then the tests of the room run until one fails, after them
those of other rooms that name the changed module or something on the room's door; with --all, the
whole suite. Changes that no test noticed are printed. Some of them change nothing that matters.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "mdlrnn"
OTHER: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
DROPPED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Continue, ast.Raise)
SECONDS = 900.0
"""For the tests of one change; one that takes longer counts as noticed."""


class Change(NamedTuple):
    path: Path
    node: ast.AST
    """Of the file's tree."""
    new: ast.AST

    def text(self) -> str:
        """The whole file with the change; only the changed lines are written anew."""
        lines = self.path.read_bytes().split(b"\n")
        node = self.node
        assert isinstance(node, ast.stmt | ast.expr)
        assert node.end_lineno is not None
        first, last = node.lineno - 1, node.end_lineno - 1
        head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        lines[first : last + 1] = [head + self.written().encode() + tail]
        return b"\n".join(lines).decode()

    def written(self) -> str:
        """What stands there now; brackets keep an expression together."""
        text = ast.unparse(self.new)
        return text if isinstance(self.new, ast.stmt | ast.Constant | ast.Call) else f"({text})"

    def __str__(self) -> str:
        line = getattr(self.node, "lineno", 0)
        before = " ".join(ast.unparse(self.node).split())[:70]
        return f"{self.path.relative_to(ROOT)}:{line}: {before}  ->  {self.written()[:70]}"


def changes_of(path: Path) -> Iterator[Change]:
    """All changes of a file, but in what only types or docstrings need."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        left: list[ast.AST] = list(function.body)
        while left:
            node = left.pop(0)
            yield from (Change(path, node, new) for new in _otherwise(node))
            if isinstance(node, ast.If | ast.While):
                yield Change(path, node.test, ast.UnaryOp(ast.Not(), node.test))
            if not isinstance(node, ast.JoinedStr):  # whose parts do not say where they stand
                left += ast.iter_child_nodes(node)


def _otherwise(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        ops = [OTHER[type(node.ops[0])](), *node.ops[1:]]
        yield ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(OTHER[type(node.op)](), node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        first, second, *others = node.args
        is_plain = not any(isinstance(one, ast.Starred) for one in node.args)
        if is_plain and ast.dump(first) != ast.dump(second):
            yield ast.Call(node.func, [second, first, *others], node.keywords)
    elif isinstance(node, DROPPED) and not isinstance(getattr(node, "value", None), ast.Constant):
        yield ast.Pass()


def reaching(path: Path) -> list[list[str]]:
    """The tests of the room, and those of other rooms that name what was changed."""
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    own = ROOT / "tests" / room
    files = [p for p in sorted((ROOT / "tests").rglob("test_*.py")) if own not in p.parents]
    named = re.compile(rf"mdlrnn\.{room}\b|import {room}\b|\b{path.stem}\b")
    others = [str(p) for p in files if named.search(p.read_text(encoding="utf-8"))]
    return [part for part in ([str(own)] if own.is_dir() else [], others) if part]


def is_noticed(change: Change, whole: bool, processes: int) -> bool:
    """Whether a test fails where the change stands in a copy of the sources."""
    with tempfile.TemporaryDirectory(prefix="mdlrnn-lines-") as place:
        shutil.copytree(ROOT / "src", Path(place, "src"))
        Path(place, change.path.relative_to(ROOT)).write_text(change.text(), encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(Path(place, "src"))}
        groups = [*reaching(change.path), *([[str(ROOT / "tests")]] if whole else [])]
        ends = time.monotonic() + SECONDS
        for tests in groups:
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", str(processes), *tests]
            try:
                done = subprocess.run(
                    command, cwd=ROOT, env=environment, capture_output=True, check=False,
                    timeout=max(1.0, ends - time.monotonic()),
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return True
            if done.returncode:
                return True
    return False


def drawn(seed: int, count: int, rooms: set[str]) -> list[Change]:
    """Changes of different places, each kind of node as likely as any other."""
    files = sorted(SOURCE.rglob("*.py"))
    if rooms:
        files = [p for p in files if p.relative_to(SOURCE).parts[0].removesuffix(".py") in rooms]
    kinds: dict[str, list[Change]] = {}
    for change in (change for path in files for change in changes_of(path)):
        kinds.setdefault(type(change.node).__name__, []).append(change)
    if not kinds:
        sys.exit("these rooms have no lines to change; name rooms of the package, commas between.")
    draw = random.Random(seed)
    return [draw.choice(kinds[draw.choice(sorted(kinds))]) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lines", description=__doc__)
    parser.add_argument("--changes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default="", help="commas between; else all")
    parser.add_argument("--case", type=int, help="this one alone, counted from 1")
    parser.add_argument("--all", action="store_true", help="run the whole suite before giving up")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    changes = drawn(options.seed, options.changes, set(filter(None, options.rooms.split(","))))
    noticed = 0
    for number, change in enumerate(changes, 1):
        if options.case in (None, number):
            is_seen = is_noticed(change, options.all, options.processes)
            noticed += is_seen
            print(f"{number} {'noticed' if is_seen else 'SURVIVED'} {change}", flush=True)
    tried = len(changes) if options.case is None else 1
    print(f"{noticed} of {tried} changes were noticed")


if __name__ == "__main__":
    main()
