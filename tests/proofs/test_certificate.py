"""Certificates: two solvers accept them, and what was tampered with is not accepted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import Run
from helpers.data import is_one_sentence
from helpers.mutants import TARGETS
from helpers.oracle import proof_of
from helpers.slow import few
from mdlrnn import Connection, InputError, Network, machines, prove, zoo
from mdlrnn.languages import machine_from
from mdlrnn.proofs import _proof as module
from mdlrnn.proofs._proof import DATA, certificate, check
from mdlrnn.proofs._smt import ask_cvc5, ask_z3
from mdlrnn.zoo import _language


@cache
def text_of(name: str) -> str:
    return certificate(proof_of(name))


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
@pytest.mark.parametrize("name", few(TARGETS, "anbn", "anbmcnm", "addition", "dyck2_short"))
def test_both_solvers_accept_every_certificate(name: str, solver: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(text_of(name))
    result = check(path, solver)
    assert result.accepted
    assert result.known
    assert result.queries == text_of(name).count("(check-sat)")
    assert result.network == zoo.load(name)
    assert result.statement == proof_of(name).statement


def test_a_solver_that_knows_nothing_of_us_reads_the_file(tmp_path: Path) -> None:
    binary = Path(sys.executable).parent / "z3"
    if not binary.exists():
        pytest.skip("this Z3 comes without its command")
    path = tmp_path / "proof.smt2"
    path.write_text(text_of("dyck1"))
    said = subprocess.run([binary, path], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["unsat"] * text_of("dyck1").count("(check-sat)")


def _with_data(text: str, change: Any) -> str:
    line = next(line for line in text.splitlines() if line.startswith(DATA))
    data = json.loads(line[len(DATA) :])
    change(data)
    return text.replace(line, DATA + json.dumps(data, sort_keys=True))


def _other_weight(data: Any) -> None:
    data["network"]["connections"][0]["weight"] = [3, 1]


def _other_margin(data: Any) -> None:
    data["claims"][0][1] = "1/10000000"


def _no_locations(data: Any) -> None:
    data["locations"] = []


def _other_chance(data: Any) -> None:
    for rule in data["language"]["rules"]:
        rule["chance"] = {"7/10": "1/2", "3/10": "1/2"}.get(rule["chance"], rule["chance"])


@pytest.mark.parametrize("change", [_other_weight, _other_margin, _no_locations, _other_chance])
def test_queries_of_another_theorem_are_not_accepted(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(_with_data(text_of("anbn"), change))
    with pytest.raises(InputError, match="not those of the network and language"):
        check(path)


def forged(name: str, change: Any, path: Path) -> Path:
    """A certificate of other data, with the queries that belong to them."""
    line = next(x for x in _with_data(text_of(name), change).splitlines() if x.startswith(DATA))
    path.write_text(module._text(*module._from_json(json.loads(line[len(DATA) :]))))
    return path


@pytest.mark.parametrize("change", [_other_weight, _other_margin, _other_chance])
def test_a_false_theorem_with_its_own_queries_is_not_accepted(change: Any, tmp_path: Path) -> None:
    """Among the queries that belong to a false claim one is satisfiable."""
    result = check(forged("anbn", change, tmp_path / "proof.smt2"))
    assert not result.accepted
    assert result.failed


def _claim_about_nothing(data: Any) -> None:
    data["claims"] = [["deterministic", "0"]]  # Dyck-1 has no step with one possible symbol


@pytest.mark.parametrize(
    ("name", "change"),
    [("anbn", _no_locations), ("dyck1", _claim_about_nothing)],
)
def test_a_claim_needs_a_query(name: str, change: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of its queries is about") as error:
        check(forged(name, change, tmp_path / "proof.smt2"))
    assert is_one_sentence(str(error.value))


def _language_of_ones_own(data: Any) -> None:
    """It says that it is a^n b^n, but a goes on with another probability; so does the network."""
    _other_chance(data)
    data["claims"] = [["categorical", data["claims"][0][1]]]


def test_a_language_is_known_by_its_rules_not_by_its_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forged("anbn", _language_of_ones_own, tmp_path / "proof.smt2")
    result = check(path)
    assert not result.failed
    assert not result.known
    assert not result.accepted
    told = run("prove", "--check", str(path))
    assert told.code == 1
    assert told.out.startswith("NOT accepted")
    assert "--language" in told.out
    assert run("prove", "--check", str(path), "--language", "anbn").code == 1


def test_a_language_of_ones_own_is_accepted_when_given(tmp_path: Path) -> None:
    half = Fraction(1, 2)
    rules = (
        machines.Rule("start", "a", "in", half),
        machines.Rule("start", "#", chance=half),
        machines.Rule("in", "b", "start"),
    )
    own = machines.Machine("abs", "(ab)*", rules)
    network = _language("x", "#ab", "3 linear 1 -1*a\n4 linear 1 -1*a\n5 linear 1*a")
    path = tmp_path / "proof.smt2"
    path.write_text(certificate(prove(network, own)))
    assert not check(path).accepted
    result = check(path, language=replace(own, name="other", title="pairs of a and b"))
    assert result.accepted
    assert "every string of pairs of a and b" in result.statement
    assert not check(path, language=machine_from("anbn")).accepted


def test_a_network_without_names_takes_the_symbols_in_the_order_of_the_language(
    tmp_path: Path,
) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(text_of("anbn"))
    plain = replace(zoo.anbn(), alphabet=None)
    assert check(path, about=plain).accepted
    network = zoo.anbn()
    order = [0, 2, 1, 3, 5, 4, 6]  # a and b change places
    place = {old: new for new, old in enumerate(order)}
    permuted = Network(
        3, 3, tuple(network.units[old] for old in order),
        tuple(
            Connection(place[c.source], place[c.target], c.kind, c.weight)
            for c in network.connections
        ),
        ("#", "b", "a"),
    )  # fmt: skip
    path.write_text(certificate(prove(permuted, "anbn")))
    assert check(path, about=permuted).accepted
    with pytest.raises(InputError, match="not about the network given"):
        check(path, about=replace(permuted, alphabet=None))


HUGE = "1e999999999"


def _huge_margin(data: Any) -> None:
    data["claims"][0][1] = HUGE


def _huge_chance(data: Any) -> None:
    data["language"]["rules"][0]["chance"] = HUGE


def _huge_term(data: Any) -> None:
    data["locations"][0]["memory"] = [[HUGE]]


def _huge_tag(data: Any) -> None:
    data["locations"][0]["tags"] = [HUGE]


def _many_conditions(data: Any) -> None:
    rule = data["language"]["rules"][0]
    rule["when"] = [[[[["n", 1]], -i, 1], ">", 0, 0] for i in range(40)]


@pytest.mark.parametrize(
    "change", [_huge_margin, _huge_chance, _huge_term, _huge_tag, _many_conditions]
)
def test_data_that_would_take_forever_are_refused(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(_with_data(text_of("anbn"), change))
    with pytest.raises(InputError) as error:
        check(path)
    assert is_one_sentence(str(error.value))


def test_without_time_nothing_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(text_of("anbn"))
    with pytest.raises(InputError, match="too many queries for the time"):
        check(path, seconds=0)


@pytest.mark.parametrize("ask", [ask_cvc5, ask_z3])
@pytest.mark.parametrize("text", ["(assert (= a 1))", "(((", "(assert true"])
def test_a_solver_that_fails_has_shown_nothing(ask: Any, text: str) -> None:
    assert ask(text).verdict == "unknown"


def test_a_query_left_out_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(re.sub(r"\n; 3\. .*?\(pop 1\)\n", "\n", text_of("anbn"), flags=re.DOTALL))
    with pytest.raises(InputError, match="not those of"):
        check(path)


def _odd_fact(data: Any) -> None:
    data["locations"][0]["facts"] = [["digits", ["0", ["1", "counter", "k", 0, []]], 1]]


def _odd_term(data: Any) -> None:
    data["locations"][0]["memory"] = [["1/0"]]


def _odd_claim(data: Any) -> None:
    data["claims"] = [["within", "2"]]


def _odd_state(data: Any) -> None:
    data["locations"][0]["state"] = "nowhere"


def _not_a_network(data: Any) -> None:
    data["network"] = 3


@pytest.mark.parametrize("change", [_odd_fact, _odd_term, _odd_claim, _odd_state, _not_a_network])
def test_odd_data_is_refused_in_one_sentence(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(_with_data(text_of("anbn"), change))
    with pytest.raises(InputError) as error:
        check(path)
    assert is_one_sentence(str(error.value))


@pytest.mark.parametrize("text", ["", "(check-sat)\n", f"{DATA}{{}}\n", "; mdlrnn-certificate/1\n"])
def test_other_files_are_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        check(path)
    assert is_one_sentence(str(error.value))


def test_without_a_theorem_there_is_no_certificate() -> None:
    with pytest.raises(InputError, match="no theorem"):
        certificate(prove(zoo.anb2n(), "anbn"))


def test_without_cvc5_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mdlrnn.proofs._smt.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'cvc5.*pip install "mdlrnn\[prove\]"'):
        check(tmp_path / "proof.smt2")
