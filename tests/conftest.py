"""How Hypothesis explores, and the fixtures that several rooms use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

import mdlrnn.gpu._cuda as cuda_module
from helpers.browser import browser as browser  # a fixture
from helpers.browser import open_page as open_page  # a fixture
from helpers.commands import Result
from mdlrnn import InputError
from mdlrnn.cli import main

# A shell starts commands in the background with Ctrl-C ignored, and what tests start would inherit
# that; the tests of Ctrl-C want it heard.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test fails by chance: the same examples every time. To explore, HYPOTHESIS_PROFILE=explore.
settings.register_profile("repeat", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Result]:
    """The command in this process, in an empty folder and a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["mdlrnn", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        captured = capsys.readouterr()
        err = "".join(line for line in captured.err.splitlines(True) if "compiling the" not in line)
        assert isinstance(caught.value.code, int)
        return Result(caught.value.code, captured.out, err)

    return run


@pytest.fixture
def without_card(monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said on a machine without a card, as this one is then."""
    sentence = "no graphics card is found here; leave out the device."

    def require_card() -> None:
        raise InputError(sentence)

    monkeypatch.setattr(cuda_module, "require_card", require_card)
    return sentence


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels once, before the workers start and would all do it."""
    if not hasattr(session.config, "workerinput"):
        subprocess.run([sys.executable, "-m", "mdlrnn.kernels", "all"], check=True)
