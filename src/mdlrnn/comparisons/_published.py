"""What the paper printed and its authors released, to stand beside one's own figures."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def published() -> dict[str, Any]:
    """'table': the paper's main table by task_size; 'probe': its table of objectives."""
    text = files("mdlrnn").joinpath("data/published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def published_for(task: str, size: int) -> dict[str, Any] | None:
    """Figures of a task's training size, or None where the paper has none."""
    row: dict[str, Any] | None = published()["table"].get(f"{task}_{size}")
    return row
