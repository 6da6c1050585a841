"""Networks that exports are tried on, and what the interpreter says of a long string of each."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.bounds import BOUNDED, Undecided
from helpers.data import ROOT
from mdlrnn import Connection, Network, Unit, Weight, exports, zoo
from mdlrnn.network._interpreter import FLOAT, distribution, feed, input_rows, stepper
from mdlrnn.network._units import ACTIVATIONS

RANDOM_NETWORKS = 200
LONGEST = 200
CLOSE = 1e-12


class Case(NamedTuple):
    """A network, what it is fed, and its probabilities by the interpreter."""

    network: Network
    rows: list[list[Any]]
    expected: NDArray[np.float64]

    @property
    def is_smooth(self) -> bool:
        """Whether it has an activation that libraries round each in its own way."""
        return any(ACTIVATIONS[unit.activation].smooth for unit in self.network.units)

    @property
    def symbols(self) -> list[int]:
        return [row.index(1) for row in self.rows]


def known_networks() -> list[Network]:
    """The zoo, with the golden networks, and the networks of docs/found."""
    found = [
        replace(Network.load(path), name=f"found_{path.stem}")
        for path in sorted((ROOT / "docs" / "found").glob("*.json"))
    ]
    golden = [replace(zoo.golden(name), name=f"golden_{name}") for name in zoo.golden_names()]
    return [*(zoo.load(name) for name in zoo.names()), *golden, *found]


@cache
def cases() -> tuple[Case, ...]:
    """The known networks and the random ones, each with a random string of up to 200 symbols."""
    choose = Random(20)
    networks = known_networks()
    networks += [random_network(choose, f"random_{i}") for i in range(RANDOM_NETWORKS)]
    made = []
    for number, network in enumerate(networks):
        steps = LONGEST + 1 if number % 4 == 0 else choose.randint(1, LONGEST + 1)
        made.append(case_of(network, random_rows(choose, network, steps)))
    return tuple(made)


def case_of(network: Network, rows: list[list[Any]]) -> Case:
    told = [distribution(network, values) for values in feed(network, rows, FLOAT)]
    return Case(network, rows, np.array(told))


def deep_cases() -> tuple[Case, ...]:
    """Networks without saturation whose values pass a million: stacks 20 symbols deep, and squares
    that run into what float64 is cut to instead."""
    nested = {"arithmetic": "(" * 20 + "1" + "+1)" * 20, "dyck2_pcfg": "([" * 10 + "])" * 10}
    stacks = {name: (zoo.golden(name), string) for name, string in nested.items()}
    made = [case_of(network, input_rows(network, string)) for network, string in stacks.values()]
    return (*made, case_of(SQUARES, [[0]] * 40))


SQUARES = Network(
    1, 3,
    (Unit(), Unit(), Unit(), Unit("square"), Unit("square", bias=Weight(1))),
    (
        Connection(4, 4, "recurrent", Weight(2)),
        Connection(4, 1, "forward", Weight(3)),
        Connection(4, 2, "forward", Weight(1, 2)),
        Connection(4, 3, "forward", Weight(1, 2)),
    ),
    name="squares",
    saturation=False,
)  # fmt: skip
"""At last its outputs are 1, 1 and the square of whatever sums are cut to, by their ratio."""


def random_network(choose: Random, name: str) -> Network:
    """Any network, the odd ones included: loops, dead units, connections into inputs. Saturation
    is off in every other one."""
    inputs = choose.randint(2, 4)
    symbolic = choose.random() < 0.75
    outputs = inputs if symbolic else choose.randint(1, 3)

    def weight() -> Weight:
        size = choose.choice((1, 1, 1, 2, 3, 5, 7, 9, 100_000 if choose.random() < 0.1 else 1))
        return Weight(choose.choice((1, -1)) * size, choose.choice((1, 1, 1, 2, 3, 4, 5, 7)))

    units = [Unit()] * inputs
    for _ in range(outputs + choose.randint(0, 6)):
        kind = "product" if choose.random() < 0.25 else "sum"
        bias = weight() if choose.random() < 0.5 else None
        units.append(Unit(choose.choice(tuple(ACTIVATIONS)), kind, bias))
    connections: dict[tuple[int, int, str], Connection] = {}
    for _ in range(choose.randint(len(units), 3 * len(units))):
        kind = choose.choice(("forward", "forward", "recurrent"))
        source = choose.randrange(len(units))
        target = choose.randrange(0 if choose.random() < 0.1 else inputs, len(units))
        connections[source, target, kind] = Connection(source, target, kind, weight())
    alphabet = tuple("#abc"[:inputs]) if symbolic else None
    return Network(
        inputs, outputs, tuple(units), tuple(connections.values()), alphabet, name,
        saturation=choose.random() < 0.5,
    )  # fmt: skip


def random_rows(choose: Random, network: Network, steps: int) -> list[list[Any]]:
    if network.alphabet is None:
        values = (0, 1, 1, -1, 0.5, 2, 2_000_000)
        return [[choose.choice(values) for _ in range(network.inputs)] for _ in range(steps)]
    start = network.alphabet.index("#")
    others = [i for i in range(network.inputs) if i != start]
    places = [start, *(choose.choice(others) for _ in range(steps - 1))]
    return [[int(i == place) for i in range(network.inputs)] for place in places]


def agrees(case: Case, found: Any) -> bool:
    """Whether an export's probabilities are the interpreter's: to the last bit where all that is
    computed is sums, products and comparisons, else to 1e-12.

    A network may blow rounding up from step to step, or step just where it rounds. From there on
    floats have no right answer, and the string is looked at only so far.
    """
    given = np.asarray(found, np.float64).reshape(case.expected.shape)
    if not case.is_smooth:
        return bool(np.array_equal(given, case.expected))
    far = np.flatnonzero(np.abs(given - case.expected).max(axis=1) > CLOSE)
    if not len(far):
        return True
    return int(far[0]) >= decided_steps(case.network, case.rows)


def decided_steps(network: Network, rows: Sequence[Sequence[Any]]) -> int:
    """So many steps have probabilities that float64 gives to 1e-13 in any library."""
    step = stepper(network, BOUNDED)
    values: tuple[Any, ...] | None = None
    for number, row in enumerate(rows):
        try:
            values = step(row, values)
            chances = distribution(network, values)
        except Undecided:
            return number
        if any(float(chance.error) > CLOSE / 10 for chance in chances):
            return number
    return len(rows)


def padded(chosen: Sequence[Case]) -> Iterator[Any]:
    """The strings of cases of one network, as numbers, padded with 0."""
    longest = max(len(case.rows) for case in chosen)
    for case in chosen:
        yield case.symbols + [0] * (longest - len(case.rows))


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


def run_torch(case: Case) -> Any:
    torch = pytest.importorskip("torch", reason="no module is made: PyTorch is not installed")
    with torch.no_grad():
        rows = torch.tensor(case.rows, dtype=torch.float64)
        return exports.torch(case.network)(rows[None])[0].numpy()


def run_onnx(case: Case) -> Any:
    session = _session(case, step=False)
    fed = np.array(case.rows, np.float64)[None]
    name = session.get_inputs()[0].name
    given = fed.argmax(2) if case.network.alphabet is not None else fed
    (found,) = session.run(None, {name: given})
    return found[0]


def run_onnx_by_steps(case: Case) -> Any:
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
    return told


def _session(case: Case, step: bool) -> Any:
    pytest.importorskip("onnx", reason="no ONNX file is written: onnx is not installed")
    runtime = pytest.importorskip(
        "onnxruntime", reason="no ONNX file is run: onnxruntime is not installed"
    )
    from mdlrnn.exports._onnx import onnx_bytes

    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(onnx_bytes(case.network, step=step), options)


def run_c(tried: Sequence[Case], folder: Path) -> Iterator[Any]:
    """One program of all their headers; each must pass its own test."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C header is compiled: there is no C compiler here")
    parts = [exports.c(case.network) for case in tried]
    calls = "".join(_main_part(case) for case in tried)
    program = "\n".join(
        [*parts, "#include <stdio.h>", f"int main(void) {{\n{calls}    return 0;\n}}\n"]
    )
    (folder / "all.c").write_text(program, encoding="utf-8")
    (folder / "fed.txt").write_text(
        "\n".join(" ".join(map(repr, _fed(case))) for case in tried), encoding="utf-8"
    )
    command = [compiler, "-std=c99", "-O1", "-Wall", "-Werror", "all.c", "-o", "all", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    with (folder / "fed.txt").open() as fed:
        done = subprocess.run(
            [str(folder / "all")], stdin=fed, capture_output=True, text=True, check=True
        )
    lines = iter(done.stdout.split("\n"))
    for case in tried:
        assert next(lines) == f"{case.network.name} 0", "its own test"
        yield np.array([next(lines).split() for _ in case.rows], np.float64)


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
