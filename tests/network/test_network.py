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

from helpers.bad_files import BAD_FILES, spoiled_weight
from helpers.data import VECTOR_NAMES, is_one_sentence, vectors
from helpers.networks import COUNTER
from helpers.strategies import networks
from mdlrnn import Connection, InputError, Network, Unit, Weight
from mdlrnn.network._units import LARGEST_INTEGER

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
    again = replace(network, connections=tuple(shuffled))
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
    parts: list[Any] = [iter(COUNTER.units), iter(COUNTER.connections), "#ab"]
    assert Network(3, 3, *parts) == COUNTER


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


# What a caller may get wrong, types included.

weight: Any = Weight
unit: Any = Unit
connection: Any = Connection
changed: Any = replace
from_dict: Any = Network.from_dict


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Weight(0), "numerator is 0"),
        (lambda: Weight(1, 0), "denominator is 0"),
        (lambda: Weight(1, -(10**5000)), "denominator is an integer of 16610 bits"),
        (lambda: Weight(10**5000), "too large"),
        (lambda: Weight(True), "the numerator True is not an integer"),
        (lambda: weight(0.5), "the numerator 0.5 is not an integer"),
        (lambda: weight("1"), "the numerator '1' is not an integer"),
        (lambda: weight(float("nan")), "the numerator nan is not an integer"),
        (lambda: Unit("rellu"), "unknown activation 'rellu'"),
        (lambda: unit(bias=1), "the bias 1 is not a Weight"),
        (lambda: connection(0, 1, "forward", 1), "the weight 1 is not a Weight"),
        (lambda: connection(0, 1.0, "forward", Weight(1)), "the target 1.0 is not a unit's number"),
        (lambda: Connection(0, 1, "sideways", Weight(1)), "unknown kind 'sideways'"),
        (lambda: changed(COUNTER, units=[{}] * 7), "units holds something that is not a Unit"),
        (lambda: changed(COUNTER, connections=[(0, 1)]), "not a Connection"),
        (lambda: replace(COUNTER, inputs=99), "fewer than the 99 inputs"),
        (lambda: replace(COUNTER, units=COUNTER.units[:6]), 'has "to": 6'),
        (lambda: from_dict(COUNTER.to_json()), "not a network but '{"),
        (
            lambda: changed(
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
