"""`evolve`, `resume` and `suggest`: search, go on with a search that is kept in a folder, and
construct networks without a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..checks import check_integer, short
from ..errors import InputError
from ..files import PathLike
from ..kernels import score_many
from ..languages import Language, language_from, language_of_run
from ..network import Encoding, Network, Objective
from ..old import knows_old
from ..runs import CORPUS, holds_run, read_corpus, read_settings, reopen
from ..search import (
    CARD,
    CPU,
    OnProgress,
    Run,
    Search,
    Stop,
    WorkersSpec,
    crews_for,
    suggested,
    workers_from,
)
from ._carry_out import Request, begun, carry_out, check_provable, request_for, value_of
from ._progress import Display, display_in_python
from ._seeds import run_seeds

CARD_ISLANDS = 256
"""Islands on a card, unless a search says otherwise. With more of them a card makes more steps a
second and fewer generations; where it was tried, it found worse networks in some minutes."""


@knows_old("evolve")
def evolve(
    strings: object,
    search: Search | None = None,
    *,
    stop: Stop | None = None,
    seed: int = 1,
    seeds: int | None = None,
    out: PathLike | None = None,
    workers: object = None,
    on_progress: OnProgress | None = None,
    objective: Objective | str | None = None,
    size: int | None = None,
    words: bool = False,
    hold_out: float | None = None,
    prove: bool = True,
    progress: bool | Display | None = None,
) -> Run:
    """Search for the network that describes strings best.

    The strings are a list, a `Corpus`, a file, a task's name ('anbn', or 'anbn_100' with its
    training size) or a language. With `out` the run is kept in that folder, and `resume` goes on
    with it. `Stop(proved=True)` goes on until a network is proved right for every string of the
    language, or on plain strings until what the best network has learned is proved of it for every
    length, and the strings fit it; without it, and where the language is known, the best network is
    proved at the end unless `prove` is False. `hold_out` keeps a share of the strings out of the
    search, in the folder.

    The same seed gives the same networks. With `seeds=4` there are four runs, with this seed and
    the next ones; the best is returned, and has the others as `others`. Every limit holds for each
    of them, and in `out` each has a folder of its own, `seed-1` and so on, beside a table of all.

    In a terminal or a notebook the search shows how it goes unless `progress` is False.
    `on_progress` is called too, and may return True to stop. Ctrl-C stops the search and gives back
    the run so far.

    `workers` says who does the work: a number of threads (by default, one for each core), an
    executor of `concurrent.futures`, a Dask client, the address of its scheduler
    ('tcp://host:8786'), 'local:8' for 8 processes of this machine, a YAML file for a batch system,
    or 'mpi' for the processes that mpirun started. The networks are the same. 'cuda' is the
    graphics card of this machine, with 256 islands unless a search is given; 'cuda@tcp://host:8786'
    or ('cuda', client) the cards of a cluster's workers. A card repeats itself, alone or among
    several, and finds other networks than the CPU.
    """
    spec = workers_from(workers)
    if search is None and spec.device == CARD:
        search = Search(islands=CARD_ISLANDS)
    search = value_of(search, Search, "search")
    stop = value_of(stop, Stop, "stop")
    check_integer("seed", seed, 0)
    if hold_out is not None and out is None:
        raise InputError("hold_out needs a folder to keep the strings in; give out=DIR.")
    display = display_in_python(progress)
    with crews_for(spec) as new_crew:
        source = language_from(strings, size=size, words=words)

        def request(seed: int) -> Request:
            return request_for(source, search, seed, stop, objective, hold_out, prove)

        if seeds is None:
            return begun(request(seed), out, spec, new_crew, display, on_progress)
        return run_seeds(seed, seeds, request, out, spec, new_crew, display, on_progress)


def suggest(strings: object, *, size: int | None = None, words: bool = False) -> list[Network]:
    """Networks that are constructed from strings, without evolution: those with the fewest bits
    first.

    The prefix tree of the strings is merged to automata, which also see the simple memories
    (counters, stacks, queues) that tell most about the next symbol, and a network runs each. A
    search begins with them unless `Search(founders=False)` says otherwise. There may be none.
    """
    corpus = language_from(strings, size=size, words=words).corpus()
    if corpus.alphabet is None:
        raise InputError(
            "the source holds numbers, and networks are constructed from strings; evolve one."
        )
    networks = list(dict.fromkeys(suggested(corpus, True)))
    scores = score_many(networks, corpus, Encoding.every_part())
    order = sorted(range(len(networks)), key=lambda place: scores[place].mdl)
    return [networks[place] for place in order]


@knows_old("resume")
def resume(
    out: PathLike,
    *,
    stop: Stop | None = None,
    workers: object = None,
    on_progress: OnProgress | None = None,
    corpus: object = None,
    prove: bool = True,
    progress: bool | Display | None = None,
) -> Run:
    """Go on with the run in a folder, exactly as if it had never stopped.

    `stop` gives it other limits, which count from the very start of the run; without it they stay.
    Nothing else can change: a corpus, where one is given, must be the run's own. Without `workers`
    a card's run continues on the card; on another device it finds other networks.
    """
    if not isinstance(out, str | Path) and not hasattr(out, "__fspath__"):
        raise InputError(f"{short(out)} is no folder; give the folder that a run was saved in.")
    if stop is not None:
        stop = value_of(stop, Stop, "stop")
    spec = workers_from(workers)
    display = display_in_python(progress)
    home = Path(out)
    settings = read_settings(home) if holds_run(home) else None
    before = CPU if settings is None else settings.device
    if workers is None:
        spec = WorkersSpec(before)
    with crews_for(spec) as new_crew:
        source = None if settings is None else _source_of(settings.corpus)
        words = source is not None and source.words
        known = None if corpus is None else language_from(corpus, words=words).corpus()
        if source is not None and settings is not None and (stop or settings.stop).proved:
            check_provable(source, known or read_corpus(home / CORPUS))
        opened = reopen(home, known, stop, spec.device)
        if settings is not None and spec.device != before:
            display.say(
                f"this run was on the device {before} and continues on {spec.device}, where it "
                "finds other networks than it would have found there."
            )
        return carry_out(opened, new_crew, source, prove, display, on_progress)


def _source_of(about: dict[str, Any]) -> Language:
    """What the strings of a run came from, as far as its folder tells."""
    known = language_of_run(about)
    if known is not None:
        return known
    name = str(about.get("name", "a corpus"))
    return Language(name, name, words=bool(about.get("words")))
