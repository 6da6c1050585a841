"""A network in SymPy's terms. Imported only where SymPy is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import sympy

from ..checks import check_known, short
from ..errors import InputError, printable
from ..network import (
    ACTIVATIONS,
    BOUNDARY,
    LEAST_TOTAL,
    SATURATION,
    Arithmetic,
    Network,
    Weight,
    symbols_of,
)
from ._formulas import Formula, program

Expr = Any


class sat(sympy.Function):  # type: ignore[misc]  # noqa: N801, as it is printed
    """The saturation: x cut to ±10^6."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr:
        if x.is_number and x.is_extended_real:
            return sympy.Max(-SATURATION, sympy.Min(SATURATION, x))
        return None

    def _eval_is_real(self) -> bool:
        return True

    def _eval_rewrite_as_Max(self, x: Expr, **_: Any) -> Expr:  # noqa: N802, SymPy's name
        return sympy.Max(-SATURATION, sympy.Min(SATURATION, x))

    def _latex(self, printer: Any, **_: Any) -> str:
        return rf"\operatorname{{sat}}\left({printer._print(self.args[0])}\right)"


EXPRESSIONS = Arithmetic(
    number=lambda x: _rational(x),
    relu=lambda x: sympy.Max(0, x),
    step=lambda x: sympy.Heaviside(x, 0),
    floor=sympy.floor,
    remainder=sympy.Mod,
    product=lambda x, y: x * y,
    sigmoid=lambda x: 1 / (1 + sympy.exp(-x)),
    tanh=sympy.tanh,
    tidy=lambda x: x,
)


LONGEST, FARTHEST = 4096, 100
"""Bits of a number, and the argument of an exponential, that later formulas may hold."""


class Formulas(NamedTuple):
    """What one symbol does."""

    units: dict[int, Expr]
    """Each unit's value, in the order of evaluation."""
    probabilities: dict[str, Expr]
    """Of what comes next; of a network with one output, that of 1."""


@dataclass(frozen=True)
class SymbolicNetwork:
    """The network's formulas over exact rationals.

    `u_6` is unit 6, `m_6` its value a step before, `x_0` what input 0 is fed. Heaviside(x, 0) is
    the activation step, and sat(x) cuts x to ±10^6; it is left out where x cannot get there, and
    everywhere if the network's saturation is off: nothing is cut then, however large it grows.
    """

    network: Network
    inputs: tuple[Expr, ...]
    memory: dict[int, Expr]
    names: dict[int, Expr]
    """The symbol that stands for each unit."""
    units: dict[int, Expr]
    """Each unit from the units before it, the inputs and the memory, in the order of evaluation."""
    first: dict[int, Expr]
    """The same for the first step, when there is no memory yet."""

    def after(self, symbol: str, *, first: bool = False) -> Formulas:
        """The formulas when a symbol is read, at the first step or at a later one."""
        alphabet = self.network.alphabet
        if alphabet is None:
            raise InputError("the network does not name its symbols; read units and first instead.")
        check_known(symbol, alphabet, "symbol")
        place = alphabet.index(symbol)
        return self.fed([int(i == place) for i in range(self.network.inputs)], first=first)

    def fed(self, row: Any, *, first: bool = False) -> Formulas:
        """The formulas when these numbers are fed."""
        if len(row) != len(self.inputs):
            raise InputError(
                f"the row {short(row)} has {len(row)} numbers; give {len(self.inputs)}."
            )
        known = dict(zip(self.inputs, map(_rational, row), strict=True))
        units = {}
        for u, formula in (self.first if first else self.units).items():
            units[u] = value = formula.xreplace(known)
            # What is a number or another symbol goes into the formulas behind it; a longer one is
            # named, since formulas in formulas can double in length with every unit.
            if value.is_Symbol or (value.is_number and _is_handy(value)):
                known[self.names[u]] = value
        return Formulas(units, _distribution(self.network, self.names, known))

    def along(self, string: str | Sequence[str]) -> list[dict[str, Expr]]:
        """The exact probabilities of what comes next: at the beginning, and after each symbol."""
        found: list[dict[str, Expr]] = []
        memory: dict[Expr, Expr] = {}
        for symbol in (BOUNDARY, *self._symbols(string)):
            formulas = self.after(symbol, first=not found)
            known = dict(memory)
            for u, formula in formulas.units.items():
                known[self.names[u]] = formula.xreplace(known)
            chances = formulas.probabilities
            found.append({name: chance.xreplace(known) for name, chance in chances.items()})
            memory = {held: known[self.names[u]] for u, held in self.memory.items()}
        return found

    def probability(self, string: str | Sequence[str]) -> Expr:
        """The exact probability of the whole string, with its end."""
        then = [*self._symbols(string), BOUNDARY]
        chances = (at[symbol] for at, symbol in zip(self.along(string), then, strict=True))
        return sympy.Mul(*chances)

    def _symbols(self, string: str | Sequence[str]) -> list[str]:
        alphabet = self.network.alphabet
        if alphabet is None:
            raise InputError("the network does not name its symbols; read units and first instead.")
        return symbols_of(string, alphabet) if isinstance(string, str) else list(string)

    @cached_property
    def probabilities(self) -> dict[str, Expr]:
        """Of what comes next, from the outputs."""
        return _distribution(self.network, self.names, {})

    def latex(self) -> str:
        """The formulas as LaTeX: for each symbol, or for any input where symbols have no names."""
        network = self.network
        cut = "sat(x) is x cut to +-10^6" if network.saturation else "no sum is cut"
        texts = [
            "% u_6 is unit 6, m_6 its value a step before; \\theta(x) is 1 above 0, else 0;",
            f"% {cut}; P is uniform where the outputs sum to 10^-8 or less.",
        ]
        if network.alphabet is None:
            texts += ["% at the first step, when there is no memory", _align(self.first, self)]
            texts += ["% at every later step", _align(self.units, self)]
        else:
            start = network.alphabet.index("#")
            texts.append(_heading(network.alphabet[start], "at first"))
            texts.append(_align(self.after("#", first=True).units, self))
            for symbol in network.alphabet:
                if symbol != "#":
                    texts.append(_heading(symbol, "later"))
                    texts.append(_align(self.after(symbol).units, self))
        outputs = range(network.inputs, network.inputs + network.outputs)
        if network.outputs == 1:
            texts.append(rf"\[ P(1) = \max(0, \min(1, {sympy.latex(self.names[outputs[0]])})) \]")
        else:
            terms = " + ".join(rf"\max(0, {sympy.latex(self.names[u])})" for u in outputs)
            lines = [
                rf"P({_tex(name)}) &= \frac{{\max(0, {sympy.latex(self.names[u])})}}{{T}}"
                for name, u in zip(_outcomes(network), outputs, strict=True)
            ]
            body = " \\\\\n".join([f"T &= {terms}", *lines])
            texts.append(f"\\begin{{align*}}\n{body}\n\\end{{align*}}")
        return "\n".join([*texts, ""])

    def source(self) -> str:
        """Python that makes the same formulas in SymPy, without mdlrnn."""
        cuts = self.network.saturation
        lines = [
            '"""Formulas of a recurrent network, written by mdlrnn; needs SymPy.',
            "",
            "u_6 is unit 6, m_6 its value a step before, x_0 what input 0 is fed. `first` holds",
            "the first step, `units` every later one, each unit from those before it, and",
            "`probabilities` what comes next.",
            "sat(x) is x cut to 10^6 either way." if cuts else "Saturation is off: no sum is cut.",
            '"""',
            "",
            "from sympy import *",
            "",
        ]
        if cuts:
            lines += ["sat = lambda x: Max(-1000000, Min(1000000, x))", ""]
        for title, table in (("first", self.first), ("units", self.units)):
            lines += [f"{title} = {{", *(f"    {u}: {_code(e)}," for u, e in table.items()), "}"]
        lines += ["probabilities = {"]
        lines += [f"    {name!a}: {_code(e)}," for name, e in self.probabilities.items()]
        return "\n".join([*lines, "}", ""])


def symbolic(network: Network) -> SymbolicNetwork:
    code = program(network)
    inputs = tuple(sympy.Symbol(f"x_{i}", real=True) for i in range(network.inputs))
    names = {f.unit: sympy.Symbol(f"u_{f.unit}", real=True) for f in code.formulas}
    memory = {u: sympy.Symbol(f"m_{u}", real=True) for u in code.memory}
    bounded = _bounded(network, code.formulas)
    units, first = {}, {}
    for f in code.formulas:
        cuts = network.saturation and not bounded[f.unit]
        units[f.unit] = _formula(f, inputs, names, memory, cuts)
        first[f.unit] = _formula(f, inputs, names, None, cuts)
    return SymbolicNetwork(network, inputs, memory, names, units, first)


def _formula(
    formula: Formula,
    inputs: tuple[Expr, ...],
    names: Mapping[int, Expr],
    memory: Mapping[int, Expr] | None,
    cuts: bool,
) -> Expr:
    parts = [_rational(t.weight) * names[t.source] for t in formula.forward]
    if memory is not None:
        parts += [_rational(t.weight) * memory[t.source] for t in formula.recurrent]
    if formula.product:
        total = sympy.Mul(*parts) if formula.forward else sympy.Integer(0)
    else:
        total = sympy.Add(*parts, *([inputs[formula.unit]] if formula.reads else []))
    if formula.bias is not None:
        total = total + _rational(formula.bias)
    return ACTIVATIONS[formula.activation].meaning(EXPRESSIONS, sat(total) if cuts else total)


def _bounded(network: Network, formulas: tuple[Formula, ...]) -> dict[int, bool]:
    """Whether a unit's sum can never get beyond the saturation, whatever is read."""
    limit = Fraction(SATURATION)
    largest = {f.unit: _largest(f.activation, limit) for f in formulas}
    # A symbol's input is 0 or 1; other inputs are whatever somebody feeds.
    one_hot = network.alphabet is not None
    bounded = {}
    for _ in range(2):  # the second time with the bounds of units that come later
        for f in formulas:
            sizes = [abs(t.weight.fraction) * largest[t.source] for t in f.forward + f.recurrent]
            if f.product:
                total = Fraction(1)
                for size in sizes:
                    total *= size
                # At the first step the recurrent factors are not there.
                alone = Fraction(1)
                for t in f.forward:
                    alone *= abs(t.weight.fraction) * largest[t.source]
                total = max(total, alone)
            else:
                total = sum(sizes, Fraction(0))
                if f.reads:
                    total += 1 if one_hot else 2 * limit
            total += 0 if f.bias is None else abs(f.bias.fraction)
            bounded[f.unit] = total <= limit
            largest[f.unit] = _largest(f.activation, min(limit, total))
    return bounded


def _largest(activation: str, size: Fraction) -> Fraction:
    """A bound on the absolute value of what the activation makes of numbers of this size."""
    match activation:
        case "sigmoid" | "step" | "tanh":
            return Fraction(1)
        case "mod2" | "mod3" | "mod4":
            return Fraction(activation.removeprefix("mod"))
        case "square":
            return size * size
        case "floor":
            return size + 1
        case _:
            return size


def _is_handy(number: Expr) -> bool:
    """Whether SymPy compares it quickly: a long fraction gets longer from unit to unit, and a
    sigmoid or tanh of a large number is told from 1 only by as many digits as that number."""
    fractions = number.atoms(sympy.Rational)
    curves = number.atoms(sympy.exp, sympy.tanh)
    return all(max(r.p.bit_length(), r.q.bit_length()) <= LONGEST for r in fractions) and all(
        abs(curve.args[0]) <= FARTHEST for curve in curves
    )


def _distribution(
    network: Network, names: Mapping[int, Expr], known: Mapping[Expr, Expr]
) -> dict[str, Expr]:
    units = range(network.inputs, network.inputs + network.outputs)
    outputs = [known.get(names[u], names[u]) for u in units]
    labels = _outcomes(network)
    if len(outputs) == 1:
        return {labels[0]: sympy.Max(0, sympy.Min(1, outputs[0]))}
    positive = [sympy.Max(0, output) for output in outputs]
    total = sympy.Add(*positive)
    least = _rational(LEAST_TOTAL)
    even = sympy.Rational(1, len(outputs))
    return {
        label: sympy.Piecewise((value / total, total > least), (even, True))
        for label, value in zip(labels, positive, strict=True)
    }


def _outcomes(network: Network) -> list[str]:
    if network.alphabet is not None:
        return list(network.alphabet)
    return ["1"] if network.outputs == 1 else [str(i) for i in range(network.outputs)]


def _rational(value: Any) -> Expr:
    if isinstance(value, Weight):
        return sympy.Rational(value.numerator, value.denominator)
    fraction = Fraction(value)
    return sympy.Rational(fraction.numerator, fraction.denominator)


def _align(units: Mapping[int, Expr], made: SymbolicNetwork) -> str:
    lines = [
        f"{sympy.latex(made.names[u])} &= {_latex(value)}"
        for u, value in units.items()
        if u >= made.network.inputs or not value.is_number
    ]
    body = " \\\\\n".join(lines)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}" if lines else "% no unit is evaluated"


def _latex(value: Expr) -> str:
    theta = sympy.Function("theta")
    shown: str = sympy.latex(value.replace(sympy.Heaviside, lambda x, at_zero: theta(x)))
    return shown


def _heading(symbol: str, when: str) -> str:
    return f"% when {printable(symbol)} is read, {when}"


def _tex(symbol: str) -> str:
    """A symbol as text of a formula; what LaTeX would take for a command is escaped."""
    special = {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%",
        "&": r"\&", "_": r"\_", "^": r"\^{}", "~": r"\~{}",
    }  # fmt: skip
    return rf"\text{{{''.join(special.get(c, c) for c in printable(symbol))}}}"


def _code(expression: Expr) -> str:
    text: str = sympy.srepr(expression)
    return text.replace("ExprCondPair(", "(")
