"""BLISS, on a small benchmark made like it: zipped, with its password and masks."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from helpers.commands import Result
from helpers.data import is_one_sentence
from mdlrnn import InputError, zoo
from mdlrnn.comparisons._bliss import Dataset, datasets, evaluate
from mdlrnn.languages import Language
from mdlrnn.tasks._tasks import TASKS

SMALL = 40
"""Test strings."""


def locked(name: str, data: bytes) -> bytes:
    """A zip file with one file under the password 1234, in the old cipher of zip."""
    keys = [0x12345678, 0x23456789, 0x34567890]
    table = [0] * 256
    for i in range(256):
        value = i
        for _ in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        table[i] = value

    def crc(value: int, byte: int) -> int:
        return (value >> 8) ^ table[(value ^ byte) & 0xFF]

    def stir(byte: int) -> None:
        keys[0] = crc(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = crc(keys[2], keys[1] >> 24)

    for byte in b"1234":
        stir(byte)
    check = zlib.crc32(data)
    packed = zlib.compressobj(wbits=-15)
    plain = bytes(11) + bytes([check >> 24]) + packed.compress(data) + packed.flush()
    cipher = bytearray()
    for byte in plain:
        mixed = (keys[2] | 2) & 0xFFFF
        cipher.append(byte ^ ((mixed * (mixed ^ 1) >> 8) & 0xFF))
        stir(byte)
    sizes = (check, len(cipher), len(data), len(name))
    head = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 1, 8, 0, 0, *sizes, 0) + name.encode()
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 1, 8, 0, 0, *sizes, 0, 0, 0, 0,
                        0, 0) + name.encode()  # fmt: skip
    body = head + bytes(cipher)
    return body + entry + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), len(body), 0)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bliss")
    for name, task in (("an_bn", "anbn"), ("dyck_1", "dyck1")):
        folder = home / "datasets" / name
        folder.mkdir(parents=True)
        language = TASKS[task].language
        assert isinstance(language, Language)
        brackets = str.maketrans("[]", "()")
        strings = [s.translate(brackets) for s in islice(language.strings(), SMALL)]
        drawn = [s.translate(brackets) for s in language.sample(60)]
        for file, lines in (("train_60_p_0_3_seed_100.txt", drawn), ("test.txt", strings)):
            text = "\n".join(f"#{line}#" for line in lines).encode()
            (folder / f"{file}.zip").write_bytes(locked(file, text))
        steps = max(map(len, strings)) + 1
        symbols = sorted(language.alphabet)
        valid = np.zeros((SMALL, steps, len(symbols)), dtype=bool)
        for i, string in enumerate(strings):
            own = string.translate(str.maketrans("()", "[]")) if name == "dyck_1" else string
            for t in range(len(own) + 1):
                allowed = language.next(own[:t]).allowed
                valid[i, t] = [symbol in allowed for symbol in symbols]
        if name == "dyck_1":
            np.savez_compressed(folder / "test_valid_next_symbols.npz", data=valid)
        else:
            sure = valid.sum(axis=2) == 1
            np.savez_compressed(folder / "test_deterministic_mask.npz", data=sure)
    return home


def of(benchmark: Path, name: str) -> Dataset:
    (found,) = datasets(benchmark, [name])
    return found


def test_a_right_network_gets_every_string_right(benchmark: Path) -> None:
    dataset = of(benchmark, "an_bn")
    assert dataset.sizes() == [60]
    assert dataset.training(60).sequences == 60
    assert evaluate(zoo.anbn(), dataset) == (SMALL, SMALL, SMALL, None)
    assert evaluate(zoo.anbn(), dataset, 7).strings == 7


def test_brackets_are_right_where_exactly_the_possible_ones_are_given(benchmark: Path) -> None:
    dyck1 = replace(zoo.dyck1(), alphabet=("#", "(", ")"))
    dataset = of(benchmark, "dyck_1")
    assert evaluate(dyck1, dataset).right == SMALL
    # It never opens a second pair, so that only strings of which nothing more is asked are right.
    wrong = replace(zoo.anbn(), alphabet=("#", "(", ")"))
    found = evaluate(wrong, dataset)
    assert found.right < SMALL
    assert found.run == 0
    assert found.first_wrong == ""


def test_the_run_ends_at_the_first_mistake(benchmark: Path) -> None:
    counts_two = evaluate(zoo.anb2n(), of(benchmark, "an_bn"))
    assert (counts_two.right, counts_two.run, counts_two.first_wrong) == (0, 0, "ab")


def test_a_table_from_the_command_line_is_kept(
    benchmark: Path, run: Callable[..., Result], tmp_path: Path
) -> None:
    words = ("bliss", str(benchmark), "--time", "1s", "--languages", "an_bn", "-o", "table.json")
    shown = run(*words)
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[0].split() == [
        "language", "strings", "|G|", "right", "run", "/", "size", "theorem",
    ]  # fmt: skip
    (row,) = json.loads((tmp_path / "table.json").read_text())
    assert (row["language"], row["size"], row["strings"]) == ("an_bn", 60, SMALL)
    again = run(*words)
    assert again.err == ""
    assert again.out == shown.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nowhere",), "no clone of BLISS"),
        (("{}", "--languages", "an"), "BLISS has no language 'an'"),
        (("{}", "--languages", "dyck_2"), "is missing"),
        (("{}", "--sizes", "7"), "no training set of 7 strings; it has 60"),
        (("{}", "--sizes", "many"), "--sizes has 'many'"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: tuple[str, ...], says: str, benchmark: Path, run: Callable[..., Result]
) -> None:
    refused = run("bliss", *(word.format(benchmark) for word in words))
    assert refused.code == 2
    assert says in refused.err


def test_broken_files_are_one_sentence(benchmark: Path, tmp_path: Path) -> None:
    folder = tmp_path / "an_bn"
    folder.mkdir()
    good = (benchmark / "datasets" / "an_bn" / "test.txt.zip").read_bytes()
    mask = (benchmark / "datasets" / "an_bn" / "test_deterministic_mask.npz").read_bytes()

    def said(test: bytes, mask: bytes) -> str:
        (folder / "test.txt.zip").write_bytes(test)
        (folder / "test_deterministic_mask.npz").write_bytes(mask)
        with pytest.raises(InputError) as error:
            evaluate(zoo.anbn(), Dataset(folder))
        assert is_one_sentence(str(error.value))
        return str(error.value)

    assert "cannot be read" in said(b"PK", mask)
    assert "cannot be read" in said(good[:60] + b"x" * 20 + good[80:], mask)
    assert "holds no array" in said(good, _zipped(b"nothing"))
    short, odd = BytesIO(), BytesIO()
    np.save(short, np.zeros((3, 2), dtype=bool))
    np.save(odd, np.zeros(3))
    assert "rows of 2 steps" in said(good, _zipped(short.getvalue()))
    assert "no rows of true and false" in said(good, _zipped(odd.getvalue()))


def _zipped(data: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data.npy", data)
    return file.getvalue()
