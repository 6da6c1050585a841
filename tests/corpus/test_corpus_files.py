"""Corpus files: what is read from them, and what is said when they are wrong."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdlrnn.corpus._corpus import Corpus
from mdlrnn.errors import InputError

ONE = np.ones((2, 3, 1))


def refused(message: str) -> AbstractContextManager[pytest.ExceptionInfo[InputError]]:
    return pytest.raises(InputError, match=message)


@given(st.lists(st.text("abcd é", max_size=8), min_size=1))
def test_file_holds_one_string_a_line(
    tmp_path_factory: pytest.TempPathFactory, strings: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "strings.txt"
    path.write_text("".join(string + "\n" for string in strings), encoding="utf-8")
    assert Corpus.load(path) == Corpus.from_strings(strings)


@pytest.mark.parametrize(
    ("data", "strings"),
    [
        (b"ab\nb\n", ["ab", "b"]),
        (b"ab\nb", ["ab", "b"]),
        (b"ab\r\nb\r\n", ["ab", "b"]),
        (b"\xef\xbb\xbfab\nb\n", ["ab", "b"]),
        (b"\xef\xbb\xbf3\tab\n", ["ab"] * 3),
        (b"\n", [""]),
        (b"ab\n\n\nb\n\n", ["ab", "", "", "b", ""]),
        (b"2\tab\nab\n3\t\n007\tb\n", ["ab"] * 3 + [""] * 3 + ["b"] * 7),
        (b"2\ta\tb\n", ["a\tb"] * 2),
        ("é\u2028\n\x0c\x85\n".encode(), ["é\u2028", "\x0c\x85"]),
    ],
)
def test_lines_and_counts(tmp_path: Path, data: bytes, strings: list[str]) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(data)
    assert Corpus.load(path) == Corpus.load(str(path)) == Corpus.from_strings(strings)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_pipes_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as executor:
        executor.submit(path.write_bytes, b"ab\nb\n")
        assert Corpus.load(path) == Corpus.from_strings(["ab", "b"])


def test_words_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("2\tto be\n to   be\n\nC# or\n")
    sentences = [["to", "be"]] * 3 + [[], ["C#", "or"]]
    assert Corpus.load(path, words=True) == Corpus.from_strings(sentences)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty; write one string a line"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"ab\na#b\n", "line 2: '#' is in the string, .*; remove it"),
        (b"ab\n3\ta#\n", "line 2: '#'"),
        (b"ab\nx\tb\n", "line 2: 'x' before the TAB is not a count; write an integer"),
        (b"0\tab\n", "line 1: '0' before the TAB is not a count"),
        (b"ab\rb\rab\r", "line 1: a carriage return stands within the line; convert"),
        (b"ab\r\nab\r\r\n", "line 2: a carriage return"),
        (b"-3\tab\n", "line 1: '-3' before the TAB"),
        (b"1.5\tab\n", "line 1: '1.5' before the TAB"),
        (b" 3\tab\n", "line 1: ' 3' before the TAB"),
        (b"1_0\tab\n", "line 1: '1_0' before the TAB"),
        (b"\tab\n", "line 1: '' before the TAB"),
        ("٣\tab\n".encode(), "line 1: '٣' before the TAB"),
        (b"9" * 5000 + b"\tab\n", "line 1: the count 9+ is too large"),
        (b"999999999999999\t" + b"ab" * 10 + b"\n", "with their counts .* more than 2.*53; divide"),
        (b"ab\n\xffb\n", "byte 3 is not UTF-8; save the corpus as UTF-8"),
        (b"\xef\xbb\xbfab\na\xe9\n", "byte 7 is not UTF-8"),
        (b"\xed\xa0\x80\n", "byte 0 is not UTF-8"),
    ],
)
def test_wrong_text_is_refused_with_its_place(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(data)
    with refused(f"corpus.txt: {message}"):
        Corpus.load(path)


def test_a_carriage_return_is_no_blank_between_words(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"the cat\rthe dog\r")
    with pytest.raises(InputError, match="line 1: a carriage return"):
        Corpus.load(path, words=True)


@pytest.mark.parametrize("string", ["a\nb", "a\r", ("new york", "x"), ("a\u2028", "bc"), "\ud800"])
def test_strings_that_a_text_would_not_give_back_are_not_written(string: Any) -> None:
    with pytest.raises(InputError, match="would not read back from a text file"):
        Corpus.from_strings([string]).to_text()


def test_boundary_as_a_word_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("to be\nto # be\n")
    with refused(r"corpus.txt: line 2: '#' is in the string"):
        Corpus.load(path, words=True)


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.npz"])
def test_unreadable_paths_are_refused(tmp_path: Path, name: str) -> None:
    with refused(f"{name}: cannot be read .no such file.*; check the path"):
        Corpus.load(tmp_path / name)
    (tmp_path / name).mkdir()
    with refused(f"{name}: cannot be read .is a directory"):
        Corpus.load(tmp_path / name)


@pytest.mark.parametrize("name", ["corpus.npz", "CORPUS.NPZ"])
def test_npz_holds_sequences(tmp_path: Path, name: str) -> None:
    inputs, targets = np.arange(12).reshape(2, 3, 2), np.eye(3)[[[0, 1, 2], [2, 1, 0]]]
    with (tmp_path / name).open("wb") as file:
        np.savez_compressed(file, inputs=inputs, targets=targets)
    assert Corpus.load(tmp_path / name) == Corpus.from_sequences(inputs, targets)
    with (tmp_path / name).open("wb") as file:
        np.savez(file, inputs=inputs, targets=targets, lengths=[1, 2], more=1)
    assert Corpus.load(tmp_path / name) == Corpus.from_sequences(inputs, targets, [1, 2])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"targets": ONE}, "the array 'inputs' is missing; save it with"),
        ({"inputs": ONE}, "the array 'targets' is missing"),
        ({"inputs": ONE, "targets": ONE.astype(object)}, "an array holds Python objects"),
        ({"inputs": ONE, "targets": ONE, "lengths": [9, 9]}, r"lengths\[0\] is 9"),
        ({"inputs": ONE, "targets": 1}, "targets has 0 dimensions"),
        ({"inputs": ONE, "targets": ONE * 2}, r"targets\[0, 0, 0\] is 2.0"),
    ],
)
def test_wrong_npz_is_refused(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "corpus.npz", **arrays)
    with refused(f"corpus.npz: {message}"):
        Corpus.load(tmp_path / "corpus.npz")


@pytest.mark.parametrize("data", [b"", b"ab\n", b"PK\x03\x04", pickle.dumps([1])])
def test_other_files_named_npz_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "corpus.npz"
    path.write_bytes(data)
    with refused("corpus.npz: not an intact .npz file"):
        Corpus.load(path)


def test_single_array_named_npz_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "corpus.npz").open("wb") as file:
        np.save(file, ONE)
    with refused("corpus.npz: not an intact .npz file"):
        Corpus.load(tmp_path / "corpus.npz")


@given(st.data(), st.sampled_from([np.savez, np.savez_compressed]))
def test_damaged_npz_is_loaded_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, how: Callable[..., None]
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    buffer = io.BytesIO()
    how(buffer, inputs=ONE, targets=ONE, lengths=[1, 2])
    content = bytearray(buffer.getvalue())
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    with contextlib.suppress(InputError):
        Corpus.load(path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a file one may not read")
def test_forbidden_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("ab\n")
    path.chmod(0)
    with refused("cannot be read .permission denied"):
        Corpus.load(path)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
def test_however_much_is_read_at_a_time(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdlrnn.corpus._strings.BLOCK", block)
    path = tmp_path / "strings.txt"
    path.write_bytes(b"ab\n\n3\taabb\r\nab\n\n\xc3\xa4b")
    found = {"".join(string): count for string, count in Corpus.load(path).strings()}
    assert found == {"ab": 2, "": 2, "aabb": 3, "äb": 1}
    path.write_bytes(b"ab\nab\n\n0\tb\n")
    with pytest.raises(InputError, match="line 4"):
        Corpus.load(path)
    path.write_bytes(b"ab\nab\na\xff\n")
    with pytest.raises(InputError, match="byte 7 is not UTF-8"):
        Corpus.load(path)
