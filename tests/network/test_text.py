"""Networks as text."""

from __future__ import annotations

from hypothesis import given

from helpers.strategies import networks
from mdlrnn import Connection, Network, Unit, Weight
from mdlrnn.network._network import describe, summary


def network(
    alphabet: str, hidden: list[Unit], *connections: tuple[int, int, str, int, int]
) -> Network:
    size = len(alphabet)
    return Network(
        size,
        size,
        (Unit(),) * (2 * size) + tuple(hidden),
        tuple(Connection(a, b, kind, Weight(n, d)) for a, b, kind, n, d in connections),
        tuple(alphabet),
    )


def test_a_counter_reads_as_it_would_be_written() -> None:
    net = network(
        "#ab",
        [Unit("relu", bias=Weight(-1))],
        (1, 6, "forward", 2, 1), (6, 6, "recurrent", 1, 1), (6, 5, "forward", -2, 4),
        (2, 3, "recurrent", 3, 1),
    )  # fmt: skip
    assert describe(net).splitlines() == [
        "unit 3, P(#) ∝ 3·[b]",
        "unit 4, P(a) ∝ 0",
        "unit 5, P(b) ∝ −2/4·u6",
        "unit 6 = relu(2·a − 1 + 1·[6])",
        "(b: 1 when b is read; u6: unit 6, [6] a step before; P: max(0, unit) / sum)",
    ]
    assert summary(net) == "1 hidden unit, 2 forward connections, 2 recurrent, 1 bias"


def test_what_is_not_fed_is_marked() -> None:
    net = network(
        "#a",
        [Unit(), Unit("step"), Unit()],
        (4, 3, "forward", 1, 1), (5, 4, "forward", 1, 1), (4, 5, "forward", -3, 2),
        (1, 6, "forward", 1, 1),
    )  # fmt: skip
    lines = describe(net).splitlines()
    assert lines[3] == "unit 5 = step(0)    (ignored, it closes a loop: −3/2·u4)"
    assert lines[4] == "unit 6 = 1·a    (reaches no output)"


def test_products_symbols_and_inputs_of_their_own() -> None:
    net = network(
        "#1(",
        [Unit("square", "product", Weight(-1, 3)), Unit(type="product", bias=Weight(2))],
        (1, 6, "forward", 2, 1), (6, 6, "recurrent", -1, 1), (6, 7, "recurrent", 1, 1),
        (7, 4, "forward", 1, 1), (6, 4, "forward", 1, 1),
    )  # fmt: skip
    lines = describe(net).splitlines()
    assert lines[1] == "unit 4, P('1') ∝ 1·u6 + 1·u7"
    assert lines[3] == "unit 6 = square((2·'1') · (−1·[6]) − 1/3)"
    assert lines[4] == "unit 7 = 0 + 2"
    fed_input = network("#a", [], (0, 1, "forward", 5, 1), (1, 2, "forward", 1, 1))
    assert describe(fed_input).splitlines()[:2] == ["unit 1 = a + 5·#", "unit 2, P(#) ∝ 1·u1"]


@given(networks())
def test_every_connection_and_bias_is_told(net: Network) -> None:
    *lines, notation = describe(net).splitlines()
    fed = {c.target for c in net.connections}
    own = [u for u in range(len(net.units)) if u >= net.inputs or u in fed]
    assert [int(line.split()[1].rstrip(",")) for line in lines] == own
    assert notation.startswith("(in0: the first input")
    told = sum(line.count("·u") + line.count("·in") + line.count("·[") for line in lines)
    silent = [
        u
        for u in own
        if net.units[u].type == "product" and "0" in lines[own.index(u)].split("=")[-1]
    ]
    hidden = sum(c.kind == "recurrent" and c.target in silent for c in net.connections)
    assert len(net.connections) - hidden <= told <= len(net.connections)
