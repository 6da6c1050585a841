"""The page: one HTML file that holds all it needs and sends no request.

Its parts are score, search, measures, theorem, formulas, bits, and the machine; its script needs to
know of a network its parts, its order of feeding, its bits.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import zip_longest
from random import Random
from typing import Any

from .._version import __version__
from ..errors import InputError
from ..extraction import Verdict
from ..machines import Affine, Machine, Rule, rule_text
from ..network import (
    BOUNDARY,
    FLOAT,
    Encoding,
    Network,
    Part,
    describe,
    distribution,
    has_words,
    parts,
    plan,
    spelled,
    stepper,
    summary,
)
from ._automaton import picture_of_machine
from ._content import Content
from ._drawing import Drawing, connection_title, draw, unit_title
from ._formats import Picture, escaped, svg
from ._plots import plot_accuracy, plot_enough, plot_front, plot_history

KINDS = {
    "part": "which parts are allowed",
    "count": "number of units",
    "activation": "activation",
    "type": "sum or product",
    "outgoing": "number of outgoing connections",
    "target": "target of a connection",
    "weight": "weight",
    "kind": "forward or recurrent",
    "cost": "cost of the activation",
    "bias": "bias or its absence",
}
"""The colours of the bit string, as in Figure 2."""
DRAWS = 30
MOST_MADE = 8
"""Strings of the network that are shown."""
FEWEST_POINTS = 4
"""Values from which on a plot shows more than a sentence."""
TELLING, LONGEST_EXAMPLE = 4, 12
"""Symbols of an example: so many that something is to be seen, and few enough for one look."""


def page_data(drawing: Drawing, encoding: Encoding, example: str | None = None) -> dict[str, Any]:
    net = drawing.network
    order, ignored = plan(net)
    written = described_parts(net, encoding)
    fed = net.to_dict()
    # JavaScript reads numbers as doubles, so that only strings keep large ones whole.
    for item in (*fed["units"], *fed["connections"]):
        for name in ("weight", "bias"):
            if item.get(name):
                item[name] = [str(value) for value in item[name]]
    fed["order"] = [*(u for u in range(net.inputs) if u not in order), *order]
    fed["ignored"] = [
        number
        for number, c in enumerate(net.connections)
        if c.kind == "forward" and (c.source, c.target) in ignored
    ]
    fed["shown"] = shown_units(net)
    titles = {net.connections.index(p.connection): connection_title(p)
              for p in drawing.layout.placed if p.connection is not None}  # fmt: skip
    return {
        "network": fed,
        "parts": written,
        "units": [_unit(drawing, written, u) for u in range(len(net.units))],
        "connections": [_capital(titles[number]) for number in range(len(net.connections))],
        "example": example_string(net) if example is None else example,
    }


def shown_units(network: Network) -> list[int]:
    """The units with a column in the table of steps: an input for a symbol, unless a connection
    leads to it, only repeats which symbol is read, and that has a column of its own."""
    fed = {c.target for c in network.connections}
    folded = 0 if network.alphabet is None else network.inputs
    return [u for u in range(len(network.units)) if u >= folded or u in fed]


def described_parts(network: Network, encoding: Encoding) -> list[dict[str, Any]]:
    """The bit string in pieces that say in words, counting units from 0, what they mean."""
    places = {c: number for number, c in enumerate(network.connections)}
    found: list[dict[str, Any]] = []
    within = 0
    for part in parts(network, encoding):
        within = within + 1 if part.connection is not None else 0
        kind, label = _meaning(part, network, (within - 1) % 3)
        found.append(
            {
                "bits": part.bits,
                "kind": kind,
                "label": label,
                "unit": part.unit,
                "connection": None if part.connection is None else places[part.connection],
            }
        )
    return found


def _meaning(part: Part, network: Network, place: int) -> tuple[str, str]:
    c, u = part.connection, part.unit
    if u is None and part.label != "E(U)":
        name, said = part.label.rstrip("?"), "allowed" if part.bits == "1" else "not allowed"
        return "part", f"{name}: {said}"
    if u is None:
        return "count", f"{len(network.units)} units"
    if c is not None:
        return (
            ("target", f"to unit {c.target}"),
            ("weight", f"weight {c.weight}"),
            ("kind", c.kind),
        )[place]
    if part.label == "type":
        return "type", f"unit {u} is a {network.units[u].type}"
    if part.label == "E(#out)":
        count = sum(c.source == u for c in network.connections)
        return "outgoing", f"unit {u} has {count} outgoing connection{'' if count == 1 else 's'}"
    if part.label.startswith("cost("):
        return "cost", f"cost of {network.units[u].activation}, in unary"
    if part.label in ("bias", "no bias"):
        bias = network.units[u].bias
        return "bias", f"unit {u} has no bias" if bias is None else f"bias {bias} of unit {u}"
    return "activation", f"unit {u} is {part.label}"


def _unit(drawing: Drawing, written: Sequence[dict[str, Any]], unit: int) -> dict[str, Any]:
    here = [part for part in written if part["unit"] == unit]
    own = sum(len(part["bits"]) for part in here if part["connection"] is None)
    return {
        "title": _capital(unit_title(drawing.network, drawing.layout, unit)),
        "own": own,
        "out": sum(len(part["bits"]) for part in here) - own,
        "outgoing": sum(c.source == unit for c in drawing.network.connections),
    }


def example_string(network: Network) -> str:
    """Something to begin with: a string that the network itself finds likely, or a few steps of
    ones and zeros."""
    if network.alphabet is None:
        steps = [["1"] * network.inputs, ["1"] + ["0"] * (network.inputs - 1)]
        return " ".join(",".join(step) for step in [*steps, ["0"] * network.inputs])
    random = Random(0)
    drawn = [_drawn(network, network.alphabet, random) for _ in range(DRAWS)]
    ended = [string for string, ends in drawn if ends]
    telling = [string for string in ended if len(string) >= TELLING]
    return spelled(next(iter([*telling, *ended, drawn[0][0]])), has_words(network.alphabet))


def _drawn(network: Network, alphabet: Sequence[str], random: Random) -> tuple[list[str], bool]:
    """Symbols drawn with the network's probabilities, and whether the string has come to its
    end."""
    step = stepper(network, FLOAT)
    symbols: list[str] = []
    symbol, values = BOUNDARY, None
    while len(symbols) < LONGEST_EXAMPLE:
        values = step([int(symbol == other) for other in alphabet], values)
        [symbol] = random.choices(alphabet, distribution(network, values))
        if symbol == BOUNDARY:
            return symbols, True
        symbols.append(symbol)
    return symbols, False


def json_text(data: object) -> str:
    """JSON that can stand inside a script element, whatever strings it holds."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


PAPER, LETTER, PADDING = 640.0, 7.0, 13.0
"""Pixels: the least width of a sheet, of a letter in a table there, and between two columns."""


def section(title: str, *content: str, name: str = "") -> str:
    mark = f' id="{name}"' if name else ""
    return f"<section{mark}>\n<h2>{escaped(title)}</h2>\n{chr(10).join(content)}\n</section>"


def folded(title: str, says: str, *content: str, name: str = "") -> str:
    """A section that is closed at first, with a sentence that says what there is to see in it."""
    mark = f' id="{name}"' if name else ""
    return (
        f"<section{mark}><details><summary><h2>{escaped(title)}</h2> "
        f'<span class="muted">{escaped(says)}</span></summary>\n{chr(10).join(content)}\n'
        "</details></section>"
    )


def paragraph(text: str, look: str = "") -> str:
    return f"<p{f' class={chr(34)}{look}{chr(34)}' if look else ''}>{escaped(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rows = [list(row) for row in rows]
    wide = is_wide([head, *rows])
    heads = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in head)
    # On paper the rows of a wide table stand one below the other, and each cell names its column.
    labels = [f' data-label="{escaped(cell)}"' if wide else "" for cell in head]
    lines = []
    for row in rows:
        cells = zip_longest(labels, map(escaped, row), fillvalue="")
        first, *others = list(cells)[: len(row)]
        found = [f'<th scope="row"{first[0]}>{first[1]}</th>']
        found += [f"<td{label}>{cell}</td>" for label, cell in others]
        lines.append(f"<tr>{''.join(found)}</tr>")
    body = "\n".join(lines)
    look = ' class="wide"' if wide else ""
    return (
        f'<div class="scroll" tabindex="0"><table{look}><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def is_wide(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table is too wide for paper, where lines are broken between words."""
    widths = [
        max((len(word) for cell in column for word in cell.split()), default=0)
        for column in zip_longest(*rows, fillvalue="")
    ]
    return sum(LETTER * width + PADDING for width in widths) > PAPER


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in pairs)
    return f'<dl class="facts">{rows}</dl>'


def score_section(content: Content, length: int) -> str:
    score = content.score
    if score is None:
        pairs = [("|G|", f"{length:,} bits, the network")]
    else:
        pairs = [
            ("|G|", f"{score.g:,} bits, the network"),
            ("|D:G|", f"{_bits(score.d_given_g)} bits, {content.corpus or 'the corpus'}"),
            ("|G| + |D:G|", f"{_bits(score.mdl)} bits, what the search minimises"),
        ]
    return folded(
        "Score", "The bits that write the network down, and those that its strings need.",
        facts(pairs), name="score",
    )  # fmt: skip


def search_section(content: Content) -> str:
    search = content.search
    if search is None:
        return ""
    plots = []
    if len(set(search.history.mdl)) >= FEWEST_POINTS:
        plots.append(svg(plot_history(search.history)))
    if len(search.front.g) >= FEWEST_POINTS:
        plots.append(svg(plot_front(search.front)))
    parts = [facts(search.facts), f'<div class="plots">{"".join(plots)}</div>']
    rows = [
        (f"{g:,}", _bits(d), _bits(g + d), "the best" if i == search.front.best else "")
        for i, (g, d) in enumerate(zip(search.front.g, search.front.d_given_g, strict=True))
    ]
    if rows:
        inner = table(("|G|", "|D:G|", "MDL", ""), rows)
        parts.append(f"<details><summary>The front as a table</summary>{inner}</details>")
    says = "How the network was found: the curve falls where the search found a better one."
    return folded("The search", says, *parts, name="search")


def measures_section(content: Content) -> str:
    report = content.measures
    if report is None:
        return ""
    rows = [(label.strip(), *cells) for label, *cells in report.rows()]
    parts = [table((report.heading, "training", "test"), rows)]
    parts += [paragraph(line.strip()) for line in report.verdict()]
    if content.accuracy is not None and any(share < 1 for share in content.accuracy.share):
        parts.append(f'<div class="plots">{svg(plot_accuracy(content.accuracy))}</div>')
    says = "How often the network is right on strings that it was found with and on others."
    return folded("Measures", says, *parts, name="measures")


def enough_section(content: Content) -> str:
    if content.enough is None:
        return ""
    return folded(
        "How many strings are enough",
        "Which network wins with how many strings: the lowest line.",
        paragraph(
            "On more strings a network's expected score grows along a straight line. These are the "
            "lines of the shortest networks that the search found, above the lowest of them.",
            "muted",
        ),
        f'<div class="plots">{svg(plot_enough(content.enough.lines))}</div>',
        paragraph(content.enough.verdict),
        name="enough",
    )


def theorem_section(content: Content) -> str:
    theorem = content.theorem
    if theorem is None:
        return ""
    parts = [paragraph(theorem.statement)]
    head, rows = theorem.table()
    if rows:
        order = _probabilities_first(head)
        rows = [[row[i] for i in order if i < len(row)] for row in rows]
        parts.append(table([head[i] for i in order], rows))
    if theorem.notes:
        parts.append(paragraph(" ".join(theorem.notes), "muted"))
    title = "Theorem, in exact numbers" if theorem.only_exact else "Theorem"
    says = "What every unit holds at every step, however long the string."
    return folded(title, says, *parts, name="theorem")


def _probabilities_first(head: Sequence[str]) -> list[int]:
    """Columns in the order of the page: units, of which there may be many, come last."""
    return sorted(range(len(head)), key=lambda i: head[i].startswith("unit "))


def formulas_section(content: Content) -> str:
    words = escaped(describe(content.network))
    return section("The network as formulas", f'<pre class="formulas">{words}</pre>')


def bits_section(parts: Sequence[dict[str, Any]], scheme: str) -> str:
    spans = "".join(
        f'<span class="k-{part["kind"]}" data-part="{i}" data-bits="{part["bits"]}" '
        f'title="{escaped(part["label"])}">{part["bits"]}</span>'
        for i, part in enumerate(parts)
    )
    used = {part["kind"] for part in parts}
    legend = "".join(
        f'<li><b class="k-{kind}"></b>{name}</li>' for kind, name in KINDS.items() if kind in used
    )
    length = sum(len(part["bits"]) for part in parts)
    how = "the paper’s encoding" if scheme == "paper" else f"encoding {scheme}"
    return section(
        f"The network as {length:,} bits",
        paragraph(
            f"This string is all of the network, in {how}; |G| is its length. "
            "Point at a part, or at the drawing, to see what belongs together. "
            "On this page units are counted from 0; in the bits, targets count from 1.",
            "muted",
        ),
        f'<div class="bits" id="bits">{spans}</div>',
        f'<ul class="legend">{legend}</ul>',
    )


def subtitle(content: Content) -> str:
    return summary(content.network)


def _bits(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:,.2f}"


MACHINE_SCALE = 1.25


def machine_data(verdict: Verdict | None) -> dict[str, Any] | None:
    """The machine for the page's script; integers as text, since doubles would round them."""
    machine = None if verdict is None else verdict.machine
    if machine is None:
        return None
    return {
        "start": machine.start,
        "counters": list(machine.counters),
        "rules": [_rule(rule, machine) for rule in machine.rules],
    }


def _rule(rule: Rule, machine: Machine) -> dict[str, Any]:
    def sum_of(value: Affine | int) -> dict[str, Any]:
        value = Affine((), value) if isinstance(value, int) else value
        return {
            "terms": [[machine.counters.index(name), str(f)] for name, f in value.terms],
            "constant": str(value.constant),
            "divisor": str(value.divisor),
        }

    return {
        "state": rule.state,
        "symbol": rule.symbol,
        "to": rule.to,
        "chance": [str(rule.chance.numerator), str(rule.chance.denominator)],
        "when": [
            {"sum": sum_of(c.expression), "relation": c.relation, "digit": str(c.digit),
             "base": str(c.base)}
            for c in rule.when
        ],
        "then": [[machine.counters.index(name), sum_of(value)] for name, value in rule.then],
    }  # fmt: skip


def made_strings(network: Network) -> str:
    """Likely strings of the network, the shortest first; nothing where none is."""
    if network.alphabet is None:
        return ""
    random = Random(0)
    drawn = [_drawn(network, network.alphabet, random) for _ in range(10 * DRAWS)]
    counts = Counter(tuple(symbols) for symbols, ends in drawn if ends)
    often = [string for string, count in counts.most_common(MOST_MADE) if 100 * count > len(drawn)]
    if not often:
        return ""
    words = has_words(network.alphabet)
    shown = [spelled(string, words) for string in sorted(often, key=lambda s: (len(s), s))]
    listed = "".join(f"<li><code>{escaped(text) or '(empty)'}</code></li>" for text in shown)
    return f'<h3>Strings it makes</h3>\n<ul class="made">{listed}</ul>'


def verdict_section(verdict: Verdict | None, made: str = "") -> str:
    """What it has learned, but for the theorem about a known language, which has a section."""
    if verdict is None:
        return section("The network's strings", made, name="learned") if made else ""
    machine = verdict.machine
    title = "What it has learned" if verdict.name is None else f"It has learned {verdict.name}"
    proof = verdict.proof
    told = [] if proof is not None and proof.proved else verdict.theorem_text
    texts = (verdict.line, *verdict.instead, *told, *verdict.details)
    said = "".join(paragraph(text) for text in texts)
    if machine is None:
        return section(title, said, made, name="learned")
    rules = "\n".join(rule_text(rule) for rule in machine.rules)
    drawing, width = _drawing(machine)
    look = "pair wide" if width > HALF else "pair"
    return section(
        title,
        f'<div class="{look}">\n<div>{said}{made}</div>\n<div>\n<h3>The machine</h3>',
        drawing,
        '<p id="machine-where" aria-live="polite"></p>',
        f'<details><summary>Its rules</summary><pre class="formulas">{escaped(rules)}</pre>'
        "</details>\n</div>\n</div>",
        name="learned",
    )


HALF = 520.0
"""Points up to which a machine fits beside what is said of it."""


def _drawing(machine: Machine) -> tuple[str, float]:
    """With its width in points."""
    try:
        picture = picture_of_machine(machine)
    except InputError:
        return '<div id="machine"></div>', 0.0  # too many states; the rules are there
    shown = svg(picture, "the drawing of the machine", MACHINE_SCALE)
    return f'<div class="scroll" id="machine" tabindex="0">{shown}</div>', picture.width


def document(title: str, body: str, style: str, script: str = "", head: str = "") -> str:
    """The file's text; `body` and `head` are HTML, the title is text."""
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    policy = (
        f"default-src 'none'; {scripts}style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    last = f"\n<script>{script}</script>" if script else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
{head}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="mdlrnn {__version__}">
<title>{escaped(title)}</title>
<style>{style}</style>
</head>
<body>
{body}{last}
</body>
</html>
"""


def script_of(*texts: str) -> str:
    """One script of these, with names of its own."""
    return '"use strict";\n(() => {\n' + "\n".join(texts) + "\n})();\n"


def asset(name: str, package: str = __package__) -> str:
    """The text of a file in the folder `assets` of a room."""
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


SCALE = 1.5
"""Of the drawing, where the screen has room for it."""
WIDE = 700.0
"""Points beyond which a drawing has a row of the page for itself."""
PATTERNS = (
    '<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>'
    '<pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="2" height="5"/></pattern></defs></svg>'
)
"""Over the colours of the bars, where there are more symbols than colours."""
SCRIPTS = ("numbers.js", "machine.js", "automaton.js", "view.js", "print.js")


def page(content: Content, drawing: Drawing | None = None) -> str:
    """The file's text; a drawing of the network that is there already is not made again."""
    drawing = drawing or draw(content.network)
    data = page_data(drawing, content.encoding, content.example)
    data["machine"] = machine_data(content.verdict)
    script = script_of(*map(asset, SCRIPTS))
    refresh = ""
    if content.refresh is not None:
        refresh = f'<meta http-equiv="refresh" content="{content.refresh}">\n'
    length = sum(len(part["bits"]) for part in data["parts"])
    title = escaped(content.title)
    sections = [
        verdict_section(content.verdict, made_strings(content.network)),
        _together(content.network, drawing.picture),
        _along(content.network),
        formulas_section(content),
        bits_section(data["parts"], content.encoding.scheme),
        theorem_section(content),
        score_section(content, length),
        measures_section(content),
        search_section(content),
        enough_section(content),
    ]
    body = "\n".join(part for part in sections if part)
    return document(
        content.title,
        f"""<header>
{_back(content.back)}<h1>{title}</h1>
<p class="muted">{escaped(subtitle(content))}</p>
</header>
<main>
{body}
</main>
<footer>Made by mdlrnn {__version__}. This file works offline and sends nothing anywhere.</footer>
<script type="application/json" id="data">{json_text(data)}</script>""",
        asset("page.css"),
        script,
        refresh,
    )


def _back(back: tuple[str, str] | None) -> str:
    if back is None:
        return ""
    address, words = back
    return f'<nav class="controls"><a href="{escaped(address)}">{escaped(words)}</a></nav>\n'


def _together(network: Network, picture: Picture) -> str:
    drawing = svg(picture, "the drawing of the network", SCALE)
    shown = section(
        "The network",
        f'<div id="drawing">{drawing}</div>',
        _legend(network),
        '<p id="about" aria-live="polite" class="muted">Point at a unit or connection, or reach it '
        "with the Tab key, to see its part of the bits.</p>",
    )
    if network.alphabet is None:
        numbers = ",".join("01"[i % 2] for i in range(network.inputs))
        asked = f"Numbers to read, a step such as {numbers}, blanks between steps"
    else:
        asked = "A string to read; the boundary # comes first by itself"
    generate = ""
    if network.alphabet is not None:
        generate = '<button type="button" id="generate">Generate</button>'
    stepping = section(
        "Step through a string",
        f"""<div class="controls">
<label for="string">{escaped(asked)}</label>
<div class="row"><input type="text" id="string" autocomplete="off" autocapitalize="off"
 spellcheck="false" aria-describedby="message keys">{generate}</div>
</div>
<p id="message" role="alert"></p>
<p id="where" aria-live="polite"></p>
<div class="row controls">
<button type="button" id="back" aria-label="one step back">←</button>
<input type="range" id="slider" min="0" max="0" value="0" step="1" aria-label="step">
<button type="button" id="next" aria-label="one step on">→</button>
</div>
<p class="muted controls" id="keys">Arrow keys step; within the field, up and down do.</p>
<h2>What comes next</h2>
<div id="chances"></div>
<p class="muted">Values are exact fractions; ~ marks rounded ones.</p>""",
    )
    look = "pair wide" if picture.width > WIDE else "pair"
    return f'<div class="{look}">\n{shown}\n{stepping}\n</div>'


def _legend(network: Network) -> str:
    """What colours, dashes and arrows mean, those that are there."""
    kinds = {c.kind for c in network.connections}
    every, fed = set(range(len(network.units))), {*plan(network).order}
    looks = (
        ("input", "input", True),
        ("output", "output", True),
        ("hidden", "hidden unit", network.hidden > 0),
        ("product", "multiplies", any(unit.type == "product" for unit in network.units)),
        ("line", "carries the value of this step", "forward" in kinds),
        ("dashes", "of the step before", "recurrent" in kinds),
        ("arrow", "without a source: a constant", any(unit.bias for unit in network.units)),
        ("faded", "without effect", bool(plan(network).ignored or every - fed)),
    )
    listed = "".join(f'<li><b class="l-{look}"></b>{says}</li>' for look, says, is_there in looks
                     if is_there)  # fmt: skip
    return f'<ul class="legend">{listed}</ul>'


def _along(network: Network) -> str:
    if network.alphabet is not None:
        symbols = list(network.alphabet)
    else:
        symbols = ["1"] if network.outputs == 1 else [str(k) for k in range(network.outputs)]
    units = shown_units(network)
    heads = ["step", "read", *(f"P({symbol})" for symbol in symbols), *(f"u{u}" for u in units)]
    wide = ' class="wide"' if is_wide([[*heads], ["~0.00000"] * len(heads)]) else ""
    cells = '<th scope="col">step</th><th scope="col" class="read">read</th>'
    cells += "".join(f'<th scope="col" class="p">P({escaped(symbol)})</th>' for symbol in symbols)
    cells += "".join(f'<th scope="col">u{u}</th>' for u in units)
    return section(
        "Along the string",
        PATTERNS,
        '<div class="scroll" id="strip-box" tabindex="0" aria-label="probabilities along the '
        'string"><svg id="strip" role="img" aria-label="next-symbol probabilities after each '
        'symbol, as stacked bars"></svg></div>',
        f'<div class="scroll" tabindex="0"><table id="steps"{wide}><thead><tr>{cells}</tr></thead>'
        '<tbody id="rows"></tbody></table></div>',
    )
