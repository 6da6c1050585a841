"""Doors: what a room lets others use, loaded when it is first used.

A room's `__init__` lists its names as imports under TYPE_CHECKING, where type checkers read them;
`open_door` reads the same list, so that it is written once, and imports a name's module when
somebody asks for the name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from .old import missing


def open_door(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` for the `__init__` of a package."""
    homes = _listed(package)
    names = sorted(homes)

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(missing(package, name))
        value = _value(homes[name], name, package)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: names, names


def _value(home: str, name: str, package: str) -> object:
    """The name in a module, or the module of that name."""
    if home.strip("."):
        module = import_module(home, package)
        if hasattr(module, name):
            return cast(object, getattr(module, name))
        home += "."
    return import_module(home + name, package)


def _listed(package: str) -> dict[str, str]:
    """The names under TYPE_CHECKING, each with the module that it is imported from."""
    spec = find_spec(package)
    assert spec is not None
    source = cast(str, spec.loader.get_source(package))  # type: ignore[union-attr]
    (block,) = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    return {
        alias.name: "." * node.level + (node.module or "")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
