"""`python -m benchmarks.fuzz`: run the campaigns and print what came of them."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ._base import build
from ._campaign import Tally, Worker, run_cases
from ._campaigns import CAMPAIGNS
from ._kills import run_kills

KILLS = "kills"
KILLED = 100
"""Runs that are killed where neither their number nor a time is given."""
SLICE = 20
"""Cases of a campaign before it is another one's turn."""
SHOWN = 12
"""Failures that are printed; all are in the folder."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="in all; the campaigns share them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--campaign", action="append", choices=[*CAMPAIGNS, KILLS])
    parser.add_argument("--cases", type=int, help="of each campaign, at most")
    parser.add_argument("--kills", type=int, help="runs that are killed, at most")
    parser.add_argument("--case", type=int, help="this one of the campaign, and keep its files")
    parser.add_argument("--out", type=Path, help="where failing cases are kept")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    names = arguments.campaign or [*CAMPAIGNS, KILLS]
    bounds = [arguments.seconds, arguments.cases, arguments.case]
    if names == [KILLS]:
        bounds.append(arguments.kills)
    if all(bound is None for bound in bounds):
        arguments.seconds = 60.0
    out = arguments.out or Path(tempfile.mkdtemp(prefix="mdlrnn-fuzz-"))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mdlrnn-fuzz-base-") as place:
        tallies = _run(names, arguments, Path(place), out)
    _show(tallies, out, arguments.seed)
    sys.exit(1 if any(tally.failures for tally in tallies) else 0)


def _run(names: list[str], arguments: argparse.Namespace, place: Path, out: Path) -> list[Tally]:
    hostile = [name for name in names if name in CAMPAIGNS]
    if hostile:
        build(place / "base")
    limit = arguments.seconds if arguments.seconds is not None else float("inf")
    shares = len(hostile) + (KILLS in names)
    tallies = [Tally(name) for name in hostile]
    ends = time.monotonic() + limit * len(hostile) / max(1, shares)
    with ThreadPoolExecutor(arguments.processes) as pool:
        jobs = [
            pool.submit(
                _work_off, place / "base", arguments, tallies, out, ends, number,
            )
            for number in range(arguments.processes)
        ]  # fmt: skip
        for job in jobs:
            job.result()
    if KILLS in names:
        tally = Tally(KILLS)
        kills: Iterable[int] = itertools.count()
        if arguments.case is not None:
            kills = [arguments.case]
        elif arguments.kills is not None or limit == float("inf"):
            kills = range(arguments.kills or KILLED)
        run_kills(tally, place / "kills", out, arguments.seed, kills, limit / shares)
        tallies.append(tally)
    return tallies


def _work_off(
    base: Path,
    arguments: argparse.Namespace,
    tallies: list[Tally],
    out: Path,
    ends: float,
    process: int,
) -> None:
    """Slices of all campaigns in turn; of several processes each takes every so manieth case."""
    worker = Worker(base, arguments.seed)
    every = arguments.processes
    if arguments.case is not None:
        last: Iterable[int] = [arguments.case] if process == 0 else []
    else:
        last = (
            range(process, arguments.cases, every)
            if arguments.cases
            else itertools.count(process, every)
        )
    numbers = (
        [iter(last) for _ in tallies] if not tallies else list(itertools.tee(last, len(tallies)))
    )
    left = list(zip(tallies, numbers, strict=True))
    try:
        while left and time.monotonic() < ends:
            for tally, mine in list(left):
                some = list(itertools.islice(mine, SLICE))
                if not some:
                    left.remove((tally, mine))
                run_cases(worker, tally, some, out, ends - time.monotonic())
    finally:
        worker.stop()


def _show(tallies: list[Tally], out: Path, seed: int) -> None:
    print(f"{'campaign':<14}{'cases':>9}{'failures':>10}{'slowest':>11}{'memory':>11}{'time':>9}")
    for tally in tallies:
        print(
            f"{tally.campaign:<14}{tally.cases:>9,}{len(tally.failures):>10,}"
            f"{tally.slowest:>9.2f} s{tally.memory / 2**20:>8,.0f} MB{tally.seconds:>7.0f} s"
        )
    cases = sum(tally.cases for tally in tallies)
    failures = [text for tally in tallies for text in tally.failures]
    print(f"{'all':<14}{cases:>9,}{len(failures):>10,}")
    for text in failures[:SHOWN]:
        print(f"  {text}")
    if failures:
        (out / "failures.txt").write_text("".join(f"{text}\n" for text in failures))
        print(f"\nkept in {out}; one of them again, with --out for another folder:")
        name, number = failures[0].split(":")[0].split()
        print(f"  python -m benchmarks.fuzz --seed {seed} --campaign {name} --case {number}")


if __name__ == "__main__":
    main()
