"""`--set NAME=VALUE`: the rates and sizes of a search, and the list of them.

Their meaning is read from the docstrings of `Search`, so that it is written once.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from dataclasses import fields
from textwrap import dedent
from typing import Any

from ..checks import nearest_name, short
from ..errors import InputError
from ..interface import filled, parse_time
from ..search import Search

OWN_OPTION = ("encoding", "seed")
"""What has an option of its own."""
WORDS = {
    "yes": True, "true": True, "on": True, "no": False, "false": False, "off": False,
}  # fmt: skip
KINDS = {field.name: str(field.type) for field in fields(Search) if field.name not in OWN_OPTION}
SAID = {
    "int": "a whole number", "float": "a number", "bool": "yes or no",
    "bool | None": "yes, no or none",
}  # fmt: skip
TIME = "a time, as 90s, or none"


def with_settings(texts: Iterable[str]) -> dict[str, Any]:
    """The fields of `Search` that NAME=VALUE texts set."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if name in OWN_OPTION:
            given = value.strip() or "VALUE"
            raise InputError(f"--set is not for {name}; write --{name} {given}.")
        if not equals or name not in KINDS:
            raise InputError(f"--set {short(text)}: {_remedy(name, bool(equals))}")
        found[name] = _value(name, value.strip())
    return found


def settings_text() -> str:
    """What --set can set, each with its default and its meaning."""
    lines = ["Set with --set NAME=VALUE:\n"]
    for name, meaning in _meanings().items():
        if name in KINDS:
            lines.append(f"{name}={_text(getattr(Search, name))}")
            lines.append(filled(f"    {meaning}", "    "))
    return "\n".join(lines)


def _value(name: str, text: str) -> Any:
    kind = KINDS[name]
    try:
        if kind.startswith("bool"):
            return None if kind != "bool" and text.lower() == "none" else WORDS[text.lower()]
        if kind in ("int", "float"):
            return int(text) if kind == "int" else float(text)
    except (KeyError, ValueError):
        raise InputError(f"--set {name} is {short(text)}; give {SAID[kind]}.") from None
    return None if text.lower() == "none" else parse_time(text, f"--set {name}")


def _remedy(name: str, has_value: bool) -> str:
    if name in KINDS:
        return f"the value is missing; write {name}={_text(getattr(Search, name))}, say."
    near = nearest_name(name, KINDS)
    if near is not None and has_value:
        return f"there is no such setting; did you mean {near}?"
    return "there is no such setting; mdlrnn evolve --settings lists them."


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value}"


def _meanings() -> dict[str, str]:
    """The docstring of each field of `Search`."""
    (tree,) = ast.parse(dedent(inspect.getsource(Search))).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, after in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = inspect.cleandoc(ast.literal_eval(after.value))
    return {name: " ".join(text.split()) for name, text in found.items()}
