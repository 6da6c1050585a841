"""What is said when a run has ended."""

from __future__ import annotations

import math
import os
import shlex
from pathlib import Path

from ..corpus._corpus import Corpus
from ..extraction._learned import Learned
from ..interface._advice import advice
from ..interface._say import say, say_json
from ..interface._text import bits_text, filled, table, time_text
from ..network._alphabet import has_words, spelled
from ..network._encoding import Encoding
from ..network._text import describe
from ..runs._files import CORPUS, HELD_OUT, PROVED
from ..runs._networks import read_corpus
from ..runs._settings import Settings, read_settings
from ..search._run import Run
from ..tasks._sources import is_language_file
from ..tasks._tasks import split_size

ROWS = 9
"""Rows of the front that are shown."""


def print_outcome(run: Run) -> None:
    assert run.folder is not None
    spent = f"after {run.statistics.steps:,} steps in {time_text(run.statistics.seconds)}"
    say(f"Ended: {_why(run)}.")
    say(f"Generation {run.archipelago.generation:,}, {spent}.\n")
    for line in describe(run.best).splitlines():
        say(filled(line, "    "))
    say()
    say(f"|G|          {run.score.g:>12,}     bits, the network")
    say(f"|D:G|        {bits_text(run.score.d_given_g):>15}  bits, the corpus")
    say(f"|G| + |D:G|  {bits_text(run.score.mdl):>15}  bits")
    if run.value != run.score.mdl:
        say(f"objective    {bits_text(run.value):>15}")
    if len(run.front) > 1:
        say("\nThe lowest |D:G| found for each |G| (front.json):")
        say(_front(run))
    if run.theorem is not None:
        say()
        for sentence in run.theorem.lines(PROVED, run.best):
            say(filled(sentence))
    corpus = read_corpus(run.folder / CORPUS)
    if run.theorem is None or run.theorem.proved is None:
        for sentence in advice(run, corpus):
            say("\n" + filled(sentence))
    say(f"\nSaved in {run.folder}. Next:")
    for command in _next(run, run.folder, read_settings(run.folder), corpus):
        say(f"  {command}")
    found = _learned(run)
    if found is not None:
        say()
        say_learned(found, corpus)


def _learned(run: Run) -> Learned | None:
    """A run on one's own strings ends with what was learned; one on a language that is known, with
    its theorem."""
    if run.reason == "stopped" or (run.theorem is not None and run.theorem.proved is not None):
        return None
    assert run.folder is not None
    return None if read_settings(run.folder).corpus.get("task") else run.learned


def say_learned(found: Learned, corpus: Corpus | None) -> None:
    for line in str(found).split("\n"):
        say(line if line.startswith("  ") else filled(line))
    belongs = None if corpus is None else found.of_corpus(corpus)
    if belongs is not None:
        say(filled(belongs))


def print_json(run: Run) -> None:
    statistics = run.statistics
    found = _learned(run)
    say_json(
        {
            "folder": str(run.folder),
            "reason": run.reason,
            "generation": run.archipelago.generation,
            "steps": statistics.steps,
            "evaluations": statistics.evaluations,
            "seconds": statistics.seconds,
            "steps_per_second": statistics.steps_per_second,
            "value": run.value,
            "g": run.score.g,
            "d_given_g": run.score.d_given_g,
            "mdl": run.score.mdl,
            "network": run.best.to_dict(),
            "front": [
                {"g": s.g, "d_given_g": s.d_given_g, "mdl": s.mdl, "network": n.to_dict()}
                for n, s in run.front
            ],
            "history": run.history,
            "digest": run.archipelago.digest(),
            "theorem": None if run.theorem is None else run.theorem.to_dict(),
            "learned": None if found is None else found.to_dict(),
        }
    )


def _why(run: Run) -> str:
    stop = run.stop
    match run.reason:
        case "target":
            return f"the target of {stop.target:,.10g} is reached"
        case "patience":
            return f"nothing better in {stop.patience:,} generations"
        case "time":
            return f"the time of {time_text(stop.seconds or 0)} is up"
        case "stopped":
            return "you stopped it"
        case "proved":
            return "a network is proved right for every string"
        case _:
            return "all generations asked for are done"


def _front(run: Run) -> str:
    """The rows around the best network."""
    scores = [score for _, score in run.front]
    middle = min(range(len(scores)), key=lambda i: (abs(scores[i].g - run.score.g), i))
    start = max(0, min(middle - ROWS // 2, len(scores) - ROWS))
    rows = [
        [f"{s.g:,}", bits_text(s.d_given_g), bits_text(s.mdl), "the best" if i == middle else ""]
        for i, s in enumerate(scores)
    ]
    return table(["|G|", "|D:G|", "MDL", ""], rows[start : start + ROWS])


def _next(run: Run, folder: Path, settings: Settings, corpus: Corpus) -> list[str]:
    home = shlex.quote(str(folder))
    about = settings.corpus
    words = corpus.alphabet is not None and has_words(corpus.alphabet)
    path, task = about.get("path"), about.get("task") or about.get("notation")
    if isinstance(path, str) and is_language_file(path):
        task = min(path, os.path.relpath(path), key=len)
        path = None
    commands = [f"mdlrnn feed {home} {_example(corpus, words)}"]
    if path is not None:
        here = shlex.quote(min(path, os.path.relpath(path), key=len))
        flag = " --words" if about.get("words") else ""
        commands.append(f"mdlrnn score {home} {here}{flag}{_encoding(run.encoding)}")
    held_out = folder / HELD_OUT
    if held_out.exists():
        commands.append(f"mdlrnn test {home} {shlex.quote(str(held_out))}")
    if task is None and corpus.alphabet is not None:
        commands.append(f"mdlrnn learned {home} -o learned.lang")
    if task is not None:
        commands.append(f"mdlrnn test {home} {shlex.quote(task)}")
        commands.append(f"mdlrnn prove {home} {shlex.quote(split_size(task)[0])}")
    commands.append(f"mdlrnn report {home} -o report.html")
    more = {
        "generations": f" --generations {2 * max(1, run.stop.last_generation)}",
        "patience": " --patience none",
        "target": " --target none",
        "time": f" --time {math.ceil(2 * (run.stop.seconds or 0))}s",
    }.get(run.reason, "")
    commands.append(f"mdlrnn evolve --resume {home}{more}")
    return commands


def _example(corpus: Corpus, words: bool) -> str:
    """A short string of the corpus, ready to be typed."""
    if corpus.alphabet is None:
        step = ",".join(["1"] * corpus.inputs)
        return shlex.quote(f"{step} {step}")
    short = [string for _, (string, _) in zip(range(3), corpus.strings(), strict=False)]
    return shlex.quote(spelled(short[-1], words))


def _encoding(encoding: Encoding) -> str:
    """The options under which `mdlrnn score` gives the same |G|."""
    plain = Encoding()
    text = "" if encoding.scheme == plain.scheme else f" --encoding {encoding.scheme}"
    if encoding.says_parts:
        return text
    if encoding.activations != plain.activations:
        text += f" --activations {','.join(encoding.activations)}"
    return text + (" --products" if encoding.products else "")
