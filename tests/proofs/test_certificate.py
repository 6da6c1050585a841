"""Certificates: two solvers accept them, and what was tampered with is not accepted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from helpers.data import is_one_sentence
from helpers.mutants import TARGETS
from helpers.oracle import zoo_proof
from mdlrnn import InputError, prove, zoo
from mdlrnn.proofs._certificate import DATA, certificate, check


@cache
def text_of(name: str) -> str:
    return certificate(zoo_proof(name))


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
@pytest.mark.parametrize("name", TARGETS)
def test_both_solvers_accept_every_certificate(name: str, solver: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(text_of(name))
    result = check(path, solver)
    assert result.accepted
    assert result.known
    assert result.queries == text_of(name).count("(check-sat)")
    assert result.network == zoo.load(name)
    assert result.statement == zoo_proof(name).statement


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
    data["language"]["rules"][1]["chance"] = "1/2"


@pytest.mark.parametrize("change", [_other_weight, _other_margin, _no_locations, _other_chance])
def test_queries_of_another_theorem_are_not_accepted(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "proof.smt2"
    path.write_text(_with_data(text_of("anbn"), change))
    with pytest.raises(InputError, match="not those of the network and language"):
        check(path)


@pytest.mark.parametrize("change", [_other_weight, _other_margin, _no_locations, _other_chance])
def test_a_false_theorem_with_its_own_queries_is_not_accepted(change: Any, tmp_path: Path) -> None:
    """Among the queries that belong to a false claim one is satisfiable."""
    from mdlrnn.proofs import _certificate as module

    line = next(x for x in _with_data(text_of("anbn"), change).splitlines() if x.startswith(DATA))
    forged = module._text(*module._from_json(json.loads(line[len(DATA) :])))
    path = tmp_path / "proof.smt2"
    path.write_text(forged)
    result = check(path)
    assert not result.accepted
    assert result.failed


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
    monkeypatch.setattr("mdlrnn.proofs._solver.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'cvc5.*pip install "mdlrnn\[prove\]"'):
        check(tmp_path / "proof.smt2")
