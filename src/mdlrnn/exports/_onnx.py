"""A network in ONNX: one step with its memory as input and output, or whole strings with Scan.

Everything is float64, one operation for each of the interpreter's, so that runtimes add in the
same order. The memory of the step before a string is 0 throughout; its first number says whether
the string has begun, since a product has no recurrent factors at the first step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..files import PathLike, save
from ..network import LEAST_TOTAL, Network
from ._formulas import Formula, Program, check_expressible, float_limit, program, require

KNOWN = (
    "relu", "sigmoid", "square", "floor", "step", "tanh", "abs", "mod2", "mod3", "mod4",
)  # fmt: skip
OPSET, IR_VERSION = 17, 8
"""Of 2022, so that runtimes of the last years read it."""


def onnx(network: Network, path: PathLike, *, step: bool = False) -> None:
    """Write the network as an ONNX file, in float64.

    It takes `symbols` (batch, steps), the numbers of the symbols with the boundary's first, and
    gives `probabilities` (batch, steps, symbols). A network without an alphabet takes `rows`
    (batch, steps, inputs) instead. With `step` the file holds one step: `symbol` (batch) or `row`
    (batch, inputs) and `memory` (batch, numbers), at first all 0, give `probabilities` (batch,
    symbols) and `next_memory`. Needs the extra `onnx`.
    """
    save(path, onnx_bytes(network, step=step))


def onnx_bytes(network: Network, *, step: bool = False) -> bytes:
    require("onnx", "an ONNX file", "onnx", "onnx")
    from onnx import checker, helper

    code = program(network)
    check_expressible(code, KNOWN, "ONNX")
    graph = _step_graph(network, code) if step else _string_graph(network, code)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="mdlrnn",
    )
    about = {"network": network.to_json()}
    if network.alphabet is not None:
        about["alphabet"] = "\t".join(network.alphabet)
    for key, value in about.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    checker.check_model(model)
    written: bytes = model.SerializeToString()
    return written


class _Graph:
    """Nodes and constants of a graph in the making; every method gives the name of its result."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix  # a graph inside another one shares its names
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def node(self, kind: str, *inputs: str, to: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        name = to or f"{self.prefix}{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def number(self, value: float) -> str:
        """A constant of shape (1)."""
        return self.array(f"number {value!r}", [value], (1,))

    def array(self, name: str, values: Sequence[float], shape: tuple[int, ...]) -> str:
        from onnx import TensorProto, helper

        if name not in self.constants:
            tensor = helper.make_tensor(name, TensorProto.DOUBLE, shape, list(values))
            self.constants[name] = tensor
        return name

    def integers(self, values: Sequence[int]) -> str:
        from onnx import TensorProto, helper

        name = f"{self.prefix}integers {','.join(map(str, values))}"
        if name not in self.constants:
            self.constants[name] = helper.make_tensor(
                name, TensorProto.INT64, (len(values),), list(values)
            )
        return name

    def column(self, matrix: str, place: int) -> str:
        """(batch, n) to (batch, 1)."""
        return self.node("Gather", matrix, self.integers([place]), axis=1)


def _step_graph(network: Network, code: Program) -> Any:
    from onnx import TensorProto, helper

    graph = _Graph()
    _add_step(graph, network, code, "probabilities")
    return helper.make_graph(
        graph.nodes,
        "step",
        [
            _fed("symbol", "row", network, ("batch",)),
            helper.make_tensor_value_info("memory", TensorProto.DOUBLE, ("batch", _size(code))),
        ],
        [
            helper.make_tensor_value_info(
                "probabilities", TensorProto.DOUBLE, ("batch", network.outputs)
            ),
            helper.make_tensor_value_info(
                "next_memory", TensorProto.DOUBLE, ("batch", _size(code))
            ),
        ],
        list(graph.constants.values()),
    )


def _string_graph(network: Network, code: Program) -> Any:
    from onnx import TensorProto, helper

    inside = _Graph("step_")
    _add_step(inside, network, code, "chances")
    body = helper.make_graph(
        inside.nodes,
        "body",
        [
            helper.make_tensor_value_info("memory", TensorProto.DOUBLE, ("batch", _size(code))),
            _fed("symbol", "row", network, ("batch",)),
        ],
        [
            helper.make_tensor_value_info(
                "next_memory", TensorProto.DOUBLE, ("batch", _size(code))
            ),
            helper.make_tensor_value_info(
                "chances", TensorProto.DOUBLE, ("batch", network.outputs)
            ),
        ],
        list(inside.constants.values()),
    )
    graph = _Graph()
    fed = "symbols" if network.alphabet is not None else "rows"
    shape = graph.node("Shape", fed)
    batch = graph.node("Gather", shape, graph.integers([0]))
    size = graph.node("Concat", batch, graph.integers([_size(code)]), axis=0)
    start = graph.node(
        "ConstantOfShape", size, value=helper.make_tensor("zero", TensorProto.DOUBLE, (1,), [0.0])
    )
    graph.nodes.append(
        helper.make_node(
            "Scan",
            [start, fed],
            ["last_memory", "probabilities"],
            body=body,
            num_scan_inputs=1,
            scan_input_axes=[1],
            scan_output_axes=[1],
        )
    )
    return helper.make_graph(
        graph.nodes,
        "strings",
        [_fed("symbols", "rows", network, ("batch", "steps"))],
        [
            helper.make_tensor_value_info(
                "probabilities", TensorProto.DOUBLE, ("batch", "steps", network.outputs)
            )
        ],
        list(graph.constants.values()),
    )


def _fed(symbol: str, row: str, network: Network, shape: tuple[str, ...]) -> Any:
    from onnx import TensorProto, helper

    if network.alphabet is not None:
        return helper.make_tensor_value_info(symbol, TensorProto.INT64, shape)
    return helper.make_tensor_value_info(row, TensorProto.DOUBLE, (*shape, network.inputs))


def _size(code: Program) -> int:
    return 1 + len(code.memory)


def _add_step(graph: _Graph, network: Network, code: Program, chances: str) -> None:
    """From `memory` and `symbol` or `row` to `chances` and `next_memory`."""
    rows = "row"
    if network.alphabet is not None:
        # Gathered from a unit matrix, not OneHot, which is all 0 for a number that is no symbol.
        size = network.inputs
        unit_matrix = [float(i == j) for i in range(size) for j in range(size)]
        rows = graph.node("Gather", graph.array("symbols' rows", unit_matrix, (size, size)),
                          "symbol", axis=0)  # fmt: skip
    begun = graph.column("memory", 0)
    # A value of shape (batch, 1) to which numbers can be added.
    zero = graph.node("Mul", begun, graph.number(0.0))
    memory = {u: graph.column("memory", 1 + place) for place, u in enumerate(code.memory)}
    first = graph.node("Equal", begun, graph.number(0.0))
    limit = float_limit(network)
    values: dict[int, str] = {}
    for formula in code.formulas:
        read = graph.column(rows, formula.unit) if formula.reads else zero
        total = _total(graph, formula, read, values, memory, first)
        total = graph.node("Min", total, graph.number(limit))
        total = graph.node("Max", total, graph.number(-limit))
        values[formula.unit] = _activated(graph, formula.activation, total)
    one = graph.node("Add", zero, graph.number(1.0))
    graph.node("Concat", one, *(values[u] for u in code.memory), to="next_memory", axis=1)
    _distribution(graph, [values[u] for u in code.outputs], chances)


def _total(
    graph: _Graph,
    formula: Formula,
    read: str,
    values: dict[int, str],
    memory: dict[int, str],
    first: str,
) -> str:
    """What a unit cuts and passes through its activation."""
    forward = [_times(graph, float(t.weight), values[t.source]) for t in formula.forward]
    back = [_times(graph, float(t.weight), memory[t.source]) for t in formula.recurrent]
    total = read
    if not formula.product:
        for part in forward + back:
            total = graph.node("Add", total, part)
    elif forward:
        total = forward[0]
        for part in forward[1:]:
            total = graph.node("Mul", total, part)
        alone = total
        for part in back:
            total = graph.node("Mul", total, part)
        if back:
            total = graph.node("Where", first, alone, total)
        total = graph.node("Where", graph.node("IsNaN", total), graph.number(0.0), total)
    if formula.bias is not None:
        total = graph.node("Add", total, graph.number(float(formula.bias)))
    return total


def _times(graph: _Graph, weight: float, value: str) -> str:
    return value if weight == 1.0 else graph.node("Mul", value, graph.number(weight))


def _activated(graph: _Graph, activation: str, x: str) -> str:
    zero, one = graph.number(0.0), graph.number(1.0)
    match activation:
        case "linear":
            return x
        case "relu":
            return graph.node("Max", x, zero)
        case "sigmoid":
            grown = graph.node("Exp", graph.node("Neg", x))
            return graph.node("Div", one, graph.node("Add", one, grown))
        case "square":
            return graph.node("Mul", x, x)
        case "floor":
            return graph.node("Floor", x)
        case "step":
            return graph.node("Where", graph.node("Greater", x, zero), one, zero)
        case "tanh":
            return graph.node("Tanh", x)
        case "abs":
            return graph.node("Abs", x)
        case "mod2" | "mod3" | "mod4":
            base = graph.number(float(activation.removeprefix("mod")))
            rest = graph.node("Mod", x, base, fmod=1)
            above = graph.node("Add", rest, base)
            return graph.node("Where", graph.node("Less", rest, zero), above, rest)
    raise AssertionError(activation)


def _distribution(graph: _Graph, outputs: list[str], chances: str) -> None:
    zero, one = graph.number(0.0), graph.number(1.0)
    if len(outputs) == 1:
        graph.node("Max", graph.node("Min", outputs[0], one), zero, to=chances)
        return
    positive = [graph.node("Max", output, zero) for output in outputs]
    total = positive[0]
    for value in positive[1:]:
        total = graph.node("Add", total, value)
    told = graph.node("Greater", total, graph.number(float(LEAST_TOTAL)))
    divisor = graph.node("Where", told, total, one)
    quotients = graph.node("Div", graph.node("Concat", *positive, axis=1), divisor)
    even = graph.number(1.0 / len(outputs))
    graph.node("Where", told, quotients, even, to=chances)
