"""The pages of an atlas: one for each language, and the index that can be searched and sorted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mdlrnn import __version__
from mdlrnn.extraction import Verdict
from mdlrnn.machines import Transducer
from mdlrnn.network import OBJECTIVES, Encoding, counted, describe, length, summary
from mdlrnn.show import (
    Content,
    Drawing,
    asset,
    document,
    escaped,
    facts,
    paragraph,
    picture_of_machine,
    score_section,
    script_of,
    section,
    svg,
    table,
    theorem_section,
    verdict_section,
)

from ._result import (
    CLASSES,
    NOT_TRIED,
    UNKNOWN,
    Findings,
    Known,
    LanguageFile,
    Result,
    Strings,
    symbols_text,
)

SCALE = 1.4
FOOT = f"Made by mdlrnn {__version__}. These pages work offline and send nothing anywhere."
ALONE = "The file holds a network alone, and nothing of a search or of its strings."
STEP, NETWORK, FINDINGS, INDEX = "step.html", "network.json", "findings.json", "index.html"
"""The files of a language, in a folder of its own."""


def style() -> str:
    return asset("page.css", "mdlrnn.show") + asset("atlas.css", __package__)


def language_page(
    name: str,
    result: Result,
    others: Sequence[Result],
    known: Known,
    strings: Strings | None,
    found: Findings,
    content: Content,
    drawing: Drawing,
) -> str:
    sections = [
        _network(result, content, drawing),
        _pair(_language(known, result.file), _corpus(result, strings)),
        _learned(result, content.verdict),
        _theorem(content, found),
        score_section(content, length(result.network, result.encoding)),
        _search(result, others),
    ]
    body = "\n".join(part for part in sections if part)
    about = known.title if known.title and known.title != name else ""
    return document(
        f"{name} · atlas",
        f"""<header>
<nav class="controls"><a href="../{INDEX}">All languages</a></nav>
<h1>{escaped(name)}</h1>
<p class="muted">{escaped(about)}</p>
</header>
<main>
{body}
</main>
<footer>{FOOT}</footer>""",
        style(),
        script_of(asset("print.js", "mdlrnn.show")),
    )


def _pair(*cards: str) -> str:
    """Side by side, where there are two."""
    filled = [card for card in cards if card]
    text = "\n".join(filled)
    return f'<div class="pair">{text}</div>' if len(filled) > 1 else text


def _language(known: Known, file: LanguageFile | None) -> str:
    if known.kind == UNKNOWN:
        return ""
    pairs = [("class", f"{known.kind}: {CLASSES[known.kind]}")]
    if known.states is not None:
        pairs.append(("states", f"{known.states:,}"))
    if known.counters is not None:
        pairs.append(("counters", f"{known.counters:,}"))
    if known.alphabet:
        pairs.append(("symbols", symbols_text(known.alphabet)))
    parts = [facts(pairs)]
    if known.first:
        parts.append(table(("shortest strings", "probability"), known.first))
    rules = f'<pre class="formulas">{escaped(known.rules)}</pre>'
    parts.append(f"<details><summary>Its rules</summary>{rules}</details>")
    if file is not None:
        name = escaped(file.name)
        parts.append(f'<p class="controls">As a file: <a href="{name}">{name}</a></p>')
    return section("The language", *parts, name="language")


def _corpus(result: Result, strings: Strings | None) -> str:
    if strings is None:
        return ""
    drawn = "" if result.setting else "Drawn from the language, not kept with the network: "
    parts = [paragraph(f"{drawn}{strings.summary}.")]
    if strings.rows:
        parts.append(table(("shortest strings", "how often"), strings.rows))
    return section("The corpus", *parts, name="corpus")


def _network(result: Result, content: Content, drawing: Drawing) -> str:
    shown = svg(drawing.picture, "the drawing of the network", SCALE)
    return section(
        "The network",
        f'<div id="drawing">{shown}</div>',
        paragraph(summary(content.network), "muted"),
        facts(_bits(result)),
        f'<p class="controls links"><a class="button" href="{STEP}">Step through strings</a> '
        f'<a href="{NETWORK}">The network’s file</a></p>',
        "<details><summary>As formulas</summary>"
        f'<pre class="formulas">{escaped(describe(result.network))}</pre></details>',
        name="network",
    )


def _bits(result: Result) -> list[tuple[str, str]]:
    every = Encoding.every_part()
    pairs = [("|G|", f"{result.g:,} bits in the encoding {every.scheme}")]
    if result.encoding.scheme != every.scheme:
        own = length(result.network, result.encoding)
        pairs.append(("", f"{own:,} bits in the encoding {result.encoding.scheme}, as searched"))
    return pairs


def _learned(result: Result, verdict: Verdict | None) -> str:
    assert verdict is not None
    machine = None if result.source is None else result.source.machine
    proof = verdict.proof
    if proof is not None and proof.proved and isinstance(machine, Transducer):
        shown = svg(picture_of_machine(machine), "the drawing of the machine", 1.25)
        return section(
            f"It has learned {machine.title}",
            paragraph(verdict.line),
            f'<div class="scroll" id="machine" tabindex="0">{shown}</div>',
            name="learned",
        )
    if verdict.learned is None and proof is None:
        why = 'the extra prove is missing, pip install "mdlrnn[prove]".'
        if result.network.alphabet is None:
            why = "the network reads numbers, and machines are found in those that read symbols."
        said = paragraph(f"No machine was looked for: {why}")
        return section("What it has learned", said, name="learned")
    return verdict_section(verdict)


def _theorem(content: Content, found: Findings) -> str:
    """About the language; where it is not known, the theorem about the machine stands above."""
    if content.theorem is not None:
        return theorem_section(content)
    proof = found.proof
    if proof.outcome == NOT_TRIED:
        return ""  # what was learned is said above
    notes = [paragraph(note, "muted") for note in proof.notes]
    title = (
        proof.outcome.capitalize() if proof.outcome in ("refuted", "not right") else "Not proved"
    )
    return section(title, paragraph(proof.statement), *notes, name="theorem")


def _search(result: Result, others: Sequence[Result]) -> str:
    parts = _command(result)
    if result.origin is not None:
        parts.insert(0, paragraph(f"The network was {result.origin}."))
    if len(others) > 1:
        said = f"Of {len(others)} networks this is {_how(result, others)}."
        parts.append(paragraph(said, "muted"))
    if all(other.setting is None for other in others):
        return section("The search", *parts, name="search")
    rows = [_row(other, other is result) for other in others]
    if all(other.objective == OBJECTIVES["mdl"] for other in others):
        for row in rows:
            del row["objective"]
    if all(other.origin is None for other in others):
        for row in rows:
            del row["origin"]
    parts.append(table(list(rows[0]), [list(row.values()) for row in rows]))
    if any(other.excess is not None for other in others):
        parts.append(
            paragraph(
                "Excess: bits a string above the language itself, on strings that were not seen.",
                "muted",
            )
        )
    return section("The search", *parts, name="search")


def _command(result: Result) -> list[str]:
    if result.setting is None:
        return [paragraph(ALONE)]
    command = result.command
    if command is None:
        return [paragraph("No command is known that searches the same way.")]
    until = ""
    if result.repeats and result.is_best:
        until = ", up to the generation in which the network was found"
    elif result.repeats:
        until = ", as far as it went; then the network is proved"
    elif " --time " in command:
        until = ", for as long; how far it comes depends on the machine"
    return [
        paragraph(f"This command searches the same way{until}."),
        f'<pre class="formulas" id="command">{escaped(command)}</pre>',
        *(paragraph(caution) for caution in result.cautions),
    ]


def _how(result: Result, others: Sequence[Result]) -> str:
    """Why this network is the one that is shown."""
    if result.proved:
        right = "right in exact numbers" if result.only_exact else "right"
        if sum(o.proved and o.only_exact == result.only_exact for o in others) == 1:
            return f"the only one that was proved {right} when its search ended"
        return f"the smallest of those that were proved {right} when their searches ended"
    if result.score is None:
        return "the smallest"
    how = "the one with the lowest |G| + |D:G|"
    if len({other.encoding.scheme for other in others}) > 1:
        how += f", |G| counted in the encoding {Encoding.every_part().scheme},"
    if len({other.count for other in others}) > 1 and result.count is not None:
        how += f" of those found on the most strings, {result.count:,}"
    return how.rstrip(",")


def _row(result: Result, shown: bool) -> dict[str, str]:
    """A cell for each column; an objective is worth one if it is not the usual one somewhere."""
    score, seconds, count = result.score, result.seconds, result.count
    return {
        "seed": "–" if result.seed is None else f"{result.seed}",
        "setting": result.setting or "–",
        "strings": "–" if count is None else f"{count:,}",
        "objective": result.objective.title if result.setting else "–",
        "|G|, parts": f"{result.g:,}",
        "|G| + |D:G|": "–" if score is None else f"{score.mdl:,.2f}",
        "encoding": result.encoding.scheme if result.setting else "–",
        "excess": _excess(result.excess),
        "origin": "–" if result.origin is None else result.origin.kind,
        "found after": "–" if seconds is None else f"{seconds:,.0f} s",
        "network": f"{_place(result)}{', shown' if shown else ''}",
    }


def _place(result: Result) -> str:
    if result.setting is None:
        return "from a file"
    return "the best" if result.is_best else "another, proved"


def _excess(value: float | None) -> str:
    if value is None:
        return "–"
    return "infinite" if math.isinf(value) else f"{value:.3f}"


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
    follows: bool = False
    """Whether the network is proved to follow the machine read off it, where no language is known
    or it is not that of the theorem."""
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
    body = "\n".join(_index_row(row, place) for place, row in enumerate(shown))
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
        script_of(asset("atlas.js", __package__), asset("print.js", "mdlrnn.show")),
    )


def _summary(rows: Sequence[Row]) -> str:
    proved, exact = sum(row.proved for row in rows), sum(row.only_exact for row in rows)
    right = "is" if proved == 1 else "are"
    whose = "" if exact == proved else f"{exact:,} of them "
    where = f", {whose}in exact numbers only" if exact else ""
    follows = sum(row.follows for row in rows)
    does = "follows" if follows == 1 else "follow"
    more = f" {follows:,} more {does} a machine that was read off, for every string." * bool(
        follows
    )
    return (
        f"Networks found for {counted(len(rows), 'language')}; {counted(proved, 'network')} "
        f"{right} proved right for every string{where}.{more}"
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


def _index_row(row: Row, place: int) -> str:
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


WORDS = (
    ("class, counters", "of the machine that a language is written as; another machine for the "
     "same strings may need less"),
    ("|G|", "in the encoding parts, which depends on the network alone, so that all rows compare"),
    ("has learned", "said where it is proved"),
    ("proved", "of the network’s probabilities for every string: exact, within a margin, or of "
     "which symbols are possible next; in exact numbers, and each page says how far it holds of "
     "the network that runs"),
    ("in exact numbers", "as the network runs, in float64, it makes a mistake; its page names it"),
    ("of its machine", "no language is known, and the network is proved to follow the machine that "
     "was read off it"),
    ("not right", "what was shown is too weak for that"),
    ("not shown", "neither a proof nor a mistake was found in time"),
    ("refuted", "a string was found on which the network is wrong"),
)  # fmt: skip


def _classes(rows: Sequence[Row]) -> str:
    used = [(k, text) for k, text in CLASSES.items() if any(row.kind == k for row in rows)]
    return section("What the words mean", facts([*used, *WORDS]))


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
