"""`mdlrnn evolve`: search, kept in a folder; or go on with a search that was."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from .._encoding import SCHEMES
from .._errors import InputError
from .._files import save_text
from .._score import Objective
from .._search import UNLIMITED, Search
from .._tasks import TASKS
from ._data import corpus_text, load_corpus, split_size
from ._options import SEARCHES, json_option, words_option
from ._progress import display_for
from ._report import HELD_OUT, report, report_json
from ._signals import EXIT_CODE, Stop
from ._theorem import Prover, demand
from ._times import parse_time

if TYPE_CHECKING:
    from .._corpus import Corpus
    from .._evolve import Progress
    from .._runs import Recorder

_LIMITS = ("generations", "seconds", "target", "patience")
Command = TypeVar("Command", bound=Callable[..., Any])


def _number(name: str, default: int, text: str) -> Callable[[Command], Command]:
    return click.option(name, type=int, metavar="N", help=f"{text} [default: {default:,}]")


def _chance(name: str, default: float, text: str) -> Callable[[Command], Command]:
    return click.option(name, type=float, metavar="P", help=f"{text} [default: {default}]")


def _limit(name: str, field: str, metavar: str, text: str) -> Callable[[Command], Command]:
    """A number or a time, or `none` for no limit."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
        if value is None or value.lower() == "none":
            return None
        if metavar == "TIME":
            return parse_time(value, name)
        try:
            return int(value) if metavar == "N" else float(value)
        except ValueError:
            raise InputError(f"{name} is {value!r}; write a number, or none.") from None

    return click.option(name, field, metavar=metavar, callback=read, help=text)


@click.command()
@click.argument("corpus", metavar="[CORPUS]", required=False)
@click.option("--out", metavar="DIR", help="A new folder for the run, by default in ./runs.")
@click.option("--resume", metavar="DIR", help="Go on with the run in this folder.")
@_number("--seed", Search.seed, "The same seed gives the same networks.")
@_number(
    "--generations", Search.generations,
    "Stop after so many, counted from the start; with --time only if given.",
)  # fmt: skip
@_limit("--time", "seconds", "TIME", "Stop after 90s, 10m or 1h30m, counted from the start.")
@_limit("--target", "target", "SCORE", "Stop when the best score is this or less.")
@_limit("--patience", "patience", "N", "Stop after so many generations without improvement.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="[default: all cores]")
@click.option(
    "--search",
    "kind",
    type=click.Choice(list(SEARCHES)),
    help="paper: as in the paper, with 250 islands.",
)
@_number("--islands", Search.islands, "Populations that evolve apart.")
@_number("--population", Search.population, "Networks on each island.")
@_number("--tournament", Search.tournament, "Networks that compete at each step.")
@_chance("--further-mutations", Search.further_mutations, "Chance to mutate once more.")
@_chance("--fresh-weights", Search.fresh_weights, "Chance to draw a weight anew.")
@_chance("--compound-mutations", Search.compound_mutations, "Chance to change a whole unit.")
@_chance("--grafts", Search.grafts, "Chance to take an output from another network.")
@_chance("--stacks", Search.stacks, "Chance to add a stack, where its parts are allowed.")
@click.option(
    "--anywhere/--no-anywhere",
    default=None,
    help="Connect from outputs and to inputs, too: lower scores, less often exact networks.",
)
@click.option(
    "--distinct/--no-distinct", default=None, help="Drop offspring that score as another does."
)
@click.option(
    "--elitist/--no-elitist", default=None, help="Keep offspring only if they beat a network."
)
@click.option(
    "--crowding/--no-crowding",
    default=None,
    help="On half of the islands offspring contend with their parents alone.",
)
@click.option(
    "--restarts/--no-restarts", default=None, help="Start islands anew when they stagnate."
)
@_number("--migration-size", Search.migration_size, "Networks that an island sends on.")
@_number("--migration-interval", Search.migration_interval, "Generations between migrations.")
@_limit(
    "--migration-seconds", "migration_seconds", "TIME",
    "Migrate also after so long; such a run cannot be repeated.",
)  # fmt: skip
@click.option(
    "--objective",
    type=click.Choice(["mdl", "g", "d", "d+l1", "d+l2"]),
    help="What is minimised. [default: mdl]",
)
@click.option("--encoding", type=click.Choice(SCHEMES), help="How |G| is counted. [default: paper]")
@click.option("--activations", metavar="NAMES", help="Those allowed, separated by commas.")
@click.option("--products", is_flag=True, default=None, help="Allow product units.")
@_number("--max-units", Search.max_units, "The most units of a network.")
@_number("--max-connections", Search.max_connections, "The most connections of a network.")
@click.option(
    "--hold-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Keep this share of the strings out of the search, in held_out.txt.",
)
@click.option("--size", type=click.IntRange(min=1), metavar="N", help="A task's training size.")
@click.option(
    "--until-proved",
    is_flag=True,
    help="Go on until a network is proved right for every string of the task.",
)
@words_option
@click.option("--quiet", is_flag=True, help="Say nothing but the end.")
@json_option
def evolve(
    corpus: str | None,
    out: str | None,
    resume: str | None,
    threads: int | None,
    kind: str | None,
    objective: str | None,
    hold_out: float | None,
    size: int | None,
    until_proved: bool,
    words: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Search for the network that describes CORPUS best, and keep the run in a folder.

    CORPUS is a task (anbn, say; `mdlrnn tasks` lists them), a grammar (a .pcfg file in NLTK's
    notation, whose strings are drawn), or a text file, one string a line (a
    count and a TAB may stand before it), or an .npz file with the arrays inputs, targets and, where
    they differ, lengths. Dyck-2 comes with mod3 and product units, as in the paper, unless
    --activations or --products is given.

    Ctrl-C stops the run and saves it. With --resume DIR a run goes on exactly where it stood; the
    limits --generations, --time, --target and --patience may then be given anew (none lifts one),
    everything else stays as it was.
    """
    ctx = click.get_current_context()
    given = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    if "activations" in given:
        given["activations"] = tuple(given["activations"].split(","))
    if until_proved:
        demand(corpus if resume is None else _task(Path(resume)))
        given.setdefault("generations", UNLIMITED)
    data = None if corpus is None else load_corpus(corpus, words, size)
    held = None
    if resume is not None:
        if out is not None or kind is not None or hold_out is not None:
            raise InputError(
                "--out, --search and --hold-out are for new runs; leave them out with --resume."
            )
        opened = _reopened(Path(resume), data, given, objective)
    elif corpus is None or data is None:
        raise InputError("no corpus is given; name a file, or a run to go on with: --resume DIR.")
    else:
        if kind != "paper" and given.get("seconds") is not None:
            given.setdefault("generations", UNLIMITED)
        search = replace(SEARCHES[kind or "default"](), **given)
        if not given.keys() & {"activations", "products"}:
            search = _extended(corpus, search)
        if hold_out is not None:
            data, held = data.split(hold_out, search.seed)
        opened = _begun(Path(corpus), data, size, words, search, objective, out)
    display = display_for(quiet, as_json)
    with Stop(display.say) as stop:

        def tell(progress: Progress) -> bool:
            display(progress)
            return stop.asked

        with opened as recorder, display:
            if held is not None:
                save_text(recorder.folder / HELD_OUT, corpus_text(held))
            prover = Prover(recorder)
            display.announce(_title(recorder))
            until = prover if until_proved else None
            run = recorder.evolve(threads=threads, on_progress=tell, until=until)
        theorem = prover.conclude(run)
        if as_json:
            report_json(run, recorder.folder, theorem)
        else:
            report(run, recorder.folder, recorder.settings, recorder.problem.corpus, theorem)
    if run.reason == "stopped":
        ctx.exit(EXIT_CODE)


def _extended(corpus: str, search: Search) -> Search:
    """With the units that the paper allows for a task alone."""
    stem, _ = split_size(corpus)
    if Path(corpus).exists() or stem not in TASKS:
        return search
    return TASKS[stem].extended(search)


def _begun(
    path: Path,
    data: Corpus,
    size: int | None,
    words: bool,
    search: Search,
    objective: str | None,
    out: str | None,
) -> AbstractContextManager[Recorder]:
    from .._island import Problem
    from .._runs import begin

    folder = Path(out) if out is not None else _new_folder(path.stem, search.seed)
    problem = Problem(data, search, Objective.named(objective or "mdl"))
    about: dict[str, Any] = {"name": path.stem, "words": words}
    if path.exists():
        about["path"] = str(path.resolve())
    else:
        about["task"] = str(path) if size is None else f"{path}_{size}"
    return begin(folder, problem, about)


def _reopened(
    folder: Path, data: Corpus | None, given: dict[str, Any], objective: str | None
) -> AbstractContextManager[Recorder]:
    from .._run_files import holds_run, read_settings
    from .._runs import reopen

    limits = {name: value for name, value in given.items() if name in _LIMITS}
    if holds_run(folder):
        settings = read_settings(folder)
        kept = {**settings.search.to_dict(), "objective": settings.objective}
        wanted = {name: value for name, value in given.items() if name not in _LIMITS}
        if objective is not None:
            wanted["objective"] = Objective.named(objective)
        if "activations" in wanted:
            wanted["activations"] = list(wanted["activations"])
        for name, value in wanted.items():
            if kept[name] != value:
                option = "--" + name.replace("_", "-")
                raise InputError(
                    f"{option} cannot change when a run goes on; leave it out, or start a new run."
                )
    return reopen(folder, data, limits)


def _task(folder: Path) -> str | None:
    from .._run_files import holds_run, read_settings

    return read_settings(folder).corpus.get("task") if holds_run(folder) else None


def _title(recorder: Recorder) -> str:
    search = recorder.problem.search
    start = recorder.start
    again = "" if start is None else f", from generation {start.generation:,}"
    name = recorder.settings.corpus.get("name", "a corpus")
    further = [unit for unit in search.activations if unit not in Search.activations]
    if search.products:
        further.append("products")
    units = f", with {' and '.join(further)}" if further else ""
    islands = "1 island" if search.islands == 1 else f"{search.islands} islands"
    return (
        f"{name}{units}: {islands} of {search.population}, seed {search.seed}, "
        f"in {recorder.folder}{again}"
    )


def _new_folder(name: str, seed: int) -> Path:
    folder = Path("runs") / f"{name}-{seed}"
    number = 2
    while folder.exists():
        folder = Path("runs") / f"{name}-{seed}-{number}"
        number += 1
    return folder
