"""Whatever strings can come from is understood, and what is known of it is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers.data import is_one_sentence
from mdlrnn import Corpus, Encoding, InputError, languages
from mdlrnn.languages import TASKS, language_from, language_with_rules, machine_from
from mdlrnn.languages._grammar import Grammar

STRINGS = ["ab", "aabb"]
GRAMMAR = "S -> 'a' S 'b' [0.5] | 'a' 'b' [0.5]"
NO_MACHINE = "S -> 'a' S S [0.3] | [0.7]"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.txt").write_text("ab\naabb\n")
    Path("words.txt").write_text("the cat\nthe dog\n")
    Path("mine.pcfg").write_text(GRAMMAR)
    np.savez("sums.npz", inputs=np.ones((2, 3, 2)), targets=np.ones((2, 3, 1)))


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_known_by_its_name_its_language_and_itself(name: str) -> None:
    task = TASKS[name]
    for given in (name, task.rules, task):
        source = language_from(given)
        assert source == task
        assert source.asked is None
        assert source.encoding() == task.encoding()
        assert source.machine == task.rules
    assert language_from(name).about() == {"name": name, "words": False, "task": name}


def test_a_size_stands_behind_the_name_or_beside_it() -> None:
    behind, beside = language_from("anbn_30"), language_from("anbn", size=30)
    assert behind.size == beside.size == language_from("anbn_30", size=30).size == 30
    assert behind.corpus() == beside.corpus() == TASKS["anbn"].training(30)
    assert behind.about()["task"] == beside.about()["task"] == "anbn_30"
    assert behind.corpus(seed=7) == TASKS["anbn"].training(30, seed=7)


def test_strings_corpora_and_files_are_what_they_hold() -> None:
    expected = Corpus.from_strings(STRINGS)
    for given in (STRINGS, tuple(STRINGS), expected, "own.txt", Path("own.txt")):
        source = language_from(given)
        assert source.corpus() == expected
        assert source.rules is None
        assert source.machine is None
        assert source.encoding() == Encoding.every_part()
    assert language_from("own.txt").about() == {
        "name": "own", "words": False, "path": str(Path("own.txt").resolve()),
    }  # fmt: skip
    assert language_from("sums.npz").corpus().inputs == 2


def test_words_are_symbols_where_that_is_said() -> None:
    words = language_from("words.txt", words=True)
    assert words.words
    assert words.corpus().alphabet == ("#", "cat", "dog", "the")
    same = language_from(["the cat", "the dog"], words=True)
    assert same.corpus() == words.corpus()
    assert language_from(words.corpus()).words, "the corpus says so itself"


def test_a_grammar_has_a_machine_where_it_can_and_draws_as_before() -> None:
    pytest.importorskip("nltk")
    grammar = Grammar.from_text(GRAMMAR, name="mine")
    for given in ("mine.pcfg", Path("mine.pcfg"), grammar):
        source = language_from(given, size=20)
        assert source.corpus() == grammar.training(20)
        assert source.machine == grammar.machine()
        assert language_with_rules(source).rules == grammar.machine()
    assert "task" not in language_from("mine.pcfg").about()
    Path("none.pcfg").write_text(NO_MACHINE)
    source = language_from("none.pcfg", size=20)
    assert source.machine is None
    assert source.corpus().sequences == 20
    assert isinstance(language_with_rules(source).rules, Grammar)


def test_a_file_comes_before_a_task_of_its_name() -> None:
    Path("anbn").write_text("ab\n")
    assert language_from("anbn").task is None
    Path("anbn").unlink()
    assert language_from("anbn").task is not None


def test_a_language_of_ones_own_is_trained_and_tested_on_what_is_drawn() -> None:
    for name in ("brackets", "anbn"):
        own = replace(languages.dyck(1), name=name)
        source = language_from(own, size=10)
        assert source.machine == own
        assert source.rules is not None
        assert source.corpus() == own.training(10)
        assert source.about()["task"] == "dyck1_10", "which it is, whatever it is called"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: language_from(None), "None is nothing that strings come from; "),
        (lambda: language_from({"ab": 1}), "is nothing that strings come from; "),
        (lambda: language_from("anbn_30", size=40), "names a size and --size another; "),
        (lambda: language_from("own.txt", size=5), "own.txt has its strings, "),
        (lambda: language_from(STRINGS, size=5), "the source has its strings, "),
        (lambda: language_from(" "), "the name of a task, file or language is empty; "),
        (
            lambda: language_from("(ab"),
            "(ab: cannot be read (no such file), no task has that name, and as a notation it is "
            "wrong: at character 1, the parenthesis is empty or not closed; ",
        ),
        (lambda: language_from("ab)"), "at character 3, ) closes no parenthesis; "),
        (lambda: language_from("a b"), "nothing in it is repeated; write such as a^n b^n."),
        (lambda: language_from("data (1).txt"), "data (1).txt: cannot be read (no such file)"),
        (lambda: language_from("x" * 5000), "cannot be read (no such file), and no task has"),
        (lambda: language_from("a\0b"), "cannot be read (no such file), and no task has"),
        (lambda: language_from("."), "cannot be read (is a directory)"),
        (lambda: language_from(Path("anbn")), "anbn: cannot be read (no such file); check the"),
        (lambda: language_with_rules("own.txt"), "own holds strings, not a language; "),
        (lambda: machine_from("own.txt"), "own holds strings, and a proof needs a language"),
        (
            lambda: machine_from(Grammar.from_text(NO_MACHINE)),
            "no machine with counters or a stack: after a it stays open which rule was used, in "
            "ever new proportions, in S -> 'a' S S [0.3]",
        ),
    ],
)
def test_what_cannot_be_used_is_said_in_one_sentence(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))


def test_a_folder_named_like_a_task_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("anbn").mkdir()
    assert language_from("anbn") == TASKS["anbn"]
    Path("own").mkdir()
    with pytest.raises(InputError, match="own: cannot be read \\(is a directory\\)"):
        language_from("own")
    Path("dyck1").write_text("ab\n")
    assert language_from("dyck1").task is None
