"""`mdlrnn evolve` and `mdlrnn runs`, from the outside: what is printed, and what survives what."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from helpers.data import is_one_sentence
from mdlrnn import Corpus, Encoding, InputError, Network, Search, Stop, evolve, score
from mdlrnn.cli import cli
from mdlrnn.interface._text import count_text, parse_time, time_text
from mdlrnn.runs._settings import read_settings
from mdlrnn.search._settings import UNLIMITED

STRINGS = "6\tab\n4\taabb\n2\taaabbb\n1\taaaabbbb\n"
SMALL = [
    "--set",
    "islands=3",
    "--set",
    "population=30",
    "--set",
    "migration_interval=20",
    "--seed",
    "7",
]
SEARCH = Search(islands=3, population=30, migration_interval=20)
OFTEN = (
    "import sys, mdlrnn.runs._recorder as runs; runs.LEAST_SECONDS = 0.0; "
    "from mdlrnn.cli import main; main()"
)
"""A command line that saves at every migration."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anbn.txt").write_text(STRINGS)
    return tmp_path


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    (folder / "anbn.txt").write_text(STRINGS)
    path, out = str(folder / "anbn.txt"), str(folder / "run")
    mdlrnn("evolve", path, *SMALL, "--generations", "1", "--out", out, "--quiet")
    return folder / "run"


def digest(generations: int, **changes: Any) -> str:
    corpus = Corpus.from_strings(["ab", "aabb", "aaabbb", "aaaabbbb"], [6, 4, 2, 1])
    search = replace(SEARCH, **changes)
    run = evolve(corpus, search, stop=Stop(generations=generations), seed=7, progress=False)
    return run.archipelago.digest()


def mdlrnn(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def refusal(*arguments: str) -> str:
    result = mdlrnn(*arguments)
    assert isinstance(result.exception, InputError), result.output
    text = str(result.exception)
    assert is_one_sentence(text), text
    return text


def start(*arguments: str, script: str = OFTEN) -> subprocess.Popen[str]:
    # Tests that run in the background may have SIGINT ignored.
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(path: Path) -> None:
    until = time.monotonic() + 600
    while not list(path.parent.glob(path.name)):
        assert time.monotonic() < until, f"{path} did not come"
        time.sleep(0.01)


def test_a_run_tells_what_it_found_and_what_to_do_next(here: Path) -> None:
    result = mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "200", "--out", "run")
    assert result.exit_code == 0, result.output
    out = result.stdout
    assert "P(b)" in out
    assert "|G| + |D:G|" in out
    assert "Generation 200, after 18,000 steps" in out
    for command in ("feed run ", "score run anbn.txt", "evolve --resume run"):
        assert f"mdlrnn {command}" in out
    assert "generation 0:" in result.stderr
    assert max(map(len, out.splitlines())) <= 80


def test_what_is_offered_next_works(here: Path) -> None:
    out = mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "60", "--quiet").stdout
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  mdlrnn ")]
    assert [words[0] for words in commands] == ["feed", "score", "learned", "report", "evolve"]
    for words in commands:
        if words[0] == "learned":
            continue  # which need not come to a theorem after so few generations
        result = mdlrnn(*words)
        assert result.exit_code == 0, result.output
    assert "Generation 120" in result.stdout


def test_a_run_on_strings_ends_with_what_was_learned(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it is saved; the answer is kept, and the report has it."""
    pytest.importorskip("z3")
    (here / "as.txt").write_text("3\ta\n2\taa\n1\taaa\n")
    out = mdlrnn("evolve", "as.txt", *SMALL, "--generations", "60", "--out", "r", "--quiet").stdout
    saved, learned = out.index("Saved in r."), out.index("It has learned ")
    assert saved < learned
    assert "All 6 strings of the corpus (3 distinct) belong to it." in out
    kept = json.loads((here / "r" / "learned.json").read_text())
    assert f"It has learned {kept['name']}: exactly these strings" in out
    assert mdlrnn("report", "r", "-o", "r.html").exit_code == 0
    assert f"<h2>It has learned {kept['name']}</h2>" in (here / "r.html").read_text()
    for broken in ("", "[]", json.dumps({**kept, "machine": 5}), json.dumps({**kept, "name": []})):
        (here / "r" / "learned.json").write_text(broken)
        assert mdlrnn("report", "r", "-o", "again.html").exit_code == 0
        assert (here / "again.html").read_text() == (here / "r.html").read_text()
    data = json.loads(mdlrnn("evolve", "--resume", "r", "--json", "--quiet").stdout)
    assert data["learned"]["proved"] is True


def test_a_time_lifts_the_limit_on_generations_that_nobody_gave(here: Path) -> None:
    limits = []
    for more in (["--time", "1s"], ["--time", "1s", "--generations", "7"], ["--generations", "7"]):
        result = mdlrnn("evolve", "anbn.txt", *SMALL, *more, "--json", "--quiet")
        folder = Path(json.loads(result.stdout)["folder"])
        limits.append(read_settings(folder).stop.last_generation)
    assert limits == [UNLIMITED, 7, 7]


def test_quiet_says_nothing_but_the_end(here: Path) -> None:
    result = mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "40", "--quiet")
    assert result.stderr == ""
    assert result.stdout.startswith("Ended")


def test_json_is_the_result(here: Path) -> None:
    result = mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "200", "--json")
    data = json.loads(result.stdout)
    assert data["digest"] == digest(200)
    assert data["reason"] == "generations"
    assert data["mdl"] == data["g"] + data["d_given_g"]
    assert data["expression"]["expression"] == "a^n b^n"
    assert data["value"] == data["expression"]["bits"] < data["mdl"]
    assert Network.from_dict(data["network"]) == Network.load(Path(data["folder"]) / "best.json")
    assert data["front"]
    assert "generation 0:" in result.stderr


def test_each_run_has_a_folder_of_its_own(here: Path) -> None:
    for _ in range(3):
        mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "1", "--quiet")
    names = sorted(path.name for path in (here / "runs").iterdir())
    assert names == ["anbn-7", "anbn-7-2", "anbn-7-3"]
    assert "already holds a run" in refusal("evolve", "anbn.txt", "--out", "runs/anbn-7")


def test_resuming_gives_the_run_that_was_never_stopped(here: Path) -> None:
    mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "100", "--out", "run", "--quiet")
    result = mdlrnn("evolve", "--resume", "run", "--generations", "200", "--json")
    assert json.loads(result.stdout)["digest"] == digest(200)
    # What is said again and has not changed is no matter.
    again = mdlrnn("evolve", "anbn.txt", *SMALL, "--objective", "mdl", "--resume", "run", "--json")
    assert json.loads(again.stdout)["digest"] == digest(200)


def test_limits_end_a_run_and_can_be_lifted(here: Path) -> None:
    result = mdlrnn("evolve", "anbn.txt", *SMALL, "--out", "run", "--patience", "40")
    assert "nothing better in 40 generations" in result.stdout
    result = mdlrnn("evolve", "--resume", "run", "--patience", "none", "--target", "1e6")
    assert "the target of 1,000,000 is reached" in result.stdout
    assert "--target none" in result.stdout
    result = mdlrnn("evolve", "--resume", "run", "--target", "none", "--time", "0.01s")
    assert "is up" in result.stdout


def test_other_settings_reach_the_search(here: Path) -> None:
    options = [
        "--objective", "d+l1", "--encoding", "tacl2022", "--activations", "linear,relu,mod2",
        "--products", "--search", "paper", "--set", "tournament=3", "--set", "migration_size=1",
        "--set", "migration_seconds=5s", "--set", "max_units=9", "--set", "max_connections=30",
        "--set", "distinct=no",
    ]  # fmt: skip
    result = mdlrnn("evolve", "anbn.txt", *SMALL, *options, "--generations", "20", "--out", "run")
    assert result.exit_code == 0, result.output
    settings = json.loads((here / "run" / "settings.json").read_text())
    assert settings["objective"] == {"g": 0.0, "d": 1.0, "l1": 1.0, "l2": 0.0}
    assert settings["encoding"] == {
        "encoding": "tacl2022", "activations": ["linear", "relu", "mod2"], "products": True,
    }  # fmt: skip
    expected = {
        "tournament": 3, "migration_size": 1, "migration_seconds": 5.0, "max_units": 9,
        "max_connections": 30, "islands": 3, "distinct": False,
    }  # fmt: skip
    assert {name: settings["search"][name] for name in expected} == expected
    assert "objective" in result.stdout
    # Its network costs what the run says, unless another encoding is asked for.
    best = json.loads((here / "run" / "best.json").read_text())["score"]["g"]
    for command, key in ((("score", "run", "anbn.txt"), "g"), (("bits", "run"), "length")):
        found = json.loads(mdlrnn(*command, "--json").stdout)
        assert (found[key], found["encoding"]) == (best, "tacl2022")
        assert found["activations"] == ["linear", "relu", "mod2"]
        paper = json.loads(mdlrnn(*command, "--encoding", "paper", "--json").stdout)
        assert paper["encoding"] == "paper"
    network = Network.load(here / "run" / "best.json")
    assert score("run", "anbn.txt").g == best
    assert score(network, "anbn.txt").g == score(network, "anbn.txt", Encoding.fitting(network)).g


def test_words_and_numeric_corpora(here: Path) -> None:
    import numpy as np

    (here / "words.txt").write_text("the cat\nthe dog\n")
    result = mdlrnn("evolve", "words.txt", "--words", *SMALL, "--generations", "20")
    assert "--words" in result.stdout
    assert "P(cat)" in result.stdout
    np.savez(here / "sum.npz", inputs=np.ones((2, 3, 2)), targets=np.ones((2, 3, 1)))
    result = mdlrnn("evolve", "sum.npz", *SMALL, "--generations", "20")
    assert "P(1) =" in result.stdout
    assert "mdlrnn feed runs/sum-7 '1,1 1,1'" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["none.txt"], "no such file"),
        (["dick1"], "did you mean dyck1?"),
        ([], "no source"),
        (["anbn.txt", "--time", "soon"], "10m"),
        (["anbn.txt", "--time", "-5"], "10m"),
        (["anbn.txt", "--time", "5x"], "10m"),
        (["anbn.txt", "--target", "low"], "number"),
        (["anbn.txt", "--patience", "1.5"], "number"),
        (["anbn.txt", "--set", "islands=0"], "islands"),
        ([""], "is empty"),
        (["anbn.txt", "--activations", "linear,relo"], "relo"),
        (["--resume", "none"], "no such folder"),
        (["--resume", "."], "holds no run"),
        (["--resume", "run", "--seed", "8"], "--seed"),
        (["--resume", "run", "--set", "migration_size=1"], "--set migration_size"),
        (["--resume", "run", "--objective", "d"], "--objective"),
        (["--resume", "run", "--encoding", "paper"], "--encoding"),
        (["--resume", "run", "--out", "run2"], "--out"),
        (["other.txt", "--resume", "run"], "corpus"),
    ],
)
def test_bad_requests_are_refused_in_one_sentence(
    here: Path, small_run: Path, arguments: list[str], part: str
) -> None:
    (here / "other.txt").write_text("ba\n")
    shutil.copytree(small_run, here / "run")
    before = sorted(here.rglob("*"))
    assert part in refusal("evolve", *arguments)
    assert sorted(here.rglob("*")) == before


def test_the_command_exits_with_the_right_code(here: Path) -> None:
    with start("evolve", "none.txt") as process:
        _, err = process.communicate()
    assert (process.returncode, err.count("\n")) == (2, 1)
    full = "import errno, os; import mdlrnn.files as files\n" + OFTEN.replace("; main()", "")
    full += (
        "\ndef fsync(handle):\n    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))"
        "\nfiles.os.fsync = fsync\nmain()"
    )
    with start("evolve", "anbn.txt", *SMALL, script=full) as process:
        _, err = process.communicate()
    assert process.returncode == 1
    assert "no space left" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_and_saves(here: Path, number: int) -> None:
    with start("evolve", "anbn.txt", *SMALL, "--generations", "100000", "--out", "run") as process:
        wait_for(here / "run" / "checkpoint-*")
        process.send_signal(number)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert "you stopped it" in out
    assert "mdlrnn evolve --resume run" in out
    assert "once more stops at once" in err
    stopped_at = json.loads(mdlrnn("runs", ".", "--json").stdout)[0]["generation"]
    end = stopped_at + 333
    result = mdlrnn("evolve", "--resume", "run", "--generations", str(end), "--json")
    assert json.loads(result.stdout)["digest"] == digest(end)


def test_a_second_signal_stops_at_once(here: Path) -> None:
    slow = (
        "import glob, pathlib, time, mdlrnn.search._crew as module; true = module.advance_island\n"
        "def advance_island(*a):\n"
        "    if glob.glob('run/checkpoint-*'):\n"
        "        pathlib.Path('asleep').touch(); time.sleep(100)\n"
        "    return true(*a)\n"
        "module.advance_island = advance_island\n"
    )
    arguments = ["evolve", "anbn.txt", *SMALL, "--generations", "100000", "--out", "run"]
    with start(*arguments, script=slow + OFTEN) as process:
        wait_for(here / "asleep")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert any("once more stops at once" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "what was saved last is whole" in err
    assert json.loads(mdlrnn("runs", ".", "--json").stdout)[0]["status"] == "interrupted"
    result = mdlrnn("evolve", "--resume", "run", "--generations", "500", "--json")
    assert json.loads(result.stdout)["digest"] == digest(500)


KILLED = """
import json, os, random, signal, sys, time
import mdlrnn.runs._recorder as runs
from mdlrnn import Search, Stop, evolve
from mdlrnn.cli import main
runs.LEAST_SECONDS = 0.0
evolve("anbn.txt", Search(islands=1), stop=Stop(generations=1), workers=1)  # loads the kernels
chance = random.Random(5)
new, again, kills = json.loads(sys.argv[1])
reached = []
newest = lambda: max([f for f in os.listdir("run") if f.startswith("checkpoint")], default="")
for attempt in range(kills + 1):
    os.makedirs("run", exist_ok=True)
    sys.argv[1:] = again if os.path.exists("run/settings.json") else new
    child = os.fork()
    if child == 0:
        if attempt < kills:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        main()
    if attempt < kills:
        before = newest()
        while attempt % 2 and newest() == before:  # every other time it gets further
            time.sleep(0.001)
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
        time.sleep(chance.uniform(0.0, 0.02 if attempt % 2 else 0.1))
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    reached.append(newest())
    if attempt == kills:
        print(len(set(reached)), file=sys.stderr)
        sys.exit(os.waitstatus_to_exitcode(status))
    assert os.waitstatus_to_exitcode(status) in (-signal.SIGKILL, 0), status
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("kills", "generations"), [(6, 3_000), pytest.param(20, 30_000, marks=pytest.mark.slow)]
)
def test_killed_many_times_it_still_is_the_same_run(
    here: Path, kills: int, generations: int
) -> None:
    limit = ["--generations", str(generations)]
    new = ["evolve", "anbn.txt", *SMALL, *limit, "--out", "run", "--json"]
    new[new.index("migration_interval=20")] = "migration_interval=200"
    again = ["evolve", "--resume", "run", "--json"]
    with start(json.dumps([new, again, kills]), script=KILLED) as process:
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert int(err.splitlines()[-1]) > 2, "the kills fell too early or too late to show anything"
    assert json.loads(out)["digest"] == digest(generations, migration_interval=200)


def test_a_screen_that_goes_away_does_not_end_the_run(here: Path) -> None:
    with start("evolve", "anbn.txt", *SMALL, "--generations", "3000", "--out", "run") as process:
        assert process.stderr is not None
        process.stderr.close()
        process.stderr = None
        out, _ = process.communicate(timeout=600)
    assert "Generation 3,000" in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_has_a_live_view(here: Path) -> None:
    import pty

    arguments = ["evolve", "anbn.txt", *SMALL, "--generations", "200000", "--time", "2s"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", OFTEN, *arguments],
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "80", "LINES": "30", "TERM": "xterm"},
    ):
        os.close(theirs)
        seen = b""
        try:
            while more := os.read(ours, 4096):
                seen += more
        except OSError:  # how Linux says that nobody writes there any more
            pass
        os.close(ours)
    text = seen.decode()
    for part in (
        "best", "islands", "one sign an island", "of 200,000", "a second", "at most", "hidden unit",
        "Ctrl-C",
    ):  # fmt: skip
        assert part in text
    assert text.index("islands") < text.index("Ended: the time of 2.0 s is up")
    assert "\x1b[?25h" in text, "the cursor is back"
    assert "Traceback" not in text


def test_runs_are_listed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no runs" in mdlrnn("runs").stdout
    assert json.loads(mdlrnn("runs", "--json").stdout) == []
    mdlrnn("evolve", "anbn.txt", *SMALL, "--generations", "40", "--quiet")
    mdlrnn("evolve", "anbn.txt", *SMALL, "--target", "1e5", "--quiet")
    bad = here / "runs" / "bad"
    bad.mkdir()
    (bad / "checkpoint-000000001.npz").touch()
    for columns in ("80", "160"):
        monkeypatch.setenv("COLUMNS", columns)
        result = mdlrnn("runs")
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= int(columns)
        for part in ("runs/anbn-7", "finished: generations", "finished: target", "broken"):
            assert part in result.stdout
    listed: list[dict[str, Any]] = json.loads(mdlrnn("runs", "runs/anbn-7", "--json").stdout)
    assert [(run["status"], run["reason"], run["generation"]) for run in listed] == [
        ("finished", "generations", 40)
    ]
    refusal("runs", "nowhere")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200), ("1h30m", 5400), ("1.5h", 5400),
     ("1d", 86400), ("1H 30M", 5400)],
)  # fmt: skip
def test_times_are_read(text: str, seconds: float) -> None:
    assert parse_time(text, "--time") == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "nan", "inf", "1e999", "m", "10x", "1h30", "ten"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_time(text, "--time")
    assert is_one_sentence(str(caught.value))


def test_times_and_counts_are_written_short() -> None:
    texts = [time_text(s) for s in (0.04, 9.94, 12.4, 60, 303, 3600, 7500, 100_000)]
    assert texts == ["0.0 s", "9.9 s", "12 s", "1 min", "5 min 3 s", "1 h", "2 h 5 min", "1 d 3 h"]
    counts = [count_text(n) for n in (0, 9_999, 12_345, 999_999, 1.5e6, 4.5e8, 2e9)]
    assert counts == ["0", "9,999", "12.3 k", "1,000 k", "1.5 M", "450 M", "2 G"]


def test_a_share_can_be_held_out_and_tested_on(here: Path) -> None:
    (here / "many.txt").write_text("50\tab\n50\taabb\n")
    result = mdlrnn(
        "evolve", "many.txt", *SMALL, "--generations", "2", "--out", "part", "--quiet",
        "--hold-out", "0.2",
    )  # fmt: skip
    assert result.exit_code == 0
    assert "mdlrnn test part part/held_out.txt" in result.stdout
    held = Corpus.load(here / "part" / "held_out.txt")
    assert 5 < held.sequences < 45
    tested = mdlrnn("test", "part", "part/held_out.txt")
    assert f"{held.sequences} strings" in tested.stdout
    assert "--hold-out" in refusal("evolve", "--resume", "part", "--hold-out", "0.2")


def test_a_task_comes_with_the_units_that_the_paper_allows_for_it(here: Path) -> None:
    small = ["--size", "50", "--set", "islands=1", "--set", "population=5", "--generations", "1"]
    told = mdlrnn("evolve", "dyck2", *small, "--out", "whole")
    assert told.output.startswith("dyck2, with mod3 and products: 1 island of 5")
    kept = json.loads((here / "whole" / "settings.json").read_text())["encoding"]
    assert kept["products"]
    assert kept["activations"] == [*Encoding.activations, "mod3"]
    mdlrnn("evolve", "dyck2", *small, "--activations", "linear,relu", "--out", "own")
    kept = json.loads((here / "own" / "settings.json").read_text())["encoding"]
    assert not kept["products"]
    assert kept["activations"] == ["linear", "relu"]


def test_a_corpus_whose_name_is_not_utf8_is_searched_and_gone_on_with(here: Path) -> None:
    name = os.fsdecode(b"strings-\xff.txt")
    try:
        (here / name).write_text(STRINGS)
    except OSError:
        pytest.skip("this system has no such names")
    run = ("--out", "odd", "--generations", "2", "--quiet")
    assert mdlrnn("evolve", name, *SMALL, *run).exit_code == 0
    assert read_settings(here / "odd").corpus["path"] == str(here / name)
    again = mdlrnn("evolve", "--resume", "odd", "--generations", "4", "--quiet")
    assert again.exit_code == 0


def test_held_out_strings_are_there_before_the_run_is(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is killed in its first moments goes on, and could not tell them any more."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mdlrnn.runs._recorder.append_event", killed)
    options = ("--hold-out", "0.5", "--out", "part", "--generations", "2", "--quiet")
    mdlrnn("evolve", "anbn.txt", *SMALL, *options)
    monkeypatch.undo()
    monkeypatch.chdir(here)
    held = (here / "part" / "held_out.txt").read_text()
    assert mdlrnn("evolve", "--resume", "part", "--quiet").exit_code == 0
    assert (here / "part" / "held_out.txt").read_text() == held
    assert "held_out.txt, which a run would write over" in refusal(
        "evolve", "anbn.txt", *SMALL, "--out", str(_with_file(here / "mine", "held_out.txt"))
    )


def _with_file(folder: Path, name: str) -> Path:
    folder.mkdir()
    (folder / name).write_text("mine")
    return folder


# What is offered next


def offered(*arguments: str) -> list[str]:
    result = mdlrnn("evolve", *arguments, *SMALL, "--out", "run", "--quiet")
    assert result.exit_code == 0, result.output
    return [line.strip() for line in result.stdout.splitlines() if line.startswith("  mdlrnn ")]


def test_no_proof_is_offered_for_a_grammar_without_a_machine(here: Path) -> None:
    (here / "left.pcfg").write_text("S -> S 'a' [0.4] | 'b' S S [0.1] | 'c' [0.5]\n")
    lines = offered("left.pcfg", "--generations", "2")
    assert "mdlrnn test run left.pcfg" in lines
    assert not [line for line in lines if line.startswith("mdlrnn prove")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\U0001f469\u200d\U0001f4bb\n\U0001f469\u200d\U0001f680\n", None),
        ("a\x00\nb\x00b\n", None),
        ("a" * 800 + "\n" + "b" * 900 + "\n", None),
        ("-a\n--a\n---a\n", None),
        ("a\x00b\nab\n" + "c" * 300 + "\n", "mdlrnn feed run ab"),
        ("'the' dog\n", "mdlrnn feed run \"'the' dog\""),
        ("the dog\n", "mdlrnn feed run 'the dog'"),
    ],
    ids=["joiners", "zeros", "long", "dashes", "others", "quotes", "blanks"],
)
def test_a_string_is_offered_that_can_be_typed(here: Path, text: str, line: str | None) -> None:
    (here / "own.txt").write_text(text)
    lines = offered("own.txt", "--generations", "1")
    assert [found for found in lines if " feed " in found] == ([] if line is None else [line])
    assert max(map(len, lines)) < 80
    if line is not None:
        assert mdlrnn(*shlex.split(line)[1:]).exit_code == 0


def test_a_run_that_has_more_than_was_asked_for_is_offered_more(here: Path) -> None:
    offered("anbn.txt", "--generations", "60")
    out = mdlrnn("evolve", "--resume", "run", "--generations", "10", "--quiet").stdout
    assert "mdlrnn evolve --resume run --generations 120" in out
