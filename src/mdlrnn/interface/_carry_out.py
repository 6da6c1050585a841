"""A run from its request to its end, with what is proved and what it has learned then."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from .._notebook import attach_to_run
from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..extraction import Verdict
from ..files import PathLike
from ..kernels import compile_rest
from ..languages import Language
from ..network import Encoding, Network, Objective
from ..proofs import Prover, require
from ..runs import (
    Recorder,
    begin,
    conclude,
    kept_proof,
    verdict_of,
)
from ..search import (
    NewCrew,
    OnProgress,
    Problem,
    Run,
    Search,
    Stop,
    WorkersSpec,
    beside,
    check_room,
    network_of,
)
from ..waiting import doing
from ._expressions import with_expression
from ._progress import Display
from ._proving import Proving
from ._text import time_text


def verdict_by_run(run: Run) -> Verdict:
    """The verdict on the best network. In a folder it is written down, so that nothing is found
    again."""
    before = run.concluded
    if before is not None and (before.theorem is not None or before.learned is not None):
        return before
    found = conclude(
        run.best, corpus=run.corpus, folder=run.out, found=run.found, origin=run.origin
    )  # fmt: skip
    return found if before is None else replace(before, learned=found.learned)


Kind = TypeVar("Kind")
PATIENCE = 5_000
"""Generations without improvement after which a run on strings ends that nothing else ends."""
RUNNERS_UP = 5
"""Networks of the front that are looked at where the best one is not proved."""
PROVED_RIGHT = "proved"
"""Why a run ended that was to go on until something is proved."""


attach_to_run(Run)


class Request(NamedTuple):
    """A new run as a user asked for it, with all that can be known before it begins."""

    problem: Problem
    stop: Stop
    about: dict[str, Any]
    """What the strings came from."""
    held_out: Corpus | None
    language: Language
    """What the strings came from."""
    prove: bool


def request_for(
    source: Language,
    search: Search,
    seed: int,
    stop: Stop,
    objective: Objective | str | None,
    hold_out: float | None,
    prove: bool,
) -> Request:
    corpus = source.corpus()
    if stop.proved:
        check_provable(source, corpus)
        if source.rules is None and stop == Stop(proved=True):
            stop = replace(stop, patience=PATIENCE)
    held: Corpus | None = None
    if hold_out is not None:
        corpus, held = corpus.split(hold_out, seed)
    encoding = search.encoding_for(source.encoding())
    search = replace(search, encoding=encoding)
    problem = Problem(corpus, search, encoding, _objective(objective), seed)
    check_room(problem)  # before anything is written
    return Request(problem, stop, source.about(), held, source, prove)


def begun(
    request: Request,
    out: PathLike | None,
    spec: WorkersSpec,
    new_crew: NewCrew,
    display: Display,
    on_progress: OnProgress | None,
) -> Run:
    """A new run, to its end."""
    problem, stop, about, held_out, language, prove = request
    opened = begin(out, problem, stop, about, held_out, spec.device)
    return carry_out(opened, new_crew, language, prove, display, on_progress)


def carry_out(
    opened: AbstractContextManager[Recorder],
    new_crew: NewCrew,
    language: Language | None,
    prove: bool,
    display: Display,
    on_progress: OnProgress | None = None,
) -> Run:
    """A run to its end, and what is proved then."""
    machine = None if language is None else language.machine
    prover = None if machine is None else Prover(machine)

    is_compiling = False

    def tell(progress: Any) -> bool:
        nonlocal is_compiling
        if not is_compiling:  # now that the search is compiled
            is_compiling = True
            compile_rest()
        display(progress)
        stop_requested = on_progress is not None and bool(on_progress(progress))
        return stop_requested or display.is_stopped()

    with new_crew() as crew, opened as recorder:
        if prover is not None and recorder.folder is not None:
            prover.remember(kept_proof(recorder.folder, prover.machine))
        aside = beside(recorder.problem, recorder.settings.stop)
        proving: Proving | None = None
        if recorder.settings.stop.proved:
            kept = None
            if prover is None and recorder.start is not None and recorder.folder is not None:
                kept = verdict_of(recorder.folder, seconds=0, proving=0).learned
            proving = Proving(recorder.problem.corpus, prover, aside, kept)
        with display:
            display.announce(title_of(recorder))
            run = _ended(recorder, crew, tell, proving)
            if aside is not None and run.objective == Objective():
                with doing("searching for expressions"):
                    found = aside.result(cancel=run.reason in ("time", "stopped"))
                run = with_expression(run, found, recorder)
        compile_rest()
        about: dict[str, Any] = {
            "corpus": run.corpus, "folder": recorder.folder, "found": run.found,
            "origin": run.origin,
        }  # fmt: skip
        inside = None if proving is None else proving.inside
        if inside is not None and inside.network == run.best:
            return replace(run, concluded=conclude(run.best, inside=inside, **about))
        if prover is None or run.reason == "stopped" or not (prove or run.reason == PROVED_RIGHT):
            return run
        proofs = _proofs(prover, run, recorder.problem)
        return replace(
            run, concluded=conclude(run.best, language, seconds=0, proving=0, **proofs, **about)
        )  # fmt: skip


def _ended(recorder: Recorder, crew: Any, tell: OnProgress, proving: Proving | None) -> Run:
    try:
        return recorder.evolve(crew, tell, proving)
    finally:
        if proving is not None:
            proving.close()


def _proofs(prover: Prover, run: Run, problem: Problem) -> dict[str, Any]:
    """What is proved at the end of a run, of the best network or of another."""
    if not prover.can_prove:
        return {}
    proof = None if run.reason == PROVED_RIGHT else prover.prove(run.best)
    if proof is not None and proof.proved:
        return {"proof": proof}
    others = runners_up(run, problem)
    other = prover.first_proved() if proof is None else prover.another(others)
    if other is None:
        return {"proof": proof}
    if _same(run.best, other.network):
        return {"proof": other}
    # A proof names the symbols of a network that has no names for them.
    more = next(mdl for network, mdl in others.items() if _same(network, other.network))
    return {"proof": proof, "other": other, "more_bits": more - run.score.mdl}


def _same(network: Network, proved: Network) -> bool:
    return network.units == proved.units and network.connections == proved.connections


def runners_up(run: Run, problem: Problem) -> dict[Network, float]:
    """Networks with their MDL: those of the front, best first, then the best of each island;
    without the best of all."""
    front = sorted(run.front, key=lambda entry: entry[1].mdl)
    others = {network: score.mdl for network, score in front[:RUNNERS_UP]}
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
    most = _most(recorder.settings.stop) if recorder.settings.stop.proved else ""
    about = f"{name}{units}: {islands} of {search.population}, seed {problem.seed}"
    return f"{about}{most}{where}{again}"


def _most(stop: Stop) -> str:
    """How long a run goes on at most that ends when something is proved."""
    if stop.seconds is not None:
        return f", for {time_text(stop.seconds)} at most"
    if stop.generations is not None:
        return f", for {stop.generations:,} generations at most"
    if stop.patience is not None:
        return f", until {stop.patience:,} generations bring nothing better at most"
    return ", without a limit"


def check_provable(source: Language, corpus: Corpus) -> None:
    """Refuse `Stop(proved=True)` before anything is written, where it cannot come true."""
    require("z3", "a search until something is proved")
    if source.machine is None and source.rules is not None:
        raise InputError(
            f"{source.name} has no machine that a proof could be about, so nothing can be proved "
            "on the way; give a task, a notation such as a^n b^n, a language file, or a grammar "
            "that mdlrnn language makes a machine of."
        )
    if source.machine is None and corpus.alphabet is None:
        raise InputError(
            f"{source.name} holds numbers, and a machine is read off networks over symbols, so "
            "nothing can be proved on the way; leave it out."
        )


def value_of(given: Kind | None, kind: type[Kind], name: str) -> Kind:
    if given is None:
        return kind()
    if not isinstance(given, kind):
        raise InputError(f"{name} is {short(given)}; make it with {kind.__name__}(...).")
    return given


def _objective(given: Objective | str | None) -> Objective:
    if isinstance(given, str):
        return Objective.named(given)
    return value_of(given, Objective, "objective")
