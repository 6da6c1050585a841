"""Where the tests run, how Hypothesis explores, and the fixtures that several rooms use."""

# ruff: noqa: E402, what follows is for modules that look at it when they are imported

from __future__ import annotations

import atexit
import codecs
import locale
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

# What is printed is the same in every terminal.
os.environ["COLUMNS"] = "80"
for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(name, None)


def _can_keep_kernels() -> bool:
    """Whether there is a cache folder, as `kernels._compile` looks for it."""
    with suppress(OSError, RuntimeError):  # RuntimeError: the user has no home folder
        usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mdlrnn"
        folder = Path(os.environ.get("MDLRNN_CACHE_DIR") or usual)
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK | os.X_OK)
    return False


if not _can_keep_kernels():
    os.environ["MDLRNN_CACHE_DIR"] = tempfile.mkdtemp(prefix="mdlrnn-tests-")
    atexit.register(shutil.rmtree, os.environ["MDLRNN_CACHE_DIR"], ignore_errors=True)

import pytest
from hypothesis import settings

from helpers.browser import browser as browser  # a fixture
from helpers.browser import open_page as open_page  # a fixture
from helpers.commands import Result
from mdlrnn import InputError
from mdlrnn.cli import main
from mdlrnn.kernels import gpu, is_ready

# A shell starts commands in the background with Ctrl-C ignored, and what tests start would inherit
# that; the tests of Ctrl-C want it heard.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test fails by chance: the same examples every time. To explore, HYPOTHESIS_PROFILE=explore.
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "repeat")
settings.register_profile("repeat", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True, max_examples=1_000)
settings.load_profile(PROFILE)


def _draw_no_constants_of_modules() -> None:
    """Else examples depend on what other tests have imported before."""
    with suppress(ImportError):  # versions that do not draw them
        from hypothesis.internal.conjecture import providers
        from hypothesis.internal.constants_ast import Constants

        if hasattr(providers, "_get_local_constants"):
            vars(providers)["_get_local_constants"] = Constants  # which has none


if PROFILE == "repeat":
    _draw_no_constants_of_modules()


def pytest_configure() -> None:
    """Tests read and write text as UTF-8, most without saying so."""
    encoding = locale.getpreferredencoding(False)
    if codecs.lookup(encoding).name != "utf-8":
        raise pytest.UsageError(
            f"the tests need UTF-8, but text is {encoding} here; set PYTHONUTF8=1."
        )


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

    monkeypatch.setattr(gpu, "require_card", require_card)
    return sentence


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels once, before the workers start and would all do it: the search, which
    takes two cores, and then what else there is, side by side."""
    if hasattr(session.config, "workerinput"):
        return
    for parts in (["advance"], ["score", "measure", "help"]):
        compiling = [
            subprocess.Popen([sys.executable, "-m", "mdlrnn.kernels._warm_up", part])
            for part in parts
            if not is_ready(part)
        ]
        assert all(process.wait() == 0 for process in compiling)
