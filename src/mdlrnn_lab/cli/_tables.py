"""`mdlrnn lab table`, `probe`, `regularisers` and `bliss`: tables from searches that are kept and
gone on with; `mdlrnn lab atlas`: results as a site.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from mdlrnn import zoo
from mdlrnn.cli import SEARCHES, command, json_option, listed, numbers, workers_option
from mdlrnn.errors import InputError
from mdlrnn.files import check_writable, save
from mdlrnn.interface import (
    CARD_ISLANDS,
    EXIT_CODE,
    Display,
    StopSignals,
    columns,
    display_for,
    filled,
    parse_time,
    say,
    say_json,
    say_now,
)
from mdlrnn.languages import TASKS, Language, split_size
from mdlrnn.network import SCHEMES
from mdlrnn.runs import Recorder
from mdlrnn.search import (
    CARD,
    GENERATIONS,
    Progress,
    Search,
    Stop,
    WorkersSpec,
    client_of,
    crews_for,
    local_workers,
    workers_from,
)

from ..rnns import check_device, configurations, kept, train, with_size
from ..site import INDEX, SECONDS, TITLE
from ..site import atlas as make_atlas
from ..tables import (
    MOST_STRINGS,
    REGULARISERS,
    SEARCH_SECONDS,
    SEARCHED,
    STRINGS,
    Entry,
    Row,
    Runner,
    RunStopped,
    Sheet,
    bliss_notes,
    bliss_rows,
    bliss_table,
    cells,
    check_folder,
    csv_of,
    evolved_for,
    figures_of,
    flat,
    golden_figures,
    handful_table,
    has_published,
    judged,
    latex,
    probe_page,
    probe_sheet,
    regularisers_page,
    regularisers_sheet,
    row_text,
    table_page,
    table_sheet,
    unproved,
)
from ..tables import handful as handful_rows
from ..tables import probe as probe_objectives
from ._rnns import shown

Command = TypeVar("Command", bound=Callable[..., Any])

LABELS = {
    "probe": "table:partial_mdl",
    "table": "table:formal_lang_results",
    "regularisers": "table:regularisers",
}
"""The first two as in the paper."""


def _own_folder(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not value.strip():
        raise InputError("--out is empty; name a folder.")
    check_folder(Path(value))
    return value


def _in_a_folder(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Hours of searching should not end at a path that cannot be written."""
    if value is not None and not Path(value).parent.is_dir():
        raise InputError(f"--markdown is {value}, but there is no such folder; make it first.")
    if value is not None:
        check_writable(value)
    return value


def _search_options(minutes: int, plain: bool = False) -> Callable[[Command], Command]:
    """What each search is given, and where all is kept; `plain` without what changes a search."""
    search = (
        click.option(
            "--patience", type=click.IntRange(1), metavar="N",
            help="End a search after N generations without improvement.",
        ),
        click.option(
            "--search", "kind", type=click.Choice(list(SEARCHES)), default="default",
            show_default=True,
            help="paper: the paper's, with the paper's 25,000 generations and no limit of time "
            "unless one is given.",
        ),
        click.option(
            "--unrestricted", is_flag=True,
            help="Connect from outputs and to inputs, too, as --search paper always does.",
        ),
        click.option(
            "--encoding", type=click.Choice(list(SCHEMES)), default="tacl2022", show_default=True,
            help="How |G| is counted; published scores are under tacl2022.",
        ),
    )  # fmt: skip
    options = (
        click.option(
            "--time-per-run", metavar="TIME", help=f"Of each search. [default: {minutes}m]"
        ),
        click.option(
            "--generations", type=click.IntRange(1), metavar="N",
            help="Generations of each search, instead of a time; repeatable. With both, the limit "
            "that is reached first ends it.",
        ),
        *(() if plain else search),
        workers_option,
        click.option(
            "--out", metavar="DIR", required=True, callback=_own_folder,
            help="Where runs and tables are kept.",
        ),
        click.option(
            "--markdown", metavar="FILE", callback=_in_a_folder, help="Write the page here as well."
        ),
        click.option("--quiet", is_flag=True, help="Say nothing but the end."),
        json_option,
    )  # fmt: skip

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@command()
@click.option("--task", default="anbn_500", show_default=True, metavar="TASK")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--seeds", type=click.IntRange(1), default=1, show_default=True, metavar="N",
    help="How many seeds, counted from --seed.",
)  # fmt: skip
@_search_options(5)
def probe(
    task: str,
    seed: int,
    seeds: int,
    out: str,
    markdown: str | None,
    workers: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Search with each of five objectives: |G|, |D:G|, |D:G| + L1, |D:G| + L2 and |D:G| + |G|.

    Runs are kept in DIR; interrupted and called again, the command goes on where it was. The table
    is written there as probe.md, probe.tex and probe.csv.
    """
    known, size = with_size(task)
    search, stop = _search(5, **options)
    every = range(seed, seed + seeds)
    with _running(Path(out), workers_from(workers), quiet, as_json) as runner:
        rows = probe_objectives(known, size, search, every, stop, runner)
    beside = has_published(known, size)
    sheet = probe_sheet(rows, beside)
    notes = _notes(runner, len(rows))
    page = probe_page(rows, _command(), beside, notes)
    _write(Path(out), "probe", sheet, rows, page, markdown)
    if as_json:
        say_json(rows)
        return
    say(f"{known.title}, {size:,}; cross-entropy in hundredths of a bit a character\n")
    _show(sheet)
    say()
    for note in notes:
        say(filled(note))
    say(f"Saved in {out}: probe.md, probe.tex, probe.csv")


@command()
@click.option(
    "--tasks", "names", metavar="NAMES",
    help="Separated by commas; with a size behind it (anbn_100), that size only. [default: all]",
)  # fmt: skip
@click.option("--sizes", metavar="SIZES", help="Of these training sizes. [default: the paper's]")
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True)
@click.option("--with-rnn", is_flag=True, help="Train the classical RNNs too (extra baseline).")
@click.option("--no-proofs", is_flag=True, help="Leave the theorems out.")
@_search_options(15)
def table(
    names: str | None,
    sizes: str | None,
    seeds: int,
    with_rnn: bool,
    no_proofs: bool,
    out: str,
    markdown: str | None,
    workers: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Search on every task with every seed, and print the paper's main table beside one's own.

    What is done in DIR is kept; interrupted and called again, the command goes on where it was, and
    with more time or more seeds it does what is missing. The table is written there as table.md,
    table.tex and table.csv.
    """
    chosen = _chosen(names, sizes)
    search, stop = _search(15, **options)
    spec = workers_from(workers)
    if spec.device == CARD and options["kind"] != "paper":
        search = replace(search, islands=CARD_ISLANDS)
    if with_rnn and spec.cluster is None:
        check_device(spec.device)
    folder = Path(out)
    entries: list[Entry] = []
    with _running(folder, spec, quiet, as_json) as runner:
        for task, size in chosen:
            own = replace(search, islands=_islands(task, search, options["kind"]))
            runs = evolved_for(task, size, own, stop, range(1, seeds + 1), runner)
            entries.append(Entry(task, size, runs))
    is_cluster = with_rnn and spec.cluster is not None
    with client_of(spec.cluster) if is_cluster else nullcontext() as there:
        trainers = WorkersSpec(spec.device, cluster=there)
        for number, entry in enumerate(entries):
            rnns = _rnns(folder, entry, seeds, quiet, with_rnn, trainers)
            entries[number] = entry._replace(rnns=tuple(rnns))
    notes = _notes(runner, sum(len(entry.runs) for entry in entries))
    if not no_proofs:
        entries = [judged(entry, folder) for entry in entries]
        notes += unproved(entries)
    sheet = table_sheet(entries)
    rows = flat(entries)
    _write(folder, "table", sheet, rows, table_page(entries, _command(), notes), markdown)
    if as_json:
        say_json(rows)
        return
    _show(sheet)
    say("\nCE: test cross-entropy, hundredths of a bit a character; acc: test accuracy, %")
    for note in notes:
        say(filled(note))
    say(f"Saved in {out}: table.md, table.tex, table.csv")


@command()
@click.option("--tasks", "names", metavar="NAMES", help="Separated by commas. [default: all six]")
@click.option(
    "--regularisers", "kinds", metavar="NAMES",
    help=f"Of {', '.join(REGULARISERS)}, separated by commas. [default: all]",
)  # fmt: skip
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True)
@_search_options(1, plain=True)
def regularisers(
    names: str | None,
    kinds: str | None,
    seeds: int,
    time_per_run: str | None,
    generations: int | None,
    workers: str | None,
    out: str,
    markdown: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Search with |G|, L1, L2, no regulariser or a limit on size, from golden networks and from
    nothing, on the six tasks of Abudy and others (2025).

    Each search is kept as a file in DIR; interrupted and called again, the command makes those that
    are missing. The table is written there as regularisers.md, regularisers.tex and
    regularisers.csv.
    """
    folder = Path(out)
    tasks = zoo.golden_names() if names is None else listed(names)
    chosen = list(REGULARISERS) if kinds is None else listed(kinds)
    stop = Stop(generations, seconds=_seconds(1, time_per_run, generations))
    threads = local_workers(workers).threads
    wanted = cells(tasks, chosen, range(1, seeds + 1), stop)
    rows = []
    with StopSignals(lambda message: say(message, err=True)) as signals:
        golden = [golden_figures(task, folder) for task in dict.fromkeys(tasks)]
        for number, cell in enumerate(wanted, start=1):
            if not quiet and not as_json:
                say(f"{number} of {len(wanted)}: {cell.name}", err=True)
            try:
                rows.append(figures_of(cell, folder, threads, lambda progress: signals.asked))
            except RunStopped:
                say(
                    f"Stopped; what is done is in {folder}, and the same command goes on.", err=True
                )
                click.get_current_context().exit(EXIT_CODE)
    sheet = regularisers_sheet(golden, rows)
    plain = [{k: v for k, v in row.items() if k != "network"} for row in rows]
    page = regularisers_page(golden, rows, _command())
    _write(folder, "regularisers", sheet, plain, page, markdown)
    if as_json:
        say_json({"golden": golden, "searches": rows})
        return
    _show(sheet)
    say("\n|G|, |D:G|: bits; test: its |D:G| above the true distribution's")
    say(f"Saved in {out}: regularisers.md, regularisers.tex, regularisers.csv")


def _search(
    minutes: int,
    time_per_run: str | None,
    generations: int | None,
    patience: int | None,
    kind: str,
    unrestricted: bool,
    encoding: str,
) -> tuple[Search, Stop]:
    if generations is None and kind == "paper":
        generations = GENERATIONS
    seconds = _seconds(minutes, time_per_run, generations)
    search = replace(SEARCHES[kind](), encoding=encoding)
    search = replace(search, unrestricted=unrestricted or search.unrestricted)
    return search, Stop(generations=generations, patience=patience, seconds=seconds)


def _seconds(minutes: int, time_per_run: str | None, generations: int | None) -> float | None:
    """The time given; by default so many minutes, where no generations are."""
    if time_per_run is not None:
        return parse_time(time_per_run, "--time-per-run")
    return 60.0 * minutes if generations is None else None


def _islands(task: Language, search: Search, kind: str) -> int:
    """The paper has twice as many for Dyck-2 (section 4.4.1)."""
    return search.islands * (2 if kind == "paper" and task.name == "dyck2" else 1)


def _chosen(names: str | None, sizes: str | None) -> list[tuple[Language, int]]:
    """The tasks and sizes asked for, in the order of the paper's table."""
    wanted = list(TASKS) if names is None else dict.fromkeys(listed(names))
    only = None if sizes is None else numbers(sizes, "--sizes")
    found = []
    for name in wanted:
        task, size = with_size(name)
        own = (size,) if split_size(name)[1] else task.sizes
        found += [(task, size) for size in own if only is None or size in only]
    if not found:
        raise InputError(
            f"no task asked for has a training size in {sizes}; leave --sizes out for the paper's."
        )
    return list(dict.fromkeys(found))


@contextmanager
def _running(folder: Path, spec: WorkersSpec, quiet: bool, as_json: bool) -> Iterator[Runner]:
    """A runner whose searches are shown one after the other and stop on Ctrl-C."""
    shown: list[Display] = []

    def close() -> None:
        while shown:
            shown.pop().__exit__()

    def start(recorder: Recorder) -> None:
        close()
        display = display_for(quiet, as_json)
        display.__enter__()
        shown.append(display)
        display.announce(f"{recorder.settings.corpus.get('name')}, in {recorder.folder}")

    def tell(progress: Progress) -> bool:
        shown[-1](progress)
        return stop.asked

    def tell_now(message: str) -> None:
        (shown[-1] if shown else display_for(True, as_json)).say(message)

    with StopSignals(tell_now) as stop:
        try:
            with crews_for(spec) as new_crew:
                yield Runner(folder, start, tell, new_crew, spec.device)
        except RunStopped:
            close()
            say(f"Stopped and saved in {folder}; the same command goes on.", err=True)
            click.get_current_context().exit(EXIT_CODE)
        finally:
            close()


def _notes(runner: Runner, searches: int) -> list[str]:
    note = runner.note(searches)
    return [] if note is None else [note]


def _rnns(
    folder: Path,
    entry: Entry,
    seeds: int,
    quiet: bool,
    with_rnn: bool,
    workers: WorkersSpec,
) -> list[dict[str, Any]]:
    """The classical RNNs of a training set: trained where asked for, else what is there."""
    home = folder / "rnn" / entry.name
    if not with_rnn:
        return kept(home)
    with shown(quiet, folder) as tell:
        return train(
            home, entry.task, configurations(), size=entry.size, seeds=seeds, workers=workers,
            on_progress=tell,
        )  # fmt: skip


def _write(
    folder: Path,
    name: str,
    sheet: Sheet,
    rows: list[dict[str, Any]],
    page: str,
    markdown: str | None,
) -> None:
    caption = "Published figures and those found here; cross-entropy in hundredths of a bit."
    save(folder / f"{name}.md", page)
    save(folder / f"{name}.tex", latex(sheet, caption, LABELS[name]))
    save(folder / f"{name}.csv", csv_of(rows))
    if markdown is not None:
        save(markdown, page)


def _show(sheet: Sheet) -> None:
    """The first two columns are one on a screen, so that it stands before what is folded."""
    label = [f"{task} {whose}".strip() for task, whose, *_ in _filled(sheet)]
    width = max(map(len, label))
    rows = [[text.ljust(width), *row[2:]] for text, row in zip(label, sheet.rows, strict=True)]
    say(columns([" " * width, *sheet.head[2:]], rows, 1))


def _filled(sheet: Sheet) -> list[tuple[str, ...]]:
    """Rows with the name of the row above where they have none."""
    found: list[tuple[str, ...]] = []
    for row in sheet.rows:
        found.append(row if row[0] or not found else (found[-1][0], *row[1:]))
    return found


def _command() -> str:
    return shlex.join(["mdlrnn", *sys.argv[1:]])


@command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default="atlas", show_default=True,
    help="The folder of the site: a new one, or that of an atlas.",
)  # fmt: skip
@click.option("--title", default=TITLE, show_default=True, help="The heading of the index.")
@click.option(
    "--time", "limit", metavar="TIME", default=f"{SECONDS:g}s", show_default=True,
    help="For the proof of a network, and for what it has learned if there is none.",
)  # fmt: skip
@click.option("--docs", metavar="ADDRESS", help="Link to this page from the index.")
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="[default: one for each core]"
)
@click.option("--quiet", is_flag=True, help="Say nothing but the end.")
def atlas(
    results: Path, out: Path, title: str, limit: str, docs: str | None, workers: int | None,
    quiet: bool,
) -> None:  # fmt: skip
    """Write a site with a page for each language of a folder of results, and an index of them.

    RESULTS holds run folders, files of `python -m benchmarks.languages run`, or files of networks,
    at any depth. Each page has the language, the corpus, the network drawn, what it has learned,
    the theorem, and a page to step through strings. What was found out is kept in the site, so that
    a second call only does what is missing. The pages work offline.
    """
    made = make_atlas(
        results, out, title=title, seconds=parse_time(limit, "--time"),
        workers=workers or os.cpu_count() or 1, docs=docs,
        tell=None if quiet else lambda text: say(text, err=True),
    )  # fmt: skip
    for problem in made.problems:
        say(problem, err=True)
    languages = f"{made.languages:,} language{'' if made.languages == 1 else 's'}"
    exact = f", {made.only_exact:,} of them in exact numbers only" if made.only_exact else ""
    say(f"{languages}, {made.proved:,} proved{exact}; open {out / INDEX} in a browser")


@command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--languages", metavar="NAMES", help="an_bn,dyck_1, say. [default: all]")
@click.option("--sizes", metavar="NUMBERS", help="Training strings: 100,500, say. [default: all]")
@click.option("--time", "limit", metavar="TIME", help=f"Of each search. [default: {SEARCHED:.0f}s]")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--strings", type=click.IntRange(1, MOST_STRINGS), default=STRINGS, show_default=True,
    help="Test strings, shortest first.",
)  # fmt: skip
@workers_option
@click.option(
    "-o", "--out", type=click.Path(path_type=Path),
    help="Keep the table here, as JSON; what it has of the same version, time, seed and test "
    "strings is not made again.",
)  # fmt: skip
@json_option
def bliss(
    folder: Path, languages: str | None, sizes: str | None, limit: str | None, seed: int,
    strings: int, workers: str | None, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Search on every training set of BLISS and see how far the networks generalise.

    FOLDER is a clone of the benchmark of Lan, Chemla and Katzir (2023), as it is: zipped, with its
    password and masks. A test string is right if at every step with one possible symbol the network
    gives that the most, or for Dyck languages if it gives exactly the possible symbols 0.005 or
    more. A theorem answers for all strings at once. With another --time every search is made again;
    what FILE had before stays in it and is not shown.
    """
    rows: list[Row] = []
    stopped = False
    try:
        with StopSignals(say_now) as signals:
            for row in bliss_rows(
                folder,
                listed(languages) if languages else (),
                numbers(sizes, "--sizes") if sizes else (),
                stop=Stop(seconds=SEARCHED if limit is None else parse_time(limit, "--time")),
                search=None,
                strings=strings,
                workers=workers,
                seed=seed,
                out=out,
                tell=None if as_json else lambda text: say(text, err=True),
                is_stopped=lambda: signals.asked,
            ):
                rows.append(row)
    except RunStopped:
        stopped = True
    except Exception:
        if rows:
            _show_bliss(rows, as_json)
        raise
    if rows or as_json:
        _show_bliss(rows, as_json)
    if stopped:
        say(_stopped(out), err=True)
        click.get_current_context().exit(EXIT_CODE)


def _show_bliss(rows: list[Row], as_json: bool) -> None:
    if as_json:
        say_json(rows)
        return
    say(bliss_table(rows))
    for note in bliss_notes(rows):
        say(filled(note))


def _stopped(out: Path | None) -> str:
    if out is None:
        return "Stopped; with -o FILE what is done is kept, and the same command goes on."
    if not out.exists():
        return "Stopped before the first search was done; the same command begins again."
    return f"Stopped; what is done is in {out}, and the same command goes on."


@command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--languages", metavar="NAMES", help="AnBn,XX, say. [default: all]")
@click.option("--sizes", metavar="NUMBERS", default="1,10,100,1000", show_default=True)
@click.option("--seeds", metavar="NUMBERS", default="1", show_default=True, help="1,2,3, say.")
@click.option(
    "--time", "limit", metavar="TIME", help=f"Of each search. [default: {SEARCH_SECONDS:.0f}s]"
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path),
    help="Keep what is done here, a line of JSON each; it is not made again.",
)  # fmt: skip
def handful(
    folder: Path, languages: str | None, sizes: str, seeds: str, limit: str | None,
    out: Path | None,
) -> None:  # fmt: skip
    """Search on few strings, as the benchmark of Yang and Piantadosi (2022) does.

    FOLDER is a clone of the repository piantado/Fleet, or the folder in it with the strings. F
    compares the 25 likeliest strings of the answer with those of the language.
    """
    if out is not None:
        check_writable(out)
    rows = handful_rows(
        folder,
        listed(languages) if languages else (),
        numbers(sizes, "--sizes"),
        numbers(seeds, "--seeds"),
        SEARCH_SECONDS if limit is None else parse_time(limit, "--time"),
        out,
        lambda row: say(row_text(row), err=True),
    )
    say(handful_table(rows))
