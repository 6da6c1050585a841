"""What a network does, symbol by symbol, in words and equations: `explain`.

For each input the step is run over terms, with the memory of the step before as atoms. Constants
fold and units that reach no output are not there, so what is left is what the symbol does.
"""

from __future__ import annotations

from fractions import Fraction

from ..errors import InputError
from ..network import Network
from ._execute import Executor, executor
from ._statement import latex_symbol, number_text, term_text
from ._terms import ZERO, Term, TooComplex, about, memory_term, substitute

LINE = 78
"""Characters; in LaTeX, where half of them are commands, twice as many."""
STYLES = ("text", "markdown", "latex")


def explain(network: Network, style: str = "text") -> str:
    """How each input changes the memory, and what the outputs are then; text, markdown or latex."""
    if style not in STYLES:
        raise InputError(f"there is no format {style!r}; use one of {', '.join(STYLES)}.")
    run = executor(network)
    try:
        blocks = [_block(run, row, name) for name, row in _inputs(network)]
    except TooComplex as reason:
        raise InputError(
            f"the network cannot be explained ({reason}); mdlrnn feed shows it step by step."
        ) from None
    return _Writer(run, style).whole(blocks)


def _inputs(network: Network) -> list[tuple[str, tuple[int, ...]]]:
    """The inputs worth explaining: one symbol, or each combination of two or three bits."""
    count = network.inputs
    if network.alphabet is not None:
        rows = [tuple(int(i == j) for j in range(count)) for i in range(count)]
        return list(zip(network.alphabet, rows, strict=True))
    if network.outputs == 1 and count <= 3:
        bits = [tuple(n >> i & 1 for i in reversed(range(count))) for n in range(2**count)]
        return [(", ".join(map(str, row)), row) for row in bits]
    rows = [tuple(int(i == j) for j in range(count)) for i in range(count)]
    return [(f"input {i}", row) for i, row in enumerate(rows)]


class _Block:
    def __init__(
        self,
        name: str,
        first: list[Term],
        updates: list[Term],
        outputs: list[tuple[Term, bool]],
        odd: dict[int, Term],
    ) -> None:
        self.name = name
        self.first, self.updates, self.outputs = first, updates, outputs
        self.odd = odd
        """Outputs, by place, that are at the first step not what they would be with memory 0:
        a product then lacks factors."""


def _block(run: Executor, row: tuple[int, ...], name: str) -> _Block:
    before = {u: memory_term(u) for u in run.memory}
    values = run.step(row, before)
    start = run.step(row, None)
    # Outputs are told over the memory as it then is, where they can be.
    present = run.read(row, before)
    first = run.network.inputs
    outputs, odd = [], {}
    empty = {term.parts[0][0]: ZERO for term in before.values()}
    for place, u in enumerate(range(first, first + run.network.outputs)):
        now = u in present
        outputs.append((present[u] if now else values.value[u], now))
        if not now and start.value[u] != substitute(values.value[u], empty):
            odd[place] = start.value[u]
    return _Block(name, list(run.remembered(start)), list(run.remembered(values)), outputs, odd)


class _Writer:
    def __init__(self, run: Executor, style: str) -> None:
        self.run, self.style = run, style
        self.latex = style == "latex"
        self.network = run.network

    def now(self, unit: str) -> str:
        return f"u_{{{unit}}}" if self.latex else f"u{unit}"

    def before(self, unit: str) -> str:
        return f"[u_{{{unit}}}]" if self.latex else f"[{unit}]"

    def math(self, text: str) -> str:
        return f"${text}$" if self.latex else f"`{text}`" if self.style == "markdown" else text

    def whole(self, blocks: list[_Block]) -> str:
        lines = [self.heading(), ""]
        # What does not depend on the symbol is said once.
        same = len({tuple(self.outputs(block)) for block in blocks}) == 1 and self.run.memory
        for block in blocks:
            outputs = [] if same else self.outputs(block)
            lines += [*self.block(f"Reading {self.name(block)}", self.updates(block) + outputs), ""]
        if same:
            lines += [*self.block("Then, whatever was read", self.outputs(blocks[0])), ""]
        lines.append(self.legend())
        return "\n".join(lines) + "\n"

    def heading(self) -> str:
        units = [f"unit {u}" for u in self.run.memory]
        if not units:
            return "It remembers nothing: its prediction depends only on the last symbol."
        return f"It remembers {_joined(units)}."

    def name(self, block: _Block) -> str:
        if self.latex:
            return latex_symbol(block.name)
        return f"`{block.name}`" if self.style == "markdown" else block.name

    def block(self, title: str, items: list[str]) -> list[str]:
        if self.latex:
            items = [rf"\item {item}" for item in items]
            return [rf"\paragraph{{{title}}}", r"\begin{itemize}", *items, r"\end{itemize}"]
        if self.style == "markdown":
            return [f"**{title}**", "", *(f"* {item}" for item in items)]
        return [title, *(f"  {item}" for item in items)]

    def updates(self, block: _Block) -> list[str]:
        items = []
        for place, unit in enumerate(self.run.memory):
            update, first = block.updates[place], block.first[place]
            words = _words(unit, update, self.network.units[unit].activation == "relu")
            equation = f"{self.now(str(unit))} = {term_text(update, self.latex, self.before)}"
            text = f"{self.math(equation)}: {words}" if words else self.math(equation)
            if self.starts(block):
                text += f"; at the start {self.math(number_or_term(first, self.latex))}"
            items.append(text)
        return items

    def starts(self, block: _Block) -> bool:
        """Whether a sequence begins with this input; a string always begins with the boundary."""
        return self.network.alphabet is None or block.name == "#"

    def outputs(self, block: _Block) -> list[str]:
        """On one line if it is short."""
        one = self.network.outputs == 1
        pieces = []
        for place, (term, present) in enumerate(block.outputs):
            names = self.now if present else self.before
            text = term_text(term, self.latex, names)
            known = _about(term)
            if known and not self.latex:
                text += f" {known}"
            start = ""
            if place in block.odd and self.starts(block):
                start = f" (at the start {self.math(number_or_term(block.odd[place], self.latex))})"
            if one:
                pieces.append(self.math(f"P(1) = {text}") + start)
                continue
            symbol = self.network.alphabet[place] if self.network.alphabet else str(place)
            symbol = latex_symbol(symbol) if self.latex else symbol
            relation = r"\propto" if self.latex else "∝"
            pieces.append(self.math(f"P({symbol}) {relation} {text}") + start)
        together = ", ".join(pieces)
        return [together] if len(together) <= LINE * (1 + self.latex) else pieces

    def legend(self) -> str:
        parts = []
        if self.run.memory:
            unit = str(self.run.memory[0])
            now, before = self.math(self.now(unit)), self.math(self.before(unit))
            parts.append(f"{now}: unit {unit}, {before} a step before")
        parts.append(f"{self.math('[x > 0]')}: 1 if so, else 0")
        if self.network.outputs == 1:
            parts.append("P: cut to 0..1")
        else:
            least = self.math("10^{-8}" if self.latex else "10^-8")
            parts.append("negative shares count as 0")
            parts.append(f"if all shares sum to {least} or less, every P is the same")
        return f"({'; '.join(parts)})"


def number_or_term(term: Term, latex: bool) -> str:
    return number_text(term.constant, latex) if term.known else term_text(term, latex)


def _about(term: Term) -> str:
    found = about(term)
    if term.known or found is None:
        return ""
    value = float(found)
    return f"≈ {'−' if value < 0 else ''}{abs(value):.3g}"


def _words(unit: int, update: Term, never_negative: bool) -> str:
    """What a symbol does to a unit that it changes by a fixed amount, in words."""
    own = memory_term(unit).parts[0][0]
    if update.known:
        return f"becomes {number_text(update.constant)}"
    (atom, factor), *others = update.parts
    if others:
        return ""
    if atom == own and factor == 1:
        return _change(update.constant)
    if atom.kind == "relu" and factor == 1 and update.constant == 0:
        inner = atom.inputs[0]
        if len(inner.parts) == 1 and inner.parts[0] == (own, Fraction(1)):
            change = _change(inner.constant)
            safe = never_negative and inner.constant >= 0
            return change if safe else f"{change}, but not below 0"
    return ""


def _change(amount: Fraction) -> str:
    if amount == 0:
        return "stays as it is"
    size = number_text(abs(amount))
    return f"adds {size}" if amount > 0 else f"takes {size} away"


def _joined(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
