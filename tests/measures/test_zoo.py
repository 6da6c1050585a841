"""The paper's networks: each row of its tables, each claim of its proofs, its published scores."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import DATA, corpus, is_one_sentence
from mdlrnn import Connection, Corpus, Encoding, InputError, Network, Unit, Weight, score, zoo
from mdlrnn.corpus._corpus import surprisal
from mdlrnn.languages._paper import dyck
from mdlrnn.machines._transducer import addition
from mdlrnn.network._code import length, parts
from mdlrnn.network._interpreter import EXACT, FLOAT, distribution, feed, input_rows

RELEASED = Encoding("tacl2022")
WITH_MODULO = Encoding("tacl2022", (*RELEASED.activations, "mod2", "mod3"))
STACKS = ("dyck2", "dyck2_short")
NS = (1, 2, 3, 4, 7, 20, 41)
ANBMCNM_TABLE_MARGIN = 0.006
"""What the table prints as ~1 and ~0 at the last c is .9949 and .0051."""


def sigmoid(x: int) -> Fraction:
    return Fraction(EXACT.sigmoid(Fraction(x)))


def third(x: int) -> Fraction:
    return Fraction(x, 3)


class Step(NamedTuple):
    values: tuple[Fraction, ...]
    chances: dict[str, Fraction]


class Row(NamedTuple):
    """A row of a table: the units' values, and the probabilities, floats where it prints ~."""

    values: dict[int, Any]
    chances: dict[str, Any]


def trace(network: Network, string: str) -> list[Step]:
    assert network.alphabet is not None
    steps = []
    for values in feed(network, input_rows(network, string), EXACT):
        chances = dict(zip(network.alphabet, distribution(network, values), strict=True))
        steps.append(Step(values, chances))
    return steps


def check_table(network: Network, string: str, rows: list[Row], margin: float) -> None:
    for step, row in zip(trace(network, string), rows, strict=True):
        assert {unit: step.values[unit] for unit in row.values} == row.values
        for symbol, chance in row.chances.items():
            if isinstance(chance, float):
                assert abs(step.chances[symbol] - Fraction(chance)) < margin
            else:
                assert step.chances[symbol] == chance


# The zoo itself


def test_the_zoo_holds_these() -> None:
    assert zoo.names() == (
        "example", "anbn", "anbncn", "anb2n", "anbmcnm", "dyck1", "dyck2", "dyck2_short",
        "addition",
    )  # fmt: skip


@pytest.mark.parametrize("name", zoo.names())
def test_every_network_loads_by_name_and_by_function(name: str) -> None:
    network = zoo.load(name)
    assert network == getattr(zoo, name)()
    assert network.name == name
    assert Network.from_dict(network.to_dict()) == network


@pytest.mark.parametrize(
    ("name", "alphabet", "units"),
    [
        ("anbn", "#ab", 7),
        ("anbncn", "#abc", 10),
        ("anb2n", "#ab", 7),
        ("anbmcnm", "#abc", 9),
        ("dyck1", "#[]", 7),
        ("dyck2", "#()[]", 23),
        ("dyck2_short", "#()[]", 17),
    ],
)
def test_language_networks_name_their_symbols(name: str, alphabet: str, units: int) -> None:
    network = zoo.load(name)
    assert network.alphabet == tuple(alphabet)
    assert len(network.units) == units


@pytest.mark.parametrize(
    ("name", "near"),
    [("anbm", "anbn"), ("dyck-2", "dyck2"), ("adition", "addition"), ("a^n b^n", "anbn")],
)
def test_an_unknown_name_is_answered_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(InputError, match=rf"did you mean {near}\?") as caught:
        zoo.load(name)
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize("name", ["xyz", "", None, ["anbn"]])
def test_a_name_like_none_of_them_is_answered_with_all(name: Any) -> None:
    with pytest.raises(InputError, match=", ".join(zoo.names())) as caught:
        zoo.load(name)
    assert is_one_sentence(str(caught.value))


# Published scores

PUBLISHED = [
    ("anbn", "anbn_500", 160, 1483.9131587252623, 7),
    ("anbncn", "anbncn_500", 263, 1483.9136167182705, 13),
    ("anb2n", "anb2n_500", 160, 1483.913907210017, 7),
    ("anbmcnm", "anbmcnm_500", 241, 2960.1865484736345, 10),
    ("dyck1", "dyck1_500", 135, 1165.9487274064425, 6),
    ("addition", "addition_400", 133, 0.0, 6),
    ("dyck2", "dyck2_20000", 634, 59901.735191892694, 30),
    ("dyck2_short", "dyck2_20000", 483, 59901.735191892694, 23),
]


def published_corpus(name: str) -> Corpus:
    return addition().training(400) if name == "addition_400" else corpus(name)


@pytest.mark.parametrize(("name", "data", "g", "d_given_g", "size"), PUBLISHED)
def test_scores_are_the_published_ones(
    name: str, data: str, g: int, d_given_g: float, size: int
) -> None:
    network = zoo.load(name)
    encoding = WITH_MODULO if name in STACKS else RELEASED
    scored = score(network, published_corpus(data), encoding)
    assert scored.g == g
    assert scored.d_given_g == pytest.approx(d_given_g, rel=1e-9, abs=0)
    biases = sum(unit.bias is not None for unit in network.units)
    assert len(network.connections) + biases == size


@pytest.mark.parametrize(
    ("name", "data", "d_given_g"), [(row[0], row[1], row[3]) for row in PUBLISHED[:6]]
)
def test_the_interpreter_gives_every_published_digit(
    name: str, data: str, d_given_g: float
) -> None:
    bits = surprisal(zoo.load(name), published_corpus(data), FLOAT)
    assert bits == pytest.approx(d_given_g, rel=1e-13, abs=0)


def test_scores_on_the_papers_test_sets_are_the_published_ones() -> None:
    strings = ["a" * n + "b" * n for n in range(21, 1021)]
    bits = score(zoo.anbn(), Corpus.from_strings(strings), RELEASED).d_given_g
    assert round(bits, 2) == 269058.03
    sizes = range(23, 72)
    strings = ["a" * n + "b" * m + "c" * (n + m) for n in sizes for m in sizes]
    given_corpus = Corpus.from_strings(strings)
    bits = score(zoo.anbmcnm(), given_corpus, RELEASED).d_given_g
    assert round(bits, 2) == 121755.35
    assert round(bits / given_corpus.characters, 3) == 0.268


# Figure 1


def test_the_example_has_the_weights_of_the_text() -> None:
    assert zoo.example() == Network(
        2,
        1,
        (Unit(), Unit(), Unit("sigmoid", bias=Weight(1))),
        (Connection(0, 2, "forward", Weight(1, 2)), Connection(1, 2, "recurrent", Weight(2))),
    )


def test_the_example_remembers_its_second_input() -> None:
    steps = feed(zoo.example(), [[4, 1], [2, 3], [0, 0]], EXACT)
    assert [values[2] for values in steps] == [sigmoid(3), sigmoid(4), sigmoid(7)]


def test_the_example_is_encoded_as_in_figure_2() -> None:
    written = parts(zoo.example(), Encoding(activations=("linear", "sigmoid", "relu")))
    bits = [(part.label, part.bits) for part in written if part.connection is None]
    # The figure leaves out what ends a cost and what says that there is no bias.
    absent = [("cost(linear)", "0"), ("no bias", "00")]
    inputs = [("linear", "00"), ("E(#out)", "101"), *absent]
    assert bits == [
        ("E(U)", "11011"), *inputs, *inputs,
        ("sigmoid", "01"), ("E(#out)", "0"), ("cost(sigmoid)", "11110"), ("bias", "1101101"),
    ]  # fmt: skip
    connections = [(part.label, part.bits) for part in written if part.connection]
    assert connections == [
        ("unit 3", "11"), ("w(1,3)", "1" + "101" + "11010"), ("forward", "0"),
        ("unit 3", "11"), ("w(2,3)", "1" + "11010" + "101"), ("recurrent", "1"),
    ]  # fmt: skip


# a^n b^n, a^n b^2n: the table of Theorem 4.1


def counting_table(n: int, times: int) -> list[Row]:
    """The table for a^n b^(times n); `times` is 1 in the paper's."""
    end = sigmoid(-15)
    return [
        Row({6: 0, 4: third(7), 5: 0, 3: end}, {"a": 1.0, "b": 0.0, "#": 0.0}),
        *(
            Row({6: times * k, 4: third(7), 5: 1, 3: end}, {"a": 0.7, "b": 0.3, "#": 0.0})
            for k in range(1, n + 1)
        ),
        *(
            Row({6: times * n - k, 4: -third(2), 5: 1, 3: end}, {"a": 0, "b": 1.0, "#": 0.0})
            for k in range(1, times * n)
        ),
        Row({6: 0, 4: -third(2), 5: 0, 3: end}, {"a": 0, "b": 0, "#": 1}),
    ]


@pytest.mark.parametrize("n", NS)
def test_anbn_table(n: int) -> None:
    check_table(zoo.anbn(), "a" * n + "b" * n, counting_table(n, 1), 1e-6)


@pytest.mark.parametrize("n", NS)
def test_anb2n_counts_two_for_each_a(n: int) -> None:
    check_table(zoo.anb2n(), "a" * n + "b" * 2 * n, counting_table(n, 2), 1e-6)


def test_anbn_errs_most_during_the_bs() -> None:
    leak = sigmoid(-15) / (1 + sigmoid(-15))
    assert float(leak) == pytest.approx(3e-7, rel=0.1)
    errors = []
    for step, row in zip(trace(zoo.anbn(), "aaabbb"), counting_table(3, 1), strict=True):
        expected = {s: round(Fraction(p), 1) for s, p in row.chances.items()}
        errors.append(max(abs(step.chances[s] - p) for s, p in expected.items()))
    assert max(errors) == errors[4] == errors[5] == leak


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 1_000, 10_000])
def test_anbn_is_right_wherever_there_is_no_choice(n: int) -> None:
    string = "a" * n + "b" * n
    predicted = zoo.anbn().probabilities(string).argmax(axis=1)
    targets = np.array(["#ab".index(symbol) for symbol in string + "#"])
    assert predicted[0] == targets[0]
    assert (predicted[n + 1 :] == targets[n + 1 :]).all()


# a^n b^n c^n


def anbncn_table(n: int) -> list[Row]:
    c = sigmoid(-15)
    return [
        Row(
            {8: 1, 9: -third(1), 4: -third(1), 5: 1, 6: 0, 7: c},
            {"#": 0, "a": 1.0, "b": 0, "c": 0.0},
        ),
        *(
            Row(
                {8: 1 - k, 9: -third(k + 1), 4: -third(k + 1), 5: third(7), 6: 1, 7: c},
                {"#": 0.0, "a": 0.7, "b": 0.3, "c": 0.0},
            )
            for k in range(1, n + 1)
        ),
        *(
            Row(
                {8: k + 1 - n, 9: -third(k + n + 1), 4: -third(k + n + 1), 5: 0, 6: 1, 7: c},
                {"#": 0, "a": 0, "b": 1.0, "c": 0.0},
            )
            for k in range(1, n)
        ),
        Row(
            {8: 1, 9: -third(2 * n + 1), 4: -third(2 * n + 1), 5: 0, 6: 0, 7: c},
            {"#": 0, "a": 0, "b": 0, "c": 1},
        ),
        *(
            Row(
                {8: 1 + k, 9: third(2 * (k - n) - 1), 4: third(2 * (k + 1 - n)), 5: 0, 6: 0, 7: c},
                {"#": 0, "a": 0, "b": 0, "c": 1},
            )
            for k in range(1, n)
        ),
        Row(
            {8: 1 + n, 9: -third(1), 4: third(2), 5: 0, 6: 0, 7: c},
            {"#": 1.0, "a": 0, "b": 0, "c": 0.0},
        ),
    ]


@pytest.mark.parametrize("n", NS)
def test_anbncn_table(n: int) -> None:
    check_table(zoo.anbncn(), "a" * n + "b" * n + "c" * n, anbncn_table(n), 1e-6)


def test_anbncn_does_not_connect_the_b() -> None:
    assert all(2 not in (c.source, c.target) for c in zoo.anbncn().connections)


# a^n b^m c^(n+m)


def anbmcnm_table(n: int, m: int) -> list[Row]:
    c = sigmoid(-4)
    faint = Fraction(4, 100)

    def end(left: int) -> Fraction:
        return Fraction(7, 2) * (1 - left)

    return [
        Row({5: 31**2, 6: 0, 7: c, 4: end(0)}, {"a": 0.996, "b": 0, "c": 0.0, "#": 0.004}),
        *(
            Row({5: 11**2, 6: 7**2, 7: c, 4: end(k)}, {"a": 0.71, "b": 0.29, "c": 0.0, "#": 0})
            for k in range(1, n + 1)
        ),
        *(
            Row({5: 0, 6: faint, 7: c, 4: end(n + k)}, {"a": 0, "b": 0.69, "c": 0.31, "#": 0})
            for k in range(1, m + 1)
        ),
        *(
            Row({5: 0, 6: 0, 7: c, 4: end(n + m - k)}, {"a": 0, "b": 0, "c": 1, "#": 0})
            for k in range(1, n + m)
        ),
        Row({5: 0, 6: 0, 7: c, 4: end(0)}, {"a": 0, "b": 0, "c": 0.0, "#": 1.0}),
    ]


@pytest.mark.parametrize("n", NS)
@pytest.mark.parametrize("m", NS)
def test_anbmcnm_table(n: int, m: int) -> None:
    network, string = zoo.anbmcnm(), "a" * n + "b" * m + "c" * (n + m)
    check_table(network, string, anbmcnm_table(n, m), ANBMCNM_TABLE_MARGIN)
    assert all(step.values[4] == 7 * step.values[8] for step in trace(network, string))


def test_anbmcnm_imposes_the_order() -> None:
    steps = trace(zoo.anbmcnm(), "abbaaccccc")
    for symbol, step in zip("#abbaaccccc", steps, strict=True):
        assert (step.chances["a"] > 0) == (symbol in "#a")
        assert (step.chances["b"] > 0) == (symbol in "ab")


def test_anbmcnm_by_the_lack_of_c_does_the_same_for_two_bits_more() -> None:
    network = zoo.anbmcnm()
    one = Weight(1)
    others = [c for c in network.connections if (c.source, c.target) not in {(1, 8), (2, 8)}]
    mirrored = replace(
        network,
        units=(*network.units[:8], Unit(bias=Weight(-1, 2))),
        connections=(*others, *(Connection(u, 8, "forward", one) for u in (0, 3))),
    )
    check_table(mirrored, "aabbbccccc", anbmcnm_table(2, 3), ANBMCNM_TABLE_MARGIN)
    assert length(mirrored, RELEASED) == length(network, RELEASED) + 2 == 243


# Dyck-1


@st.composite
def prefixes(draw: st.DrawFn, pairs: tuple[str, ...], deepest: int) -> str:
    """A prefix of a Dyck string, its depth bounded."""
    string = ""
    closing: list[str] = []
    for choice in draw(st.lists(st.integers(0, 2 * len(pairs) - 1), max_size=60)):
        if choice < len(pairs) and len(closing) < deepest:
            string += pairs[choice][0]
            closing.append(pairs[choice][1])
        elif closing:
            string += closing.pop()
    return string


@given(prefixes(("[]",), 40))
def test_dyck1_table(string: str) -> None:
    opened = 0
    for symbol, (values, chances) in zip("#" + string, trace(zoo.dyck1(), string), strict=True):
        opened += {"#": 0, "[": 1, "]": -1}[symbol]
        closing = math.floor(third(2 + opened))
        assert list(values[3:]) == [1 - opened, Fraction(1, 2), closing, 1 - opened]
        if opened == 0:
            assert chances == {"[": third(1), "]": 0, "#": third(2)}
        else:
            total = closing + Fraction(1, 2)
            assert chances == {"[": Fraction(1, 2) / total, "]": closing / total, "#": 0}
            # The table's ~ leaves the floor out.
            if (2 + opened) % 3 == 0:
                bottom = 7 + 2 * opened
                assert chances["["] == Fraction(3, bottom)
                assert chances["]"] == Fraction(4 + 2 * opened, bottom)


# Dyck-2: the caption of Figure 8


def test_the_stacks_are_those_of_the_authors_file() -> None:
    data = json.loads((DATA / "vectors" / "manual_dyck2_20000.json").read_text())
    short, long = (Network.from_dict(row["network"]) for row in data["networks"])
    assert (zoo.dyck2(), zoo.dyck2_short()) == (long, short)


@pytest.mark.parametrize("name", STACKS)
@given(string=prefixes(("()", "[]"), 12))
def test_dyck2_keeps_a_stack(name: str, string: str) -> None:
    memory = Fraction(0)
    for symbol, step in zip("#" + string, trace(zoo.load(name), string), strict=True):
        push_gate, pop_gate, after, top = (step.values[u] for u in (11, 13, 15, 16))
        if symbol in ")]":
            memory = Fraction(math.floor(memory / 3))
            assert [push_gate, pop_gate] == [0, memory]
        else:
            if symbol != "#":
                memory = 3 * memory + {"(": 2, "[": 1}[symbol]
            assert [push_gate, pop_gate] == [memory, 0]
        assert (after, top) == (memory, memory % 3)
        closed_by = "#])"[int(top)]
        opening, closing = Fraction(2, 13), Fraction(9, 13)
        expected = {"(": opening, "[": opening, "#": 0, ")": 0, "]": 0} | {closed_by: closing}
        assert step.chances == expected


def test_only_the_bias_of_unit_22_opens_brackets() -> None:
    network = zoo.dyck2()
    unit = network.units[22]
    assert unit.bias == Weight(2, 9)
    assert {c.target: c.weight for c in network.connections if c.source == 22} == {
        6: Weight(1),
        8: Weight(1),
    }
    silent = replace(network, units=(*network.units[:22], replace(unit, bias=None)))
    assert trace(silent, "([")[-1].chances == {"#": 0, "(": 0, ")": 0, "[": 0, "]": 1}


@pytest.mark.parametrize("name", STACKS)
def test_dyck2_gives_no_chance_to_the_impossible(name: str) -> None:
    language, network = dyck(2), zoo.load(name)
    assert network.alphabet == language.alphabet
    for string in language.sample(200, seed=7):
        here = language.beginning
        for at, chances in enumerate(network.probabilities(string)):
            if at:
                after = language.step(here, string[at - 1])
                assert after is not None
                here = after
            possible = language.next_from(here).allowed
            assert {s for s, p in zip(language.alphabet, chances, strict=True) if p > 0} == possible


@pytest.mark.parametrize("name", STACKS)
def test_the_stack_holds_twelve_symbols(name: str) -> None:
    """The thirteenth ( is beyond 10^6, where units are cut."""
    network = zoo.load(name)
    assert trace(network, "(" * 12)[-1].chances[")"] > 0
    assert trace(network, "(" * 13)[-1].chances[")"] == 0


# Addition


def digits(number: int, steps: int) -> list[int]:
    return [number >> place & 1 for place in range(steps)]


def check_addition(n: int, m: int, steps: int) -> None:
    carry = 0
    pairs = list(zip(digits(n, steps), digits(m, steps), strict=True))
    traced = feed(zoo.addition(), pairs, EXACT)
    for (x, y), digit, values in zip(pairs, digits(n + m, steps), traced, strict=True):
        total = x + y + carry
        carry = total // 2
        assert values[2:] == (digit, carry, total)


def test_addition_of_all_pairs_below_32() -> None:
    for n in range(32):
        for m in range(32):
            check_addition(n, m, 6)


@given(st.integers(0, 2**40 - 1), st.integers(0, 2**40 - 1))
def test_addition_of_numbers_of_forty_bits(n: int, m: int) -> None:
    check_addition(n, m, 41)


def test_addition_in_floats_is_sure_of_itself() -> None:
    source = random.Random(1)
    for _ in range(20):
        n, m = source.getrandbits(40), source.getrandbits(40)
        pairs = np.array([digits(n, 41), digits(m, 41)]).T
        assert zoo.addition().probabilities(pairs)[:, 0].tolist() == digits(n + m, 41)
