"""The languages against definitions that know nothing of machines: counting, and a stack."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import islice, product, takewhile

import pytest

from helpers.data import is_one_sentence
from mdlrnn import Corpus, InputError
from mdlrnn.languages._paper import anb2n, anbmcnm, anbn, anbncn, anbncndn, dyck
from mdlrnn.machines._machine import Configuration, Machine

LANGUAGES = {
    "anbn": anbn(),
    "anbncn": anbncn(),
    "anbncndn": anbncndn(),
    "anb2n": anb2n(),
    "anbmcnm": anbmcnm(),
    "dyck1": dyck(1),
    "dyck2": dyck(2),
    "dyck3": dyck(3),
}
FEW = Fraction(3, 10)
REST = Fraction(7, 10)
everywhere = pytest.mark.parametrize("name", LANGUAGES)


# Independent definitions: membership, and the probability of a whole string


def blocks(string: str, symbols: str) -> list[int] | None:
    """How often each symbol comes, if they come in this order and each at least once."""
    found = re.fullmatch("".join(f"({symbol}+)" for symbol in symbols), string)
    return None if found is None else [len(block) for block in found.groups()]


def in_ratio(symbols: str, *ratio: int) -> Callable[[str], bool]:
    def belongs(string: str) -> bool:
        found = blocks(string, symbols)
        return found is not None and found == [times * found[0] for times in ratio]

    return belongs


def sums_up(string: str) -> bool:
    found = blocks(string, "abc")
    return found is not None and found[2] == found[0] + found[1]


def matched(pairs: str) -> Callable[[str], bool]:
    """Taking away neighbours that match leaves nothing."""

    def belongs(string: str) -> bool:
        before = None
        while before != string:
            before = string
            for opening, closing in zip(pairs[::2], pairs[1::2], strict=True):
                string = string.replace(opening + closing, "")
        return string == ""

    return belongs


BELONGS = {
    "anbn": in_ratio("ab", 1, 1),
    "anbncn": in_ratio("abc", 1, 1, 1),
    "anbncndn": in_ratio("abcd", 1, 1, 1, 1),
    "anb2n": in_ratio("ab", 1, 2),
    "anbmcnm": sums_up,
    "dyck1": matched("[]"),
    "dyck2": matched("[]()"),
    "dyck3": matched("[](){}"),
}


def chance(name: str, string: str) -> Fraction:
    """n - 1 times on with .7 and once off with .3; each S of a Dyck grammar .3 or .7."""
    if name.startswith("dyck"):
        kinds = int(name[-1])
        opened = len(string) // 2
        return (FEW / kinds) ** opened * REST ** (opened + 1)
    geometric = REST ** (string.count("a") - 1) * FEW
    if name == "anbmcnm":
        geometric *= REST ** (string.count("b") - 1) * FEW
    return geometric


# The rules


def reachable(language: Machine, most: int = 3000) -> list[Configuration]:
    """Breadth first, so that counters of every size come."""
    found = dict.fromkeys([language.beginning])
    new = list(found)
    while new and len(found) < most:
        options = [option for here in new for option in language.options(here)]
        reached = dict.fromkeys(option.to for option in options if option.symbol != "#")
        new = [to for to in reached if to not in found]
        found.update(dict.fromkeys(new))
    return list(found)


@everywhere
def test_in_every_configuration_chances_sum_to_1(name: str) -> None:
    language = LANGUAGES[name]
    configurations = reachable(language)
    assert len(configurations) > 1000
    for here in configurations:
        options = language.options(here)
        assert sum(option.chance for option in options) == 1
        assert all(option.chance > 0 for option in options)
        symbols = [option.symbol for option in options]
        assert len(symbols) == len(set(symbols))
        assert all(counter >= 0 for counter in here.counters)


@everywhere
def test_deep_configurations_are_reached_along_a_string(name: str) -> None:
    language = LANGUAGES[name]
    first = "[" if name.startswith("dyck") else "a"
    here = language.after(first * 400)
    assert here is not None
    assert sum(option.chance for option in language.options(here)) == 1


# The true distribution

NEXT = [
    ("anbn", "", "a", "1"),
    ("anbn", "a", "a b", ".7 .3"),
    ("anbn", "aaaa", "a b", ".7 .3"),
    ("anbn", "aab", "b", "1"),
    ("anbn", "aabb", "#", "1"),
    ("anb2n", "aabb", "b", "1"),
    ("anb2n", "aabbbb", "#", "1"),
    ("anbncn", "ab", "c", "1"),
    ("anbncn", "aabbc", "c", "1"),
    ("anbncn", "abc", "#", "1"),
    ("anbncndn", "aab", "b", "1"),
    ("anbncndn", "aabbcc", "d", "1"),
    ("anbncndn", "aabbccdd", "#", "1"),
    ("anbmcnm", "", "a", "1"),
    ("anbmcnm", "aa", "a b", ".7 .3"),
    ("anbmcnm", "aab", "b c", ".7 .3"),
    ("anbmcnm", "aabcc", "c", "1"),
    ("anbmcnm", "aabccc", "#", "1"),
    ("dyck1", "", "[ #", ".3 .7"),
    ("dyck1", "[", "[ ]", ".3 .7"),
    ("dyck1", "[[]", "[ ]", ".3 .7"),
    ("dyck1", "[[]]", "[ #", ".3 .7"),
    ("dyck2", "", "[ ( #", ".15 .15 .7"),
    ("dyck2", "[(", "[ ( )", ".15 .15 .7"),
    ("dyck2", "[()", "[ ( ]", ".15 .15 .7"),
    ("dyck3", "{", "[ ( { }", ".1 .1 .1 .7"),
    ("dyck3", "{}", "[ ( { #", ".1 .1 .1 .7"),
]


@pytest.mark.parametrize(("name", "prefix", "symbols", "chances"), NEXT)
def test_next_by_hand(name: str, prefix: str, symbols: str, chances: str) -> None:
    language = LANGUAGES[name]
    expected = dict(zip(symbols.split(), map(Fraction, chances.split()), strict=True))
    found = language.next(prefix)
    assert found.distribution == dict.fromkeys(language.alphabet, Fraction(0)) | expected
    assert found.allowed == set(expected)
    assert found.deterministic == (len(expected) == 1)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("anbn", "b"), ("anbn", "aba"), ("anbn", "abb"), ("anbn", "ab#"), ("anbn", "x"),
        ("anb2n", "aba"), ("anbncn", "aac"), ("anbncndn", "abd"), ("anbmcnm", "ac"),
        ("anbmcnm", "abccc"), ("dyck1", "]"), ("dyck1", "[]]"), ("dyck2", "[)"),
        ("dyck2", "([)"), ("dyck3", "[{]"),
    ],
)  # fmt: skip
def test_what_begins_no_string_is_refused(name: str, prefix: str) -> None:
    language = LANGUAGES[name]
    with pytest.raises(InputError, match="begins no string of") as caught:
        language.next(prefix)
    assert is_one_sentence(str(caught.value))
    assert not language.accepts(prefix)


# Which strings


@everywhere
def test_strings_are_those_of_the_definition_shortest_first(name: str) -> None:
    language, belongs = LANGUAGES[name], BELONGS[name]
    symbols = language.alphabet[1:]
    longest = {2: 14, 3: 10, 4: 8, 6: 6}[len(symbols)]
    expected = [
        string
        for length in range(longest + 1)
        for string in map("".join, product(symbols, repeat=length))
        if belongs(string)
    ]
    found = list(takewhile(lambda string: len(string) <= longest, language.strings()))
    assert found == expected
    assert all(language.accepts(string) for string in found)


def neighbours(string: str, symbols: tuple[str, ...]) -> set[str]:
    """One symbol deleted, inserted, replaced, or swapped with the next."""
    splits = [(string[:i], string[i:]) for i in range(len(string) + 1)]
    near = {left + right[1:] for left, right in splits}
    near |= {left + symbol + right for left, right in splits for symbol in symbols}
    near |= {left + symbol + right[1:] for left, right in splits for symbol in symbols}
    near |= {left + right[1::-1] + right[2:] for left, right in splits}
    return near


@everywhere
def test_samples_are_accepted_and_neighbours_as_the_definition_says(name: str) -> None:
    language, belongs = LANGUAGES[name], BELONGS[name]
    strings = set(language.sample(300, seed=5))
    assert len(strings) > 5
    rejected = 0
    for string in strings:
        assert belongs(string)
        assert language.accepts(string)
        for near in neighbours(string, language.alphabet[1:]):
            assert language.accepts(near) == belongs(near)
            rejected += not belongs(near)
    assert rejected > 100


# The sampler


def agrees(language: Machine, name: str, strings: list[str]) -> bool:
    """Pearson's statistic over the frequent strings, and the rest as one, within four sigmas."""
    counts = Counter(strings)
    frequent = [s for s in islice(language.strings(), 60) if chance(name, s) * len(strings) >= 10]
    expected = [float(chance(name, string)) * len(strings) for string in frequent]
    observed = [counts[string] for string in frequent]
    expected.append(len(strings) - sum(expected))
    observed.append(len(strings) - sum(observed))
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    freedom = len(frequent)
    return freedom >= 5 and statistic < freedom + 4 * math.sqrt(2 * freedom)


@everywhere
def test_samples_are_as_frequent_as_the_machine_says(name: str) -> None:
    language = LANGUAGES[name]
    assert agrees(language, name, language.sample(20_000, seed=1))
    walked = Machine(language.name, language.title, language.rules)
    assert agrees(walked, name, walked.sample(4_000, seed=2))


def test_the_bound_on_frequencies_notices_a_wrong_sampler() -> None:
    strings = [string + "[]" for string in dyck(1).sample(20_000, seed=1)]
    assert not agrees(dyck(1), "dyck1", strings)


@everywhere
def test_a_seed_gives_the_same_strings_again(name: str) -> None:
    language = LANGUAGES[name]
    assert language.sample(50, seed=3) == language.sample(50, seed=3)
    assert language.sample(50, seed=3) != language.sample(50, seed=4)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_beyond_the_generator_is_refused(seed: int) -> None:
    with pytest.raises(InputError, match=f"the seed is {seed}; ") as caught:
        anbn().sample(3, seed)
    assert is_one_sentence(str(caught.value))


# The optimal score


@everywhere
def test_the_optimum_is_what_next_gives_along_the_strings(name: str) -> None:
    language = LANGUAGES[name]
    strings = language.sample(60, seed=9)
    bits = 0.0
    for string in strings:
        for i, symbol in enumerate(string + "#"):
            bits -= math.log2(language.next(string[:i]).distribution[symbol])
    assert language.optimal(Corpus.from_strings(strings)) == pytest.approx(bits, rel=1e-12)
    whole = -sum(math.log2(chance(name, string)) for string in strings)
    assert bits == pytest.approx(whole, rel=1e-12)


@everywhere
def test_the_optimum_of_other_strings_is_infinite(name: str) -> None:
    language = LANGUAGES[name]
    inside = language.sample(20, seed=9)
    symbol = language.alphabet[1]
    for outside in (symbol, max(inside, key=len) + symbol, "xyz"):
        assert math.isinf(language.optimal(Corpus.from_strings([*inside, outside])))


def test_an_optimum_needs_strings() -> None:
    numbers = Corpus.from_sequences([[[0.0], [1.0]]], [[[1.0], [0.0]]])
    with pytest.raises(InputError, match="has strings, the corpus numbers") as caught:
        anbn().optimal(numbers)
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize("kinds", [0, 5, -1])
def test_there_are_so_many_kinds_of_brackets(kinds: int) -> None:
    with pytest.raises(InputError, match=f"no Dyck-{kinds} here") as caught:
        dyck(kinds)
    assert is_one_sentence(str(caught.value))
