"""Files that a stranger may send: each is refused in one sentence, before it costs much.

What can be shown small is shown with lowered limits; the sizes themselves are in `_limits`.
"""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mdlrnn
from helpers.commands import Result, in_a_process
from helpers.data import is_one_sentence
from mdlrnn import Connection, Corpus, InputError, Network, Search, Stop, Unit, Weight, evolve, zoo
from mdlrnn.errors import LONGEST_SENTENCE
from mdlrnn.languages._grammar import load_grammar
from mdlrnn.runs._files import seal, unseal

ESCAPE = "\x1b[31m\x07‮"
"""Red, a bell, and writing from right to left."""


def said(call: Callable[[], object]) -> str:
    with pytest.raises(InputError) as error:
        call()
    text = str(error.value)
    assert is_one_sentence(text)
    assert text.isprintable()
    assert len(text) <= LONGEST_SENTENCE + 10
    return text


# Sizes


@pytest.mark.parametrize("command", [["score", "{}", "anbn"], ["explain", "{}"], ["feed", "{}"]])
def test_a_file_without_an_end_is_not_read_to_its_end(command: list[str]) -> None:
    arguments = [part.format("/dev/zero") for part in command]
    result = in_a_process(*arguments, *(["ab"] if command[0] == "feed" else []))
    assert result.code == 2
    assert "/dev/zero has more than" in result.err


def test_a_network_s_file_has_a_limit_that_can_be_lifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.json"
    path.write_text(zoo.anbn().to_json() + " " * 2000)
    monkeypatch.setattr("mdlrnn.network._network.read_text.__defaults__", (1000,))
    assert "has more than 1,000 bytes" in said(lambda: Network.load(path))
    with mdlrnn.no_limits():
        assert Network.load(path) == zoo.anbn()
    assert "has more than 1,000 bytes" in said(lambda: Network.load(path))


def test_connections_symbols_and_strings_have_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdlrnn.network._network.CONNECTIONS", 3)
    assert "more than 3 connections" in said(lambda: Network.from_dict(zoo.anbn().to_dict()))
    long = ("#", "a", "b" * 201)
    assert "more than 200 characters" in said(lambda: replace(zoo.anbn(), alphabet=long))
    path = tmp_path / "strings.txt"
    path.write_text("ab\n" * 10 + "a" * 100 + "\n")
    monkeypatch.setattr("mdlrnn.corpus._strings.LINE_BYTES", 50)
    assert "a line of" in said(lambda: Corpus.load(path))
    with mdlrnn.no_limits():
        assert Corpus.load(path).sequences == 11


def bomb(claimed: tuple[int, ...], content: int) -> bytes:
    """An `.npz` of zeros, whose header claims a shape."""
    array = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": claimed}
    np.lib.format.write_array_header_1_0(array, header)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("inputs", "targets"):
            archive.writestr(f"{name}.npy", array.getvalue() + bytes(content))
    return packed.getvalue()


@pytest.mark.parametrize("shape", [(10**12, 1, 1), (300_000_000,), (2**62, 2**62)])
def test_an_array_is_refused_before_it_is_unpacked(shape: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    path.write_bytes(bomb(shape, 100))
    assert "bytes of arrays, unpacked" in said(lambda: Corpus.load(path))


def test_a_packed_file_is_refused_by_what_it_unpacks_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdlrnn.corpus._strings.ARRAY_BYTES", 100_000)
    path = tmp_path / "bomb.npz"
    path.write_bytes(bomb((1, 1, 1), 200_000))
    assert "more than 100,000 bytes of arrays" in said(lambda: Corpus.load(path))
    assert path.stat().st_size < 2000


def test_numbers_of_one_byte_are_counted_as_what_they_become(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdlrnn.corpus._strings.NUMBERS", 1000)
    path = tmp_path / "bits.npz"
    np.savez_compressed(path, inputs=np.zeros((20, 20, 2), "i1"), targets=np.zeros((20, 20), "i1"))
    assert "more than 1,000 numbers" in said(lambda: Corpus.load(path))


def test_long_chains_and_rings_of_rules_are_answered_at_once(tmp_path: Path) -> None:
    chain = "\n".join(f"A{i} -> A{i + 1} [1.0]" for i in range(20_000))
    path = tmp_path / "chain.pcfg"
    path.write_text(chain + "\nA20000 -> 'a' [1.0]\n")
    assert "more than 2,000 rules" in said(lambda: load_grammar(path))
    ring = "\n".join(f"A{i} -> A{(i + 1) % 200} A{i} [0.4] | 'a' [0.6]" for i in range(200))
    path.write_text(ring)
    assert "nonterminals that recur" in said(lambda: load_grammar(path))
    path.write_text(
        "\n".join(f"A{i} -> A{i + 1} [1.0]" for i in range(1500)) + "\nA1500 -> 'a' [1.0]"
    )
    assert load_grammar(path).alphabet == ("#", "a")


def test_a_search_has_a_limit_on_its_networks() -> None:
    assert "more than 4,000,000 networks" in said(lambda: Search(population=10**18))


def test_a_search_has_a_limit_on_what_it_works_out_for_a_network(tmp_path: Path) -> None:
    chance = random.Random(1)
    path = tmp_path / "many.txt"
    path.write_text("".join(f"{chance.getrandbits(60):060b}\n" for _ in range(20_000)))
    message = said(lambda: evolve(path, stop=Stop(generations=1), progress=False))
    assert "more than 5,000,000 distinct prefixes times inputs and outputs" in message
    assert "--no-limits" in message


def test_a_network_is_not_fed_more_than_memory_and_time_allow() -> None:
    size = 600
    units = (Unit(),) * 4 + (Unit(bias=Weight(1)),) * size
    large = Network(2, 2, units, (), ("#", "a"))
    message = said(lambda: mdlrnn.score(large, ["a" * 200_000]))
    assert "more than 60,000,000 units times distinct prefixes" in message
    one = Weight(1)
    rows = (Connection(s, t, "recurrent", one) for s in range(4, 104) for t in range(4, 104))
    dense = Network(2, 2, units[:104], tuple(rows), ("#", "a"))
    message = said(lambda: mdlrnn.test(dense, ["a" * 150_000]))
    assert "more than 1,000,000,000 connections times distinct prefixes" in message


# Quotes


def test_samples_with_control_characters_go_to_a_file_only(
    tmp_path: Path, run: Callable[..., Result]
) -> None:
    (tmp_path / "odd.pcfg").write_text("S -> 'a' S [0.5] | 'b\x03' [0.5]\n")
    refused = run("sample", "odd.pcfg", "-n", "5")
    assert refused.code == 2
    assert is_one_sentence(refused.err.strip())
    assert "\x03" not in refused.out + refused.err
    assert run("sample", "odd.pcfg", "-n", "5", "-o", "strings.txt").code == 0
    assert "\x03" in (tmp_path / "strings.txt").read_text()


def test_no_sentence_carries_what_a_terminal_obeys(tmp_path: Path) -> None:
    data = zoo.anbn().to_dict()
    said(lambda: Network.from_dict(data | {"alphabet": ["#", "a", ESCAPE * 100_000]}))
    said(lambda: Network.from_dict(data | {"units": [{"activation": ESCAPE}] * 7}))
    said(lambda: Network.from_dict(data | {"units": [{f"x{ESCAPE}": 1}] * 7}))
    said(lambda: mdlrnn.feed(zoo.anbn(), ESCAPE))
    path = tmp_path / f"{ESCAPE}.json"
    path.write_text("{")
    said(lambda: Network.load(path))
    grammar = tmp_path / "g.pcfg"
    grammar.write_text(f"S -> '{ESCAPE} x' [1.0]")
    said(lambda: load_grammar(grammar))
    grammar.write_text(f"S -> {'x' * 1_000_000} [1.0]")
    said(lambda: load_grammar(grammar))
    said(lambda: mdlrnn.decode("01" + ESCAPE, mdlrnn.Encoding(), inputs=3, outputs=3))


@pytest.mark.parametrize("command", ["feed", "explain", "test", "score", "bits"])
def test_nothing_printed_carries_what_a_terminal_obeys(
    command: str, run: Callable[..., Result], tmp_path: Path
) -> None:
    odd = "\x1b"
    replace(zoo.anbn(), alphabet=("#", odd, "‮"), name="\x07").save(tmp_path / "odd.json")
    (tmp_path / "odd.txt").write_text(f"{odd}‮\n{odd}{odd}‮‮\n")
    more = {"feed": [f"{odd}‮"], "test": ["odd.txt"], "score": ["odd.txt"]}.get(command, [])
    result = run(command, "odd.json", *more)
    assert result.code == 0
    assert result.out.replace("\n", "").isprintable()
    assert "\\x1b" in result.out or command in ("score", "bits")
    if command != "explain":
        as_json = run(command, "odd.json", *more, "--json")
        if as_json.code == 0:
            assert as_json.out.replace("\n", "").isprintable()
            json.loads(as_json.out)


# Folders of runs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    search = Search(islands=2, population=10)
    evolve(["ab", "aabb"], search, stop=Stop(generations=3), out=tmp_path / "run", prove=False)
    return tmp_path / "run"


def test_a_folder_in_place_of_the_corpus(folder: Path, run: Callable[..., Result]) -> None:
    (folder / "corpus.npz").unlink()
    (folder / "corpus.npz").mkdir()
    for command in (["report", str(folder)], ["evolve", "--resume", str(folder)]):
        result = run(*command)
        assert result.code == 2
        assert is_one_sentence(result.err.removeprefix("mdlrnn: ").strip())


@pytest.mark.parametrize("value", [7, ["x"], {"a": 1}, None, True])
def test_a_path_that_is_none(folder: Path, run: Callable[..., Result], value: object) -> None:
    path = folder / "settings.json"
    settings = json.loads(path.read_text())
    settings["corpus"]["path"] = value
    path.write_text(json.dumps(settings))
    result = run("evolve", "--resume", str(folder), "--generations", "4")
    assert result.code in (0, 2)
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("name", "value"),
    [("generation", 10**400), ("generation", 2**63), ("best", 10**400),
     ("seconds", "x"), ("generation", 1.5)],
)  # fmt: skip
def test_a_resealed_checkpoint_with_impossible_numbers(
    folder: Path, run: Callable[..., Result], name: str, value: object
) -> None:
    for path in folder.glob("checkpoint-*.npz"):
        arrays = unseal(path.read_bytes())
        about = json.loads(str(arrays["about"]))
        about[name] = value
        path.write_bytes(seal({**arrays, "about": np.array(json.dumps(about))}))
    result = run("evolve", "--resume", str(folder), "--generations", "9")
    assert result.code == 2
    assert re.search(rf"{name} is", result.err)
    assert is_one_sentence(result.err.removeprefix("mdlrnn: ").strip())


# The machine


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_to_a_full_device_is_answered_in_a_sentence() -> None:
    import subprocess
    import sys

    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "mdlrnn", "language"], stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "the output cannot be written" in result.stderr
