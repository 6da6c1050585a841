"""BLISS, on a small benchmark made like it: zipped, with its password and masks."""

from __future__ import annotations

import json
import shutil
import signal
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from helpers.commands import Result, refused
from helpers.data import is_one_sentence
from mdlrnn import InputError, Network, score, zoo
from mdlrnn.corpus._corpus import Corpus
from mdlrnn.languages import TASKS
from mdlrnn.machines._machine import Machine
from mdlrnn_lab import bliss
from mdlrnn_lab.tables import _bliss as bliss_module
from mdlrnn_lab.tables._bliss import (
    Dataset,
    Row,
    bliss_notes,
    bliss_table,
    datasets,
    evaluate,
    ratio_text,
)

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
        language = TASKS[task].rules
        assert isinstance(language, Machine)
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
    words = (
        "lab",
        "bliss",
        str(benchmark),
        "--time",
        "1s",
        "--languages",
        "an_bn",
        "-o",
        "table.json",
    )
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
        (("{}", "--languages", "an"), "unknown language of BLISS 'an'; did you mean an_bn?"),
        (("{}", "--languages", "dyck1"), "did you mean dyck_1?"),
        (("{}", "-o", "nowhere/table.json"), "nowhere/table.json: cannot be written"),
        (("{}", "-o", "."), "cannot be read (is a directory)"),
        (("{}", "--workers", "100000"), "workers is 100000"),
        (("{}", "--strings", "99999999999999999999999"), "--strings"),
        (("{}", "--languages", "dyck_2"), "name the folder that dyck_2 is in"),
        (("{}", "--sizes", "7"), "no training set of 7 strings; it has 60"),
        (("{}", "--sizes", "many"), "--sizes has 'many'"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: tuple[str, ...], says: str, benchmark: Path, run: Callable[..., Result]
) -> None:
    assert refused(run("lab", "bliss", *(word.format(benchmark) for word in words)), says)


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


class Searches:
    """In place of searches: the right network at once, or what is to happen at one of them."""

    def __init__(self) -> None:
        self.done = 0
        self.at: dict[int, Callable[[], object]] = {}

    def __call__(self, corpus: Corpus, *_: Any, on_progress: Any, **__: Any) -> SimpleNamespace:
        self.done += 1
        self.at.get(self.done, lambda: None)()
        assert corpus.alphabet is not None
        right = zoo.anbn() if "a" in corpus.alphabet else zoo.dyck1()
        return SimpleNamespace(
            best=replace(right, alphabet=tuple(sorted(corpus.alphabet))),
            score=SimpleNamespace(g=100, d_given_g=200.0),
            statistics=SimpleNamespace(seconds=1.0),
            reason="stopped" if on_progress(None) else "time",
        )


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Searches:
    found = Searches()
    monkeypatch.setattr(bliss_module, "evolve", found)
    monkeypatch.setattr(bliss_module, "available", lambda package: False)
    return found


def in_file(path: str) -> list[tuple[str, int]]:
    return [(row["language"], row["size"]) for row in json.loads(Path(path).read_text())]


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_keeps_the_rows_that_are_done(
    benchmark: Path, run: Callable[..., Result], searches: Searches
) -> None:
    searches.at = {2: interrupt}
    words = ("lab", "bliss", benchmark, "-o", "table.json")
    stopped = run(*words)
    assert stopped.code == 130
    assert "Stopped; what is done is in table.json, and the same command goes on." in stopped.err
    assert "a^n b^n" in stopped.out
    assert "Dyck" not in stopped.out
    assert in_file("table.json") == [("an_bn", 60)]
    assert run(*words).code == 0
    assert in_file("table.json") == [("an_bn", 60), ("dyck_1", 60)]
    assert searches.done == 3
    searches.at = {4: interrupt}
    nothing = run("lab", "bliss", benchmark)
    assert (nothing.code, nothing.out) == (130, "")
    assert "with -o FILE what is done is kept" in nothing.err


def test_ctrl_c_stops_while_test_strings_are_fed(
    benchmark: Path,
    run: Callable[..., Result],
    searches: Searches,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fed(*arguments: Any) -> object:
        interrupt()
        return evaluate(*arguments)

    monkeypatch.setattr(bliss_module, "evaluate", fed)
    assert run("lab", "bliss", benchmark, "-o", "table.json").code == 130
    assert not Path("table.json").exists()


def test_ctrl_c_in_python_gives_back_the_rows_that_are_done(
    benchmark: Path, searches: Searches
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    searches.at = {2: stop}
    assert [row["language"] for row in bliss(benchmark)] == ["an_bn"]


def test_a_row_is_only_taken_from_the_file_if_it_was_made_in_the_same_way(
    benchmark: Path,
    run: Callable[..., Result],
    searches: Searches,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("lab", "bliss", benchmark, "--languages", "an_bn", "-o", "table.json")
    first = run(*words, "--time", "1s")
    for more, done in (
        (("--time", "1s"), 1),
        (("--time", "2s"), 2),
        (("--time", "2s", "--seed", 2), 3),
        (("--time", "2s", "--strings", 7), 4),
        (("--time", "1s"), 4),
    ):
        shown = run(*words, *more)
        assert shown.code == 0
        assert shown.out.count("a^n b^n") == 1
        assert searches.done == done
    assert shown.out == first.out
    assert len(in_file("table.json")) == 4
    monkeypatch.setattr(bliss_module, "__version__", "another")
    run(*words, "--time", "1s")
    assert searches.done == 5


def test_rows_of_older_versions_stay_and_are_made_again(
    benchmark: Path, run: Callable[..., Result], searches: Searches
) -> None:
    words = ("lab", "bliss", benchmark, "--languages", "an_bn", "-o", "table.json")
    run(*words)
    (row,) = json.loads(Path("table.json").read_text())
    for name in ("limits", "search", "training", "version", "outcome"):
        del row[name]
    Path("table.json").write_text(json.dumps([row]))
    assert run(*words).code == 0
    assert searches.done == 2
    assert len(in_file("table.json")) == 2
    assert run(*words).code == 0
    assert searches.done == 2


def test_what_is_asked_for_twice_is_done_once(
    benchmark: Path, run: Callable[..., Result], searches: Searches
) -> None:
    shown = run("lab", "bliss", benchmark, "--languages", "dyck_1,dyck_1", "--sizes", "60,60")
    assert searches.done == 1
    assert shown.out.count("Dyck-1") == 1


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("test_valid_next_symbols.npz", None, "test_valid_next_symbols.npz is missing"),
        ("test_valid_next_symbols.npz", np.zeros((SMALL, 99), dtype=bool), "has 2 axes, not 3"),
        (
            "test_valid_next_symbols.npz",
            np.zeros((SMALL, 99, 3), dtype=bool),
            "does not say what can follow in the empty string",
        ),
        ("test.txt.zip", b"##\n#())#", "holds ()), which is no string of Dyck-1"),
        ("test.txt.zip", b"#ab#\n#aabb#", "holds ab, which is no string of Dyck-1"),
        ("train_60_p_0_3_seed_100.txt.zip", b"#()#\n" * 59 + b"#)(#", "holds )(, which is no"),
        ("test_valid_next_symbols.npz", np.zeros((SMALL, 99, 5), dtype=bool), "is about 5 symbols"),
        ("test_valid_next_symbols.npz", np.zeros((0, 99, 3), dtype=bool), "fewer rows"),
        ("test_valid_next_symbols.npz", np.zeros((SMALL, 99)), "no rows of true and false"),
        ("test.txt.zip", b"", "holds no strings"),
        ("test.txt.zip", b"damaged", "cannot be read"),
        ("train_60_p_0_3_seed_100.txt.zip", b"#()#", "holds 1 string, but its name says 60"),
        ("train_60_p_0_3_seed_100.txt.zip", None, "has no training set"),
    ],
)
def test_files_are_looked_at_before_the_first_search(
    file: str,
    content: Any,
    says: str,
    benchmark: Path,
    run: Callable[..., Result],
    searches: Searches,
) -> None:
    shutil.copytree(benchmark, "clone")
    path = Path("clone/datasets/dyck_1") / file
    path.unlink()
    if isinstance(content, np.ndarray):
        np.savez_compressed(path, data=content)
    elif content is not None:
        path.write_bytes(content if content == b"damaged" else locked("strings.txt", content))
    assert refused(run("lab", "bliss", "clone", "-o", "table.json"), says)
    assert searches.done == 0
    assert not Path("table.json").exists()


def test_a_mask_of_what_is_sure_is_looked_at(
    benchmark: Path, run: Callable[..., Result], searches: Searches
) -> None:
    shutil.copytree(benchmark, "clone")
    path = Path("clone/datasets/an_bn/test_deterministic_mask.npz")
    np.savez_compressed(path, data=np.ones((SMALL, 99), dtype=bool))
    assert refused(run("lab", "bliss", "clone"), "does not say what can follow in ab;")
    np.savez_compressed(path, data=np.ones((SMALL, 99, 3), dtype=bool))
    assert refused(run("lab", "bliss", "clone"), "has 3 axes, not 2")
    assert searches.done == 0


def test_a_network_that_lacks_a_symbol_of_a_test_string_is_refused(benchmark: Path) -> None:
    with pytest.raises(InputError, match=r"holds ab, .* does not know") as error:
        evaluate(replace(zoo.dyck1(), alphabet=("#", "(", ")")), of(benchmark, "an_bn"))
    assert is_one_sentence(str(error.value))


def test_an_error_on_the_way_shows_the_rows_that_are_done(
    benchmark: Path, run: Callable[..., Result], searches: Searches
) -> None:
    def fail() -> None:
        raise InputError("it broke; mend it.")

    searches.at = {2: fail}
    failed = run("lab", "bliss", benchmark)
    assert failed.code == 2
    assert "a^n b^n" in failed.out
    assert failed.err.endswith("mdlrnn: it broke; mend it.\n")


def test_a_small_test_set_is_told(
    benchmark: Path, run: Callable[..., Result], searches: Searches
) -> None:
    words = ("lab", "bliss", benchmark, "--languages", "an_bn")
    said = "The test set of an_bn has 40 strings, fewer than the 15,000 asked for."
    assert said in run(*words).out
    assert "fewer" not in run(*words, "--strings", 40).out


def test_ratios_keep_their_digits() -> None:
    shown = {150: "150.0", 1.886: "1.886", 0.2: "0.200", 0.093: "0.093", 0.003: "0.003",
             1 / 3000: "0.000333", 5e-5: "0.00005", 0: "0.000", 1500: "1,500.0"}  # fmt: skip
    assert {value: ratio_text(value) for value in shown} == shown


def test_rows_are_told_apart() -> None:
    row = {
        "title": "a^n b^n", "size": 100, "seed": 1, "asked": 15_000, "g": 1, "right": 40, "run": 0,
        "strings": 40, "proved": False, "outcome": "refuted", "limits": {"seconds": 60.0},
    }  # fmt: skip
    assert bliss_table([row, row]).splitlines()[0].split()[1:3] == ["strings", "|G|"]
    other = row | {"seed": 2, "asked": 7, "limits": None, "outcome": "not right"}
    head, one, two = bliss_table([row, other]).splitlines()
    assert head.split()[1:6] == ["strings", "seed", "asked", "limit", "|G|"]
    assert one.endswith("no: wrong")
    assert two.endswith("no: no bound")
    for more, said in (
        ({"outcome": "not shown"}, "no: not shown"), ({"right": 39, "outcome": None}, "no: wrong"),
        ({"outcome": None}, "no"), ({"proved": None}, "-"), ({"proved": True}, "yes"),
        ({"proved": True, "only_exact": True}, "yes, if exact"),
    ):  # fmt: skip
        assert bliss_table([row | more]).endswith(f"  {said}")
    assert ("60 s" in one, "?" in two) == (True, True)


def test_a_proved_network_that_is_not_the_best_is_told(
    benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("z3")
    corpus = of(benchmark, "dyck_1").training(60)
    brackets = ("#", "(", ")")
    right, wrong = replace(zoo.dyck1(), alphabet=brackets), replace(zoo.anbn(), alphabet=brackets)
    scores = {network: score(network, corpus) for network in (right, wrong)}

    def found_with(best: Network) -> Row:
        run = SimpleNamespace(
            best=best, score=scores[best], front=tuple(scores.items()), reason="time",
            statistics=SimpleNamespace(seconds=1.0),
        )  # fmt: skip
        monkeypatch.setattr(bliss_module, "evolve", lambda *given, **more: run)
        (row,) = bliss(benchmark, ["dyck_1"], strings=SMALL)
        return row

    row = found_with(wrong)
    assert row["proved"] is False
    assert row["right"] < SMALL
    other = row["other"]
    assert Network.from_dict(other["network"]) == right
    assert other["g"] == scores[right].g
    (note,) = bliss_notes([row])
    assert note.startswith("Dyck-1 with 60 strings: another network of the front is proved, with")
    assert other["only_exact"] is False
    row["other"]["only_exact"] = True
    (note,) = bliss_notes([row])
    assert "is proved in exact numbers, though not as it runs, with |G|" in note
    row = found_with(right)
    assert (row["proved"], row["other"], bliss_notes([row])) == (True, None, [])


def _zipped(data: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data.npy", data)
    return file.getvalue()
