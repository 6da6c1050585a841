"""A network as one Python file that imports nothing: over floats, or exactly over fractions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ..checks import check_kind
from ..network import BOUNDARY, EXACT, EXACT_CUT, EXP_OVERFLOW, FLOAT, Network
from ._formulas import (
    Dialect,
    Program,
    check_expressible,
    float_limit,
    formula_lines,
    helper_name,
    memory_name,
    program,
    statements,
    trial,
    value_name,
)

FRACTIONS = '''
class Q:
    """A fraction n/d in lowest terms."""

    __slots__ = ("n", "d")

    def __init__(self, n, d=1):
        a, b = abs(n), d
        while b:
            a, b = b, a % b
        self.n, self.d = n // a, d // a

    def __add__(self, other):
        return Q(self.n * other.d + other.n * self.d, self.d * other.d)

    def __sub__(self, other):
        return Q(self.n * other.d - other.n * self.d, self.d * other.d)

    def __mul__(self, other):
        return Q(self.n * other.n, self.d * other.d)

    def __truediv__(self, other):
        n, d = self.n * other.d, self.d * other.n
        return Q(n, d) if d > 0 else Q(-n, -d)

    def __neg__(self):
        return Q(-self.n, self.d)

    def __lt__(self, other):
        return self.n * other.d < other.n * self.d

    def __gt__(self, other):
        return other < self

    def __eq__(self, other):
        return self.n == other.n and self.d == other.d

    def __hash__(self):
        return hash((self.n, self.d))

    def __float__(self):
        return self.n / self.d

    def __repr__(self):
        n, d = (str(x) if x.bit_length() < 9999 else hex(x) for x in (self.n, self.d))
        return n if self.d == 1 else f"{n}/{d}"


def binary(x, places):
    """x to so many binary places, a half to the even neighbour."""
    whole, rest = divmod(x.n * 2**places, x.d)
    up = 2 * rest > x.d or 2 * rest == x.d and whole % 2 == 1
    return Q(whole + up, 2**places)


def tidy(x):
    return binary(x, 256) if x.d.bit_length() > 4096 else x
'''

_LIMIT = Fraction(EXP_OVERFLOW)
EXPONENTIAL = f'''
FAR = Q({_LIMIT.numerator}, {_LIMIT.denominator})


def decimal(x):
    """x > 0 to 60 decimal digits, a half to the even neighbour."""
    # From bits, by log10(2): Python counts no more than 4,300 decimal digits.
    shift = 59 - (x.n.bit_length() - x.d.bit_length() - 1) * 30103 // 100000
    for places in (shift, shift - 1):
        n, d = (x.n * 10**places, x.d) if places > 0 else (x.n, x.d * 10**-places)
        whole, rest = divmod(n, d)
        whole += 2 * rest > d or 2 * rest == d and whole % 2 == 1
        if whole <= 10**60:
            return Q(whole, 10**places) if places > 0 else Q(whole * 10**-places)


def exp(x):
    """e^x to 60 decimal digits: a series for a small part of x, squared up again."""
    if x.n == 0:
        return Q(1)
    size = decimal(Q(abs(x.n), x.d))
    halvings = max(0, (size.n // size.d).bit_length()) + 8
    one = 2**700
    small = size.n * one // (size.d * 2**halvings)
    total = term = one
    count = 1
    while term:
        term = term * small // (one * count)
        total += term
        count += 1
    for _ in range(halvings):
        total = total * total // one
    return decimal(Q(total, one) if x.n > 0 else Q(one, total))
'''


FLOATS = Dialect(
    number=lambda n, d: f"{n}.0" if d == 1 else f"{n} / {d}",
    assign=lambda name, value: f"{name} = {value}",
    change=lambda name, value: f"{name} = {value}",
    unless_first=lambda lines: ["if not first:", *(f"    {line}" for line in lines)],
    function=helper_name,
)
EXACTLY = FLOATS._replace(number=lambda n, d: f"Q({n})" if d == 1 else f"Q({n}, {d})")

_CLIP = '''
def clip(x):
    """{0}"""
    return -LIMIT if x < -LIMIT else LIMIT if x > LIMIT else x
'''
_SATURATED = _CLIP.format("Sums and products are cut to a million before the activation.")
_UNSATURATED = {
    False: _CLIP.format("Saturation is off: this only keeps a square and its multiples finite."),
    True: f'''
def clip(x):
    """Saturation is off: this only keeps a square in a loop within memory."""
    if x.n.bit_length() - x.d.bit_length() <= {EXACT_CUT}:
        return x
    return LIMIT if x > ZERO else -LIMIT
''',
}
LONGEST_DECIMAL = 4096
"""Bits of a number that is written in decimal digits. Python reads 4,300 of them and no more, but
as many hexadecimal ones as there are."""
_FLOAT_EXP = '''
def exp(x):
    """e^x. The constant is e cut to 53 bits; the second term puts back what that took away."""
    if x > 709.782712893384:
        return 1e999
    y = 2.718281828459045**x
    return y + y * (x * 5.318222141424062e-17)
'''
_HELPERS: dict[bool, dict[str, str]] = {
    False: {
        "known": '''
def known(x):
    """A product that overflowed on the way to 0 is 0."""
    return 0.0 if x != x else x
''',
        "relu": "\ndef relu(x):\n    return x if x > 0.0 else 0.0\n",
        "sigmoid": "\ndef sigmoid(x):\n    return 1.0 / (1.0 + exp(-x))\n",
        "square": "\ndef square(x):\n    return x * x\n",
        "floor": "\ndef floor(x):\n    return float(x // 1)\n",
        "step": "\ndef above(x):\n    return 1.0 if x > 0.0 else 0.0\n",
        "mod2": "\ndef mod2(x):\n    return x % 2.0\n",
        "mod3": "\ndef mod3(x):\n    return x % 3.0\n",
        "mod4": "\ndef mod4(x):\n    return x % 4.0\n",
        "tanh": '''
def tanh(x):
    """Near 0 by its series, where 1 - 2 / (e^2x + 1) would lose digits."""
    if -0.02 < x < 0.02:
        y = x * x
        return x * (1 - y * (1 / 3 - y * (2 / 15 - y * (17 / 315 - y * (62 / 2835)))))
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
''',
        "abs": "",
    },
    True: {
        "known": "\ndef known(x):\n    return x\n",
        "relu": "\ndef relu(x):\n    return x if x > ZERO else ZERO\n",
        "sigmoid": """
def sigmoid(x):
    if x < -FAR or x > FAR:
        return Q(int(x > ZERO))
    return binary(ONE / (ONE + exp(-x)), 1100)
""",
        "square": "\ndef square(x):\n    return x * x\n",
        "floor": "\ndef floor(x):\n    return Q(x.n // x.d)\n",
        "step": "\ndef above(x):\n    return ONE if x > ZERO else ZERO\n",
        "mod2": "\ndef mod2(x):\n    return Q(x.n % (2 * x.d), x.d)\n",
        "mod3": "\ndef mod3(x):\n    return Q(x.n % (3 * x.d), x.d)\n",
        "mod4": "\ndef mod4(x):\n    return Q(x.n % (4 * x.d), x.d)\n",
        "tanh": """
def tanh(x):
    if x + x < -FAR or x + x > FAR:
        return ONE if x > ZERO else -ONE
    return binary(ONE - Q(2) / (exp(x + x) + ONE), 256)
""",
        "abs": "\ndef abs_(x):\n    return -x if x < ZERO else x\n",
    },
}


def python(network: Network, *, exact: bool = False) -> str:
    """The text of a Python file that imports nothing: `step(state, symbol)` gives the next state
    and the probabilities of what comes next, `test()` tries a string.

    It computes in floats, or with `exact` in fractions.
    """
    check_kind(exact, bool, "give True or False")
    code = program(network)
    check_expressible(code, _HELPERS[exact], "plain Python")
    dialect = EXACTLY if exact else FLOATS
    if exact:
        dialect = dialect._replace(
            function=lambda name: "abs_" if name == "abs" else helper_name(name)
        )
    parts = [
        _opening(network, exact),
        _prelude(network, code, exact),
        _step(network, code, dialect, exact),
        _test(network, exact),
    ]
    return "\n".join(parts)


def _opening(network: Network, exact: bool) -> str:
    fed = "symbol" if network.alphabet is not None else "row of numbers"
    told = "P(1)" if network.outputs == 1 else "the probabilities of what comes next"
    lines = [
        f"# A recurrent network, written by mdlrnn. Computes in {_numbers(exact)}; needs nothing.",
        f"# step(state, {fed.split()[0]}) takes the state (START at first) and a {fed}, and gives",
        f"# the next state and {told}. test() tries a string.",
        "#",
        *(f"# {line}".rstrip() for line in formula_lines(network)),
        "",
    ]
    if network.alphabet is not None:
        names = _tuple(map(quoted, network.alphabet))
        lines += [f"ALPHABET = {names}  # the boundary, #, is read first", ""]
    return "\n".join([*lines, "START = None  # the state before the first step", ""])


def _numbers(exact: bool) -> str:
    return "fractions, exactly" if exact else "floats"


def _prelude(network: Network, code: Program, exact: bool) -> str:
    used = {formula.activation for formula in code.formulas} - {"linear"}
    used |= {"known" for formula in code.formulas if formula.product}
    texts = []
    texts.append(FRACTIONS if exact else f"LIMIT = {float_limit(network)!r}\n")
    if used & {"sigmoid", "tanh"}:
        texts.append(EXPONENTIAL if exact else _FLOAT_EXP)
    if exact:
        limit = "10**6" if network.saturation else f"2**{EXACT_CUT}"
        texts.append(f"\nZERO, ONE, LIMIT = Q(0), Q(1), Q({limit})\n")
    texts.append(_SATURATED if network.saturation else _UNSATURATED[exact])
    texts += [text for name, text in _HELPERS[exact].items() if name in used and text]
    return "\n".join(texts)


def _step(network: Network, code: Program, dialect: Dialect, exact: bool) -> str:
    """The function `step`."""
    zero, one = ("ZERO", "ONE") if exact else ("0.0", "1.0")
    lines = []
    inputs = [f"x{formula.unit}" for formula in code.formulas if formula.reads]
    if network.alphabet is not None:
        lines += [
            "if symbol not in ALPHABET:",
            '    raise ValueError(f"{symbol!r} is no symbol; use those of ALPHABET.")',
        ]
        lines += [
            f"{name} = {one} if symbol == ALPHABET[{name[1:]}] else {zero}" for name in inputs
        ]
    else:
        lines += [
            f"if len(row) != {network.inputs}:",
            f'    raise ValueError(f"the row has {{len(row)}} numbers; give {network.inputs}.")',
        ]
        read = "Q(*row[{0}].as_integer_ratio())" if exact else "float(row[{0}])"
        lines += [f"{name} = {read.format(name[1:])}" for name in inputs]
    if any(formula.product and formula.recurrent for formula in code.formulas):
        lines.append("first = state is None")
    if code.memory:
        names = _tuple(map(memory_name, code.memory))
        empty = _tuple([zero] * len(code.memory))
        lines.append(f"{names} = {empty} if state is None else state")
    for formula in code.formulas:
        lines += list(statements(formula, dialect, network.alphabet is not None))
        if exact:
            name = value_name(formula.unit)
            lines.append(f"{name} = tidy({name})")
    lines.append(f"state = {_tuple(map(value_name, code.memory))}")
    lines += _distribution(code, zero, one)
    argument = "symbol" if network.alphabet is not None else "row"
    return "\n".join([f"\ndef step(state, {argument}):", *(f"    {line}" for line in lines)])


def _distribution(code: Program, zero: str, one: str) -> list[str]:
    names = [value_name(u) for u in code.outputs]
    if len(names) == 1:
        (name,) = names
        return [f"return state, ({zero} if {name} < {zero} else {one} if {name} > {one} "
                f"else {name},)"]  # fmt: skip
    least = "Q(1, 10**8)" if one == "ONE" else "1e-08"
    count = f"Q({len(names)})" if one == "ONE" else str(len(names))
    return [
        f"outputs = [u if u > {zero} else {zero} for u in ({', '.join(names)})]",
        f"total = {zero}",
        "for u in outputs:",
        "    total = total + u",
        f"if not total > {least}:",
        f"    return state, ({one} / {count},) * {len(names)}",
        "return state, tuple(u / total for u in outputs)",
    ]


def _test(network: Network, exact: bool) -> str:
    tried = trial(network, EXACT if exact else FLOAT)
    if network.alphabet is not None:
        read = _tuple(map(quoted, (BOUNDARY, *tried.symbols)))
    else:
        read = _tuple(_tuple(map(str, row)) for row in tried.rows)
    rows = [f"    {_tuple(map(_literal, row))}," for row in tried.probabilities]
    close = "p == q" if exact else "abs(p - q) <= 1e-12"
    return "\n".join(
        [
            "",
            "",
            f"TRIAL = {read}",
            "EXPECTED = (",
            *rows,
            ")",
            "",
            "",
            "def test():",
            '    """Whether the probabilities along TRIAL are those that mdlrnn computed."""',
            "    state, right = START, True",
            "    for fed, expected in zip(TRIAL, EXPECTED):",
            "        state, found = step(state, fed)",
            f"        right = right and all({close} for p, q in zip(found, expected))",
            "    return right",
            "",
            "",
            'if __name__ == "__main__":',
            '    print("right" if test() else "wrong")',
            "",
        ]
    )


def _tuple(items: Iterable[str]) -> str:
    texts = list(items)
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def quoted(symbol: str) -> str:
    """A symbol as a literal of ASCII characters, in double quotes where it has none itself."""
    text = ascii(symbol)
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text and "\\'" not in text else text


def _literal(value: Any) -> str:
    if isinstance(value, Fraction):
        return f"Q({_whole(value.numerator)}, {_whole(value.denominator)})"
    return repr(float(value))


def _whole(value: int) -> str:
    return str(value) if value.bit_length() <= LONGEST_DECIMAL else hex(value)
