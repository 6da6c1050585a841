"""Dependencies point one way, and a room is entered by its door.

Every import counts: inside functions, for types only, and by a name given to `import_module`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from helpers.data import ROOT

SOURCE = ROOT / "src"
PACKAGES = ("mdlrnn", "mdlrnn_lab")
ROOMS = (
    "network", "corpus", "machines", "expressions", "languages", "construction", "kernels",
    "proofs", "extraction", "search", "runs", "measures", "show", "exports", "interface",
    "estimator", "results", "cli",
)  # fmt: skip
"""Values first. A room imports from itself and from rooms before it."""
ROOT_MODULES = (
    "door", "_notebook", "_version", "checks", "errors", "files", "limits", "old", "waiting",
    "work",
)  # fmt: skip
"""What every room may import."""
LIGHT = ("network", "corpus", "machines", "expressions", "languages")
"""Rooms of values, which import no Numba."""


class Import(NamedTuple):
    module: str
    named: str
    """As it is written: 'mdlrnn.network.Network'."""
    of: str
    """The module that the name comes from, through doors."""
    when: str
    """'load', 'call' for an import inside a function, or 'types'."""
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.named}"


def modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in sorted((SOURCE / package).rglob("*.py")):
            parts = path.relative_to(SOURCE).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def absolute(module: str, node: ast.ImportFrom) -> str:
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1] if node.level else []
    return ".".join([*base, *filter(None, [node.module])])


def doors() -> dict[str, str]:
    """Where the names come from that the `__init__` of a package offers."""
    found = {}
    for module, path in MODULES.items():
        if path.name == "__init__.py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    for name in node.names:
                        target = absolute(module, node)
                        found[f"{module}.{name.name}"] = f"{target}.{name.name}"
    return found


DOORS = doors()


def module_behind(name: str) -> str:
    while name in DOORS and name not in MODULES and DOORS[name] != name:
        name = DOORS[name]
    return name if name in MODULES else name.rpartition(".")[0]


def imports_of(module: str) -> Iterator[Import]:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))

    def visit(node: ast.AST, when: str) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            later = when
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and when == "load":
                later = "call"
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for statement in child.body:
                    yield from visit(ast.Module([statement], []), "types")
                for statement in child.orelse:
                    yield from visit(ast.Module([statement], []), when)
                continue
            names = []
            if isinstance(child, ast.ImportFrom):
                names = [f"{absolute(module, child)}.{name.name}" for name in child.names]
            elif isinstance(child, ast.Import):
                names = [name.name for name in child.names]
            elif isinstance(child, ast.Call) and "import_module" in ast.unparse(child.func):
                texts = [a.value for a in child.args if isinstance(a, ast.Constant)]
                names = [f"{text}.*" for text in texts if isinstance(text, str)]
            for name in names:
                if name.split(".")[0] in PACKAGES:
                    assert isinstance(child, ast.stmt | ast.expr)
                    yield Import(module, name, module_behind(name), when, child.lineno)
            yield from visit(child, later)

    return visit(tree, "load")


EVERY = [found for module in MODULES for found in imports_of(module)]


def room_of(module: str) -> str:
    """'mdlrnn.network' for the room and for what is in it; '' for modules beside the rooms."""
    room = ".".join(module.split(".")[:2])
    return room if room != module.split(".")[0] and is_package(room) else ""


def is_package(module: str) -> bool:
    return module in MODULES and MODULES[module].name == "__init__.py"


def test_every_room_has_its_place() -> None:
    rooms = {room_of(module) for module in MODULES if module.startswith("mdlrnn.")} - {""}
    assert rooms == {f"mdlrnn.{room}" for room in ROOMS}


def test_rooms_import_only_from_rooms_before_them() -> None:
    level = {f"mdlrnn.{room}": place for place, room in enumerate(ROOMS)}
    wrong = []
    for i in EVERY:
        room, of = room_of(i.module), room_of(i.of)
        if not i.module.startswith("mdlrnn.") or not room or room == of:
            continue
        if of:
            is_wrong = level[of] > level[room]
        else:
            is_wrong = i.of.removeprefix("mdlrnn.") not in (*ROOT_MODULES, "zoo")
        if is_wrong:
            wrong.append(str(i))
    assert wrong == []


def test_no_room_reaches_past_the_door_of_another() -> None:
    """What a room lets others use stands in its `__init__`; deeper modules are its own."""
    wrong = []
    for i in EVERY:
        package, _, rest = i.named.partition(".")
        same = i.module.split(".")[0] == package
        if same and (not room_of(i.module) or room_of(i.module) == room_of(i.of)):
            continue
        if same and not room_of(i.of):
            continue  # a module beside the rooms
        *path, _ = rest.split(".")
        if len(path) > 1 or any(part.startswith("_") for part in path):
            wrong.append(str(i))
    assert wrong == []


def test_the_package_does_not_know_the_laboratory() -> None:
    assert [
        str(i) for i in EVERY if i.module.split(".")[0] == "mdlrnn" and "mdlrnn_lab" in i.named
    ] == []


def test_no_circle_of_modules_and_none_hidden_in_a_function() -> None:
    """Imports inside functions count, so none of them is there to dodge a circle. Doors do not:
    they import nothing until a name is used."""
    after: dict[str, set[str]] = {module: set() for module in MODULES}
    for i in EVERY:
        if i.when != "types" and i.of != i.module and room_of(i.module):
            after[i.module].add(i.of)
    left = dict(after)
    while left:
        ready = [m for m, needed in left.items() if not (needed & left.keys()) - {m}]
        assert ready, f"in a circle: {sorted(left)}"
        for module in ready:
            del left[module]


def test_values_do_not_import_numba() -> None:
    """Neither do the parts of the search that only say how to search."""
    light = [m for m in MODULES if room_of(m) in LIGHT and m.startswith("mdlrnn.")]
    light += ["mdlrnn.search._settings", "mdlrnn.runs._files", "mdlrnn.runs._settings"]
    seen: set[str] = set()
    while light:
        module = light.pop()
        if module not in seen:
            seen.add(module)
            light += [i.of for i in EVERY if i.module == module and i.when == "load"]
    assert not [module for module in seen if room_of(module) == "kernels"]


def test_every_name_on_a_door_is_used_outside_its_room() -> None:
    folders = [ROOT / name for name in ("src", "tests", "benchmarks", "docs")]
    files = [*(p for f in folders for p in f.rglob("*") if p.suffix in (".py", ".md"))]
    words = {path: set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) for path in files}
    unused = []
    for room in {room_of(module) for module in MODULES} - {""}:
        home = MODULES[room].parent
        outside = set().union(*(words[path] for path in files if home not in path.parents))
        names = [name.removeprefix(f"{room}.") for name in DOORS if name.startswith(f"{room}.")]
        unused += [f"{room}.{name}" for name in names if "." not in name and name not in outside]
    assert sorted(unused) == []


def test_tests_import_from_helpers_and_not_from_each_other() -> None:
    wrong = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [n.name for n in node.names] if isinstance(node, ast.Import) else []
            wrong += [f"{path.name}: {name}" for name in names if name.startswith("test_")]
    assert wrong == []
