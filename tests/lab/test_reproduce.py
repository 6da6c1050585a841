"""`mdlrnn lab table`: what it runs, what it keeps, and that its tables say what was measured."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import mdlrnn
from helpers.commands import Result, refused
from mdlrnn import InputError, Network
from mdlrnn.cli._options import SEARCHES
from mdlrnn.kernels import gpu
from mdlrnn.languages import TASKS
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn.machines._machine import Machine
from mdlrnn.measures._measures import measure
from mdlrnn_lab.rnns import with_size
from mdlrnn_lab.tables import _formal_languages as formal_languages
from mdlrnn_lab.tables._formal_languages import (
    Entry,
    by_test,
    by_training,
    flat,
    table_sheet,
    verdict,
)
from mdlrnn_lab.tables._runs import Wanted
from mdlrnn_lab.tables._sheet import (
    Sheet,
    cross_entropy,
    latex,
    markdown,
    percent,
    published,
    published_for,
    tex,
)

SHORT = ("--generations", 3, "--quiet")
TABLE = ("lab", "table", "--tasks", "anbn_100,addition_100", "--seeds", 2, *SHORT)


@pytest.fixture(autouse=True)
def few_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is over in a moment."""
    small = lambda: mdlrnn.Search(islands=2, population=20)  # noqa: E731
    monkeypatch.setitem(SEARCHES, "default", small)
    monkeypatch.setattr(tasks_module, "BEYOND", 30)


def test_the_papers_own_search_has_its_published_budget(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Wanted] = []

    def note(wanted: Wanted, runner: object) -> None:
        asked.append(wanted)
        raise InputError("enough.")

    monkeypatch.setattr(formal_languages, "evolved", note)
    monkeypatch.setattr(gpu, "require_card", lambda: None)
    for task in ("anbn_500", "dyck2"):
        run("lab", "table", "--search", "paper", "--tasks", task, "--workers", "cuda", "--out", "t")
    counter, stack = asked
    assert counter.stop == stack.stop == mdlrnn.Stop(generations=25_000)
    assert counter.search == mdlrnn.Search.paper(encoding="tacl2022")
    assert stack.search == counter.search.but({"islands": 500})


def test_the_table_has_what_mdlrnn_test_measures(run: Callable[..., Result]) -> None:
    code, out, _ = run(*TABLE, "--out", "t", "--no-proofs")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    with Path("t/table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["selected"] for row in rows] == ["paper", "by training", "by test"] * 2
    own = rows[1]
    best = Network.load(f"t/runs/anbn_100-{own['seed']}/best.json")
    report = measure(best, TASKS["anbn"], 100).to_dict()
    assert float(own["mdlrnn_test_cross_entropy"]) == report["test_cross_entropy"]
    assert float(own["mdlrnn_test_accuracy"]) == report["test_deterministic_accuracy"]
    assert float(rows[0]["rnn_test_cross_entropy"]) == pytest.approx(0.532)
    page = Path("t/table.md").read_text()
    assert "mdlrnn lab table --tasks anbn_100,addition_100" in page
    assert "- Machine: " in page
    assert "| a^n b^n, 100 | paper | 439.9 | 29.4 | 53.2 | 25.8 | 100.0 | 99.8 |" in page
    assert r"$a^{n} b^{n}$, 100 & paper & 439.9" in Path("t/table.tex").read_text()


@pytest.mark.slow
def test_a_cluster_does_not_matter(run: Callable[..., Result]) -> None:
    """Two searches one after the other on the same workers."""
    pytest.importorskip("distributed", reason="pip install distributed to test Dask")
    one = ("lab", "table", "--tasks", "anbn_100", "--seeds", 2, *SHORT, "--no-proofs")
    for more in (("--out", "here"), ("--out", "there", "--workers", "local:2")):
        assert run(*one, *more).code == 0
    for seed in (1, 2):
        best = [Path(f"{out}/runs/anbn_100-{seed}/best.json") for out in ("here", "there")]
        assert best[0].read_text() == best[1].read_text()


def test_a_table_is_printed_again_without_searching(run: Callable[..., Result]) -> None:
    _, out, _ = run(*TABLE, "--out", "t", "--no-proofs")
    logs = {path: path.read_text() for path in Path("t/runs").glob("*/log.jsonl")}
    assert len(logs) == 4
    _, again, _ = run(*TABLE, "--out", "t", "--no-proofs", "--markdown", "page.md")
    assert again == out
    assert logs == {path: path.read_text() for path in logs}
    assert Path("page.md").read_text() == Path("t/table.md").read_text()


def test_more_generations_go_on_with_the_same_runs(run: Callable[..., Result]) -> None:
    run("lab", "table", "--tasks", "anbn_100", "--seeds", 1, *SHORT, "--out", "t")
    longer = ("--generations", 6, "--quiet")
    run("lab", "table", "--tasks", "anbn_100", "--seeds", 2, *longer, "--out", "t")
    run("lab", "table", "--tasks", "anbn_100", "--seeds", 2, *longer, "--out", "fresh")
    for seed in (1, 2):
        name = f"figures/anbn_100-{seed}.json"
        one, other = (json.loads((Path(home) / name).read_text()) for home in ("t", "fresh"))
        for key in ("network", "steps", "mdl", "test_cross_entropy", "hidden"):
            assert one[key] == other[key]
    log = Path("t/runs/anbn_100-1/log.jsonl").read_text()
    kinds = [json.loads(line)["event"] for line in log.splitlines()]
    assert kinds.count("resume") == 1


def test_runs_with_other_settings_are_refused(run: Callable[..., Result]) -> None:
    one = ("lab", "table", "--tasks", "anbn_100", "--seeds", 1, *SHORT, "--out", "t")
    run(*one)
    again = run(*one, "--encoding", "paper")
    refused(again, "was searched with other settings (encoding)")
    refused(run(*one, "--unrestricted"), "was searched with other settings (unrestricted)")


def test_a_row_of_the_paper_is_of_one_network() -> None:
    """As the three released runs have it: the best of them by training is often another."""
    task, size = with_size("anbncn_500")
    ours = {
        "seed": 1, "mdl": 9.0, "g": 1, "test_d_given_g": 1.0, "test_cross_entropy": 0.2,
        "optimal_test_cross_entropy": 0.2, "test_deterministic_accuracy": 1.0,
        "test_categorical_accuracy": 1.0,
    }  # fmt: skip
    printed_row, by_training_row = flat([Entry(task, size, (ours,))])[:2]
    assert (printed_row["selected"], printed_row["mdlrnn_test_accuracy"]) == ("paper", 1.0)
    assert printed_row["mdl"] == pytest.approx(1746.9136)
    assert by_training_row["selected"] == "paper, by training"
    assert by_training_row["mdl"] == pytest.approx(1728.5120)
    assert by_training_row["mdlrnn_test_cross_entropy"] == pytest.approx(0.4328)
    assert by_training_row["rnn_type"] is None


def test_searches_on_a_card_need_cards(run: Callable[..., Result], without_card: str) -> None:
    card = (*TABLE, "--out", "t")
    refused(run(*card, "--workers", "cuda"), without_card)
    refused(run(*card, "--workers", "cuda@local:2"), without_card)
    assert not Path("t").exists()


def test_an_interrupted_run_goes_on(run: Callable[..., Result]) -> None:
    one = ("lab", "table", "--tasks", "anbn_100", "--seeds", 1, *SHORT)
    run(*one, "--out", "whole")
    run(*one, "--out", "t")
    log = Path("t/runs/anbn_100-1/log.jsonl")
    log.write_text("".join(log.read_text().splitlines(True)[:-1]))  # as if killed before its end
    Path("t/figures/anbn_100-1.json").unlink()
    code, *_ = run(*one, "--out", "t")
    assert code == 0
    one_, other = (
        json.loads(Path(home, "figures/anbn_100-1.json").read_text()) for home in ("t", "whole")
    )
    assert one_["network"] == other["network"]


def test_rnns_stand_in_the_table(run: Callable[..., Result]) -> None:
    run(
        "lab", "rnns", "anbn_100", "--configs", "elman-2-none,elman-2-l1-1", "--seeds", 1,
        "--epochs", 3, "--out", "t/rnn/anbn_100", "--quiet",
    )  # fmt: skip
    run("lab", "table", "--tasks", "anbn_100", "--seeds", 1, *SHORT, "--out", "t")
    rnns = json.loads(Path("t/rnn/anbn_100/results.json").read_text())
    best = min(rnns, key=lambda row: row["test_cross_entropy"])
    with Path("t/table.csv").open() as file:
        row = list(csv.DictReader(file))[2]
    assert float(row["rnn_test_cross_entropy"]) == best["test_cross_entropy"]
    assert row["rnn_hidden"] == "2"
    assert "Classical RNNs: 2 trained on cpu" in Path("t/table.md").read_text()


def test_the_probe_has_five_rows_beside_the_papers(run: Callable[..., Result]) -> None:
    code, out, _ = run("lab", "probe", "--generations", 60, "--quiet", "--out", "p")
    assert code == 0
    lines = [line for line in out.splitlines() if " paper " in line or " here " in line]
    assert len(lines) == 10
    assert lines[0].split() == ["|G|", "paper", "158.5", "158.5", "0", "0"]
    assert lines[1].split() == ["|G|", "here", "158.5", "158.5", "0", "0"]
    assert lines[2].split() == ["|D:G|", "paper", "37.3", "∞", "126", "299"]
    with Path("p/probe.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["objective"] for row in rows] == ["g", "d", "d+l1", "d+l2", "mdl"]
    for row in rows:
        name = f"anbn_500-{row['objective']}-1"
        best = Network.load(f"p/runs/{name}/best.json")
        biases = sum(unit.bias is not None for unit in best.units)
        assert int(row["connections"]) == len(best.connections) + biases
        settings = json.loads(Path(f"p/runs/{name}/settings.json").read_text())
        assert settings["encoding"]["encoding"] == "tacl2022"
    assert r"$|D:G| + L1$" in Path("p/probe.tex").read_text()


def test_the_probe_with_several_seeds_has_a_row_for_each(run: Callable[..., Result]) -> None:
    options = ("--generations", 5, "--seed", 4, "--seeds", 2, "--quiet", "--out", "p")
    code, out, _ = run("lab", "probe", *options)
    assert code == 0
    kinds = [k for line in out.splitlines() for k in ("paper", "seed 4", "seed 5") if k in line]
    assert kinds == ["paper", "seed 4", "seed 5"] * 5
    with Path("p/probe.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["objective"], row["seed"]) for row in rows[:3]] == [
        ("g", "4"), ("g", "5"), ("d", "4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tasks", "anbm"), "no task has that name; did you mean anb"),
        (("--sizes", "many"), "write numbers separated by commas"),
        (("--tasks", "anbn", "--sizes", "400"), "has a training size in 400"),
        (("--time-per-run", "soon"), "write a time such as"),
        (("--markdown", "nowhere/page.md"), "there is no such folder"),
        (("--markdown", "/"), "is a folder; name a file to write"),
        (("--tasks", "anbn_100,anbn_0"), "the size is 0; give the number of training strings"),
        (("--tasks", ","), "the name of a task, file or language is empty"),
        (("--workers", "100000"), "workers is 100000"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Callable[..., Result], arguments: tuple[str, ...], message: str
) -> None:
    refused(run("lab", "table", *arguments, "--out", "t"), message)
    assert not Path("t").exists()


def test_the_verdict_is_kept_with_the_figures(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def prove(network: Network, language: Machine) -> object:
        asked.append(language.name)
        claim = {"kind": "within", "margin": float(Fraction(1, 1000))}
        return SimpleNamespace(
            to_dict=lambda: {"proved": True, "outcome": "proved", "claims": [claim]}
        )

    monkeypatch.setattr("mdlrnn_lab.tables._formal_languages.prove", prove)
    monkeypatch.setattr("mdlrnn_lab.tables._formal_languages.available", lambda package: True)
    one = ("lab", "table", "--tasks", "anbn_100", "--seeds", 1, *SHORT, "--out", "t")
    run(*one)
    assert asked == ["anbn"]
    run(*one)
    assert asked == ["anbn"]
    assert "within 0.001" in Path("t/table.md").read_text()
    assert verdict({"proof": {"proved": False, "outcome": "refuted"}}) == "refuted"
    assert verdict({}) == ""


def test_a_task_that_is_a_grammar_has_its_verdict(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def prove(network: Network, language: Machine) -> object:
        asked.append(language.name)
        return SimpleNamespace(to_dict=lambda: {"proved": False, "outcome": "refuted"})

    monkeypatch.setattr("mdlrnn_lab.tables._formal_languages.prove", prove)
    monkeypatch.setattr("mdlrnn_lab.tables._formal_languages.available", lambda package: True)
    one = ("lab", "table", "--tasks", "arithmetic", "--seeds", 1, *SHORT, "--out", "t")
    code, out, _ = run(*one)
    assert code == 0
    assert asked == ["arithmetic"]
    assert "refuted" in out
    assert "No theorem" not in out


def test_what_stands_in_the_way_of_a_theorem_is_said(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    nltk_notation = "S -> 'a' S 'a' [0.35] | 'b' S 'b' [0.35] | 'a' 'a' [0.3]"
    pytest.importorskip("nltk")
    one = ("lab", "table", "--tasks", "mirror.pcfg", "--seeds", 1, *SHORT, "--out", "t")

    def said() -> str:
        Path("mirror.pcfg").write_text(nltk_notation)
        code, out, err = run(*one)
        assert code == 0, err
        assert all(len(line) <= 80 for line in out.splitlines())
        return " ".join(out.split())

    monkeypatch.setattr("mdlrnn_lab.tables._formal_languages.available", lambda package: True)
    assert "No theorem was sought: mirror has no machine" in said()
    monkeypatch.setattr("mdlrnn_lab.tables._formal_languages.available", lambda package: False)
    assert 'the prover is not installed (pip install "mdlrnn[prove]").' in said()


def test_searches_that_had_more_than_is_asked_for_are_told(run: Callable[..., Result]) -> None:
    one = ("lab", "table", "--tasks", "anbn_100", "--seeds", 1, "--quiet", "--no-proofs")
    before = run(*one, "--generations", 8, "--out", "t")
    note = "Done before, with more than is asked for: 1 of 1 searches (8 generations)."
    assert note not in before.out
    log = Path("t/runs/anbn_100-1/log.jsonl").read_text()
    after = run(*one, "--generations", 5, "--out", "t")
    assert note in after.out
    assert note in Path("t/table.md").read_text()
    assert Path("t/runs/anbn_100-1/log.jsonl").read_text() == log
    # A time that is over at once does not make less of them either.
    shorter = run(*one, "--time-per-run", "0.000001s", "--out", "t")
    assert "Done before, with more than is asked for: 1 of 1 searches" in shorter.out
    assert Path("t/runs/anbn_100-1/log.jsonl").read_text() == log


def test_only_folders_of_comparisons_are_taken(run: Callable[..., Result]) -> None:
    one = ("lab", "table", "--tasks", "anbn_100", "--seeds", 1, *SHORT, "--no-proofs")
    home = Path("thesis")
    (home / "figures").mkdir(parents=True)
    (home / "runs").mkdir()
    (home / "main.tex").touch()
    assert refused(run(*one, "--out", home), "holds other things; choose a new folder")
    assert refused(run(*one, "--out", home / "main.tex"), "is a file; choose a new folder")
    assert refused(run(*one, "--out", ""), "--out is empty; name a folder")
    Path("empty").mkdir()
    assert run(*one, "--out", "empty").code == 0
    Path("empty/notes.txt").touch()
    assert run(*one, "--out", "empty").code == 0
    inside = Path("empty/runs/anbn_100-1")
    before = sorted(inside.iterdir())
    assert refused(run(*one, "--out", inside), "holds a run or a baseline of its own")
    assert sorted(inside.iterdir()) == before
    assert sorted(path.name for path in home.iterdir()) == ["figures", "main.tex", "runs"]


def test_tasks_that_are_named_twice_are_done_once(run: Callable[..., Result]) -> None:
    twice = ("--tasks", "anbn_100,anbn_100,a^n b^n c^n d^n a^n,a^n b^n c^n d^n a^n")
    assert run("lab", "table", *twice, "--seeds", 1, *SHORT, "--no-proofs", "--out", "t")
    with Path("t/table.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["selected"] == "by test"]
    assert len(rows) == 2


def test_a_task_of_no_strings_is_refused(run: Callable[..., Result]) -> None:
    for words in (
        ("lab", "probe", "--task", "anbn_0", "--out", "t"),
        ("lab", "rnns", "anbn_0", "--out", "t"),
        ("lab", "bench", "baseline", "anbn_0"),
        ("evolve", "anbn_0", "--out", "t"),
    ):
        assert refused(run(*words), "the size is 0; give the number of training strings")
        assert not Path("t").exists()


def test_selection_by_training_and_by_test() -> None:
    def figures(seed: int, mdl: float, g: int, test: float) -> dict[str, object]:
        return {"seed": seed, "mdl": mdl, "g": g, "test_d_given_g": test}

    runs = [
        figures(1, 100.0, 50, float("inf")),
        figures(2, 120.0, 60, 900.0),
        figures(3, 110.0, 99, 899.0),
    ]
    assert by_training(runs)["seed"] == 1
    assert by_test(runs)["seed"] == 2
    assert by_test(runs[:1])["seed"] == 1


def test_published_figures_cover_every_task_and_size() -> None:
    table = published()["table"]
    assert set(table) == {f"{t.name}_{size}" for t in TASKS.values() for size in t.sizes}
    for row in table.values():
        shown = 100 * row["rnn_test_cross_entropy_bits"]
        assert shown == pytest.approx(row["rnn_cross_entropy"], abs=0.5)
    assert published_for("anbn", 7) is None


def test_nothing_short_of_all_is_shown_as_all() -> None:
    assert percent(0.9999) == "99.9"
    assert percent(1.0) == "100.0"
    assert percent(0.998) == "99.8"
    assert percent(None) == ""
    assert cross_entropy(float("inf")) == "∞"
    assert cross_entropy(0.25821) == "25.8"


def test_sheets_are_written_for_markdown_and_latex() -> None:
    sheet = Sheet(("task", "|G|"), (("a^n b^2n, 100", "∞"), ("a_b", "50 %")), 1, (0, 1))
    assert markdown(sheet).splitlines()[2] == "| a^n b^2n, 100 | ∞ |"
    assert r"\|G\|" in markdown(sheet)
    text = latex(sheet, "A caption", "table:x")
    assert r"$a^{n} b^{2n}$, 100 & $\infty$ \\ \hline" in text
    assert r"a\_b & 50 \% \\" in text
    assert tex("a^n b^m c^(n+m), 500") == r"$a^{n} b^{m} c^{n+m}$, 500"


def test_a_row_without_published_figures_has_only_its_own() -> None:
    run_figures = {
        "name": "anbn_7-1", "seed": 1, "mdl": 1.0, "g": 1, "test_d_given_g": 2.0,
        "test_cross_entropy": 0.5, "optimal_test_cross_entropy": 0.25,
        "test_deterministic_accuracy": 1.0, "test_categorical_accuracy": 0.5,
    }  # fmt: skip
    entry = Entry(TASKS["anbn"], 7, (run_figures,))
    assert [row["selected"] for row in flat([entry])] == ["by training", "by test"]
    assert table_sheet([entry]).rows[0][0] == "a^n b^n, 7"
