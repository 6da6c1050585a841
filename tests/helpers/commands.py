"""The command as tests call it, in this process or in one of its own."""

from __future__ import annotations

import io
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from helpers.data import is_one_sentence


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]
"""The fixture `run`: the command with these arguments."""


def in_a_process(*arguments: str, stdin: bytes = b"", **environment: str) -> Result:
    done = subprocess.run(
        [sys.executable, "-c", "from mdlrnn.cli import main; main()", *arguments],
        input=stdin,
        capture_output=True,
        env=os.environ | environment,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def printed_by(name: str, *arguments: object) -> str:
    """What a module or a script of the benchmarks prints, run in this process."""
    said = io.StringIO()
    with patch.object(sys, "argv", [name, *map(str, arguments)]), redirect_stdout(said):
        if name.endswith(".py"):
            runpy.run_path(name, run_name="__main__")
        else:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
    return said.getvalue()


def refused(result: Result, message: str) -> bool:
    """Exit code 2, nothing on standard output, one sentence on standard error."""
    assert result.out == ""
    assert result.err.endswith("\n")
    assert is_one_sentence(result.err[:-1])
    assert result.err.startswith("mdlrnn")
    assert message in result.err
    assert result.code == 2
    return True
