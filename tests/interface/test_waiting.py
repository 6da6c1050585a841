"""What is said while a user waits: on a terminal only."""

from __future__ import annotations

import io
import sys
import time

import pytest

from mdlrnn import waiting
from mdlrnn.interface import say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait_for(screen: Terminal, text: str) -> None:
    until = time.monotonic() + 60
    while text not in screen.getvalue():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_a_terminal_shows_what_goes_on_and_then_the_output_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(waiting, "PAUSE", 0.0)
    monkeypatch.setattr(waiting, "TICK", 0.001)
    with waiting.shown(), waiting.doing("reading"):
        wait_for(terminal, "reading")
        with waiting.doing("proving"):
            wait_for(terminal, "proving")
        with waiting.hidden():
            terminal.truncate(0)
            say("an answer")
            time.sleep(0.01)
            assert terminal.getvalue().lstrip("\0") == "an answer\n"
        wait_for(terminal, "reading")
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert not waiting.is_shown()


def test_elsewhere_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting.shown(), waiting.doing("reading"):
        assert not waiting.is_shown()
        say("an answer")
    assert capsys.readouterr() == ("an answer\n", "")
