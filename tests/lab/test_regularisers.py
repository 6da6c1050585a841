"""`mdlrnn lab regularisers`: what is searched, what is kept, and what the table says."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from helpers.commands import Result, refused
from mdlrnn import Network, Search, Stop, zoo
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn_lab.tables import _regularisers as regularisers

TABLE = (
    "lab", "regularisers", "--tasks", "anbn_pcfg,toy_english", "--regularisers", "mdl,size",
    "--out", "t", "--quiet", "--workers", 1,
)  # fmt: skip


@pytest.fixture(autouse=True)
def few_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is over in a moment."""
    monkeypatch.setattr(regularisers, "Search", partial(Search, islands=2, population=20))
    monkeypatch.setattr(tasks_module, "BEYOND", 30)


def test_golden_networks_are_searched_from_and_beside_nothing(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(*TABLE, "--generations", 3)
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    for task in ("anbn_pcfg", "toy_english"):
        golden = json.loads(Path(f"t/cells/{task}-golden.json").read_text())
        network = zoo.golden(task)
        for kind in ("mdl", "size"):
            found = json.loads(Path(f"t/cells/{task}-{kind}-golden-1.json").read_text())
            best = Network.from_dict(found["network"])
            assert found["kept"] == (best == network)
            # What a search starts from is never lost to something worse.
            value = found["d_given_g"] + (found["g"] if kind == "mdl" else 0)
            start = golden["d_given_g"] + (golden["g"] if kind == "mdl" else 0)
            assert value <= start + 1e-6
            if kind == "size":
                assert len(best.units) <= len(network.units)
                assert len(best.connections) <= len(network.connections)
    page = Path("t/regularisers.md").read_text()
    assert "- Each search: 3 generations" in page
    assert "| toy_english |  |  | 429 | 2,232.74 | +0.01 % | golden |" in page
    assert Path("t/regularisers.csv").read_text().count("\n") == 1 + 8

    def never(*_: object, **__: object) -> None:
        raise AssertionError("searched again")

    monkeypatch.setattr(regularisers, "evolve_islands", never)
    assert run(*TABLE, "--generations", 3).out == out
    assert refused(run(*TABLE, "--generations", 4), "for 3 generations, not 4 generations")


def test_what_is_asked_for_twice_is_done_once() -> None:
    stop = Stop(generations=3)
    once = regularisers.cells(["anbn_pcfg"], ["mdl"], [1], stop)
    assert regularisers.cells(["anbn_pcfg"] * 2, ["mdl", "mdl"], [1], stop) == once


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tasks", "anbn"), "unknown golden network 'anbn'; did you mean anbn_pcfg?"),
        (("--tasks", ","), "unknown golden network ''"),
        (("--workers", "100000"), "workers is 100000"),
        (("--markdown", "/"), "is a folder; name a file to write"),
        (("--regularisers", "l3"), "unknown regulariser 'l3'"),
        (("--time-per-run", "soon"), "--time-per-run"),
    ],
)
def test_what_there_is_not_is_refused(
    run: Callable[..., Result], options: tuple[str, ...], message: str
) -> None:
    assert refused(run("lab", "regularisers", "--out", "t", *options), message)
    assert not Path("t").exists()
