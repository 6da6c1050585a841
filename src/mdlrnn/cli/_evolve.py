"""`mdlrnn evolve`: search, kept in a folder; or go on with a search that was.

What `--set NAME=VALUE` can set, with its meaning, is read from the docstrings of `Search`, so that
it is written once.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..checks import nearest_name, short
from ..errors import InputError
from ..interface import (
    CARD_ISLANDS,
    EXIT_CODE,
    StopSignals,
    display_for,
    filled,
    parse_time,
    say,
    seeds_table,
)
from ..interface import evolve as evolve_strings
from ..interface import resume as resume_run
from ..languages import language_from
from ..network import OBJECTIVES, SCHEMES, Encoding
from ..runs import holds_run, read_settings, status_of
from ..search import CARD, GENERATIONS, LIMITS, UNLIMITED, Search, Stop, workers_from
from ._group import command, option
from ._options import SEARCHES, json_option, listed, say_hints, words_option, workers_option
from ._outcome import print_json, print_outcome

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


Command = TypeVar("Command", bound=Callable[..., Any])
WHAT, LONG, KEPT = "What is searched for", "How long", "Where it is kept"


def _limit(name: str, field: str, metavar: str, text: str) -> Callable[[Command], Command]:
    """A number or a time, or `none` for no limit."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        if value.lower() == "none":
            return UNLIMITED if field == "generations" else None
        if metavar == "TIME":
            return parse_time(value, name)
        try:
            return int(value) if metavar == "N" else float(value)
        except ValueError:
            raise InputError(f"{name} is {value!r}; write a number, or none.") from None

    return option(name, field, metavar=metavar, callback=read, help=text, group=LONG)


def _show_settings(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        say(settings_text())
        ctx.exit()


_what = partial(option, group=WHAT)


@command(doing="searching")
@click.argument("source", metavar="[SOURCE]", required=False)
@_what("--seed", type=int, metavar="N", help="The same seed gives the same networks. [default: 1]")
@_what(
    "--seeds",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of runs, with consecutive seeds; the best is shown, all are kept.",
)
@_what(
    "--search",
    "kind",
    type=click.Choice(list(SEARCHES)),
    help="paper: as in the paper, with 250 islands.",
)
@_what(
    "--set",
    "changes",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a rate or a size of the search; may be given again.",
)
@_what(
    "--settings",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_settings,
    help="List what --set can set, with meaning and default.",
)
@_what("--objective", type=click.Choice(list(OBJECTIVES)), help="What is minimised. [default: mdl]")
@_what(
    "--encoding",
    type=click.Choice(list(SCHEMES)),
    help="How |G| is counted. [default: paper for the paper's tasks, else parts]",
)
@_what("--activations", metavar="NAMES", help="Those allowed, separated by commas.")
@_what("--products", is_flag=True, default=None, help="Allow product units.")
@_what("--size", type=click.IntRange(min=1), metavar="N", help="A task's training size.")
@words_option
@_what(
    "--hold-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Keep this share of the strings out of the search, in held_out.txt.",
)
@_limit(
    "--generations", "generations", "N",
    "Stop after so many, counted from the start. "
    f"[default: {GENERATIONS:,}; no limit with --time or --until-proved]",
)  # fmt: skip
@_limit(
    "--time", "seconds", "TIME", "Stop after 90s, 10m or 1h30m; with --resume, after so much more."
)
@_limit("--target", "target", "SCORE", "Stop when the best score is this or less.")
@_limit("--patience", "patience", "N", "Stop after so many generations without improvement.")
@option(
    "--until-proved/--no-until-proved",
    "proved",
    default=None,
    group=LONG,
    help="Go on until a network is proved right for every string of the language.",
)
@workers_option
@option("--out", metavar="DIR", help="A new folder for the run, by default in ./runs.", group=KEPT)
@option("--resume", metavar="DIR", help="Go on with the run in this folder.", group=KEPT)
@click.option("--quiet", is_flag=True, help="Print only the result.")
@json_option
def evolve(
    source: str | None,
    seed: int | None,
    seeds: int | None,
    kind: str | None,
    changes: tuple[str, ...],
    objective: str | None,
    size: int | None,
    words: bool,
    hold_out: float | None,
    workers: str | None,
    out: str | None,
    resume: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Search for the network that describes SOURCE best, and keep the run in a folder.

    SOURCE is a text file, one string a line (a count and a TAB may stand before it); or a language
    whose strings are drawn: a notation ("a^n b^3n"), a language file (.lang), a grammar (.pcfg, in
    NLTK's notation) or a task (`mdlrnn language` lists them); or an .npz file with the arrays
    inputs, targets and, if sequences differ in length, lengths. Dyck-2 comes with mod3 and product
    units, as in the paper, unless --activations or --products is given.

    Ctrl-C stops the run and saves it. With --resume DIR a run goes on exactly where it stood; its
    limits may then be changed (none lifts one), everything else stays as it was. --time 40s then
    means 40 seconds more; other limits count from the start.
    """
    ctx = click.get_current_context()
    given = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    limits = {name: given.pop(name) for name in LIMITS if name in given}
    given |= with_settings(changes)
    if resume is None and source is None:
        raise InputError("no source is given; name one, or a run to go on with: --resume DIR.")
    display = display_for(quiet, as_json)
    with StopSignals(display.say) as signals:
        display.is_stopped = lambda: signals.asked
        if resume is None:
            search, stop = _search_and_stop(given, limits, kind, workers)
            known = language_from(source, size=size, words=words)
            if not quiet:
                say_hints(known)
            first = 1 if seed is None else seed
            name = f"{known.name}-{first}" if seeds is None else f"{known.name}-seeds"
            run = evolve_strings(
                known, search, stop=stop, seed=first, seeds=seeds, out=out or _new_folder(name),
                workers=workers, objective=objective, hold_out=hold_out, progress=display,
            )  # fmt: skip
        elif any(one is not None for one in (out, kind, hold_out, seeds)):
            raise InputError(
                "--out, --search, --hold-out and --seeds are for new runs; leave them out with "
                "--resume."
            )
        else:
            folder = Path(resume)
            if seed is not None:
                given["seed"] = seed
            if limits.get("seconds") is not None and holds_run(folder):
                limits["seconds"] += status_of(folder).seconds
            changed = _checked_settings(folder, given, limits, objective)
            corpus = None if source is None else language_from(source, words=words)
            run = resume_run(folder, stop=changed, workers=workers, corpus=corpus, progress=display)
    if as_json:
        print_json(run)
    else:
        if seeds is not None:
            say(seeds_table(run) + "\n\nThe best of these:\n")
        print_outcome(run)
    if any(one.reason == "stopped" for one in (run, *run.others)):
        ctx.exit(EXIT_CODE)


def _search_and_stop(
    given: dict[str, Any], limits: dict[str, Any], kind: str | None, workers: str | None
) -> tuple[Search, Stop]:
    if workers_from(workers).device == CARD and kind != "paper":
        given = {"islands": CARD_ISLANDS, **given}
    asked = {name: given[name] for name in ("activations", "products") if name in given}
    plain = {name: value for name, value in given.items() if name not in asked}
    if asked:
        encoding = Encoding(plain.get("encoding") or Encoding.scheme)
        if "activations" in asked:
            encoding = replace(encoding, activations=listed(asked["activations"]))
        plain["encoding"] = replace(encoding, products=bool(asked.get("products")))
    else:
        plain.setdefault("encoding", None)
    stop = Stop(**limits)
    if kind == "paper" and stop.generations is None:
        stop = replace(stop, generations=GENERATIONS)
    return replace(SEARCHES[kind or "default"](), **plain), stop


def _checked_settings(
    folder: Path, given: dict[str, Any], limits: dict[str, Any], objective: str | None
) -> Stop | None:
    """The run's limits with those given now; anything else that is given must be as it was."""
    if not holds_run(folder):
        return None
    settings = read_settings(folder)
    encoding = settings.encoding
    kept = {
        **settings.search.to_dict(),
        "seed": settings.seed,
        "encoding": encoding.scheme,
        "activations": encoding.activations,
        "products": encoding.products,
        "objective": settings.objective,
    }
    wanted = dict(given)
    if objective is not None:
        wanted["objective"] = OBJECTIVES[objective]
    if "activations" in wanted:
        wanted["activations"] = listed(wanted["activations"])
    for name, value in wanted.items():
        if kept[name] != value:
            option = f"--set {name}" if name in KINDS else f"--{name}"
            raise InputError(
                f"{option} cannot change when a run goes on; leave it out, or start a new run."
            )
    return replace(settings.stop, **limits) if limits else None


def _new_folder(name: str) -> Path:
    folder = Path("runs") / name
    number = 2
    while folder.exists():
        folder = Path("runs") / f"{name}-{number}"
        number += 1
    return folder
