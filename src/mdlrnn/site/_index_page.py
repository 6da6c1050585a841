"""The index of an atlas: a table of languages that can be searched, narrowed down and sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..drawing._svg import escaped
from ..network._text import counted
from ..page._document import asset, document, script_of
from ..page._sections import section
from ._known import CLASSES
from ._language_page import FOOT, INDEX, style

COLUMNS = (
    ("name", "language"),
    ("kind", "class"),
    ("counters", "counters"),
    ("g", "|G|"),
    ("learned", "has learned"),
    ("proof", "proof"),
)
"""What rows are sorted by, and the word above the column."""


@dataclass(frozen=True)
class Row:
    """A language in the index. Without a network, `problem` says what went wrong."""

    name: str
    folder: str
    title: str = ""
    kind: str = ""
    counters: int | None = None
    g: int | None = None
    learned: str = ""
    proof: str = ""
    """proved, proved in exact numbers, refuted, not right, not shown, not tried"""
    closeness: str = ""
    """Of a theorem: exact, within a margin, or which symbols are possible."""
    proof_rank: float = 9.0
    proved: bool = False
    only_exact: bool = False
    """Whether the theorem holds in exact numbers alone: as it runs, the network makes a mistake."""
    thumbnail: str = ""
    problem: str = ""

    @property
    def said(self) -> str:
        return f"{self.proof}, {self.closeness}" if self.closeness else self.proof

    def to_dict(self) -> dict[str, Any]:
        """What another program may read of it."""
        names = (
            "name", "title", "kind", "counters", "g", "learned", "proof", "closeness", "problem",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | {"page": f"{self.folder}/{INDEX}"}


def index_page(
    title: str, rows: Sequence[Row], problems: Sequence[str] = (), docs: str | None = None
) -> str:
    """`problems` has a sentence for each result that could not be used."""
    shown = [row for row in rows if not row.problem]
    body = "\n".join(_row(row, place) for place, row in enumerate(shown))
    heads = "".join(_head(key, word) for key, word in COLUMNS)
    parts = [
        _controls(shown),
        f'<p id="count" role="status">{_count(len(shown))}</p>',
        '<table id="index"><thead><tr><th scope="col"><span class="unseen">drawing</span></th>'
        f"{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>",
        '<p id="none" hidden>No language fits. Search for less.</p>',
    ]
    link = (
        f'<nav class="controls"><a href="{escaped(docs)}">Documentation</a></nav>\n' if docs else ""
    )
    return document(
        title,
        f"""<header>
{link}<h1>{escaped(title)}</h1>
<p class="muted">{_summary(shown)}</p>
</header>
<main>
<section>
{chr(10).join(parts)}
</section>
{_classes(shown)}
{_failed([row for row in rows if row.problem], problems)}
</main>
<footer>{FOOT}</footer>""",
        style(),
        script_of(asset("atlas.js", __package__), asset("print.js", "mdlrnn.page")),
    )


def _summary(rows: Sequence[Row]) -> str:
    proved, exact = sum(row.proved for row in rows), sum(row.only_exact for row in rows)
    right = "is" if proved == 1 else "are"
    whose = "" if exact == proved else f"{exact:,} of them "
    where = f", {whose}in exact numbers only" if exact else ""
    return (
        f"Networks found for {counted(len(rows), 'language')}; {counted(proved, 'network')} "
        f"{right} proved right for every string{where}."
    )


def _count(number: int) -> str:
    return counted(number, "language")


def _controls(rows: Sequence[Row]) -> str:
    kinds = [kind for kind in CLASSES if any(row.kind == kind for row in rows)]
    options = "".join(f'<option value="{kind}">{kind}</option>' for kind in kinds)
    exact = '<option value="exact">proved in exact numbers only</option>\n'
    exact = exact if any(row.only_exact for row in rows) else ""
    return f"""<form id="controls" class="controls" role="search" hidden>
<div><label for="search">Search</label>
<input type="search" id="search" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div><label for="kind">Class</label>
<select id="kind"><option value="">all</option>{options}</select></div>
<div><label for="proved">Proof</label>
<select id="proved"><option value="">all</option><option value="yes">proved</option>
{exact}<option value="no">not proved</option></select></div>
</form>"""


def _head(key: str, word: str) -> str:
    ordered = ' aria-sort="ascending"' if key == "name" else ""
    word = escaped(word)
    return (
        f'<th scope="col"{ordered} class="of-{key}" data-head="{word}">'
        f'<button type="button" data-sort="{key}">{word}</button></th>'
    )


def _row(row: Row, place: int) -> str:
    address = f"{row.folder}/{INDEX}"
    counters = "" if row.counters is None else str(row.counters)
    values = {
        "name": str(place),
        "kind": str(list(CLASSES).index(row.kind)),
        "counters": counters or "99",
        "g": str(row.g),
        "learned": row.learned.lower() or "\uffff",
        "proof": f"{row.proof_rank:.4f}",
    }
    marks = "".join(f' data-{key}="{escaped(value)}"' for key, value in values.items())
    title = f' <span class="title">{escaped(row.title)}</span>' if row.title else ""
    proved = "exact" if row.only_exact else "yes" if row.proved else "no"
    close = f' <span class="close">{escaped(row.closeness)}</span>' if row.closeness else ""
    return (
        f'<tr{marks} data-class="{row.kind}" data-proved="{proved}">'
        f'<td class="picture"><a href="{address}" tabindex="-1" aria-hidden="true">'
        f"{row.thumbnail}</a></td>"
        f'<th scope="row"><a href="{address}">{escaped(row.name)}</a>{title}</th>'
        f'<td data-label="class">{row.kind}</td>'
        f'<td data-label="counters" class="number">{counters or "–"}</td>'
        f'<td data-label="|G|" class="number">{row.g:,}</td>'
        f'<td data-label="has learned">{escaped(row.learned) or "–"}</td>'
        f'<td data-label="proof">{escaped(row.proof)}{close}</td></tr>'
    )


def _classes(rows: Sequence[Row]) -> str:
    used = [(k, text) for k, text in CLASSES.items() if any(row.kind == k for row in rows)]
    pairs = "".join(f"<dt>{kind}</dt><dd>{escaped(text)}</dd>" for kind, text in used)
    return section(
        "What the columns say",
        f'<dl class="facts">{pairs}</dl>',
        "<p>The class and the counters are those of the machine that a language is written as; "
        "another machine for the same strings may need less. |G| is counted in the encoding parts, "
        "which depends on the network alone, so that all rows compare. What a network has learned "
        "is said where it is proved. A proof is of the network’s probabilities for every string: "
        "exact, within a margin, or of which symbols are possible next. Proved in exact numbers: "
        "as the network runs, in float64, it makes a mistake, which its page names. Not right: "
        "what was shown is too weak for that; not shown: neither proof nor mistake was found in "
        "time; refuted: a string was found on which the network is wrong.</p>",
    )


def _failed(rows: Sequence[Row], problems: Sequence[str]) -> str:
    if not rows and not problems:
        return ""
    parts = [_listed([f"{row.name}: {row.problem}" for row in rows])] if rows else []
    if problems:
        said = f"{counted(len(problems), 'result')} could not be used"
        parts.append(f"<details><summary>{said}</summary>{_listed(problems)}</details>")
    return section("What is missing", *parts, name="missing")


def _listed(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(sentence)}</li>' for sentence in sentences)}</ul>"
