"""The command as tests call it, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

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


def refused(result: Result, message: str) -> bool:
    """Exit code 2, nothing on standard output, one sentence on standard error."""
    assert result.out == ""
    assert result.err.endswith("\n")
    assert is_one_sentence(result.err[:-1])
    assert result.err.startswith("mdlrnn")
    assert message in result.err
    assert result.code == 2
    return True
