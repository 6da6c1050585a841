"""Classes of symbols that a corpus uses alike, and networks made of automata over classes."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdlrnn
from helpers.data import ROOT
from mdlrnn import Corpus, Encoding, Search
from mdlrnn.construction._automaton import Counted
from mdlrnn.construction._network import automaton_network
from mdlrnn.kernels._genome import network_from_row
from mdlrnn.languages import TASKS, Language, language_from
from mdlrnn.network._network import Network
from mdlrnn.search._island import Problem
from mdlrnn.search.suggest import _classes
from mdlrnn.search.suggest._classes import classes_of, shares_of, with_classes
from mdlrnn.search.suggest._counters import loads_of
from mdlrnn.search.suggest._founders import founders_for
from mdlrnn.search.suggest._merging import automata_of
from mdlrnn.search.suggest._stacks import stack_tests

EMBEDDED = """
S -> NP VI [0.5] | NP VT OBJ [0.5]
NP -> 'the' N [0.7] | 'the' N NP VT [0.3]
OBJ -> 'the' N [1.0]
N -> 'rat' [0.3] | 'cat' [0.3] | 'dog' [0.2] | 'cow' [0.2]
VT -> 'saw' [0.4] | 'chased' [0.3] | 'bit' [0.3]
VI -> 'slept' [0.6] | 'ran' [0.4]
"""
AGREEING = """
S -> 'the' NS PP VS [0.5] | 'the' NP PP VP [0.5]
PP -> 'near' 'the' N PP [0.4] | 'quickly' [0.6]
N -> NS [0.5] | NP [0.5]
NS -> 'cat' [0.5] | 'dog' [0.5]
NP -> 'cats' [0.5] | 'dogs' [0.5]
VS -> 'runs' [0.5] | 'sleeps' [0.5]
VP -> 'run' [0.5] | 'sleep' [0.5]
"""
BRANCHING = """
S -> NP VP [1.0]
NP -> D N [0.6] | D A N [0.2] | D N REL [0.2]
REL -> 'that' VP [1.0]
D -> 'the' [0.5] | 'a' [0.3] | 'every' [0.2]
A -> 'old' [0.5] | 'big' [0.5]
N -> 'man' [0.4] | 'dog' [0.3] | 'bird' [0.3]
VP -> VI [0.5] | VT NP [0.5]
VI -> 'slept' [0.5] | 'sang' [0.5]
VT -> 'saw' [0.5] | 'heard' [0.3] | 'liked' [0.2]
"""
NESTED = """
S -> O C [0.6] | O S C [0.4]
O -> 'if' [0.5] | 'when' [0.3] | 'unless' [0.2]
C -> 'then' [0.5] | 'so' [0.3] | 'thus' [0.2]
"""


def task_of(path: Path) -> Language:
    return language_from(path)


def task_with(rules: str, folder: Path) -> Language:
    path = folder / "rules.pcfg"
    path.write_text(rules)
    return task_of(path)


def boundary_of(corpus: Corpus) -> int:
    assert corpus.alphabet is not None
    return corpus.alphabet.index("#")


def words_of(corpus: Corpus) -> set[frozenset[str]]:
    assert corpus.alphabet is not None
    found = classes_of(corpus, boundary_of(corpus))
    assert sorted(s for own in found for s in own) == sorted(set(corpus.symbol.tolist()))
    return {frozenset(corpus.alphabet[s] for s in own) for own in found}


@pytest.mark.parametrize(
    ("rules", "classes"),
    [
        (EMBEDDED, ["#", "the", "rat cat dog cow", "saw chased bit", "slept ran"]),
        (AGREEING, ["#", "the", "near", "quickly", "cat dog", "cats dogs", "runs sleeps",
                    "run sleep"]),
        (BRANCHING, ["#", "the a every", "old big", "man dog bird", "that", "slept sang",
                     "saw heard liked"]),
        (NESTED, ["#", "if when unless", "then so thus"]),
    ],
)  # fmt: skip
def test_words_that_stand_for_each_other_are_a_class(
    rules: str, classes: list[str], tmp_path: Path
) -> None:
    corpus = task_with(rules, tmp_path).training(500)
    assert words_of(corpus) == {frozenset(own.split()) for own in classes}


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if name != "addition"])
def test_no_two_symbols_of_a_task_are_used_alike(name: str) -> None:
    assert all(len(own) == 1 for own in words_of(TASKS[name].training(500)))


def test_a_corpus_too_large_to_look_at_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_strings(["ac", "bc", "ac", "bc"] * 50)
    assert frozenset("ab") in words_of(corpus)
    with monkeypatch.context() as changed:
        changed.setattr(_classes, "MOST_READ", 3)
        assert frozenset("ab") not in words_of(corpus)
    with monkeypatch.context() as changed:
        changed.setattr(_classes, "MOST_WORDS", 2)
        assert frozenset("ab") not in words_of(corpus)


@settings(max_examples=60)
@given(st.lists(st.text("abcd", max_size=6), min_size=1, max_size=8), st.randoms())
def test_a_corpus_of_classes_has_each_string_as_often(
    strings: list[str], chance: random.Random
) -> None:
    corpus = Corpus.from_strings([*strings, "abcd"])
    boundary = boundary_of(corpus)
    symbols = [s for s in range(corpus.inputs) if s != boundary]
    chance.shuffle(symbols)
    cuts = sorted({0, chance.randrange(5), len(symbols)})
    classes = [[boundary], *(symbols[a:b] for a, b in pairwise(cuts))]
    plain = with_classes(corpus, classes)
    assert plain.alphabet == corpus.alphabet
    assert plain.characters == corpus.characters
    first = {s: own[0] for own in classes for s in own}
    assert corpus.alphabet is not None
    wanted: dict[tuple[str, ...], int] = {}
    for string, count in corpus.strings():
        mapped = tuple(corpus.alphabet[first[corpus.alphabet.index(s)]] for s in string)
        wanted[mapped] = wanted.get(mapped, 0) + count
    assert dict(plain.strings()) == wanted
    for shares in shares_of(corpus, classes).values():
        assert sum(shares.values()) == pytest.approx(1)


def doubled(string: str, chance: random.Random) -> str:
    """With capitals in places: each letter's class is the letter and its capital."""
    return "".join(chance.choice([s, s.upper()]) for s in string)


def memories_of(plain: Corpus, boundary: int) -> list[list[Counted]]:
    return [[], loads_of(plain, boundary), *stack_tests(plain, boundary)]


@pytest.mark.parametrize(
    "strings",
    [
        ["a" * n + "b" * m + "c" * n * m for n in range(1, 5) for m in range(1, 5)],
        ["a" * n + "b" * 2**n for n in range(1, 6)],
        [w + "c" + w[::-1] for w in ("", "a", "b", "ab", "ba", "aab", "abb", "bab", "bba", "abba")],
        [w + "c" + w for w in ("", "a", "b", "ab", "ba", "aab", "abb", "bab", "bba", "abba")],
    ],
)
def test_a_network_of_classes_finds_the_words_possible_whose_class_is(strings: list[str]) -> None:
    chance = random.Random(1)
    corpus = Corpus.from_strings([doubled(s, chance) for s in strings for _ in range(40)])
    boundary = boundary_of(corpus)
    assert corpus.alphabet is not None
    place = corpus.alphabet.index
    letters = sorted(set("".join(strings)))
    classes = [[boundary], *([place(s), place(s.upper())] for s in letters)]
    plain = with_classes(corpus, classes)
    shares = shares_of(corpus, classes)
    tried = 0
    for tests in memories_of(plain, boundary):
        for automaton in automata_of(plain, tests):
            one = automaton_network(automaton, corpus.alphabet, boundary, tests)
            many = automaton_network(automaton, corpus.alphabet, boundary, tests, shares)
            for string in strings:
                assert _possible(many, doubled(string, chance)) == _possible(one, string)
            tried += 1
    assert tried


def _possible(network: Network, string: str) -> list[set[str]]:
    """The letters that the network finds possible after each symbol, capital or not."""
    steps = mdlrnn.feed(network, string)
    return [{s.lower() for s, p in step.probabilities.items() if p} for step in steps]


@pytest.mark.parametrize("rules", [EMBEDDED, NESTED, AGREEING, BRANCHING])
def test_a_founder_of_words_is_as_good_as_the_language_itself(rules: str, tmp_path: Path) -> None:
    task = task_with(rules, tmp_path)
    corpus = task.training(500)
    problem = Problem(corpus, Search(), Encoding.every_part())
    networks = [
        network_from_row(row, corpus.inputs, corpus.outputs, corpus.alphabet)
        for row in founders_for(problem, 10)
    ]
    least = min(s.d_given_g for s in mdlrnn.score_many(networks, corpus, problem.encoding))
    assert least < task.truth(corpus).optimal_bits + 0.1 * corpus.sequences


@pytest.mark.slow
def test_centre_embedding_is_proved_before_the_first_step() -> None:
    path = ROOT / "examples" / "centre_embedding.pcfg"
    corpus = task_of(path).training(500)
    problem = Problem(corpus, Search(), Encoding.every_part())
    networks = [
        network_from_row(row, corpus.inputs, corpus.outputs, corpus.alphabet)
        for row in founders_for(problem, 10)
    ]
    best = min(networks, key=lambda network: mdlrnn.score(network, corpus).d_given_g)
    assert mdlrnn.prove(best, path).proved
