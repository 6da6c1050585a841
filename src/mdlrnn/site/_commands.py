"""The command that searches as a search did, from its settings; and what it does not repeat."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from .._checks import is_number, short
from .._errors import InputError
from .._version import __version__
from ..corpus._corpus import Corpus
from ..network._encoding import Encoding
from ..network._objective import OBJECTIVES
from ..network._text import counted
from ..network.schemes import SCHEMES
from ..runs._settings import CARD, Settings
from ..search._settings import UNLIMITED, Search
from ..tasks._sources import Source

_PLAIN = re.compile(r"[\w^*+|(){}<>=,.\- ]+")
"""What a shell takes as it is between double quotes, as the docs write notations."""


HELD_OUT_TRIES = 400
"""Shares to try for what a run held out."""


class Held(NamedTuple):
    """What a run kept out of its search."""

    strings: int | None
    """None if they cannot be read."""
    share: float | None
    """None if it cannot be told: the run does not keep it."""


class Command(NamedTuple):
    """A command, and in sentences what it does not repeat of a search."""

    text: str | None
    cautions: tuple[str, ...] = ()


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


def limits(generation: int | None, seconds: float | None) -> list[str]:
    """Up to the generation in which a network was found, else for as long."""
    if generation is not None:
        return [f"--generations {generation}"]
    return [] if seconds is None else [f"--time {math.ceil(seconds)}s"]


def command_of_run(
    settings: Settings,
    source: Source | None,
    file: str | None,
    held: Held | None,
    until: list[str] | None,
) -> Command:
    """`file` is what the site calls the file of the language; `until` are the options that end the
    search where the network was found, or None for the run's own limits."""
    about = settings.corpus
    given = file or about.get("notation") or about.get("task")
    if given is None and about.get("path"):
        given = Path(str(about["path"])).name
    if given is None:
        return Command(None)
    cautions = list(_cautions(settings, held))
    options = _changed(settings)
    name = next((name for name, known in OBJECTIVES.items() if known == settings.objective), None)
    if name is None:
        cautions.append(
            f"It minimised {settings.objective.title}, for which there is no option; the command "
            "minimises |D:G| + |G|."
        )
    elif name != "mdl":
        options.append(f"--objective {name}")
    usual = Encoding.every_part() if source is None else source.encoding()
    if settings.encoding != usual:
        options.append(f"--encoding {settings.encoding.scheme}")
        options.append(f"--activations {','.join(settings.encoding.activations)}")
        options += ["--products"] if settings.encoding.products else []
    if settings.device == CARD:
        options.append(f"--device {settings.device}")
    if about.get("words"):
        options.append("--words")
    if held is not None and held.share is not None:
        options.append(f"--hold-out {held.share:g}")
    options += _own_limits(settings) if until is None else until
    size = None if "task" in about else about.get("size")
    text = evolve_command(str(given), size, settings.search.seed, options)
    return Command(text, tuple(cautions))


def _changed(settings: Settings) -> list[str]:
    """The options for the fields of `Search` that are not as usual."""
    usual = Search().to_dict()
    changes = {
        name: value
        for name, value in settings.search.to_dict().items()
        if name != "seed" and value != usual[name]
    }
    if settings.device == CARD:  # where another number of islands is usual
        changes["islands"] = settings.search.islands
    return option_texts(changes)


def _own_limits(settings: Settings) -> list[str]:
    stop = settings.stop
    has_end = stop.generations is not None and stop.generations < UNLIMITED
    found = [f"--generations {stop.generations}"] if has_end else []
    if stop.seconds is not None:
        found.append(f"--time {f'{stop.seconds:.3f}'.rstrip('0').rstrip('.')}s")
    found += [] if stop.target is None else [f"--target {stop.target!r}"]
    return found + ([] if stop.patience is None else [f"--patience {stop.patience}"])


def _cautions(settings: Settings, held: Held | None) -> Iterator[str]:
    if held is not None and held.share is None:
        some = "some strings" if held.strings is None else counted(held.strings, "string")
        yield (
            f"The run kept {some} out of its search; which share that was is not known, and the "
            "command searches on all strings."
        )
    if settings.search.migration_seconds is not None:
        yield "It migrated by the clock, too, so the command may find other networks."
    made_by = settings.data["versions"].get("mdlrnn")
    if isinstance(made_by, str) and made_by != __version__:
        yield f"It was made by mdlrnn {made_by}; another version may find other networks."


def share_held_out(whole: Corpus, kept: str, held: int, seed: int) -> float | None:
    """The share of the strings that a run held out, of which the run keeps the strings alone: that
    with which a corpus, split with the seed, leaves the one with this digest."""
    share = held / whole.sequences
    spread = 5 * math.sqrt(share * (1 - share) / whole.sequences) + 0.001
    near = [n for n in range(1, 1000) if abs(n / 1000 - share) <= spread]
    # Round ones first, as people choose them.
    near.sort(key=lambda n: (n % 100 != 0, n % 50 != 0, n % 10 != 0, abs(n / 1000 - share)))
    for n in near[:HELD_OUT_TRIES]:
        with suppress(InputError):  # one side would be empty
            if whole.split(n / 1000, seed)[0].digest == kept:
                return n / 1000
    return None
