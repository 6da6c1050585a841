"""`mdlrnn lab rnns` as a user meets it: tables, going on, and what it says when it cannot."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from helpers.commands import Result, refused
from helpers.data import ROOT
from mdlrnn import InputError
from mdlrnn.languages import TASKS
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn_lab.rnns import _baseline as group_module
from mdlrnn_lab.rnns._baseline import KEYS, Stopped, TrainingProgress, load_progress, train
from mdlrnn_lab.rnns._configurations import HIDDEN, configurations, selected

SMALL = (
    "lab",
    "rnns",
    "anbn_100",
    "--configs",
    "elman-2-none,gru-4-l1",
    "--seeds",
    2,
    "--epochs",
    3,
)


@pytest.fixture(autouse=True)
def short_test_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "BEYOND", 30)


def test_a_baseline_prints_the_best_beside_the_published(run: Callable[..., Result]) -> None:
    code, out, err = run(*SMALL, "--out", "b")
    assert code == 0
    assert "8 models" in out
    assert "published best RNN: Elman, 2 hidden, test CE 0.5322, accuracy 99.8 %" in out
    assert all(len(line) <= 80 for line in (out + err).splitlines())
    assert "elman-2 x2 (1 of 2): epoch 3 of 3" in err
    rows = json.loads(Path("b/results.json").read_text())
    with Path("b/results.csv").open() as file:
        table = list(csv.DictReader(file))
    assert len(rows) == len(table) == 8
    for row, line in zip(rows, table, strict=True):
        assert list(row) == list(line)
        assert row["test_cross_entropy"] == float(line["test_cross_entropy"])
        assert row["epochs"] == 3
        assert 0 <= row["test_deterministic_accuracy"] <= 1
    assert len({tuple(row[key] for key in KEYS) for row in rows}) == 8


def test_json_has_the_rows_asked_for(run: Callable[..., Result]) -> None:
    run(*SMALL, "--out", "b", "--quiet")
    again = ("lab", "rnns", "anbn", "--size", 100, "--configs", "gru-4-l1-0.1", "--seeds", 1)
    code, out, err = run(*again, "--epochs", 3, "--out", "b", "--json", "--quiet")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [tuple(row[key] for key in KEYS) for row in found["rows"]] == [("gru", 4, "l1", 0.1, 1)]
    assert found["published"]["rnn_type"] == "Elman"


def test_what_is_done_is_kept_and_what_is_missing_is_trained(run: Callable[..., Result]) -> None:
    run(*SMALL, "--out", "b")
    before = json.loads(Path("b/results.json").read_text())
    code, _, err = run(*SMALL, "--out", "b")
    assert (code, err) == (0, "")  # nothing was trained
    more = list(SMALL)
    more[more.index("--seeds") + 1] = 3
    _, _, err = run(*more, "--out", "b")
    assert "elman-2 x1 (1 of 2)" in err
    after = json.loads(Path("b/results.json").read_text())
    assert len(after) == 12
    assert all(row in after for row in before)


def test_a_stopped_training_goes_on_to_the_same_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, chosen = TASKS["anbn"], selected(["lstm-2-none", "lstm-2-l2-0.1"])
    whole = train(tmp_path / "a", task, chosen, size=100, seeds=1, epochs=40)
    monkeypatch.setattr(group_module, "LOOK_EPOCHS", 7)
    for stop_at in (14, 28):

        def stopping(progress: TrainingProgress, at: int = stop_at) -> bool:
            return progress.epoch >= at

        with pytest.raises(Stopped):
            train(tmp_path / "b", task, chosen, size=100, seeds=1, epochs=40, on_progress=stopping)
        saved = load_progress(tmp_path / "b", "lstm-2")
        assert saved is not None
        assert int(saved[1]["epoch"]) == stop_at
    # More is asked for now; what was on its way is finished first, by itself.
    parted = train(tmp_path / "b", task, chosen, size=100, seeds=2, epochs=40)
    assert load_progress(tmp_path / "b", "lstm-2") is None
    for row in whole:
        twin = next(r for r in parted if all(r[key] == row[key] for key in KEYS))
        assert {**twin, "seconds": 0} == {**row, "seconds": 0}


def test_a_folder_of_other_training_is_refused(run: Callable[..., Result]) -> None:
    run(*SMALL, "--out", "b", "--quiet")
    other = list(SMALL)
    other[other.index("--epochs") + 1] = 4
    refused(run(*other, "--out", "b"), "whose epochs is 3, not 4")
    Path("c").mkdir()
    Path("c/notes.txt").write_text("mine")
    refused(run(*SMALL, "--out", "c"), "holds no baseline")
    assert Path("c/notes.txt").read_text() == "mine"
    assert not Path("c/settings.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("anbnn",), "no task"),
        (("anbn", "--configs", "gru-3"), "'gru-3' names no configuration"),
        (("anbn_100", "--size", 500), "leave one of them out"),
        (("addition", "--size", 101), "no training set of size 101"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Callable[..., Result], arguments: tuple[str, ...], message: str
) -> None:
    refused(run("lab", "rnns", *arguments, "--out", "b"), message)
    assert not Path("b").exists()


def test_damaged_files_are_named(run: Callable[..., Result]) -> None:
    run(*SMALL, "--out", "b", "--quiet")
    Path("b/elman-2.json").write_text("[{]")
    refused(run(*SMALL, "--out", "b"), "b/elman-2.json is not JSON")
    Path("b/elman-2.json").unlink()
    Path("b/elman-2.npz").write_bytes(b"PK")
    refused(run(*SMALL, "--out", "b"), "b/elman-2.npz is damaged")


def test_without_pytorch_the_extra_is_named(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> object:
        return None if name == "torch" else find_spec(name)

    monkeypatch.setattr("mdlrnn_lab.rnns._baseline.find_spec", absent)
    message = 'needs PyTorch, which is not installed; run pip install "mdlrnn[baseline]".'
    refused(run(*SMALL, "--out", "b"), message)
    refused(run("lab", "bench", "baseline"), message)


def test_no_cuda_device_is_said(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    refused(run(*SMALL, "--workers", "cuda", "--out", "b"), "sees no CUDA device")
    assert not Path("b").exists()


def test_selectors_take_the_first_parts_of_names() -> None:
    assert selected(["all"]) == configurations()
    assert len(selected(["gru"])) == 28
    assert [c.hidden for c in selected(["lstm-2", "lstm-32-none"])] == [2] * 7 + [32]
    assert [c.name for c in selected(["elman-128-l1-0.1"])] == ["elman-128-l1-0.1"]
    assert {c.hidden for c in configurations()} == set(HIDDEN)
    with pytest.raises(InputError, match="names no configuration"):
        selected(["gru-"])


def test_bench_compares_both_ways(run: Callable[..., Result]) -> None:
    code, out, _ = run(
        "lab", "bench", "baseline", "anbn_100", "--seeds", 1, "--epochs", 1, "--json"
    )
    assert code == 0
    found = json.loads(out)
    assert found["all"]["models"] == 84
    assert len(found["groups"]) == 12
    assert found["all"]["alone"] == pytest.approx(sum(g["alone"] for g in found["groups"]))
    assert all(group["ratio"] > 0 for group in found["groups"])


@pytest.mark.parametrize("name", ["table", "rnns", "bench"])
def test_help_needs_no_pytorch(name: str) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from click.testing import CliRunner; from mdlrnn.cli import cli\n"
        f"done = CliRunner().invoke(cli, ['lab', {name!r}, '--help'])\n"
        "print(done.exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_the_docs_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "lab" / "comparisons.md"
    (block,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.S | re.M)
    exec(compile(block, page.name, "exec"), {})
    assert (tmp_path / "some-rnns" / "results.csv").exists()
