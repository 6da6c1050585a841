"""Runs that end with a theorem."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar, cast

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.data import is_one_sentence
from mdlrnn import InputError, Network, Search, Stop, evolve, learned, prove, resume, score, zoo
from mdlrnn.cli import cli
from mdlrnn.interface._proving import FIRST_TRY, Job, Proving, _Worker, solved
from mdlrnn.languages import TASKS
from mdlrnn.languages._paper import anbn
from mdlrnn.machines._machine import Machine
from mdlrnn.proofs._proof import Proof
from mdlrnn.proofs._prove import Prover
from mdlrnn.proofs._smt import IN_RUN, Claim
from mdlrnn.results import Learned, Progress
from mdlrnn.search import Archipelago

Run = Callable[..., Result]
SMALL = ("--set", "islands=4", "--set", "population=60", "--quiet")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Result:
        return CliRunner().invoke(cli, words)

    return call


def test_a_run_goes_on_until_a_network_is_proved(run: Run) -> None:
    result = run("evolve", "anbn", "--until-proved", "--out", "r", "--time", "150s", "--quiet")
    assert result.exit_code == 0, result.output
    assert "Ended: a network is proved right for every string." in result.output
    assert "Theorem. For every string of a^n b^n" in result.output
    theorem = json.loads(Path("r/theorem.json").read_text())
    network = Network.load(Path("r", theorem["file"]))
    assert theorem["proved"] is True
    assert theorem["network"] == network.to_dict()
    assert (theorem["file"] == "best.json") != Path("r/proved.json").exists()
    assert prove(network, "anbn").proved
    log = [json.loads(line) for line in Path("r/log.jsonl").read_text().splitlines()]
    assert log[-1]["reason"] == "proved"
    assert "finished: proved" in run("runs", "r").output


def test_a_run_without_a_theorem_says_what_is_wrong(run: Run) -> None:
    result = run("evolve", "anbncn", "--generations", "1", "--out", "r", "--json", *SMALL)
    theorem = json.loads(result.output)["theorem"]
    assert theorem["proved"] is False
    assert theorem["counterexample"]["string"]


def test_where_the_best_network_is_wrong_the_first_runner_up_that_is_right_is_kept(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[Network] = []

    def second_is_right(network: Network, language: Machine, *, seconds: float) -> Proof:
        looked_at.append(network)
        outcome = "proved" if len(looked_at) % 3 == 0 else "refuted"
        said = f"{outcome} {language.name}."
        return Proof(network, language.title, outcome, said, (Claim("exact"),), None, 0, 0.0)

    monkeypatch.setattr("mdlrnn.proofs._prove.prove", second_is_right)
    monkeypatch.setattr(Prover, "fails_on_longer_strings", lambda prover, network: False)
    monkeypatch.setattr(Proof, "table", lambda proof: ([], []))
    small = ("evolve", "anbn", "--generations", "20", "--out")
    result = run(*small, "r", *SMALL)
    assert result.exit_code == 0, (result.output, result.exception)
    best, _, kept = looked_at
    assert best == Network.load("r/best.json")
    assert kept == Network.load("r/proved.json")
    written = json.loads(Path("r/theorem.json").read_text())
    assert (written["file"], written["network"]) == ("proved.json", kept.to_dict())
    more = score(kept, TASKS["anbn"].training()).mdl - score(best, TASKS["anbn"].training()).mdl
    assert more > 0
    assert result.output.count("refuted anbn.") == 1
    told = " ".join(result.output.split())
    assert f"proved.json, which scores {more:,.2f} bits more: proved anbn." in told
    theorem = json.loads(run(*small, "s", "--json", *SMALL).output)["theorem"]
    assert theorem["proved"] is False
    assert theorem["other"]["proved"] is True
    assert theorem["other"]["more"] == pytest.approx(more)


class Worker:
    """In place of the process: it solves here, and takes some looks for it."""

    looks = 0
    given: ClassVar[list[Job]] = []

    def __init__(self) -> None:
        self.job: Job | None = None
        self.left = 0

    @property
    def is_busy(self) -> bool:
        return self.job is not None

    @property
    def has_ended(self) -> bool:
        self.left -= 1
        return self.left < 0

    def begin(self, job: Job) -> None:
        self.job, self.left = job, self.looks
        self.given.append(job)

    def result(self) -> Proof | Learned | None:
        job, self.job = self.job, None
        assert job is not None
        return solved(job)

    def close(self) -> None: ...


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> type[Worker]:
    monkeypatch.setattr("mdlrnn.interface._proving._Worker", Worker)
    monkeypatch.setattr(Worker, "given", [])
    return Worker


def test_networks_that_are_wrong_on_longer_strings_are_not_given_to_the_solver(
    worker: type[Worker],
) -> None:
    prover = Prover(anbn())
    assert prover.fails_on_longer_strings(zoo.anb2n())
    proving = Proving(TASKS["anbn"].training(), prover, None, None)
    at = cast("Progress", SimpleNamespace(generation=7, mdl=1.0, archipelago=Archipelago(())))
    proving.hand_over(at, [zoo.anb2n()])
    assert proving.answer(wait=True) is None
    assert worker.given == []
    proving.hand_over(at, [zoo.anb2n(), zoo.anbn()])
    assert proving.answer(wait=True) is at.archipelago
    assert [job[0] for job in worker.given] == [zoo.anbn()]


def test_the_best_network_is_given_its_time_and_others_a_little(
    worker: type[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_vain(network: Network, language: Machine, *, seconds: float) -> Proof:
        return Proof(network, language.title, "not shown", "", (), None, 0, seconds)

    monkeypatch.setattr("mdlrnn.interface._proving.prove", in_vain)
    monkeypatch.setattr(Prover, "fails_on_longer_strings", lambda prover, network: False)
    proving = Proving(TASKS["anbn"].training(), Prover(anbn()), None, None)
    at = cast("Progress", SimpleNamespace(generation=7, mdl=1.0, archipelago=Archipelago(())))
    best, other = zoo.anbn(), zoo.anb2n()
    proving.hand_over(at, [best, other, best])
    assert proving.answer(wait=True) is None
    assert [(job[0], job[3]) for job in worker.given] == [(best, IN_RUN), (other, FIRST_TRY)]
    proving.hand_over(at, [other, best])
    assert proving.answer(wait=True) is None
    assert len(worker.given) == 2, "what was tried is not tried again"


@pytest.mark.parametrize("looks", [0, 3])
def test_one_seed_gives_one_result_however_long_a_proof_takes(
    worker: type[Worker], monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    monkeypatch.setattr(worker, "looks", looks)
    search = Search(islands=4, population=60, migration_interval=50)
    ended = evolve(STRINGS.split(), search, stop=Stop(proved=True), workers=1, progress=False)
    assert ended.reason == "proved"
    at = ended.archipelago.generation
    again = evolve(STRINGS.split(), search, stop=Stop(generations=at), workers=1, progress=False)
    assert ended.archipelago.digest() == again.archipelago.digest()
    assert ended.best == again.best


def test_a_run_on_ones_own_strings_has_no_theorem(run: Run) -> None:
    Path("own.txt").write_text("ab\naabb\n")
    result = run("evolve", "own.txt", "--generations", "1", "--out", "r", "--json", *SMALL)
    assert json.loads(result.output)["theorem"] is None


STRINGS = "ab\nabab\nab\nababab\n" * 3
QUICK = (*SMALL, "--set", "migration_interval=50")


def test_on_strings_a_run_goes_on_until_what_was_learned_is_proved(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("own.txt").write_text(STRINGS)
    result = run("evolve", "own.txt", "--until-proved", "--out", "r", *QUICK)
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert "the machine below was read off the network, and all strings fit it." in told
    assert "All 12 strings of the corpus (3 distinct) belong to it." in told
    assert "finished: proved" in run("runs", "r").output
    kept = json.loads(Path("r/learned.json").read_text())
    assert (kept["proved"], kept["network"]) == (True, Network.load("r/best.json").to_dict())
    assert f"It has learned {kept['name']}: exactly these strings" in told

    def refuse(*arguments: object) -> None:
        raise AssertionError("it was looked for again")

    monkeypatch.setattr("mdlrnn.interface._proving.learned", refuse)
    monkeypatch.setattr("mdlrnn.runs._conclude.learned", refuse)
    again = resume("r")
    assert (again.reason, again.is_proved) == ("proved", True)
    assert again.archipelago.generation == kept_generation(result)
    assert run("report", "r", "-o", "r.html").exit_code == 0


def kept_generation(result: Result) -> int:
    found = re.search(r"Generation ([\d,]+)", result.output)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_strings_are_learned_in_one_command(run: Run) -> None:
    Path("own.txt").write_text(STRINGS)
    result = run("learned", "own.txt", "-o", "own.lang")
    assert result.exit_code == 0, result.output
    assert "It has learned " in result.output
    assert "All 12 strings of the corpus (3 distinct) belong to it." in result.output
    assert "saved as own.lang" in result.output


def test_strings_need_their_own_time(run: Run) -> None:
    found = learned(STRINGS.split(), seconds=0.01)
    assert found.network.alphabet == ("#", "a", "b")


def test_numbers_are_not_searched_until_proved(run: Run) -> None:
    rows = np.zeros((2, 3, 1))
    np.savez("numbers.npz", inputs=rows, targets=rows)
    refused = run("evolve", "numbers.npz", "--until-proved", "--out", "r", *SMALL)
    assert isinstance(refused.exception, InputError)
    assert is_one_sentence(str(refused.exception))
    assert not Path("r").exists()


def test_without_z3_a_run_ends_with_a_hint(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdlrnn.proofs._smt.find_spec", lambda name: None)
    result = run("evolve", "anbn", "--generations", "1", "--out", "r", *SMALL)
    assert 'pip install "mdlrnn[prove]"' in result.output
    stopped = run("evolve", "anbn", "--until-proved", "--out", "s", *SMALL)
    assert isinstance(stopped.exception, InputError)
    assert not Path("s").exists()


def test_a_prover_that_is_killed_is_replaced() -> None:
    worker = _Worker()
    try:
        worker._process.kill()
        worker._process.wait()
        worker.begin((zoo.anbn(), anbn(), None, 20.0))
        found = worker.result()
        assert isinstance(found, Proof)
        assert found.proved
    finally:
        worker.close()
