"""Dependencies point one way: from the faces down to the values, and never round in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers.data import ROOT

SOURCE = ROOT / "src"
ROOMS = (
    ("_version", "_errors", "_limits", "_checks", "_files", "_later"),
    ("network",),
    ("corpus",),
    ("kernels",),
    ("search",),
    ("gpu",),
    ("cluster",),
    ("languages", "zoo"),
    ("tasks",),
    ("proofs",),
    ("extraction",),
    ("runs",),
    ("drawing",),
    ("plots",),
    ("exports",),
    ("bench", "comparisons"),
    ("page",),
    ("site",),
    ("interface",),
    ("estimator",),
    ("cli",),
    ("_command",),
    ("__main__",),
)
"""The pipeline, values first. A room imports from itself and from rooms before it."""
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}


class Import(NamedTuple):
    module: str
    of: str
    deferred: bool
    """Inside a function."""
    line: int


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((SOURCE / "mdlrnn").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports_of(module: str) -> Iterator[Import]:
    """What a module imports of the package when it runs; what only a type checker sees is left
    out."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))

    def visit(node: ast.AST, deferred: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            inside = deferred or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.ImportFrom):
                base = package.split(".")[: len(package.split(".")) - child.level + 1]
                target = ".".join([*(base if child.level else []), *filter(None, [child.module])])
                for name in child.names:
                    whole = f"{target}.{name.name}"
                    of = whole if whole in MODULES else target
                    if of in MODULES:
                        yield Import(module, of, inside, child.lineno)
            elif isinstance(child, ast.Import):
                for name in child.names:
                    if name.name in MODULES:
                        yield Import(module, name.name, inside, child.lineno)
            else:
                yield from visit(child, inside)

    return visit(tree, False)


EVERY = [found for module in MODULES for found in imports_of(module)]


def test_every_module_stands_in_a_room() -> None:
    assert {room_of(module) for module in MODULES} - {""} == set(LEVEL)


def test_rooms_import_only_from_rooms_before_them() -> None:
    wrong = [
        f"{i.module}:{i.line} imports {i.of}"
        for i in EVERY
        if room_of(i.module)
        and room_of(i.of) != room_of(i.module)
        and LEVEL.get(room_of(i.of), len(ROOMS)) >= max(1, LEVEL[room_of(i.module)])
    ]
    assert wrong == []


def test_no_circle_of_modules_and_none_hidden_in_a_function() -> None:
    """Imports inside functions count, so none of them is there to dodge a circle."""
    after: dict[str, set[str]] = {module: set() for module in MODULES}
    for i in EVERY:
        if i.of != i.module and room_of(i.module):
            after[i.module].add(i.of)
    # A package's own file stands for its name; importing a module of it runs that file first.
    left = dict(after)
    while left:
        ready = [m for m, needed in left.items() if not (needed & left.keys()) - {m}]
        assert ready, f"in a circle: {sorted(left)}"
        for module in ready:
            del left[module]


def test_values_do_not_import_numba() -> None:
    """Neither do the parts of the search that only say how to search."""
    light = [m for m in MODULES if room_of(m) in ("network", "corpus", "languages", "zoo")]
    light += ["mdlrnn.search._settings", "mdlrnn.runs._files", "mdlrnn.runs._status"]
    seen: set[str] = set()
    while light:
        module = light.pop()
        if module not in seen:
            seen.add(module)
            light += [i.of for i in EVERY if i.module == module and not i.deferred]
    assert not [module for module in seen if room_of(module) == "kernels"]


def test_the_package_never_imports_the_laboratory() -> None:
    """The command line finds it through an entry point."""
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [n.name for n in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith("mdlrnn_lab")], path


def later_names() -> list[tuple[str, str]]:
    """What values name instead of importing it: later("drawing", "draw")."""
    found = []
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "later"
            ):
                module, function = (ast.literal_eval(argument) for argument in node.args)
                found.append((module, function))
    return found


@pytest.mark.parametrize(("module", "function"), later_names())
def test_what_values_leave_to_later_rooms_is_there(module: str, function: str) -> None:
    assert callable(getattr(import_module(f"mdlrnn.{module}"), function))


def test_tests_import_from_helpers_and_not_from_each_other() -> None:
    wrong = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [n.name for n in node.names] if isinstance(node, ast.Import) else []
            wrong += [f"{path.name}: {name}" for name in names if name.startswith("test_")]
    assert wrong == []
