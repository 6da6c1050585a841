"""What is said of a search that did not do well, and what to try then."""

from __future__ import annotations

from ..corpus import Corpus
from ..measures import list_length, percent_text, trigram_length
from ..network import Objective
from ..search import Run
from ._text import time_text

FAR = 100.0
"""Bits by which something simple must be better to be worth a word; a list of three strings
always is, by a few."""
STAGNANT = 0.5
"""The share of a run's steps without anything better that is worth a word."""
FEWEST_STEPS = 100_000
"""A run that was shorter has not stagnated."""


def advice(run: Run, corpus: Corpus) -> list[str]:
    """Sentences, none where there is nothing to say."""
    return [*_simpler(run, corpus), *_stagnant(run)]


def _simpler(run: Run, corpus: Corpus) -> list[str]:
    """Whether something simple describes the corpus in fewer bits than the best network."""
    if corpus.alphabet is None or run.objective != Objective():
        return []
    models = {
        "a trigram model with its counts": trigram_length(corpus),
        "a list of the strings with their frequencies": list_length(corpus),
    }
    name, bits = min(models.items(), key=lambda item: item[1])
    if bits + FAR > run.score.mdl:
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
