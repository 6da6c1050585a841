"""Grammars as machines: the same prefixes with the same probabilities, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import is_one_sentence
from mdlrnn import InputError
from mdlrnn.languages._grammar import Grammar
from mdlrnn.machines._machine import Machine

pytest.importorskip("nltk")

GRAMMARS = {
    "finite": ("S -> A 'x' A [0.5] | 'b' A [0.5]\nA -> 'c' 'd' [0.5] | 'e' [0.5]", ()),
    "a^n b^n": ("S -> 'a' S 'b' [0.7] | 'a' 'b' [0.3]", ("n",)),
    "with nothing": ("S -> 'a' S 'b' [0.7] | [0.3]", ("n",)),
    "regular": ("S -> 'a' S [0.5] | 'b' T [0.5]\nT -> 'b' S [0.3] | 'a' [0.7]", ()),
    "one symbol, two rules": (
        "S -> 'a' S [0.5] | 'a' T [0.5]\nT -> 'b' T [0.3] | 'b' [0.7]", (),
    ),
    "brackets": ("S -> '(' S ')' S [0.3] | [0.7]", ("n",)),
    "two kinds": ("S -> '(' S ')' S [0.2] | '[' S ']' S [0.2] | [0.6]", ("stack",)),
    "palindromes": ("S -> 'a' S 'a' [0.3] | 'b' S 'b' [0.3] | 'c' [0.4]", ("stack",)),
    "two counters": (
        "S -> 'a' S 'd' [0.5] | 'a' T 'd' [0.5]\nT -> 'b' T 'c' [0.5] | 'b' 'c' [0.5]",
        ("n1", "n2"),
    ),
    "sums": ("E -> T [0.7] | T '+' E [0.3]\nT -> 'x' [0.6] | '(' E ')' [0.4]", ("n",)),
    "more to come": ("S -> 'a' S S [0.3] | 'b' [0.7]", ("n",)),
    "one of two ends": ("S -> 'a' S 'b' [0.3] | 'a' S 'c' [0.3] | 'd' [0.4]", ("n",)),
    "English": (
        "S -> NP VP [1.0]\nNP -> 'the' N PP [0.6] | 'the' N 'that' NP V [0.4]\n"
        "N -> 'dog' [0.5] | 'cat' [0.5]\nV -> 'saw' [1.0]\nVP -> V NP [0.5] | 'slept' [0.5]\n"
        "PP -> [0.7] | 'by' NP [0.3]",
        ("n1", "n2"),
    ),
    "regular, with a verb that is due": (
        "S -> 'the' NS PP 'runs' [0.5] | 'the' NP PP 'run' [0.5]\n"
        "PP -> 'near' 'the' N PP [0.4] | 'now' [0.6]\nN -> NS [0.5] | NP [0.5]\n"
        "NS -> 'cat' [1.0]\nNP -> 'cats' [1.0]",
        (),
    ),
    "embedded": (
        "S -> NP VP [1.0]\nNP -> 'the' N [0.7] | 'the' N NP V [0.3]\n"
        "N -> 'rat' [0.5] | 'cat' [0.5]\nV -> 'saw' [1.0]\nVP -> 'slept' [0.5] | V 'the' N [0.5]",
        ("n",),
    ),
    "pairs, one after the other": (
        "S -> A B [1.0]\nA -> 'a' A 'b' [0.6] | 'a' 'b' [0.4]\n"
        "B -> 'c' B 'd' [0.6] | 'c' 'd' [0.4]",
        ("n1", "n2"),
    ),
}  # fmt: skip


def compare(grammar: Grammar, machine: Machine, length: int, most: int) -> int:
    """The next-symbol probabilities of both after every prefix; how many were compared."""
    compared = 0
    level: list[tuple[str, ...]] = [()]
    for _ in range(length + 1):
        longer = []
        for prefix in level[:most]:
            expected = grammar.next(prefix).distribution
            assert machine.next(prefix).distribution == expected, prefix
            compared += 1
            longer += [(*prefix, s) for s, chance in expected.items() if chance and s != "#"]
        level = longer
    return compared


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_grammar_and_its_machine_agree_on_every_prefix(name: str) -> None:
    text, counters = GRAMMARS[name]
    grammar = Grammar.from_text(text)
    machine = grammar.machine()
    assert machine.counters == counters
    assert compare(grammar, machine, 9, 60) > 10


def test_a_machine_asks_for_what_may_differ_alone() -> None:
    text, _ = GRAMMARS["pairs, one after the other"]
    assert Grammar.from_text(text).machine().to_text().splitlines()[-9:] == [
        "start: a -> A",
        "A: a 3/5 -> A, n1 = n1 + 1",
        "A: b 2/5 -> B",
        "B: c if n1 = 0 -> C",
        "B: b if n1 > 0 -> B, n1 = n1 - 1",
        "C: c 3/5 -> C, n2 = n2 + 1",
        "C: d 2/5 -> D",
        "D: d if n2 > 0 -> D, n2 = n2 - 1",
        "D: # if n2 = 0",
    ]


SHARES = st.integers(1, 8)


def rule(left: str, rights: list[str], weights: list[int]) -> str:
    total = sum(weights)
    *first, last = [f"{Fraction(w, total).limit_denominator(10**9)}" for w in weights]
    del last
    shares = [round(float(Fraction(share)), 3) for share in first]
    shares.append(round(1 - sum(shares), 3))
    parts = [f"{right} [{share}]" for right, share in zip(rights, shares, strict=True)]
    return f"{left} -> " + " | ".join(parts)


@st.composite
def regular(draw: st.DrawFn) -> str:
    """Right-linear rules, each symbol at most once in a state."""
    states = "STU"[: draw(st.integers(1, 3))]
    lines = []
    for state in states:
        symbols = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True))
        rights = [f"'{s}' {draw(st.sampled_from(states))}" for s in symbols]
        rights.append("" if draw(st.booleans()) else "'d'")
        lines.append(rule(state, rights, [draw(SHARES) for _ in rights[:-1]] + [9]))
    return "\n".join(lines)


@st.composite
def counting(draw: st.DrawFn) -> str:
    """Rules that embed themselves, with closing symbols of one or several kinds."""
    opens = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True))
    close = draw(st.sampled_from(["same", "own", "double"]))
    ends = {"same": "'x'", "own": "'{}'", "double": "'x' 'y'"}
    after = draw(st.sampled_from(["", " S"]))
    rights = [f"'{s}' S {ends[close].format(s.upper())}{after}" for s in opens]
    rights.append(draw(st.sampled_from(["", "'m'", "'m' T"])))
    lines = [rule("S", rights, [draw(st.integers(1, 3)) for _ in opens] + [9])]
    if rights[-1].endswith("T"):
        lines.append(rule("T", ["'t' T", "'u'"], [draw(SHARES), 9]))
    return "\n".join(lines)


@st.composite
def phrases(draw: st.DrawFn) -> str:
    """Phrases of parts that are due once, after others of any length: few of them count."""
    order = draw(st.permutations(["A", "B", "'x'"]))
    inner = draw(st.sampled_from(["'a' A", "'a' A 'y'", "'a' B 'y'", "'a' 'z' A 'z'"]))
    lines = [rule("S", [" ".join(order), f"'s' {order[0]} 't'"], [draw(SHARES), draw(SHARES)])]
    lines.append(rule("A", [inner, "'m'"], [draw(st.integers(1, 4)), 9]))
    kinds = draw(st.integers(2, 3))
    lines.append(rule("B", ["'b' B", "'n'", ""][:kinds], [2, 5, 3][:kinds]))
    return "\n".join(lines)


@settings(max_examples=60)
@given(st.one_of(regular(), counting(), phrases()))
def test_random_grammars_and_their_machines_agree(text: str) -> None:
    try:
        grammar = Grammar.from_text(text)
    except InputError:
        return  # a rule that never ends, or nothing but the empty string
    compare(grammar, grammar.machine(), 12, 12)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("S -> S 'a' [0.3] | 'b' [0.7]", "S begins with itself before any symbol is written"),
        ("S -> 'a' S S [0.3] | [0.7]", "in ever new proportions, in S -> 'a' S S [0.3]"),
        ("S -> 'a' S 'a' [0.3] | 'b' S 'b' [0.3] | [0.4]", "in S -> 'a' S 'a' [0.3]"),
    ],
)
def test_where_there_is_no_machine_the_rule_is_named(text: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        Grammar.from_text(text, name="mine").machine()
    assert str(error.value).startswith("mine has no machine with counters or a stack: ")
    assert why in str(error.value)
    assert is_one_sentence(str(error.value))


@pytest.mark.slow
def test_a_long_chain_of_rules_is_answered_in_a_sentence() -> None:
    chain = "\n".join(f"A{i} -> A{i + 1} [1.0]" for i in range(1_500))
    grammar = Grammar.from_text(f"{chain}\nA1500 -> 'a' [1.0]")
    with pytest.raises(InputError, match="too many times before a symbol is written"):
        grammar.machine()
