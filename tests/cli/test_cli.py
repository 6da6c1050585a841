"""The command as a user meets it: what it prints, and what it says when something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.bad_files import BAD_FILES
from helpers.commands import Result, in_a_process, refused
from helpers.data import VECTOR_NAMES, corpus_path, vectors
from helpers.networks import COUNTER
from helpers.strategies import networks
from mdlrnn import Connection, Encoding, Network, Unit, Weight, __version__, encode
from mdlrnn.cli import cli
from mdlrnn.network._code import roles_fit
from mdlrnn.network._encoding import SCHEMES
from mdlrnn_lab.bench._speeds import evolve_speeds

TWO = (Connection(0, 3, "forward", Weight(1)), Connection(1, 3, "forward", Weight(3)))
SMALL = Network(
    2, 2, (Unit(), Unit(), Unit(bias=Weight(1, 2)), Unit("relu"), Unit()), TWO, ("#", "a")
)
ADDER = vectors("addition_100").networks[0]
COMMANDS = ["score", "feed", "bits", "lab", "lab bench", "lab bench score"]


@pytest.fixture
def small(tmp_path: Path) -> str:
    SMALL.save(tmp_path / "small.json")
    return "small.json"


@pytest.fixture
def adder(tmp_path: Path) -> str:
    ADDER.save(tmp_path / "adder.json")
    return "adder.json"


@pytest.fixture
def strings(tmp_path: Path) -> str:
    (tmp_path / "strings.txt").write_text("3\ta\naa\n")
    return "strings.txt"


# score


def test_score_in_words(run: Callable[..., Result], small: str, strings: str) -> None:
    assert run("score", small, strings) == (
        0,
        # 4 log2(3/2) + 4 log2 7 + log2(7/6) = 13.79
        "|G|          81    bits  the network, in the paper's encoding\n"
        "|D:G|        13.79 bits  the corpus: 9 characters, 1.53 bits each\n"
        "|G| + |D:G|  94.79 bits  what MDL minimises\n",
        "",
    )


def test_score_in_json(run: Callable[..., Result], small: str, strings: str) -> None:
    code, out, err = run("score", small, strings, "--encoding", "tacl2022", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["g"] == len(encode(SMALL, Encoding("tacl2022")))
    assert found["mdl"] == found["g"] + found["d_given_g"]
    assert found["characters"] == 9
    assert found["bits_per_character"] * 9 == pytest.approx(found["d_given_g"])
    assert (found["l1"], found["l2"]) == (4.5, 10.25)
    assert (found["encoding"], found["products"]) == ("tacl2022", False)
    assert found["activations"][0] == "linear"


def test_an_infinite_score_is_null_in_json_and_explained_in_words(
    run: Callable[..., Result], strings: str, tmp_path: Path
) -> None:
    units = (Unit(), Unit(), Unit(bias=Weight(1)), Unit())
    Network(2, 2, units, alphabet=("#", "a")).save(tmp_path / "silent.json")
    result = run("score", "silent.json", strings)
    assert "|D:G|        infinite bits  the corpus: 9 characters\n" in result.out
    assert "probability 0; `mdlrnn feed` shows where." in result.out
    found = json.loads(run("score", "silent.json", strings, "--json").out)
    assert found["d_given_g"] is found["mdl"] is found["bits_per_character"] is None


def test_score_on_numbers(run: Callable[..., Result], adder: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "ones.npz", inputs=np.zeros((1, 3, 2)), targets=np.ones((1, 3, 1)))
    result = run("score", adder, "ones.npz")
    assert result.code == 0
    assert "3 characters" in result.out


def test_score_on_words(run: Callable[..., Result], tmp_path: Path) -> None:
    replace(SMALL, alphabet=("#", "word")).save(tmp_path / "words.json")
    (tmp_path / "words.txt").write_text("word  word\nword\n")
    told = run("score", "words.json", "words.txt", "--words")
    assert "5 characters" in told.out
    assert run("score", "words.json", "words.txt") == told, "the network's symbols are words"
    SMALL.save(tmp_path / "letters.json")
    (tmp_path / "letters.txt").write_text("a a\n")
    assert refused(run("score", "letters.json", "letters.txt"), "no unit for the symbol ' '")


def test_score_in_another_process(small: str, strings: str, tmp_path: Path) -> None:
    result = in_a_process("score", str(tmp_path / small), str(tmp_path / strings))
    assert result.code == 0
    assert "94.79 bits" in result.out


# feed


def test_feed_in_words(run: Callable[..., Result], small: str) -> None:
    assert run("feed", small, "a") == (
        0,
        "read  u0  u1   u2  u3  u4  P(#)  P(a)\n"
        "   #   1   0  1/2   1   .   1/3   2/3\n"
        "   a   0   1  1/2   3   .   1/7   6/7\n"
        "\n"
        "units: inputs u0 to u1, outputs u2 to u3, hidden u4\n"
        ". stands for units that reach no output\n"
        "the string, with its end, costs 3.3923 bits\n",
        "",
    )


def test_feed_says_where_a_string_is_impossible(run: Callable[..., Result], tmp_path: Path) -> None:
    units = (Unit(), Unit(), Unit(), Unit(), Unit(), Unit(bias=Weight(1)))
    endless = Network(3, 3, units, alphabet=("#", "a", "b"))
    endless.save(tmp_path / "endless.json")
    lines = run("feed", "endless.json", "bba").out.splitlines()
    assert lines[-1] == "symbol 3, 'a', has probability 0, so the cost is infinite"
    lines = run("feed", "endless.json", "bb").out.splitlines()
    assert lines[-1] == "the end of the string has probability 0, so the cost is infinite"


def test_feed_in_json(run: Callable[..., Result], small: str) -> None:
    steps = json.loads(run("feed", small, "a", "--json").out)
    assert steps[1] == {
        "read": "a",
        "values": [0.0, 1.0, 0.5, 3.0, None],
        "exact": ["0", "1", "1/2", "3", None],
        "probabilities": {"#": pytest.approx(1 / 7), "a": pytest.approx(6 / 7)},
    }
    assert [step["read"] for step in steps] == ["#", "a"]


def test_feed_a_network_of_numbers(run: Callable[..., Result], adder: str) -> None:
    result = run("feed", adder, "0,1 1/2,-.5")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].split() == ["read", "u0", "u1", "u2", "u3", "P(1)"]
    assert lines[1].split()[0] == "0,1"
    assert lines[2].split()[0] == "1/2,-1/2"
    assert "units: inputs u0 to u1, outputs u2, hidden u3" in lines
    assert "~ marks rounded values" in lines
    expected = ADDER.probabilities([[0, 1], [0.5, -0.5]])
    steps = json.loads(run("feed", adder, "0,1 1/2,-.5", "--json").out)
    assert [step["probabilities"]["1"] for step in steps] == pytest.approx(expected[:, 0].tolist())
    assert steps[0]["exact"][2] is None


def test_feed_with_an_alphabet(run: Callable[..., Result], tmp_path: Path, small: str) -> None:
    replace(SMALL, alphabet=None).save(tmp_path / "nameless.json")
    expected = run("feed", small, "aa")
    assert run("feed", "nameless.json", "aa", "--alphabet", "#a") == expected
    words = run("feed", "nameless.json", " word  word ", "--alphabet", "# word", "--words")
    assert words.code == 0
    assert words.out.splitlines()[2].split()[0] == "word"
    assert "P(word)" in words.out
    numbers = run("feed", "nameless.json", "1,0 0,1 0,1")
    assert "P(0)  P(1)\n" in numbers.out


def test_long_fractions_and_words_are_shown_short(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    word = "Donaudampfschifffahrtsgesellschaft"
    odd = Unit("square", bias=Weight(1, 2**53 - 1))
    loop = Connection(2, 2, "recurrent", Weight(2**53 - 3, 2**53 - 1))
    Network(2, 2, (Unit(), Unit(), odd, odd), (loop,), ("#", word)).save(tmp_path / "odd.json")
    result = run("feed", "odd.json", f"{word} " * 12, "--words")
    assert result.code == 0
    assert "P(Donaudampfschifff...)" in result.out
    assert max(map(len, result.out.splitlines())) <= 80


# encode and decode


def test_encode_in_words(run: Callable[..., Result], tmp_path: Path) -> None:
    units = (Unit(), Unit(), Unit("sigmoid", bias=Weight(1)))
    figure = (Connection(0, 2, "forward", Weight(1, 2)), Connection(1, 2, "recurrent", Weight(2)))
    Network(2, 1, units, figure).save(tmp_path / "figure.json")
    result = run("bits", "figure.json", "--activations", "linear, sigmoid,relu")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[:6] == [
        "  11011      E(U)",
        "input unit 1",
        "  00         linear",
        "  101        E(#out)",
        "  11         unit 3",
        "  110111010  w(1,3)",
    ]
    assert lines[-5:] == [
        "",
        "|G| = 60 bits. `mdlrnn bits --plain` prints them on one line;",
        "`mdlrnn bits --decode BITS` with",
        "  --activations linear,sigmoid,relu",
        "reads them back.",
    ]
    usual = run("bits", "figure.json").out
    assert usual.endswith("one line;\n`mdlrnn bits --decode BITS` reads them back.\n")


def test_encode_in_json(run: Callable[..., Result], small: str) -> None:
    found = json.loads(run("bits", small, "--json").out)
    assert found["bits"] == "".join(part["bits"] for part in found["parts"])
    assert found["length"] == len(found["bits"]) == 81
    assert found["bits"] == encode(SMALL, Encoding())
    assert (found["inputs"], found["outputs"], found["encoding"]) == (2, 2, "paper")
    assert found["parts"][0] == {"bits": found["bits"][:7], "label": "E(U)", "unit": None}
    assert run("bits", small, "--plain").out == found["bits"] + "\n"


def test_long_weights_are_wrapped(run: Callable[..., Result], tmp_path: Path) -> None:
    wide = replace(SMALL, connections=(Connection(0, 2, "forward", Weight(2**53, 2**53 - 1)),))
    wide.save(tmp_path / "wide.json")
    result = run("bits", "wide.json")
    assert max(map(len, result.out.splitlines())) <= 80
    bits = "".join(
        line.split()[0]
        for line in result.out.splitlines()
        if line.startswith("  ") and not line.startswith("  -")
    )
    assert bits == encode(wide, Encoding())


def test_decode_gives_back_what_encode_wrote(
    run: Callable[..., Result], small: str, tmp_path: Path
) -> None:
    bits = run("bits", small, "--plain").out
    (tmp_path / "bits.txt").write_text(bits)
    nameless = replace(SMALL, alphabet=None)
    for given_ in (bits.strip(), "bits.txt"):
        result = run("bits", "--decode", given_)
        assert (result.code, result.err) == (0, "")
        assert Network.from_dict(json.loads(result.out)) == nameless
    result = run("bits", "--decode", bits.strip(), "-o", "again.json")
    assert result.out == f"saved as again.json: {nameless!r}\n"
    assert Network.load(tmp_path / "again.json") == nameless


def test_decode_reads_standard_input(small: str, tmp_path: Path) -> None:
    written = in_a_process("bits", str(tmp_path / small), "--plain")
    result = in_a_process("bits", "--decode", "-", stdin=written.out.encode())
    assert Network.from_dict(json.loads(result.out)) == replace(SMALL, alphabet=None)
    garbage = in_a_process("bits", "--decode", "-", stdin=b"\xff\xfe\x00")
    assert refused(garbage, "standard input: character 0 of the bits")


@settings(max_examples=40)
@given(network=networks(), scheme=st.sampled_from(tuple(SCHEMES)))
def test_encode_names_the_options_that_decode_needs(
    tmp_path_factory: pytest.TempPathFactory, network: Network, scheme: str
) -> None:
    path = str(tmp_path_factory.getbasetemp() / "encoded.json")
    network.save(path)
    runner = CliRunner()
    written = runner.invoke(cli, ["bits", path, "--encoding", scheme]).output
    bits = runner.invoke(cli, ["bits", path, "--encoding", scheme, "--plain"]).output.strip()
    options = [word for line in written.splitlines() if line[:4] == "  --" for word in line.split()]
    decoded = runner.invoke(cli, ["bits", "--decode", bits, *options])
    assert Network.from_dict(json.loads(decoded.output)) == network
    assert ("--inputs" in options) != roles_fit(network, Encoding.fitting(network, scheme))


# bench


def test_bench(run: Callable[..., Result]) -> None:
    result = run("lab", "bench", "score", "--time", "0.01", "--workers", "1")
    assert (result.code, result.err) == (0, "")
    head, *rows = result.out.splitlines()[1:9]
    assert head.split() == [
        "corpus", "authors*", "ratio", "NumPy", "ratio", "1", "thread", "1", "threads", "ratio",
    ]  # fmt: skip
    assert [row.split()[0] for row in rows][:2] == ["anbn_100", "anbncn_500"]
    assert len(rows) == 7
    found = json.loads(
        run("lab", "bench", "score", "--time", "0.01", "--workers", "2", "--json").out
    )
    assert len(found) == 7
    for row in found:
        assert row["ratio"] == pytest.approx(row["one"] / row["padded"])
        assert row["authors_ratio"] == pytest.approx(row["one"] / row["authors"])
        assert row["scaling"] == pytest.approx(row["many"] / row["one"])


# What fits a terminal


@pytest.mark.parametrize("name", VECTOR_NAMES)
def test_nothing_is_wider_than_80_columns(
    run: Callable[..., Result], name: str, tmp_path: Path
) -> None:
    given_ = vectors(name)
    some = [*given_.networks[::6], max(given_.networks, key=lambda network: len(network.units))]
    for network in some:
        network.save(tmp_path / "network.json")
        string = given_.sequences[-1]
        if not isinstance(string, str):
            string = " ".join(",".join(map(str, row)) for row in string)
        results = [run("feed", "network.json", string), run("bits", "network.json")]
        if name != "addition_100":
            path = corpus_path(
                "dyck2_200" if "dyck2" in name else name.replace("semantics", "anbn_100")
            )
            results.append(run("score", "network.json", path))
        for result in results:
            assert (result.code, result.err) == (0, "")
            assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_the_terminal(run: Callable[..., Result], command: str) -> None:
    result = run(*command.split(), "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: {' '.join(['mdlrnn', *command.split()])} ")
    assert max(map(len, result.out.splitlines())) <= 80
    assert run(*command.split(), "-h") == result


def test_the_version_is_that_of_the_package(run: Callable[..., Result]) -> None:
    assert run("--version").out == f"mdlrnn, version {__version__}\n"


@pytest.mark.parametrize("command", ["", "lab", "lab bench"])
def test_a_group_alone_shows_its_help(run: Callable[..., Result], command: str) -> None:
    result = run(*command.split())
    assert result.code in (0, 2)
    assert "Usage: mdlrnn" in result.out + result.err


LOADED = """
import sys
from mdlrnn.cli import main
try:
    main()
finally:
    loaded = [name for name in ("numba", "numpy", "rich") if name in sys.modules]
    print(*loaded, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["--help"], ""),
        (["--version"], ""),
        (["score"], "numpy"),
        (["bits", "--help"], "numpy"),
        (["bits", "small.json"], "numpy"),
        (["feed", "small.json", "a"], "numpy"),
        (["prove", "--help"], "numpy"),
        (["test", "--help"], "numpy"),
    ],
)
@pytest.mark.usefixtures("small")
def test_commands_import_only_what_they_need(
    tmp_path: Path, arguments: list[str], loaded: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == loaded


def test_symbols_that_the_terminal_lacks_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "arrows.json"
    replace(SMALL, alphabet=("#", "→")).save(path)
    result = in_a_process("feed", str(path), "→", PYTHONIOENCODING="latin-1")
    assert (result.code, result.err) == (0, "")
    assert "P(\\u2192)" in result.out


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "network.json"
    Network(3, 3, (Unit(),) * 3000).save(path)
    command = [sys.executable, "-c", "from mdlrnn.cli import main; main()", "bits", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


# What may be wrong


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_networks(run: Callable[..., Result], name: str, tmp_path: Path, strings: str) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / "bad.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for command in (["bits", path], ["feed", path, "ab"], ["score", path, strings]):
        assert refused(run(*command), f"mdlrnn: {path}: ")
        assert refused(run(*command), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["foo"], "mdlrnn: no such command 'foo'"),
        (["score"], "mdlrnn score: missing argument 'NET_OR_RUN'; see mdlrnn score --help."),
        (["score", "small.json"], "missing argument 'CORPUS'"),
        (["score", "small.json", "strings.txt", "--jsno"], "'--jsno'; did you mean '--json'?"),
        (["score", "small.json", "strings.txt", "--encoding", "huffman"], "'huffman' is not one"),
        (["score", "no.json", "strings.txt"], "no.json: cannot be read (no such file"),
        (["score", ".", "strings.txt"], ".: holds no run; give the folder"),
        (["score", "small.json", "no.txt"], "no.txt: cannot be read (no such file"),
        (["score", "small.json", "no.npz"], "no.npz: cannot be read (no such file"),
        (["score", "small.json", "empty.txt"], "empty.txt: the file is empty"),
        (["score", "small.json", "small.npz"], "small.npz: not an intact .npz file"),
        (["score", "small.json", "latin.txt"], "latin.txt: byte 1 is not UTF-8"),
        (
            ["score", "small.json", "other.txt"],
            "small.json on other.txt: the network has no unit for the symbol 'b'",
        ),
        (
            ["score", "adder.json", "strings.txt"],
            "adder.json on strings.txt: the corpus has 2 inputs and 2 outputs, but",
        ),
        (
            ["score", "small.json", "strings.txt", "--activations", "linear"],
            "small.json on strings.txt: units[3] has the activation relu",
        ),
        (["bits", "small.json", "--activations", "linear"], "small.json: units[3] has the"),
        (["bits", "small.json", "--activations", "relu"], "activations lacks linear"),
        (["bits", "small.json", "--activations", ""], "unknown activation ''"),
        (["bits", "small.json", "--activations", "linear,rely"], "did you mean relu?"),
        (["feed", "small.json", "ab"], "small.json: the network has no unit for the symbol 'b'"),
        (["feed", "small.json", "a#"], "the boundary symbol # stands at position 2"),
        (["feed", "small.json", "a", "--alphabet", "#a"], "names its symbols, # a; leave"),
        (["feed", "adder.json", "ab"], "'ab' is not a number, and the network names no symbols"),
        (["feed", "adder.json", "ab", "--alphabet", "#ab"], "the alphabet has 3 symbols"),
        (["feed", "nameless.json", "a", "--alphabet", "ab"], "lacks the boundary symbol #"),
        (["feed", "nameless.json", "a", "--alphabet", "##"], "names a symbol twice"),
        (["feed", "nameless.json", "a", "--alphabet", ""], "lacks the boundary symbol #"),
        (["feed", "nameless.json", "b", "--alphabet", "#a"], "no unit for the symbol 'b'"),
        (["feed", "nameless.json", "aab"], "2 numbers a step, as in '0,0', or the symbols with"),
        (["feed", "adder.json", "0,1 1"], "step 1 of the sequence does not hold 2 numbers"),
        (["feed", "adder.json", ""], "the string is empty"),
        (["feed", "adder.json", "0,1/0"], "'1/0' is not a number"),
        (["feed", "adder.json", "0,nan"], "'nan' is not a number"),
        (["feed", "adder.json", "0,1e999999999"], "'1e999999999' is not a number"),
        (["feed", "adder.json", "0," + "9" * 5000], "'99999999999999999...' is not a number"),
        (["bits", "--decode", "01x"], "'01x' is neither a bit string nor a file"),
        (["bits", "--decode", "x" * 5000], "is neither a bit string nor a file"),
        (["bits", "--decode", ""], "bit 0: the bits end within the network"),
        (["bits", "--decode", "0101"], "bit 0: the network has 0 units"),
        (["bits", "--decode", "."], ".: cannot be read (is a directory)"),
        (["bits", "--decode", "strings.txt"], "strings.txt: character 0 of the bits is '3'"),
        (["bits", "--decode", "latin.txt"], "latin.txt: byte 1 is not UTF-8"),
        (["bits", "--decode", "101", "--inputs", "0"], "0 is not in the range x>=1"),
        (["bits", "--decode", "11011", "--inputs", "1"], "only one of inputs and outputs is given"),
        (
            ["bits", "--decode", encode(SMALL, Encoding()), "-o", "no/no"],
            "no/no: cannot be written",
        ),
        (["lab", "bench", "foo"], "mdlrnn lab bench: no such command 'foo'"),
        (["lab", "bench", "score", "--time", "nan"], "--time is 'nan'"),
        (["lab", "bench", "score", "--time", "0"], "--time is '0'"),
        (["lab", "bench", "score", "--time", "-1"], "--time is '-1'"),
        (["lab", "bench", "score", "--time", "x"], "--time is 'x'"),
        (["lab", "bench", "score", "--workers", "0"], "workers is 0; give 1 to 1,024 threads"),
    ],
)
@pytest.mark.usefixtures("small", "adder", "strings")
def test_bad_input(
    run: Callable[..., Result], tmp_path: Path, arguments: list[str], message: str
) -> None:
    replace(SMALL, alphabet=None).save(tmp_path / "nameless.json")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "other.txt").write_text("ab\n")
    (tmp_path / "small.npz").write_text("ab\n")
    (tmp_path / "latin.txt").write_bytes(b"a\xe9\n")
    assert refused(run(*arguments), message)


def test_bad_input_in_another_process() -> None:
    assert refused(in_a_process("score", "no.json", "no.txt"), "mdlrnn: no.json: cannot be read")
    assert refused(in_a_process("score"), "mdlrnn score: missing argument")


def test_interruption_is_no_traceback(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: object) -> Network:
        raise KeyboardInterrupt

    monkeypatch.setattr(Network, "load", interrupted)
    assert run("bits", "any.json") == (130, "", "\nmdlrnn: stopped.\n")


@settings(max_examples=20)
@given(networks(inputs=2, outputs=2))
def test_any_network_can_be_shown(
    tmp_path_factory: pytest.TempPathFactory, network: Network
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    replace(network, alphabet=("#", "a")).save(path)
    for arguments in (["feed", str(path), "aaa"], ["bits", str(path)]):
        result = CliRunner(env={"COLUMNS": "80"}).invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0
        assert max(map(len, result.output.splitlines())) <= 80


def test_the_counter_can_be_fed_in_full(run: Callable[..., Result], tmp_path: Path) -> None:
    """A sigmoid that is read exactly would have hundreds of digits."""
    COUNTER.save(tmp_path / "counter.json")
    result = run("feed", "counter.json", "aaab" * 10)
    assert result.code == 0
    assert "~" in result.out


def test_the_speed_of_the_search_is_measured_on_the_same_islands() -> None:
    speeds = list(evolve_speeds(threads=2, population=10))
    assert [speed.corpus for speed in speeds] == ["anbn_500", "dyck1_500"]
    assert all(speed.one > 0 and speed.many > 0 and speed.authors == 800 for speed in speeds)
