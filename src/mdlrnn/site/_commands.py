"""The command that searches as a search did, from its settings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from .._checks import is_number, short
from .._errors import InputError
from ..network.schemes import SCHEMES
from ..search._settings import Search

_PLAIN = re.compile(r"[\w^*+|(){}<>=,.\- ]+")
"""What a shell takes as it is between double quotes, as the docs write notations."""


def evolve_command(
    source: str, size: int | None, seed: int | None, options: Sequence[str] = ()
) -> str:
    words = ["mdlrnn evolve", quoted(source)]
    words += [] if size is None else [f"--size {size}"]
    words += [] if seed is None else [f"--seed {seed}"]
    return " ".join([*words, *options])


def quoted(text: str) -> str:
    plain = shlex.quote(text)
    return f'"{text}"' if plain != text and _PLAIN.fullmatch(text) else plain


def option_texts(changes: Mapping[str, Any]) -> list[str]:
    """Fields of `Search` that are changed, as the options of `mdlrnn evolve`."""
    known = {field.name for field in fields(Search)}
    found = []
    for name, value in changes.items():
        option = "--" + name.replace("_", "-")
        if name not in known:
            raise InputError(f"{short(name)} is no field of Search; leave it out.")
        if isinstance(value, bool):
            no = "--restricted" if name == "unrestricted" else f"--no-{option[2:]}"
            found.append(option if value else no)
        elif is_number(value) or (name == "encoding" and value in SCHEMES):
            found.append(f"{option} {value}{'s' if name == 'migration_seconds' else ''}")
        else:
            raise InputError(f"{name} is {short(value)}, for which there is no option; change it.")
    return found
