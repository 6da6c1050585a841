"""Transducers: addition against arithmetic, and a machine of one's own against its definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import is_one_sentence
from mdlrnn import Corpus, InputError
from mdlrnn.machines._transducer import Transducer, Transition, addition, pairs

PARITY = Transducer(
    "parity",
    "parity",
    tuple(
        Transition(f"{odd}", (bit,), Fraction(odd ^ bit), f"{odd ^ bit}")
        for odd in (0, 1)
        for bit in (0, 1)
    ),
    "0",
)
"""Whether the ones so far are odd."""
COIN = Transducer("coin", "a coin", (Transition("start", (1,), Fraction(1, 4), "start"),))


@given(st.integers(0, 2**12 - 1), st.integers(0, 2**12 - 1))
def test_the_digits_due_are_those_of_the_sum(n: int, m: int) -> None:
    rows = [[n >> i & 1, m >> i & 1] for i in range(13)]
    corpus = addition().corpus(np.array([rows]))
    due = [[[n + m >> i & 1] for i in range(13)]]
    assert corpus == Corpus.from_sequences(np.array([rows], float), np.array(due, float))
    assert addition().spelled([(row[0], row[1]) for row in rows]) == f"{n} + {m}"


def test_the_truth_is_that_every_digit_is_certain() -> None:
    corpus = addition().training(100)
    truth = addition().truth(corpus)
    assert truth.deterministic
    assert truth.optimal_bits == 0
    assert (truth.possible.sum(axis=1) == 1).all()
    assert truth.possible[corpus.item_node, corpus.item_target].all()
    assert corpus.item_weight[truth.ends].sum() == 100


def test_the_truth_of_a_coin_is_its_entropy() -> None:
    tossed = np.array([[0, 0], [1, 0], [0, 1], [0, 0]])
    corpus = Corpus.from_sequences(np.ones((4, 2, 1)), tossed[:, :, None])
    truth = COIN.truth(corpus)
    assert not truth.deterministic
    assert truth.possible.all()
    assert truth.optimal_bits == pytest.approx(6 * math.log2(4 / 3) + 2 * math.log2(4))


def test_all_sequences_of_each_length_are_there_once() -> None:
    for length, corpus in PARITY.by_length(0):
        assert corpus.sequences == 2**length
        assert corpus.characters == length * 2**length
        assert PARITY.truth(corpus).optimal_bits == 0
    assert 2 ** (length + 1) > 20_000, "as long as there are not too many"


def test_pairs_are_all_pairs() -> None:
    inputs = pairs(3, first=2)
    numbers = [tuple((row * 2 ** np.arange(len(row))).sum() for row in pair.T) for pair in inputs]
    assert numbers == [(n, m) for n in (2, 3, 4) for m in (2, 3, 4)]


def test_a_sequence_without_a_way_to_write_it_is_written_row_by_row() -> None:
    assert PARITY.spelled([(1,), (0,)]) == "1 0"


def test_off_the_machine_nothing_is_due() -> None:
    corpus = Corpus.from_sequences(np.array([[[7], [1]]]), np.ones((1, 2, 1)))
    truth = PARITY.truth(corpus)
    assert not truth.possible.any()
    assert math.isinf(truth.optimal_bits)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PARITY.corpus(np.array([[[7]]])), "holds numbers that parity does not read; "),
        (lambda: PARITY.sample(4), "parity has numbers, not strings; "),
        (lambda: PARITY.truth(Corpus.from_strings(["ab"])), "parity reads 1 numbers a step; "),
        (lambda: PARITY.truth(addition().training(4)), "parity reads 1 numbers a step; "),
        (lambda: addition().training(99), "give a square number from 4"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))
