"""`mdlrnn evolve`: search, kept in a folder; or go on with a search that was."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..errors import InputError
from ..interface import (
    CARD_ISLANDS,
    EXIT_CODE,
    Display,
    StopSignals,
    display_for,
    go_on,
    parse_time,
    run_seeds,
    say,
    seeds_on_cards,
    seeds_table,
    start,
)
from ..languages import Language, language_from
from ..network import OBJECTIVES, SCHEMES, Encoding
from ..runs import CARD, DEVICES, holds_run, read_settings
from ..search import GENERATIONS, LIMITS, UNLIMITED, Crew, Progress, Run, Search, Stop, mpi_crew
from ._group import command
from ._options import SEARCHES, cluster_option, json_option, listed, threads_option, words_option
from ._outcome import print_json, print_outcome

_ENCODING = ("encoding", "activations", "products")
Command = TypeVar("Command", bound=Callable[..., Any])


def _number(name: str, default: int, text: str) -> Callable[[Command], Command]:
    return click.option(name, type=int, metavar="N", help=f"{text} [default: {default:,}]")


def _rate(name: str, text: str) -> Callable[[Command], Command]:
    default = getattr(Search, name)
    option = "--" + name.replace("_", "-")
    return click.option(option, type=float, metavar="P", help=f"{text} [default: {default}]")


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

    return click.option(name, field, metavar=metavar, callback=read, help=text)


@command()
@click.argument("source", metavar="[SOURCE]", required=False)
@click.option("--out", metavar="DIR", help="A new folder for the run, by default in ./runs.")
@click.option("--resume", metavar="DIR", help="Go on with the run in this folder.")
@_number("--seed", Search.seed, "The same seed gives the same networks.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    metavar="N",
    help="So many runs with seeds one after the other; the best is shown, all are kept.",
)
@_limit(
    "--generations", "generations", "N",
    "Stop after so many, counted from the start. "
    f"[default: {GENERATIONS:,}; no limit with --time]",
)  # fmt: skip
@_limit("--time", "seconds", "TIME", "Stop after 90s, 10m or 1h30m, counted from the start.")
@_limit("--target", "target", "SCORE", "Stop when the best score is this or less.")
@_limit("--patience", "patience", "N", "Stop after so many generations without improvement.")
@threads_option
@cluster_option
@click.option(
    "--device",
    type=click.Choice(DEVICES),
    help="cuda: on a graphics card, or those of a cluster.  [default: cpu; with --resume as "
    "before]",
)
@click.option("--mpi", is_flag=True, help="Run on the processes that mpirun started.")
@click.option(
    "--search",
    "kind",
    type=click.Choice(list(SEARCHES)),
    help="paper: as in the paper, with 250 islands.",
)
@_number("--islands", Search.islands, f"Populations that evolve apart; {CARD_ISLANDS:,} on a card.")
@_number("--population", Search.population, "Networks on each island.")
@_number("--tournament", Search.tournament, "Networks that compete at each step.")
@_rate("further_mutation_rate", "Chance to mutate once more.")
@_rate("redraw_weight_rate", "Chance to redraw a weight instead of changing it.")
@_rate("compound_mutation_rate", "Chance to change a whole unit at once.")
@_rate("crossover_rate", "Chance to take an output from another network.")
@_rate("stack_rate", "Chance to add a stack, where its parts are allowed.")
@click.option(
    "--saturation/--no-saturation",
    default=None,
    help="Cut sums to ±10^6 before the activation, as in the paper. [default: on]",
)
@click.option(
    "--unrestricted/--restricted",
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
    help="On half of the islands offspring compete with their parents only.",
)
@click.option("--restarts/--no-restarts", default=None, help="Restart islands when they stagnate.")
@_number("--migration-size", Search.migration_size, "Networks that an island sends on.")
@_number("--migration-interval", Search.migration_interval, "Generations between migrations.")
@_limit(
    "--migration-seconds", "migration_seconds", "TIME",
    "Migrate also after so long; such a run cannot be repeated.",
)  # fmt: skip
@click.option(
    "--objective", type=click.Choice(list(OBJECTIVES)), help="What is minimised. [default: mdl]"
)
@click.option(
    "--encoding",
    type=click.Choice(list(SCHEMES)),
    help="How |G| is counted. [default: paper for the paper's tasks, else parts]",
)
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
    help="Go on until a network is proved right for every string of the language.",
)
@words_option
@click.option("--quiet", is_flag=True, help="Say nothing but the end.")
@json_option
def evolve(
    source: str | None,
    out: str | None,
    resume: str | None,
    seeds: int | None,
    threads: int | None,
    cluster: str | None,
    device: str | None,
    mpi: bool,
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
    """Search for the network that describes SOURCE best, and keep the run in a folder.

    SOURCE is a text file, one string a line (a count and a TAB may stand before it); or a language
    whose strings are drawn: a notation ("a^n b^3n"), a language file (.lang), a grammar (.pcfg, in
    NLTK's notation) or a task (`mdlrnn language` lists them); or an .npz file with the arrays
    inputs, targets and, if sequences differ in length, lengths. Dyck-2 comes with mod3 and product
    units, as in the paper, unless --activations or --products is given.

    Ctrl-C stops the run and saves it. With --resume DIR a run goes on exactly where it stood; the
    limits --generations, --time, --target and --patience may then be changed (none lifts one),
    everything else stays as it was.
    """
    ctx = click.get_current_context()
    given = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    limits = {name: given.pop(name) for name in LIMITS if name in given}
    if resume is None and source is None:
        raise InputError("no source is given; name one, or a run to go on with: --resume DIR.")
    until = "proved" if until_proved else None
    display = display_for(quiet, as_json)
    if mpi and (cluster is not None or threads is not None):
        raise InputError("--mpi has its own processes; leave out --cluster and --threads.")
    if mpi and device == CARD:
        raise InputError("--mpi is for the CPU; leave it out with --device cuda.")

    def carry_out(crew: Crew | None, signals: StopSignals) -> list[Run]:
        def tell(progress: Progress) -> bool:
            return signals.asked

        common: dict[str, Any] = {
            "until": until, "threads": threads, "cluster": cluster, "device": device,
            "crew": crew, "display": display, "on_progress": tell,
        }  # fmt: skip
        if resume is None:
            assert source is not None
            common |= {"size": size, "words": words, "hold_out": hold_out}
            if seeds is None:
                return [_new(source, given, limits, kind, objective, out, **common)]

            def one(seed: int, home: Path | None) -> Run:
                seeded = given | {"seed": seed}
                common["display"] = display_for(quiet, as_json)
                return _new(source, seeded, limits, kind, objective, home, **common)

            first = given.get("seed", Search.seed)
            name = language_from(source, size=size, words=words).name
            home = Path(out) if out is not None else _new_folder(name, "seeds")
            if device == CARD and cluster is not None:
                search, stop = _search_and_stop(given, limits, kind, CARD)
                return seeds_on_cards(
                    source, search, seeds, home, cluster=cluster, stop=stop, until=until,
                    objective=objective, size=size, words=words, hold_out=hold_out,
                    threads=threads, shown=not quiet, is_stopped=lambda: signals.asked,
                )  # fmt: skip
            return run_seeds(first, seeds, one, home)
        if out is not None or kind is not None or hold_out is not None or seeds is not None:
            raise InputError(
                "--out, --search, --hold-out and --seeds are for new runs; leave them out with "
                "--resume."
            )
        return [_resumed(Path(resume), source, given, limits, objective, words, **common)]

    with mpi_crew() if mpi else nullcontext() as crew:
        if mpi and crew is None:
            return  # a worker, whose work is done
        with StopSignals(display.say) as signals:
            runs = carry_out(crew, signals)
    if as_json:
        print_json(runs[0])
    else:
        if seeds is not None:
            say(seeds_table(runs) + "\n\nThe best of these:\n")
        print_outcome(runs[0])
    if any(run.reason == "stopped" for run in runs):
        ctx.exit(EXIT_CODE)


def _new(
    source: str,
    given: dict[str, Any],
    limits: dict[str, Any],
    kind: str | None,
    objective: str | None,
    out: str | Path | None,
    **common: Any,
) -> Run:
    search, stop = _search_and_stop(given, limits, kind, common["device"])

    def folder(known: Language) -> Path:
        return Path(out) if out is not None else _new_folder(known.name, search.seed)

    return start(source, search, stop=stop, objective=objective, folder=folder, **common)


def _search_and_stop(
    given: dict[str, Any], limits: dict[str, Any], kind: str | None, device: str | None
) -> tuple[Search, Stop]:
    if device == CARD and kind != "paper":
        given = {"islands": CARD_ISLANDS, **given}
    search, encoding = _search(given, kind)
    stop = Stop(**limits)
    if kind == "paper" and stop.generations is None:
        stop = replace(stop, generations=GENERATIONS)
    return replace(search, **encoding), stop


def _search(given: dict[str, Any], kind: str | None) -> tuple[Search, dict[str, Any]]:
    """The search asked for, and its encoding if one is."""
    asked = {name: given[name] for name in _ENCODING if name in given}
    plain = {name: value for name, value in given.items() if name not in _ENCODING}
    search = replace(SEARCHES[kind or "default"](), **plain)
    scheme = asked.get("encoding")
    if not asked.keys() & {"activations", "products"}:
        return search, {"encoding": scheme}
    encoding = Encoding(scheme or Encoding.scheme)
    if "activations" in asked:
        encoding = replace(encoding, activations=listed(asked["activations"]))
    return search, {"encoding": replace(encoding, products=bool(asked.get("products")))}


def _resumed(
    folder: Path,
    source: str | None,
    given: dict[str, Any],
    limits: dict[str, Any],
    objective: str | None,
    words: bool,
    *,
    display: Display,
    **common: Any,
) -> Run:
    stop = None
    if holds_run(folder):
        stop = _checked_settings(folder, given, limits, objective)
    corpus = None if source is None else language_from(source, words=words)
    return go_on(folder, stop=stop, corpus=corpus, display=display, **common)


def _checked_settings(
    folder: Path, given: dict[str, Any], limits: dict[str, Any], objective: str | None
) -> Stop | None:
    """The run's limits with those given now; anything else that is given must be as it was."""
    settings = read_settings(folder)
    encoding = settings.encoding
    kept = {
        **settings.search.to_dict(),
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
            option = "--" + name.replace("_", "-")
            raise InputError(
                f"{option} cannot change when a run goes on; leave it out, or start a new run."
            )
    return replace(settings.stop, **limits) if limits else None


def _new_folder(name: str, seed: int | str) -> Path:
    folder = Path("runs") / f"{name}-{seed}"
    number = 2
    while folder.exists():
        folder = Path("runs") / f"{name}-{seed}-{number}"
        number += 1
    return folder
