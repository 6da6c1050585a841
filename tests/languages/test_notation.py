"""Notations: what they stand for, how they read, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import is_one_sentence
from mdlrnn import InputError
from mdlrnn.languages._notation import language_from_notation
from mdlrnn.machines._files import machine_from_text

STOP = Fraction(3, 10)


def geometric(n: int, least: int = 1) -> Fraction:
    return (1 - STOP) ** (n - least) * STOP


def two(write: Callable[[int, int], str], least: int = 1) -> Iterator[tuple[str, Fraction]]:
    for n, m in product(range(least, 14), repeat=2):
        yield write(n, m), geometric(n, least) * geometric(m, least)


def one(write: Callable[[int], str], least: int = 1) -> Iterator[tuple[str, Fraction]]:
    for n in range(least, 14):
        yield write(n), geometric(n, least)


MEANT: dict[str, Callable[[], Iterator[tuple[str, Fraction]]]] = {
    "a^n b^n": lambda: one(lambda n: "a" * n + "b" * n),
    "a^n b^3n": lambda: one(lambda n: "a" * n + "b" * 3 * n),
    "a^3n b^n": lambda: one(lambda n: "aaa" * n + "b" * n),
    "(ab)^2n": lambda: one(lambda n: "abab" * n),
    "a^2n b^n": lambda: one(lambda n: "aa" * n + "b" * n),
    "a^n b^m c^(n+m)": lambda: two(lambda n, m: "a" * n + "b" * m + "c" * (n + m)),
    "a^n b^m c^n d^m": lambda: two(lambda n, m: "a" * n + "b" * m + "c" * n + "d" * m),
    "a^n b^(n+m) c^m": lambda: two(lambda n, m: "a" * n + "b" * (n + m) + "c" * m),
    "a^n c b^n": lambda: one(lambda n: "a" * n + "c" + "b" * n),
    "(ab)^n": lambda: one(lambda n: "ab" * n),
    "(ab)^n c^n": lambda: one(lambda n: "ab" * n + "c" * n),
    "a^n b^(n+1)": lambda: one(lambda n: "a" * n + "b" * (n + 1)),
    "a^n a b^n": lambda: one(lambda n: "a" * (n + 1) + "b" * n),
    "a^n b^n a^n": lambda: one(lambda n: "a" * n + "b" * n + "a" * n),
    "a^3 b^n": lambda: one(lambda n: "aaa" + "b" * n),
    "a^n b^n, n >= 0": lambda: one(lambda n: "a" * n + "b" * n, 0),
    "a^n c b^n, n >= 0": lambda: one(lambda n: "a" * n + "c" + "b" * n, 0),
    "a^n b^(n+m) c^m, n >= 0, m >= 0": (
        lambda: two(lambda n, m: "a" * n + "b" * (n + m) + "c" * m, 0)
    ),
    "a* b+": lambda: (
        ("a" * i + "b" * j, geometric(i, 0) * geometric(j)) for i in range(14) for j in range(1, 14)
    ),
}


@pytest.mark.parametrize("notation", MEANT)
def test_a_notation_stands_for_its_strings_with_their_probabilities(notation: str) -> None:
    language = language_from_notation(notation)
    expected: dict[str, Fraction] = {}
    for string, chance in MEANT[notation]():
        expected[string] = expected.get(string, Fraction(0)) + chance
    short = [string for string in sorted(expected, key=lambda s: (len(s), s)) if len(string) <= 12]
    assert list(islice(language.strings(), len(short))) == short
    for string in short:
        found = Fraction(1)
        for place, symbol in enumerate(string + "#"):
            found *= language.next(string[:place]).distribution[symbol]
        assert found == expected[string]


def test_alternatives_are_equally_likely_and_made_deterministic() -> None:
    language = language_from_notation("a^n | a^n b^n")
    assert language.next("aa").distribution == {
        "#": Fraction(3, 20), "a": Fraction(7, 10), "b": Fraction(3, 20),
    }  # fmt: skip
    assert language.accepts("aaa")
    assert language.accepts("aabb")
    assert not language.accepts("aab")
    assert list(islice(language_from_notation("a^n b^n | a^n b^2n").strings(), 4)) == [
        "ab", "abb", "aabb", "aaabbb",
    ]  # fmt: skip


def test_symbols_may_be_words() -> None:
    language = language_from_notation("'the' 'dog'^n 'barks'^n")
    assert language.words
    assert language.accepts("the dog dog barks barks")
    assert next(language.strings()) == ("the", "dog", "barks")


def test_the_chance_to_stop_can_be_said() -> None:
    language = language_from_notation("a^n b^n, stop 1/2")
    assert language.next("a").distribution["b"] == Fraction(1, 2)


NUMBERS = st.integers(1, 3)


@st.composite
def notations(draw: st.DrawFn) -> str:
    """Blocks over different symbols, in which later exponents are sums of earlier variables."""
    blocks: list[str] = []
    known: list[str] = []
    for symbol in "abcde"[: draw(st.integers(1, 5))]:
        unit = draw(st.sampled_from([symbol, symbol, f"({symbol}{symbol.upper()})"]))
        kind = draw(st.sampled_from(["new", "new", "known", "number", "*", "+"]))
        if kind == "known" and known:
            parts = [f"{draw(NUMBERS)}{name}" for name in known if draw(st.booleans())]
            parts.append(str(draw(st.integers(0, 2))))
            blocks.append(f"{unit}^({'+'.join(parts)})")
        elif kind in "*+":
            blocks.append(unit + kind)
        elif kind == "number":
            blocks.append(f"{unit}^{draw(NUMBERS)}")
        else:
            name = "nmpqr"[len(known)]
            known.append(name)
            blocks.append(f"{unit}^{draw(st.sampled_from(['', '2', '3']))}{name}")
    least = "".join(f", {name} >= 0" for name in known if draw(st.booleans()))
    return " ".join(blocks) + least


@settings(max_examples=60)
@given(notations())
def test_a_notation_its_language_its_file_and_back(notation: str) -> None:
    if re.search(r"\^\(0\)(?! *[a-zA-Z(])", notation) and notation.count("^") == 1:
        return  # nothing but the empty string, which is no language
    language = language_from_notation(notation)
    again = machine_from_text(language.to_text(), language.name)
    assert again == language
    for string in islice(language.strings(), 5):
        assert language.accepts(string)


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("a^", "at character 2, no exponent follows ^"),
        ("^n", "at character 1, ^ has nothing before it"),
        ("a^n b^(n", "at character 6, no exponent"),
        ("a^(n+m) b^n", "two numbers, n and m"),
        ("a^n b^(n-2)", "falls below 0 for the smallest numbers"),
        ("a^n b^m c^(n-m)", "takes away m"),
        ("a^n b^n, n >= 2", "at character 9, numbers begin at 0 or 1"),
        ("a^n b^n, m >= 0", "m does not occur in it"),
        ("a^n b^n, stop 3/2", "chance to stop is 3/2"),
        ("a^n b^n, stop 1/0", "divides by 0"),
        ("(a^n", "at character 1, the parenthesis is empty or not closed"),
        ("(ab", "at character 1, the parenthesis is empty or not closed"),
        ("a^n |", "at character 5, an alternative is empty"),
        ("a^n #", "at character 5, # ends every string by itself"),
        ("a^(n*n)", "at character 3, that is no exponent"),
        ("a^n | a^2n", "no finite machine tells the next symbol"),
        ("a^9999n", "whole numbers up to 1000"),
        ("'a^n", "at character 1, the quote is empty or not closed"),
        ("a" * 501 + "^n", "more than 500 characters"),
    ],
)
def test_what_is_wrong_with_a_notation_is_said_with_its_place(notation: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        language_from_notation(notation)
    assert message in str(error.value)
    assert is_one_sentence(str(error.value))
