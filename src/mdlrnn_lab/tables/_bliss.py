"""BLISS (Lan, Chemla and Katzir 2023): how far a network generalises from so many strings.

A clone of the benchmark is read as it is: a folder for each language, with zipped strings between
boundary symbols, and for every test string and step either whether one symbol only can follow, or
which symbols can. Strings and rows are read one after the other, so that a test set of gigabytes
takes little memory.
"""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mdlrnn import __version__
from mdlrnn.checks import check_integer, check_known
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError, printable
from mdlrnn.files import PathLike, check_writable, json_of, named, read_text, save
from mdlrnn.interface import evolve, json_text, table
from mdlrnn.languages import TASKS, Language
from mdlrnn.limits import LINE_BYTES, check_size
from mdlrnn.machines import MARGIN, Configuration, Machine
from mdlrnn.measures import fed
from mdlrnn.network import BOUNDARY, Encoding, Network
from mdlrnn.old import knows_old
from mdlrnn.proofs import Proof, Prover, available
from mdlrnn.search import Run, Search, Stop, workers_from

from ._runs import RunStopped

LANGUAGES = {
    "an_bn": "anbn",
    "an_bn_cn": "anbncn",
    "an_bn_cn_dn": "anbncndn",
    "an_bm_c_n_plus_m": "anbmcnm",
    "dyck_1": "dyck1",
    "dyck_2": "dyck2",
}
"""The benchmark's languages, and the tasks that they are here."""
STRINGS = 15_000
"""Of a test set that count."""
PASSWORD = b"1234"
"""It is public, and there to keep crawlers out."""
TEST, DETERMINISTIC, VALID = (
    "test.txt.zip", "test_deterministic_mask.npz", "test_valid_next_symbols.npz",
)  # fmt: skip
BEGINNING = 100
"""Test strings that are looked at before the first search."""
MOST_STRINGS = 10**9
"""That can be asked for."""
LONGEST_SHOWN = 40
"""Symbols of a string in an error."""
SURE = 1e-9
"""Of two symbols on top that are as near as this, neither is."""


class Dataset(NamedTuple):
    """One language of the benchmark."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def task(self) -> Language:
        return TASKS[LANGUAGES[self.name]]

    def sizes(self) -> list[int]:
        """Of the training sets that there are."""
        found = (re.match(r"train_(\d+)_", path.name) for path in self.folder.glob("train_*.zip"))
        return sorted({int(match[1]) for match in found if match is not None})

    def training(self, size: int) -> Corpus:
        paths = sorted(self.folder.glob(f"train_{size}_*.zip"))
        if not paths:
            has = ", ".join(map(str, self.sizes())) or "none"
            raise InputError(
                f"{named(self.folder)} has no training set of {size} strings; it has {has}."
            )
        strings = list(_lines(paths[0]))
        if len(strings) != size:
            found = "1 string" if len(strings) == 1 else f"{len(strings):,} strings"
            raise InputError(
                f"{named(paths[0])} holds {found}, but its name says {size:,}; get the benchmark "
                "again."
            )
        names = self._names(set().union(*strings))
        for string in dict.fromkeys(strings):
            self._check_string(string, names, paths[0])
        return Corpus.from_strings(strings)

    def check(self, symbols: Iterable[str]) -> None:
        """Refuse what can be seen to be wrong with the test set without reading all of it: its
        first strings, which have these symbols, and what the mask says of them."""
        path = self._mask()
        axes = 2 if path.name == DETERMINISTIC else 3
        shape = _shape(path)
        if len(shape) != axes:
            raise InputError(
                f"{named(path)} has {len(shape)} axes, not {axes}; get the benchmark again."
            )
        language = self.task.rules
        assert isinstance(language, Machine)
        size = len(language.alphabet)
        if axes == 3 and shape[2] != size:
            raise InputError(
                f"{named(path)} is about {shape[2]} symbols, and {self.task.title} has "
                f"{size}; get the benchmark again."
            )
        tests = list(self.tests(BEGINNING))
        if not tests:
            raise InputError(f"{named(self.folder / TEST)} holds no strings; get it again.")
        names = self._names(symbols)
        for string, mask in tests:
            self._check_string(string, names, self.folder / TEST)
            due = _due(language, [names[symbol] for symbol in string], axes)
            # In the masks of the benchmark no symbol is sure at the very start.
            if not np.array_equal(due[axes == 2 :], mask[axes == 2 :]):
                raise InputError(
                    f"{named(path)} does not say what can follow in {shown(string)}; get the "
                    "benchmark again."
                )

    def _names(self, symbols: Iterable[str]) -> dict[str, str]:
        """The language's own symbols for those of the benchmark, which has other brackets."""
        language = self.task.rules
        assert isinstance(language, Machine)
        used = sorted(set(symbols) - {BOUNDARY})
        own = sorted(set(language.alphabet) - {BOUNDARY})
        if set(used) <= set(own):
            return {symbol: symbol for symbol in used}
        return dict(zip(used, own, strict=True)) if len(used) == len(own) else {}

    def _check_string(self, string: str, names: Mapping[str, str], path: Path) -> None:
        language = self.task.rules
        assert isinstance(language, Machine)
        if not names or not language.accepts([names.get(symbol, "") for symbol in string]):
            raise InputError(
                f"{named(path)} holds {shown(string)}, which is no string of {self.task.title}; "
                "get the benchmark again."
            )

    def tests(self, count: int = STRINGS) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """The first test strings, each with its row: (step,) where one symbol only can follow, or
        (step, symbol) what can."""
        masks = _rows(self._mask())
        for string in islice(_lines(self.folder / TEST), count):
            mask, steps = next(masks, None), len(string) + 1
            if mask is None:
                raise InputError(
                    f"{named(self._mask())} has fewer rows than {TEST} has strings; get the "
                    "benchmark again."
                )
            if steps > len(mask):
                raise InputError(
                    f"{named(self._mask())} has rows of {len(mask)} steps, a test string has "
                    f"{steps}; get the benchmark again."
                )
            yield string, mask[:steps]

    def _mask(self) -> Path:
        path = self.folder / (VALID if self.name.startswith("dyck") else DETERMINISTIC)
        if not path.exists():
            raise InputError(f"{named(path)} is missing; get the benchmark again.")
        return path


def _due(language: Machine, string: Sequence[str], axes: int) -> NDArray[np.bool_]:
    """For each step whether one symbol only can follow, or which symbols can."""
    order = (BOUNDARY, *sorted(set(language.alphabet) - {BOUNDARY}))
    here: Configuration | None = language.beginning
    rows = []
    for symbol in (*string, BOUNDARY):
        assert here is not None
        chances = language.next_from(here).distribution
        rows.append([chances.get(other, 0) > 0 for other in order])
        here = None if symbol == BOUNDARY else language.step(here, symbol)
    found = np.array(rows, dtype=np.bool_)
    return found if axes == 3 else found.sum(axis=1) == 1


def shown(string: str) -> str:
    """The string, or its beginning."""
    if not string:
        return "the empty string"
    return printable(string if len(string) <= LONGEST_SHOWN else f"{string[:LONGEST_SHOWN]}...")


class Result(NamedTuple):
    """How many test strings a network gets right, and how many from the shortest on."""

    strings: int
    right: int
    run: int
    first_wrong: str | None = None


def datasets(folder: Path, names: Sequence[str] = ()) -> list[Dataset]:
    """The languages of a clone of the benchmark, or those of these names."""
    home = folder / "datasets" if (folder / "datasets").is_dir() else folder
    wanted = list(dict.fromkeys(names)) or [n for n in LANGUAGES if (home / n / TEST).exists()]
    for name in wanted:
        check_known(name, LANGUAGES, "language of BLISS")
        if not (home / name / TEST).exists():
            raise InputError(
                f"{named(home / name / TEST)} is missing; name the folder that {name} is in, or "
                "get the benchmark again."
            )
    if not wanted:
        raise InputError(
            f"{named(folder)} is no clone of BLISS: no folder in it has a {TEST}; name the folder "
            "that datasets is in."
        )
    return [Dataset(home / name) for name in wanted]


def evaluate(
    network: Network,
    dataset: Dataset,
    count: int = STRINGS,
    is_stopped: Callable[[], bool] = bool,
) -> Result:
    """A string is right if the network is at every step that counts."""
    strings = right = run = 0
    first_wrong = None
    known = set(network.alphabet or ())
    for string, mask in dataset.tests(count):
        if is_stopped():
            raise RunStopped
        if not known.issuperset(string):
            raise InputError(
                f"{named(dataset.folder / TEST)} holds {shown(string)}, which has a symbol that "
                "the network does not know; get the benchmark again."
            )
        strings += 1
        if _is_right(network, string, mask):
            right += 1
            run += first_wrong is None
        elif first_wrong is None:
            first_wrong = string
    return Result(strings, right, run, first_wrong)


def _is_right(network: Network, string: str, mask: NDArray[np.bool_]) -> bool:
    # A string alone is a chain: its nodes are its steps.
    chances, corpus = fed(network, Corpus.from_strings([string]))
    names = corpus.alphabet
    assert names is not None
    if mask.ndim == 2:
        order = [names.index(symbol) for symbol in (BOUNDARY, *sorted(set(names) - {BOUNDARY}))]
        if mask.shape[1] != len(order):
            return False
        return bool(np.array_equal(chances[:, order] >= MARGIN, mask))
    due = np.empty(len(chances), dtype=np.int64)
    due[corpus.item_node] = corpus.item_target
    given = np.take_along_axis(chances, due[:, None], axis=1)[:, 0]
    others = chances.copy()
    others[np.arange(len(due)), due] = -1.0
    return bool(np.all((given > others.max(axis=1) + SURE) | ~mask))


def _lines(path: Path) -> Iterator[str]:
    """The strings of a zipped file, without the boundary symbols around them."""
    with _opened(path) as file:
        while line := file.readline(LINE_BYTES + 1):
            check_size(len(line), LINE_BYTES, f"a line of {named(path)}", "bytes")
            text = line.decode("utf-8", "replace").strip()
            if text:
                yield text.removeprefix(BOUNDARY).removesuffix(BOUNDARY)


def _rows(path: Path) -> Iterator[NDArray[np.bool_]]:
    """The rows of the array `data` in an .npz file, one after the other."""
    with _opened(path) as file:
        shape = _head(file, path)
        size = int(np.prod(shape[1:]))
        check_size(size, LINE_BYTES, f"a row of {named(path)}", "values")
        for _ in range(shape[0]):
            data = file.read(size)
            if len(data) < size:
                raise InputError(f"{named(path)} ends in the middle of a row; get it again.")
            yield np.frombuffer(data, dtype=np.bool_).reshape(shape[1:])


def _shape(path: Path) -> tuple[int, ...]:
    with _opened(path) as file:
        return _head(file, path)


def _head(file: Any, path: Path) -> tuple[int, ...]:
    """The shape of the array that begins here: rows of steps, or of steps and symbols."""
    try:
        major, _ = np.lib.format.read_magic(file)
        reader = {1: np.lib.format.read_array_header_1_0,
                  2: np.lib.format.read_array_header_2_0}[major]  # fmt: skip
        shape, fortran, kind = reader(file)
    except (ValueError, KeyError, SyntaxError, TokenError) as error:
        reason = printable(f"{error}")
        raise InputError(f"{named(path)} holds no array ({reason}); get it again.") from None
    if fortran or kind != np.bool_ or len(shape) not in (2, 3):
        raise InputError(f"{named(path)} holds no rows of true and false; get the benchmark again.")
    return shape


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The only file inside a zipped one, to be read from its beginning."""
    try:
        with zipfile.ZipFile(path) as archive:
            inside = archive.infolist()
            if len(inside) != 1:
                raise InputError(f"{named(path)} holds {len(inside)} files, not one; get it again.")
            with archive.open(inside[0], pwd=PASSWORD) as file:
                yield file
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        raise InputError(
            f"{named(path)}: cannot be read ({printable(str(error))}); get it again."
        ) from None


SEARCHED = 60.0
"""Of each search."""
Row = dict[str, Any]
IN_EVERY_ROW = (
    "language", "title", "size", "seed", "asked", "g", "strings", "right", "run", "proved",
)  # fmt: skip
"""`asked` is the number of test strings asked for."""
WITHOUT_THEOREM = {"refuted": "wrong", "not right": "no bound", "not shown": "not shown"}
"""What a proof comes to that is none, in the table's last column."""


@knows_old("bliss")
def bliss(
    folder: PathLike,
    languages: Sequence[str] = (),
    sizes: Sequence[int] = (),
    *,
    stop: Stop | None = None,
    search: Search | None = None,
    strings: int = STRINGS,
    workers: object = None,
    seed: int = 1,
    out: PathLike | None = None,
    tell: Callable[[str], object] | None = None,
) -> list[Row]:
    """A row for each language and training size of a clone of BLISS, all of them if none are named.

    With `out` the rows are kept there, and one that was made by the same version on the same
    strings with the same limits, settings and number of test strings is not made again. Other rows
    stay in that file and are not given back. Ctrl-C gives back the rows that are done.
    """
    rows: list[Row] = []
    with suppress(RunStopped, KeyboardInterrupt):
        for row in bliss_rows(
            folder, languages, sizes, stop=stop, search=search, strings=strings, workers=workers,
            seed=seed, out=out, tell=tell,
        ):  # fmt: skip
            rows.append(row)
    return rows


def bliss_rows(
    folder: PathLike,
    languages: Sequence[str],
    sizes: Sequence[int],
    *,
    stop: Stop | None,
    search: Search | None,
    strings: int,
    workers: object,
    seed: int,
    out: PathLike | None,
    tell: Callable[[str], object] | None,
    is_stopped: Callable[[], bool] = bool,
) -> Iterator[Row]:
    """The rows of `bliss`, each as soon as it is there; `RunStopped` where a search was cut short.

    All that can be seen to be wrong is refused before the first search.
    """
    workers_from(workers)
    check_integer("seed", seed, 0)
    check_integer("strings", strings, 1, MOST_STRINGS)
    stop = stop or Stop(seconds=SEARCHED)
    search = search or Search()
    kept = [] if out is None else _read(Path(out))
    if out is not None:
        check_writable(out)
    for work in _works(datasets(Path(folder), languages), sizes):
        made_of = _made_of(work, search, seed, stop, strings)
        row = next((row for row in reversed(kept) if _is_made_of(row, made_of)), None)
        if row is None:
            if is_stopped():
                raise RunStopped
            if tell is not None:
                tell(f"{work.dataset.name}, {work.size} strings")
            row = made_of | _found(work, search, seed, stop, strings, workers, is_stopped)
            kept.append(row)
            if out is not None:
                save(out, json_text(kept) + "\n")
        yield row


class _Work(NamedTuple):
    dataset: Dataset
    size: int
    corpus: Corpus


def _works(chosen: Sequence[Dataset], sizes: Sequence[int]) -> list[_Work]:
    """What is to be searched on; nothing is searched before all of it is read and checked."""
    works = []
    for dataset in chosen:
        wanted = dict.fromkeys(sizes or dataset.sizes())
        if not wanted:
            raise InputError(
                f"{named(dataset.folder)} has no training set (train_*.zip); get the benchmark "
                "again."
            )
        found = [_Work(dataset, size, dataset.training(size)) for size in wanted]
        dataset.check(found[-1].corpus.alphabet or ())
        works += found
    return works


def _made_of(work: _Work, search: Search, seed: int, stop: Stop, strings: int) -> Row:
    """What a row is about and how it was made, as it is read back from a file."""
    encoding = search.encoding_for(Encoding.every_part())
    found: Row = json_of(
        json_text(
            {
                "language": work.dataset.name,
                "size": work.size,
                "seed": seed,
                "asked": strings,
                "training": work.corpus.digest,
                "limits": stop.to_dict(),
                "search": search.to_dict() | {"seed": seed, "encoding": asdict(encoding)},
                "version": __version__,
            }
        )
    )
    return found


def _is_made_of(row: Row, made_of: Row) -> bool:
    """Rows of earlier builds do not say whether another network of the front is proved."""
    return made_of.items() <= row.items() and "other" in row


def _found(
    work: _Work,
    search: Search,
    seed: int,
    stop: Stop,
    strings: int,
    workers: object,
    is_stopped: Callable[[], bool],
) -> Row:
    run = evolve(
        work.corpus, search, stop=stop, seed=seed, progress=False, workers=workers,
        on_progress=lambda progress: is_stopped(),
    )  # fmt: skip
    if run.reason == "stopped":
        raise RunStopped
    result = evaluate(run.best, work.dataset, strings, is_stopped)
    task = work.dataset.task
    row = {
        "title": task.title, "g": run.score.g, "d_given_g": run.score.d_given_g,
        "strings": result.strings, "right": result.right, "run": result.run,
        "first_wrong": result.first_wrong, "theorem": None, "proved": None, "outcome": None,
        "only_exact": None, "other": None,
        "seconds": run.statistics.seconds, "network": run.best.to_dict(),
    }  # fmt: skip
    machine = task.machine
    if available("z3") and isinstance(machine, Machine):
        prover = Prover(machine)
        proof = prover.prove(_spelled_as(machine, run.best))
        row |= {
            "proved": proof.proved, "outcome": proof.outcome, "theorem": proof.statement,
            "only_exact": _only_exact(proof),
        }  # fmt: skip
        if not proof.proved:
            row["other"] = _proved_of_front(prover, machine, run)
    return row


def _proved_of_front(prover: Prover, machine: Machine, run: Run) -> Row | None:
    """Of the front the network with the lowest score that is proved."""
    front = sorted(run.front, key=lambda entry: entry[1].mdl)
    scored = {_spelled_as(machine, network): (network, score) for network, score in front}
    found = prover.another(scored)
    if found is None:
        return None
    network, score = scored[found.network]
    return {
        "g": score.g, "d_given_g": score.d_given_g, "more": score.mdl - run.score.mdl,
        "theorem": found.statement, "only_exact": _only_exact(found), "network": network.to_dict(),
    }  # fmt: skip


def _only_exact(proof: Proof) -> bool:
    """Whether the theorem holds in exact numbers only: as it runs, the network makes a mistake."""
    return proof.proved and proof.float_failure is not None


def _spelled_as(machine: Machine, network: Network) -> Network:
    """The network with the symbols of the task here, which has other brackets."""
    assert network.alphabet is not None
    if len(network.alphabet) != len(machine.alphabet):
        return network
    names = dict(zip(sorted(network.alphabet), sorted(machine.alphabet), strict=True))
    return replace(network, alphabet=tuple(names[symbol] for symbol in network.alphabet))


def bliss_table(rows: Sequence[Row]) -> str:
    """`run / size` is the longest run from the shortest string on without a mistake, divided by the
    number of training strings. Rows that differ in nothing else have their seed, the number of test
    strings asked for and the limit of the search beside them."""
    columns = {
        "language": [row["title"] for row in rows],
        "strings": [f"{row['size']:,}" for row in rows],
        "seed": [str(row["seed"]) for row in rows],
        "asked": [f"{row['asked']:,}" for row in rows],
        "limit": [_limit(row.get("limits")) for row in rows],
        "|G|": [f"{row['g']:,}" for row in rows],
        "right": [f"{row['right']:,} of {row['strings']:,}" for row in rows],
        "run / size": [ratio_text(row["run"] / row["size"]) for row in rows],
        "theorem": [_theorem(row) for row in rows],
    }
    for name in ("seed", "asked", "limit"):
        if len(set(columns[name])) < 2:
            del columns[name]
    return table(list(columns), list(zip(*columns.values(), strict=True)), left=1)


def bliss_notes(rows: Sequence[Row]) -> list[str]:
    """A sentence on each proved network that is not the best of its search, and on each test set
    that has fewer strings than were asked for."""
    return [_on_other(row) for row in rows if row.get("other")] + [
        f"The test set of {name} has {found:,} strings, fewer than the {asked:,} asked for."
        for name, found, asked in dict.fromkeys(
            (row["language"], row["strings"], row["asked"]) for row in rows
        )
        if found < asked
    ]


def _on_other(row: Row) -> str:
    other = row["other"]
    where = " in exact numbers, though not as it runs" if other.get("only_exact") else ""
    return (
        f"{row['title']} with {row['size']:,} strings: another network of the front is proved"
        f"{where}, with |G| {other['g']:,} and {other['more']:,.2f} bits more in all."
    )


def ratio_text(value: float) -> str:
    """'150.0', '1.886', '0.003': small ones with at most three digits that count."""
    if value >= 10:
        return f"{value:,.1f}"
    if value == 0 or value >= 0.01:
        return f"{value:.3f}"
    return f"{value:.{2 - math.floor(math.log10(value))}f}".rstrip("0")


def _theorem(row: Row) -> str:
    if row["proved"] is None:
        return "-"
    if row["proved"]:
        return "yes, if exact" if row.get("only_exact") else "yes"
    is_wrong = row["right"] < row["strings"]
    why = "wrong" if is_wrong else WITHOUT_THEOREM.get(row.get("outcome") or "")
    return "no" if why is None else f"no: {why}"


def _limit(limits: object) -> str:
    """The limits of a search in a few words; those of older rows are not known."""
    if not isinstance(limits, dict):
        return "?"
    given = {name: value for name, value in limits.items() if value is not None}
    if list(given) == ["seconds"]:
        return f"{given['seconds']:g} s"
    return ", ".join(f"{name} {value:g}" for name, value in given.items())


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    try:
        rows = list(json_of(read_text(path, "table")))
        fits = all(row.keys() >= set(IN_EVERY_ROW) for row in rows)
    except (ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        fits = False
    if not fits:
        raise InputError(f"{named(path)} is no table of BLISS; choose another file.")
    return rows
