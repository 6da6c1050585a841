"""The public interface: its names, that looking at it costs nothing, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import mdlrnn
from helpers.data import is_one_sentence
from mdlrnn import (
    Corpus,
    Encoding,
    InputError,
    Search,
    Stop,
    check,
    evolve,
    languages,
    prove,
    results,
    resume,
    sample,
    score_many,
    show,
    zoo,
)

FUNCTIONS_AND_TYPES = [
    "Connection", "Corpus", "Encoding", "InputError", "Language", "MDLRNN", "Network", "Objective",
    "Run", "RunError", "Score", "Search", "Stop", "Unit", "Weight",
    "check", "compare", "construct", "decode", "encode", "enough", "evolve", "explain", "feed",
    "language", "learned", "no_limits", "prove", "report", "resume", "sample", "score",
    "score_many", "suggest", "test",
]  # fmt: skip
MODULES = ["exports", "languages", "machines", "results", "runs", "show", "zoo"]
MOST_NAMES = 42


def test_there_are_few_public_names() -> None:
    assert len(FUNCTIONS_AND_TYPES) + len(MODULES) <= MOST_NAMES


@pytest.mark.parametrize("name", vars(results)["__all__"])
def test_every_type_of_a_result_has_a_name_that_nothing_else_has(name: str) -> None:
    assert getattr(results, name).__name__ == name
    assert name not in vars(mdlrnn)["__all__"]


def test_the_public_names_are_these() -> None:
    assert sorted(vars(mdlrnn)["__all__"]) == sorted([*FUNCTIONS_AND_TYPES, *MODULES])
    assert dir(mdlrnn) == sorted(vars(mdlrnn)["__all__"])


@pytest.mark.parametrize("name", FUNCTIONS_AND_TYPES)
def test_every_name_loads_and_is_kept(name: str) -> None:
    assert getattr(mdlrnn, name).__name__ == name
    assert name in vars(mdlrnn)
    assert getattr(mdlrnn, name).__doc__


@pytest.mark.parametrize("name", MODULES)
def test_every_submodule_is_loaded_by_its_name(name: str) -> None:
    code = f"import mdlrnn; print(mdlrnn.{name}.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"mdlrnn.{name}"


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'mdlrnn' has no attribute 'Nettwork'"):
        getattr(mdlrnn, "Nettwork")  # noqa: B009


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import mdlrnn", ("numba", "numpy", "click", "rich")),
        ("import mdlrnn; mdlrnn.language", ("numba", "click", "rich")),
        ("from mdlrnn import Network, Encoding, encode, decode", ("numba", "numpy", "wasmtime")),
        (
            "import mdlrnn.show._plots, mdlrnn.show._drawing, mdlrnn.show._page",
            ("numba", "matplotlib", "wasmtime"),
        ),
        ("from mdlrnn import Corpus, Objective, Search, Stop, test, zoo", ("numba", "torch")),
        ("from mdlrnn import prove, check, explain, feed, report", ("numba", "z3", "cvc5")),
        (
            "from mdlrnn_lab import atlas, bench, bliss, rnns",
            ("torch",),
        ),
        ("import mdlrnn.exports", ("torch", "onnx", "sympy", "networkx", "nltk", "numba")),
        ("from mdlrnn import MDLRNN", ("sklearn", "torch", "z3", "pandas")),
        ("from mdlrnn import score, evolve", ("torch", "z3", "matplotlib", "rich.live")),
    ],
)
def test_importing_loads_only_what_is_used(code: str, absent: tuple[str, ...]) -> None:
    code += f"; import sys; print([name for name in {absent!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


# What may be wrong

STRINGS = Corpus.from_strings(["ab"])


def grammar() -> languages.Grammar:
    pytest.importorskip("nltk")
    return languages.Grammar.from_text("S -> 'a' S S [0.3] | [0.7]", name="mine")


NOTHING = "is nothing that strings come from; give a task's name, "
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "evolve(None)": (lambda: evolve(None), f"None {NOTHING}"),
    'evolve(b"ab")': (lambda: evolve(b"ab"), f"b'ab' {NOTHING}"),
    "a search that is a dict": (
        lambda: evolve(["ab"], {"seed": 1}),  # type: ignore[arg-type]
        "search is {'seed': 1}; make it with Search(",
    ),
    "a stop that is a number": (
        lambda: evolve("anbn", stop=5),  # type: ignore[arg-type]
        "stop is 5; make it with Stop(",
    ),
    "no threads": (lambda: evolve(["ab"], workers=0), "workers is 0; "),
    "too many threads": (lambda: evolve(["ab"], workers=10**5), "workers is 100000; give 1 to"),
    "a grammar without a machine until proved": (
        lambda: evolve(grammar(), stop=Stop(proved=True)),
        "has no machine that a proof could be about",
    ),
    "until it is so": (
        lambda: Stop(proved="yes"),  # type: ignore[arg-type]
        "proved is 'yes'; give True or False",
    ),
    "no such task": (lambda: evolve("no such task"), "no such task: cannot be read (no such file)"),
    "no strings": (lambda: evolve([]), "there are no strings; "),
    "strings that are empty": (
        lambda: evolve(["", ""], out="never"), "all strings of the corpus are empty; ",
    ),
    "a size of 0": (lambda: evolve("anbn", size=0), "the size is 0; "),
    "a share of 3": (
        lambda: evolve(["ab"], hold_out=3.0, out="never"), "the share is 3.0; ",
    ),
    "a share and no folder": (lambda: evolve(["ab"], hold_out=0.5), "hold_out needs a folder"),
    "an objective of 3": (
        lambda: evolve(["ab"], objective=3),  # type: ignore[arg-type]
        "objective is 3; make it with Objective(",
    ),
    "a worker of 3.5": (lambda: evolve(["ab"], workers=3.5), "workers is 3.5; give a number of "),
    "workers of another name": (lambda: evolve(["ab"], workers="gpu"), "workers is 'gpu'; give a "),
    "cards of nothing": (lambda: evolve(["ab"], workers="cuda@x"), "workers is 'x'; give a number"),
    "prove(3)": (lambda: prove(3, "anbn"), "3 is no network; "),
    "prove of a grammar": (
        lambda: prove(zoo.anbn(), grammar()), "mine has no machine with counters or a stack: ",
    ),
    "accuracy on 7": (
        lambda: show.accuracy(zoo.anbn(), 7),  # type: ignore[arg-type]
        f"7 {NOTHING}",
    ),
    "Search(encoding=3)": (
        lambda: Search(encoding=3),  # type: ignore[arg-type]
        "encoding is 3; give an Encoding or a scheme's name",
    ),
    "Search(encoding='huffman')": (lambda: Search(encoding="huffman"), "unknown scheme 'huffman'"),
    "a seed that is a text": (
        lambda: evolve(["ab"], seed="1"),  # type: ignore[arg-type]
        "seed is '1'; it must be an integer, 0 or more",
    ),
    "Stop(seconds=-1)": (lambda: Stop(seconds=-1), "seconds is -1; it must be more than 0"),
    "Encoding(activations='relu')": (
        lambda: Encoding(activations="relu"),  # type: ignore[arg-type]
        "activations is 'relu'; give a sequence of names",
    ),
    "score_many without threads": (
        lambda: score_many([], STRINGS, workers=0), "workers is 0; give 1 to 1,024",
    ),
    "test(None)": (lambda: mdlrnn.test(zoo.anbn(), None), f"None {NOTHING}"),
    "sample of strings": (lambda: sample(["ab"]), "holds strings, not a language; "),
    "a sample of 0": (lambda: sample("anbn", 0), "the size is 0; "),
    "resume nowhere": (lambda: resume("no/such/folder"), "no/such/folder: there is no such folder"),
    "check nothing": (lambda: check("no/such/file"), "no/such/file: cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_used_is_said_in_one_sentence(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, message = WRONG[what]
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))
    assert not list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == [], "nothing is written"
