"""The campaigns: how a hostile case of each kind is made, and which command gets it.

A campaign is a function from a source of chance, a folder of its own and the base to a `Case`.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mdlrnn
from mdlrnn.network._units import ACTIVATIONS
from mdlrnn.runs._files import seal, unseal
from mdlrnn.runs._settings import fingerprint_of

from ._base import BOMBS, Base, copied
from ._mutations import (
    NUMBERS,
    TEXTS,
    json_bytes,
    mutated_array,
    mutated_bytes,
    mutated_json,
    mutated_words,
    places,
    strange,
)

TASKS = ("anbn", "anbncn", "anb2n", "anbmcnm", "dyck1", "dyck2", "addition")
TINY = ("--set", "islands=1", "--set", "population=4", "--generations", "2", "--time", "3s",
        "--workers", "1", "--quiet")  # fmt: skip
PICTURES = ("svg", "tex", "dot", "png", "pdf")
MOST_QUERIES = 100
"""Locations times claims of a certificate whose queries are made again here."""
LARGE = 300
"""One case in so many is as large as the limits allow, or larger."""
GRAMMARS = (
    "S -> 'a' S 'b' [0.7] | 'a' 'b' [0.3]\n",
    "S -> '[' S ']' S [0.3] | [0.7]\n",
    "%start S\nS -> NP VP [1.0]\nNP -> Det N [0.7] | 'Kim' [0.3]\nDet -> 'the' [0.6] | 'a' [0.4]\n"
    "N -> 'cat' [0.4] | 'dog' [0.6]\nVP -> 'sleeps' [0.3] | 'sees' NP [0.4] | VP Adv [0.3]\n"
    "Adv -> [0.5] | 'today' [0.5]\n",
    "S -> A S [0.4] | A [0.6]\nA -> 'a' A [0.3] | 'b' [0.7]\n",
)
CORPORA = (
    b"ab\naabb\naaabbb\nab\n", b"3\tab\n2\taabb\n1\t\n", b"\n\n\n", b"the cat sleeps\nthe dog\n",
    b"[]\n[[]]\n[][]\n", "\xe9\xe8\n\u03b1\u03b2\n".encode(), b"a\n" * 50, b"ab" * 200 + b"\n",
)  # fmt: skip


class Case(NamedTuple):
    told: str
    """The command or the call, as it is written down."""
    arguments: Sequence[str] | None
    """Of the command `mdlrnn`; None where a function is called."""
    call: Callable[[], object] | None = None
    then: Callable[[], str | None] | None = None
    """What is looked at if all went well: None, or what is wrong."""


def command(*arguments: object) -> Case:
    given = [str(argument) for argument in arguments]
    return Case("mdlrnn " + " ".join(map(repr, given)), given)


def networks(draw: random.Random, folder: Path, base: Base) -> Case:
    """Networks of the zoo and of those found, changed in their bytes, their JSON or their sense."""
    name = draw.choice(sorted(base.networks))
    data = base.networks[name]
    kind = draw.randrange(4)
    path = folder / _file_name(draw, "net.json")
    if draw.randrange(LARGE) == 0:
        data = _large_network(draw)
    elif kind == 0:
        data = mutated_json(data, draw)
    elif kind == 1:
        data = _otherwise(data, draw)
    content = json_bytes(data, draw)
    if kind == 2:
        content = mutated_bytes(content, draw)
    path.write_bytes(content)
    if draw.random() < 0.1 and isinstance(data, dict):
        return Case("Network.from_dict", None, lambda: mdlrnn.Network.from_dict(data))
    if draw.random() < 0.2 and kind != 2:
        renamed = _with_names(data, draw)
        path.write_bytes(json_bytes(renamed, draw))
    return _network_command(path, folder, base, draw, name)


def _network_command(path: Path, folder: Path, base: Base, draw: random.Random, name: str) -> Case:
    out = folder / "out"
    task = next((task for task in TASKS if task in name), "anbn")
    if draw.random() < 0.1:
        task = draw.choice(TASKS)
    style = draw.choice(("text", "markdown", "latex"))
    flags = draw.choice(((), ("--json",)))
    corpus = folder / "corpus.txt"
    corpus.write_bytes(draw.choice(CORPORA[:3]))
    string = draw.choice(("", "ab", "aabb", "aaabbbccc", "[[]]", "0,1 1,1", "1,0", "([])", *TEXTS))
    match draw.randrange(10):
        case 0:
            return command("score", path, corpus, *flags)
        case 1 | 2:
            return command("feed", path, *flags, "--", string[:100])
        case 3:
            alphabet = draw.choice(("#ab", "ab#", "#", "#\x1b\x07", "#aa", "", "#abc"))
            return command("feed", path, *flags, "--alphabet", alphabet, "--", string[:100])
        case 4:
            return command("explain", path, "--format", style)
        case 5:
            return command("bits", path, *draw.choice(((), ("--json",), ("--plain",))))
        case 6:
            return command("draw", path, "-o", f"{out}.{draw.choice(PICTURES)}")
        case 7:
            return command("test", path, draw.choice((task, corpus)), "--size", 20, *flags)
        case 8:
            form = flags or ("--format", style)
            return command("prove", path, task, "--time", "2s", *form)
        case _:
            source = ("--corpus", corpus) if draw.random() < 0.5 else ()
            return command("report", path, "-o", f"{out}.html", *source)


def corpora(draw: random.Random, folder: Path, base: Base) -> Case:
    """Text files of strings."""
    content = draw.choice(CORPORA)
    kind = draw.randrange(4)
    if draw.randrange(LARGE) == 0:
        content = _large_corpus(draw)
    elif kind == 0:
        content = mutated_bytes(content, draw)
    elif kind == 1:
        content = mutated_words(content.decode(), draw).encode()
    elif kind == 2:
        lines = content.split(b"\n")
        counts = (
            b"0",
            b"-1",
            b"1e9",
            b"9" * 20,
            b"999999999999999",
            b"\x1b[31m",
            b"1.5",
            b"\xd9\xa3",
        )
        lines[draw.randrange(len(lines))] = draw.choice(counts) + b"\t" + draw.choice(lines)
        content = b"\n".join(lines)
    else:
        text = "\n".join(draw.choice(TEXTS)[:2000] for _ in range(draw.randrange(1, 6)))
        content = text.encode("utf-8", draw.choice(("replace", "surrogatepass")))
    path = folder / _file_name(draw, "corpus.txt")
    path.write_bytes(content)
    network = base.folder / "networks" / f"{draw.choice(('anbn', 'dyck1', 'addition'))}.json"
    flags = ("--words",) if draw.random() < 0.3 else ()
    match draw.randrange(7):
        case 0:
            return Case("Corpus.load", None, lambda: mdlrnn.Corpus.load(path, words=bool(flags)))
        case 1:
            return command("score", network, path, *flags)
        case 2:
            return command("test", network, path, *flags)
        case 3:
            return command("report", network, "--corpus", path, "-o", folder / "out.html", *flags)
        case _:
            held = ("--hold-out", "0.3") if draw.random() < 0.3 else ()
            return command("evolve", path, *TINY, "--out", folder / "run", *flags, *held)


def arrays(draw: random.Random, folder: Path, base: Base) -> Case:
    """Sequences as .npz: other types, shapes and numbers, and zip files that lie."""
    path = folder / _file_name(draw, "data.npz")
    with np.load(base.folder / "sequences.npz") as file:
        found: dict[str, Any] = {name: file[name] for name in file.files}
    kind = draw.randrange(4)
    if draw.randrange(LARGE) == 0:
        shutil.copy(base.bomb(draw.choice(sorted(BOMBS))), path)
    elif kind == 0:
        buffer = io.BytesIO()
        np.savez(buffer, **found)
        path.write_bytes(mutated_bytes(buffer.getvalue(), draw))
    else:
        for name in draw.sample(sorted(found), draw.randrange(1, 3)):
            found[name] = mutated_array(found[name], draw)
        if draw.random() < 0.15:
            found.pop(draw.choice(sorted(found)))
        if draw.random() < 0.1:
            found[draw.choice(TEXTS[4:12])] = np.zeros(3)
        _write_npz(path, found, draw)
    network = base.folder / "networks" / "addition.json"
    match draw.randrange(6):
        case 0:
            return Case("Corpus.load", None, lambda: mdlrnn.Corpus.load(path))
        case 1:
            return Case(
                "Corpus.from_sequences", None,
                lambda: mdlrnn.Corpus.from_sequences(
                    found.get("inputs"), found.get("targets"), found.get("lengths")  # type: ignore[arg-type]
                ),
            )  # fmt: skip
        case 2:
            return command("score", network, path)
        case 3:
            return command("test", network, path)
        case 4:
            return command("report", network, "--corpus", path, "-o", folder / "out.html")
        case _:
            return command("evolve", path, *TINY, "--out", folder / "run")


def grammars(draw: random.Random, folder: Path, base: Base) -> Case:
    """Grammars in NLTK's notation."""
    text = draw.choice(GRAMMARS)
    kind = draw.randrange(4)
    parts = ("S", "NP", "'a'", "'b'", "[0.5]", "[1.0]", "[0]", "[1e-9]", "|", "->", "%start", "''",
             "' '", "'#'", "[0.3]", "[0.7]", "S -> S S [0.5] | 'a' [0.5]", "\\\n")  # fmt: skip
    if draw.randrange(LARGE // 3) == 0:
        text = _large_grammar(draw)
    elif kind == 0:
        text = mutated_bytes(text.encode(), draw).decode("utf-8", "surrogateescape")
    elif kind == 1:
        text = _random_grammar(draw)
    else:
        text = mutated_words(text, draw, parts)
    path = folder / _file_name(draw, "grammar.pcfg")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    name = draw.choice(("anbn", "dyck1"))
    network = base.folder / "networks" / f"{name}.json"
    match draw.randrange(5):
        case 0:
            return command("test", network, path, "--size", 20)
        case 1:
            return command("evolve", path, "--size", 20, *TINY, "--out", folder / "run")
        case 2:
            return command("prove", network, path, "--time", "1s")
        case 3:
            return command("sample", path, "-n", 20, "-o", folder / "strings.txt")
        case _:
            return command("sample", path, "-n", 20)


def certificates(draw: random.Random, folder: Path, base: Base) -> Case:
    """Certificates: changed, and changed with the queries made again as an attacker would."""
    text = draw.choice(base.certificates)
    kind = draw.randrange(4)
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(";@ "))
    data = json.loads(lines[at][3:])
    if kind == 0:
        content = mutated_bytes(text.encode(), draw)
    elif kind == 1:
        content = mutated_words(text, draw).encode()
    else:
        data = mutated_json(data, draw) if draw.random() < 0.6 else _forged(data, draw)
        whole = None if kind == 2 else _queries_again(data)
        if whole is None:
            lines[at] = ";@ " + json_bytes(data, random.Random(3)).decode().replace("\n", " ")
            whole = "\n".join(lines)
        content = whole.encode("utf-8", "replace")
    path = folder / _file_name(draw, "proof.smt2")
    path.write_bytes(content)
    solver = ("--time", "3s", "--solver", draw.choice(("cvc5", "z3")))
    about = ("--network", base.folder / "networks" / "anbn.json") if draw.random() < 0.2 else ()
    return command("prove", "--check", path, *solver, *about, *draw.choice(((), ("--json",))))


def folders(draw: random.Random, folder: Path, base: Base) -> Case:
    """Run folders with one or two files changed, resealed where they carry a seal."""
    run = copied(draw.choice(base.runs), folder / _file_name(draw, "run"))
    for _ in range(draw.choice((1, 1, 2))):
        with suppress(ValueError, OSError):  # what is spoiled already may not be readable
            _spoil(run, draw)
    out = folder / "out.html"
    match draw.randrange(9):
        case 0 | 1 | 2:
            limits = ("--generations", str(draw.choice((0, 20, 22))), "--time", "3s")
            return command("evolve", "--resume", run, *limits, "--workers", 1, "--quiet")
        case 3:
            return command("runs", folder, *draw.choice(((), ("--json",))))
        case 4:
            return command("runs", "--watch", run)
        case 5:
            return command("report", run, "-o", out)
        case 6:
            return command("feed", run, draw.choice(("ab", "1,1 0,1", "the cat")))
        case 7:
            return command("explain", run)
        case _:
            return command("test", run, "anbn", "--size", 20)


def bits(draw: random.Random, folder: Path, base: Base) -> Case:
    """Bit strings, changed; those that are read must be written the same way."""
    network = mdlrnn.Network.from_dict(base.networks[draw.choice(sorted(base.networks))])
    if draw.random() < 0.3:
        changed = _otherwise(network.to_dict(), draw)
        network = mdlrnn.Network.from_dict(changed)
    scheme = draw.choice(("paper", "tacl2022", "parts"))
    encoding = mdlrnn.Encoding.fitting(network, scheme)
    written = list(mdlrnn.encode(network, encoding))
    for _ in range(draw.choice((0, 1, 1, 2, 5, 20))):
        at = draw.randrange(len(written))
        kind = draw.randrange(5)
        if kind == 0:
            written[at] = draw.choice("01")
        elif kind == 1:
            del written[at : at + draw.choice((1, 1, 5, 40))]
        elif kind == 2:
            written[at:at] = draw.choice(("0", "1", "1" * 60, "01" * 500, "1" * 100_000))
        elif kind == 3:
            written[at:at] = draw.choice(TEXTS)[:200]
        else:
            written[at:at] = written[: draw.choice((3, 30))]
        written = written or ["0"]
    string = "".join(written)
    roles: dict[str, int] = {}
    if draw.random() < 0.3:
        options = (1, 2, 3, network.inputs, 10**9, 5000)
        roles = {"inputs": draw.choice(options), "outputs": draw.choice(options)}
    if draw.random() < 0.5:

        def call() -> None:
            found = mdlrnn.decode(string, encoding, **roles)
            plain = "".join(string.split())
            if not roles and mdlrnn.encode(found, encoding) != plain:
                raise AssertionError("the bits that were read are not those that are written")

        return Case(f"decode({string[:200]!r}, {encoding}, {roles})", None, call)
    path = folder / "bits.txt"
    path.write_bytes(string.encode("utf-8", "replace"))
    given = [argument for name, value in roles.items() for argument in (f"--{name}", value)]
    shape = ("--encoding", scheme, "--activations", ",".join(encoding.activations))
    products = ("--products",) if encoding.products else ()
    place = draw.choice((path, string[:3000].encode("utf-8", "replace").decode()))
    return command("bits", *shape, *products, *given, "--decode", place)


CAMPAIGNS: dict[str, Callable[[random.Random, Path, Base], Case]] = {
    "networks": networks, "corpora": corpora, "arrays": arrays, "grammars": grammars,
    "certificates": certificates, "folders": folders, "bits": bits,
}  # fmt: skip


# Networks that are valid, or nearly so, and strange.


def _otherwise(data: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Other weights, activations, types and connections, as a valid file."""
    data = json.loads(json.dumps(data))
    units, connections = data["units"], data["connections"]
    integers = (1, 1, 2, 3, 5, 7, 10, 99, 2**20, 2**53)
    for _ in range(draw.choice((1, 2, 4, 10))):
        weight = [draw.choice((-1, 1)) * draw.choice(integers), draw.choice(integers)]
        unit = draw.randrange(data["inputs"], len(units))
        kind = draw.randrange(6)
        if kind == 0:
            units[unit]["activation"] = draw.choice(tuple(ACTIVATIONS))
        elif kind == 1:
            units[unit]["bias"] = draw.choice((None, weight))
        elif kind == 2:
            units[unit]["type"] = draw.choice(("sum", "product"))
        elif kind == 3 and connections:
            draw.choice(connections)["weight"] = weight
        elif kind == 4 and connections:
            connections.pop(draw.randrange(len(connections)))
        else:
            if draw.random() < 0.4:
                units.append({"activation": draw.choice(tuple(ACTIVATIONS)), "bias": None})
            new = {
                "from": draw.randrange(len(units)), "to": draw.randrange(len(units)),
                "kind": draw.choice(("forward", "recurrent")), "weight": weight,
            }  # fmt: skip
            ends = ("from", "to", "kind")
            if all(any(c[end] != new[end] for end in ends) for c in connections):
                connections.append(new)
    return data


def _with_names(data: Any, draw: random.Random) -> Any:
    """A name and symbols with control characters, long ones, odd ones."""
    if not isinstance(data, dict):
        return data
    data = dict(data, name=draw.choice(TEXTS))
    alphabet = data.get("alphabet")
    if isinstance(alphabet, list) and alphabet:
        names = list(alphabet)
        names[draw.randrange(len(names))] = draw.choice(TEXTS)
        data["alphabet"] = names
    return data


def _large_network(draw: random.Random) -> dict[str, Any]:
    size = draw.choice((300, 4096, 5000))
    unit = {"activation": "relu", "bias": [1, 3]}
    units = [{"activation": "linear"}] * 3 + [unit] * (size - 3)
    count = draw.choice((1000, 100_000, 100_001))
    connections = [
        {
            "from": i * 7 % size, "to": (i * 11 + i // size) % size, "weight": [1, 1 + i % 9],
            "kind": draw.choice(("forward", "recurrent")),
        }
        for i in range(count)
    ]  # fmt: skip
    distinct = {(c["from"], c["to"], c["kind"]): c for c in connections}
    return {
        "format": "mdlrnn/1", "inputs": 3, "outputs": 3, "alphabet": ["#", "a", "b"],
        "units": units, "connections": list(distinct.values()),
    }  # fmt: skip


def _large_corpus(draw: random.Random) -> bytes:
    size = draw.choice((10**5, 10**6, 9 * 10**6))
    match draw.randrange(4):
        case 0:
            return b"a" * size + b"\n"
        case 1:
            return b"".join(b"%d\n" % i for i in range(size // 8))
        case 2:
            return b"\n" * (4 * size)
        case _:
            return "".join(chr(200 + i) for i in range(min(size, 50_000))).encode()


def _large_grammar(draw: random.Random) -> str:
    count = draw.choice((100, 150, 199, 1000, 2500))
    match draw.randrange(4):
        case 0:
            rules = [f"N{i} -> N{i + 1} [1.0]" for i in range(count)]
            return "\n".join([*rules, f"N{count} -> 'a' [1.0]"])
        case 1:
            count = min(count, 200)
            return "\n".join(
                f"N{i} -> N{(i + 1) % count} N{(i * 7) % count} [0.4] | 'a' [0.6]"
                for i in range(count)
            )
        case 2:
            return "S -> S S [0.5] | 'a' [0.5]"
        case _:
            return (
                "S -> "
                + " | ".join(f"'t{i}' S [{0.9 / count:.12f}]" for i in range(count))
                + (f" | [{1 - count * round(0.9 / count, 12):.12f}]")
            )


def _random_grammar(draw: random.Random) -> str:
    """A few nonterminals with rules whose chances add up."""
    names = ["S", "A", "B", "C"][: draw.randrange(1, 5)]
    lines = []
    for name in names:
        count = draw.randrange(1, 4)
        weights = [draw.randrange(1, 10) for _ in range(count)]
        options = []
        for weight in weights:
            right = [draw.choice((*names, "'a'", "'b'", "'a'")) for _ in range(draw.randrange(4))]
            chance = f"{weight / sum(weights):.10f}"
            options.append(f"{' '.join(right)} [{chance}]")
        lines.append(f"{name} -> {' | '.join(options)}")
    return "\n".join(lines) + "\n"


# Certificates and run folders.


def _forged(data: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """A certificate's data with another claim, another fact, or something less to show."""
    data = json.loads(json.dumps(data))
    kind = draw.randrange(6)
    if kind == 0:
        names = ("exact", "within", "deterministic", "leading", "categorical", "ordered", "below")
        margin = draw.choice(("0", "1/2", "1/1000", "1e-9", "1e999999999", "9" * 5000, "-1"))
        data["claims"] = [[draw.choice(names), margin]]
    elif kind == 1:
        data["claims"] = draw.choice(([], data["claims"] * 2000, [["exact", "0"]]))
    elif kind == 2:
        data["locations"].pop(draw.randrange(len(data["locations"])))
    elif kind == 3:
        location = draw.choice(data["locations"])
        location["facts"] = draw.choice(([[">=", ["-1"]]], [["mod", ["0"], 2, 1]], []))
    elif kind == 4:
        data["network"] = _otherwise(data["network"], draw)
    else:
        ways = [way for way in places(data["language"]) if way]
        *above, last = draw.choice(ways)
        holder = data["language"]
        for key in above:
            holder = holder[key]
        holder[last] = strange(draw)
    return data


def _queries_again(data: Any) -> str | None:
    """The certificate that the package itself would write for this data, where it would."""
    from mdlrnn.proofs import _proof

    try:
        if len(data["locations"]) * len(data["claims"]) > MOST_QUERIES:
            return None
        return str(_proof._text(*_proof._from_json(data)))
    except Exception:  # whatever is the matter, the file is then given as it is
        return None


def _spoil(run: Path, draw: random.Random) -> None:
    names = sorted(path.name for path in run.iterdir())
    path = run / draw.choice(names) if names else run / "settings.json"
    if path.is_dir() or not path.exists():
        return
    kind = draw.randrange(10)
    if kind == 0:
        path.unlink()
        path.mkdir()
    elif kind == 1:
        path.unlink()
    elif kind == 2:
        path.unlink()
        path.symlink_to(draw.choice((path.name, "/dev/null", "missing", "settings.json", "/")))
    elif kind == 3:
        path.write_bytes(mutated_bytes(path.read_bytes(), draw))
    elif path.suffix == ".npz":
        _reseal(path, draw)
    elif path.name == "settings.json":
        _resettle(path, draw)
    elif path.suffix == ".json":
        path.write_bytes(json_bytes(mutated_json(json.loads(path.read_bytes()), draw), draw))
    elif path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines() if line]
        lines = mutated_json(lines, draw)
        if isinstance(lines, list):
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if draw.random() < 0.1:
        (run / f"checkpoint-{draw.choice((0, 7, 10**8, 10**30)):09}.npz").write_bytes(b"PK")


def _reseal(path: Path, draw: random.Random) -> None:
    """A checkpoint or corpus with other arrays, and the right seal."""
    arrays = unseal(path.read_bytes())
    name = draw.choice(sorted(arrays))
    if name == "about" and draw.random() < 0.7:
        about = mutated_json(json.loads(str(arrays["about"])), draw)
        arrays["about"] = np.array(json.dumps(about))
    elif draw.random() < 0.1:
        del arrays[name]
    else:
        arrays[name] = mutated_array(arrays[name], draw)
    try:
        path.write_bytes(seal(arrays))
    except ValueError:  # arrays of Python objects cannot be sealed
        path.write_bytes(b"")


def _resettle(path: Path, draw: random.Random) -> None:
    """Other settings, with a fingerprint that fits them."""
    data = json.loads(path.read_text())
    if draw.random() < 0.5:
        search = data["search"]
        search[draw.choice(sorted(search))] = draw.choice(NUMBERS)
        if draw.random() < 0.5:
            for checkpoint in path.parent.glob("checkpoint-*"):
                checkpoint.unlink()
            (path.parent / "best.json").unlink(missing_ok=True)
    else:
        data = mutated_json(data, draw)
    with suppress(KeyError, TypeError, AttributeError, ValueError):
        data["fingerprint"] = fingerprint_of(data)
    path.write_bytes(json_bytes(data, draw))


def _write_npz(path: Path, arrays: dict[str, Any], draw: random.Random) -> None:
    with zipfile.ZipFile(path, "w", draw.choice((0, 8, 12, 14))) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array), allow_pickle=True)
            data = content.getvalue()
            if draw.random() < 0.15:
                data = _other_header(data, draw)
            archive.writestr(f"{name}.npy".replace("\x00", ""), data)


def _other_header(data: bytes, draw: random.Random) -> bytes:
    """A header that tells of another shape or type than the data have."""
    end = 10 + int.from_bytes(data[8:10], "little")
    head = data[10:end].decode("latin1")
    shapes = ("(10**9,)", "(99999999999, 99)", "(-1,)", "()", "(1, 2", "(8, 5, 2, 1)", "('a',)",
              "(4294967296, 4294967296)")  # fmt: skip
    kinds = (
        "'|O'",
        "'<f8'",
        "'<f99'",
        "'|V1000000000'",
        "'<U1000000000'",
        "[('a', '<f8')]",
        "None",
    )
    old = head[head.index("(") : head.index(")") + 1]
    kind = head[head.index(":") + 2 : head.index(",")]
    new = head.replace(old, draw.choice(shapes)) if draw.random() < 0.5 else (
        head.replace(kind, draw.choice(kinds))
    )  # fmt: skip
    text = new.encode("latin1")
    return data[:8] + len(text).to_bytes(2, "little") + text + data[end:]


def _file_name(draw: random.Random, usual: str) -> str:
    """Now and then a file has a name that a terminal would obey."""
    if draw.random() < 0.97:
        return usual
    stem, dot, ending = usual.partition(".")
    odd = draw.choice(("\x1b[31m", "a\nb", "\u202e", "\x9b31m", " ", "-", "\udcff", "x" * 150))
    return f"{stem}{odd}{dot}{ending}"
