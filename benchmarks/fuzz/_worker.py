"""A worker: makes cases, runs each in this process, and tells what is wrong with what came of it.

Memory and processor time are limited by the system; the parent ends a worker that does not answer.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from mdlrnn import show

from ._base import Base
from ._campaigns import CAMPAIGNS, Case

MEMORY = 2**30
"""Bytes that a case may take beyond what the worker has at its start."""
SECONDS = 10
"""Of the processor, that a case may take; so a busy machine makes no failures."""
LONGEST_ERROR = 4_000
LONGEST_OUTPUT = 16 * 2**20
ENDS = {"prove": (0, 1, 2), "evolve": (0, 1, 2)}
"""Exit codes; of the other commands, 0 and 2. A run whose folder cannot be written ends with 1."""
KEPT_OUTPUT = 20_000


class Outcome(NamedTuple):
    wrong: str | None
    """What is the matter; None if all is well."""
    memory: int
    """Bytes beyond those at the start, at the most."""
    seconds: float
    """Of the processor."""
    spent: bool
    """Whether the process is not to be used again."""
    made: bool = True
    """False where the case itself was too large to be made."""


def random_for(seed: int, campaign: str, number: int) -> random.Random:
    return random.Random(f"{seed} {campaign} {number}")


def work(pipe: Connection, base_folder: Path, seed: int) -> None:
    """Answer cases, given as (campaign, number, folder), until None is given."""
    with _quiet() as printed:
        base = Base(base_folder)
        _load_everything()
        start = _memory("VmRSS")
        _limit(MEMORY)
        pipe.send("ready")
        while (asked := pipe.recv()) is not None:
            campaign, number, folder = asked
            pipe.send(run_case(base, seed, campaign, number, Path(folder), printed, start))


def run_case(
    base: Base,
    seed: int,
    campaign: str,
    number: int,
    folder: Path,
    printed: io.BufferedRandom | None,
    start: int,
) -> Outcome:
    """Make and run a case in an empty folder; what failed stays there with `case.json`."""
    folder.mkdir(parents=True)
    _reset_peak()
    _allow(SECONDS)
    told = {"seed": seed, "campaign": campaign, "case": number, "told": "as it is made"}
    (folder / "case.json").write_text(json.dumps(told, indent=1))
    try:
        case = CAMPAIGNS[campaign](random_for(seed, campaign, number), folder, base)
    except MemoryError:
        return Outcome(None, 0, 0.0, spent=True, made=False)
    told["told"] = case.told
    (folder / "case.json").write_text(json.dumps(told, indent=1))
    if printed is not None:
        printed.truncate(0)
    began = _allow(SECONDS)
    wrong, output = _verdict(case, folder)
    seconds = time.process_time() - began
    if printed is not None and wrong is None and os.fstat(printed.fileno()).st_size:
        printed.seek(0)
        wrong = f"a library printed {printed.read(500)!r}"
    memory = _memory("VmHWM") - start
    if wrong is None and memory > MEMORY:
        wrong = f"took {memory // 2**20} MB"
    if wrong is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        told |= {"wrong": wrong, "output": output[-KEPT_OUTPUT:]}
        (folder / "case.json").write_text(json.dumps(told, indent=1))
    spent = _memory("VmRSS") - start > MEMORY // 4 or "memory" in (wrong or "")
    return Outcome(wrong, memory, seconds, spent)


def _verdict(case: Case, folder: Path) -> tuple[str | None, str]:
    if case.arguments is None:
        assert case.call is not None
        return _called(case)
    code, out, err, trouble = _command(case.arguments, folder)
    output = f"exit code {code}\n--- standard output\n{out}\n--- standard error\n{err}\n{trouble}"
    if trouble:
        return trouble.strip().splitlines()[-1][:300], output
    return wrong_with(case.arguments, code, out, err), output


def _called(case: Case) -> tuple[str | None, str]:
    from mdlrnn import InputError

    assert case.call is not None
    try:
        case.call()
    except InputError as error:
        return _bad_sentence(f"{error}"), f"{error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300], traceback.format_exc()
    return None, ""


def _command(arguments: object, folder: Path) -> tuple[int, str, str, str]:
    """Exit code, what was printed, and the traceback if there is one."""
    from mdlrnn.cli import main

    assert isinstance(arguments, list)
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2)]
    before = sys.stdout, sys.stderr, sys.argv, Path.cwd()
    trouble, code = "", -1
    os.chdir(folder)
    try:
        sys.stdout, sys.stderr = streams
        sys.argv = ["mdlrnn", *arguments]
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else -1
    except BaseException:
        trouble = traceback.format_exc()
    finally:
        sys.stdout, sys.stderr, sys.argv = before[:3]
        os.chdir(before[3])
    out, err = (_text(stream) for stream in streams)
    return code, out, err, trouble


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    content = stream.buffer
    assert isinstance(content, io.BytesIO)
    return content.getvalue().decode("utf-8", "surrogateescape")


def wrong_with(arguments: object, code: int, out: str, err: str) -> str | None:
    """What is wrong with how a command ended and what it said."""
    assert isinstance(arguments, list)
    name = arguments[0]
    if code not in ENDS.get(name, (0, 2)):
        return f"exit code {code}: {err[-300:]!r}"
    if code == 2 or (code == 1 and name == "evolve"):
        if out:
            return f"refused, but printed {out[:200]!r}"
        if not err.startswith("mdlrnn") or not err.endswith("\n"):
            return f"no sentence of mdlrnn's: {err[:300]!r}"
        return _bad_sentence(err[:-1])
    if "there is not enough memory" in err:
        return "not enough memory"
    if "Traceback" in err or "Warning" in err:
        return f"said {err[-300:]!r}"
    if len(out) > LONGEST_OUTPUT or len(err) > LONGEST_ERROR:
        return f"printed {len(out)} and {len(err)} characters"
    data = name == "sample" or "--json" in arguments or "--decode" in arguments
    return _unprintable(out, "\n\t" if name == "sample" else "\n", data) or _unprintable(err, "\n")


def _bad_sentence(text: str) -> str | None:
    if len(text) > LONGEST_ERROR:
        return f"an error of {len(text)} characters: {text[:200]!r}"
    if "\n" in text or not text.endswith((".", "?")):
        return f"not one sentence: {text[:300]!r}"
    return _unprintable(text, "")


def _unprintable(text: str, allowed: str, data: bool = False) -> str | None:
    """The first character that a terminal might obey; in data, invisible ones may stand."""
    for at, character in enumerate(text):
        if character in allowed or character.isprintable():
            continue
        if data and unicodedata.category(character) not in ("Cc", "Cs"):
            continue
        return f"printed {character!r} in {text[max(0, at - 60) : at + 20]!r}"
    return None


# The process.


@contextmanager
def _quiet() -> Iterator[io.BufferedRandom]:
    """What libraries print past Python goes into a file."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1), os.dup(2)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield file
        finally:
            for place, old in enumerate(kept, 1):
                os.dup2(old, place)
                os.close(old)


def _load_everything() -> None:
    """Libraries and kernels, so that their memory and time are no case's."""
    import cvc5  # noqa: F401
    import nltk  # noqa: F401
    import z3  # noqa: F401

    import mdlrnn
    from mdlrnn import Search, Stop, zoo

    mdlrnn.evolve(["ab"], Search(islands=1, population=4), stop=Stop(generations=2), workers=1,
                  progress=False)  # fmt: skip
    net = zoo.anbn()
    mdlrnn.score(net, ["ab"])
    mdlrnn.test(net, ["ab"])
    show.draw(net).svg()


def _limit(more: int) -> None:
    """No more than so many bytes of data beyond those of now."""
    now = _memory("VmData")
    if now:
        resource.setrlimit(resource.RLIMIT_DATA, (now + more, resource.RLIM_INFINITY))


def _allow(seconds: int) -> float:
    """From here on so many seconds of the processor; the moment, as the processor counts."""
    now = time.process_time()
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(now) + seconds + 1, most))
    return now


def _memory(name: str) -> int:
    """A line of the system's on this process, in bytes; 0 where there is none."""
    try:
        with open("/proc/self/status") as file:  # noqa: PTH123, as little as can be
            for line in file:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _reset_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as file:  # noqa: PTH123
            file.write("5")
    except OSError:
        pass
