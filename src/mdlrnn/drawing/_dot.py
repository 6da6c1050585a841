"""A network in the language of Graphviz, complete with colours and labels, for other tools."""

from __future__ import annotations

from ..network._interpreter import plan
from ..network._network import Network
from ._layout import Layout, has_no_effect, unit_name, weight_text
from ._shapes import MUTED, STYLES


def dot(network: Network, layout: Layout) -> str:
    ignored = plan(network).ignored
    last = network.inputs + network.outputs
    lines = [
        f"digraph {_quoted(network.name or 'network')} {{",
        "  rankdir=BT;",
        '  node [shape=circle, style=filled, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
    ]
    if not network.saturation:
        lines.append('  comment="saturation is off";')
    for u, unit in enumerate(network.units):
        style = STYLES[network.role(u)]
        word = "" if unit.activation == "linear" else unit.activation
        if unit.type == "product":
            word = f"× {word}".strip()
        name = unit_name(network, u) or (word or "linear")
        text = [str(u), name]
        if word and name != word:
            text.append(word)
        faded = f', fontcolor="{MUTED}", penwidth=0.4' if u in layout.dead else ""
        lines.append(
            f'  {u} [label={_quoted(*text)}, fillcolor="{style.fill}", '
            f'color="{style.stroke}"{faded}];'
        )
        if unit.bias is not None:
            lines.append(f'  bias{u} [label="", shape=none, width=0, height=0];')
            lines.append(f"  bias{u} -> {u} [label={_quoted(weight_text(unit.bias))}];")
    for rank, units in (("source", range(network.inputs)), ("sink", range(network.inputs, last))):
        lines.append(f"  {{ rank={rank}; {' '.join(f'{u};' for u in units)} }}")
    for c in network.connections:
        style_of = ", style=dashed" if c.kind == "recurrent" else ""
        faded = f', color="{MUTED}80", fontcolor="{MUTED}80"'
        shade = faded if has_no_effect(c, layout.dead, ignored) else ""
        label = _quoted(weight_text(c.weight))
        lines.append(f"  {c.source} -> {c.target} [label={label}{style_of}{shade}];")
    return "\n".join([*lines, "}", ""])


def _quoted(*lines: str) -> str:
    """A label of these lines. A backslash of a symbol must not become one of Graphviz's escapes."""
    shown = [
        "".join(c if c.isprintable() else "�" for c in line)
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        for line in lines
    ]
    return '"' + "\\n".join(shown) + '"'
