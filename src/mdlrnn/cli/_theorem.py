"""The theorem at the end of a run, where the corpus is a task's and the extra `prove` is there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import InputError
from .._network import Network

if TYPE_CHECKING:
    from .._evolve import Run
    from .._runs import Recorder
    from ..proofs._proof import Proof

SECONDS = 15.0
"""For a proof in a run."""
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

    def lines(self, run: Run) -> list[str]:
        if self.proof is None:
            return [HINT]
        if not self.proof.proved:
            return [self.proof.statement]
        other = "" if self.proof.network == run.best else f" (The network in {PROVED}.)"
        return [f"Theorem. {self.proof.statement}{other}"]

    def to_dict(self) -> dict[str, Any] | None:
        return None if self.proof is None else self.proof.to_dict()


class Prover:
    """Looks at the networks of a run, at none of them twice."""

    def __init__(self, recorder: Recorder) -> None:
        from ..proofs._solver import available

        task = recorder.settings.corpus.get("task")
        self.folder = recorder.folder
        self.language = None if task is None else task_language(task)
        self.can = available("z3")
        self.found: dict[str, Proof] = {}

    def __call__(self, networks: list[Network]) -> str | None:
        """A reason to stop: one of the networks is proved, and saved."""
        for network in networks:
            proof = self.prove(network)
            if proof.proved:
                network.save(self.folder / PROVED)
                return "proved"
        return None

    def prove(self, network: Network) -> Proof:
        from ..proofs._prove import prove

        assert self.language is not None
        key = network.to_json()
        if key not in self.found:
            self.found[key] = prove(network, self.language, seconds=SECONDS)
        return self.found[key]

    def conclude(self, run: Run) -> Theorem | None:
        if self.language is None or run.reason == "stopped":
            return None
        if not self.can:
            return Theorem(None)
        if run.reason == "proved":
            return Theorem(next(proof for proof in self.found.values() if proof.proved))
        return Theorem(self.prove(run.best))
