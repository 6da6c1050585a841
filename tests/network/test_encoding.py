"""The bit encoding: Figure 2 of the paper, the authors' lengths, and that decode inverts encode."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.data import DATA
from helpers.strategies import networks
from mdlrnn.errors import InputError
from mdlrnn.network._code import (
    _codes,
    _number,
    _role_index,
    _splits,
    _weight,
    decode,
    encode,
    length,
    parts,
    roles_fit,
)
from mdlrnn.network._encoding import SCHEMES, Encoding
from mdlrnn.network._network import Network
from mdlrnn.network._units import ACTIVATIONS, KINDS, MOST_UNITS, Connection, Unit, Weight

VECTORS = sorted((DATA / "vectors").glob("*.json"))
FIGURE_1 = Network(
    2,
    1,
    (Unit(), Unit(), Unit("sigmoid", bias=Weight(1))),
    (Connection(0, 2, "forward", Weight(1, 2)), Connection(1, 2, "recurrent", Weight(2))),
)
FIGURE_2 = Encoding(activations=("linear", "sigmoid", "relu"))
EVERY = tuple(ACTIVATIONS)
ANY = (Encoding(activations=EVERY, products=True), Encoding("tacl2022", EVERY))


@st.composite
def encodings(draw: st.DrawFn) -> Encoding:
    names = draw(st.lists(st.sampled_from(EVERY[1:]), unique=True))
    names.insert(draw(st.integers(0, len(names))), "linear")
    return Encoding(draw(st.sampled_from(tuple(SCHEMES))), tuple(names), draw(st.booleans()))


@st.composite
def encoded(draw: st.DrawFn) -> tuple[Network, Encoding]:
    encoding = draw(encodings())
    return draw(networks(activations=encoding.activations, products=encoding.type_bit)), encoding


def test_figure_2_part_by_part() -> None:
    half, two, one = "1" + "101" + "11010", "1" + "11010" + "101", "1" + "101" + "101"
    assert [(part.label, part.bits, part.unit) for part in parts(FIGURE_1, FIGURE_2)] == [
        ("E(U)", "11011", None),
        ("linear", "00", 0),
        ("E(#out)", "101", 0),
        ("unit 3", "11", 0),
        ("w(1,3)", half, 0),
        ("forward", "0", 0),
        ("cost(linear)", "0", 0),
        ("no bias", "00", 0),
        ("linear", "00", 1),
        ("E(#out)", "101", 1),
        ("unit 3", "11", 1),
        ("w(2,3)", two, 1),
        ("recurrent", "1", 1),
        ("cost(linear)", "0", 1),
        ("no bias", "00", 1),
        ("sigmoid", "01", 2),
        ("E(#out)", "0", 2),
        ("cost(sigmoid)", "11110", 2),
        ("bias", one, 2),
    ]


def test_parts_name_their_connection() -> None:
    named = [part.connection for part in parts(FIGURE_1, FIGURE_2) if part.connection]
    assert named == [c for c in FIGURE_1.connections for _ in range(3)]


def test_a_weight_is_written_as_in_the_paper() -> None:
    assert _weight(Weight(2, 5)) == "1" + "11010" + "1110101"
    assert _weight(Weight(-2, 5))[0] == "0"


def test_numbers_are_written_as_in_the_paper() -> None:
    assert [_number(n) for n in (0, 1, 2, 3)] == ["0", "101", "11010", "11011"]


def test_the_last_unit_of_a_full_field_is_all_zeros() -> None:
    connections = tuple(Connection(0, u, "forward", Weight(1)) for u in (0, 3))
    network = Network(1, 1, (Unit(),) * 4, connections)
    numbers = {part.label: part.bits for part in parts(network, Encoding())}
    assert (numbers["unit 1"], numbers["unit 4"]) == ("01", "00")


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_lengths_are_those_of_the_authors_code(path: Path) -> None:
    data = json.loads(path.read_text())
    encoding = Encoding(data["encoding"], tuple(data["allowed_activations"]))
    for row in data["networks"]:
        network = replace(Network.from_dict(row["network"]), alphabet=None)
        bits = encode(network, encoding)
        assert len(bits) == length(network, encoding) == row["g"]
        assert decode(bits, encoding) == network


def test_schemes_differ_where_they_should() -> None:
    paper, released = Encoding(), Encoding("tacl2022")
    assert (paper.cost("relu"), released.cost("relu")) == (4, 2)
    assert (paper.type_bit, Encoding(products=True).type_bit, released.type_bit) == (
        False,
        True,
        True,
    )
    for encoding, width in ((ANY[0], 4), (ANY[1], 4), (released, 4), (paper, 3)):
        assert encoding.activation_bits("mod3") == width
    costs = {"linear": 0, "square": 2, "sigmoid": 4, "floor": 4, "step": 8, "mod2": 8, "mod3": 8}
    for name, cost in costs.items():
        assert paper.cost(name) == released.cost(name) == cost


def test_costs_can_be_left_out() -> None:
    """`abudy2025` is `tacl2022` without the costs in unary and their closing zeros."""
    with_costs, without = Encoding("tacl2022", EVERY), Encoding("abudy2025", EVERY)
    network = replace(FIGURE_1, units=(*FIGURE_1.units, *(Unit(name) for name in EVERY)))
    kept = [part for part in parts(network, with_costs) if not part.label.startswith("cost(")]
    assert parts(network, without) == kept
    left_out = sum(with_costs.cost(unit.activation) + 1 for unit in network.units)
    assert length(network, without) == length(network, with_costs) - left_out
    assert decode(encode(network, without), without) == network
    assert (without.cost("step"), without.cost_bits("step"), without.writes_costs) == (0, 0, False)
    assert Encoding("abudy2025").activation_bits("mod4") == 4


def test_bits_say_which_parts_the_network_has() -> None:
    allowed = Encoding.every_part()
    said = parts(FIGURE_1, allowed)[:11]
    assert [part.label for part in said] == [*(f"{name}?" for name in EVERY[1:]), "products?"]
    assert [part.label for part in said if part.bits == "1"] == ["sigmoid?"]
    rest = "".join(part.bits for part in parts(FIGURE_1, allowed)[11:])
    assert rest == encode(FIGURE_1, Encoding(activations=("linear", "sigmoid")))


@given(networks())
def test_length_depends_on_the_parts_used_and_not_on_those_allowed(network: Network) -> None:
    every, fitting = Encoding.every_part(), Encoding.fitting(network, "parts")
    bits = encode(network, every)
    assert encode(network, fitting) == bits
    assert encode(network, every.written_for(network)) == bits
    paper = Encoding("paper", EVERY, products=True)
    assert len(bits) <= 11 + length(network, paper)


def test_parts_that_no_unit_has_are_refused() -> None:
    bits = encode(FIGURE_1, Encoding.every_part())
    for place, name in enumerate(EVERY[1:]):
        if name != "sigmoid":
            wider = Encoding("parts", tuple(n for n in EVERY if n in ("linear", "sigmoid", name)))
            body = encode(FIGURE_1, replace(wider, scheme="paper"))
            said = bits[:place] + "1" + bits[place + 1 : 11]
            with pytest.raises(InputError, match=f"bit {place}: .*allows {name}, which no unit"):
                decode(said + body, Encoding.every_part())
    body = encode(FIGURE_1, Encoding("paper", ("linear", "sigmoid"), products=True))
    with pytest.raises(InputError, match=r"bit 10: .*products, and no unit is one"):
        decode(bits[:10] + "1" + body, Encoding.every_part())


def test_parts_that_the_encoding_lacks_are_refused() -> None:
    product = replace(FIGURE_1, units=(*FIGURE_1.units[:2], Unit("mod3", "product")))
    bits = encode(product, Encoding.every_part())
    with pytest.raises(InputError, match=r"bit 6: .*allows mod3, the encoding does not"):
        decode(bits, Encoding("parts", products=True))
    with pytest.raises(InputError, match=r"bit 10: .*allows products, the encoding does not"):
        decode(bits, Encoding("parts", EVERY))


def every_encoding() -> Iterator[Encoding]:
    others = EVERY[1:]
    for chosen in chain.from_iterable(combinations(others, k) for k in range(len(others) + 1)):
        for names in (("linear", *chosen), (*chosen[::-1], "linear")):
            yield Encoding("paper", names)
            yield Encoding("tacl2022", names)


def test_activation_codes_are_prefix_free_and_as_wide_as_promised() -> None:
    for encoding in every_encoding():
        codes = _codes(encoding)
        assert {name: encoding.activation_bits(name) for name in codes} == {
            name: len(code) for name, code in codes.items()
        }
        assert not any(b.startswith(a) for a, b in permutations(codes.values(), 2))


@given(encoded())
def test_encoding_round_trips_when_told_the_roles(case: tuple[Network, Encoding]) -> None:
    network, encoding = case
    bits = encode(network, encoding)
    assert len(bits) == length(network, encoding)
    told = decode(bits, encoding, inputs=network.inputs, outputs=network.outputs)
    assert told == network


@given(encoded())
def test_encoding_round_trips_when_the_roles_fit(case: tuple[Network, Encoding]) -> None:
    network, encoding = case
    assume(roles_fit(network, encoding))
    assert decode(encode(network, encoding), encoding) == network


@given(encoded())
def test_bits_without_room_for_the_roles_decode_to_the_most_natural_ones(
    case: tuple[Network, Encoding],
) -> None:
    network, encoding = case
    biased = tuple(replace(u, bias=Weight(1)) for u in network.units[network.inputs :])
    network = replace(network, units=network.units[: network.inputs] + biased, connections=())
    bits = encode(network, encoding)
    again = decode(bits, encoding)
    assert encode(again, encoding) == bits
    if not roles_fit(network, encoding):
        first = next(_splits(network.units, network.connections))
        assert (again.inputs, again.outputs) == first


def test_roles_that_do_not_fit_must_be_told() -> None:
    biased = Unit(bias=Weight(1))
    odd = Network(1, 1, (Unit(), biased, biased, biased))
    assert not roles_fit(odd, Encoding())
    bits = encode(odd, Encoding())
    assert decode(bits, Encoding()).outputs == 3
    assert decode(bits, Encoding(), inputs=1, outputs=1) == odd


@given(networks(inputs=2, outputs=2, max_hidden=2, max_connections=6))
def test_roles_are_listed_from_the_most_natural(network: Network) -> None:
    """Against the plain definition: build every split, count its odd units, sort."""
    count = len(network.units)
    fed = {c.target for c in network.connections}
    feeding = {c.source for c in network.connections}

    def oddness(split: tuple[int, int]) -> tuple[int, int, int, int]:
        i, o = split
        odd = sum(u in fed for u in range(i))
        odd += sum(u in feeding for u in range(i, i + o))
        odd += sum(u not in feeding for u in range(i + o, count))
        return odd, abs(i - o), -i, -o

    possible = [
        (i, o)
        for i in range(1, count)
        for o in range(1, count - i + 1)
        if all(unit == Unit() for unit in network.units[:i])
    ]
    listed = list(_splits(network.units, network.connections))
    assert listed == sorted(possible, key=oddness)


def test_usual_networks_are_written_in_plain_order() -> None:
    outputs = (Unit("sigmoid"), Unit(), Unit("relu"))
    forward = tuple(Connection(u, 6, "forward", Weight(1)) for u in range(3))
    memory = (
        Connection(6, 6, "recurrent", Weight(1)),
        *(Connection(6, u, "forward", Weight(1)) for u in (3, 4, 5)),
    )
    anbn = Network(3, 3, (Unit(),) * 3 + (*outputs, Unit()), forward + memory)
    for network in (anbn, FIGURE_1):
        for encoding in (Encoding(), Encoding("tacl2022"), Encoding("parts")):
            assert _role_index(network, encoding) == 0


def test_large_networks_are_written_and_read() -> None:
    one = Weight(1)
    line = tuple(Connection(u, u + 1, "forward", one) for u in range(18, MOST_UNITS - 1))
    long = Network(9, 9, (Unit(),) * MOST_UNITS, (*line, Connection(0, 18, "forward", one)))
    pairs = [(u, v) for u in range(40) for v in range(40)]
    dense = tuple(Connection(u, v, kind, one) for u, v in pairs for kind in KINDS)
    for network in (long, Network(3, 3, (Unit(),) * 40, dense)):
        assert decode(encode(network, Encoding()), Encoding()) == network


def check_any_bits(bits: str, encoding: Encoding) -> None:
    try:
        network = decode(bits, encoding)
    except InputError:
        return
    assert encode(network, encoding) == bits


@given(st.text("01", max_size=400), encodings())
def test_any_bits_are_a_network_in_one_way_or_an_error(bits: str, encoding: Encoding) -> None:
    check_any_bits(bits, encoding)


@given(encoded(), st.data())
def test_damaged_bits_are_a_network_in_one_way_or_an_error(
    case: tuple[Network, Encoding], data: st.DataObject
) -> None:
    bits = encode(*case)
    start = data.draw(st.integers(0, len(bits)))
    stop = data.draw(st.integers(start, min(start + 6, len(bits))))
    check_any_bits(bits[:start] + data.draw(st.text("01", max_size=6)) + bits[stop:], case[1])


@given(encoded(), st.data())
def test_any_free_choice_is_kept_or_refused(
    case: tuple[Network, Encoding], data: st.DataObject
) -> None:
    written = parts(*case)
    for place, part in enumerate(written):
        if part.label == "no bias" or (part.label == "type" and part.unit == 0):
            written[place] = part._replace(bits=data.draw(st.sampled_from("01")) + part.bits[1:])
    for u in range(len(case[0].units)):
        places = [k for k, part in enumerate(written) if part.unit == u and part.connection]
        if places:
            triples = [written[k : k + 3] for k in places[::3]]
            shuffled = data.draw(st.permutations(triples))
            written[places[0] : places[-1] + 1] = chain.from_iterable(shuffled)
    bits = "".join(part.bits for part in written)
    check_any_bits(bits, case[1])
    roles = {"inputs": case[0].inputs, "outputs": case[0].outputs}
    assert decode(bits, case[1], **roles) == case[0]


@given(encoded(), st.integers(0))
def test_no_encoding_is_the_start_of_another(case: tuple[Network, Encoding], cut: int) -> None:
    bits = encode(*case)
    with pytest.raises(InputError, match="bits end"):
        decode(bits[: cut % len(bits)], case[1])
    with pytest.raises(InputError, match="1 more bit follows"):
        decode(bits + "0", case[1])


@given(st.text(max_size=30))
def test_any_text_is_a_network_or_an_error(text: str) -> None:
    with pytest.raises(InputError):
        decode(text, Encoding())


def test_white_space_between_bits_is_no_matter() -> None:
    bits = encode(FIGURE_1, FIGURE_2)
    assert decode(f" {bits[:7]}\n{bits[7:]}\n", FIGURE_2) == FIGURE_1


def damaged(*changes: tuple[str, int | None, str]) -> str:
    """Figure 1's bits with some parts, each named by label and unit, written otherwise."""
    new = {(label, unit): bits for label, unit, bits in changes}
    return "".join(
        new.get((part.label, part.unit), part.bits) for part in parts(FIGURE_1, FIGURE_2)
    )


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ("", "bit 0: the bits end"),
        ("1", "bit 1: the bits end"),
        ("01x0", "character 2 of the bits is 'x'"),
        ("0", "bit 0: the network has 0 units"),
        ("101", "bit 0: the network has 1 units"),
        (_number(MOST_UNITS + 1) + "0" * 50000, "bit 0: the network has 4097 units"),
        (_number(MOST_UNITS) + "0" * 99, "too soon to hold 4096 units"),
        ("1" * 99, "bit 0: a number is larger than 2..53"),
        (damaged(("E(U)", None, "11001")), "bit 0: a number is written with a leading 0"),
        (damaged(("linear", 0, "11")), "bit 5: here is no activation's code"),
        (damaged(("linear", 0, "01")), "the cost of sigmoid is not 4"),
        (damaged(("unit 3", 0, "00")), "bit 10: a connection goes to unit 4 of 3"),
        (damaged(("w(1,3)", 0, "10")), "bit 12: a connection's weight is 0"),
        (damaged(("w(1,3)", 0, "11010")), "bit 16: a denominator is 0"),
        (damaged(("w(1,3)", 0, "1" + _number(2**53 + 1) + "101")), "bit 13: a number is larger"),
        (
            damaged(("E(#out)", 0, "11010"), ("forward", 0, "0" + "11" + "1101101" + "0")),
            "bit 24: this forward connection was there before",
        ),
        (damaged(("no bias", 0, "1101101")), "the first unit, always an input"),
        (damaged(("cost(sigmoid)", 2, "1110")), "the cost of sigmoid is not 4"),
        (encode(FIGURE_1, FIGURE_2) + "01", "2 more bits follow"),
        (
            damaged(("no bias", 0, "10"), ("no bias", 1, "10")),
            "the free choices stand for no number",
        ),
    ],
)
def test_what_is_wrong_with_bits_is_said(bits: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(bits, FIGURE_2)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (2, None, "only one of inputs and outputs"),
        (3, 1, "fewer than the 3 inputs and 1 outputs"),
        (0, 1, "inputs is 0"),
        (1, "2", "outputs is '2'"),
    ],
)
def test_impossible_roles_are_refused(inputs: int, outputs: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(encode(FIGURE_1, FIGURE_2), FIGURE_2, inputs=inputs, outputs=outputs)


def test_an_input_must_be_plain() -> None:
    bits = encode(Network(1, 1, (Unit(), Unit("square"), Unit())), Encoding())
    with pytest.raises(InputError, match=r"units\[1\] is an input"):
        decode(bits, Encoding(), inputs=2, outputs=1)


@pytest.mark.parametrize("write", [encode, length, parts])
def test_networks_outside_the_encoding_are_refused(write: Callable[..., object]) -> None:
    with pytest.raises(InputError, match=r"units\[2\] has the activation sigmoid.*add 'sigmoid'"):
        write(FIGURE_1, Encoding(activations=("linear", "relu")))
    product = Network(1, 1, (Unit(), Unit(type="product")))
    with pytest.raises(InputError, match=r"units\[1\] is a product unit.*products=True"):
        write(product, Encoding())
    write(product, Encoding(products=True))
    write(product, Encoding("tacl2022"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scheme": "papper"}, "unknown scheme 'papper'; did you mean paper?"),
        ({"scheme": None}, "unknown scheme None; use one of paper, tacl2022, abudy2025, parts."),
        ({"activations": ("linear", "sigmod")}, "'sigmod'; did you mean sigmoid?"),
        ({"activations": ("relu",)}, "lacks linear"),
        ({"activations": ("linear", "relu", "relu")}, "names relu twice"),
        ({"activations": "linear"}, "give a sequence of names"),
        ({"activations": 3}, "give a sequence of names"),
        ({"products": "yes"}, "products is 'yes'"),
    ],
)
def test_bad_encodings_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Encoding(**arguments)


def test_encodings_are_values() -> None:
    names = ["linear", "relu"]
    encoding = Encoding("tacl2022", names)  # type: ignore[arg-type]
    assert encoding == Encoding("tacl2022", tuple(names))
    assert hash(encoding) == hash(eval(repr(encoding)))
    with pytest.raises(InputError, match="did you mean step"):
        encoding.cost("stp")
