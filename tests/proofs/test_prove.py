"""`prove`: the paper's theorems, networks that are wrong, and what is neither."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

import mdlrnn.proofs._prove as prove_module
from helpers.data import is_one_sentence
from helpers.oracle import proof_of, really_wrong
from helpers.slow import few
from mdlrnn import Connection, InputError, Network, Unit, Weight, machines, prove, zoo
from mdlrnn.extraction import Verdict
from mdlrnn.languages._notation import language_from_notation
from mdlrnn.machines._files import machine_from_text
from mdlrnn.network._interpreter import EXACT, stepper
from mdlrnn.proofs._execute import system_for
from mdlrnn.proofs._proof import Proof
from mdlrnn.proofs._smt import Claim
from mdlrnn.proofs.float64._runs import GROWTH, paths
from mdlrnn.zoo import _language

COUNTERS = {"anbn": "k and n are", "anb2n": "k and n are", "dyck2": "stack is"}


@pytest.mark.parametrize(
    ("name", "kind", "margin"),
    [
        ("anbn", "within", 3.1e-7),
        ("anbncn", "within", 4.6e-7),
        ("anb2n", "within", 3.1e-7),
        ("anbmcnm", "within", 0.012),
        ("dyck1", "categorical", 0.0),
        ("addition", "exact", 0.0),
        ("dyck2", "within", 0.0077),
        ("dyck2_short", "within", 0.0077),
    ],
)
def test_the_papers_networks_are_proved(name: str, kind: str, margin: float) -> None:
    proof = proof_of(name)
    assert proof.proved
    assert proof.outcome == "proved"
    assert (proof.claims[0].kind, proof.margin) == (kind, margin)
    assert proof.counterexample is None
    data = proof.to_dict()
    assert {"proved", "statement", "margin", "counterexample", "seconds"} <= data.keys()
    assert data["proved"] is True


def test_anbmcnm_is_sure_to_half_a_hundredth_but_not_to_a_ten_thousandth() -> None:
    """The paper's theorem says 10^-4 on deterministic steps; its table has .996 after #."""
    proof = proof_of("anbmcnm")
    sure = next(claim for claim in proof.claims if claim.kind == "deterministic")
    assert sure.margin == Fraction(52, 10_000)
    given = prove(zoo.anbmcnm(), "anbmcnm", margin=1e-4).to_dict()
    assert given["proved"] is False
    assert given["counterexample"]["step"] == 0


def test_strings_outside_the_language_get_probability_0_where_that_is_so() -> None:
    rejected = "A string that is not in the language gets probability 0"
    assert any(note.startswith(rejected) for note in proof_of("dyck2").notes)
    assert not any(note.startswith(rejected) for note in proof_of("anbn").notes)


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("anbn", "999,999"),
        ("anb2n", "499,999"),
        ("dyck2", "333,333 (up to 11 symbols on the stack)"),
    ],
)
def test_it_says_how_far_saturation_lets_the_network_go(name: str, bound: str) -> None:
    cut, runs = proof_of(name).notes[-2:]
    assert cut.startswith("The theorem is about exact numbers.")
    assert cut.endswith(f"; none is cut while {COUNTERS[name]} at most {bound}.")
    assert runs.startswith(f"As it runs, too, while {COUNTERS[name]} at most {bound}, ")
    assert runs.endswith(": that is shown.")


@pytest.mark.parametrize(
    ("share", "bound"),
    [
        ("-7 -1000*a", "while k and n are at most 999,999,"),
        ("-7 -1*u6", "in strings of up to 500,000 symbols,"),
    ],
)
def test_a_sigmoid_that_vanishes_is_no_obstacle(share: str, bound: str) -> None:
    """P(#) is σ of something below −700, which bounds alone do not tell from 0."""
    rest = "4 linear 1*# 7/3*a\n5 step 1*u6\n6 linear 1*a -1*b 1*[6]"
    proof = prove(_language("x", "#ab", f"3 sigmoid {share}\n{rest}"), "anbn")
    assert (proof.claims[0].kind, proof.claims[0].margin) == ("within", Fraction(92, 100_000))
    shown = next(how for how in proof.notes if how.startswith("As it runs, too,"))
    assert (
        f"{bound} the network gives each next symbol its true probability within 0.00093" in shown
    )


def test_saturation_does_set_in_beyond_the_bound() -> None:
    """At the bound the counter holds 10^6, one step later it no longer counts."""
    network = zoo.anb2n()
    for n, right in ((500_000, True), (500_001, False)):
        before = [Fraction(0)] * 6 + [Fraction(2 * (n - 1))]
        after = stepper(network, EXACT)((0, 1, 0), tuple(before))
        assert (after[6] == 2 * n) is right


def test_a_margin_that_is_asked_for_is_proved_or_refuted() -> None:
    assert prove(zoo.anbn(), "anbn", margin=1e-3).margin == 1e-3
    refuted = prove(zoo.anbn(), "anbn", margin=1e-7)
    assert refuted.outcome == "refuted"
    assert refuted.counterexample is not None
    assert refuted.counterexample.shortest


def test_a_language_of_ones_own_is_proved_too() -> None:
    """(ab)*: a machine without counters, and a network that remembers nothing."""
    half = Fraction(1, 2)
    rules = (
        machines.Rule("start", "a", "in", half),
        machines.Rule("start", "#", chance=half),
        machines.Rule("in", "b", "start"),
    )
    network = _language("x", "#ab", "3 linear 1 -1*a\n4 linear 1 -1*a\n5 linear 1*a")
    proof = prove(network, machines.Machine("abs", "(ab)*", rules))
    assert proof.claims[0].kind == "exact"
    assert proof.statement.startswith("For every string of (ab)* and every step of it")


def test_a_network_that_names_no_symbols_takes_those_of_the_language() -> None:
    assert prove(replace(zoo.anbn(), alphabet=None), "anbn").proved


def test_symbols_are_matched_by_name_not_by_place() -> None:
    network = zoo.anbn()
    order = [2, 0, 1, 5, 3, 4, 6]  # b, #, a
    place = {old: new for new, old in enumerate(order)}
    shuffled = Network(
        3, 3, tuple(network.units[old] for old in order),
        tuple(
            Connection(place[c.source], place[c.target], c.kind, c.weight)
            for c in network.connections
        ),
        ("b", "#", "a"),
    )  # fmt: skip
    assert prove(shuffled, "anbn").margin == 3.1e-7


def _changed(name: str, change: Any) -> Network:
    network = zoo.load(name)
    units, connections = list(network.units), list(network.connections)
    change(units, connections)
    return replace(network, units=tuple(units), connections=tuple(connections), name=None)


def _weight(source: int, target: int, kind: str, new: Weight) -> Any:
    def change(units: list[Unit], connections: list[Connection]) -> None:
        place = next(
            i for i, c in enumerate(connections)
            if (c.source, c.target, c.kind) == (source, target, kind)
        )  # fmt: skip
        connections[place] = replace(connections[place], weight=new)

    return change


def _both(*changes: Any) -> Any:
    def change(units: list[Unit], connections: list[Connection]) -> None:
        for one in changes:
            one(units, connections)

    return change


def _bias(unit: int, new: Weight | None) -> Any:
    def change(units: list[Unit], connections: list[Connection]) -> None:
        units[unit] = replace(units[unit], bias=new)

    return change


def _activation(unit: int, new: str) -> Any:
    def change(units: list[Unit], connections: list[Connection]) -> None:
        units[unit] = replace(units[unit], activation=new)

    return change


def _with(unit: Unit | None, *new: Connection) -> Any:
    def change(units: list[Unit], connections: list[Connection]) -> None:
        if unit is not None:
            units.append(unit)
        connections.extend(new)

    return change


ONE = Weight(1)
BEYOND = Unit("step", "sum", Weight(-1000))
"""1 where what it is fed is above 1000."""
BROKEN: dict[str, tuple[str, str, Any]] = {
    "a counts for two": ("anbn", "anbn", _weight(1, 6, "forward", Weight(3))),
    "b counts for nothing": ("anbn", "anbn", _bias(6, None)),
    "the counter leaks a thousandth": (
        "anbn", "anbn", _weight(6, 6, "recurrent", Weight(999, 1000)),
    ),
    "the counter forgets": ("anbn", "anbn", _weight(6, 6, "recurrent", Weight(1, 2))),
    "an a gives a thousandth too much": (
        "anbn", "anbn",
        _both(_weight(1, 6, "forward", Weight(2001, 1000)), _bias(5, Weight(-1, 2))),
    ),
    "the end is louder than b": ("anbn", "anbn", _activation(3, "linear")),
    "b is wanted from two on": ("anbn", "anbn", _bias(5, Weight(-1))),
    "the counter stops at 1000": (
        "anbn", "anbn", _with(BEYOND, Connection(6, 7, "forward", ONE),
                              Connection(7, 6, "recurrent", Weight(-1))),
    ),
    "the counter jumps at 1000": (
        "anbn", "anbn", _with(BEYOND, Connection(6, 7, "forward", ONE),
                              Connection(7, 6, "recurrent", ONE)),
    ),
    "the end is wanted beyond 1000": (
        "anbn", "anbn", _with(Unit("relu", "sum", Weight(-1000)), Connection(6, 7, "forward", ONE),
                              Connection(7, 4, "forward", ONE)),
    ),
    "one language for another": ("anb2n", "anbn", _bias(6, Weight(-1))),
    "c counts half": ("anbncn", "anbncn", _weight(3, 9, "forward", Weight(2, 3))),
    "the first counter starts low": ("anbncn", "anbncn", _bias(6, None)),
    "a and b weigh differently": ("anbmcnm", "anbmcnm", _weight(1, 8, "forward", Weight(-2))),
    "no start": ("anbmcnm", "anbmcnm", _bias(8, None)),
    "a bracket too many": ("dyck1", "dyck1", _weight(1, 6, "forward", Weight(-3))),
    "floor too low": ("dyck1", "dyck1", _bias(5, None)),
    "the end in the depths": (
        "dyck1", "dyck1", _with(Unit("relu", "sum", Weight(-1000)),
                                Connection(6, 7, "forward", Weight(-1)),
                                Connection(7, 3, "forward", Weight(2))),
    ),
    "the wrong digit is pushed": ("dyck2", "dyck2", _weight(1, 18, "forward", ONE)),
    "a stack in base 2": ("dyck2", "dyck2", _weight(15, 10, "recurrent", Weight(2))),
    "the stack spills at ten thousand": (
        "dyck2_short", "dyck2", _with(Unit("step", "sum", Weight(-10_000)),
                                      Connection(10, 17, "forward", ONE),
                                      Connection(17, 15, "forward", Weight(-1))),
    ),
    "the stack spills at a billion": (
        "dyck2_short", "dyck2", _with(Unit("step", "sum", Weight(-(10**9))),
                                      Connection(10, 17, "forward", ONE),
                                      Connection(17, 15, "forward", Weight(-1))),
    ),
    "no carry": ("addition", "addition", _weight(3, 4, "recurrent", Weight(1, 2))),
    "the carry is not taken off": ("addition", "addition", _weight(3, 2, "forward", Weight(-1))),
}  # fmt: skip


LONG = ("the stack spills at ten thousand", "the stack spills at a billion")
"""The solver takes half a minute to say neither yes nor no."""


@pytest.mark.parametrize(
    "what",
    few(BROKEN, *(what for what in BROKEN if what not in LONG)),
)
def test_no_broken_network_is_proved(what: str) -> None:
    name, language, change = BROKEN[what]
    network = _changed(name, change)
    proof = prove(network, language, seconds=40)
    assert not proof.proved
    assert proof.outcome in ("refuted", "not shown")
    if proof.counterexample is not None:
        assert really_wrong(network, language, proof.counterexample)


def test_what_a_test_set_would_pass_is_refuted_beyond_it() -> None:
    for what in ("the counter jumps at 1000", "an a gives a thousandth too much"):
        name, language, change = BROKEN[what]
        proof = prove(_changed(name, change), language)
        assert proof.outcome == "refuted"
        assert proof.counterexample is not None
        assert len(proof.counterexample.string) >= 1000
        assert not proof.counterexample.shortest


def test_the_shortest_wrong_string_is_found() -> None:
    """The network of a^n b^2n goes wrong on a^n b^n at the first n."""
    proof = prove(zoo.anb2n(), "anbn")
    found = proof.counterexample
    assert found is not None
    assert (found.string, found.step, found.shortest) == ("ab", 2, True)
    assert found.expected == {"#": 1, "a": 0, "b": 0}
    assert found.given["b"] > Fraction(9, 10)


def test_what_cannot_be_shown_is_said_to_be_so() -> None:
    """A counter that is doubled and halved: right, but not affine in what the machine counts."""
    network = _changed("anbn", _with(Unit("square"), Connection(6, 7, "forward", ONE),
                                     Connection(7, 3, "recurrent", Weight(1, 10**9))))  # fmt: skip
    proof = prove(network, "anbn", seconds=20)
    assert proof.outcome == "not shown"
    assert proof.margin is None
    assert proof.counterexample is None
    assert proof.checked > 20
    assert f"up to {proof.checked} symbols" in proof.statement
    assert "each possible next symbol gets more than each impossible one" in proof.statement
    narrow = prove(network, "anbn", margin=0.5, seconds=20)
    assert "each probability is off by less than 0.5." in narrow.statement
    assert proof.notes
    assert not any("front.json" in note for note in proof.notes), "a network is of no run"


def test_numbers_that_explode_end_the_attempt_not_the_machine() -> None:
    """A square in a loop doubles its digits at every step."""
    network = _changed(
        "anbn",
        _both(
            _with(Unit("square", "sum", Weight(2)), Connection(7, 7, "recurrent", ONE)),
            _with(Unit("step"), Connection(7, 8, "forward", ONE)),
            _with(None, Connection(8, 4, "forward", Weight(1, 1000))),
        ),
    )
    proof = prove(network, "anbn", seconds=20)
    assert proof.outcome == "not shown"
    assert "Tried: its numbers grow too long to compute with exactly." in proof.notes


def test_a_remembered_sigmoid_is_not_proved_but_can_be_refuted() -> None:
    change = _with(None, Connection(3, 6, "recurrent", Weight(50_000)))
    proof = prove(_changed("anbn", change), "anbn")
    assert not proof.proved


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: prove(zoo.anbn(), "anbncn"), "no unit for the symbol 'c'"),
        (lambda: prove(zoo.anbn(), "addition"), "addition takes 2 inputs and 1 output"),
        (lambda: prove(zoo.addition(), "anbn"), "2 inputs and 1 outputs"),
        (lambda: prove(zoo.anbn(), "anbm"), "no task has that name; did you mean anbn?"),
        (lambda: prove(zoo.anbn(), "anbn", margin=0), "the margin is 0"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(call: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert said in str(error.value)
    assert is_one_sentence(str(error.value))


def test_without_z3_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdlrnn.proofs._smt.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'pip install "mdlrnn\[prove\]"'):
        prove(zoo.anbn(), "anbn")


def test_rules_that_are_at_odds_far_out_are_one_sentence() -> None:
    """A language is checked near its beginning; a proof may run into what lies beyond."""
    text = "S: a 1/2 -> S, n = n + 1\nS: # 1/2 if 400 - n > 0\n"
    deep = machine_from_text(text)
    net = Network(2, 2, (Unit(), Unit(), *[Unit(bias=Weight(1))] * 2), (), ("#", "a"))
    with pytest.raises(InputError, match="n = 400 the chances sum to 1/2") as caught:
        prove(net, deep)
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize("saturation", [True, False])
def test_a_mistake_that_the_cut_takes_away_is_told_as_one(
    saturation: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P(#) is 2^41/3 − 2/3 (2^40 + u6), above 0 only where sums are cut or rounded."""
    monkeypatch.setattr(prove_module, "explore_running", lambda *_: None)
    formulas = (
        "3 linear 2199023255552/3 -2/3*u7\n4 floor 2 -3*b\n5 square 1 -1*#\n"
        "6 floor 5*a -3*b 1*[6]\n7 linear 1099511627776 1*u6"
    )
    network = replace(_language("cut", "#ab", formulas), saturation=saturation)
    proof = prove(network, "anb2n")
    assert proof.outcome == "refuted"
    found = proof.counterexample
    assert found is not None
    assert really_wrong(network, "anb2n", found)
    assert found.as_it_runs is not saturation
    says = "In exact numbers, with no sum cut, the network is wrong on abb, after 3 symbols."
    assert proof.statement.startswith(says) == saturation
    assert ("cut to" in proof.statement) == saturation
    assert proof.to_dict()["counterexample"]["as_it_runs"] is not saturation


def test_a_string_that_is_wrong_as_the_network_runs_is_preferred() -> None:
    """At a^24 b^24 c^24 exact numbers come to a threshold that rounded ones pass by."""
    formulas = (
        "4 sigmoid -15\n5 linear 1*# 7/3*a\n6 step -1 -3*u8\n7 linear 1/3 3*u8\n"
        "8 linear -1/9 -8/3*a 3*b 1*[8]"
    )
    network = _language("rounded", "#abc", formulas)
    proof = prove(network, "anbncn")
    assert proof.statement == "The network is wrong on a^25 b^25 c^25, after 49 symbols."
    assert proof.counterexample is not None
    assert proof.counterexample.as_it_runs
    assert not proof.counterexample.shortest


def test_strings_that_are_run_in_float64_grow_where_a_string_may_end_at_once() -> None:
    """A way that ends soon is not taken, whatever its symbol is called."""
    for other in ("z", "0"):
        language = language_from_notation(f"c a^n b^n | {other}")
        network = Network(5, 5, (Unit(),) * 10, (), language.alphabet)
        system, _ = system_for(network, language)
        strings = [
            "".join(label for label, _ in path) for path in islice(paths(system), len(GROWTH))
        ]
        assert len(set(strings)) >= len(GROWTH) - 1
        assert strings[4].startswith("#caa")
        assert len(strings[-1]) > 2 * GROWTH[-2]


def test_what_is_shown_of_a_network_that_is_not_right_says_of_which_numbers() -> None:
    units = list(zoo.anbn().units)
    units[3] = replace(units[3], bias=Weight(40))
    proof = prove(replace(zoo.anbn(), units=tuple(units)), "anbn")
    assert proof.outcome == "not right"
    assert proof.notes[-1].startswith("That is about exact numbers.")


def test_a_network_that_scores_lower_is_not_called_one_that_scores_more() -> None:
    proof = Proof(zoo.anbn(), "a^n b^n", "refuted", "Wrong.", (Claim("exact"),), None, 0, 0.0)
    right = replace(proof, outcome="proved", statement="Right.")
    lower = Verdict(zoo.anbn(), "a^n b^n", proof, other=right, more_bits=-12.5).lines[2]
    assert "of the network in proved.json, whose |G| + |D:G| is 12.50 bits lower: Right." in lower
    higher = Verdict(zoo.anbn(), "a^n b^n", proof, other=right, more_bits=12.5).lines[2]
    assert "which scores 12.50 bits more" in higher
