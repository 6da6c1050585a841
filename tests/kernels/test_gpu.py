"""The search and scores on a card, in Numba's simulator; without a card, what is said."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mdlrnn.kernels.gpu._cuda as cuda_module
from helpers.data import ROOT, is_one_sentence
from mdlrnn import InputError, evolve, score_many, zoo
from mdlrnn.kernels._genome import CONSTRUCTED, DESCENDED, RANDOM
from mdlrnn.kernels.gpu._cuda import _without_unrolling, require_card
from mdlrnn.search.workers._workers import _one_card_each

GPU = ROOT / "src" / "mdlrnn" / "kernels" / "gpu"
KERNEL = re.compile(r"\bkernel\((\w+)[,)]")


def simulated(*case: str) -> Any:
    """What a case of `helpers.simulated_card` prints."""
    if find_spec("numba.cuda") is None:
        pytest.skip("this version of Numba comes without CUDA, and numba-cuda is not installed")
    simulator = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    return printed_by("helpers.simulated_card", *case, **simulator)


def printed_by(module: str, *arguments: str, **environment: str) -> Any:
    """What a module of the helpers prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_every_kernel_compiles_for_a_card() -> None:
    if find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed, whose compiler this takes; a card it does not")
    lines = printed_by("helpers.compiled_card")
    made = {name for path in GPU.glob("*.py") for name in KERNEL.findall(path.read_text())}
    assert len(made) > 10
    assert made - {"feed_networks"} <= set(lines)
    feeding = [name for name in lines if name.startswith("feed_")]
    assert len(feeding) == 2 * len([name for name in feeding if "uncut" in name])
    assert {name.split("_")[1] for name in feeding} == {"all", "narrow", "wide"}
    assert min(lines.values()) > 100


@pytest.mark.parametrize(
    ("how_many", "least"), [("few", 4), pytest.param("more", 10, marks=pytest.mark.slow)]
)
def test_scores_are_those_of_the_cpu(how_many: str, least: int) -> None:
    found = simulated("scores", how_many)
    assert found["activations"] >= 6
    assert found["products"]
    for here, there in found["pairs"]:
        assert here[0] == there[0]
        assert here[2:] == there[2:]
        assert math.isclose(here[1], there[1], rel_tol=1e-9)
    assert sum(math.isfinite(here[1]) for here, _ in found["pairs"]) >= least


@pytest.mark.parametrize("count", [4, pytest.param(24, marks=pytest.mark.slow)])
def test_large_trees_are_swept_to_the_scores_of_the_cpu(count: int) -> None:
    """Level by level, and unit by unit where a network is too long for that."""
    found = simulated("swept", str(count))["pairs"]
    assert sum(math.isfinite(here[1]) for here, _ in found) >= count
    for here, there in found:
        assert here[1] == there[1] or math.isclose(here[1], there[1], rel_tol=1e-12)


@pytest.mark.parametrize("tree", ["small", "large"])
def test_sums_are_not_cut_where_saturation_is_off(tree: str) -> None:
    found = simulated("uncut", tree)
    stack, cut, *others = found["pairs"]
    assert math.isfinite(stack[0][1]), "the stack holds 14 brackets"
    assert cut[0][1] == math.inf, "cut, it does not"
    for here, there in (stack, cut, *others):
        assert here[1] == there[1] or math.isclose(here[1], there[1], rel_tol=1e-12)
    assert found["best"] == [False, True]


def test_islands_go_on_exactly_and_hold_the_scores_of_the_cpu() -> None:
    found = simulated("goes_on")
    assert found["same"]
    assert found["batches"]
    assert found["wrong"] <= 1e-9
    assert found["steps"] == [8, 8]
    assert found["no worse"]
    assert found["front"] == sorted(set(found["front"]))


def test_the_clock_starts_with_the_first_step() -> None:
    assert simulated("clock") == {"reason": "generations", "steps": 4}


@pytest.mark.slow
def test_stagnant_islands_restart_and_archives_keep_their_best() -> None:
    found = simulated("migrates")
    assert found["kept"] == [True, True]
    assert found["restarted"][1]
    assert not found["restarted"][2]
    assert found["restarted"][4]
    assert all(found["fits"])


def test_what_descends_from_a_constructed_network_says_so() -> None:
    before, after = simulated("ancestries")
    assert before == [CONSTRUCTED]
    assert after == [CONSTRUCTED, DESCENDED]


@pytest.mark.parametrize("kind", ["restarts", pytest.param("ring", marks=pytest.mark.slow)])
def test_islands_on_two_cards_are_those_of_one(kind: str) -> None:
    found = simulated("parts", kind)
    assert found["same"] == [True]
    assert found["parts"] == [[[0, 5]], [[0, 2], [2, 5]], [[0, 2], [2, 4], [4, 5]]]


@pytest.mark.slow
def test_a_run_repeats_itself_goes_on_and_is_scored_on_the_cpu(tmp_path: Path) -> None:
    found = simulated("runs", str(tmp_path))
    assert found["digests"][0] == found["digests"][1]
    begun, whole, again = found["ancestries"]
    assert begun == [[RANDOM], [RANDOM, CONSTRUCTED]], "the second island has founders"
    assert whole == again, "through checkpoints and back"
    assert found["origins"][0] == found["origins"][1]
    assert found["front"] == found["scored"]
    assert found["generations"] == [3, 3, 4]
    assert found["stopped"][0] == "stopped"
    assert found["device"] == ["cuda", "cpu"]
    assert math.isclose(*found["value"], rel_tol=1e-12)


@pytest.mark.slow
def test_workers_have_a_card_each_and_find_what_one_card_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    found = simulated("cards", str(tmp_path / "all"))
    assert found["cards"] == ["0", "1"]
    for here, there in (found["digests"], found["values"], found["front"]):
        assert here == there
    assert found["best"] == found["values"][1], "scored again on the CPU"
    folders = sorted(found["folders"])
    assert folders == [str(tmp_path / "all" / f"seed-{seed}") for seed in (5, 6)]


@pytest.mark.slow
def test_one_run_on_several_cards_is_that_of_one_card_whoever_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    found = simulated("spread", str(tmp_path))
    assert len(set(found["digests"])) == 1
    assert found["killed"] == 1
    assert len(set(found["later"])) == 1
    assert found["front"][0] == found["front"][1]
    assert "2 cards" in found["described"]


def test_the_cards_of_a_process_are_those_that_it_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    three = [SimpleNamespace(uuid=f"GPU-{number}") for number in "abc"]
    monkeypatch.setattr(cuda_module, "SIMULATED", False)
    monkeypatch.setattr(cuda_module, "cuda", SimpleNamespace(gpus=three))
    monkeypatch.setattr(cuda_module, "require_card", lambda: None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert cuda_module.cards() == ["0", "1", "2"]
    assert cuda_module.card_of_process().endswith(" GPU-a")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4, GPU-7,5")
    assert cuda_module.cards() == ["4", "GPU-7", "5"]


def test_each_process_gets_a_card_that_no_other_has() -> None:
    class Processes:
        def __init__(self) -> None:
            self.worker_spec: dict[int, Any] = {}

        def new_worker_spec(self) -> dict[int, Any]:
            return {len(self.worker_spec): {"cls": "Nanny", "options": {"nthreads": 1}}}

    made = _one_card_each(Processes, ["3", "GPU-7"])()
    for _ in range(2):
        made.worker_spec.update(made.new_worker_spec())
    options = [spec["options"] for spec in made.worker_spec.values()]
    assert options == [
        {"nthreads": 1, "env": {"CUDA_VISIBLE_DEVICES": card}} for card in ("3", "GPU-7")
    ]


def has_card() -> bool:
    try:
        require_card()
    except InputError:
        return False
    return True


without_card = pytest.mark.skipif(has_card(), reason="there is a card")


@without_card
def test_without_a_card_one_sentence_says_so(tmp_path: Path) -> None:
    for call in (
        lambda: evolve("anbn", workers="cuda", out=tmp_path / "run"),
        lambda: score_many([zoo.anbn()], "anbn", workers="cuda"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert is_one_sentence(str(caught.value))
    assert not (tmp_path / "run").exists()


def test_a_card_is_known_by_its_name() -> None:
    for call in (evolve, lambda *given, **named: score_many([zoo.anbn()], *given, **named)):
        with pytest.raises(InputError, match="workers is 'gpu'; give a number of threads"):
            call("anbn", workers="gpu")
    with pytest.raises(InputError, match="this is done by this machine alone"):
        score_many([zoo.anbn()], "anbn", workers="cuda@local:2")


def test_every_jump_back_is_marked_and_no_other() -> None:
    text = """define void @f() {
entry:
  br label %"loop"
"loop":
  br i1 %c, label %"loop", label %"end"
end:
  ret void
}
"""
    marked = _without_unrolling(text).splitlines()
    assert [line for line in marked if "llvm.loop !" in line] == [
        '  br i1 %c, label %"loop", label %"end", !llvm.loop !1000000'
    ]
    assert marked[-2:] == [
        "!1000000 = distinct !{!1000000, !1000001}",
        '!1000001 = !{!"llvm.loop.unroll.disable"}',
    ]
    assert _without_unrolling("define void @g() {\nentry:\n  ret void\n}\n").count("!") == 0
