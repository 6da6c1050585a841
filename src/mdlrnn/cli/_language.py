"""`mdlrnn language`."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from ..files import save
from ..interface._language import describe
from ..interface._say import say, say_json
from ..interface._text import filled
from ..languages import exists, looks_like_notation
from ._options import check_language_out, json_option


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("--stop", metavar="CHANCE", help="Of a notation: the chance to stop at each number.")
@click.option("-o", "--out", type=click.Path(), help="Also write it as a language file, .lang.")
@json_option
def language(source: str, stop: str | None, out: str | None, as_json: bool) -> None:
    """Show what was understood of SOURCE: its rules, its first strings, what can be proved.

    SOURCE is one of `mdlrnn tasks`, a notation such as "a^n b^3n", a language file (.lang) or a
    grammar (.pcfg). With -o it is written as a language file, which reads back to the same.
    """
    if stop is not None and (exists(Path(source)) or not looks_like_notation(source)):
        raise InputError(
            f'--stop is for a notation such as "a^n b^n", and {source} is none; leave --stop out.'
        )
    check_language_out(out)
    found = describe(source if stop is None else f"{source}, stop {stop}")
    if out is not None:
        if found.machine is None:
            raise InputError(f"it cannot be written as a language file: {found.obstacle}")
        save(out, found.machine.to_text())
    if as_json:
        say_json(found.to_dict())
    else:
        for line in str(found).split("\n"):
            say(line if line.startswith("  ") else filled(line))
    if out is not None and not as_json:
        say(f"saved as {out}")
