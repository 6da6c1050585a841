"""One run: a language, a setting and a seed, and what came of it."""

from __future__ import annotations

import ast
import json
import math
import time
from pathlib import Path
from typing import Any, NamedTuple

from ._catalogue import Entry
from ._tables import file_name

STRINGS = 500
"""Training strings of a language that is known."""
FRESH = 5_000
"""Strings drawn to measure with, from another seed than the training strings."""
FRESH_SEED = 20_000
RIGHT = 0.1
"""A proof that every probability, of the best network or of another on the front, is off by less
than this counts; 500 strings do not tell probabilities better."""


class Job(NamedTuple):
    entry: Entry
    setting: str
    seed: int
    seconds: float
    given_size: int
    """Training strings, unless the language has a number of its own."""
    out: Path

    @property
    def size(self) -> int:
        return self.given_size if self.entry.size is None else self.entry.size

    @property
    def path(self) -> Path:
        parts = (self.entry.name, self.setting.partition(":")[0])
        first, second = map(file_name, parts)
        return self.out / f"{first}--{second}--{self.seed}.json"


def changes_of(setting: str) -> dict[str, Any]:
    """`name:field=value,field=value` as the changes to the default search."""
    _, _, text = setting.partition(":")
    pairs = [part.partition("=") for part in text.split(",") if part]
    return {key: ast.literal_eval(value) for key, _, value in pairs}


def carry_out(job: Job) -> dict[str, Any]:
    """Search, measure, and prove where there is a machine."""
    from mdlrnn import Search, Stop, evolve

    known = job.entry.test is None
    search = Search().but(changes_of(job.setting))
    began = time.monotonic()
    run = evolve(
        job.entry.source, search, stop=Stop(seconds=job.seconds), seed=job.seed, prove=known,
        workers=1, progress=False, size=job.size if known else None,
    )  # fmt: skip
    last = run.history[-1]
    result: dict[str, Any] = {
        "language": job.entry.name, "setting": job.setting, "seed": job.seed, "g": run.score.g,
        "source": _source(job.entry), "size": job.size if known else None,
        "mdl": run.score.mdl, "scheme": run.encoding.scheme, "found_seconds": last["seconds"],
        "found_steps": last["steps"], "found_generation": last["generation"],
        "generations": run.archipelago.generation, "steps": run.statistics.steps,
        "seconds": run.statistics.seconds,
        "origin": None if run.origin is None else run.origin.to_dict(),
        "network": run.best.to_dict(),
    }  # fmt: skip
    if known:
        result |= _against_language(job, run)
    else:
        result |= _against_strings(job, run)
    result["all_seconds"] = time.monotonic() - began
    return result


def keep(job: Job, result: dict[str, Any]) -> None:
    """Write a result where it is looked for, all of it or nothing."""
    job.out.mkdir(parents=True, exist_ok=True)
    partial = job.path.with_suffix(".part")
    partial.write_text(json.dumps(result))
    partial.replace(job.path)


def _source(entry: Entry) -> dict[str, str]:
    """What was searched on, so that the result can be read without this folder."""
    path = Path(entry.source)
    if not path.is_file():
        return {"name": entry.source}
    if entry.test is not None:
        return {"corpus": path.name}
    return {"file": path.name, "text": path.read_text()}


def _against_language(job: Job, run: Any) -> dict[str, Any]:
    """Bits a string above the language itself, on new strings and on longer ones."""
    from mdlrnn.languages import language_from
    from mdlrnn.languages._longer import longer_sequences
    from mdlrnn.machines._transducer import Transducer
    from mdlrnn.measures._measures import measure, measure_parts

    task = language_from(job.entry.source)
    if isinstance(task.rules, Transducer):  # a training set may be all there is of its size
        new = longer_sequences(task.rules, FRESH_SEED)
    else:
        new = task.training(FRESH, FRESH_SEED)
    fresh, _ = measure_parts(run.best, task, [new])
    longer = measure(run.best, task, job.size).test
    theorem = run.verdict
    best = theorem.proof if theorem is not None else None
    proved = theorem.proved if theorem is not None else None
    return {
        "excess": (fresh.bits - fresh.optimal_bits) / fresh.strings,
        "longer": (longer.bits - longer.optimal_bits) / longer.strings,
        "margin": None if proved is None else proved.margin,
        "proved": proved is not None and proved.margin <= RIGHT,
        "proved_best": best is not None and best.proved and best.margin <= RIGHT,
        "other": _other(run),
    }


def _other(run: Any) -> dict[str, Any] | None:
    """The network that the theorem is about, where it is not the best one."""
    other = None if run.verdict is None else run.verdict.other
    if other is None:
        return None
    return {"network": other.network.to_dict(), "mdl": run.score.mdl + run.verdict.more_bits}


def _against_strings(job: Job, run: Any) -> dict[str, Any]:
    """Bits a string above the entropy of the test file, estimated from its frequencies."""
    from mdlrnn import Corpus, InputError, score

    assert job.entry.test is not None
    corpus = Corpus.load(job.entry.test)
    try:
        bits = score(run.best, corpus).d_given_g / corpus.sequences
    except InputError:  # a symbol that training lacks
        bits = math.inf
    return {"excess": bits - _entropy(corpus), "longer": None, "margin": None, "proved": None}


def _entropy(corpus: Any) -> float:
    """Bits a string, from the frequencies of the strings, with Miller's correction."""
    counts = [count for _, count in corpus.strings()]
    total = sum(counts)
    entropy = -sum(c / total * math.log2(c / total) for c in counts)
    return float(entropy + (len(counts) - 1) / (2 * total * math.log(2)))


def against_others(entry: Entry, size: int) -> dict[str, Any]:
    """Bits a string too many on new strings, for what a user would take instead."""
    from mdlrnn import Corpus
    from mdlrnn.languages import language_from

    from ._baselines import baselines

    if entry.test is not None:
        training, test = Corpus.load(entry.source), Corpus.load(entry.test)
        least = _entropy(test) * test.sequences
    else:
        task = language_from(entry.source)
        training, test = task.training(size), task.training(FRESH, FRESH_SEED)
        least = task.truth(test).optimal_bits
    found = baselines(training, test)
    strings = test.sequences
    return {name: None if b is None else (b - least) / strings for name, b in found.items()}
