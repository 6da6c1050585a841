"""What the commands do, done in Python: the same values, from whatever a network can be."""

from __future__ import annotations

import sys
from fractions import Fraction
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import mdlrnn
from helpers.networks import leaky
from mdlrnn import (
    Corpus,
    InputError,
    Network,
    Run,
    Search,
    Stop,
    evolve,
    feed,
    languages,
    machines,
    zoo,
)
from mdlrnn.interface import _progress as display_module
from mdlrnn.interface._language import describe
from mdlrnn.interface._text import table
from mdlrnn.languages import EVERY_TASK, TASKS
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn.machines._files import machine_from_text
from mdlrnn.measures._measures import UnseenReport, measure

SMALL = Search(islands=2, population=20)
SHORT = Stop(generations=10)
STRINGS = ["ab", "aabb", "aaabbb"]


@pytest.fixture
def kept(tmp_path: Path) -> Run:
    return evolve(STRINGS, SMALL, stop=SHORT, out=tmp_path / "run")


# A network from wherever one can be


def test_a_network_a_run_a_file_and_a_folder_are_one(kept: Run) -> None:
    assert kept.out is not None
    best = kept.out / "best.json"
    expected = feed(kept.best, "ab")
    for network in (kept, best, str(best), kept.out, str(kept.out)):
        assert feed(network, "ab") == expected
        assert mdlrnn.explain(network) == mdlrnn.explain(kept.best)
        found = mdlrnn.test(network, STRINGS, training=STRINGS)
        assert found == mdlrnn.test(kept.best, STRINGS, training=STRINGS)


# feed


def test_feeding_shows_every_unit_and_probability_exactly() -> None:
    steps = feed(zoo.anbn(), "aab")
    assert [step.read for step in steps] == ["#", "a", "a", "b"]
    assert [step.values[6] for step in steps] == [0, 1, 2, 1]
    assert steps[3].values[4] == Fraction(-2, 3)
    assert all(sum(step.probabilities.values()) == 1 for step in steps)
    assert feed(zoo.anbn(), ["a", "a", "b"]) == steps
    assert feed(zoo.addition(), [[1, 1], [0, 0]])[1].probabilities == {"1": 1}
    assert feed(zoo.addition(), [[1, 1], [0, 0]])[1].read == "0,0"


# test and sample


def test_testing_measures_as_the_command_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "BEYOND", 20)
    expected = measure(leaky(), TASKS["anbn"], 100)
    for source in ("anbn_100", TASKS["anbn"], languages.anbn()):
        size = None if source == "anbn_100" else 100
        assert mdlrnn.test(leaky(), source, size=size) == expected
    assert "first mistake: aaaabbbb\n" in str(expected)
    assert mdlrnn.test(leaky(), "anbn_100", seed=7) == measure(leaky(), TASKS["anbn"], 100, 7)


def test_strings_of_an_unknown_language_have_their_bits() -> None:
    unseen = mdlrnn.test(zoo.anbn(), STRINGS)
    assert isinstance(unseen, UnseenReport)
    assert (unseen.strings, unseen.characters) == (3, 15)
    assert unseen == mdlrnn.test(zoo.anbn(), Corpus.from_strings(STRINGS))


def test_a_sample_is_the_tasks_strings() -> None:
    expected = TASKS["dyck1"].strings(20, 7)
    for source in ("dyck1", TASKS["dyck1"], languages.dyck(1)):
        assert mdlrnn.sample(source, 20, 7) == expected
    assert mdlrnn.sample("anbn_30") == TASKS["anbn"].strings(30)


def test_a_description_is_as_wide_as_it_is_shown() -> None:
    text = 'start: " " 1/4 -> start\nstart: "\\u200d" 1/4 -> start\nstart: # 1/2\n'
    lines = str(describe(machine_from_text(text))).split("\n")
    first = lines[lines.index("the shortest strings and their probabilities") + 1 :][:4]
    assert first == [
        "  (empty)       1/2 = 0.5",
        '  " "           1/8 = 0.125',
        "  \\u200d        1/8 = 0.125",
        '  "  "          1/32 = 0.03125',
    ]
    assert table(["a\u200d", "b"], [["1", "2"]]).split("\n") == ["a\\u200d  b", "      1  2"]


def test_the_tasks_are_listed() -> None:
    assert [task.task for task in EVERY_TASK.values()] == list(EVERY_TASK)
    assert repr(EVERY_TASK["anbn"]) == "Language('anbn', a^n b^n)"


# prove, check, report


def test_a_proof_is_checked_for_its_network_and_no_other(tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    proof = mdlrnn.prove(zoo.addition(), machines.addition())
    assert proof.proved
    (tmp_path / "proof.smt2").write_text(proof.certificate())
    zoo.addition().save(tmp_path / "net.json")
    for network in (None, zoo.addition(), tmp_path / "net.json"):
        assert mdlrnn.check(tmp_path / "proof.smt2", network=network).accepted
    with pytest.raises(InputError, match="is not about the network given"):
        mdlrnn.check(tmp_path / "proof.smt2", network=zoo.anbn())


def test_a_report_is_a_page(tmp_path: Path, kept: Run) -> None:
    mdlrnn.report(zoo.anbn(), tmp_path / "net.html", corpus=STRINGS, title="Mine")
    text = (tmp_path / "net.html").read_text()
    assert "<h1>Mine</h1>" in text
    assert "bits, strings</dd>" in text
    for run in (kept, kept.out):
        mdlrnn.report(run, tmp_path / "run.html")
        assert "<h2>The search</h2>" in (tmp_path / "run.html").read_text()


# evolve and resume


def test_strings_a_corpus_and_a_file_are_searched_alike(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("\n".join(STRINGS))
    sources = (STRINGS, Corpus.from_strings(STRINGS), tmp_path / "own.txt")
    found = {evolve(source, SMALL, stop=SHORT).archipelago.digest() for source in sources}
    assert len(found) == 1


def test_a_kept_run_goes_on_as_if_it_had_not_stopped(kept: Run) -> None:
    assert kept.out is not None
    longer = Stop(generations=25)
    whole = evolve(STRINGS, SMALL, stop=longer)
    again = mdlrnn.resume(kept.out, stop=longer, corpus=STRINGS)
    assert again.archipelago.digest() == whole.archipelago.digest()
    assert again.stop == longer
    assert (again.encoding, again.objective) == (whole.encoding, whole.objective)
    assert again.search.to_dict() == whole.search.to_dict()
    assert again.out == kept.out
    assert whole.out is None
    with pytest.raises(InputError, match="is not the one that"):
        mdlrnn.resume(kept.out, corpus=["ba"])


def test_a_run_on_words_goes_on_with_words(tmp_path: Path) -> None:
    talk = ["the cat", "the dog"]
    run = evolve(talk, SMALL, stop=SHORT, words=True, out=tmp_path / "run")
    assert run.best.alphabet == ("#", "cat", "dog", "the")
    again = mdlrnn.resume(tmp_path / "run", corpus=talk)
    assert again.archipelago.digest() == run.archipelago.digest()


def test_a_share_of_the_strings_is_kept_out(tmp_path: Path) -> None:
    strings = STRINGS * 30
    run = evolve(strings, SMALL, stop=SHORT, out=tmp_path / "run", hold_out=0.3)
    held = Corpus.load(tmp_path / "run" / "held_out.txt")
    searched = Corpus.from_strings(strings).characters - held.characters
    assert 10 < held.sequences < 50
    assert run.archipelago.digest() != evolve(strings, SMALL, stop=SHORT).archipelago.digest()
    unseen = mdlrnn.test(run, tmp_path / "run" / "held_out.txt")
    assert isinstance(unseen, UnseenReport)
    assert unseen.characters == held.characters < searched


def test_a_run_ends_with_what_is_proved_of_it() -> None:
    pytest.importorskip("z3")
    run = evolve("anbn_100", SMALL, stop=SHORT)
    assert run.proof is not None
    assert not run.proof.proved
    assert run.verdict is not None
    assert run.verdict.proof == run.proof
    assert evolve("anbn_100", SMALL, stop=SHORT, prove=False).proof is None
    assert evolve(STRINGS, SMALL, stop=SHORT).proof is None, "nothing is known of the language"


@pytest.mark.slow
def test_a_run_that_was_to_be_proved_has_its_proof_though_none_is_sought_at_its_end(
    tmp_path: Path,
) -> None:
    pytest.importorskip("z3")
    run = evolve("anbn", stop=mdlrnn.Stop(proved=True), prove=False, out=tmp_path / "r")
    assert run.reason == "proved"
    assert run.proof is not None
    assert run.proof.proved
    file = "best.json" if run.proof.network == run.best else "proved.json"
    assert Network.load(tmp_path / "r" / file) == run.proof.network


def test_what_is_told_may_be_answered_with_a_stop() -> None:
    told: list[int] = []

    def stop_soon(progress: mdlrnn.results.Progress) -> bool:
        told.append(progress.generation)
        assert isinstance(progress.best(), Network)
        return len(told) == 2

    run = evolve(STRINGS, SMALL, stop=Stop(generations=10**6), on_progress=stop_soon)
    assert run.reason == "stopped"
    assert run.archipelago.generation == told[-1]
    assert len(told) == 2


# What is seen meanwhile


def test_nothing_is_shown_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    evolve(STRINGS, SMALL, stop=SHORT)
    evolve(STRINGS, SMALL, stop=SHORT, progress=False)
    out, err = capfd.readouterr()
    assert out == ""
    assert "generation" not in err


def test_lines_are_shown_where_that_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    evolve(STRINGS, SMALL, stop=SHORT, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "strings: 2 islands of 20, seed 1\n" in err
    assert "generation 0: |G| " in err


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_live_view_unless_that_is_unwanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Screen())
    assert isinstance(display_module.display_in_python(None), display_module.Live)
    assert isinstance(display_module.display_in_python(False), display_module.Quiet)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(display_module.display_in_python(True), display_module.Lines)


def test_a_notebook_has_lines_that_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], raw: bool) -> None:
            shown.append(data["text/plain"])

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        Handle().update(data, raw)
        return Handle()

    class ZMQInteractiveShell:
        """As Jupyter calls it."""

    notebook: Any = ModuleType("IPython")
    notebook.get_ipython = ZMQInteractiveShell
    screen: Any = ModuleType("IPython.display")
    screen.display = display
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", screen)
    evolve(STRINGS, SMALL, stop=SHORT)
    assert shown[0].startswith("strings: 2 islands of 20, seed 1\ngeneration 0: |G| ")
    assert "\ngeneration 10: " in shown[-1]
