"""Exported files: the command, odd names and symbols, and what is refused."""

from __future__ import annotations

import ast
import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from helpers.commands import Run, refused
from helpers.data import is_one_sentence
from mdlrnn import InputError, Network, exports, show, zoo
from mdlrnn.network._units import Connection, Unit, Weight

HOSTILE = replace(
    zoo.anbn(),
    name='*/ int x; /* "\n#error\n""" \\ ??/ é',
    alphabet=("#", '*/"\n??/', "é\\'\ud800"),
)


@pytest.mark.parametrize("network", [zoo.anbn(), zoo.golden("arithmetic")], ids=lambda n: n.name)
@pytest.mark.parametrize("kind", list(exports.FORMATS))
def test_the_command_writes_every_format(run: Run, kind: str, network: Network) -> None:
    needed = {"torch": "torch", "onnx": "onnx", "sympy": "sympy", "graphml": "networkx"}
    if kind in needed:
        pytest.importorskip(needed[kind], reason=f"{needed[kind]} is not installed")
    network.save("net.json")
    result = run("export", "net.json", "--to", kind, "-o", f"out.{kind}")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"saved as out.{kind}\n")
    assert Path(f"out.{kind}").stat().st_size > 100


def test_the_command_refuses_in_one_sentence(run: Run) -> None:
    zoo.anbn().save("anbn.json")
    where = ("-o", "out.py")
    assert refused(run("export", "anbn.json", "-o", "out"), "its ending does not say what to write")
    assert refused(run("export", "nothing.json", "--to", "c", *where), "nothing.json: cannot be")
    step = run("export", "anbn.json", "--to", "c", "--step", *where)
    assert refused(step, "step is for onnx only; ")
    exact = run("export", "anbn.json", "--to", "c", "--exact", *where)
    assert refused(exact, "exact is for python only; ")
    assert refused(
        run("export", "anbn.json", "--to", "c", "-o", "no/out.h"), "no/out.h: cannot be written"
    )
    assert not Path("out.py").exists()


def test_the_formats_stand_in_the_help(run: Run) -> None:
    told = run("export", "--help").out
    assert all(f"\n  {kind} " in told for kind in exports.FORMATS)


@pytest.mark.parametrize(
    ("module", "call", "package", "extra"),
    [
        ("torch", lambda net, path: exports.torch(net), "PyTorch", "torch"),
        ("onnx", lambda net, path: exports.onnx(net, path), "onnx", "onnx"),
        ("sympy", lambda net, path: exports.sympy(net), "SymPy", "sympy"),
        ("networkx", lambda net, path: exports.networkx(net), "networkx", "networkx"),
        ("nltk", lambda net, path: exports.nltk(net), "NLTK", "nltk"),
    ],
)
def test_a_missing_library_is_named_in_one_sentence(
    module: str, call: Any, package: str, extra: str, tmp_path: Path, monkeypatch: Any
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        "mdlrnn.exports._formulas.find_spec",
        lambda name: None if name == module else there(name),
    )
    with pytest.raises(InputError) as caught:
        call(zoo.anbn(), tmp_path / "out")
    assert f'needs {package}, which is not installed; run pip install "mdlrnn[{extra}]".' in str(
        caught.value
    )


@pytest.mark.parametrize("exact", [False, True])
def test_the_python_file_imports_nothing_and_runs_alone(exact: bool, tmp_path: Path) -> None:
    text = exports.python(HOSTILE, exact=exact)
    tree = ast.parse(text)
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert {n.name for n in tree.body if isinstance(n, ast.FunctionDef)} >= {"step", "test"}
    space: dict[str, Any] = {"__name__": "alone", "__builtins__": _few_builtins()}
    exec(compile(tree, "alone.py", "exec"), space)
    assert space["test"]()
    assert space["ALPHABET"] == HOSTILE.alphabet
    with pytest.raises(ValueError, match="is no symbol; use those of ALPHABET"):
        space["step"](space["START"], "a")


def _few_builtins() -> dict[str, Any]:
    import builtins

    absent = {"__import__", "open", "eval", "exec", "compile"}
    return {name: value for name, value in vars(builtins).items() if name not in absent}


def test_rows_of_another_width_are_refused_by_the_python_file() -> None:
    space: dict[str, Any] = {}
    exec(exports.python(zoo.addition()), space)
    with pytest.raises(ValueError, match="the row has 3 numbers; give 2"):
        space["step"](None, (1, 0, 1))


def test_the_c_header_survives_odd_names_and_stands_alone(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C header is compiled: there is no C compiler here")
    text = exports.c(HOSTILE)
    assert text.isascii()
    (name,) = {line.split()[3].split("(")[0] for line in text.split("\n") if "_test(void)" in line}
    (tmp_path / "net.h").write_text(text)
    (tmp_path / "main.c").write_text(
        f'#include "net.h"\n#include "net.h"\nint main(void) {{ return {name}(); }}\n'
    )
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-trigraphs"]
    for options in (["-O0"], ["-O3", "-march=native"]):
        command = [compiler, *strict, *options, "main.c", "-o", "main", "-lm"]
        subprocess.run(command, cwd=tmp_path, check=True)
        subprocess.run([str(tmp_path / "main")], check=True)
    fast = subprocess.run(
        [compiler, "-ffast-math", "-c", "main.c"], cwd=tmp_path, capture_output=True, check=False
    )
    assert fast.returncode
    assert b"-ffast-math" in fast.stderr


def test_long_sums_do_not_outgrow_a_parser() -> None:
    size = 3000
    units = (Unit(), Unit(), Unit(), Unit("linear", "product"), *([Unit(bias=Weight(1))] * size))
    into = tuple(Connection(4 + i, 2 + i % 2, "forward", Weight(1, 3)) for i in range(size))
    wide = Network(2, 2, units, into, ("#", "a"))
    space: dict[str, Any] = {}
    exec(exports.python(wide), space)
    assert space["test"]()
    assert max(map(len, exports.c(wide).split("\n"))) < 200_000


def test_the_onnx_file_says_what_it_holds(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="no ONNX file is written: onnx is not installed")
    exports.onnx(zoo.anbn(), tmp_path / "net.onnx")
    model = onnx.load(tmp_path / "net.onnx")
    about = {entry.key: entry.value for entry in model.metadata_props}
    assert about["alphabet"] == "#\ta\tb"
    assert Network.from_dict(__import__("json").loads(about["network"])) == zoo.anbn()
    assert [i.name for i in model.graph.input] == ["symbols"]
    exports.onnx(zoo.anbn(), tmp_path / "step.onnx", step=True)
    step = onnx.load(tmp_path / "step.onnx")
    assert [i.name for i in step.graph.input] == ["symbol", "memory"]
    assert [o.name for o in step.graph.output] == ["probabilities", "next_memory"]


def test_onnx_refuses_numbers_that_are_no_symbols() -> None:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    import numpy as np

    from mdlrnn.exports._onnx import onnx_bytes

    options = runtime.SessionOptions()
    options.log_severity_level = 4
    session = runtime.InferenceSession(onnx_bytes(zoo.anbn()), options)
    with pytest.raises(Exception, match=r"out of (data )?bounds"):
        session.run(None, {"symbols": np.array([[0, 3]])})


def test_the_graph_of_networkx_is_the_network() -> None:
    networkx: Any = pytest.importorskip("networkx", reason="networkx is not installed")
    net = replace(
        zoo.anbn(), connections=(*zoo.anbn().connections, Connection(5, 6, "forward", Weight(1)))
    )
    graph = exports.networkx(net)
    assert isinstance(graph, networkx.MultiDiGraph)
    assert len(graph) == len(net.units)
    assert graph.number_of_edges() == len(net.connections)
    assert graph.nodes[6] == {
        "role": "hidden", "activation": "relu", "type": "sum", "bias": "-1", "symbol": "",
    }  # fmt: skip
    assert [graph.nodes[u]["symbol"] for u in (0, 4, 5)] == ["#", "a", "b"]
    assert graph.edges[2, 4, "forward"] == {
        "kind": "forward", "weight": -3.0, "fraction": "-3", "ignored": False,
    }  # fmt: skip
    assert graph.edges[5, 6, "forward"]["ignored"]
    assert graph.has_edge(6, 6, "recurrent")
    assert ElementTree.fromstring(exports.graphml(net)).tag.endswith("graphml")
    again = networkx.parse_graphml(exports.graphml(net), int, force_multigraph=True)
    assert sorted(again.edges) == sorted(graph.edges)


def test_graphviz_gets_the_same_text_as_draw() -> None:
    assert exports.graphviz(zoo.anbn()) == show.draw(zoo.anbn()).to_bytes("dot").decode()


def test_unknown_formats_are_refused() -> None:
    wrong: list[tuple[Callable[[], None], str]] = [
        (lambda: exports.export(zoo.anbn(), "x", "onxx"), "unknown format 'onxx'; did you mean"),
        (lambda: exports.export(3, "x", "c"), "3 is no network; "),
        (lambda: exports.export(zoo.anbn(), 3, "c"), "3 is no path; "),  # type: ignore[arg-type]
    ]
    for call, message in wrong:
        with pytest.raises(InputError) as caught:
            call()
        assert message in str(caught.value)
        assert is_one_sentence(str(caught.value))


def test_an_activation_without_a_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every activation of the table has one; the random networks of test_meaning draw from it."""
    monkeypatch.setattr("mdlrnn.exports._onnx.KNOWN", ("relu",))
    monkeypatch.setattr("mdlrnn.exports._c._HELPERS", {"relu": "x"})
    monkeypatch.setattr("mdlrnn.exports._python._HELPERS", {False: {"relu": ""}})
    from mdlrnn.exports._onnx import onnx_bytes

    for write, language in ((onnx_bytes, "ONNX"), (exports.c, "C"), (exports.python, "plain Py")):
        if language == "ONNX":
            pytest.importorskip("onnx", reason="no ONNX file is written: onnx is not installed")
        with pytest.raises(InputError, match=f"sigmoid has no form in {language}.*; export to"):
            write(zoo.anbn())
