"""`runs --watch` of a run that goes on, on a screen and without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdlrnn import Search, Stop, evolve
from mdlrnn.cli import _judge, _runs
from mdlrnn.runs import Status, status_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a run that seems to go on when it is looked at twice, and has ended then."""
    home = tmp_path / "run"
    evolve(["ab", "aabb"], Search(islands=2, population=10), stop=Stop(generations=4), out=home,
           prove=False, progress=False)  # fmt: skip
    ended = status_of(home)
    running = ended._replace(status="running", reason="", where="one thread, process 1 on here")

    def looks() -> Iterator[Status]:
        yield running._replace(g=None, d_given_g=None, mdl=None, generation=0, generations=None)
        yield running
        while True:
            yield ended

    each = looks()
    monkeypatch.setattr(_runs, "status_of", lambda folder: next(each))
    monkeypatch.setattr(_runs, "SECONDS", 0.01)
    return home


def test_a_line_is_said_for_each_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _runs._watch(folder)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "generation 0: nothing found yet"
    assert lines[1].startswith("generation 4: |G| ")
    assert lines[2] == f"{folder}  finished: generations"


def test_a_screen_shows_it_until_it_ends(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, list[str]]] = []
    shown = _runs.view

    def view(folder: Path, status: Status) -> list[str]:
        seen.append((status.status, shown(folder, status)))
        return seen[-1][1]

    monkeypatch.setattr(_runs, "view", view)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    _runs._watch(folder)
    assert [status for status, _ in seen] == ["running", "running", "finished", "finished"]
    assert any(line.startswith("running on  one thread, process 1") for line in seen[1][1])
    assert not any(line.startswith("best ") for line in seen[0][1])
    assert "finished: generations" in capsys.readouterr().out


def test_a_certificate_about_another_language_says_which(run: Callable[..., object]) -> None:
    assert _judge._strange("anbn") == (
        "The language of the certificate is not anbn, whatever it is called there."
    )
    assert "none of mdlrnn's own" in _judge._strange(None)
    assert "None" not in _judge._strange(None)
