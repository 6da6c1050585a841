"""A network as one C99 header: a step function over doubles, and a test of it.

Doubles give the interpreter's values only where they are added one by one, so the header refuses
a compiler that is told to reorder sums, and asks for products that are not fused with sums.
"""

from __future__ import annotations

from ..network import FLOAT, FLOAT_CUT, Network
from ._formulas import (
    Dialect,
    Program,
    check_expressible,
    formula_lines,
    helper_name,
    identifier,
    memory_name,
    program,
    statements,
    trial,
    value_name,
)

ASCII = {"−": "-", "·": "*", "∝": "~", "×": "x"}
_HELPERS = {
    "clip": "x < -{0} ? -{0} : x > {0} ? {0} : x",
    "known": "x != x ? 0.0 : x",
    "relu": "x > 0.0 ? x : 0.0",
    "sigmoid": "1.0 / (1.0 + exp(-x))",
    "square": "x * x",
    "floor": "floor(x)",
    "step": "x > 0.0 ? 1.0 : 0.0",
    "tanh": "tanh(x)",
    "abs": "x < 0.0 ? -x : x",
}
_MODULOS = ("mod2", "mod3", "mod4")
_MODULO = "double r = fmod(x, {0}.0); return r < 0.0 ? r + {0}.0 : r;"


def c(network: Network) -> str:
    """The text of a C99 header: `NAME_step` takes a state and a symbol's number (or the numbers
    fed) and gives the probabilities of what comes next; `NAME_test` tries a string."""
    code = program(network)
    check_expressible(code, (*_HELPERS, *_MODULOS), "C")
    name = identifier(network)
    parts = [
        _opening(network, name),
        _types(network, code, name),
        *_helpers(network, code, name),
        _step(network, code, name),
        _test(network, name),
        f"#endif /* {name.upper()}_H */\n",
    ]
    return "\n".join(parts)


def _opening(network: Network, name: str) -> str:
    fed = "int symbol" if network.alphabet is not None else "const double *row"
    lines = [
        "A recurrent network, written by mdlrnn, in C99 and doubles.",
        f"  {name}_state state = {{0}};",
        f"  {name}_step(&state, {fed.split()[-1].strip('*')}, probabilities);",
        f"{name}_test() tries a string and gives 0 where all is right.",
    ]
    if network.alphabet is not None:
        lines += [
            "A symbol is its place in the alphabet; the boundary, #, is read first. A number that",
            "is no symbol changes nothing, and the step then gives 1 instead of 0.",
        ]
    lines += ["", *map(_plain, formula_lines(network))]
    return "\n".join(
        [
            "/*",
            *(f" * {line}".rstrip() for line in lines),
            " */",
            f"#ifndef {name.upper()}_H",
            f"#define {name.upper()}_H",
            "",
            "#include <float.h>",
            "#include <math.h>",
            "",
            "#if defined(__FAST_MATH__)",
            '#error "this network is exact only without -ffast-math"',
            "#endif",
            "#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1",
            '#error "this network needs doubles that are rounded at every step; add -msse2"',
            "#endif",
            "#if defined(__GNUC__) && !defined(__clang__)",
            "#pragma GCC push_options",
            '#pragma GCC optimize("fp-contract=off")',
            "#else",
            "#pragma STDC FP_CONTRACT OFF",
            "#endif",
            "",
        ]
    )


def _plain(line: str) -> str:
    for sign, letter in ASCII.items():
        line = line.replace(sign, letter)
    return line.encode("ascii", "backslashreplace").decode().replace("??", "? ?")


def _types(network: Network, code: Program, name: str) -> str:
    big = name.upper()
    lines = [f"#define {big}_INPUTS {network.inputs}", f"#define {big}_OUTPUTS {network.outputs}"]
    if network.alphabet is not None:
        names = ", ".join(map(_string, network.alphabet))
        lines += [
            "",
            "/* The symbol of that number; the null pointer where there is none. */",
            f"static inline const char *{name}_symbol(int number) {{",
            f"    static const char *const symbols[{big}_INPUTS] = {{{names}}};",
            f"    return number < 0 || number >= {big}_INPUTS ? 0 : symbols[number];",
            "}",
        ]
    members = "".join(f" double {memory_name(u)};" for u in code.memory)
    lines += ["", f"typedef struct {{ int begun;{members} }} {name}_state;", ""]
    return "\n".join(lines)


def _helpers(network: Network, code: Program, name: str) -> list[str]:
    limit = "1e6" if network.saturation else repr(FLOAT_CUT)
    used = {formula.activation for formula in code.formulas} - {"linear"} | {"clip"}
    if any(formula.product for formula in code.formulas):
        used.add("known")
    texts = []
    for helper in sorted(used):
        if helper in _MODULOS:
            body = _MODULO.format(helper.removeprefix("mod"))
        else:
            body = f"return {_HELPERS[helper].format(limit)};"
        texts.append(f"static inline double {name}_{helper_name(helper)}(double x) {{ {body} }}")
    return [*texts, ""]


def _step(network: Network, code: Program, name: str) -> str:
    dialect = Dialect(
        number=lambda n, d: f"{n}.0" if d == 1 else f"{n}.0 / {d}.0",
        assign=lambda to, value: f"double {to} = {value};",
        change=lambda to, value: f"{to} = {value};",
        unless_first=lambda lines: ["if (state->begun) {", *(f"    {x}" for x in lines), "}"],
        function=lambda helper: f"{name}_{helper_name(helper)}",
    )
    big = name.upper()
    one_hot = network.alphabet is not None
    lines = [f"if (symbol < 0 || symbol >= {big}_INPUTS) return 1;"] if one_hot else []
    for formula in code.formulas:
        if formula.reads:
            u = formula.unit
            fed = f"symbol == {u} ? 1.0 : 0.0" if one_hot else f"row[{u}]"
            lines.append(f"const double x{u} = {fed};")
    lines += [f"const double {memory_name(u)} = state->{memory_name(u)};" for u in code.memory]
    for formula in code.formulas:
        lines += list(statements(formula, dialect, one_hot))
    lines += [f"state->{memory_name(u)} = {value_name(u)};" for u in code.memory]
    lines.append("state->begun = 1;")
    names = [value_name(u) for u in code.outputs]
    if len(names) == 1:
        (one,) = names
        lines.append(f"probabilities[0] = {one} < 0.0 ? 0.0 : {one} > 1.0 ? 1.0 : {one};")
    else:
        lines += [f"probabilities[{i}] = {x} > 0.0 ? {x} : 0.0;" for i, x in enumerate(names)]
        lines += [
            "double total = 0.0;",
            f"for (int i = 0; i < {big}_OUTPUTS; i++) total = total + probabilities[i];",
            f"for (int i = 0; i < {big}_OUTPUTS; i++)",
            "    probabilities[i] = total > 1e-8 ? probabilities[i] / total "
            f": 1.0 / {big}_OUTPUTS;",
        ]
    lines.append("return 0;")
    fed = "int symbol" if one_hot else f"const double row[{big}_INPUTS]"
    return "\n".join(
        [
            f"static inline int {name}_step({name}_state *state, {fed},",
            f"    double probabilities[{big}_OUTPUTS]) {{",
            *(f"    {line}" for line in lines),
            "}",
            "",
        ]
    )


def _test(network: Network, name: str) -> str:
    tried = trial(network, FLOAT)
    big = name.upper()
    if network.alphabet is not None:
        read = ", ".join(str(row.index(1)) for row in tried.rows)
        declared = f"static const int fed[] = {{{read}}};"
    else:
        read = ", ".join(f"{{{', '.join(f'{x}.0' for x in row)}}}" for row in tried.rows)
        declared = f"static const double fed[][{big}_INPUTS] = {{{read}}};"
    rows = [f"{{{', '.join(repr(float(p)) for p in row)}}}," for row in tried.probabilities]
    about = f" /* {_plain(' '.join(formula_safe(tried.symbols)))} */" if tried.symbols else ""
    return "\n".join(
        [
            f"static inline int {name}_test(void) {{{about}",
            f"    {declared}",
            f"    static const double expected[][{big}_OUTPUTS] = {{",
            *(f"        {row}" for row in rows),
            "    };",
            f"    {name}_state state = {{0}};",
            f"    double found[{big}_OUTPUTS];",
            "    int wrong = 0;",
            f"    for (int t = 0; t < {len(tried.rows)}; t++) {{",
            f"        wrong |= {name}_step(&state, fed[t], found);",
            f"        for (int i = 0; i < {big}_OUTPUTS; i++)",
            "            wrong |= !(fabs(found[i] - expected[t][i]) <= 1e-12);",
            "    }",
            "    return wrong;",
            "}",
            "",
            "#if defined(__GNUC__) && !defined(__clang__)",
            "#pragma GCC pop_options",
            "#endif",
            "",
        ]
    )


def formula_safe(symbols: tuple[str, ...]) -> list[str]:
    """Make symbols safe inside a comment."""
    shown = [symbol if symbol.isprintable() else "?" for symbol in symbols]
    return [symbol.replace("*/", "* /").replace("/*", "/ *") for symbol in shown]


def _string(symbol: str) -> str:
    """A literal in UTF-8, whatever the encoding of the source; no trigraph, no open escape."""
    octets = symbol.encode("utf-8", "surrogatepass")
    plain = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in octets) + '"'
