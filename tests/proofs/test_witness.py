"""The string that a counterexample ends with is one of the language."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdlrnn import Network, prove, zoo
from mdlrnn.languages import machine_from
from mdlrnn.machines import load_language
from mdlrnn.machines._machine import Machine
from mdlrnn.proofs._execute import system_for
from mdlrnn.proofs._witness import completion

LOOPS = """start: a -> A
A: a 1/2 -> B
A: c 1/2 -> C
B: a -> A
C: # 1
"""
"""From A the first way into another state leads back."""
PUSHES = """start: a -> P, stack = 3stack + 1
P: a 1/3 if stack mod 3 = 1 -> P, stack = 3stack + 1
P: b 2/3 if stack mod 3 = 1 -> Q, stack = stack // 3
P: # if stack = 0
Q: c -> P
"""
"""The state that is nearer to the end pushes."""


def _machine(source: str, folder: Path) -> Machine:
    if "\n" not in source:
        found = machine_from(source)
    else:
        (folder / "own.lang").write_text(source)
        found = load_language(folder / "own.lang")
    assert isinstance(found, Machine)
    return found


@pytest.mark.parametrize(
    ("source", "prefix"),
    [
        ("anbn", "aaa"), ("a^n b^n | a^n b^2n", "aab"), ("dyck2", "[(["), ("arithmetic", "((1+("),
        ("toy_english", ("dogs", "think_that")), (LOOPS, "aaa"), (PUSHES, "aa"),
    ],
)  # fmt: skip
def test_a_prefix_is_completed(source: str, prefix: str | tuple[str, ...], tmp_path: Path) -> None:
    machine = _machine(source, tmp_path)
    system, _ = system_for(Network.from_dict(_any(machine)), machine)
    here = machine.beginning
    for symbol in prefix:
        found = machine.step(here, symbol)
        assert found is not None
        here = found
    rest = completion(system, here)
    assert len(rest) < 60
    assert machine.accepts([*prefix, *rest])


def _any(machine: Machine) -> dict[str, object]:
    """A network over the machine's symbols."""
    size = len(machine.alphabet)
    unit = {"activation": "linear", "type": "sum", "bias": None}
    return {
        "format": "mdlrnn/1", "inputs": size, "outputs": size, "alphabet": list(machine.alphabet),
        "units": [unit] * (2 * size), "connections": [],
    }  # fmt: skip


def test_a_counterexample_with_a_stack_is_a_string() -> None:
    broken = Network.from_dict({**zoo.golden("arithmetic").to_dict(), "connections": []})
    proof = prove(broken, "arithmetic")
    assert proof.counterexample is not None
    machine = machine_from("arithmetic")
    assert isinstance(machine, Machine)
    assert proof.counterexample.string
    assert machine.accepts(proof.counterexample.string)
