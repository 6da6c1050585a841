"""`python -m benchmarks.learned`: a line a language, and how many of each kind."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.languages import _catalogue
from benchmarks.languages._jobs import STRINGS, Job, carry_out, keep

from ._verdict import VERDICTS, verdict

HEAD = f"{'language':22} {'verdict':8} {'seconds':>7} {'margin':>8}  what it has learned"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--languages", help="names or parts of names, commas between; else all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each run")
    parser.add_argument("--processes", type=int, default=1, help="of the runs")
    parser.add_argument("--again", action="store_true", help="find the answers again")
    arguments = parser.parse_args()
    entries = [
        entry
        for entry in _catalogue.catalogue()
        if arguments.languages is None
        or any(part in entry.name for part in arguments.languages.split(","))
    ]
    jobs = [
        Job(entry, "default", arguments.seed, arguments.seconds, STRINGS, arguments.out)
        for entry in entries
    ]
    missing = [job for job in jobs if not job.path.exists()]
    with ProcessPoolExecutor(arguments.processes) as pool:
        for job, result in zip(missing, pool.map(carry_out, missing), strict=True):
            keep(job, result)
    print(HEAD, flush=True)
    found = []
    for job in jobs:
        found.append(_answer(job, arguments.again))
        print(line(found[-1]), flush=True)
    print(summary(found))


def _answer(job: Job, again: bool) -> dict[str, Any]:
    name = re.sub(r"\.json$", "", job.path.name)
    path = job.out / "learned" / f"{name}.json"
    if again or not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(verdict(job)))
    answer: dict[str, Any] = json.loads(path.read_text())
    return answer


def line(answer: dict[str, Any]) -> str:
    margin = "-" if answer["margin"] is None else f"{answer['margin']:.2g}"
    said = answer["name"] or (f"{answer['rules']} rules" if answer["rules"] else "no machine")
    return (
        f"{answer['language'][:22]:22} {answer['verdict']:8} {answer['seconds']:>7.1f} "
        f"{margin:>8}  {said}"
    )


def summary(answers: list[dict[str, Any]]) -> str:
    counts = Counter(answer["verdict"] for answer in answers)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in VERDICTS)
    slowest = max(answer["seconds"] for answer in answers)
    return f"{len(answers)} languages: {told}; the slowest took {slowest:.1f} s"


if __name__ == "__main__":
    main()
