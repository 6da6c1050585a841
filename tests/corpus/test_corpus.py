"""A corpus against an obviously right trie, and every way of giving a wrong one."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.data import corpus_path
from mdlrnn.corpus._corpus import Corpus, match
from mdlrnn.errors import InputError
from mdlrnn.network._network import Network
from mdlrnn.network._units import Unit

# strings and characters as published, prefixes including the empty one
SIZES = {
    "anb2n_100": (100, 1051, 199),
    "anb2n_500": (500, 5588, 333),
    "anbmcnm_100": (100, 1488, 570),
    "anbmcnm_500": (500, 7226, 1301),
    "anbn_100": (100, 734, 107),
    "anbn_500": (500, 3892, 177),
    "anbncn_100": (100, 1051, 199),
    "anbncn_500": (500, 5588, 333),
    "anbncndn_100": (100, 1368, 291),
    "anbncndn_500": (500, 7284, 489),
    "dyck1_100": (100, 252, 65),
    "dyck1_500": (500, 1306, 237),
    "dyck2_200": (200, 552, 186),
    "dyck2_20000": (20000, 50512, 7762),
}

texts = st.lists(st.text("abcd é", max_size=8), min_size=1, max_size=30)
counted = st.dictionaries(
    st.text("ab(", max_size=6), st.integers(1, 10**9), min_size=1, max_size=20
)


def trie(strings: Mapping[Any, int]) -> dict[tuple[str, ...], Counter[str]]:
    """The tree as plain Python says it: per level, what follows each prefix and how often."""
    following: dict[tuple[str, ...], Counter[str]] = {}
    for string, count in strings.items():
        path = ["#", *string]
        for step, symbol in enumerate([*string, "#"]):
            prefix = tuple(path[: step + 1])
            following.setdefault(prefix, Counter())[symbol] += count
    return following


def prefixes(corpus: Corpus) -> list[tuple[int, ...]]:
    """The fed vectors along the path to each node, found by walking up from it."""
    paths = []
    for node in range(len(corpus.parent)):
        path = []
        while node >= 0:
            path.append(int(corpus.symbol[node]))
            node = int(corpus.parent[node])
        paths.append(tuple(reversed(path)))
    return paths


def check_against_trie(corpus: Corpus, strings: Mapping[Any, int]) -> None:
    expected = trie(strings)
    assert corpus.alphabet is not None
    number = {symbol: i for i, symbol in enumerate(corpus.alphabet)}
    nodes = sorted(
        (tuple(number[symbol] for symbol in prefix) for prefix in expected),
        key=lambda prefix: (len(prefix), prefix),
    )
    assert prefixes(corpus) == nodes
    lengths = [len(prefix) for prefix in nodes]
    depth = max(lengths)
    assert corpus.levels.tolist() == [lengths.index(n) for n in range(1, depth + 1)] + [len(nodes)]
    place = {prefix: node for node, prefix in enumerate(nodes)}
    items = sorted(
        (place[tuple(number[s] for s in prefix)], number[symbol], weight)
        for prefix, follow in expected.items()
        for symbol, weight in follow.items()
    )
    assert list(zip(*item_lists(corpus), strict=True)) == items
    assert corpus.sequences == sum(strings.values())
    assert corpus.characters == sum(n * (len(s) + 1) for s, n in strings.items())


def item_lists(corpus: Corpus) -> tuple[list[int], list[int], list[float]]:
    return corpus.item_node.tolist(), corpus.item_target.tolist(), corpus.item_weight.tolist()


def refused(message: str) -> AbstractContextManager[pytest.ExceptionInfo[InputError]]:
    return pytest.raises(InputError, match=message)


def network(inputs: int, outputs: int, alphabet: Any = None) -> Network:
    return Network(inputs, outputs, (Unit(),) * (inputs + outputs), alphabet=alphabet)


# The tree


@given(texts)
def test_tree_of_strings_is_the_trie(strings: list[str]) -> None:
    corpus = Corpus.from_strings(strings)
    check_against_trie(corpus, Counter(strings))
    assert corpus.alphabet == ("#", *sorted(set("".join(strings))))
    assert corpus.inputs == corpus.outputs == len(corpus.alphabet)
    np.testing.assert_array_equal(corpus.input_rows, np.eye(corpus.inputs))


@given(counted)
def test_counts_repeat_a_string(strings: dict[str, int]) -> None:
    check_against_trie(Corpus.from_strings(list(strings), strings.values()), strings)


def test_small_tree_in_full() -> None:
    corpus = Corpus.from_strings(["ab", "b", "ab", ""])
    assert corpus.alphabet == ("#", "a", "b")
    assert corpus.parent.tolist() == [-1, 0, 0, 1]
    assert corpus.symbol.tolist() == [0, 1, 2, 2]
    assert corpus.levels.tolist() == [0, 1, 3, 4]
    assert corpus.item_node.tolist() == [0, 0, 0, 1, 2, 3]
    assert corpus.item_target.tolist() == [0, 1, 2, 2, 0, 0]
    assert corpus.item_weight.tolist() == [1, 2, 1, 2, 1, 2]
    assert (corpus.sequences, corpus.characters) == (4, 9)
    assert repr(corpus) == (
        "Corpus(4 strings, 3 distinct, 9 characters, 4 prefixes, alphabet='# a b')"
    )


def test_field_types_are_those_of_the_kernels() -> None:
    for corpus in (
        Corpus.from_strings(["ab"]),
        Corpus.from_sequences(np.ones((1, 2, 1)), [[0, 1]]),
    ):
        for name in ("parent", "symbol", "levels", "item_node", "item_target"):
            assert getattr(corpus, name).dtype == np.int32
        for name in ("input_rows", "item_weight"):
            assert getattr(corpus, name).dtype == np.float64


def test_boundary_comes_before_symbols_of_lower_code_point() -> None:
    corpus = Corpus.from_strings(["! a", "a!"])
    assert corpus.alphabet == ("#", " ", "!", "a")
    check_against_trie(corpus, Counter(["! a", "a!"]))


def test_only_the_empty_string() -> None:
    corpus = Corpus.from_strings([""], [3])
    assert item_lists(corpus) == ([0], [0], [3.0])
    assert corpus.with_alphabet("#ab").alphabet == ("#", "a", "b")


def test_alphabets_beyond_one_byte_sort_by_symbol() -> None:
    symbols = [chr(0x4E00 + i) for i in range(300)]
    strings = [a + b for a, b in zip(symbols, reversed(symbols), strict=True)]
    check_against_trie(Corpus.from_strings(strings), Counter(strings))


def test_long_strings_need_no_loop_over_levels() -> None:
    corpus = Corpus.from_strings(["ab" * 100_000, "ab" * 99_999])
    assert len(corpus.parent) == corpus.levels[-1] == 200_001
    assert len(corpus.levels) == 200_002


def test_comparison_in_blocks_makes_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = ["a" * n + "b" * m for n in range(12) for m in range(12)]
    whole = Corpus.from_strings(strings)
    monkeypatch.setattr("mdlrnn.corpus._corpus.BLOCK", 7)
    assert Corpus.from_strings(strings) == whole
    check_against_trie(whole, Counter(strings))


@pytest.mark.parametrize("name", SIZES)
def test_paper_corpora_have_the_published_sizes(name: str) -> None:
    corpus = Corpus.load(corpus_path(name))
    assert (corpus.sequences, corpus.characters, len(corpus.parent)) == SIZES[name]
    assert corpus.item_weight.sum() == corpus.characters


# Words and symbols


@given(
    st.lists(st.lists(st.sampled_from(["to", "be", "or", "C#", "a\x01"]), max_size=5), min_size=1)
)
def test_words_are_symbols(sentences: list[list[str]]) -> None:
    corpus = Corpus.from_strings([" ".join(words) for words in sentences], words=True)
    symbols = [tuple(words) for words in sentences]
    check_against_trie(corpus, Counter(symbols))
    assert corpus == Corpus.from_strings(sentences) == Corpus.from_strings(symbols)


def test_lists_of_symbols_and_strings_mix() -> None:
    assert Corpus.from_strings(["ab", ["a", "b"], ("b",)]) == Corpus.from_strings(["ab", "ab", "b"])


def test_blanks_between_words_do_not_count() -> None:
    assert Corpus.from_strings(["  to  be ", " "], words=True) == Corpus.from_strings(
        [["to", "be"], []]
    )


def test_strings_may_come_from_a_generator() -> None:
    assert Corpus.from_strings(s for s in ["a", "b"]) == Corpus.from_strings(["b", "a"])


# Value


@given(counted)
def test_strings_give_back_what_was_given(strings: dict[str, int]) -> None:
    corpus = Corpus.from_strings(strings.keys(), strings.values())
    given_back = list(corpus.strings())
    assert dict(given_back) == {tuple(string): count for string, count in strings.items()}
    assert len(given_back) == len(strings)


@given(texts, st.randoms())
def test_order_of_strings_makes_no_difference(strings: list[str], random: Random) -> None:
    shuffled = random.sample(strings, len(strings))
    one, other = Corpus.from_strings(strings), Corpus.from_strings(shuffled)
    assert one == other
    assert hash(one) == hash(other)
    assert one.digest == other.digest


def test_corpora_differ_by_content() -> None:
    corpora = [
        Corpus.from_strings(["ab"]),
        Corpus.from_strings(["cd"]),
        Corpus.from_strings(["ab"], [2]),
        Corpus.from_strings(["ab"]).with_alphabet("#abc"),
        Corpus.from_sequences(np.zeros((1, 1, 1)), np.zeros((1, 1, 1))),
    ]
    assert len(set(corpora)) == len({corpus.digest for corpus in corpora}) == len(corpora)
    assert corpora[0] != "ab"


def test_digest_is_the_same_everywhere() -> None:
    assert Corpus.from_strings(["ab", ""]).digest == (
        "006be878cb8ae53760d13bf53a27cc3c8cf7f56d762be6b4cfa6c45c3c9f59d6"
    )


@pytest.mark.parametrize("duplicate", [lambda c: pickle.loads(pickle.dumps(c)), copy.deepcopy])
def test_copies_are_equal_and_read_only(duplicate: Callable[[Corpus], Corpus]) -> None:
    corpus = Corpus.from_strings(["ab", "b"])
    twin = duplicate(corpus)
    assert twin == corpus
    for name, array in twin.to_arrays().items():
        if array.ndim:
            with pytest.raises(ValueError, match="read-only"):
                getattr(twin, name)[0] = 1


def test_fields_cannot_be_set() -> None:
    corpus: Any = Corpus.from_strings(["a"])
    with pytest.raises(AttributeError):
        corpus.sequences = 2


def test_numeric_repr() -> None:
    corpus = Corpus.from_sequences(np.zeros((3, 2, 2)), np.zeros((3, 2)))
    assert repr(corpus) == "Corpus(3 sequences, 6 characters, 2 prefixes, 2 inputs, 1 outputs)"


def test_long_alphabets_are_cut_in_repr() -> None:
    assert repr(Corpus.from_strings(map(chr, range(97, 197)))).endswith(" ...')")


def test_importing_needs_no_numba() -> None:
    code = "import sys, mdlrnn.corpus._corpus; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


# Alphabets


@given(counted, st.permutations("#ab(z"))
def test_another_alphabet_keeps_the_strings(strings: dict[str, int], alphabet: list[str]) -> None:
    corpus = Corpus.from_strings(strings.keys(), strings.values())
    assert corpus.alphabet is not None
    other = corpus.with_alphabet(alphabet)
    assert other.alphabet == tuple(alphabet)
    check_against_trie(other, strings)
    assert other.with_alphabet(corpus.alphabet) == corpus


def test_same_alphabet_is_the_same_corpus() -> None:
    corpus = Corpus.from_strings(["ab"])
    assert corpus.with_alphabet("#ab") is corpus
    assert match(corpus, network(3, 3, "#ab")) is corpus


def test_match_goes_by_symbol_where_both_have_an_alphabet() -> None:
    corpus = Corpus.from_strings(["ab"])
    assert match(corpus, network(4, 4, "#cba")) == corpus.with_alphabet("#cba")


def test_match_goes_by_position_otherwise() -> None:
    corpus = Corpus.from_strings(["ab"])
    assert match(corpus, network(3, 3)) is corpus
    numeric = Corpus.from_sequences(np.zeros((1, 1, 3)), np.ones((1, 1, 3)))
    assert match(numeric, network(3, 3, "#ab")) is numeric
    with refused(r"corpus has 3 inputs and 3 outputs, but the network has 2 and 4; use a network"):
        match(corpus, network(2, 4))


@pytest.mark.parametrize(
    ("alphabet", "message"),
    [
        ("#a", "the network has no unit for the symbol 'b'; use a network"),
        ("ab", "lacks the boundary symbol"),
        ("#abb", "names a symbol twice"),
        (["#", "a", "b", ""], "not a symbol"),
        (["#", "a", "b", 1], "not a symbol"),
        (["#", *map(chr, range(97, 2**12))], "at most 2048"),
    ],
)
def test_unfit_alphabets_are_refused(alphabet: list[str], message: str) -> None:
    with refused(message):
        Corpus.from_strings(["ab"]).with_alphabet(alphabet)


def test_numeric_corpora_have_no_strings_and_no_alphabet() -> None:
    corpus = Corpus.from_sequences(np.zeros((1, 1, 1)), np.zeros((1, 1)))
    with refused("numeric corpus"):
        corpus.with_alphabet("#ab")
    with refused("numeric corpus"):
        next(corpus.strings())


# Numeric sequences

steps = st.tuples(
    st.tuples(st.sampled_from([0.0, -0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0])),
    st.tuples(*[st.sampled_from([0.0, 0.25, 1.0])] * 3),
)
Row = tuple[float, float]
Sequence = list[tuple[Row, tuple[float, ...]]]
"""What is fed and what is wanted, step by step."""
sequences = st.lists(st.lists(steps, min_size=1, max_size=4), min_size=1, max_size=12)


def numeric_trie(given_sequences: list[Sequence]) -> dict[tuple[Row, ...], NDArray[np.float64]]:
    following: dict[tuple[Row, ...], NDArray[np.float64]] = {}
    for sequence in given_sequences:
        path: tuple[Row, ...] = ()
        for fed, targets in sequence:
            path = (*path, fed)
            following.setdefault(path, np.zeros(len(targets)))
            following[path] += targets
    return following


@given(sequences)
def test_tree_of_sequences_is_the_trie(given_sequences: list[Sequence]) -> None:
    expected = numeric_trie(given_sequences)
    if not any(weights.any() for weights in expected.values()):
        return
    corpus = Corpus.from_sequences(
        [[fed for fed, _ in sequence] for sequence in given_sequences],
        [[targets for _, targets in sequence] for sequence in given_sequences],
    )
    rows = [tuple(row) for row in corpus.input_rows.tolist()]
    assert rows == sorted({row for path in expected for row in path})
    order = sorted(expected, key=lambda path: (len(path), path))
    assert [tuple(rows[s] for s in path) for path in prefixes(corpus)] == order
    items = [
        (node, target, weight)
        for node, path in enumerate(order)
        for target, weight in enumerate(expected[path].tolist())
        if weight
    ]
    assert list(zip(*item_lists(corpus), strict=True)) == items
    assert corpus.alphabet is None
    assert corpus.sequences == len(given_sequences)
    assert corpus.characters == sum(any(t) for s in given_sequences for _, t in s)


@given(sequences, st.sampled_from([np.nan, -7.0, 3.0]))
def test_padding_makes_no_difference(given_sequences: list[Sequence], padding: float) -> None:
    lengths = [len(sequence) for sequence in given_sequences]
    inputs = np.full((len(lengths), max(lengths), 2), padding)
    targets = np.full((len(lengths), max(lengths), 1), padding)
    for i, sequence in enumerate(given_sequences):
        inputs[i, : len(sequence)] = [fed for fed, _ in sequence]
        targets[i, : len(sequence)] = [[weights[0]] for _, weights in sequence]
    corpus = Corpus.from_sequences(inputs, targets, lengths)
    assert corpus == Corpus.from_sequences(inputs, targets[:, :, 0], np.array(lengths, np.uint8))
    assert corpus == Corpus.from_sequences(
        [row[:end] for row, end in zip(inputs, lengths, strict=True)],
        [row[:end, 0] for row, end in zip(targets, lengths, strict=True)],
    )
    assert corpus == Corpus.from_sequences(list(inputs), list(targets), lengths)


def test_single_output_weighs_one_and_zero() -> None:
    corpus = Corpus.from_sequences(np.array([[[1], [0]], [[1], [1]]]), [[0.25, 1], [0.5, 0]])
    assert corpus.outputs == 1
    assert corpus.input_rows.tolist() == [[0.0], [1.0]]
    assert corpus.parent.tolist() == [-1, 0, 0]
    assert item_lists(corpus) == ([0, 0, 1, 2], [0, 1, 1, 0], [1.25, 0.75, 1.0, 1.0])
    assert corpus.characters == 4


def test_first_level_may_have_several_nodes() -> None:
    corpus = Corpus.from_sequences(np.array([[[1, 0]], [[0, 1]], [[1, 0]]]), np.ones((3, 1)))
    assert corpus.parent.tolist() == [-1, -1]
    assert corpus.levels.tolist() == [0, 2]
    assert corpus.input_rows.tolist() == [[0, 1], [1, 0]]
    assert corpus.item_weight.tolist() == [1, 2]


def test_steps_without_target_ask_for_no_prediction() -> None:
    corpus = Corpus.from_sequences(np.zeros((1, 2, 1)), np.array([[[0, 0], [0, 1]]]))
    assert item_lists(corpus) == ([1], [1], [1.0])
    assert corpus.characters == 1


def test_addition_has_the_published_number_of_predictions() -> None:
    def bits(value: int) -> list[int]:
        return [value >> i & 1 for i in range(6)]

    pairs = [(n, m) for n in range(10) for m in range(10)]
    inputs = np.array([np.transpose([bits(n), bits(m)]) for n, m in pairs])
    corpus = Corpus.from_sequences(inputs, np.array([bits(n + m) for n, m in pairs]))
    assert (corpus.sequences, corpus.characters) == (100, 600)
    assert set(corpus.item_weight % 1) == {0}


def test_what_is_given_is_left_alone() -> None:
    inputs, targets = np.zeros((1, 2, 1)), np.zeros((1, 2, 1))
    Corpus.from_sequences(inputs, targets)
    inputs[0, 0, 0] = targets[0, 0, 0] = 1


ONE = np.ones((2, 3, 1))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((np.ones(()), ONE), "inputs has 0 dimensions; give it as"),
        ((np.ones((2, 3)), ONE), "inputs has 2 dimensions; give it as"),
        ((ONE, np.ones(2)), "targets has 1 dimensions; give it as"),
        ((ONE, np.ones((2, 3, 1, 1))), "targets has 4 dimensions"),
        ((ONE, np.ones((3, 3, 1))), "there are 2 sequences of inputs but 3 of targets"),
        ((ONE, np.ones((2, 4, 1))), "inputs have 3 steps but the targets 4"),
        ((np.ones((0, 3, 1)), np.ones((0, 3, 1))), r"inputs is empty, of shape \(0, 3, 1\)"),
        ((ONE, np.ones((2, 3, 0))), "targets is empty"),
        ((ONE.astype(complex), ONE), "inputs holds values of type complex128"),
        ((ONE.astype(object), ONE), "inputs holds values of type object"),
        ((ONE, ONE.astype(str)), "targets holds values of type <U"),
        ((ONE * [[[1], [np.nan], [1]]], ONE), r"inputs\[0, 1, 0\] is nan; every input must be"),
        ((ONE, ONE * np.inf), r"targets\[0, 0, 0\] is inf"),
        ((ONE, [[1, 0, 1], [1, 2, 0]]), r"targets\[1, 1, 0\] is 2.0; with a single output"),
        ((ONE, ONE * -0.5), r"targets\[0, 0, 0\] is -0.5; with a single output"),
        ((ONE, ONE * [1, -1]), r"targets\[0, 0, 1\] is -1.0; targets are weights"),
        ((ONE, ONE * [0, 0]), "every target is 0"),
        ((ONE, ONE, [1, 4]), r"lengths\[1\] is 4, but that sequence has 3 steps; .* from 1 to 3"),
        ((ONE, ONE, [0, 3]), r"lengths\[0\] is 0"),
        ((ONE, ONE, [1.0, 3.0]), "lengths holds values of type float64; give integers"),
        ((ONE, ONE, [1, 2, 3]), r"lengths has the shape \(3,\), but there are 2 sequences"),
        ((ONE, ONE, 2), r"lengths has the shape \(\), but there are 2"),
        ((3, ONE), "inputs is 3; give an array"),
        ((ONE, None), "targets is None; give an array"),
        (([], []), "there are no sequences"),
        (([ONE[0]], [ONE[0], ONE[0]]), "there are 1 sequences of inputs but 2 of targets"),
        (([[1, 1]], [[1, 1]]), r"inputs\[0\] has 1 dimensions; give each sequence as"),
        (([[[1], [1, 1]]], [[1, 1]]), r"inputs\[0\] is no matrix"),
        (([[[1]], [[1, 1]]], [[1], [1]]), r"inputs\[1\] has 2 units but inputs\[0\] has 1"),
        (([[[1]], [[1]]], [[1], [1, 1]]), r"inputs\[1\] has 1 steps but targets\[1\] has 2"),
        (([np.ones((0, 1))], [[1]]), r"inputs\[0\] is empty"),
        (([[["a"]]], [[1]]), r"inputs\[0\] holds values of type <U1"),
    ],
)
def test_wrong_sequences_are_refused(arrays: tuple[Any, ...], message: str) -> None:
    with refused(message):
        Corpus.from_sequences(*arrays)


def test_place_of_a_wrong_value_is_named_where_sequences_are_padded() -> None:
    inputs = np.zeros((3, 4, 2))
    inputs[1, 3] = np.nan
    inputs[2, 1, 1] = np.inf
    with refused(r"^inputs\[2, 1, 1\] is inf; every input must be a finite number\.$"):
        Corpus.from_sequences(inputs, np.zeros((3, 4)), [4, 2, 2])


# Wrong strings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "there are no strings; give one or more"),
        (("abab",), "strings is a str; give a list"),
        (({"ab": 3},), "strings is a dict; give a list"),
        ((["ab", "a#b"],), r"strings\[1\]: '#' is in the string.*remove it"),
        ((["ab", ["a", "#"]],), r"strings\[1\]: '#' is in the string"),
        ((["a # b"], None, True), r"strings\[0\]: '#' is in the string"),
        ((["ab", 3],), r"strings\[1\] is a int"),
        ((["ab", b"ab"],), r"strings\[1\] is a bytes"),
        ((["ab", ["a", ""]],), r"strings\[1\] holds '', which is no symbol"),
        ((["ab", ["a", 1]],), r"strings\[1\] holds 1, which is no symbol"),
        ((["ab", "b"], [1]), "there are 1 counts but more strings"),
        ((["ab"], [1, 2]), "more counts than the 1 strings"),
        ((["ab"], [0]), r"counts\[0\] is 0; give an integer"),
        ((["ab"], [-1]), r"counts\[0\] is -1"),
        ((["ab"], [1.0]), r"counts\[0\] is 1.0"),
        ((["ab"], [True]), r"counts\[0\] is True"),
        ((["ab"], ["1"]), r"counts\[0\] is '1'"),
        ((["ab"], [2**52]), r"13510798882111488 characters, more than 2\*\*53; divide"),
        ((map(chr, range(0x4E00, 0x5800)),), "2561 symbols, but a network holds at most 2048"),
    ],
)
def test_wrong_strings_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with refused(message):
        Corpus.from_strings(*arguments)


def test_counts_of_numpy_type_are_counts() -> None:
    corpus = Corpus.from_strings(["ab", "b"], np.array([2, 3]))
    assert corpus == Corpus.from_strings(["ab"] * 2 + ["b"] * 3)


# Arrays


@pytest.mark.parametrize(
    "corpus",
    [
        Corpus.from_strings(["ab", "b", "", "\x00"]),
        Corpus.from_strings([["to\x00", "é"], ["\ud800"]]),
        Corpus.from_strings(["ab"]).with_alphabet("zb#a"),
        Corpus.from_sequences(np.random.default_rng(1).random((3, 4, 2)), np.ones((3, 4, 2))),
        Corpus.from_sequences(ONE, ONE / 3),
    ],
)
def test_arrays_round_trip_through_npz(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "arrays.npz"
    arrays: dict[str, Any] = {**corpus.to_arrays(), "other": np.arange(3)}
    np.savez(path, **arrays)
    with np.load(path, allow_pickle=False) as loaded:
        again = Corpus.from_arrays(loaded)
    assert again == corpus
    assert again.alphabet == corpus.alphabet
    assert not again.parent.flags.writeable


def test_arrays_are_copied() -> None:
    arrays = {name: np.array(a) for name, a in Corpus.from_strings(["ab"]).to_arrays().items()}
    corpus = Corpus.from_arrays(arrays)
    arrays["symbol"][:] = 0
    assert corpus == Corpus.from_strings(["ab"])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("parent", None, "lacks the array 'parent'; save it again"),
        ("alphabet", np.array("#ab"), "the alphabet is not JSON"),
        ("alphabet", np.array('"#ab"'), "the alphabet is not a list"),
        ("alphabet", np.array('["#", "a"]'), "there are 2 symbols, 3 inputs and 3 outputs"),
        ("alphabet", np.array('["#", "a", "a"]'), "names a symbol twice"),
        ("alphabet", np.array('["a", "#", "b"]'), "first level is not the boundary"),
        ("inputs", np.array(2), r"input_rows has the shape \(3, 3\) for 2 inputs"),
        ("inputs", np.array(3.0), "inputs is not an integer"),
        ("outputs", np.array(0), "outputs is 0"),
        ("sequences", np.array(5), "the weights of the items do not add up"),
        ("characters", np.array([9]), "characters is not an integer"),
        ("characters", np.array(8), "do not add up"),
        ("input_rows", np.eye(3)[::-1], "not the identity"),
        ("input_rows", np.eye(3) * np.nan, "not finite"),
        ("input_rows", np.ones(3), "input_rows has 1 dimensions"),
        ("parent", np.array([-1, 0, 0, 1.0]), "parent holds values of type float64"),
        ("parent", np.array([0, 0, 0, 1]), "a node of the first level has a parent"),
        ("parent", np.array([-1, 0, 0, 0]), "a node's parent is not on the level before"),
        ("parent", np.array([-1, 0, 0, 4]), "a node's parent is not on the level before"),
        ("parent", np.array([-1, 0, 0, -1]), "a node's parent is not on the level before"),
        ("parent", np.array([-1, 0, 0, 2]), "the items do not agree with the nodes"),
        ("parent", np.array([-1, 0, 0, 2**40]), "parent holds a value beyond 32 bits"),
        ("symbol", np.array([0, 1, 2]), "there are 4 parents but 3 symbols"),
        ("symbol", np.array([0, 2, 1, 2]), "nodes are not in the order"),
        ("symbol", np.array([0, 2, 2, 2]), "nodes are not in the order"),
        ("symbol", np.array([0, 1, 2, 3]), "a symbol is not a row"),
        ("symbol", np.array([0, 1, 2, -1]), "a symbol is not a row"),
        ("symbol", np.array([1, 1, 2, 2]), "first level is not the boundary"),
        ("levels", np.array([0, 1, 3]), "levels does not go from 0"),
        ("levels", np.array([0, 1, 1, 3, 4]), "a level has no node"),
        ("levels", np.array([0, 3, 1, 4]), "a level has no node"),
        ("levels", np.array([0, 2**31 - 1, -(2**31), 4]), "a level has no node"),
        ("levels", np.array([], np.int64), "levels does not go from 0"),
        ("item_node", np.array([0, 0, 0, 1, 2]), "there are 5 nodes, 6 targets and 6 weights"),
        ("item_node", np.array([0, 0, 0, 1, 2, 4]), "an item belongs to no node"),
        ("item_node", np.array([0, 0, 0, 1, 3, 2]), "items are not in the order"),
        ("item_target", np.array([0, 1, 2, 2, 0, 3]), "an item's target is no output"),
        ("item_target", np.array([0, 1, 2, 1, 0, 0]), "items do not agree with the nodes"),
        ("item_weight", np.array([1, 2, 1, 2, 1, 0]), "an item's weight is not above 0"),
        ("item_weight", np.array([1, 2, 1, 2, 1, np.inf]), "item_weight holds a value that is not"),
        ("item_weight", np.array([1, 2, 1, 1, 1, 2]), "do not add up"),
        ("item_weight", np.array([1, 1.5, 1.5, 1.5, 1.5, 1.5]), "do not add up"),
        ("item_weight", np.array(["1"] * 6), "item_weight holds values of type <U1"),
    ],
)
def test_inconsistent_arrays_are_refused(name: str, value: Any, message: str) -> None:
    arrays = Corpus.from_strings(["ab", "b", "ab", ""]).to_arrays()
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value
    with refused(message):
        Corpus.from_arrays(arrays)


def test_numeric_targets_are_outputs_or_two_values() -> None:
    arrays = Corpus.from_sequences(ONE, ONE).to_arrays()
    arrays["item_target"] = np.array([1, 1, 2])
    with refused("an item's target is no output"):
        Corpus.from_arrays(arrays)


def test_a_split_shares_the_strings_out_and_keeps_the_alphabet() -> None:
    corpus = Corpus.from_strings(["ab", "aabb", "c", ""], [500, 300, 1, 200])
    kept, held = corpus.split(0.25, seed=3)
    assert kept.alphabet == held.alphabet == corpus.alphabet
    together = Counter(dict(kept.strings())) + Counter(dict(held.strings()))
    assert together == Counter(dict(corpus.strings()))
    assert 200 < held.sequences < 300
    assert corpus.split(0.25, seed=3) == (kept, held) != corpus.split(0.25, seed=4)


def test_a_split_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="leaves one side empty"):
        Corpus.from_strings(["ab"]).split(0.5)
