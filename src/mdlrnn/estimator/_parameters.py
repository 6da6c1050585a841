"""What scikit-learn asks of an estimator's parameters, and of parameters inside of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..checks import short
from ..errors import InputError
from ..old import KEYWORDS, sentence


def deep_parameters(parameters: dict[str, Any], kinds: dict[str, type[Any]]) -> dict[str, Any]:
    """The parameters, and the fields of those that are settings: `search__islands`."""
    deep = dict(parameters)
    for name in kinds:
        value = parameters[name]
        if is_dataclass(value):
            deep |= {f"{name}__{field.name}": getattr(value, field.name) for field in fields(value)}
    return deep


def with_parameters(
    parameters: dict[str, Any], given: dict[str, Any], kinds: dict[str, type[Any]]
) -> dict[str, Any]:
    """The parameters with others in their places; `search__islands` changes a field of `search`."""
    changed = dict(parameters)
    inside: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        if name in KEYWORDS["MDLRNN"]:
            raise sentence(f"{name}= of MDLRNN", KEYWORDS["MDLRNN"][name])
        outer, _, inner = name.partition("__")
        if outer not in parameters:
            raise unknown(name, parameters)
        if not inner:
            changed[outer] = value
        elif outer not in kinds:
            raise InputError(f"{outer} has no parameters of its own; leave out {short(name)}.")
        elif inner not in {field.name for field in fields(kinds[outer])}:
            raise unknown(name, (f"{outer}__{field.name}" for field in fields(kinds[outer])))
        else:
            inside.setdefault(outer, {})[inner] = value
    for outer, values in inside.items():
        before = changed[outer]
        changed[outer] = replace(kinds[outer]() if before is None else before, **values)
    return changed


def unknown(name: str, known: Iterable[str]) -> InputError:
    return InputError(
        f"the estimator has no parameter {short(name)}; its parameters are {', '.join(known)}."
    )
