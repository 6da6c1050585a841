"""What is said when a run has ended, and of a search that did not do well, what to try then."""

from __future__ import annotations

import math
import os
from pathlib import Path

from ..corpus import Corpus
from ..extraction import Verdict
from ..interface import bits_text, filled, say, say_json, shell_text, table, time_text
from ..languages import is_language_file, language_of_run, split_size
from ..measures import list_length, percent_text, trigram_length
from ..network import Objective, describe, has_words, spelled, symbols_of
from ..runs import CORPUS, HELD_OUT, Settings, read_corpus, read_settings
from ..search import Run

ROWS = 9
"""Rows of the front that are shown."""
LONGEST_EXAMPLE = 48
"""Characters of a string that is offered to be fed."""
LOOKED_AT = 1_000
"""Strings among which it is looked for."""


def print_outcome(run: Run) -> None:
    assert run.out is not None
    spent = f"after {run.statistics.steps:,} steps in {time_text(run.statistics.seconds)}"
    say(filled(f"Ended: {_why(run)}."))
    say(f"Generation {run.archipelago.generation:,}, {spent}.")
    say()
    for line in describe(run.best).splitlines():
        say(filled(line, "    "))
    say()
    say(f"|G|          {run.score.g:>12,}     bits, the network")
    say(f"|D:G|        {bits_text(run.score.d_given_g):>15}  bits, the corpus")
    say(f"|G| + |D:G|  {bits_text(run.score.mdl):>15}  bits")
    if run.value != run.score.mdl and run.found is None:
        say(f"objective    {bits_text(run.value):>15}")
    if len(run.front) > 1:
        say("\nThe lowest |D:G| found for each |G| (front.json):")
        say(_front(run))
    corpus = read_corpus(run.out / CORPUS)
    say(f"\nSaved in {run.out}. Next:")
    for command in _next(run, run.out, read_settings(run.out), corpus):
        say(f"  {command}")
    if run.reason == "stopped":
        if run.found is not None:
            say("\n" + "\n".join(map(filled, str(run.found).split("\n"))))
        return
    say()
    say_verdict(run.verdict)
    for sentence in advice(run, corpus):
        say("\n" + filled(sentence))


def say_verdict(verdict: Verdict) -> None:
    for line in verdict.lines:
        say(line if line.startswith("  ") else filled(line))


def print_json(run: Run) -> None:
    statistics = run.statistics
    verdict = None if run.reason == "stopped" else run.verdict
    say_json(
        {
            "folder": str(run.out),
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
            "origin": None if run.origin is None else run.origin.to_dict(),
            "expression": None if run.found is None else run.found.to_dict(),
            "network": run.best.to_dict(),
            "front": [
                {"g": s.g, "d_given_g": s.d_given_g, "mdl": s.mdl, "network": n.to_dict()}
                for n, s in run.front
            ],
            "history": run.history,
            "digest": run.archipelago.digest(),
            "verdict": None if verdict is None else verdict.to_dict(),
            "theorem": None if verdict is None else verdict.theorem_dict(),
            "learned": None
            if verdict is None or verdict.learned is None
            else verdict.learned.to_dict(),
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
        case "proved" if run.concluded is not None and run.concluded.title is None:
            return (
                "what the best network has learned is proved of it for every length; the machine "
                "below was read off the network, and all strings fit it"
            )
        case "proved":
            return "a network is proved right for every string"
        case _:
            return "all generations asked for are done"


def _front(run: Run) -> str:
    """The rows around the best network."""
    scores = [score for _, score in run.front]
    middle = min(range(len(scores)), key=lambda i: (abs(scores[i].g - run.score.g), i))
    start = max(0, min(middle - ROWS // 2, len(scores) - ROWS))
    best = None if run.found is not None else run.score
    rows = [
        [f"{s.g:,}", bits_text(s.d_given_g), bits_text(s.mdl), "the best" if s == best else ""]
        for s in scores
    ]
    return table(["|G|", "|D:G|", "MDL", ""], rows[start : start + ROWS])


def _next(run: Run, folder: Path, settings: Settings, corpus: Corpus) -> list[str]:
    home = shell_text(str(folder))
    about = settings.corpus
    words = corpus.alphabet is not None and has_words(corpus.alphabet)
    path, task = about.get("path"), about.get("task") or about.get("notation")
    if isinstance(path, str) and is_language_file(path):
        task = min(path, os.path.relpath(path), key=len)
        path = None
    example = _example(corpus, words)
    commands = [] if example is None else [f"mdlrnn feed {home} {example}"]
    if path is not None:
        here = shell_text(min(path, os.path.relpath(path), key=len))
        flag = " --words" if about.get("words") else ""
        commands.append(f"mdlrnn score {home} {here}{flag}")
    held_out = folder / HELD_OUT
    if held_out.exists():
        commands.append(f"mdlrnn test {home} {shell_text(str(held_out))}")
    if task is not None:
        commands.append(f"mdlrnn test {home} {shell_text(task)}")
    known = language_of_run(about)
    if task is not None and known is not None and known.machine is not None:
        commands.append(f"mdlrnn prove {home} {shell_text(split_size(task)[0])}")
    elif corpus.alphabet is not None:
        commands.append(f"mdlrnn learned {home} -o learned.lang")
    commands.append(f"mdlrnn report {home} -o report.html")
    # A run that was resumed may have had more than was asked for.
    generations = max(1, run.stop.last_generation, run.archipelago.generation)
    seconds = max(run.stop.seconds or 0, run.statistics.seconds)
    more = {
        "generations": f" --generations {2 * generations}",
        "patience": " --patience none",
        "target": " --target none",
        "time": f" --time {math.ceil(seconds)}s",
    }.get(run.reason, "")
    commands.append(f"mdlrnn evolve --resume {home}{more}")
    return commands


def _example(corpus: Corpus, words: bool) -> str | None:
    """A short string of the corpus, ready to be typed; None if there is none."""
    if corpus.alphabet is None:
        step = ",".join(["1"] * corpus.inputs)
        return shell_text(f"{step} {step}")
    found = None
    for place, (string, _) in enumerate(corpus.strings()):
        text = spelled(string, words)
        if len(text) > LONGEST_EXAMPLE or (place > 2 and (found is not None or place >= LOOKED_AT)):
            break
        # What begins with a dash is an option, and what is not printable cannot be typed.
        same = symbols_of(text, corpus.alphabet, words) == list(string)
        if text.isprintable() and not text.startswith("-") and same:
            found = text
    return None if found is None else shell_text(found)


FAR = 100.0
"""Bits by which something simple must be better to be worth a word; a list of three strings
always is, by a few."""
STAGNANT = 0.5
"""The share of a run's steps without anything better that is worth a word."""
FEWEST_STEPS = 100_000
"""A run that was shorter has not stagnated."""


def advice(run: Run, corpus: Corpus) -> list[str]:
    """Sentences; none where the language is known and a network proved right for it."""
    if run.found is not None or run.is_proved:
        return []
    return [*_simpler(run, corpus), *_stagnant(run)]


def _simpler(run: Run, corpus: Corpus) -> list[str]:
    """Whether something simple describes the corpus in fewer bits than the best network. Where it
    is proved and all strings fit, what counts are the bits of the strings given the network."""
    if corpus.alphabet is None or run.objective != Objective():
        return []
    models = {
        "a trigram model with its counts": trigram_length(corpus),
        "a list of the strings with their frequencies": list_length(corpus),
    }
    name, bits = min(models.items(), key=lambda item: item[1])
    fits = run.verdict.fits
    covers = run.verdict.theorem is not None and fits is not None and fits.right == fits.all
    if bits + FAR > run.score.mdl or (covers and run.score.d_given_g <= bits):
        return []
    return [
        f"The best network is worse than something simple: {name} would describe these strings in "
        f"about {bits:,.0f} bits, {run.score.mdl - bits:,.0f} fewer. The search probably missed "
        "what there is to find; give it more time, or several seeds (--seeds 4)."
    ]


def _stagnant(run: Run) -> list[str]:
    if run.reason not in ("generations", "time") or not run.history:
        return []
    steps, last = run.statistics.steps, run.history[-1]
    if steps < FEWEST_STEPS or last["steps"] > STAGNANT * steps:
        return []
    share = percent_text(1 - last["steps"] / steps, 0)
    return [
        f"Nothing better was found after {time_text(last['seconds'])}, in {share} % of the steps. "
        "More of the same is unlikely to help; if the network is not right, more strings, another "
        "seed (--seeds 4) or more islands may."
    ]
