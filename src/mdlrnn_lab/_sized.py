"""A task by its own name, and its training size apart."""

from __future__ import annotations

from dataclasses import replace

from mdlrnn.languages import Language, language_from


def with_size(given: object, size: int | None = None) -> tuple[Language, int]:
    """'anbn_100' is the task anbn and the size 100; plain strings are refused."""
    found = language_from(given, size=size)
    found.check_rules()
    return replace(found, name=found.task or found.name, asked=None), found.size
