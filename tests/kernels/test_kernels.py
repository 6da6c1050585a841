"""The kernels against the authors' scores and against the interpreter, on all kinds of networks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from helpers.bounds import Undecided, tolerance
from helpers.data import VECTOR_NAMES, corpus, vectors
from helpers.kernels import from_python
from helpers.strategies import dyadic_weights, networks, numeric_corpora, string_corpora, weights
from mdlrnn import Connection, Corpus, Encoding, Network, Unit, Weight, encode, score, score_many
from mdlrnn.corpus._corpus import surprisal
from mdlrnn.kernels import _activations, _plan
from mdlrnn.kernels import _scoring as _length
from mdlrnn.kernels._genome import network_from_row, pack, row_of, size_of
from mdlrnn.kernels._plan import CHUNK, Tree, Workspace, tree_of, workspace_for
from mdlrnn.kernels._scoring import encoding_table
from mdlrnn.network._code import length
from mdlrnn.network._encoding import SCHEMES
from mdlrnn.network._interpreter import EXACT, FLOAT, plan
from mdlrnn.network._units import ACTIVATIONS, LARGEST_INTEGER, TYPES, Arithmetic

EVERYTHING = Encoding("tacl2022", tuple(ACTIVATIONS), products=True)
make_plan = from_python(_plan.make_plan)
encoded_length = from_python(_length.encoded_length)
exp = from_python(_activations.exp)
log2 = from_python(_activations.log2)
tanh = from_python(_activations.tanh)
integer_length = from_python(_activations.integer_length)


def d_given_g(network: Network, given_corpus: Corpus) -> float:
    return score(network, given_corpus, EVERYTHING).d_given_g


def check(network: Network, given_corpus: Corpus, oracle: Arithmetic = EXACT) -> None:
    """The kernels against the interpreter, as closely as rounding allows.

    Where they differ and the rounding of a step can have turned a floor, a step or a modulo, there
    is no right answer in floats, and the example is not counted.
    """
    expected = surprisal(network, given_corpus, oracle)
    got = d_given_g(network, given_corpus)
    close = pytest.approx(expected, rel=1e-9, abs=1e-12 * given_corpus.characters)
    if got == close:
        return
    try:
        allowed = tolerance(network, given_corpus)
    except Undecided:
        assume(False)
    assume(allowed < 1e-3)
    assert math.isfinite(expected), f"{got} instead of infinity"
    assert abs(got - expected) <= allowed


# The authors' scores


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", VECTOR_NAMES)
def test_scores_are_the_authors(name: str, threads: int) -> None:
    given_ = vectors(name)
    scores = score_many(given_.networks, given_.corpus, given_.encoding, workers=threads)
    assert [s.g for s in scores] == [row["g"] for row in given_.rows]
    expected = [math.inf if row["d_given_g"] is None else row["d_given_g"] for row in given_.rows]
    assert [s.d_given_g for s in scores] == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("name", ["dyck2_200", "anbn_100", "anbncn_500"])
def test_interpreter_and_kernels_agree_on_the_vectors(name: str) -> None:
    given_ = vectors(name)
    scores = score_many(given_.networks, given_.corpus, given_.encoding)
    expected = [surprisal(network, given_.corpus, FLOAT) for network in given_.networks]
    assert [s.d_given_g for s in scores] == pytest.approx(expected, rel=1e-9, abs=0)


# Random networks against the interpreter. With binary fractions for weights, floats are exact and
# the jumps of floor, step and modulo are met head on; with others, near misses are left out.

EXACT_WEIGHTS = dyadic_weights()
READOUTS = ("sigmoid", "relu", "tanh", "mod3")


def dense(inputs: int, outputs: int, **more: Any) -> st.SearchStrategy[Network]:
    return networks(inputs, outputs, min_connections=6, max_connections=30, max_hidden=7, **more)


class Kind(NamedTuple):
    networks: st.SearchStrategy[Network]
    corpora: st.SearchStrategy[Corpus]
    oracle: Arithmetic = EXACT


KINDS = {
    "on strings": Kind(dense(3, 3, weight=EXACT_WEIGHTS), string_corpora()),
    "with finite scores on strings": Kind(
        dense(3, 3, weight=EXACT_WEIGHTS, readouts=("sigmoid",)), string_corpora()
    ),
    "with any weights on strings": Kind(
        dense(3, 3, weight=weights(9), readouts=READOUTS), string_corpora()
    ),
    "rounded like floats": Kind(
        dense(3, 3, weight=weights(9), readouts=READOUTS), string_corpora(), FLOAT
    ),
    "with one output": Kind(
        dense(2, 1, weight=EXACT_WEIGHTS, readouts=("sigmoid", "linear")), numeric_corpora(2, 1)
    ),
    "on numbers with several roots": Kind(
        dense(1, 3, weight=weights(9), readouts=("sigmoid", "linear")), numeric_corpora(1, 3)
    ),
    "with huge weights": Kind(dense(3, 3, weight=weights()), string_corpora()),
}
EACH_KIND = pytest.mark.parametrize("name", KINDS)


def check_one(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    check(data.draw(kind.networks), data.draw(kind.corpora), kind.oracle)


@EACH_KIND
@settings(max_examples=80)
@given(data=st.data())
def test_any_network(name: str, data: st.DataObject) -> None:
    check_one(name, data)


@pytest.mark.slow
@EACH_KIND
@settings(max_examples=3_000)
@given(data=st.data())
def test_very_many_networks(name: str, data: st.DataObject) -> None:
    check_one(name, data)


@settings(max_examples=40)
@given(dense(3, 3, weight=EXACT_WEIGHTS, readouts=("sigmoid",)), st.integers(0, 99))
def test_any_network_on_a_tree_with_contexts(network: Network, seed: int) -> None:
    """Enough nodes for units that look back one step, or two, to be fed by context."""
    check(network, strings_of(seed, strings=60, longest=9))


def strings_of(seed: int, strings: int, longest: int) -> Corpus:
    random = np.random.RandomState(seed)
    drawn = [
        "".join(random.choice(list("abb"), random.randint(longest + 1))) for _ in range(strings)
    ]
    return Corpus.from_strings([*drawn, "ab"])


def test_that_tree_has_contexts() -> None:
    tree = tree_of(strings_of(0, strings=60, longest=9))
    assert tree.full == 3
    assert 3 < tree.sizes[1] < tree.sizes[2] < tree.sizes[3]


BIG = strings_of(1, strings=700, longest=16)
SEQUENCES = np.random.RandomState(2).randint(0, 3, (400, 8, 1)).astype(float)
BIG_NUMBERS = Corpus.from_sequences(SEQUENCES, 1.0 * (SEQUENCES > 0))
BIG_TARGETS = Corpus.from_sequences(SEQUENCES, np.eye(3)[SEQUENCES.astype(int)[:, :, 0]])


@pytest.mark.parametrize("big", [BIG, BIG_NUMBERS, BIG_TARGETS], ids=["strings", "one", "several"])
def test_those_trees_have_several_chunks(big: Corpus) -> None:
    tree = tree_of(big)
    assert tree.sizes[-1] > 1300 > CHUNK
    boundaries = tree.chunks[tree.chunk_start[-1] :]
    assert len(boundaries) > 3
    # Chunks end within levels too, and more items count once than are worth a block of their own.
    assert not set(boundaries[1:-1].tolist()) <= set(big.levels.tolist())
    assert np.sum(np.abs(tree.weights) == 1) > 64


@settings(max_examples=40)
@given(dense(3, 3, weight=EXACT_WEIGHTS, readouts=("sigmoid",)))
def test_any_network_on_many_strings(network: Network) -> None:
    check(network, BIG, FLOAT)


@settings(max_examples=40)
@given(dense(1, 1, weight=EXACT_WEIGHTS, readouts=("sigmoid",)))
def test_any_network_with_one_output_on_many_numbers(network: Network) -> None:
    check(network, BIG_NUMBERS, FLOAT)


@settings(max_examples=40)
@given(dense(1, 3, weight=weights(9), readouts=("sigmoid", "relu")))
def test_any_network_with_several_outputs_on_many_numbers(network: Network) -> None:
    check(network, BIG_TARGETS, FLOAT)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("cycle", [1, 2])
def test_every_activation_in_a_loop_of_its_own(activation: str, type_: str, cycle: int) -> None:
    """One unit with a loop has a path of its own in the kernels; two in a cycle take another."""
    quarter = Weight(1, 4)
    hidden = [Unit(activation, type_, Weight(3, 4))] * cycle
    units = (*[Unit()] * 3, *[Unit("sigmoid", bias=Weight(k, 2)) for k in (1, -1, 3)], *hidden)
    into = [Connection(s, 6, "forward", Weight(n, 2)) for s, n in ((0, 1), (1, 3), (2, -3))]
    into += [Connection(0, u, "forward", Weight(1)) for u in range(7, 6 + cycle)]
    loop = [
        Connection(6 + i, 6 + (i + 1) % cycle, "recurrent", Weight(-3, 2)) for i in range(cycle)
    ]
    out = [Connection(6, 3, "forward", quarter), Connection(5 + cycle, 4, "forward", quarter)]
    network = Network(3, 3, units, (*into, *loop, *out))
    for given_corpus in (strings_of(3, 30, 5), BIG):
        expected = surprisal(network, given_corpus, FLOAT)
        assert d_given_g(network, given_corpus) == pytest.approx(expected, rel=1e-9)


def wide_network(seed: int, hidden: int) -> Network:
    """Many hidden units, all of which remember all they have read: chains, cycles and loops."""
    random = np.random.RandomState(seed)
    first = 6
    names = ("linear", "relu", "tanh", "sigmoid", "step", "floor", "mod3")
    units = [Unit()] * 3 + [Unit("sigmoid")] * 3
    units += [
        Unit(names[random.randint(7)], TYPES[random.rand() < 0.1], Weight(1, 2))
        for _ in range(hidden)
    ]
    found = {}
    for u in range(first, first + hidden):
        found["forward", random.randint(3), u] = Weight(1)
        found["forward", random.randint(first, first + hidden), u] = Weight(1, 2)
        found["recurrent", random.randint(first, u + 1), u] = Weight(-1, 2)
        found["recurrent", random.randint(first, first + hidden), u] = Weight(1, 4)
        found["forward", u, 3 + random.randint(3)] = Weight(1, 8)
    connections = [Connection(s, t, kind, w) for (kind, s, t), w in found.items()]
    return Network(3, 3, tuple(units), tuple(connections))


@pytest.mark.parametrize(("seed", "hidden"), [(0, 66), (1, 70), (2, 130), (3, 200)])
def test_networks_with_more_units_in_memory_than_bits_in_a_word(seed: int, hidden: int) -> None:
    network = wide_network(seed, hidden)
    given_corpus = strings_of(seed, 12, 5)
    table, _ = planned(network, tree_of(given_corpus))
    assert table[_plan.COUNTS, _plan.FULL_COUNT] > 64
    expected = surprisal(network, given_corpus, EXACT)
    assert d_given_g(network, given_corpus) == pytest.approx(expected, rel=1e-9)


def test_a_long_chain_of_memory_is_in_as_many_groups() -> None:
    """Each unit counts what the one before it holds, over 150 units: no cycle but the first."""
    hidden = 150
    units = (Unit(), Unit(), Unit("sigmoid"), *[Unit()] * hidden)
    chain = [Connection(u, u + 1, "forward", Weight(1, 2)) for u in range(3, 2 + hidden)]
    ends = [
        Connection(1, 3, "forward", Weight(1)),
        Connection(3, 3, "recurrent", Weight(1)),
        Connection(2 + hidden, 2, "forward", Weight(2**52)),
    ]
    network = Network(2, 1, units, (*chain, *ends))
    rows = np.random.RandomState(0).randint(0, 2, (20, 6, 2)).astype(float)
    given_corpus = Corpus.from_sequences(rows, np.full((20, 6, 1), 0.5))
    table, _ = planned(network, tree_of(given_corpus))
    assert table[_plan.COUNTS, _plan.GROUP_COUNT] == hidden + 1
    expected = surprisal(network, given_corpus, EXACT)
    assert d_given_g(network, given_corpus) == pytest.approx(expected, rel=1e-9)


def test_tiny_chances_are_counted_to_the_last_bit() -> None:
    """e^-709 / 10^12 is no normal float, and its logarithm no matter for rough arithmetic."""
    units = (Unit(), Unit(), Unit("sigmoid", bias=Weight(-709)), Unit("square", bias=Weight(10**6)))
    network = Network(2, 2, units)
    given_corpus = Corpus.from_strings(["a"])
    expected = surprisal(network, given_corpus, EXACT)
    assert expected == pytest.approx(709 / math.log(2) + math.log2(10**12), rel=1e-9)
    assert d_given_g(network, given_corpus) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("denominator", [3 * 10**9, 2**50, 2**53])
def test_tanh_near_0_keeps_its_digits(denominator: int) -> None:
    units = (Unit(), Unit(), Unit("tanh", bias=Weight(1, denominator)), Unit(bias=Weight(1)))
    given_corpus = Corpus.from_strings(["a"])
    expected = surprisal(Network(2, 2, units), given_corpus, EXACT)
    assert d_given_g(Network(2, 2, units), given_corpus) == pytest.approx(expected, rel=1e-12)


def test_a_total_of_exactly_the_least_is_uniform_everywhere() -> None:
    units = (Unit(), Unit(), Unit(bias=Weight(1, 10**8)), Unit())
    network, given_corpus = Network(2, 2, units), Corpus.from_strings(["a"])
    for arithmetic in (EXACT, FLOAT):
        assert surprisal(network, given_corpus, arithmetic) == 2
    assert d_given_g(network, given_corpus) == 2


def test_a_product_that_overflows_on_the_way_to_0_is_0() -> None:
    """Thirty factors of 10^27 are infinite in floats; the 0 comes last."""
    huge = [Unit("square", bias=Weight(10**6))] * 30
    into = [Connection(2 + i, 1, "forward", Weight(10**15)) for i in range(30)]
    into += [Connection(0, 32, "forward", Weight(1)), Connection(32, 1, "forward", Weight(1))]
    units = (Unit(), Unit(type="product", bias=Weight(1, 4)), *huge, Unit())
    network = Network(1, 1, units, tuple(into))
    given_corpus = Corpus.from_sequences(np.zeros((1, 1, 1)), np.ones((1, 1, 1)))
    assert d_given_g(network, given_corpus) == 2


# The plan


def planned(network: Network, tree: Tree) -> tuple[Any, Workspace]:
    work = workspace_for(tree, len(network.units), len(network.connections))
    arguments = (row_of(network), network.inputs, network.outputs, tree.full)
    make_plan(*arguments, work.plan, work.weights, work.reach)
    return work.plan, work


@given(networks())
def test_plans_cut_and_order_as_the_interpreter_does(network: Network) -> None:
    """The second search may leave reached units out, so that orders compare by what they allow."""
    tree = tree_of(Corpus.from_sequences(np.zeros((1, 3, network.inputs)), np.ones((1, 3, 1))))
    table, work = planned(network, tree)
    expected = plan(network)
    keyed = sorted(network.connections, key=lambda c: (c.target, c.kind, c.source))
    cut = {
        (c.source, c.target)
        for i, c in enumerate(keyed)
        if c.kind == "forward" and table[_plan.IGNORED, i]
    }
    assert cut == expected.ignored
    assert work.weights[: len(keyed)].tolist() == [float(c.weight) for c in keyed]
    order = table[_plan.ORDER, : table[_plan.COUNTS, _plan.ORDERED]].tolist()
    assert len(set(order)) == len(order)
    assert set(order) == set(expected.order)
    for c in network.connections:
        if c.kind == "forward" and c.target in order and (c.source, c.target) not in cut:
            assert order.index(c.source) < order.index(c.target)
    live = {u for u in range(len(network.units)) if table[_plan.LIVE, u]}
    assert live == reaching_outputs(network, cut)


def reaching_outputs(network: Network, cut: set[tuple[int, int]]) -> set[int]:
    live = set(range(network.inputs, network.inputs + network.outputs))
    while True:
        more = {
            c.source
            for c in network.connections
            if c.target in live and (c.kind == "recurrent" or (c.source, c.target) not in cut)
        }
        if more <= live:
            return live
        live |= more


# |G|


@given(networks(), st.sampled_from(tuple(SCHEMES)))
@example(Network(1, 1, (Unit(), Unit(bias=Weight(-LARGEST_INTEGER, LARGEST_INTEGER)))), "paper")
def test_compiled_length_is_the_length_of_the_bits(network: Network, scheme: str) -> None:
    for encoding in (Encoding(scheme, tuple(ACTIVATIONS), True), Encoding.fitting(network, scheme)):
        scratch = np.zeros(len(network.units), dtype=np.int64)
        compiled = encoded_length(row_of(network), encoding_table(encoding), scratch)
        assert compiled == len(encode(network, encoding)) == length(network, encoding)


@given(networks())
def test_rows_hold_the_whole_network(network: Network) -> None:
    row = row_of(network)
    assert network_from_row(row, network.inputs, network.outputs) == network
    assert size_of(row) == row.size
    assert row_of(network) is row


def test_packed_rows_stand_one_after_the_other() -> None:
    rows = [row_of(network) for network in vectors("semantics").networks]
    words, starts = pack(rows)
    for i, row in enumerate(rows):
        assert words[starts[i] : starts[i + 1]].tolist() == row.tolist()
    assert pack([])[1].tolist() == [0]


# Threads, alphabets, arithmetic


def test_scores_are_the_same_bit_for_bit_on_any_number_of_threads() -> None:
    given_ = vectors("dyck2_200")
    one, two, seven = (
        score_many(given_.networks * 5, corpus("dyck2_20000"), given_.encoding, workers=threads)
        for threads in (1, 2, 7)
    )
    assert one == two == seven
    alone = [score(network, corpus("dyck2_20000"), given_.encoding) for network in given_.networks]
    assert alone * 5 == one


def test_networks_with_different_alphabets_are_scored_together() -> None:
    given_ = vectors("anbn_100")
    # Loops are cut by unit number, so that only networks without any stay the same renumbered.
    given_networks = [network for network in given_.networks if not plan(network).ignored]
    expected = [score(network, given_.corpus, given_.encoding) for network in given_networks]
    mixed = [
        (network, with_symbols_swapped(network), replace(network, alphabet=None))[i % 3]
        for i, network in enumerate(given_networks)
    ]
    assert len(mixed) > 20
    got = score_many(mixed, given_.corpus, given_.encoding, workers=2)
    assert [s.g for s in got] == [s.g for s in expected]
    bits = [s.d_given_g for s in expected]
    assert [s.d_given_g for s in got] == pytest.approx(bits, rel=1e-12)


def with_symbols_swapped(network: Network) -> Network:
    """Units 1 and 2 (inputs a, b) and 4 and 5 (outputs a, b) with each other's numbers."""
    new = {1: 2, 2: 1, 4: 5, 5: 4}
    units = [network.units[new.get(u, u)] for u in range(len(network.units))]
    moved = [
        replace(c, source=new.get(c.source, c.source), target=new.get(c.target, c.target))
        for c in network.connections
    ]
    return replace(network, units=tuple(units), connections=tuple(moved), alphabet=("#", "b", "a"))


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS | st.floats(-750, 750))
@example(709.782712893384)
@example(709.7827128933841)
@example(-708.0)
@example(-745.2)
@example(1e308)
@example(-1e308)
@example(5e-324)
@example(0.34657359027997264)
def test_exp(x: float) -> None:
    """Down to e^-708, where it stays: its callers add it to 1."""
    expected = math.inf if x > 709.782712893384 else math.exp(max(x, -708.0))
    assert exp(x) == pytest.approx(expected, rel=1e-12, abs=0)


def test_exp_of_infinity() -> None:
    assert exp(math.inf) == math.inf
    assert 1 + exp(-math.inf) == 1


@given(st.floats(2.2250738585072014e-308, allow_infinity=False))
@example(2.2250738585072014e-308)
@example(1.7976931348623157e308)
@example(1.0)
@example(math.sqrt(0.5))
@example(math.nextafter(1, 0))
@example(math.nextafter(1, 2))
def test_log2(x: float) -> None:
    assert log2(x) == pytest.approx(math.log2(x), rel=1e-12, abs=0)


@given(FLOATS | st.floats(-1, 1))
@example(0.25)
@example(math.nextafter(0.25, 1))
@example(-0.25)
@example(5e-324)
@example(1e6)
@example(-1e6)
def test_tanh(x: float) -> None:
    assert tanh(x) == pytest.approx(math.tanh(x), rel=1e-12, abs=0)


@given(st.integers(0, LARGEST_INTEGER) | st.integers(0, 53).map(lambda k: 2**k))
def test_integer_length(n: int) -> None:
    assert integer_length(n) == n.bit_length()
    assert integer_length(max(n - 1, 0)) == max(n - 1, 0).bit_length()
