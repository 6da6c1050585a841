"""Every export computes what the interpreter computes: on the zoo, on the networks of docs/found
and on 200 random networks, over strings of up to 200 symbols."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.exports import Case, agrees, cases, known_networks
from mdlrnn import exports
from mdlrnn.network._interpreter import EXACT, distribution, feed

PARTS = 4
"""The networks in so many tests, to be spread over the cores."""
parts = pytest.mark.parametrize("part", range(PARTS))


def chosen(part: int) -> tuple[Case, ...]:
    return cases()[part::PARTS]


def module_of(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), space)
    return space


def run_python(text: str, case: Case) -> list[Any]:
    space = module_of(text)
    names = case.network.alphabet
    state, told = space["START"], []
    for row in case.rows:
        state, chances = space["step"](state, row if names is None else names[row.index(1)])
        told.append(chances)
    return told


def test_the_random_networks_are_worth_trying() -> None:
    made = cases()
    assert len(made) >= 200 + 13
    assert sum(len(case.rows) > 200 for case in made) >= 50
    moving = [case for case in made if len(np.unique(case.expected.round(9), axis=0)) > 2]
    assert len(moving) > 100, "most predict more than one thing"
    assert sum(not case.is_smooth for case in made) > 40
    assert sum(any(u.type == "product" for u in case.network.units) for case in made) > 100


@parts
def test_plain_python(part: int) -> None:
    for case in chosen(part):
        assert agrees(case, run_python(case.network.to_python(), case)), case.network.name


@parts
def test_exact_python_gives_the_interpreters_fractions(part: int) -> None:
    for case in chosen(part):
        short = case._replace(rows=case.rows[:40])
        found = run_python(case.network.to_python(exact=True), short)
        told = [distribution(case.network, v) for v in feed(case.network, short.rows, EXACT)]
        assert [[Fraction(p.n, p.d) for p in row] for row in found] == told, case.network.name


@pytest.mark.slow
def test_exact_python_over_the_whole_strings() -> None:
    for case in cases():
        found = run_python(case.network.to_python(exact=True), case)
        told = [distribution(case.network, v) for v in feed(case.network, case.rows, EXACT)]
        assert [[Fraction(p.n, p.d) for p in row] for row in found] == told, case.network.name


def test_c(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C header is compiled: there is no C compiler here")
    tried = cases()
    parts = [exports.c(case.network) for case in tried]
    calls = "".join(_main_part(case) for case in tried)
    program = "\n".join(
        [*parts, "#include <stdio.h>", f"int main(void) {{\n{calls}    return 0;\n}}\n"]
    )
    (tmp_path / "all.c").write_text(program, encoding="utf-8")
    (tmp_path / "fed.txt").write_text(
        "\n".join(" ".join(map(repr, _fed(case))) for case in tried), encoding="utf-8"
    )
    command = [compiler, "-std=c99", "-O1", "-Wall", "-Werror", "all.c", "-o", "all", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    with (tmp_path / "fed.txt").open() as fed:
        done = subprocess.run(
            [str(tmp_path / "all")], stdin=fed, capture_output=True, text=True, check=True
        )
    lines = iter(done.stdout.split("\n"))
    for case in tried:
        assert next(lines) == f"{case.network.name} 0", "its own test"
        told = [next(lines).split() for _ in case.rows]
        found = np.array(told, np.float64)
        assert agrees(case, found), case.network.name


def _fed(case: Case) -> list[Any]:
    if case.network.alphabet is not None:
        return case.symbols
    return [float(value) for row in case.rows for value in row]


def _main_part(case: Case) -> str:
    """Reads the steps of one network and writes its probabilities."""
    name, inputs = case.network.name, case.network.inputs
    if case.network.alphabet is not None:
        fed, read, at = "int fed", 'scanf("%d", &fed)', "fed"
    else:
        fed, at = f"double fed[{inputs}]", "fed"
        read = " + ".join(f'scanf("%lf", &fed[{i}])' for i in range(inputs))
    wanted = 1 if case.network.alphabet is not None else inputs
    return f"""
    {{
        {name}_state state = {{0}};
        double told[{case.network.outputs}];
        printf("{name} %d\\n", {name}_test());
        for (int t = 0; t < {len(case.rows)}; t++) {{
            {fed};
            if ({read} != {wanted} || {name}_step(&state, {at}, told)) return 1;
            for (int i = 0; i < {case.network.outputs}; i++) printf("%.17g ", told[i]);
            printf("\\n");
        }}
    }}
"""


@parts
def test_torch(part: int) -> None:
    torch = pytest.importorskip("torch", reason="no module is made: PyTorch is not installed")
    with torch.no_grad():
        for case in chosen(part):
            rows = torch.tensor(case.rows, dtype=torch.float64)
            found = case.network.to_torch()(rows[None])[0]
            assert agrees(case, found.numpy()), case.network.name


@parts
def test_onnx_over_whole_strings(part: int) -> None:
    for case in chosen(part):
        session = _session(case, step=False)
        fed = np.array(case.rows, np.float64)[None]
        name = session.get_inputs()[0].name
        given = fed.argmax(2) if case.network.alphabet is not None else fed
        (found,) = session.run(None, {name: given})
        assert agrees(case, found[0]), case.network.name


def test_onnx_step_by_step() -> None:
    for case in cases()[::5]:
        session = _session(case, step=True)
        fed, memory = session.get_inputs()
        values = np.zeros((1, memory.shape[1]))
        told = []
        for row in case.rows:
            given = np.array([row], np.float64)
            if case.network.alphabet is not None:
                given = given.argmax(1)
            chances, values = session.run(None, {fed.name: given, "memory": values})
            told.append(chances[0])
        assert agrees(case, told), case.network.name


def _session(case: Case, step: bool) -> Any:
    pytest.importorskip("onnx", reason="no ONNX file is written: onnx is not installed")
    runtime = pytest.importorskip(
        "onnxruntime", reason="no ONNX file is run: onnxruntime is not installed"
    )
    from mdlrnn.exports._onnx import onnx_bytes

    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(onnx_bytes(case.network, step=step), options)


def test_every_known_network_tests_itself() -> None:
    for network in known_networks():
        for exact in (False, True):
            assert module_of(network.to_python(exact=exact))["test"](), network.name
