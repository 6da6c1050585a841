"""Run folders and checkpoints: nothing is lost, nothing damaged is taken for whole."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mdlrnn.runs._recorder as recorder
from helpers.data import is_one_sentence
from mdlrnn import (
    Corpus,
    Encoding,
    InputError,
    Network,
    Objective,
    Run,
    RunError,
    Search,
    Stop,
    evolve,
    resume,
)
from mdlrnn import score as score_network
from mdlrnn.results import Progress
from mdlrnn.runs._checkpoint import from_bytes, to_bytes
from mdlrnn.runs._files import (
    _comment,
    acquire,
    append_event,
    checkpoints,
    is_held,
    read_log,
    seal,
    unseal,
)
from mdlrnn.runs._settings import find_runs, new_settings, read_settings, status_of
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import Problem
from mdlrnn.search._settings import RATES

CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb", "aaaabbbb"], [6, 4, 2, 1])
SEARCH = Search(expressions=False, islands=3, population=30, migration_interval=20)
STOP = Stop(generations=120)
PROBLEM = Problem(CORPUS, SEARCH, Encoding())


@pytest.fixture(autouse=True)
def checkpoint_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "LEAST_SECONDS", 0.0)


@pytest.fixture(scope="module")
def straight() -> Run:
    return evolve(CORPUS, SEARCH, stop=STOP)


def fingerprint(problem: Problem, stop: Stop = STOP) -> str:
    return new_settings(problem, stop, {}).fingerprint


PRINT = fingerprint(PROBLEM)


def record(folder: Path, search: Search = SEARCH, **options: Any) -> Run:
    return evolve(CORPUS, search, out=folder, **{"stop": STOP, **options})


def stop_at(generation: int) -> Any:
    return lambda progress: progress.generation >= generation


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run stopped halfway, with two checkpoints."""
    home = tmp_path / "run"
    assert record(home, on_progress=stop_at(60)).reason == "stopped"
    return home


def refusal(action: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        action(*arguments, **options)
    text = str(caught.value)
    assert is_one_sentence(text), text
    return text


# Checkpoints


@pytest.mark.parametrize("objective", ["mdl", "d", "g"])
def test_a_checkpoint_round_trips(objective: str) -> None:
    problem = PROBLEM._replace(objective=Objective.named(objective))
    then = evolve(CORPUS, SEARCH, stop=STOP, objective=objective).archipelago
    data = to_bytes(then, fingerprint(problem))
    now = from_bytes(data, problem, fingerprint(problem))
    assert now.digest() == then.digest()
    assert to_bytes(now, fingerprint(problem)) == data
    for name in ("generation", "migrations", "migrated_at", "best", "improved_at", "seconds"):
        assert getattr(now, name) == getattr(then, name)
    assert now.history == then.history
    for new, old in zip(now.islands, then.islands, strict=True):
        for part in ("counters", "best_value", "random", "values", "lengths", "bits"):
            assert np.array_equal(getattr(new, part), getattr(old, part))
    assert [entry[:2] for entry in now.front()] == [entry[:2] for entry in then.front()]
    longer = Stop(generations=160)
    one, other = (evolve_islands(problem, longer, start=start) for start in (then, now))
    assert one.archipelago.digest() == other.archipelago.digest()
    assert (one.front, one.best) == (other.front, other.best)


def test_a_checkpoint_is_compact_and_holds_no_pickles(straight: Run) -> None:
    data = to_bytes(straight.archipelago, PRINT)
    assert len(data) < sum(state.genomes.nbytes for state in straight.archipelago.islands) / 3
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays)


def test_any_damage_to_a_checkpoint_is_refused(straight: Run) -> None:
    data = to_bytes(straight.archipelago, PRINT)
    chance = random.Random(3)
    for _ in range(300):
        broken = bytearray(data)
        broken[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        with pytest.raises(InputError):
            from_bytes(bytes(broken), PROBLEM, PRINT)
    for _ in range(50):
        with pytest.raises(InputError):
            from_bytes(data[: chance.randrange(len(data))], PROBLEM, PRINT)
    for more in (b"", b"\0", data, b"PK\x05\x06" + bytes(18)):
        with pytest.raises(InputError):
            from_bytes((data + more) if more else b"", PROBLEM, PRINT)


@given(
    name=st.sampled_from(["words", "front_words", "sizes", "counters", "front_counts", "random"]),
    at=st.integers(0, 10**6),
    value=st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5),
)
def test_sealed_nonsense_never_reaches_a_kernel(
    straight: Run, name: str, at: int, value: int
) -> None:
    arrays = unseal(to_bytes(straight.archipelago, PRINT))
    whole = arrays[name].astype(np.uint64 if name == "random" else np.int64)
    if name == "random":
        whole[at % len(whole)] = 0
    else:
        whole.flat[at % whole.size] = value
    try:
        loaded = from_bytes(seal({**arrays, name: whole}), PROBLEM, PRINT)
    except InputError:
        return
    # What is let through is a population of true networks, if not the one that was saved.
    longer = evolve_islands(PROBLEM, Stop(generations=125), start=loaded)
    assert longer.archipelago.generation == 125


@pytest.mark.parametrize("change", ["missing", "type", "shape", "about", "not a number"])
def test_sealed_files_with_other_parts_are_refused(straight: Run, change: str) -> None:
    arrays = unseal(to_bytes(straight.archipelago, PRINT))
    about = json.loads(str(arrays["about"]))
    if change == "missing":
        del arrays["bits"]
    elif change == "type":
        arrays["values"] = arrays["values"].astype(str)
    elif change == "shape":
        arrays["lengths"] = arrays["lengths"][:, :-1]
    elif change == "about":
        arrays["about"] = np.array("{" * 5000)
    else:
        arrays["about"] = np.array(json.dumps({**about, "generation": "many"}))
    with pytest.raises(InputError):
        from_bytes(seal(arrays), PROBLEM, PRINT)


def test_a_pickle_in_a_sealed_file_is_not_loaded() -> None:
    buffer = io.BytesIO()
    np.savez(buffer, about=np.array([{}], dtype=object))
    with zipfile.ZipFile(buffer) as archive:
        plain = archive.read("about.npy")
    data = seal({"about": np.zeros(1)})
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for entry in old.infolist():
            new.writestr(zipfile.ZipInfo(entry.filename), plain)
    body = buffer.getvalue()[:-2] + data[-80:-78]
    with pytest.raises(InputError):
        unseal(body + _comment(body))


def test_the_fingerprint_knows_all_but_the_limits() -> None:
    for stop in (Stop(generations=1), Stop(target=3.0), Stop(patience=9), Stop(seconds=2.0)):
        assert fingerprint(PROBLEM, stop) == PRINT
    others: list[dict[str, Any]] = [
        {"population": 31}, {"islands": 4}, {"tournament": 3},
        {"migration_size": 1}, {"migration_interval": 21}, {"migration_seconds": 5.0},
        {"max_units": 9}, {"max_connections": 9}, {"unrestricted": True}, {"distinct": False},
        {"elitist": False}, {"crowding": False}, {"restarts": False}, {"saturation": False},
        {"founders": False}, {"expressions": True},
        *({rate: 0.125} for rate in RATES),
    ]  # fmt: skip
    assert {name for changes in others for name in changes} == {*SEARCH.to_dict()}
    encodings = (Encoding(products=True), Encoding("tacl2022"), Encoding(activations=("linear",)))
    prints = {fingerprint(PROBLEM._replace(search=replace(SEARCH, **c))) for c in others}
    prints |= {fingerprint(PROBLEM._replace(encoding=encoding)) for encoding in encodings}
    prints.add(fingerprint(PROBLEM._replace(seed=8)))
    prints.add(fingerprint(PROBLEM._replace(objective=Objective.named("d"))))
    prints.add(fingerprint(PROBLEM._replace(corpus=Corpus.from_strings(["ab"]))))
    assert len(prints | {PRINT}) == len(others) + len(encodings) + 4


# Folders


def test_a_recorded_run_is_the_run(tmp_path: Path, straight: Run) -> None:
    run = record(tmp_path / "run")
    assert run.out == tmp_path / "run"
    assert run.archipelago.digest() == straight.archipelago.digest()
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        "settings.json", "corpus.npz", "log.jsonl", "best.json", "front.json", "lock",
        "checkpoint-000000100.npz", "checkpoint-000000120.npz",
    }  # fmt: skip
    best = Network.load(tmp_path / "run" / "best.json")
    assert best == run.best
    assert json.loads((tmp_path / "run" / "best.json").read_text())["score"] == {
        "g": run.score.g, "d_given_g": run.score.d_given_g, "mdl": run.score.mdl,
        "encoding": "parts",
    }  # fmt: skip
    front = json.loads((tmp_path / "run" / "front.json").read_text())
    assert [(row["g"], row["d_given_g"]) for row in front] == [
        (s.g, s.d_given_g) for _, s in run.front
    ]
    for row in front:
        true = score_network(Network.from_dict(row["network"]), CORPUS, run.encoding)
        assert (row["g"], row["d_given_g"]) == (true.g, true.d_given_g)
    settings = json.loads((tmp_path / "run" / "settings.json").read_text())
    assert settings["format"] == "mdlrnn-run/2"
    assert set(settings["versions"]) == {"mdlrnn", "python", "numpy", "numba"}
    assert settings["search"].pop("seed") == 1
    assert Search.from_dict(settings["search"]) == SEARCH
    assert Stop.from_dict(settings["stop"]) == STOP


def test_the_log_tells_the_story(tmp_path: Path) -> None:
    run = record(tmp_path / "run")
    events = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").open()]
    assert [event["event"] for event in events[:2]] == ["start", "progress"]
    last = events[-1]
    assert (last["event"], last["reason"], last["generation"]) == ("end", "generations", 120)
    assert (last["mdl"], last["g"]) == (run.score.mdl, run.score.g)
    assert last["steps"] == run.statistics.steps
    migrations = [e["generation"] for e in events if e.get("migrated")]
    assert migrations == [20, 40, 60, 80, 100, 120]
    improved = [e["generation"] for e in events if e.get("improved")]
    assert improved == [entry["generation"] for entry in run.history]
    assert all("steps_per_second" in e for e in events if e["event"] in ("progress", "end"))


@pytest.mark.parametrize("generation", [0, 20, 60])
def test_a_resumed_run_is_the_run(tmp_path: Path, straight: Run, generation: int) -> None:
    home = tmp_path / "run"
    record(home, on_progress=stop_at(generation))
    run = resume(home, workers=1)
    assert run.archipelago.digest() == straight.archipelago.digest()
    assert (run.front, run.best, run.reason) == (straight.front, straight.best, "generations")
    assert Network.load(home / "best.json") == straight.best
    assert [e["event"] for e in read_log(home)].count("resume") == 1
    assert resume(home).archipelago.digest() == straight.archipelago.digest()


def test_a_run_cut_off_before_its_first_checkpoint_starts_again(
    tmp_path: Path, straight: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "run"
    monkeypatch.setattr(recorder, "LEAST_SECONDS", 60.0)

    def die(progress: Progress) -> None:
        raise SystemExit

    monkeypatch.setattr(recorder.Recorder, "abandon", lambda *_: None)
    with pytest.raises(SystemExit):
        record(home, on_progress=die)
    assert not checkpoints(home)
    assert resume(home).archipelago.digest() == straight.archipelago.digest()


def test_a_run_that_goes_on_can_be_given_other_limits(folder: Path) -> None:
    longer = evolve(CORPUS, SEARCH, stop=Stop(generations=200))
    run = resume(folder, stop=Stop(generations=200))
    assert run.archipelago.digest() == longer.archipelago.digest()
    run = resume(folder, stop=Stop(generations=10**6, target=1e9))
    assert (run.reason, run.archipelago.generation) == ("target", 200)
    assert resume(folder).reason == "target", "the limits stay"
    patient = Stop(generations=10**6, patience=1)
    assert resume(folder, stop=patient).reason == "patience"
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["stop"] == patient.to_dict()
    assert "Stop(...)" in refusal(resume, folder, stop={"generations": 10})
    assert "Stop(...)" in refusal(resume, folder, stop=replace(SEARCH, population=31))
    assert resume(folder, stop=Stop(seconds=1e-9)).reason == "time"


def test_the_log_is_cut_back_to_the_checkpoint(folder: Path) -> None:
    newest, older = checkpoints(folder)
    newest.unlink()
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"event": "progress", "gener')
    resume(folder, on_progress=stop_at(0))
    events = read_log(folder)
    assert [e["event"] for e in events][-2:] == ["resume", "end"]
    assert max(e["generation"] for e in events) == int(older.stem.split("-")[1])


def test_interrupting_python_gives_back_and_saves_what_was_found(
    tmp_path: Path, straight: Run
) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.generation == 40:
            raise KeyboardInterrupt

    home = tmp_path / "run"
    run = record(home, on_progress=interrupt)
    assert (run.reason, run.archipelago.generation) == ("stopped", 40)
    assert Network.load(home / "best.json") == run.best
    assert read_log(home)[-1]["reason"] == "stopped"
    assert checkpoints(home)[0].name == "checkpoint-000000040.npz"
    assert not is_held(home / "lock")
    assert resume(home).archipelago.digest() == straight.archipelago.digest()


def test_an_error_elsewhere_saves_what_was_found(tmp_path: Path, straight: Run) -> None:
    def fail(progress: Progress) -> None:
        if progress.generation == 40:
            raise ZeroDivisionError

    home = tmp_path / "run"
    with pytest.raises(ZeroDivisionError):
        record(home, on_progress=fail)
    assert read_log(home)[-1]["reason"] == "failed"
    assert status_of(home).status == "interrupted"
    assert checkpoints(home)[0].name == "checkpoint-000000040.npz"
    assert not is_held(home / "lock")
    assert resume(home).archipelago.digest() == straight.archipelago.digest()


def test_only_the_two_newest_checkpoints_are_kept(folder: Path) -> None:
    assert [path.name for path in checkpoints(folder)] == [
        "checkpoint-000000060.npz",
        "checkpoint-000000040.npz",
    ]


def test_checkpoints_are_not_written_too_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "LEAST_SECONDS", 60.0)
    record(tmp_path / "run")
    assert [path.name for path in checkpoints(tmp_path / "run")] == ["checkpoint-000000120.npz"]
    monkeypatch.setattr(recorder, "MOST_SECONDS", 0.0)
    record(tmp_path / "more", replace(SEARCH, migration_size=0))
    assert len(checkpoints(tmp_path / "more")) == 2


# Refusals


def test_no_second_run_is_begun_in_a_folder(folder: Path) -> None:
    assert "--resume" in refusal(record, folder)
    assert read_log(folder)[-1]["event"] == "end"


@pytest.mark.parametrize("name", ["best.json", "corpus.npz", "log.jsonl"])
def test_files_of_others_are_never_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    assert name in refusal(record, tmp_path)
    assert (tmp_path / name).read_text() == "precious"


def test_a_folder_left_half_made_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "corpus.npz").write_bytes(b"half")
    (tmp_path / ".settings.json.x1y2").write_bytes(b"half")
    record(tmp_path)
    assert not (tmp_path / ".settings.json.x1y2").exists()


@pytest.mark.parametrize("name", ["lock", "corpus.npz", "held_out.txt"])
def test_a_lock_of_somebody_else_s_does_not_make_a_folder_half_made(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "lock").write_text("mine")
    (tmp_path / name).write_text("mine")
    assert "lock" in refusal(record, tmp_path) or name in refusal(record, tmp_path)
    assert (tmp_path / "lock").read_text() == (tmp_path / name).read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refusal(record, tmp_path / "file")
    refusal(record, tmp_path / "file" / "run")
    refusal(resume, tmp_path / "file")
    assert "no such folder" in refusal(resume, tmp_path / "none")
    assert "holds no run" in refusal(resume, tmp_path)


def test_a_second_process_is_refused(folder: Path) -> None:
    command = (
        "import sys, time, pathlib, mdlrnn.runs._files as lock\n"
        "held = lock.acquire(pathlib.Path(sys.argv[1]))\n"
        "print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", command, str(folder / "lock")], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        text = refusal(resume, folder)
        assert f"process {other.pid} " in text
        assert status_of(folder).status == "running"
        other.kill()
    assert status_of(folder).status == "stopped"
    assert resume(folder).reason == "generations"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_worker_does_not_keep_the_lock(tmp_path: Path) -> None:
    held = acquire(tmp_path / "lock")
    assert held is not None
    assert acquire(tmp_path / "lock") is None
    reading, writing = os.pipe()
    hearing, saying = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.write(saying, b"1")
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    os.close(saying)
    assert os.read(hearing, 1) == b"1", "it has begun, and has left the lock alone"
    os.close(hearing)
    held.close()
    again = acquire(tmp_path / "lock")
    os.close(writing)
    os.waitpid(child, 0)
    assert again is not None
    again.close()


def test_a_changed_corpus_is_refused(folder: Path) -> None:
    other = Corpus.from_strings(["ab", "aabb"])
    refusal(resume, folder, corpus=other)
    (folder / "corpus.npz").write_bytes(seal(other.to_arrays()))
    refusal(resume, folder)
    (folder / "corpus.npz").write_bytes(b"PK")
    refusal(resume, folder)
    (folder / "corpus.npz").unlink()
    refusal(resume, folder)
    assert resume(folder, corpus=CORPUS).reason == "generations"
    assert resume(folder).reason == "generations"


def change_settings(folder: Path, **changes: Any) -> None:
    path = folder / "settings.json"
    data = json.loads(path.read_text())
    for name, value in changes.items():
        if isinstance(value, dict):
            data[name].update(value)
        else:
            data[name] = value
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "mdlrnn-run/3"}, {"format": 3}, {"format": "mdlrnn-run/1"},
        {"search": {"population": 40}}, {"search": {"speed": 1}}, {"search": None},
        {"encoding": {"activations": 3}}, {"encoding": {"products": False}},
        {"encoding": {"encoding": "tacl2022"}}, {"encoding": None},
        {"stop": {"patience": 0}}, {"stop": None},
        {"objective": {"g": 0.5}}, {"objective": {"g": "x"}},
        {"corpus": {"digest": "0"}}, {"corpus": {"digest": 0}},
        {"versions": 1}, {"fingerprint": ""},
    ],
)  # fmt: skip
def test_settings_changed_by_hand_are_refused(folder: Path, changes: dict[str, Any]) -> None:
    change_settings(folder, **changes)
    refusal(resume, folder)


def test_missing_or_senseless_settings_are_refused(folder: Path) -> None:
    path = folder / "settings.json"
    for text in ("{", "[]", "[" * 100_000, "\udcff"):
        path.write_text(text, errors="surrogateescape")
        refusal(resume, folder)
    path.unlink()
    refusal(resume, folder)
    assert status_of(folder).status == "broken"


def test_a_broken_checkpoint_names_the_one_before(folder: Path, straight: Run) -> None:
    newest, older = checkpoints(folder)
    data = newest.read_bytes()
    one_byte_wrong = data[:100] + bytes([data[100] ^ 1]) + data[101:]
    for broken in (data[:-1], b"", b"not a checkpoint", one_byte_wrong):
        newest.write_bytes(broken)
        text = refusal(resume, folder)
        assert newest.name in text
        assert f"delete it to go on from {older.name}" in text
        assert status_of(folder).status == "broken"
    newest.unlink()
    assert resume(folder).archipelago.digest() == straight.archipelago.digest()


def test_when_all_checkpoints_are_broken_or_gone_that_is_said(folder: Path) -> None:
    for path in checkpoints(folder):
        path.write_bytes(b"")
    assert "start a new run" in refusal(resume, folder)
    for path in checkpoints(folder):
        path.unlink()
    assert "missing" in refusal(resume, folder)


def test_a_newer_checkpoint_is_refused(folder: Path) -> None:
    newest, _ = checkpoints(folder)
    arrays = unseal(newest.read_bytes())
    about = json.loads(str(arrays["about"]))
    newer = {**about, "format": "mdlrnn-checkpoint/2"}
    newest.write_bytes(seal({**arrays, "about": np.array(json.dumps(newer))}))
    assert "newer mdlrnn" in refusal(resume, folder)


def test_a_checkpoint_of_another_run_is_refused(folder: Path, tmp_path: Path) -> None:
    record(tmp_path / "other", seed=8)
    newest = checkpoints(folder)[0]
    newest.write_bytes(checkpoints(tmp_path / "other")[0].read_bytes())
    assert "other settings" in refusal(resume, folder)


# The disk


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Set the one item to True, and nothing more can be written."""
    full = [False]
    true_fsync = os.fsync

    def fsync(handle: int) -> None:
        if full[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        true_fsync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    return full


def test_a_full_disk_stops_the_run_and_spoils_nothing(
    tmp_path: Path, full_disk: list[bool], straight: Run
) -> None:
    home = tmp_path / "run"

    def fill(progress: Progress) -> None:
        full_disk[0] = progress.generation >= 60

    with pytest.raises(RunError) as caught:
        record(home, on_progress=fill)
    assert is_one_sentence(str(caught.value))
    assert "no space left" in str(caught.value)
    assert not [path for path in home.iterdir() if path.name.startswith(".")]
    assert checkpoints(home)[0].name == "checkpoint-000000060.npz"
    full_disk[0] = False
    assert status_of(home).status == "interrupted"
    assert resume(home).archipelago.digest() == straight.archipelago.digest()


def test_a_full_disk_at_the_start_leaves_no_run(tmp_path: Path, full_disk: list[bool]) -> None:
    full_disk[0] = True
    with pytest.raises(RunError):
        record(tmp_path / "run")
    full_disk[0] = False
    assert record(tmp_path / "run").reason == "generations"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_line_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    append_event(tmp_path, {"generation": 1, "value": float("inf")})
    assert read_log(tmp_path) == [{"generation": 1, "value": None}]
    (tmp_path / "log.jsonl").unlink()
    (tmp_path / "log.jsonl").symlink_to("/dev/full")
    with pytest.raises(RunError):
        append_event(tmp_path, {"generation": 2})


# Listing


def test_runs_are_found_and_told_apart(tmp_path: Path, folder: Path) -> None:
    record(tmp_path / "deep" / "er" / "done", stop=Stop(generations=20))
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "settings.json").write_text("{}")
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "checkpoint-000000001.npz").write_bytes(b"")
    found = {path.name: status_of(path) for path in find_runs(tmp_path)}
    assert set(found) == {"run", "done", "bad"}
    assert found["run"].status == "stopped"
    assert found["run"].generation == 60
    assert (found["done"].status, found["done"].reason) == ("finished", "generations")
    assert found["bad"].status == "broken"
    assert "settings.json" in found["bad"].reason
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"event": "resume", "generation": 60}\n[1]\n{"event": "pro')
    assert status_of(folder).status == "interrupted"
    assert status_of(folder).mdl is not None
    (folder / "log.jsonl").write_bytes(b"\xff\xfe")
    assert status_of(folder).status == "broken"
    refusal(lambda: list(find_runs(tmp_path / "none")))


def test_networks_of_a_card_are_scored_on_the_cpu_when_their_run_is_opened_again(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    stop = Stop(generations=20)
    evolve(CORPUS, SEARCH, stop=stop, out=run, prove=False)
    best, front = (run / "best.json").read_bytes(), (run / "front.json").read_bytes()
    settings = json.loads((run / "settings.json").read_text())
    (run / "settings.json").write_text(json.dumps({**settings, "device": "cuda"}))
    newest = checkpoints(run)[0]
    own = read_settings(run).fingerprint
    saved = from_bytes(newest.read_bytes(), PROBLEM, own)
    islands = tuple(
        state._replace(
            values=np.nextafter(state.values, 0),
            bits=np.nextafter(state.bits, 0),
            front_bits=np.nextafter(state.front_bits, 0),
        )
        for state in saved.islands
    )
    newest.write_bytes(to_bytes(replace(saved, islands=islands), own))
    with recorder.reopen(run) as opened:
        assert opened.start is not None
        assert opened.start.islands[0].values[0] < saved.islands[0].values[0]
    assert (run / "best.json").read_bytes() == best
    assert (run / "front.json").read_bytes() == front
