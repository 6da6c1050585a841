"""Networks as values, their file format, and what is said about files that cannot be read."""

from __future__ import annotations

import copy
import json
import os
import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import VECTOR_NAMES, is_one_sentence, vectors
from mdlrnn import Connection, InputError, Network, Unit, Weight
from mdlrnn._network import LARGEST_INTEGER, MOST_UNITS
from strategies import networks

COUNTER = Network(
    3,
    3,
    (Unit(), Unit(), Unit(), Unit("sigmoid", bias=Weight(-7, 2)), Unit(), Unit("relu"), Unit()),
    (
        Connection(0, 4, "forward", Weight(1)),
        Connection(1, 6, "forward", Weight(1)),
        Connection(6, 6, "recurrent", Weight(1)),
        Connection(6, 5, "forward", Weight(2, 4)),
    ),
    ("#", "a", "b"),
    "counter",
)


# Values


def test_networks_cannot_be_changed() -> None:
    for thing, name in (
        (COUNTER, "inputs"),
        (COUNTER.units[0], "bias"),
        (COUNTER.connections[0], "weight"),
        (Weight(1), "numerator"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, 1)
    assert isinstance(COUNTER.units, tuple)
    assert isinstance(COUNTER.connections, tuple)


@given(networks(), st.randoms())
def test_the_order_of_connections_makes_no_difference(network: Network, random: Any) -> None:
    shuffled = list(network.connections)
    random.shuffle(shuffled)
    again = replace(network, connections=shuffled)
    assert again == network
    assert hash(again) == hash(network)
    assert again.to_json() == network.to_json()


def test_networks_differ_by_all_but_the_name() -> None:
    assert replace(COUNTER, name=None) == COUNTER
    assert hash(replace(COUNTER, name="other")) == hash(COUNTER)
    others = (
        replace(COUNTER, alphabet=None),
        replace(COUNTER, alphabet=("#", "b", "a")),
        replace(COUNTER, connections=COUNTER.connections[1:]),
        replace(COUNTER, units=(*COUNTER.units[:-1], Unit("square"))),
        Network(2, 4, COUNTER.units, COUNTER.connections),
    )
    assert len({COUNTER, *others}) == 1 + len(others)


def test_a_weight_is_kept_as_written() -> None:
    assert Weight(2, 4) != Weight(1, 2)
    assert Weight(2, 4).fraction == Weight(1, 2).fraction
    assert float(Weight(-3, 4)) == -0.75
    assert (str(Weight(-3, 4)), str(Weight(5))) == ("-3/4", "5")


def test_copies_are_equal() -> None:
    for again in (copy.copy(COUNTER), copy.deepcopy(COUNTER), pickle.loads(pickle.dumps(COUNTER))):
        assert again == COUNTER
        assert again.name == "counter"


def test_units_and_connections_may_come_from_generators() -> None:
    parts = ((part for part in parts) for parts in (COUNTER.units, COUNTER.connections))
    assert Network(3, 3, *parts, alphabet="#ab") == COUNTER


def test_repr_says_what_there_is() -> None:
    assert repr(COUNTER) == (
        "Network('counter', 3 inputs, 3 outputs, 1 hidden, 3 forward, 1 recurrent, 1 biases, "
        "alphabet='# a b')"
    )
    assert repr(Unit("step", bias=Weight(1, 2))) == (
        "Unit(activation='step', type='sum', bias=Weight(numerator=1, denominator=2))"
    )


def test_units_have_roles_by_number() -> None:
    assert [COUNTER.role(u) for u in range(7)] == ["input"] * 3 + ["output"] * 3 + ["hidden"]
    assert COUNTER.hidden == 1


# Files


@given(networks(), st.none() | st.text(), st.data())
def test_files_round_trip(
    tmp_path_factory: Any, network: Network, name: str | None, data: st.DataObject
) -> None:
    if network.inputs == network.outputs > 1:
        size = network.inputs - 1
        symbols = st.text(min_size=1, max_size=3).filter(lambda symbol: symbol != "#")
        drawn = data.draw(st.lists(symbols, min_size=size, max_size=size, unique=True))
        network = replace(network, alphabet=("#", *drawn))
    network = replace(network, name=name)
    path = tmp_path_factory.getbasetemp() / "network.json"
    network.save(path)
    again = Network.load(path)
    assert again == network
    assert again.name == network.name
    assert again.to_json() == network.to_json()
    assert Network.from_dict(network.to_dict()) == network


def test_half_a_surrogate_pair_is_saved_as_its_escape(tmp_path: Path) -> None:
    odd = replace(COUNTER, alphabet=("#", "\ud800", "é"))
    odd.save(tmp_path / "odd.json")
    assert Network.load(tmp_path / "odd.json") == odd
    assert '"\\ud800", "é"' in (tmp_path / "odd.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", VECTOR_NAMES)
def test_the_vectors_networks_are_read_and_written(name: str) -> None:
    for row, network in zip(vectors(name).rows, vectors(name).networks, strict=True):
        again = json.loads(network.to_json())
        for part in ("units", "connections", "inputs", "outputs"):
            written, given_ = again[part], row["network"][part]
            if part == "connections":
                written, given_ = (sorted(c, key=json.dumps) for c in (written, given_))
            assert written == given_


def test_optional_fields_have_defaults() -> None:
    units = [{"activation": "linear"}, {"activation": "relu"}]
    data = {"format": "mdlrnn/1", "inputs": 1, "outputs": 1, "units": units, "connections": []}
    assert Network.from_dict(data) == Network(1, 1, (Unit(), Unit("relu")))


def test_a_byte_order_mark_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "network.json"
    path.write_text(COUNTER.to_json(), encoding="utf-8-sig")
    assert Network.load(path) == COUNTER


def test_saving_replaces_the_file_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "network.json"
    path.write_text("old")
    path.chmod(0o640)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="no space left") as caught:
            COUNTER.save(path)
    assert is_one_sentence(str(caught.value))
    assert path.read_text() == "old"
    COUNTER.save(path)
    assert Network.load(path) == COUNTER
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["network.json"]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    COUNTER.save(tmp_path / "saved.json")
    (tmp_path / "written.json").write_text("")
    modes = {entry.stat().st_mode for entry in tmp_path.iterdir()}
    assert len(modes) == 1


def test_saving_where_nothing_can_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "folder.json"
    with pytest.raises(InputError) as caught:
        COUNTER.save(path)
    assert str(caught.value).startswith(f"{path}: cannot be written (no such file or directory)")
    assert is_one_sentence(str(caught.value))


# Bad files. Each is the counter's file with one thing wrong.

MISSING = object()
HALF = [1, 2]


def spoiled(*place: str | int, to: Any) -> str:
    data = COUNTER.to_dict()
    at: Any = data
    for step in place[:-1]:
        at = at[step]
    if to is MISSING:
        del at[place[-1]]
    else:
        at[place[-1]] = to
    return json.dumps(data)


def spoiled_weight(weight: Any) -> str:
    return spoiled("connections", 2, "weight", to=weight)


def deep(depth: int) -> Any:
    return [] if depth == 0 else [deep(depth - 1)]


BAD_FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "line 1, column 1"),
    "truncated": (COUNTER.to_json()[:300], " at line "),
    "text": ("aabb\n", "expecting value at line 1, column 1"),
    "two values": ("{} {}", "extra data at line 1, column 4"),
    "a list": ("[1, 2]", "not a network but [1, 2]"),
    "null": ("null", "not a network but None"),
    "another object": ('{"nodes": 3}', 'lacks "format": "mdlrnn/1"'),
    "another format": (spoiled("format", to="onnx"), 'lacks "format": "mdlrnn/1"'),
    "a future format": (spoiled("format", to="mdlrnn/2"), "is 'mdlrnn/2', but this version"),
    "deep nesting": ("[" * 100000, "nested too deeply"),
    "deep but closed": (spoiled("units", 0, to=deep(200)), "units[0] is [[[...]]]"),
    "not utf-8": (b'{"format": "\xff"}', "byte 12 is not UTF-8"),
    "utf-16": (COUNTER.to_json().encode("utf-16"), "byte 0 is not UTF-8"),
    "no inputs": (spoiled("inputs", to=MISSING), '"inputs" is missing'),
    "no outputs": (spoiled("outputs", to=MISSING), '"outputs" is missing'),
    "no units": (spoiled("units", to=MISSING), '"units" is missing'),
    "no connections": (spoiled("connections", to=MISSING), '"connections" is missing'),
    "inputs 0": (spoiled("inputs", to=0), "inputs is 0"),
    "inputs negative": (spoiled("inputs", to=-1), "inputs is -1"),
    "inputs true": (spoiled("inputs", to=True), "inputs is True"),
    "inputs 1.0": (spoiled("inputs", to=1.0), "inputs is 1.0"),
    "inputs text": (spoiled("inputs", to="3"), "inputs is '3'"),
    "inputs long text": (spoiled("inputs", to="3" * 999), "inputs is '3333"),
    "outputs null": (spoiled("outputs", to=None), "outputs is None"),
    "too few units": (spoiled("units", to=[]), "connections[0].from is 0"),
    "fewer units than roles": (
        json.dumps(COUNTER.to_dict() | {"units": [], "connections": []}),
        "there are 0 units, fewer than the 3 inputs and 3 outputs",
    ),
    "too many units": (
        spoiled("units", to=[{"activation": "linear"}] * (MOST_UNITS + 1)),
        "there are 4097 units",
    ),
    "units no list": (spoiled("units", to={"0": {}}), '"units" is {'),
    "units text": (spoiled("units", to="linear"), "\"units\" is 'linear'"),
    "connections null": (spoiled("connections", to=None), '"connections" is None'),
    "unit a number": (spoiled("units", 3, to=7), "units[3] is 7"),
    "unit without activation": (spoiled("units", 3, to={}), 'units[3] lacks "activation"'),
    "unit with another field": (
        spoiled("units", 3, to={"activation": "relu", "color": 1}),
        "units[3] has an unknown field 'color'",
    ),
    "unknown activation": (
        spoiled("units", 3, "activation", to="softmax"),
        "units[3]: unknown activation 'softmax'; use one of linear",
    ),
    "activation a list": (spoiled("units", 3, "activation", to=[]), "units[3]: unknown activation"),
    "unknown type": (spoiled("units", 3, "type", to="max"), "units[3]: unknown type 'max'"),
    "input with bias": (spoiled("units", 1, "bias", to=HALF), "units[1] is an input"),
    "bias a number": (spoiled("units", 3, "bias", to=1), "units[3].bias is 1"),
    "bias 0": (spoiled("units", 3, "bias", to=[0, 1]), "units[3].bias: a weight's numerator is 0"),
    "connection a list": (spoiled("connections", 1, to=[0, 4]), "connections[1] is [0, 4]"),
    "connection lacks weight": (
        spoiled("connections", 1, "weight", to=MISSING),
        'connections[1] lacks "weight"',
    ),
    "connection lacks kind": (
        spoiled("connections", 1, "kind", to=MISSING),
        'connections[1] lacks "kind"',
    ),
    "unknown kind": (
        spoiled("connections", 1, "kind", to="backward"),
        "connections[1]: unknown kind 'backward'",
    ),
    "from a missing unit": (
        spoiled("connections", 1, "from", to=7),
        "connections[1].from is 7, but the units are numbered 0 to 6",
    ),
    "to a missing unit": (spoiled("connections", 1, "to", to=99), "connections[1].to is 99"),
    "to a negative unit": (spoiled("connections", 1, "to", to=-1), "connections[1].to is -1"),
    "to unit true": (spoiled("connections", 1, "to", to=True), "connections[1].to is True"),
    "twice": (
        spoiled("connections", to=COUNTER.to_dict()["connections"] * 2),
        "the forward connection from 0 to 4 is there twice",
    ),
    "denominator 0": (spoiled_weight([1, 0]), "connections[2].weight: a weight's denominator is 0"),
    "denominator -2": (spoiled_weight([1, -2]), "a weight's denominator is -2"),
    "numerator 0": (spoiled_weight([0, 1]), "connections[2].weight: a weight's numerator is 0"),
    "nan": (spoiled_weight([float("nan"), 1]), "connections[2].weight is [nan, 1]"),
    "infinity": (spoiled_weight([1, float("inf")]), "connections[2].weight is [1, inf]"),
    "weight a nan": (spoiled_weight(float("nan")), "connections[2].weight is nan"),
    "weight a string": (spoiled_weight("1/2"), "connections[2].weight is '1/2'"),
    "weight of strings": (spoiled_weight(["1", "2"]), "connections[2].weight is ['1', '2']"),
    "weight a float": (spoiled_weight(0.5), "connections[2].weight is 0.5"),
    "weight of floats": (spoiled_weight([1.0, 2.0]), "connections[2].weight is [1.0, 2.0]"),
    "weight a boolean": (spoiled_weight([True, 1]), "connections[2].weight is [True, 1]"),
    "weight an integer": (spoiled_weight(1), "connections[2].weight is 1"),
    "weight null": (spoiled_weight(None), "connections[2].weight is None"),
    "weight of three": (spoiled_weight([1, 2, 3]), "connections[2].weight is [1, 2, 3]"),
    "beyond 2**53": (
        spoiled_weight([2**53 + 1, 1]),
        "connections[2].weight: the weight [9007199254740993, 1] is too large",
    ),
    "denominator beyond 2**53": (spoiled_weight([1, 2**54]), "is too large"),
    "4000 digits": (spoiled_weight([10**4000, 1]), "an integer of 13288 bits"),
    "5000 digits": (
        spoiled_weight([1, 7777]).replace("7777", "7" * 5000),
        "an integer is too long",
    ),
    "alphabet text": (spoiled("alphabet", to="#ab"), "\"alphabet\" is '#ab'; it must be a list"),
    "alphabet too short": (spoiled("alphabet", to=["#", "a"]), "the alphabet has 2 symbols"),
    "alphabet too long": (spoiled("alphabet", to=[*"#abc"]), "the alphabet has 4 symbols"),
    "alphabet names a symbol twice": (spoiled("alphabet", to=[*"#aa"]), "names a symbol twice"),
    "alphabet without boundary": (spoiled("alphabet", to=[*"abc"]), "lacks the boundary symbol #"),
    "alphabet with a number": (spoiled("alphabet", to=["#", "a", 1]), "not a symbol"),
    "alphabet with a list": (spoiled("alphabet", to=["#", "a", []]), "not a symbol"),
    "alphabet with nothing": (spoiled("alphabet", to=["#", "a", ""]), "not a symbol"),
    "name a number": (spoiled("name", to=3), '"name" is 3; it must be text'),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / "bad.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        Network.load(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert message in text
    assert is_one_sentence(text)
    assert len(text) < 300 + len(str(path))
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("depth", range(700, 1000, 7))
def test_any_depth_is_refused_in_one_sentence(tmp_path: Path, depth: int) -> None:
    """There is a depth that the JSON reader still reads, and repr no longer writes."""
    path = tmp_path / "deep.json"
    path.write_text(spoiled_weight("here").replace('"here"', "[" * depth + "]" * depth))
    with pytest.raises(InputError) as caught:
        Network.load(path)
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing.json", "no such file or directory"), ("", "is a directory")],
)
def test_paths_that_cannot_be_read_are_refused(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / name
    with pytest.raises(InputError) as caught:
        Network.load(path)
    assert str(caught.value) == f"{path}: cannot be read ({message}); check the path."


@given(st.data())
def test_damaged_files_are_a_network_or_an_error(
    tmp_path_factory: Any, data: st.DataObject
) -> None:
    content = bytearray(COUNTER.to_json().encode())
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(start + 9, len(content))))
    content[start:stop] = data.draw(st.binary(max_size=4) | st.sampled_from([b"9", b"[", b"-"]))
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(content)
    try:
        again = Network.load(path)
    except InputError as error:
        said = str(error)
        assert is_one_sentence(said)
    else:
        assert Network.from_dict(json.loads(again.to_json())) == again


# What a caller may get wrong.


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Weight(0), "numerator is 0"),
        (lambda: Weight(1, 0), "denominator is 0"),
        (lambda: Weight(1, -(10**5000)), "denominator is an integer of 16610 bits"),
        (lambda: Weight(10**5000), "too large"),
        (lambda: Weight(True), "the numerator True is not an integer"),
        (lambda: Weight(0.5), "the numerator 0.5 is not an integer"),
        (lambda: Weight("1"), "the numerator '1' is not an integer"),
        (lambda: Weight(float("nan")), "the numerator nan is not an integer"),
        (lambda: Unit("rellu"), "unknown activation 'rellu'"),
        (lambda: Unit(bias=1), "the bias 1 is not a Weight"),
        (lambda: Connection(0, 1, "forward", 1), "the weight 1 is not a Weight"),
        (lambda: Connection(0, 1.0, "forward", Weight(1)), "the target 1.0 is not a unit's number"),
        (lambda: Connection(0, 1, "sideways", Weight(1)), "unknown kind 'sideways'"),
        (lambda: replace(COUNTER, units=[{}] * 7), "units holds something that is not a Unit"),
        (lambda: replace(COUNTER, connections=[(0, 1)]), "not a Connection"),
        (lambda: replace(COUNTER, inputs=99), "fewer than the 99 inputs"),
        (lambda: replace(COUNTER, units=COUNTER.units[:6]), 'has "to": 6'),
        (lambda: Network.from_dict(COUNTER.to_json()), "not a network but '{"),
        (
            lambda: replace(
                COUNTER,
                units=[Unit(), Unit()],
                inputs=1,
                outputs=1,
                alphabet=None,
                connections=[Connection(0, -1, "forward", Weight(1))],
            ),
            'has "to": -1',
        ),
    ],
)
def test_bad_values_are_refused_in_one_sentence(make: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))


def test_the_largest_weights_are_allowed() -> None:
    assert float(Weight(-LARGEST_INTEGER, LARGEST_INTEGER)) == -1


def test_an_alphabet_of_the_boundary_alone_is_refused() -> None:
    with pytest.raises(InputError, match="the alphabet has a single symbol"):
        Network(1, 1, (Unit(), Unit()), alphabet=("#",))
