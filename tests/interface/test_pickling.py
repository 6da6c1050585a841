"""Every value that the interface gives back pickles and copies, as a process pool needs it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import pytest

import mdlrnn
from mdlrnn import Corpus, Encoding, Objective, Run, Search, Stop, evolve, languages, show, zoo
from mdlrnn.languages import EVERY_TASK

SMALL = Search(islands=2, population=20)
SHORT = Stop(generations=5)


def run_of(source: object) -> Run:
    return evolve(source, SMALL, stop=SHORT, progress=False, workers=1)


VALUES: dict[str, Callable[[], Any]] = {
    "a run of a task": lambda: run_of("anbn_100"),
    "a run of strings": lambda: run_of(["ab", "aabb", "aaabbb"] * 5),
    "a verdict": lambda: run_of("anbn_100").verdict,
    "a proof": lambda: mdlrnn.prove(zoo.anbn(), "anbn"),
    "a proof of addition": lambda: mdlrnn.prove(zoo.addition(), "addition"),
    "a proof of brackets": lambda: mdlrnn.prove(zoo.dyck1(), "dyck1"),
    "what was learned": lambda: mdlrnn.learned(zoo.anbn()),
    "a comparison": lambda: mdlrnn.compare(zoo.anbn(), zoo.anbn()),
    "a report": lambda: mdlrnn.test(zoo.anbn(), "anbn_100"),
    "a report of strings": lambda: mdlrnn.test(zoo.anbn(), ["ab", "aabb"]),
    "a trace": lambda: mdlrnn.feed(zoo.anbn(), "ab"),
    "a corpus": lambda: Corpus.from_strings(["ab"]),
    "a network": zoo.anbn,
    "a score": lambda: mdlrnn.score(zoo.anbn(), ["ab"]),
    "a drawing": lambda: show.draw(zoo.anbn()),
    "settings": lambda: (SMALL, SHORT, Encoding(), Objective()),
    "a language": lambda: mdlrnn.language("a^n b^n"),
    "strings": lambda: mdlrnn.language(["ab"]),
    **{f"the task {name}": partial(EVERY_TASK.__getitem__, name) for name in EVERY_TASK},
}


@pytest.mark.parametrize("name", VALUES)
def test_it_pickles_and_copies(name: str) -> None:
    value = VALUES[name]()
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value)
        assert repr(again) == repr(value)


def test_what_comes_back_still_works() -> None:
    language = pickle.loads(pickle.dumps(languages.anbn()))
    assert language.sample(5) == languages.anbn().sample(5)
    task = pickle.loads(pickle.dumps(EVERY_TASK["dyck2"]))
    assert task.strings(5, 7) == EVERY_TASK["dyck2"].strings(5, 7)
    proof = pickle.loads(pickle.dumps(mdlrnn.prove(zoo.anbn(), "anbn")))
    assert proof.certificate() == mdlrnn.prove(zoo.anbn(), "anbn").certificate()


def test_runs_and_proofs_come_back_from_a_pool() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        run = pool.submit(run_of, "anbn_100").result()
        proof = pool.submit(mdlrnn.prove, zoo.anbn(), "anbn").result()
    assert run.archipelago.digest() == run_of("anbn_100").archipelago.digest()
    assert proof.proved
