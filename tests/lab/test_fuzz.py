"""benchmarks/fuzz and benchmarks/mutants, in small: hundreds of cases, and kills, find nothing."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from benchmarks import mutants
from benchmarks.fuzz._kills import bad_log
from benchmarks.fuzz._worker import wrong_with

from helpers.data import ROOT


def run(module: str, *arguments: object) -> str:
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows(printed: str) -> dict[str, list[str]]:
    return {words[0]: words[1:] for line in printed.splitlines() if (words := line.split())}


HOSTILE = ("networks", "corpora", "arrays", "grammars", "certificates", "folders", "bits")


@pytest.mark.slow
@pytest.mark.parametrize("cases", [2, 150])
def test_hostile_files_end_in_a_sentence(cases: int, tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    hostile = [word for name in HOSTILE for word in ("--campaign", name)]
    table = rows(run("fuzz", *hostile, "--cases", cases, "--seed", 1, "--out", tmp_path))
    assert table["all"] == [f"{len(HOSTILE) * cases:,}", "0"]


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_killed_runs_go_on_to_the_same_network(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    table = rows(run("fuzz", "--campaign", "kills", "--kills", 3, "--out", tmp_path))
    assert table["kills"][:2] == ["3", "0"]


def test_nothing_false_is_said_of_mutants(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    given = ("--networks", 3, "--searches", 0, "--time", 60, "--out", tmp_path)
    with redirect_stdout(io.StringIO()) as said, pytest.raises(SystemExit) as ended:
        mutants.main(list(map(str, given)))
    assert ended.value.code == 0
    printed = said.getvalue()
    assert printed.splitlines()[-1] == "false: 0"
    assert int(rows(printed)["proved"][0]) > 0


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["score"], 1, "", "mdlrnn: no; do.\n"),
        (["score"], 2, "some", "mdlrnn: no; do.\n"),
        (["score"], 2, "", "no; do.\n"),
        (["score"], 2, "", "mdlrnn: no; do"),
        (["score"], 2, "", "mdlrnn: one.\nTwo.\n"),
        (["score"], 2, "", "mdlrnn: \x1b[31m; do.\n"),
        (["score"], 2, "", f"mdlrnn: {'x' * 5000}; do.\n"),
        (["score"], 0, "\x9b31m\n", ""),
        (["score"], 0, "fine\n", "RuntimeWarning: overflow\n"),
    ],
)
def test_what_would_be_a_failure_is_seen(
    arguments: list[str], code: int, out: str, err: str
) -> None:
    assert wrong_with(arguments, code, out, err) is not None
    assert wrong_with(arguments, 2, "", "mdlrnn: no; do.\n") is None


@pytest.mark.parametrize(
    "lines",
    [
        ['{"event": "start", "generation": 0}', '{"eve'],
        ['{"event": "progress", "generation": 0}', '{"event": "end", "generation": 1}'],
        ['{"event": "start", "generation": 0}', '{"event": "progress", "generation": 3}'],
        [
            '{"event": "start", "generation": 0}', '{"event": "progress", "generation": 3}',
            '{"event": "progress", "generation": 3}', '{"event": "end", "generation": 3}',
        ],
    ],
)  # fmt: skip
def test_a_log_that_is_not_well_formed_is_seen(tmp_path: Path, lines: list[str]) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines))
    assert bad_log(log) is not None
    log.write_text('{"event": "start", "generation": 0}\n{"event": "end", "generation": 3}\n')
    assert bad_log(log) is None
