"""Text for a terminal. What comes from a file is shown, never obeyed: escapes and the like are
written out."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

import click

from ..errors import printable

_ODD = re.compile(r"[^\n -~]")


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Lines of text, on standard output or standard error."""
    click.echo("\n".join(printable(line) for line in text.split("\n")), err=err, nl=nl)


def say_data(text: str) -> None:
    """What another program may read: as it is, unless a terminal would obey it."""
    if sys.stdout.isatty():
        text = "".join(c if c in "\n\t" else printable(c) for c in text)
    click.echo(text, nl=False)


def say_json(data: Any) -> None:
    """JSON on standard output."""
    say_json_text(json_text(data))


def json_text(data: Any) -> str:
    """Infinity, which JSON lacks, becomes null."""
    return json.dumps(_finite(data), ensure_ascii=False, indent=1)


def say_json_text(text: str) -> None:
    click.echo(_ODD.sub(_escaped, text))


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return character if character.isprintable() else json.dumps(character)[1:-1]


def _finite(data: Any) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
