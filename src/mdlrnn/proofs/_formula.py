"""Terms and phases as a person writes them: plain text or LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..languages import Affine, Condition
from ._system import Phase, System, affine_term
from ._terms import Atom, Term

Names = Callable[[str], str]


def term_text(term: Term, latex: bool = False, names: Names | None = None) -> str:
    """constant and factors in the order a person expects: what varies first."""
    pieces = [_piece(factor, _atom(atom, latex, names), latex) for atom, factor in term.parts]
    # A sum that begins with a minus reads worse than one that begins with a number.
    if term.constant > 0 and all(negative for negative, _ in pieces):
        pieces.insert(0, (False, number_text(term.constant, latex)))
    elif term.constant or not pieces:
        pieces.append((term.constant < 0, number_text(abs(term.constant), latex)))
    pieces.sort(key=lambda piece: piece[0])
    minus = "-" if latex else "−"
    negative, text = pieces[0]
    result = f"{minus}{text}" if negative else text
    for negative, text in pieces[1:]:
        result += f" {minus if negative else '+'} {text}"
    return result


def _piece(factor: Fraction, atom: str, latex: bool) -> tuple[bool, str]:
    size = abs(factor)
    if size == 1:
        return factor < 0, atom
    if size.numerator == 1 and not latex:
        return factor < 0, f"{atom}/{size.denominator}"
    dot = r"\," if latex else "·"
    return factor < 0, f"{number_text(size, latex)}{dot}{atom}"


def number_text(value: Fraction, latex: bool = False) -> str:
    if value.denominator == 1:
        return str(value.numerator) if latex else str(value.numerator).replace("-", "−")
    if latex:
        sign = "-" if value < 0 else ""
        return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    return str(value).replace("-", "−")


def _atom(atom: Atom, latex: bool, names: Names | None) -> str:
    if atom.kind == "counter":
        return latex_name(atom.name) if latex else atom.name
    if atom.kind == "memory":
        if names is not None:
            return names(atom.name)
        return rf"[u_{{{atom.name}}}]" if latex else f"[{atom.name}]"
    inner = [term_text(term, latex, names) for term in atom.inputs]
    match atom.kind:
        case "product" if atom.inputs[0] == atom.inputs[1]:
            alone = len(atom.inputs[0].parts) == 1 and not atom.inputs[0].constant
            bare = alone and atom.inputs[0].parts[0][1] == 1
            whole = inner[0] if bare else f"({inner[0]})"
            return f"{whole}^2" if latex else f"{whole}²"
        case "product":
            dot = r"\cdot " if latex else " · "
            return f"({inner[0]}){dot}({inner[1]})"
        case "floor":
            return rf"\lfloor {inner[0]} \rfloor" if latex else f"⌊{inner[0]}⌋"
        case "mod":
            alone = len(atom.inputs[0].parts) == 1 and not atom.inputs[0].constant
            whole = inner[0] if alone else f"({inner[0]})"
            return rf"({whole} \bmod {atom.base})" if latex else f"({whole} mod {atom.base})"
        case "mirror":
            under = rf"_{{{atom.base}}}" if latex else str(atom.base)
            return (
                rf"\mathrm{{mirror}}{under}({inner[0]})" if latex else f"mirror{under}({inner[0]})"
            )
        case "sigmoid":
            return rf"\sigma({inner[0]})" if latex else f"σ({inner[0]})"
        case "step":
            return _bracket(atom.inputs[0], latex, names)
        case _:
            return rf"\max(0, {inner[0]})" if latex else f"max(0, {inner[0]})"


def _bracket(argument: Term, latex: bool, names: Names | None) -> str:
    """[x > 1], which is 1 if it is so, else 0; the constant on the other side."""
    moving, limit = Term(argument.constant * 0, argument.parts), -argument.constant
    if all(factor < 0 for _, factor in argument.parts):
        left, sign, limit = moving.times(-1), "<", -limit
    else:
        left, sign = moving, ">"
    return f"[{term_text(left, latex, names)} {sign} {number_text(limit, latex)}]"


def latex_name(name: str) -> str:
    return name if len(name) == 1 else rf"\mathit{{{name}}}"


def latex_symbol(symbol: str) -> str:
    """A symbol of an alphabet inside text."""
    special = {"#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_", "{": r"\{",
               "}": r"\}", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}",
               "^": r"\textasciicircum{}"}  # fmt: skip
    return "".join(special.get(c, c) for c in symbol)


def condition_text(system: System, phase: Phase, latex: bool = False) -> str:
    """The phase's conditions, those that follow from others left out; its state if it has none."""
    texts = []
    for condition, true in zip(system.conditions[phase.state], phase.truth, strict=True):
        if true:
            texts.append(_condition(condition, latex))
    if not texts:
        return "" if latex else f"state {phase.state}"
    return ", ".join(texts)


def _condition(condition: Condition, latex: bool) -> str:
    expression = condition.expression
    assert isinstance(expression, Affine)
    text = term_text(affine_term(expression), latex)
    if condition.relation == "mod":
        mod = r"\bmod" if latex else "mod"
        return f"{text} {mod} {condition.base} = {condition.digit}"
    return f"{text} {condition.relation} 0"
