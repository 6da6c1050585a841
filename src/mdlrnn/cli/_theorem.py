"""The theorem at the end of a run, where the corpus is a task's and the extra `prove` is there."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import InputError
from .._network import Network
from .._score import score

if TYPE_CHECKING:
    from .._corpus import Corpus
    from .._evolve import Run
    from .._runs import Recorder
    from .._tasks import Task
    from ..proofs._proof import Proof

SECONDS = 15.0
"""For a proof in a run."""
OTHERS_SECONDS = 20.0
"""At the end of a run, for all networks but the best together."""
LONGER = (29, 59, 149)
"""Strings of the language, shortest first, by place: a network must be right on them to be looked
at."""
PROVED = "proved.json"
HINT = 'With the extra prove, pip install "mdlrnn[prove]", a run ends with its theorem.'


def task_language(task: str) -> str | None:
    """The name under which `prove` knows the language of a run's corpus, if it does."""
    from .._tasks import TASKS
    from ..languages import Language
    from ._data import split_size

    name = split_size(task)[0]
    if name not in TASKS or not isinstance(TASKS[name].language, Language | None):
        return None
    return name


def demand(task: str | None) -> None:
    """Refuse --until-proved before anything is written, where it cannot come true."""
    from ..proofs._solver import require

    if task is None or Path(task).exists() or task_language(task) is None:
        raise InputError("--until-proved needs a language that is known; name one of mdlrnn tasks.")
    require("z3", "--until-proved")


@dataclass(frozen=True)
class Theorem:
    """What was found out; without a solver, nothing."""

    proof: Proof | None
    """Of the best network."""
    other: Proof | None = None
    """Of another, where only that is proved."""
    more: float = 0.0
    """The bits by which the other scores higher."""

    def lines(self, run: Run) -> list[str]:
        if self.proof is None:
            return [HINT]
        if self.other is not None:
            return [
                self.proof.statement,
                f"Theorem, of the network in {PROVED}, which scores {self.more:,.2f} bits more: "
                f"{self.other.statement}",
            ]
        if not self.proof.proved:
            return [self.proof.statement]
        other = "" if self.proof.network == run.best else f" (The network in {PROVED}.)"
        return [f"Theorem. {self.proof.statement}{other}"]

    def to_dict(self) -> dict[str, Any] | None:
        if self.proof is None:
            return None
        if self.other is None:
            return self.proof.to_dict()
        return self.proof.to_dict() | {"other": self.other.to_dict() | {"more": self.more}}


class Prover:
    """Looks at the networks of a run, at none of them twice."""

    def __init__(self, recorder: Recorder) -> None:
        from ..proofs._solver import available

        task = recorder.settings.corpus.get("task")
        self.folder = recorder.folder
        self.corpus = recorder.problem.corpus
        self.language = None if task is None else task_language(task)
        self.can = available("z3")
        self.found: dict[str, Proof] = {}

    def __call__(self, networks: list[Network]) -> str | None:
        """A reason to stop: one of the networks is proved, and saved."""
        for network in networks:
            if not self.is_lucky(network) and self.prove(network).proved:
                network.save(self.folder / PROVED)
                return "proved"
        return None

    def prove(self, network: Network, seconds: float = SECONDS) -> Proof:
        from ..proofs._prove import prove

        assert self.language is not None
        key = network.to_json()
        if key not in self.found:
            self.found[key] = prove(network, self.language, seconds=min(seconds, SECONDS))
        return self.found[key]

    def conclude(self, run: Run) -> Theorem | None:
        if self.language is None or run.reason == "stopped":
            return None
        if not self.can:
            return Theorem(None)
        if run.reason == "proved":
            return Theorem(next(proof for proof in self.found.values() if proof.proved))
        proof = self.prove(run.best)
        other = None if proof.proved else self.another(run)
        if other is None:
            return Theorem(proof)
        other.network.save(self.folder / PROVED)
        scored = score(other.network, self.corpus, run.search.code())
        return Theorem(proof, other, scored.mdl - run.score.mdl)

    def another(self, run: Run) -> Proof | None:
        """Of the runners-up the first that is proved: with few strings, lucky networks win."""
        ends = time.monotonic() + OTHERS_SECONDS
        for network in runners_up(run):
            left = ends - time.monotonic()
            if left <= 0:
                return None
            if not self.is_lucky(network) and (proof := self.prove(network, left)).proved:
                return proof
        return None

    def is_lucky(self, network: Network) -> bool:
        """Whether it is wrong on some string that is longer than most it was found with.

        That is soon known, while a solver takes seconds to say neither yes nor no.
        """
        from .._measure import measure_parts

        if self.longer is None:
            return False
        task, corpus = self.longer
        right, _ = measure_parts(network, task, [corpus])
        return right.deterministic_right < right.deterministic_steps

    @cached_property
    def longer(self) -> tuple[Task, Corpus] | None:
        from .._corpus import Corpus
        from .._tasks import TASKS

        task = TASKS[self.language or ""]
        if task.language is None:
            return None
        shortest = islice(task.language.strings(), LONGER[-1] + 1)
        strings = [string for number, string in enumerate(shortest) if number in LONGER]
        return task, Corpus.from_strings(strings)


def runners_up(run: Run) -> list[Network]:
    """Those of the front, best first, then the best of each island; without the best of all."""
    from .._kernels._genome import network_of
    from .._runs import SHOWN

    best = run.best
    front = sorted(run.front, key=lambda entry: entry[1].mdl)
    others = [network for network, _ in front[:SHOWN]]
    for row in run.archipelago.best_rows():
        others.append(network_of(row, best.inputs, best.outputs, best.alphabet))
    return [network for network in dict.fromkeys(others) if network != best]
