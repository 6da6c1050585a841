"""What a person reads: explanations, proof tables, and the commands that print them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings

from helpers.data import is_one_sentence
from helpers.oracle import proof_of
from helpers.strategies import networks
from mdlrnn import Connection, InputError, Network, Unit, Weight, explain, prove, zoo
from mdlrnn.cli import cli
from mdlrnn.machines._files import machine_from_text
from mdlrnn.proofs._proof import document

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in zoo.names():
        zoo.load(name).save(f"{name}.json")

    def call(*words: str) -> Result:
        return CliRunner().invoke(cli, words)

    return call


def test_the_counter_of_anbn_is_explained() -> None:
    lines = explain(zoo.anbn()).splitlines()
    assert lines[0] == "It remembers unit 6."
    a, b = lines.index("Reading a"), lines.index("Reading b")
    assert lines[a + 1].endswith(": adds 1")
    assert lines[b + 1].endswith(": takes 1 away, but not below 0")
    assert lines[a + 2].endswith("P(b) ∝ [u6 > 0]")


def test_the_stack_of_dyck2_is_explained() -> None:
    text = explain(zoo.dyck2())
    for line in ("u15 = 3·[15] + 2", "u15 = 3·[15] + 1", "u15 = ⌊[15]/3⌋"):
        assert line in text
    assert text.count("P(#)") == 1  # the same whatever was read
    assert "[10]" not in text  # gates and wires are folded away


def test_addition_is_explained_digit_by_digit() -> None:
    text = explain(zoo.addition())
    assert "Reading 1, 1\n  u3 = ⌊[3]/2⌋ + 1; at the start 1\n" in text


def test_a_network_without_memory_says_so() -> None:
    network = Network.from_dict(
        {
            "format": "mdlrnn/1", "inputs": 2, "outputs": 2, "alphabet": ["#", "a"],
            "units": [{"activation": "linear"}] * 4,
            "connections": [{"from": 0, "to": 3, "kind": "forward", "weight": [1, 1]}],
        }
    )  # fmt: skip
    assert "It remembers nothing" in explain(network)


@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
@pytest.mark.parametrize("name", zoo.names())
def test_every_zoo_network_is_explained_in_every_style(name: str, style: str) -> None:
    text = explain(zoo.load(name), style)
    assert text.count("Reading") >= 2
    if style == "latex":
        assert "∝" not in text
        assert text.count(r"\begin{") == text.count(r"\end{")
        assert _balanced(text)


def _balanced(latex: str) -> bool:
    plain = re.sub(r"\\[{}$]", "", latex)
    return plain.count("{") == plain.count("}") and plain.count("$") % 2 == 0


@settings(max_examples=60)
@given(networks(max_hidden=4, max_connections=8))
def test_any_network_is_explained_or_refused_in_one_sentence(network: Network) -> None:
    try:
        text = explain(network)
    except InputError as error:
        text = f"Reading {error}" if is_one_sentence(str(error)) else ""
    assert "Reading" in text


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(InputError, match="there is no format 'html'"):
        explain(zoo.anbn(), "html")


def test_the_table_of_anbn_is_the_papers() -> None:
    """Table 3 of the paper, k there being the b's that came and here those that are left."""
    rows = _rows(document(proof_of("anbn"), "markdown"))
    assert rows[0][:6] == ["after", "where", "unit 6", "unit 3", "unit 4", "unit 5"]
    assert rows[1:] == [
        ["#", "", "0", "σ(−15)", "7/3", "0", "≈ 1.31e-07", "≈ 1", "0"],
        ["a", "", "n", "σ(−15)", "7/3", "1", "≈ 9.18e-08", "≈ 0.7", "≈ 0.3"],
        ["b", "k > 0", "k", "σ(−15)", "−2/3", "1", "≈ 3.06e-07", "0", "≈ 1"],
        ["b", "k = 0", "0", "σ(−15)", "−2/3", "0", "1", "0", "0"],
    ]


def test_the_table_of_dyck1_has_the_papers_floor() -> None:
    rows = _rows(document(proof_of("dyck1"), "markdown"))
    deep = next(row for row in rows if row[1] == "stack > 0")
    assert deep[2:6] == ["1 − stack", "1 − stack", "1/2", "⌊stack/3 + 2/3⌋"]
    assert rows[1][6:] == ["2/3", "1/3", "0"]


def test_the_table_of_addition_has_all_eight_sums() -> None:
    rows = _rows(document(proof_of("addition"), "markdown"))[1:]
    for after, where, carry, output, chance in rows:
        state, due = where.split(", ")
        total = 2 * int(state.removeprefix("carry ")) + int(due.removesuffix(" due"))
        assert total - sum(map(int, after.split("+"))) in (0, 1)
        assert (carry, output, chance) == (str(total // 2), str(total % 2), str(total % 2))
    assert len(rows) == 8


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_remembered_output_has_one_column() -> None:
    """Parity is one unit, which is the output and is remembered."""
    units = (Unit(), Unit("mod2"))
    one = Weight(1)
    wires = (Connection(0, 1, "forward", one), Connection(1, 1, "recurrent", one))
    steps = "even: 0 / 0 -> even\neven: 1 / 1 -> odd\nodd: 0 / 1 -> odd\nodd: 1 / 0 -> even\n"
    head, rows = prove(Network(1, 1, units, wires), machine_from_text(steps, "parity")).table()
    assert head == ["after", "where", "unit 1", "P(1)"]
    assert [row[2:] for row in rows] == [["0", "0"], ["1", "1"]] * 2


def test_blanks_and_escapes_are_seen_in_a_table() -> None:
    text = 'start: " " 1/2 -> start\nstart: "\\u200d" 1/4 -> start\nstart: # 1/4\n'
    even = tuple(Unit(bias=Weight(*share)) for share in ((1, 4), (1, 2), (1, 4)))
    network = Network(3, 3, (Unit(), Unit(), Unit(), *even), (), ("#", " ", "\u200d"))
    head, rows = prove(network, machine_from_text(text)).table()
    assert head[-3:] == ["P(#)", "P(␣)", "P(\\u200d)"]
    assert [row[0] for row in rows] == ["#", "␣", "\\u200d"]


def test_one_minus_sign_is_used() -> None:
    assert "[u10 < −1]" in explain(zoo.golden("toy_english"))
    assert "-1" not in explain(zoo.golden("toy_english"))


@pytest.mark.parametrize("name", ["anbncn", "dyck2_short"])
def test_a_proof_in_latex_is_whole(name: str) -> None:
    text = document(proof_of(name), "latex")
    assert r"\begin{theorem}" in text
    assert _balanced(text)
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len({line.count(" & ") for line in rows}) == 1
    assert not any(line.startswith("[") for line in rows)
    assert not re.search(r"[^\x00-\x7f]", text)


def test_prove_prints_the_theorem_and_its_table(run: Run) -> None:
    result = run("prove", "anbn.json", "anbn", "--certificate", "anbn.smt2")
    assert result.exit_code == 0
    assert result.output.startswith("It has learned a^n b^n: these strings, of every length;")
    assert "\nProved. For every string of a^n b^n" in result.output
    assert "σ(−15)" in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    checked = run("prove", "--check", "anbn.smt2", "--network", "anbn.json")
    assert checked.exit_code == 0
    assert checked.output.startswith("accepted: cvc5 found 25 of 25 queries unsat")


def test_prove_takes_a_task_with_its_size(run: Run) -> None:
    assert run("prove", "anbn.json", "anbn_100").exit_code == 0


def test_prove_as_json(run: Run) -> None:
    result = run("prove", "dyck1.json", "dyck1", "--json")
    data: dict[str, Any] = json.loads(result.output)
    assert data["proved"] is True
    assert data["margin"] == 0
    assert data["counterexample"] is None
    assert data["seconds"] > 0
    assert data["statement"].endswith("probability 0 and each possible one more.")


def test_a_wrong_network_is_shown_its_string(run: Run) -> None:
    result = run("prove", "anb2n.json", "anbn", "--certificate", "none.smt2")
    assert result.exit_code == 1
    assert "The network is wrong on ab, after 2 symbols." in result.output
    assert "no shorter string is wrong in this way" in result.output
    assert not Path("none.smt2").exists()


def test_prove_in_markdown_is_the_document_alone(run: Run) -> None:
    result = run("prove", "anbn.json", "anbn", "--format", "markdown")
    assert result.output.startswith("**Theorem.** For every string of a^n b^n")


def test_a_certificate_of_another_network_is_refused(run: Run) -> None:
    run("prove", "anbn.json", "anbn", "--certificate", "anbn.smt2")
    result = run("prove", "--check", "anbn.smt2", "--network", "anb2n.json")
    assert isinstance(result.exception, InputError)
    assert is_one_sentence(str(result.exception))


def test_check_as_json(run: Run) -> None:
    run("prove", "addition.json", "addition", "--certificate", "sum.smt2")
    data = json.loads(run("prove", "--check", "sum.smt2", "--json", "--solver", "z3").output)
    assert data["accepted"] is True
    assert data["queries"] == 72
    assert data["failed"] == []
    assert Network.from_dict(data["network"]) == zoo.addition()


def test_explain_fits_the_terminal(run: Run) -> None:
    for name in zoo.names():
        result = run("explain", f"{name}.json")
        assert result.exit_code == 0
        assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ("prove", "anbn.json", "anbncn"),
        ("prove", "anbn.json", "nonesuch"),
        ("prove", "missing.json", "anbn"),
        ("prove", "anbn.json", "anbn", "--margin", "2"),
        ("prove", "anbn.json", "anbn", "--time", "soon"),
        ("prove", "--check", "anbn.json"),
        ("prove", "--check", "missing.smt2"),
        ("explain", "missing.json"),
    ],
)
def test_bad_input_is_answered_in_one_sentence(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert isinstance(result.exception, InputError)
    assert is_one_sentence(str(result.exception))
