"""What is printed is so: machines agree with their networks along their own strings, names with the
machines; and networks that break far out are not taken for what they seem."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mdlrnn
from helpers.learned import check_machine, check_name
from helpers.strategies import networks
from mdlrnn import Connection, Network, Weight, zoo
from mdlrnn.extraction._fit import NEARLY, SAME, fitted
from mdlrnn.extraction._names import automaton_name, named_machines
from mdlrnn.extraction._places import NoMachine, Runs, run_through
from mdlrnn.machines._machine import Machine
from mdlrnn.zoo import _language

pytest.importorskip("z3")
SLOW = settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def along_runs(runs: Runs, machine: Machine) -> None:
    """The machine finds the symbols of every run possible and no others."""
    left = [(0, machine.beginning)]
    seen = set(left)
    for number, here in left:
        node = runs.nodes[number]
        true = machine.next_from(here).allowed
        assert true == {s for s, p in zip(runs.alphabet, node.chances, strict=True) if p}
        for symbol, below in node.below.items():
            to = machine.step(here, symbol)
            assert to is not None
            if (below, to) not in seen:
                seen.add((below, to))
                left.append((below, to))


@settings(max_examples=12, deadline=None)
@given(networks(inputs=3, outputs=3, max_hidden=3, max_connections=10))
def test_machines_that_are_read_off_agree_with_all_that_was_run(network: Network) -> None:
    network = replace(network, alphabet=("#", "a", "b"))
    runs = run_through(network, most=120)
    for apart in (SAME, NEARLY, None):
        try:
            found = fitted(runs, apart)
        except NoMachine:
            continue
        along_runs(runs, found.machine)
        along_runs(runs, found.full)
        name = automaton_name(found.machine)
        if name is not None:
            check_name(name, found.machine, 9, 800)
    for language in islice(named_machines(runs), 2):
        along_runs(runs, language)
        check_name(language.title, language, 9, 800)


@SLOW
@given(
    networks(
        inputs=3, outputs=3, max_hidden=2, min_connections=4, max_connections=9,
        activations=("linear", "relu", "step", "mod2", "mod3", "abs", "sigmoid", "floor"),
        weight=st.sampled_from([Weight(1), Weight(-1), Weight(2), Weight(1, 2)]),
    )
)  # fmt: skip
def test_what_is_said_of_random_networks_is_so(network: Network) -> None:
    network = replace(network, alphabet=("#", "a", "b"))
    check(network, 2.0)


@SLOW
@given(st.sampled_from(["anbn", "anb2n", "anbncn", "anbmcnm", "dyck1", "dyck2"]), st.data())
def test_what_is_said_of_mutants_is_so(name: str, data: st.DataObject) -> None:
    network = zoo.load(name)
    connections = list(network.connections)
    place = data.draw(st.integers(0, len(connections) - 1))
    c = connections[place]
    weight = data.draw(st.sampled_from([Weight(1), Weight(-1), Weight(2), Weight(3), Weight(1, 2)]))
    connections[place] = Connection(c.source, c.target, c.kind, weight)
    check(replace(network, connections=tuple(connections)), 2.0)


def check(network: Network, seconds: float) -> None:
    found = mdlrnn.learned(network, seconds=seconds)
    if found.machine is None:
        assert not found.proved
        assert found.name is None
        assert found.statement.startswith("No machine was found")
        return
    check_machine(network, found.machine, found.margin, walks=25, length=30)
    if found.name is not None:
        check_name(found.name, found.machine, 12, 1_200)


def leaking() -> Network:
    network = zoo.anbn()
    return replace(
        network,
        connections=tuple(
            Connection(c.source, c.target, c.kind, Weight(999, 1000))
            if c.kind == "recurrent" else c
            for c in network.connections
        ),
    )  # fmt: skip


BROKEN = {
    "a counter that leaks": leaking(),
    "an end from n = 1,000 on": _language(
        "late", "#ab", """
        3  sigmoid  -15
        4  linear   7/3  -3*b
        5  step     1*u6  -5000*u7
        6  relu     -1  2*a  1*[6]
        7  step     -1000  1*u6
        """,
    ),
    "a counter that stops at 1,000": _language(
        "full", "#ab", """
        3  sigmoid  -15
        4  linear   7/3  -3*b
        5  step     1*u6
        6  relu     -1  2*a  1*[6]  -1*[7]
        7  relu     -1000  1*u6
        """,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_break_far_out_is_seen(name: str) -> None:
    found = mdlrnn.learned(BROKEN[name], seconds=5)
    assert found.name != "a^n b^n"
    if found.machine is None:
        assert found.cover is not None
        assert f"Up to {found.cover.length} symbols it finds the same" in str(found)
    else:
        n = 1_100
        assert not found.machine.accepts("a" * n + "b" * n)


def test_thousands_of_prefixes_of_the_zoo_and_of_what_was_found() -> None:
    found = mdlrnn.learned(zoo.anbncn(), seconds=120)
    assert found.machine is not None
    assert found.name is not None
    assert check_machine(zoo.anbncn(), found.machine, found.margin, 400, 60) > 2_000
    check_name(found.name, found.machine)
