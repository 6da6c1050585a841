"""What the runs in a folder say: a line each, and two settings side by side."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mdlrnn.search import Origin

LEARNED = 0.05
"""Bits a string above the language that still count as learned."""
Result = dict[str, Any]
Runs = dict[str, dict[str, list[Result]]]
HEAD = (
    f"{'language':24} {'seed':>4} {'|G|':>5} {'excess':>8} {'longer':>9} {'proved':>6} "
    f"{'found':>7} {'steps':>7}  origin"
)


def file_name(text: str) -> str:
    """What is left of a name in the name of a file, on any system."""
    return re.sub(r"[^\w^+()-]+", "_", text.replace("*", "star").replace("|", "or"))


def line(result: Result) -> str:
    """|G|, bits a string too many on new and on longer strings, and when it was found."""
    proved = {None: "-", True: "yes", False: "no"}[result["proved"]]
    return (
        f"{result['language'][:24]:24} {result['seed']:>4} {result['g']:>5} "
        f"{_bits(result['excess']):>8} {_bits(result['longer']):>9} {proved:>6} "
        f"{result['found_seconds']:>5.0f} s {result['found_steps'] / 1e6:>5.1f} M  {_kind(result)}"
    )


def _kind(result: Result) -> str:
    """How the network came to be; results of earlier versions do not tell."""
    origin = Origin.from_dict(result.get("origin"))
    return "-" if origin is None else origin.kind


def _bits(value: float | None) -> str:
    if value is None:
        return "-"
    return "inf" if math.isinf(value) else f"{value:.3f}"


def read(out: Path) -> Runs:
    """The runs by setting and language, in the order of their seeds."""
    runs: Runs = defaultdict(lambda: defaultdict(list))
    for path in sorted(out.glob("*--*--*.json")):
        result = json.loads(path.read_text())
        runs[result["setting"]][result["language"]].append(result)
    for languages in runs.values():
        for results in languages.values():
            results.sort(key=lambda result: int(result["seed"]))
    return runs


def show(runs: Runs) -> str:
    lines = []
    for setting, languages in sorted(runs.items()):
        lines += ["", setting, HEAD]
        results = [result for name in sorted(languages) for result in languages[name]]
        lines += map(line, results)
        lines.append(summary(results))
    return "\n".join(lines).lstrip("\n")


def summary(results: list[Result]) -> str:
    learned = sum(result["excess"] <= LEARNED for result in results)
    known = [result for result in results if result["proved"] is not None]
    proved = sum(result["proved"] for result in known)
    return (
        f"{learned} of {len(results)} runs within {LEARNED} bits a string, "
        f"{proved} of {len(known)} proved"
    )


def compare(runs: Runs, first: str, second: str) -> str:
    """Medians with quartiles over the seeds, for the languages that both settings have."""
    both = sorted(set(runs[first]) & set(runs[second]))
    lines = [
        f"{'':24} {first.partition(':')[0][:26]:>26} {second.partition(':')[0][:26]:>26}",
        f"{'language':24} " + " ".join(f"{'excess (quartiles)':>26}" for _ in range(2)),
    ]
    better = [0, 0]
    for name in both:
        cells, medians = [], []
        for setting in (first, second):
            values = [result["excess"] for result in runs[setting][name]]
            low, middle, high = quartiles(values)
            medians.append(middle)
            cells.append(f"{_bits(middle)} ({_bits(low)} to {_bits(high)})")
        if medians[0] != medians[1]:
            better[0 if medians[0] < medians[1] else 1] += 1
        lines.append(f"{name[:24]:24} " + " ".join(f"{cell:>26}" for cell in cells))
    for setting in (first, second):
        shared = [result for name in both for result in runs[setting][name]]
        lines.append(f"{setting.partition(':')[0]}: {summary(shared)}")
    lines.append(f"lower median: {better[0]} and {better[1]} of {len(both)} languages")
    return "\n".join(lines)


def quartiles(values: Iterable[float]) -> tuple[float, float, float]:
    ordered = sorted(values)

    def at(share: float) -> float:
        return ordered[round(share * (len(ordered) - 1))]

    middle: Callable[[list[float]], float] = statistics.median_low
    return at(0.25), middle(ordered), at(0.75)


def path_of_others(out: Path, language: str) -> Path:
    return out / f"{file_name(language)}.others.json"


def read_others(out: Path) -> dict[str, Result]:
    found = (json.loads(path.read_text()) for path in sorted(out.glob("*.others.json")))
    return {result["language"]: result for result in found}


def others(runs: Runs, found: dict[str, Result]) -> str:
    """The median of ours over seeds and settings, beside what a user would take instead."""
    names = ("n-gram", "ALERGIA", "LSTM")
    lines = [f"{'language':24} {'ours':>9} " + " ".join(f"{name:>9}" for name in names)]
    for language, result in sorted(found.items()):
        own = [r["excess"] for all_runs in runs.values() for r in all_runs.get(language, ())]
        ours = _bits(quartiles(own)[1]) if own else "-"
        cells = " ".join(f"{_bits(result[name]):>9}" for name in names)
        lines.append(f"{language[:24]:24} {ours:>9} {cells}")
    return "\n".join(lines)
