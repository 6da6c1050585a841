"""A grammar against enumeration of its strings, against the machines, and every wrong one."""

from __future__ import annotations

import math
import pickle
import re
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, islice, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.random import RandomState

from helpers.data import DATA, is_one_sentence
from mdlrnn import Corpus, InputError
from mdlrnn.languages._grammar import Grammar, load_grammar
from mdlrnn.languages._paper import anbn, dyck
from mdlrnn.languages._productions import (
    Nonterminal,
    Production,
    chance_to_end,
    closure,
    components,
    endless,
)
from mdlrnn.machines._machine import Machine

pytest.importorskip("nltk")

GRAMMARS = DATA / "grammars"
LENGTH = 4
"""Strings are enumerated in full up to here."""

PAIRS = [("anbn", anbn()), ("dyck1", dyck(1))]
TRICKY = {
    "left recursion": "S -> S 'a' [0.6] | 'b' [0.4]",
    "hidden left recursion": "S -> A S 'b' [0.4] | 'a' [0.6]\nA -> 'a' [0.3] | [0.7]",
    "a unit loop": "S -> S [0.9] | 'a' [0.1]",
    "a unit cycle": "S -> A [0.5] | 'a' S [0.5]\nA -> B [0.7] | 'b' [0.3]\nB -> S [0.9] | 'a' [.1]",
    "a hidden unit cycle": "S -> S A [0.5] | 'b' [0.5]\nA -> [0.8] | 'a' [0.2]",
    "all empty": "S -> A B A [1.0]\nA -> 'a' [0.5] | [0.5]\nB -> 'b' B [0.2] | [0.8]",
    "always empty": "S -> E 'a' E [0.5] | E S 'b' [0.5]\nE -> E E [0.3] | [0.7]",
    "ambiguous": "S -> S S [0.4] | 'a' [0.4] | 'b' [0.2]",
    "rational roots": "S -> S S [0.4] | 'a' [0.2] | [0.4]",
    "irrational roots": "S -> S S [0.4] | 'a' [0.5] | [0.1]",
    "irrational roots of two": "S -> S A S [0.2] | 'a' [0.6] | [0.2]\nA -> S S [0.3] | 'b' [0.7]",
    "a finite language": "S -> 'a' A [0.5] | [0.5]\nA -> 'b' [0.5] | 'a' [0.5]",
    "a production twice": "S -> 'a' S [0.2] | 'b' [0.5]\nS -> 'a' S [0.3]",
    "an unused nonterminal": "S -> 'a' [1.0]\nA -> 'b' A A [0.9] | 'b' [0.1]",
    "a rule of probability 0": "S -> 'a' [1.0] | S S S [0.0]",
}


def grammar(name: str) -> Grammar:
    return load_grammar(GRAMMARS / f"{name}.pcfg")


@dataclass
class Enumerated:
    """The probability of each string up to a length, and of each beginning of a longer one."""

    strings: dict[str, float]
    longer: dict[str, float]

    def prefix(self, prefix: str) -> float:
        tables = (self.strings, self.longer)
        return sum(p for table in tables for s, p in table.items() if s.startswith(prefix))


@cache
def texts(alphabet: str) -> tuple[list[tuple[str, bool]], np.ndarray]:
    """All strings up to a length, those cut off at the end, and what two of them make."""
    keys = [("".join(s), False) for n in range(LENGTH + 1) for s in product(alphabet, repeat=n)]
    keys += [("".join(s), True) for s in product(alphabet, repeat=LENGTH)]
    number = {key: place for place, key in enumerate(keys)}
    joined = np.empty((len(keys), len(keys)), int)
    for i, (one, cut) in enumerate(keys):
        for j, (two, cut_too) in enumerate(keys):
            whole = one if cut else one + two
            joined[i, j] = number[whole[:LENGTH], cut or cut_too or len(whole) > LENGTH]
    return keys, joined


def enumerated(grammar: Grammar) -> Enumerated | None:
    """By derivations of growing depth; None if too many do not end soon."""
    keys, joined = texts("".join(grammar.alphabet[1:]))
    terminals = {key: np.eye(len(keys))[place] for place, (key, _) in enumerate(keys)}
    found = {p.left: np.zeros(len(keys)) for p in grammar.productions}
    for depth in range(1500):
        new = {left: np.zeros(len(keys)) for left in found}
        for p in grammar.productions:
            row = terminals[""]
            for part in p.right:
                other = found[part] if isinstance(part, Nonterminal) else terminals[part]
                row = np.bincount(joined.ravel(), np.outer(row, other).ravel(), len(keys))
            new[p.left] += float(p.chance) * row
        found = new
        # Improbable strings, too, are there by a depth of 50.
        if depth > 50 and found[grammar.start].sum() > 1 - 1e-12:
            chances = found[grammar.start].tolist()
            return Enumerated(
                {s: p for (s, cut), p in zip(keys, chances, strict=True) if not cut and p},
                {s: p for (s, cut), p in zip(keys, chances, strict=True) if cut and p},
            )
    return None


@st.composite
def grammar_texts(draw: st.DrawFn) -> str:
    """Up to three nonterminals; any production may be empty, a unit, or recur on the left."""
    names = draw(st.sampled_from(["SAB", "SA", "S"]))
    part = st.sampled_from([*names, "'a'", "'b'"])
    lines = []
    for name in names:
        rights = draw(st.lists(st.lists(part, max_size=3), min_size=1, max_size=4))
        some = st.sampled_from([5, 10, 15, 20, 1])
        chances = draw(st.lists(some, min_size=len(rights), max_size=len(rights)))
        ending = draw(st.sampled_from(["'a'", "'b'", "'a' 'b'", ""]))
        alternatives = [
            f"{' '.join(right)} [{chance / 100}]"
            for right, chance in zip(rights, chances, strict=True)
        ]
        alternatives.append(f"{ending} [{(100 - sum(chances)) / 100}]")
        lines.append(f"{name} -> {' | '.join(alternatives)}")
    return "\n".join(lines)


def agrees_with_enumeration(grammar: Grammar) -> bool:
    truth = enumerated(grammar)
    if truth is None:
        return False
    terminals = grammar.alphabet[1:]
    for length in range(LENGTH):
        for prefix in map("".join, product(terminals, repeat=length)):
            total = truth.prefix(prefix)
            if total == 0:
                assert not grammar.accepts(prefix)
                with pytest.raises(InputError, match="begins no string"):
                    grammar.next(prefix)
                continue
            chances = grammar.next(prefix).distribution
            assert tuple(chances) == grammar.alphabet
            assert sum(chances.values()) == 1
            wanted = {"#": truth.strings.get(prefix, 0) / total}
            wanted |= {symbol: truth.prefix(prefix + symbol) / total for symbol in terminals}
            # What did not end in the enumeration is missing there.
            error = 1e-10 + 1e-11 / total
            assert {s: float(p) for s, p in chances.items()} == pytest.approx(wanted, abs=error)
            assert {s for s, p in chances.items() if p} == {s for s, p in wanted.items() if p}
            assert grammar.accepts(prefix) == (prefix in truth.strings)
    found = list(islice(grammar.strings(), len(truth.strings)))
    assert found == sorted(truth.strings, key=lambda string: (len(string), string))
    if truth.strings:
        bits = -sum(map(math.log2, truth.strings.values()))
        error = sum(1e-11 / chance for chance in truth.strings.values())
        corpus = Corpus.from_strings(list(truth.strings))
        assert grammar.optimal(corpus) == pytest.approx(bits, abs=1e-9 + error)
    return True


@pytest.mark.parametrize("text", TRICKY.values(), ids=TRICKY)
def test_prefix_probabilities_are_those_of_enumerated_strings(text: str) -> None:
    assert agrees_with_enumeration(Grammar.from_text(text))


@settings(max_examples=100)
@given(grammar_texts())
@example(
    "S -> S S S [0.2] | A [0.1] | [0.7]\nA -> S A [0.2] | 'a' A 'b' [0.2] | A [0.2] | 'a' [0.4]"
)
def test_random_grammars_agree_with_enumeration(text: str) -> None:
    refused = ""
    try:
        assume(agrees_with_enumeration(Grammar.from_text(text)))
    except InputError as error:
        refused = str(error)
    assert not refused or re.search("ends with probability|empty string only", refused)


@pytest.mark.parametrize(("name", "language"), PAIRS)
def test_next_agrees_with_the_machine_of_the_same_language(name: str, language: Machine) -> None:
    ours = grammar(name)
    for string in [*islice(language.strings(), 40), *language.sample(20)]:
        for end in range(len(string) + 1):
            assert ours.next(string[:end]) == language.next(string[:end])
    assert list(islice(ours.strings(), 40)) == list(islice(language.strings(), 40))
    assert ours.alphabet == language.alphabet


@pytest.mark.parametrize(("name", "language"), PAIRS)
def test_optimal_agrees_with_the_machine_of_the_same_language(name: str, language: Machine) -> None:
    corpus = Corpus.from_strings(language.sample(500))
    ours = grammar(name)
    assert ours.optimal(corpus) == pytest.approx(language.optimal(corpus), rel=1e-13)
    found, kinds = ours.phases(corpus)
    assert ours.cost(corpus, found, kinds) == pytest.approx(ours.optimal(corpus), rel=1e-13)
    theirs, their_kinds = language.phases(corpus)
    assert [kinds[i] for i in found] == [their_kinds[i] for i in theirs]


def test_strings_off_the_language_cost_infinitely_many_bits() -> None:
    ours = grammar("anbn")
    for strings in (["ab", "abb", "abbab"], ["ab", "a"], ["ac"]):
        corpus = Corpus.from_strings(strings)
        assert ours.optimal(corpus) == math.inf
        assert ours.cost(corpus, *ours.phases(corpus)) == math.inf


def test_off_the_language_there_is_no_phase() -> None:
    corpus = Corpus.from_strings(["ab", "ba"])
    found, kinds = grammar("anbn").phases(corpus)
    assert [bool(number >= 0) for number in found] == [True, True, False, True, False]
    assert kinds[found[3]].allowed == {"#"}


def test_a_grammar_on_the_brink_of_not_ending_is_exact() -> None:
    ours = Grammar.from_text("S -> S S [0.5] | 'a' [0.5]")
    left = Fraction(1)
    for n in range(12):
        ends = Fraction(math.comb(2 * n - 2, n - 1), n * 2 ** (2 * n - 1)) if n else Fraction(0)
        assert ours.next("a" * n).distribution["#"] == ends / left
        left -= ends


def test_what_is_improbable_stays_possible() -> None:
    ours = Grammar.from_text(
        "S -> A [0.5] | B [0.5]\nA -> 'a' A [0.999] | [0.001]\nB -> 'a' B [0.001] | 'b' [0.999]"
    )
    string = "a" * 400 + "b"
    assert ours.accepts(string)
    exact = Fraction(1, 2) * Fraction(1, 1000) ** 400 * Fraction(999, 1000)
    bits = math.log2(exact.denominator) - math.log2(exact.numerator)
    assert ours.optimal(Corpus.from_strings([string])) == pytest.approx(bits, rel=1e-12)


def test_thirds_can_be_written_with_nine_digits() -> None:
    ours = Grammar.from_text("S -> 'a' [0.333333333] | 'b' [0.333333333] | 'c' [0.333333333]")
    assert set(ours.next("").distribution.values()) == {0, Fraction(1, 3)}


def test_more_than_sixty_nonterminals_are_computed_in_decimals() -> None:
    lines = [f"N{i} -> 'a' N{i + 1} [0.3] | 'b' [0.7]" for i in range(70)]
    ours = Grammar.from_text("\n".join([*lines, "N70 -> [1.0]"]))
    chances = ours.next("aaa").distribution
    assert sum(chances.values()) == 1
    assert abs(chances["a"] - Fraction(3, 10)) < Fraction(1, 10**35)
    assert ours.next("a" * 70).allowed == {"#"}


@settings(max_examples=30)
@given(st.lists(st.sampled_from("ab"), max_size=12).map("".join), st.text("ab", max_size=12))
def test_prefixes_may_be_asked_for_in_any_order(one: str, two: str) -> None:
    text = TRICKY["ambiguous"]
    ours = Grammar.from_text(text)
    ours.next(one)
    assert ours.next(two) == Grammar.from_text(text).next(two)


def test_samples_are_those_of_the_paper_where_the_grammar_is_the_papers() -> None:
    assert grammar("dyck1").sample(300, seed=7) == dyck(1).sample(300, seed=7)


@pytest.mark.parametrize("case", ["ambiguous", "irrational roots of two", "a unit cycle"])
def test_samples_are_as_frequent_as_they_are_probable(case: str) -> None:
    ours = Grammar.from_text(TRICKY[case])
    truth = enumerated(ours)
    assert truth is not None
    size = 4000
    counts = Counter(ours.sample(size))
    for string, chance in truth.strings.items():
        spread = math.sqrt(size * chance * (1 - chance))
        assert abs(counts[string] - size * chance) < 5 * spread + 1


def test_samples_continue_a_stream() -> None:
    ours = grammar("english")
    stream = RandomState(3)
    assert ours.samples(stream, 4) + ours.samples(stream, 3) == ours.sample(7, seed=3)


def test_a_string_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdlrnn.languages._grammar.MOST_EXPANSIONS", 100)
    with pytest.raises(InputError, match="grammar did not end after 100 rules;") as error:
        Grammar.from_text("S -> S S [0.5] | 'a' [0.5]").sample(1000)
    assert is_one_sentence(str(error.value))


def test_words_are_symbols_where_a_terminal_is_a_word() -> None:
    ours = grammar("english")
    assert ours.words
    assert ours.alphabet[:4] == ("#", "Kim", "Sandy", "a")
    assert next(ours.strings()) == ("Kim", "sings")
    assert ours.next("the old dog") == ours.next(["the", "old", "dog"])
    assert ours.next("the old dog").allowed >= {"in", "that", "sees"}
    assert ours.accepts("Kim sees a dog near the park")
    assert ours.accepts(("Kim", "sleeps", "today"))
    assert not ours.accepts("dog the sees")


def test_samples_of_words_make_a_corpus() -> None:
    ours = grammar("english")
    strings = ours.sample(200)
    assert all(ours.accepts(string) for string in strings)
    corpus = Corpus.from_strings(strings)
    bits = 0.0
    for string in strings:
        for end in range(len(string) + 1):
            symbol = (*string, "#")[end]
            bits -= math.log2(ours.next(string[:end]).distribution[symbol])
    assert ours.optimal(corpus) == pytest.approx(bits, rel=1e-12)


def test_words_of_one_category_keep_their_proportions() -> None:
    chances = grammar("english").next("Kim sees the cat").distribution
    assert chances["in"] / chances["near"] == Fraction(7, 3)
    assert chances["Kim"] == 0


def test_a_grammar_survives_pickling() -> None:
    ours = grammar("anbn")
    ours.next("aab")
    again = pickle.loads(pickle.dumps(ours))
    assert again == ours
    assert again.next("aab") == ours.next("aab")


def test_names_come_from_the_file_or_the_caller() -> None:
    assert (grammar("anbn").name, grammar("anbn").title) == ("anbn", "anbn")
    assert Grammar.from_text("S -> 'a' [1.0]", name="mine").name == "mine"


def test_notation_is_nltks() -> None:
    ours = Grammar.from_text(
        "# a comment\n%start Top\n\nA -> 'b' [1.0]\nTop -> \"a\" A [.5] \\\n  | 'it\"s' [0.5]\r\n"
    )
    assert ours.start == Nonterminal("Top")
    assert sorted(ours.strings()) == [("a", "b"), ('it"s',)]


MANY = " ".join(f"'w{i}'" for i in range(2048))
RULES = " | ".join(f"'w' S [{1 / 4096}]" for _ in range(2048))
RING = "\n".join(f"A{i} -> A{(i + 1) % 151} [0.5] | 'a' [0.5]" for i in range(151))
WRONG = {
    "nothing": ("", "there are no rules"),
    "comments only": ("# S -> 'a' [1.0]\n\n", "there are no rules"),
    "a start symbol only": ("%start S", "there are no rules"),
    "no arrow": ("S -> 'a' [1.0]\n\nA = 'a' [1.0]", "line 3 is not a rule .*expected an arrow"),
    "no closing quote": ("S -> 'a [1.0]", "line 1 is not a rule .*unterminated string"),
    "an odd sign": ("S -> ( [1.0]", "line 1 is not a rule .*expected a nonterminal"),
    "a number that is none": ("S -> 'a' [1.0.0]", "line 1 is not a rule .*'1.0.0'"),
    "a probability above 1": ("S -> 'a' [1.5]", "line 1 is not a rule .*greater than 1"),
    "a wrong line after a long one": ("S -> \\\n'a' [1.0]\nA 'a'", "line 3 is not a rule"),
    "an odd directive": ("%begin S\nS -> 'a' [1.0]", "line 1 begins with %"),
    "an end that is none": ("S -> 'a' [1.0]\nA -> 'b' [1.0] | \\", "line 2 ends in a backslash"),
    "no probability": ("S -> 'a' [1.0]\nS -> 'b' | 'c'", "line 2: alternative 1 of S does not end"),
    "two probabilities": ("S -> 'a' [0.5] 'b' [1.0]", "line 1: alternative 1 of S does not end"),
    "a sum below 1": ("A -> 'b' [1.0]\nS -> A [0.5] | 'a' [0.4]", "line 2: .* S sum to 0.9, not 1"),
    "a sum above 1": ("S -> 'a' [0.6]\nS -> 'b' [0.41]", "line 1: .* S sum to 1.01, not 1"),
    "a sum nearly 1": ("S -> 'a' [0.99999999] | 'b' [0.0]", "sum to 0.99999999, not 1"),
    "an undefined nonterminal": ("S -> 'a' [1.0]\nA -> Bee [1.0]", "line 2: A uses Bee, which"),
    "an undefined start": ("%start T\nS -> 'a' [1.0]", "the start symbol T is never defined"),
    "no end": ("S -> 'a' S [1.0]", "line 1: S never yields a string"),
    "no end for two": ("S -> 'a' [1.0]\nA -> B [1.0]\nB -> A [1.0]", "line 2: A never yields"),
    "an end of probability 0": ("S -> S [1.0] | 'a' [0.0]", "S never yields a string"),
    "too much of itself": ("S -> S S [0.6] | 'a' [0.4]", "line 1: .* probability 0.666667, not 1"),
    "too much of another": (
        "S -> 'a' [0.5] | A [0.5]\nA -> B B [1.0]\nB -> A [0.75] | 'b' [0.25]",
        "ends with probability 0.555556, not 1, since [AB] leads to more",
    ),
    "a little too much": (
        "S -> S S [0.50000001] | 'a' [0.49999999]",
        "probability just below 1, not 1",
    ),
    "the boundary symbol": ("S -> 'a' S '#' [0.5] | 'a' [0.5]", "'#' is a terminal"),
    "an empty terminal": ("S -> 'a' S [0.5] | '' [0.5]", "'' is a terminal"),
    "words in a word": ("S -> 'New York' [1.0]", "the terminal 'New York' has a blank"),
    "the empty string only": ("S -> S S [0.3] | [0.7]", "yields the empty string only"),
    "too many terminals": (f"S -> {MANY} [0.5] | S [0.5]", "there are 2048 terminals"),
    "too many rules": (f"S -> {RULES} | 'a' [0.5]", "more than 2,000 rules"),
    "too much recursion": (RING, "more than 150 nonterminals that recur through each other"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_grammar_is_said_in_one_sentence(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.pcfg"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        load_grammar(path)
    assert str(error.value).startswith(f"{path}: ")
    assert is_one_sentence(str(error.value))
    with pytest.raises(InputError, match=f"^mine: .*({message})"):
        Grammar.from_text(text, name="mine")


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.pcfg: cannot be read .*; check the path"):
        load_grammar(tmp_path / "none.pcfg")
    path = tmp_path / "latin.pcfg"
    path.write_bytes("S -> 'é' [1.0]".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.pcfg: byte 6 is not UTF-8; .*the grammar"):
        load_grammar(path)


def test_without_nltk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.grammar", None)
    with pytest.raises(InputError, match=r'nltk, which .*; run pip install "mdlrnn\[grammar\]"'):
        grammar("anbn")


def test_a_prefix_off_the_language_is_an_error() -> None:
    with pytest.raises(InputError, match="'ba' begins no string of anbn;") as error:
        grammar("anbn").next("ba")
    assert is_one_sentence(str(error.value))
    for prefix in ("a#", "#", "abb", "x"):
        with pytest.raises(InputError, match="begins no string"):
            grammar("anbn").next(prefix)
    assert not grammar("anbn").accepts("ab#")


def test_a_corpus_of_numbers_has_no_optimum() -> None:
    corpus = Corpus.from_sequences(np.ones((1, 2, 2)), np.ones((1, 2, 1)))
    for ask in (grammar("anbn").optimal, grammar("anbn").phases):
        with pytest.raises(InputError, match="anbn has strings, the corpus numbers;"):
            ask(corpus)


def determinant(matrix: list[list[Fraction]]) -> Fraction:
    if not matrix:
        return Fraction(1)
    first, *rest = matrix
    return sum(
        (
            (-1) ** i * entry * determinant([row[:i] + row[i + 1 :] for row in rest])
            for i, entry in enumerate(first)
        ),
        Fraction(0),
    )


def multiplies(means: list[list[Fraction]], members: list[int]) -> bool:
    """Whether the spectral radius of a component is above 1, exactly: it is not just when all
    principal minors of identity − matrix are at least 0."""
    chosen = chain.from_iterable(combinations(members, n) for n in range(1, len(members) + 1))
    return any(
        determinant([[(i == j) - means[i][j] for j in some] for i in some]) < 0 for some in chosen
    )


def leading_to(means: list[list[Fraction]], start: int) -> set[int]:
    """What can come of it, itself included."""
    found, left = {start}, [start]
    while left:
        new = {j for j, mean in enumerate(means[left.pop()]) if mean} - found
        found |= new
        left += new
    return found


@given(st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), min_size=3, max_size=3))
@example([[0, 0, 0, 0, 1, 0], [0, 2, 0, 1, 2, 0], [0, 0, 2, 0, 0, 2]])  # B alone is critical
@example([[2, 0, 0, 2, 0, 0], [1, 2, 0, 0, 1, 0], [1, 0, 0, 0, 1, 0]])  # S is, and B leads to it
@example([[0, 2, 0, 0, 2, 0], [0, 0, 2, 0, 0, 2], [2, 0, 0, 2, 0, 0]])  # all are, in a circle
def test_derivations_end_where_offspring_do_not_multiply(numbers: list[list[int]]) -> None:
    # Each of three nonterminals ends with probability 1/2, or yields one of two lists of them.
    names = [Nonterminal(name) for name in "SAB"]
    productions = []
    for left, row in zip(names, numbers, strict=True):
        productions.append(Production(left, ("a",), Fraction(1, 2)))
        for counts in (row[:3], row[3:]):
            right = [name for name, n in zip(names, counts, strict=True) for _ in range(n)]
            productions.append(Production(left, tuple(right), Fraction(1, 4)))
    means = [[Fraction(row[i] + row[i + 3], 4) for i in range(3)] for row in numbers]
    reached = [leading_to(means, i) for i in range(3)]
    endlessly = {
        i for i in range(3) if multiplies(means, [j for j in reached[i] if i in reached[j]])
    }
    assert (endless(productions) is None) == (not endlessly)
    # From what leads to nothing that multiplies, derivations end; iterating would not show it,
    # since it creeps up to 1 where the mean is exactly 1. The others it reaches soon.
    sure = np.array([not reached[i] & endlessly for i in range(3)])
    ends = sure.astype(float)
    for _ in range(20_000):
        each = [np.prod(ends ** np.array(row).reshape(2, 3), axis=1).sum() / 4 for row in numbers]
        before, ends = ends, np.where(sure, 1.0, 0.5 + np.array(each))
        if np.array_equal(before, ends):
            break
    for name, chance in zip(names, ends, strict=True):
        assert chance_to_end(name, productions) == pytest.approx(chance, abs=1e-9)


matrices = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=n, max_size=n), min_size=n, max_size=n
    )
)


@given(matrices)
def test_a_closure_inverts_one_minus_the_matrix(numbers: list[list[int]]) -> None:
    size = len(numbers)
    matrix = [[Fraction(entry, 4 * size) for entry in row] for row in numbers]
    found = closure(
        {i: {j: p for j, p in enumerate(row) if p} for i, row in enumerate(matrix)}, Fraction(1)
    )
    for i, j in product(range(size), repeat=2):
        through = sum(matrix[i][k] * found[k].get(j, 0) for k in range(size))
        assert found[i].get(j, 0) == (i == j) + through


@given(matrices)
def test_components_are_the_classes_of_what_reaches_each_other(numbers: list[list[int]]) -> None:
    size = len(numbers)
    steps = np.linalg.matrix_power(np.eye(size) + np.sign(numbers), size) > 0
    graph = {i: [j for j, entry in enumerate(row) if entry] for i, row in enumerate(numbers)}
    found = components(graph)
    assert sorted(i for members in found for i in members) == list(range(size))
    place = {i: number for number, members in enumerate(found) for i in members}
    for i, j in product(range(size), repeat=2):
        assert (place[i] == place[j]) == (steps[i, j] and steps[j, i])
        assert place[j] <= place[i] or not steps[i, j]
