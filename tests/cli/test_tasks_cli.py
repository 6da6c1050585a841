"""`mdlrnn language`, `mdlrnn sample` and `mdlrnn test` as a user meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mdlrnn
from helpers.commands import Result, refused
from helpers.data import corpus_path
from helpers.networks import constant, leaky, shallow, without_carry
from mdlrnn import Corpus, Network, Unit, Weight, zoo
from mdlrnn.errors import printable
from mdlrnn.languages import EVERY_TASK, TASKS

KEYS = (
    "train_cross_entropy",
    "test_cross_entropy",
    "optimal_test_cross_entropy",
    "test_deterministic_accuracy",
    "test_categorical_accuracy",
    "first_failure",
)


@pytest.fixture(autouse=True)
def networks(tmp_path: Path) -> None:
    for name in ("anbn", "anbmcnm", "dyck1", "addition"):
        zoo.load(name).save(tmp_path / f"{name}.json")
    leaky().save(tmp_path / "leaky.json")
    shallow().save(tmp_path / "shallow.json")
    without_carry().save(tmp_path / "carry.json")
    (tmp_path / "held_out.txt").write_text("2\tab\naabb\n")
    (tmp_path / "words.txt").write_text("a b\n")
    (tmp_path / "own.lang").write_text("s: a 1/2 -> s\ns: # 1/2\n")


# tasks


def test_tasks_lists_names_and_sizes(run: Callable[..., Result]) -> None:
    code, out, err = run("language")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split()[0] == "task"
    assert [line.split()[0] for line in lines[1:]] == list(EVERY_TASK)
    assert lines[1].split() == ["anbn", "a^n", "b^n", "100,", "500", "yes"]
    assert "dyck2        Dyck-2             20,000          yes" in lines
    assert [line.split()[-1] for line in lines[1:]] == ["yes"] * 8 + ["no"] * 5


def test_tasks_in_json(run: Callable[..., Result]) -> None:
    found = json.loads(run("language", "--list", "--json").out)
    assert [row["name"] for row in found] == list(EVERY_TASK)
    assert found[7] == {
        "name": "addition", "title": "binary addition", "sizes": [100, 400], "of_paper": True,
    }  # fmt: skip
    assert [row["of_paper"] for row in found] == [True] * 8 + [False] * 5


# sample


@pytest.mark.parametrize("arguments", [("anbn_100",), ("anbn", "-n", "100")])
def test_a_sample_is_the_papers_corpus(
    run: Callable[..., Result], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    code, out, err = run("sample", *arguments)
    assert (code, err) == (0, "")
    lines = corpus_path("anbn_100").read_text().splitlines()
    assert sorted(out.splitlines()) == sorted(lines)


def test_a_sample_is_saved_as_a_corpus(run: Callable[..., Result], tmp_path: Path) -> None:
    code, out, _ = run("sample", "dyck1", "-n", "100", "--out", "brackets.txt")
    assert code == 0
    assert out.startswith("100 strings, ")
    assert out.endswith(" distinct, saved as brackets.txt\n")
    assert Corpus.load(tmp_path / "brackets.txt") == TASKS["dyck1"].training(100)


@pytest.mark.parametrize("symbol", [r"\n", r"\r", r"\ud800"])
def test_a_sample_that_would_read_back_as_another_is_not_written(
    run: Callable[..., Result], tmp_path: Path, symbol: str
) -> None:
    (tmp_path / "odd.lang").write_text(f's: "{symbol}" 1/2 -> s\ns: x 1/4 -> s\ns: # 1/4\n')
    for more in ([], ["-o", "odd.txt"]):
        assert refused(run("sample", "odd.lang", "-n", "20", *more), "would not read back")
    assert not (tmp_path / "odd.txt").exists()


@pytest.mark.parametrize("symbol", [" ", "\t", "\u2028", "\x85", "\x0b"])
def test_a_sample_with_odd_symbols_reads_back(
    run: Callable[..., Result], tmp_path: Path, symbol: str
) -> None:
    rules = f"s: {json.dumps(symbol)} 1/2 -> s\ns: x 1/4 -> s\ns: # 1/4\n"
    (tmp_path / "odd.lang").write_text(rules)
    assert run("sample", "odd.lang", "-n", "50", "-o", "odd.txt").code == 0
    drawn = mdlrnn.sample(tmp_path / "odd.lang", 50)
    assert Corpus.load(tmp_path / "odd.txt") == Corpus.from_strings(drawn)


@pytest.mark.parametrize("symbol", ["\r", "\u2028", "\x1b"])
def test_what_was_learned_of_odd_symbols_is_printable_and_reads_back(
    run: Callable[..., Result], tmp_path: Path, symbol: str
) -> None:
    pytest.importorskip("z3")
    units = (*(Unit() for _ in range(3)), *(Unit(bias=Weight(1)) for _ in range(3)))
    Network(3, 3, units, alphabet=("#", symbol, "a")).save(tmp_path / "odd.json")
    found = run("learned", "odd.json", "-o", "odd.lang")
    assert found.code == 0
    assert all(line.isprintable() for line in found.out.split("\n"))
    odd = printable(symbol)
    assert (f"('{odd}' | a)*" if symbol.isspace() else f"({odd}|a)*") in found.out
    shown = run("language", "odd.lang", "--json")
    assert shown.code == 0
    assert json.loads(shown.out)["alphabet"] == ["#", *sorted([symbol, "a"])]
    assert json.loads(shown.out)["rules"] == (tmp_path / "odd.lang").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["prove", "anbn.json", "anbn", "--certificate", "none/c.smt2"],
        ["learned", "anbn.json", "-o", "none/x.lang"],
        ["enough", "none", "-o", "none/x.svg"],
        ["draw", "anbn.json", "-o", "none/x.svg"],
        ["report", "anbn.json", "-o", "none/x.html"],
        ["sample", "anbn", "-o", "none/x.txt"],
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError

    for place in (
        "judge.proof_of", "learned.verdict_by", "learned.enough_strings",
        "show.draw_network", "show.network_content", "language.sample_strings",
    ):  # fmt: skip
        monkeypatch.setattr(f"mdlrnn.cli._{place}", work)
    assert refused(run(*arguments), f"{arguments[-1]}: cannot be written (no such file")


def test_a_description_fits_the_terminal_and_says_why_a_number_is_missing(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("language", "'le' 'chat'^n 'dort'^n").out
    assert max(map(len, shown.split("\n"))) <= 80
    assert "  le chat^8 dort^8 " in shown
    assert "  le chat chat dort dort " in shown
    rules = "s: a 9/10 -> s, n = n + 1\ns: b 1/10 if n > 0 -> s, n = n - 1\ns: # 1/10 if n = 0\n"
    (tmp_path / "endless.lang").write_text(rules)
    shown = run("language", "endless.lang").out
    assert "\nNo entropy is given: a string of endless has more than 100,000 symbols.\n" in shown
    assert "entropy_obstacle" in json.loads(run("language", "anbn", "--json").out)


def test_another_seed_gives_another_sample(run: Callable[..., Result]) -> None:
    outputs = {run("sample", "anbn", "-n", "20", "--seed", seed).out for seed in (1, 1, 2)}
    assert len(outputs) == 2


# test


def test_a_right_network_in_words(run: Callable[..., Result]) -> None:
    code, out, err = run("test", "dyck1.json", "dyck1_500")
    assert (code, err) == (0, "")
    assert out == (
        "Dyck-1, 500                             training        test\n"
        "characters                                 1,306     125,364\n"
        "cross-entropy, bits a character         0.892763    0.886562\n"
        "  optimal                               0.891774    0.882001\n"
        "categorical accuracy, margin 0.005      100.00 %    100.00 %\n"
        "categorical accuracy, margin 0          100.00 %    100.00 %\n"
        "strings without a mistake               100.00 %    100.00 %\n"
        "\n"
        "no mistake on any of these strings\n"
        "\n"
        "200 of 200 strings that it makes are in Dyck-1.\n"
    )


def test_a_right_network_in_json(run: Callable[..., Result]) -> None:
    found = json.loads(run("test", "anbmcnm.json", "anbmcnm", "--json").out)
    assert set(KEYS) <= set(found)
    assert (found["task"], found["size"]) == ("anbmcnm", 500)
    assert found["test_cross_entropy"] == pytest.approx(121755.35 / 453789)
    assert found["optimal_test_cross_entropy"] == pytest.approx(122006.01 / 453789)
    assert found["test_deterministic_accuracy"] == 1
    assert found["test_categorical_accuracy"] == pytest.approx(451388 / 453789)
    # The last c leaves 0.0051 for one more, which is above the margin.
    assert found["test_string_accuracy"] == 0
    assert found["first_failure"]["string"] == "abcc"


def test_dyck_has_no_deterministic_steps_in_json(run: Callable[..., Result]) -> None:
    found = json.loads(run("test", "shallow.json", "dyck1", "--size", "100", "--json").out)
    assert set(KEYS) <= set(found)
    assert found["test_deterministic_accuracy"] is None
    assert 0 < found["test_categorical_accuracy"] < 1
    assert found["test_cross_entropy"] is None
    assert found["first_failure"] == {
        "string": "[[]]",
        "step": 3,
        "expected": "[ or ]",
        "given": "P(#) = 0.6667, P([) = 0.3333, P(]) = 0",
        "length": 4,
    }


def test_addition_has_no_categories_in_json(run: Callable[..., Result]) -> None:
    found = json.loads(run("test", "addition.json", "addition_100", "--json").out)
    assert set(KEYS) <= set(found)
    assert found["test_cross_entropy"] == found["optimal_test_cross_entropy"] == 0
    assert found["test_deterministic_accuracy"] == 1
    assert found["test_categorical_accuracy"] is None
    assert found["first_failure"] is None


def test_the_first_mistake_is_shown(run: Callable[..., Result]) -> None:
    out = run("test", "carry.json", "addition_100").out
    assert out.endswith(
        "\nfirst mistake: 1 + 1\n  after 1 digit: expected 1\n  given P(0) = 1, P(1) = 0\n"
    )
    assert "infinite" in out
    assert "categorical" not in out
    out = run("test", "leaky.json", "anbn_100").out
    assert "\nfirst mistake: aaaabbbb\n  after 7 symbols: expected b\n" in out


def test_a_mistake_on_the_empty_string_is_named(run: Callable[..., Result], tmp_path: Path) -> None:
    one = zoo.anbn().units[6].bias
    assert one is not None
    constant(one, one, one, alphabet="#[]").save(tmp_path / "constant.json")
    assert "first mistake: the empty string\n" in run("test", "constant.json", "dyck1_100").out


def test_strings_held_out(run: Callable[..., Result]) -> None:
    code, out, err = run("test", "anbn.json", "held_out.txt")
    assert (code, err) == (0, "")
    # .3 for each of two ab, and .7 times .3 for aabb
    bits = -(3 * np.log2(0.3) + np.log2(0.7)) / 11
    assert out == (
        "3 strings, 11 characters\n"
        "\n"
        "cross-entropy                       bits a character\n"
        f"the network                                 {bits:.6f}\n"
        "all symbols equally likely                  1.584963\n"
        "\n"
        "For what n-grams of the training strings would pay, give the run's folder as\n"
        "the network, or the strings with --training FILE.\n"
        "\n"
        "the costliest strings\n"
        "      2.25 bits  aabb\n"
        "                 after 2 symbols: P(b) = 0.3\n"
        "      1.74 bits  ab (2 times)\n"
        "                 after 1 symbol: P(b) = 0.3\n"
    )
    found = json.loads(run("test", "anbn.json", "held_out.txt", "--json").out)
    assert (found["test_strings"], found["test_characters"]) == (3, 11)
    assert found["test_cross_entropy"] == pytest.approx(bits, abs=1e-6)
    assert found["baselines"]["trigram"] is None
    assert found["costliest"][0]["string"] == "aabb"


def test_strings_held_out_beside_models_of_the_training_strings(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "training.txt").write_text("ab\nab\naaabbb\n")
    out = run("test", "anbn.json", "held_out.txt", "--training", "training.txt").out
    assert "trigram of the training strings" in out
    assert "frequencies of the training strings         infinite\n" in out
    assert "(1 of the strings is not among them)" in out


def test_impossible_strings_held_out(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "wrong.txt").write_text("ba\n")
    out = run("test", "leaky.json", "wrong.txt").out
    assert "the network                                 infinite\n" in out
    found = json.loads(run("test", "leaky.json", "wrong.txt", "--json").out)
    assert found["test_cross_entropy"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["test", "anbn.json", "anbm"], "did you mean anbn?"),
        (["test", "anbn.json", "anbm"], "anbm: cannot be read (no such file)"),
        (["test", "anbn.json", "qqq.txt"], "qqq.txt: cannot be read (no such file)"),
        (["test", "none.json", "anbn"], "none.json: cannot be read (no such file"),
        (["test", "held_out.txt", "anbn"], "held_out.txt: "),
        (["test", "anbn.json", "anbncn"], "no unit for the symbol 'c'"),
        (["test", "anbn.json", "anbncn"], "mdlrnn: anbn.json on anbncn: "),
        (["test", "dyck1.json", "held_out.txt"], "dyck1.json on held_out.txt: "),
        (["test", "dyck1.json", "held_out.txt"], "no unit for the symbol 'a'"),
        (["test", "anbn.json", "addition"], "has 3 and 3"),
        (["test", "addition.json", "anbn"], "has 2 and 1"),
        (["test", "addition.json", "addition_99"], "give a square number"),
        (["test", "anbn.json", "anbn", "--seed", "-1"], "'--seed': -1 is not in the range"),
        (["test", "anbn.json", "anbn", "--size", "0"], "'--size': 0 is not in the range"),
        (["test", "anbn.json", "anbn_0"], "the size is 0"),
        (["test", "anbn.json", "anbn_99999999999999"], "the size is 99999999999999"),
        (["test", "anbn.json", "anbn_" + 30 * "9"], "the tasks are anbn, "),
        (["test", "anbn.json", "held_out.txt", "--size", "3"], "leave the size out"),
        (["test", "anbn.json", "held_out.txt", "--longest", "5"], "--longest is for strings that"),
        (["test", "anbn.json", "held_out.txt", "--seed", "100"], "--seed is for strings that"),
        (["test", "anbn.json", "anbn", "--training", "held_out.txt"], "anbn is a language; leave"),
        (
            ["test", "anbn.json", "held_out.txt", "--training", "words.txt"],
            "on held_out.txt: the training strings, words.txt: the network has no unit for",
        ),
        (["test", "anbn.json"], "missing argument 'SOURCE'"),
        (["sample", "anbm"], "no task has that name; did you mean anbn?"),
        (["evolve", "anbn", "--workers", "100000"], "workers is 100000; give 1 to 1,024 threads"),
        (["language", ""], "the name of a task, file or language is empty"),
        (["language", "own.lang", "--stop", "1/3"], "--stop is for a notation such as"),
        (["language", "anbn", "--stop", "1/3"], "and anbn is none; leave --stop out"),
        (["language", "anbn", "-o", "x.txt"], "x.txt: a language file is known by its ending"),
        (["language", "anbn", "-o", "none/x.lang"], "none/x.lang: cannot be written"),
        (["learned", "anbn.json", "-o", "x.txt"], "x.txt: a language file is known by its ending"),
        (["enough", "none", "-o", "x.dot"], "x.dot: dot is for networks alone; end it in one of"),
        (["enough", "none", "-o", "x.xyz"], "no format; end it in one of .svg, .png, .pdf, .tex."),
        (["sample", "xyz"], "the tasks are anbn, "),
        (["sample", "addition"], "has numbers, not strings"),
        (["sample", "anbn", "--seed", "-1"], "'--seed': -1 is not in the range"),
        (["sample", "anbn", "--seed", "4294967296"], "'--seed': 4294967296 is not in"),
        (["sample", "anbn", "-n", "0"], "0 is not in the range"),
        (["sample", "anbn", "-n", "5", "--out", "none/x.txt"], "none/x.txt: cannot be written"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    run: Callable[..., Result], arguments: list[str], message: str
) -> None:
    assert refused(run(*arguments), message)
