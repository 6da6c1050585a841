"""The whole site: results by language, a folder for each, and the index."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mdlrnn.checks import check_integer, is_number, short
from mdlrnn.errors import InputError
from mdlrnn.files import PathLike, json_of, make_folder, named, path_of, read_text, save
from mdlrnn.old import knows_old
from mdlrnn.show import Circle, Content, Curve, Picture, Point, Shape, Words, draw, example_of, page

from ._pages import FINDINGS, INDEX, NETWORK, STEP, Row, index_page, language_page
from ._places import FORMAT, LIST, Place, places_in
from ._result import (
    FILE,
    NOT_TRIED,
    chosen,
    class_of,
    closeness,
    findings,
    known_of,
    proof_rank,
    results_at,
    states_of,
    strings_of,
    verdict_on,
)

LONGEST = 48
SPELLED = {"*": " star ", "+": " plus ", "|": " or "}
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|)")
"""Names that no folder can have on some systems."""
FOLDER = re.compile(r"[a-z0-9][a-z0-9-]*")


def folder_names(languages: Sequence[tuple[str, str]]) -> list[str]:
    """One for each name and key; a hash of both tells apart what would else be the same."""
    plain = [_plain(name) for name, _ in languages]
    found: list[str] = []
    for (name, key), folder in zip(languages, plain, strict=True):
        if plain.count(folder) > 1 or RESERVED.fullmatch(folder):
            digest = hashlib.sha256(f"{name}\n{key}".encode(errors="replace")).hexdigest()[:8]
            folder = f"{folder}-{digest}".lstrip("-")
        found.append(folder)
    return found


def _plain(name: str) -> str:
    text = name.lower().replace("^", "")
    for sign, word in SPELLED.items():
        text = text.replace(sign, word)
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:LONGEST].strip("-")


WIDTH, HEIGHT = 132.0, 84.0


def thumbnail(picture: Picture) -> str:
    scale = min(WIDTH / picture.width, HEIGHT / picture.height, 0.5)
    groups = []
    for group in picture.groups:
        shapes = "".join(_shape(shape, scale) for shape in group.shapes)
        groups.append(f'<g class="faded">{shapes}</g>' if group.faded else shapes)
    width, height = (_number(scale * size) for size in (picture.width, picture.height))
    return (
        f'<svg class="thumbnail" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'aria-hidden="true" focusable="false">{"".join(groups)}</svg>'
    )


def _shape(shape: Shape, scale: float) -> str:
    if isinstance(shape, Words) or shape.style in ("stripe", "head"):
        return ""
    if isinstance(shape, Circle):
        x, y = (_number(scale * value) for value in shape.centre)
        radius = _number(max(2.0, scale * shape.radius))
        return f'<circle class="{shape.style}" cx="{x}" cy="{y}" r="{radius}"/>'
    points = [_point(point, scale) for point in shape.points]
    if isinstance(shape, Curve):
        return f'<path class="{shape.style}" d="M{points[0]}C{" ".join(points[1:])}"/>'
    return f'<polyline class="{shape.style}" points="{" ".join(points)}"/>'


def _point(point: Point, scale: float) -> str:
    return f"{_number(scale * point.x)},{_number(scale * point.y)}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


SECONDS = 15.0
"""For a proof, and for what was learned where there is none."""
TITLE = "Atlas of languages"
BEGUN = "begun"
"""Where the list has the folders of a call that is not finished."""


class Site(NamedTuple):
    """What was built."""

    folder: Path
    languages: int
    proved: int
    only_exact: int
    """Of these, how many in exact numbers alone: as it runs, the network makes a mistake."""
    problems: tuple[str, ...]
    """A sentence for each result or language that is not shown."""


class Work(NamedTuple):
    """What a process needs to know of a language."""

    name: str
    places: tuple[Place, ...]
    site: Path
    folder: str
    seconds: float


def build(
    results: Path,
    site: Path,
    *,
    title: str = TITLE,
    seconds: float = SECONDS,
    processes: int = 1,
    docs: str | None = None,
    tell: Callable[[str], object] | None = None,
) -> Site:
    """Write the site. `docs` is an address to link to from the index."""
    if docs:
        check_address(docs)
    if not results.is_dir():
        raise InputError(f"{named(results)}: there is no such folder; give a folder of results.")
    before = _before(site)
    if results.resolve().is_relative_to(site.resolve()):
        raise InputError(f"{named(site)} holds the results; choose another folder for the site.")
    found, problems = places_in(results)
    works = _works(found, site, seconds)
    make_folder(site)
    _begin(site, title, before, works)
    rows: list[Row] = []
    for row in _carried_out(works, processes):
        rows.append(row)
        if tell is not None:
            tell(f"{len(rows)} of {len(works)}: {row.name}, {row.problem or row.said}")
    rows.sort(key=lambda row: (_letters(row.name), row.name, row.folder))
    _forget(site, before.folders - {row.folder for row in rows if not row.problem})
    data = {"format": FORMAT, "title": title, "languages": [row.to_dict() for row in rows]}
    unused = [_without_folder(problem, results) for problem in problems]
    save(site / INDEX, index_page(title, rows, unused, docs))
    save(site / LIST, json.dumps(data, indent=1) + "\n")
    shown = [row for row in rows if not row.problem]
    failed = tuple(f"{row.name}: {row.problem}" for row in rows if row.problem)
    proved, only_exact = sum(row.proved for row in shown), sum(row.only_exact for row in shown)
    return Site(site, len(shown), proved, only_exact, (*problems, *failed))


def check_address(address: object) -> None:
    """Raise unless a link may lead there: to a page of the web, or to a file from the site on.

    What a browser would read in another way than is written here, such as a line break in a
    scheme, is refused too.
    """
    if isinstance(address, str) and address.isprintable() and address == address.strip():
        with suppress(ValueError):
            parts = urlsplit(address)
            is_of_web = parts.scheme in ("http", "https") and parts.netloc
            is_path = not parts.scheme and not address.startswith("//")
            if "\\" not in address and (is_of_web or is_path):
                return
    raise InputError(
        f"{short(address)} is no address for a link; give one that begins with https:// or "
        "http://, or a path such as ../index.html."
    )


def _works(found: Sequence[Place], site: Path, seconds: float) -> list[Work]:
    groups: dict[str, list[Place]] = {}
    for place in found:
        groups.setdefault(place.key, []).append(place)
    languages = _distinct(
        [(min(place.language for place in places), key) for key, places in groups.items()]
    )
    folders = folder_names(languages)
    return [
        Work(name, tuple(groups[key]), site, folder, seconds)
        for (name, key), folder in zip(languages, folders, strict=True)
    ]


def _distinct(languages: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same with numbers behind names that come again, in the order of their keys."""
    names = Counter(name for name, _ in languages)
    seen: Counter[str] = Counter()
    found = {}
    for name, key in sorted(languages):
        seen[name] += 1
        found[key] = f"{name} ({seen[name]})" if names[name] > 1 else name
    return [(found[key], key) for _, key in languages]


def _carried_out(works: Sequence[Work], processes: int) -> Iterator[Row]:
    if processes == 1 or len(works) == 1:
        yield from map(carry_out, works)
        return
    # Not forked: the caller may have threads.
    context = get_context("spawn")
    broken: list[Work] = []
    with ProcessPoolExecutor(min(processes, len(works)), context) as pool:
        futures = {pool.submit(carry_out, work): work for work in works}
        for done in as_completed(futures):
            try:
                yield done.result()
            except BrokenProcessPool:
                broken.append(futures[done])
    for work in broken:  # one of them has ended the process, and the others wait for it in vain
        try:
            with ProcessPoolExecutor(1, context) as pool:
                yield pool.submit(carry_out, work).result()
        except BrokenProcessPool:
            yield Row(work.name, work.folder, problem="its process was ended by the system.")


def carry_out(work: Work) -> Row:
    """The pages of a language, and its row of the index."""
    try:
        return _made(work)
    except InputError as error:
        return Row(work.name, work.folder, problem=str(error))
    except Exception as error:  # whatever it is, the other languages are still to be shown
        return Row(work.name, work.folder, problem=f"{type(error).__name__}: {error}.")


def _made(work: Work) -> Row:
    results = [result for place in work.places for result in results_at(place)]
    result = chosen(results)
    home = work.site / work.folder
    make_folder(home)
    found = findings(result, work.seconds, home / FINDINGS)
    known = known_of(result.source)
    corpus = result.strings()
    strings = None if corpus is None else strings_of(corpus)
    verdict = verdict_on(result, found)
    content = Content(
        result.network, result.encoding, work.name, example_of(corpus),
        None if strings is None else strings.summary, result.score,
        verdict=verdict, back=(INDEX, f"{work.name} in the atlas"),
    )  # fmt: skip
    drawing = draw(result.network)
    file = result.file
    if file is not None:
        save(home / file.name, file.text)
    save(home / FINDINGS, json.dumps(found.to_dict(), indent=1) + "\n")
    result.network.save(home / NETWORK)
    save(home / STEP, page(content, drawing))
    only_exact = content.theorem is not None and content.theorem.only_exact
    learned = content.learned
    follows = content.theorem is None and learned is not None and learned.proved
    outcome = "proved in exact numbers" if only_exact else found.proof.outcome
    if follows and outcome == NOT_TRIED:
        outcome = "of its machine"
    text = language_page(work.name, result, results, known, strings, found, content, drawing)
    save(home / INDEX, text)
    return Row(
        work.name,
        work.folder,
        title=known.title if known.title != work.name else "",
        kind=known.kind,
        counters=known.counters,
        g=result.g,
        learned=_learned_text(content),
        proof=outcome,
        closeness=closeness(found.proof),
        proof_rank=proof_rank(found.proof),
        proved=content.theorem is not None,
        follows=follows,
        only_exact=only_exact,
        thumbnail=thumbnail(drawing.picture),
    )


def _learned_text(content: Content) -> str:
    """What is proved that it has learned: a name, or how large its machine is."""
    learned = content.learned
    if content.theorem is not None:
        exact = ", in exact numbers" if content.theorem.only_exact else ""
        return f"the language itself{exact}"
    if learned is None or not learned.proved or learned.machine is None:
        return ""
    if learned.name is not None:
        return learned.name
    machine = learned.machine
    states, counters = states_of(machine), len(machine.counters)
    more = f", {counters} counter{'' if counters == 1 else 's'}" if counters else ""
    return f"a {class_of(machine)} machine: {states} state{'' if states == 1 else 's'}{more}"


def _without_folder(problem: str, results: Path) -> str:
    """The sentence with paths from the folder of results on: the page is for other machines too."""
    folder = re.escape(named(results).rstrip(os.sep) + os.sep)
    return re.sub(rf"(?<![\w{re.escape(os.sep)}.-]){folder}", "", problem)


def _letters(name: str) -> str:
    """What a name is looked up by: brackets and signs come after letters and digits."""
    return "".join(c for c in name.lower() if c.isalnum()) or name


class Before(NamedTuple):
    """The atlas that is there already."""

    languages: list[Any]
    """The rows of its list."""
    folders: set[str]
    """Those of its languages, and of the ones that a call began and did not finish."""


def _before(site: Path) -> Before:
    """What was built already; anything else there is not written over."""
    if not site.exists() or (site.is_dir() and not any(map(_is_kept, site.iterdir()))):
        return Before([], set())
    try:
        data: Any = json_of(read_text(site / LIST, "atlas"))
        if data["format"] != FORMAT:
            raise ValueError
        languages = list(data["languages"])
        pages = [str(row["page"]).removesuffix(f"/{INDEX}") for row in languages]
        folders = {*pages, *map(str, data.get(BEGUN, ()))}
        return Before(languages, {folder for folder in folders if FOLDER.fullmatch(folder)})
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{named(site)} is there and is no atlas; choose a new folder, or empty it."
        ) from None


def _is_kept(path: Path) -> bool:
    """Whether it is more than what is left of a list that was cut off while it was written."""
    return not path.name.startswith(f".{LIST}.")


def _begin(site: Path, title: str, before: Before, works: Sequence[Work]) -> None:
    """Write the list before the pages: a call that is interrupted leaves an atlas to go on with."""
    begun = sorted(before.folders.union(work.folder for work in works))
    data = {"format": FORMAT, "title": title, "languages": before.languages, BEGUN: begun}
    save(site / LIST, json.dumps(data, indent=1) + "\n")


def _forget(site: Path, folders: set[str]) -> None:
    """Remove the pages of languages that are no longer among the results."""
    for folder in sorted(folders):
        home = site / folder
        with suppress(OSError):
            for path in home.iterdir():
                if path.name in (INDEX, STEP, NETWORK, FINDINGS) or FILE.fullmatch(path.name):
                    path.unlink()
            home.rmdir()


@knows_old("atlas")
def atlas(
    results: PathLike,
    out: PathLike = "atlas",
    *,
    title: str = TITLE,
    seconds: float = SECONDS,
    workers: int = 1,
    docs: str | None = None,
    tell: Callable[[str], object] | None = None,
) -> Site:
    """Write a site with a page for each language of a folder of results, and an index of them.

    Results are run folders, files of `python -m benchmarks.languages run`, and files of networks.
    For each language one network is drawn, proved and read, `seconds` long each; what was found out
    is kept in the site, and a second call only does what is missing. `docs` is an address to link
    to. `workers` is a number of processes. They are started afresh, so a script that asks for
    several of them must not do its work when it is imported.
    """
    if not is_number(seconds) or seconds <= 0:
        raise InputError(f"seconds is {short(seconds)}; give a number above 0.")
    check_integer("workers", workers, 1)
    return build(
        path_of(results), Path(path_of(out)), title=title, seconds=float(seconds),
        processes=workers, docs=docs, tell=tell,
    )  # fmt: skip
