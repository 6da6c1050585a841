"""`evolve` and `resume`: a search from whatever strings come from, kept in a folder if wanted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .._notebook import attach_to_run
from ..checks import check_threads, short
from ..corpus import Corpus
from ..errors import InputError
from ..files import PathLike
from ..kernels import compile_rest
from ..languages import Language, language_from, language_of_run
from ..machines import AnyMachine
from ..network import Encoding, Network, Objective
from ..proofs import Prover, Theorem, require
from ..runs import (
    BEST,
    CARD,
    CPU,
    PROVED,
    SHOWN,
    Recorder,
    begin,
    check_device,
    holds_run,
    read_settings,
    reopen,
)
from ..search import (
    UNLIMITED,
    Crew,
    OnProgress,
    Problem,
    Run,
    Search,
    Stop,
    check_room,
    connected,
    connected_cards,
    network_of,
)
from ._progress import Display, display_in_python

Kind = TypeVar("Kind")
CARD_ISLANDS = 256
"""Islands on a card, unless a search says otherwise. With more of them a card makes more steps a
second and fewer generations; where it was tried, it found worse networks in some minutes."""
NOWHERE_TO_HOLD = "hold_out needs a folder to keep the strings in; give one."
PROVED_RIGHT = "proved"
"""The one thing that a search can go on for."""


attach_to_run(Run)


def evolve(
    source: object,
    search: Search | None = None,
    *,
    stop: Stop | None = None,
    until: str | None = None,
    objective: Objective | str | None = None,
    folder: PathLike | None = None,
    size: int | None = None,
    words: bool = False,
    hold_out: float | None = None,
    prove: bool = True,
    threads: int | None = None,
    executor: Executor | None = None,
    cluster: object = None,
    device: str | None = None,
    progress: bool | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """Search for the network that describes the strings of a source best.

    The source is a list of strings, a `Corpus`, a file, a task's name ('anbn', or 'anbn_100' with
    its training size) or a language. With `folder` the run is kept there, and `resume` goes on with
    it. `until="proved"` goes on until a network is proved right for every string of the language;
    without it, and where the language is known, the best network is proved at the end unless
    `prove` is False. `hold_out` keeps a share of the strings out of the search, in the folder.

    In a terminal or a notebook the search shows how it goes unless `progress` is False.
    `on_progress` is told too, and may return True to stop. Ctrl-C stops the search and gives back
    the run so far.

    Islands are advanced by as many threads as there are cores, or by the executor or the cluster
    given: a Dask client, the address of a scheduler ('tcp://host:8786'), 'local:8' for so many
    processes of this machine, or a YAML file for a batch system. The same seed gives the same
    networks on any of them. With `device="cuda"` they are advanced by a graphics card, 256 of them
    unless a search is given, or by the cards of the cluster's workers; it repeats itself, on any
    number of cards, and finds other networks than the CPU.
    """
    display = display_in_python(progress)
    return start(
        source, search, stop=stop, until=until, objective=objective, folder=folder, size=size,
        words=words, hold_out=hold_out, prove=prove, threads=threads, executor=executor,
        cluster=cluster, device=device, display=display, on_progress=on_progress,
    )  # fmt: skip


def resume(
    folder: PathLike,
    *,
    stop: Stop | None = None,
    until: str | None = None,
    corpus: object = None,
    prove: bool = True,
    threads: int | None = None,
    executor: Executor | None = None,
    cluster: object = None,
    device: str | None = None,
    progress: bool | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """Go on with the run in a folder, exactly as if it had never stopped.

    `stop` gives it other limits, which count from the very start of the run; without it they stay.
    Nothing else can change: a corpus, where one is given, must be the run's own. A run goes on on
    the device that it was on, or on the one given, and finds other networks there.
    """
    display = display_in_python(progress)
    return go_on(
        folder, stop=stop, until=until, corpus=corpus, prove=prove, threads=threads,
        executor=executor, cluster=cluster, device=device, display=display,
        on_progress=on_progress,
    )  # fmt: skip


def start(
    given: object,
    search: Search | None,
    *,
    stop: Stop | None,
    until: str | None,
    objective: Objective | str | None,
    folder: PathLike | Callable[[Language], Path] | None,
    size: int | None,
    words: bool,
    hold_out: float | None,
    display: Display,
    prove: bool = True,
    threads: int | None = None,
    executor: Executor | None = None,
    cluster: object = None,
    device: str | None = None,
    crew: Crew | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """`evolve`, with the display given; a folder may be named after the source."""
    check_where(device, threads, executor, cluster, crew)
    if search is None and device == CARD:
        search = Search(islands=CARD_ISLANDS)
    search = _value(search, Search, "search")
    stop = _value(stop, Stop, "stop")
    check_common(until, threads, executor, cluster)
    workers = _workers(cluster, crew, device)
    source = language_from(given, size=size, words=words)
    if hold_out is not None and folder is None:
        raise InputError(NOWHERE_TO_HOLD)
    asked = asked_for(source, search, stop, until, objective, hold_out, prove)
    home = folder(source) if callable(folder) else folder
    opened = begin(home, asked.problem, asked.stop, asked.about, asked.held_out, device or CPU)
    return carry_out(
        opened, workers, asked.machine, until, prove, threads, executor, display, on_progress
    )


class Asked(NamedTuple):
    """A new run as a user asked for it, with all that can be known before it begins."""

    problem: Problem
    stop: Stop
    about: dict[str, Any]
    """What the strings came from."""
    held_out: Corpus | None
    machine: AnyMachine | None
    """What a proof is about, if it can be."""
    until: str | None
    prove: bool


def asked_for(
    source: Language,
    search: Search,
    stop: Stop,
    until: str | None,
    objective: Objective | str | None,
    hold_out: float | None,
    prove: bool,
) -> Asked:
    if until is not None:
        _demand(source)
        stop = _unlimited(stop)
    corpus = source.corpus()
    held: Corpus | None = None
    if hold_out is not None:
        corpus, held = corpus.split(hold_out, search.seed)
    encoding = search.encoding_for(source.encoding())
    search = replace(search, encoding=encoding)
    problem = Problem(corpus, search, encoding, _objective(objective))
    check_room(problem)  # before anything is written
    return Asked(problem, stop, source.about(), held, source.machine, until, prove)


def go_on(
    folder: PathLike,
    *,
    stop: Stop | None,
    until: str | None,
    corpus: object,
    display: Display,
    prove: bool = True,
    threads: int | None = None,
    executor: Executor | None = None,
    cluster: object = None,
    device: str | None = None,
    crew: Crew | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """`resume`, with the display given."""
    if not isinstance(folder, str | Path) and not hasattr(folder, "__fspath__"):
        raise InputError(f"{short(folder)} is no folder; give the folder that a run was saved in.")
    if stop is not None:
        stop = _value(stop, Stop, "stop")
    check_common(until, threads, executor, cluster)
    home = Path(folder)
    before = read_settings(home).device if holds_run(home) else CPU
    check_where(device or before, threads, executor, cluster, crew)
    workers = _workers(cluster, crew, device or before)
    source = run_source(home) if holds_run(home) else None
    if until is not None and source is not None:
        _demand(source)
        stop = _unlimited(stop or read_settings(home).stop)
    words = source is not None and source.words
    known = None if corpus is None else language_from(corpus, words=words).corpus()
    opened = reopen(home, known, stop, device)
    if device is not None and device != before:
        display.say(
            f"this run was on the device {before} and continues on {device}, where it finds other "
            "networks than it would have found there."
        )
    machine = None if source is None else source.machine
    return carry_out(
        opened, workers, machine, until, prove, threads, executor, display, on_progress
    )


def run_source(folder: Path) -> Language:
    """What the strings of a run came from, as far as its folder tells."""
    about = read_settings(folder).corpus
    known = language_of_run(about)
    if known is not None:
        return known
    name = str(about.get("name", "a corpus"))
    return Language(name, name, words=bool(about.get("words")))


def carry_out(
    opened: AbstractContextManager[Recorder],
    workers: AbstractContextManager[Any],
    machine: AnyMachine | None,
    until: str | None,
    prove: bool,
    threads: int | None,
    executor: Executor | None,
    display: Display,
    on_progress: OnProgress | None,
) -> Run:
    """A run to its end, and what is proved then."""
    prover = None if machine is None else Prover(machine)

    def tell(progress: Any) -> bool:
        display(progress)
        return bool(on_progress(progress)) if on_progress is not None else False

    with workers as crew, opened as recorder:
        with display:
            display.announce(title_of(recorder))
            run = recorder.evolve(executor, threads, tell, prover if until else None, crew)
        compile_rest()
        theorem = None
        if prover is not None and (prove or run.reason == PROVED_RIGHT):
            theorem = _theorem(prover, run, recorder.problem)
        if theorem is not None:
            _keep(recorder, run, theorem)
    return replace(run, theorem=theorem)


def _theorem(prover: Prover, run: Run, problem: Problem) -> Theorem | None:
    """What is proved at the end of a run."""
    if run.reason == "stopped":
        return None
    if not prover.can_prove:
        return Theorem(None)
    if run.reason == PROVED_RIGHT:
        return Theorem(prover.first_proved())
    proof = prover.prove(run.best)
    if proof.proved:
        return Theorem(proof)
    others = runners_up(run, problem)
    other = prover.another(others)
    if other is None:
        return Theorem(proof)
    # A proof names the symbols of a network that has no names for them.
    more = next(mdl for network, mdl in others.items() if _same(network, other.network))
    return Theorem(proof, other, more - run.score.mdl)


def _same(network: Network, proved: Network) -> bool:
    return network.units == proved.units and network.connections == proved.connections


def _keep(recorder: Recorder, run: Run, theorem: Theorem) -> None:
    found = theorem.proved or theorem.proof
    if found is None:
        return
    is_best = found.network == run.best
    head, rows = found.table()
    data = found.to_dict() | {
        "language": found.title,
        "file": BEST if is_best else PROVED,
        "network": found.network.to_dict(),
        "table": {"head": head, "rows": rows},
    }
    recorder.keep_theorem(data, None if is_best or not found.proved else found.network)


def runners_up(run: Run, problem: Problem) -> dict[Network, float]:
    """Networks with their MDL: those of the front, best first, then the best of each island;
    without the best of all."""
    front = sorted(run.front, key=lambda entry: entry[1].mdl)
    others = {network: score.mdl for network, score in front[:SHOWN]}
    for g, d_given_g, row in run.archipelago.best_entries():
        others.setdefault(network_of(problem, row), g + d_given_g)
    return {network: mdl for network, mdl in others.items() if network != run.best}


def title_of(recorder: Recorder) -> str:
    """What a run is called when it begins."""
    problem = recorder.problem
    search, encoding = problem.search, problem.encoding
    start = recorder.start
    again = "" if start is None else f", from generation {start.generation:,}"
    name = recorder.settings.corpus.get("name", "a corpus")
    further = [unit for unit in encoding.activations if unit not in Encoding.activations]
    if encoding.products:
        further.append("products")
    if encoding == Encoding.every_part():
        further = []
    units = f", with {' and '.join(further)}" if further else ""
    islands = "1 island" if search.islands == 1 else f"{search.islands} islands"
    where = "" if recorder.folder is None else f", in {recorder.folder}"
    return f"{name}{units}: {islands} of {search.population}, seed {search.seed}{where}{again}"


def _demand(source: Language) -> None:
    """Refuse `until` before anything is written, where it cannot come true."""
    if source.machine is None:
        raise InputError(
            f"{source.name} has no machine that a proof could be about, so nothing can be proved "
            "on the way; give a task, a notation such as a^n b^n, a language file, or a grammar "
            "that mdlrnn language makes a machine of."
        )
    require("z3", "a search until something is proved")


def _unlimited(stop: Stop) -> Stop:
    return replace(stop, generations=UNLIMITED) if stop.generations is None else stop


def _workers(cluster: object, crew: Crew | None, device: str | None) -> AbstractContextManager[Any]:
    """Who advances the islands, if it is not threads, an executor or the card of this process."""
    if cluster is None:
        return nullcontext(crew)
    return connected_cards(cluster) if device == CARD else connected(cluster)


def check_where(
    device: object,
    threads: object,
    executor: object = None,
    cluster: object = None,
    crew: object = None,
) -> None:
    """Refuse a device that is not there before anything is written."""
    if device is None:
        return
    check_device(device)
    if device == CARD:
        if any(given is not None for given in (threads, executor, crew)):
            raise InputError(
                "threads, executors and MPI are for the CPU; leave them out with the "
                f"device {CARD}."
            )
        if cluster is not None:
            return  # its workers are asked when it is there
        # Imported here: without a card nothing of CUDA is needed.
        from ..kernels import gpu

        gpu.require_card()


def check_common(until: object, threads: object, executor: object, cluster: object) -> None:
    if until not in (None, PROVED_RIGHT):
        raise InputError(f'until is {short(until)}; give "{PROVED_RIGHT}" or leave it out.')
    check_threads(threads)
    if cluster is not None and (threads is not None or executor is not None):
        raise InputError(
            "threads and an executor are for this machine; leave them out with a cluster."
        )
    if executor is not None and not hasattr(executor, "submit"):
        raise InputError(
            f"the executor is {short(executor)}; give one of concurrent.futures, or Dask's."
        )


def _value(given: Kind | None, kind: type[Kind], name: str) -> Kind:
    if given is None:
        return kind()
    if not isinstance(given, kind):
        raise InputError(f"{name} is {short(given)}; make it with {kind.__name__}(...).")
    return given


def _objective(given: Objective | str | None) -> Objective:
    if given is None:
        return Objective()
    return (
        Objective.named(given) if isinstance(given, str) else _value(given, Objective, "objective")
    )
