"""The page: one HTML file that holds all it needs and sends no request."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from .._version import __version__
from ..network import Network
from ._content import Content
from ._drawing import Drawing, draw
from ._formats import Picture, escaped, svg
from ._sections import (
    bits_section,
    enough_section,
    formulas_section,
    is_wide,
    json_text,
    machine_data,
    machine_section,
    measures_section,
    page_data,
    score_section,
    search_section,
    section,
    shown_units,
    subtitle,
    theorem_section,
)


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
    data["machine"] = machine_data(content.learned)
    script = script_of(*map(asset, SCRIPTS))
    refresh = ""
    if content.refresh is not None:
        refresh = f'<meta http-equiv="refresh" content="{content.refresh}">\n'
    length = sum(len(part["bits"]) for part in data["parts"])
    title = escaped(content.title)
    sections = [
        _together(content.network, drawing.picture),
        machine_section(content.learned),
        _along(content.network),
        theorem_section(content),
        score_section(content, length),
        measures_section(content),
        search_section(content),
        enough_section(content),
        formulas_section(content),
        bits_section(data["parts"], content.encoding.scheme),
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
