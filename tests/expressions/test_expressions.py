"""Expressions: their notation, their probabilities, their code and their machines."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdlrnn import language
from mdlrnn.errors import InputError
from mdlrnn.expressions import (
    Expression,
    description_bits,
    expression_from,
    nodes,
    program_of,
    read,
    read_description,
    structure_bits,
    usual_chances,
    write,
    write_description,
)
from mdlrnn.languages import language_from_notation

NOTATIONS = {
    "a^n b^n": ["ab", "aabb", "aaabbb"],
    "aⁿ b²ⁿ": ["abb", "aabbbb"],
    "a^n b^m c^(n+m)": ["abcc", "aabccc", "abbccc"],
    "(ab)^n": ["ab", "abab"],
    "a^n b^n, n >= 0": ["", "ab", "aabb"],
    "(a|b)+": ["a", "b", "aa", "ab", "ba", "bb"],
    "(a|b)* c": ["c", "ac", "bc"],
    "a? b": ["b", "ab"],
    "(a^n b^n)+": ["ab", "aabb", "abab"],
    "a^(n^2)": ["a", "aaaa", "aaaaaaaaa"],
    "a^(2^n)": ["aa", "aaaa", "aaaaaaaa"],
    "a^(2^(n-1)) b^n": ["ab", "aabb", "aaaabbb"],
    "a^n b^(n^2) c^(2^n)": ["abcc", "aabbbbcccc"],
    "a^3": ["aaa"],
    "a^(1..4)": ["a", "aa", "aaa", "aaaa"],
    "(a|b)^n c^n": ["ac", "bc", "aacc", "abcc"],
    "(a b^i)^(i=1..n)": ["ab", "ababb", "ababbabbb"],
    "c^n (a b^(i^2))^(i=1..n)": ["cab", "ccababbbb"],
    "(a b^i)^(i=1..n) (c d^i)^(i=1..n)": ["abcd", "ababbcdcdd"],
    "a^n (b c^n)^2": ["abcbc", "aabccbcc"],
    "<w> c <w>": ["aca", "bcb", "aacaa"],
    "<w> c <w>^R": ["aca", "bcb", "aacaa", "abcba"],
    "<w:(a|b)+> c <w:a~b>": ["acb", "bca", "aacbb"],
    "<S: a <S> b | c>": ["c", "acb", "aacbb"],
    "<S: a <S> a | b <S> b | c>": ["c", "aca", "bcb"],
    "<S: '(' <S> ')' <S> | x>": ["x", "(x)x", "((x)x)x"],
    "'(' '?'+ ')'": ["(?)", "(??)"],
    "(a | b a)* b": ["b", "ab", "aab", "bab"],
}
WITHOUT_MACHINE = ("<w> <w>", "<w> <w>^R", "a^n | a^2n")


@pytest.mark.parametrize("text", [*NOTATIONS, *WITHOUT_MACHINE])
def test_what_is_written_is_read_back(text: str) -> None:
    node = read(text).node
    assert read(write(node)).node == node


@pytest.mark.parametrize(("text", "first"), NOTATIONS.items())
def test_a_notation_makes_its_strings(text: str, first: list[str]) -> None:
    expression = expression_from(text)
    assert list(islice(expression.strings(3000), len(first))) == first
    assert all(expression.accepts(string) for string in first)
    assert not expression.accepts("abcabcab")


@pytest.mark.parametrize("text", [*NOTATIONS, *WITHOUT_MACHINE])
def test_what_can_come_next_sums_to_one_after_every_prefix(text: str) -> None:
    expression = expression_from(text)
    for string in islice(expression.strings(2000), 12):
        product = Fraction(1)
        for place, symbol in enumerate((*string, "#")):
            chances = expression.next(string[:place]).distribution
            assert sum(chances.values()) == 1
            product *= chances[symbol]
        assert product == expression.probability(string)
        assert expression.likely(string) == pytest.approx(float(product), rel=1e-12)


@pytest.mark.parametrize("text", ["a^(1..4)", "a^3", "a? b?", "a | b | ab", "(ab|c)^2", "a?^3"])
def test_probabilities_of_a_finite_language_sum_to_one(text: str) -> None:
    expression = expression_from(text)
    assert sum(expression.probability(s) for s in expression.strings()) == 1


def test_an_ambiguous_expression_sums_over_its_readings() -> None:
    # aab is a a b, read with the first, the second or neither a in the left star.
    expression = expression_from("a* a* b, stop 1/2")
    assert expression.probability("b") == Fraction(1, 4)
    assert expression.probability("aab") == 3 * Fraction(1, 16)


@pytest.mark.parametrize("text", NOTATIONS)
def test_the_machine_has_the_strings_and_probabilities(text: str) -> None:
    expression, machine = expression_from(text), language_from_notation(text)
    strings = list(islice(expression.strings(3000), 40))
    assert list(islice(machine.strings(), len(strings))) == strings
    for string in strings:
        assert machine.probability(string) == expression.probability(string)


@pytest.mark.parametrize("text", WITHOUT_MACHINE)
def test_what_has_no_machine_is_a_language_all_the_same(text: str) -> None:
    known = language(text)
    assert known.machine is None
    assert known.obstacle is not None
    assert known.accepts(known.strings(1)[0])


def test_a_copy_without_a_mark_has_no_machine_and_says_why() -> None:
    with pytest.raises(InputError, match="cannot know where a word that comes back begins"):
        language_from_notation("<w> <w>")


@pytest.mark.parametrize("text", ["a^n b^n", "<w> <w>", "<S: a <S> b | c>", "(a|b)+ c?"])
def test_samples_belong_and_come_as_often_as_they_should(text: str) -> None:
    expression = expression_from(text)
    strings = expression.sample(4000, 1)
    assert all(expression.accepts(string) for string in set(strings))
    (likeliest, chance), *_ = expression.likeliest(1)
    assert strings.count(likeliest) / 4000 == pytest.approx(chance, abs=0.05)


def test_the_likeliest_strings_come_in_order() -> None:
    found = expression_from("<w> <w>").likeliest(30)
    assert [chance for _, chance in found] == sorted((c for _, c in found), reverse=True)
    assert len({string for string, _ in found}) == 30


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a^n b^n )", "closes no parenthesis"),
        ("<w> <v:a~b>", "the word v is not drawn before it"),
        ("<S: a <T> | b>", "the rule T is not open here"),
        ("<S: <S> a | b>", "calls itself before it writes a symbol"),
        ("<S: a <S>>", "never ends"),
        ("(a?)*", None),
        ("(a* b?)+", "what is repeated may be empty"),
        ("(a^n)? b^n", "is drawn in a part that may be left out"),
        ("<w>^n", "write <w> <w>^n"),
        ("a{2}", "put it in quotes"),
        ("a^(4..1)", "a range goes up"),
        ("a > b", "write '>' for the symbol"),
        ("<w:a~a>", "is not drawn before it"),
    ],
)
def test_what_cannot_be_said_is_refused_with_a_reason(text: str, message: str | None) -> None:
    if message is None:
        assert expression_from(text).accepts("aa")
        return
    with pytest.raises(InputError, match=message.replace("<", r"\<").replace("^", r"\^")):
        expression_from(text)


# The code


def dyadic(text: str) -> Expression:
    """With chances that the code has."""
    expression = expression_from(text)
    program = program_of(expression.node or nodes.EMPTY, expression.symbols, dict(expression.least))
    chances = usual_chances(program, Fraction(1, 4))
    return Expression(expression.node, chances, expression.symbols, expression.least)


def renamed(expression: Expression) -> Expression:
    assert expression.node is not None
    node = nodes.canonical(expression.node)
    return Expression(node, expression.chances, expression.symbols)


@pytest.mark.parametrize("text", [*NOTATIONS, *WITHOUT_MACHINE])
def test_a_description_is_read_back_from_its_bits(text: str) -> None:
    expression = renamed(dyadic(text)) if ">=" not in text else dyadic(text)
    bits = write_description(expression)
    found, used = read_description(bits + "0110", expression.symbols)
    assert used == len(bits) == description_bits(expression)
    assert found.node is not None
    assert expression.node is not None
    assert nodes.canonical(found.node) == nodes.canonical(expression.node)
    assert found.chances == expression.chances
    assert [value for _, value in found.least] == [v for _, v in expression.least if v == 0]


def test_no_code_begins_another_and_krafts_sum_is_at_most_one() -> None:
    codes = {write_description(renamed(dyadic(text))) for text in NOTATIONS if "a" in text}
    same = {write_description(renamed(dyadic(t))) for t in NOTATIONS if symbols(t) == ("a", "b")}
    for one in same:
        assert not any(other.startswith(one) for other in same - {one})
    assert sum(2.0 ** -len(code) for code in same) <= 1
    assert len(codes) > 10


def symbols(text: str) -> tuple[str, ...]:
    return expression_from(text).symbols


def test_strings_apart_are_part_of_the_description() -> None:
    plain = dyadic("a^n b^n")
    others = ((("b", "a"), Fraction(3, 4)), ((), Fraction(1, 4)))
    expression = Expression(plain.node, plain.chances, plain.symbols, (), others, Fraction(1, 8))
    found, _ = read_description(write_description(expression), plain.symbols)
    assert (found.others, found.share) == (others, Fraction(1, 8))
    assert expression.probability("ba") == Fraction(3, 32)
    assert expression.probability("ab") == Fraction(7, 8) * plain.probability("ab")
    assert sum(chance for _, chance in expression.likeliest(100)) == pytest.approx(1, abs=1e-6)
    assert expression.next("").distribution["#"] == Fraction(1, 32)


def test_what_a_person_writes_is_short() -> None:
    assert structure_bits(read("a^n b^n").node, "ab") < 20
    assert structure_bits(read("<w> <w>").node, "ab") < 22
    assert structure_bits(read("a^n b^n c^n d^n").node, "abcd") < 45


@given(st.text("01", max_size=60))
@settings(max_examples=100)
def test_bits_that_mean_something_are_written_alike(bits: str) -> None:
    try:
        expression, used = read_description(bits, ("a", "b"))
    except InputError:
        return
    if expression.node is not None and expression.node == nodes.canonical(expression.node):
        assert len(write_description(expression)) <= used + log2(1 + used) + 8


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(a b^i)^(i=1..n) c^i", "used outside"),
        ("a^i (b^i)^(i=1..n)", "used elsewhere"),
        ("(a^i b)^(i=1..n), i >= 0", "used elsewhere"),
        ("(a b^n)^(n=1..n)", "two letters"),
        ("(b?)^(i=1..n)", "may be empty"),
        ("a^n (b?)^(2^n)", "may be empty"),
    ],
)
def test_the_number_of_the_round_belongs_to_its_power(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        expression_from(text)
