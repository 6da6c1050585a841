"""The paper's own networks, and the golden networks of a later one.

Those of the paper are the example of Figure 1 and the networks of Figures 3 to 9.

They are rebuilt from the paper's text, tables and proofs. What these leave open was chosen to agree
with the published scores (encoding `tacl2022`), and each docstring says what that was. The proofs
know no bounds, but units are cut to ±10^6, so that counters end near a million, and the stack of
Dyck-2 is only sure to hold twelve symbols.

Golden networks are what Abudy, Well, Chemla, Katzir and Lan (2025) call networks built by hand for
six tasks. Theirs are not all published in their text: those of `golden` reach the published scores
(encoding `abudy2025`) or lower ones, and each docstring says which.

A network is written with a line for each unit: its number, its activation, then its bias and its
incoming connections as `weight*source`. A source is an input's symbol, `in0` for an input without
one, or `u6` for unit 6; in brackets, `[6]` or `[in0]`, it is the value one step before. Units that
no line names are linear and receive nothing; `product` is a linear unit that multiplies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from .checks import check_known, nearest_name
from .errors import InputError
from .network import Connection, Network, Unit, Weight


def names() -> tuple[str, ...]:
    """The networks that `load` knows, in the order of the paper."""
    return tuple(_NETWORKS)


def load(name: str) -> Network:
    """The network of that name."""
    text = isinstance(name, str)
    if text and name in _NETWORKS:
        return _NETWORKS[name]()
    near = nearest_name(name, _NETWORKS) if text else None
    remedy = f"did you mean {near}?" if near else f"use one of {', '.join(_NETWORKS)}."
    raise InputError(f"there is no network {name!r} in the zoo; {remedy}")


def example() -> Network:
    """Figure 1, encoded in Figure 2: two inputs, one output.

    Nothing of the network is open. The bits of Figure 2 are abbreviated and of no one scheme: it
    writes the sign of 1/2 and 2 as 0, that of the bias as 1.

    The output is sigmoid(x1/2 + 2·x2 + 1), with x1 of this step and x2 of the one before, at first
    0. The figure counts units from 1, this network from 0.
    """
    return _network("example", 2, 1, "2  sigmoid  1  1/2*in0  2*[in1]")


def anbn() -> Network:
    """Figure 3, a^n b^n: unit 6 counts the a's that no b has answered yet.

    Every step takes 1 from the counter and an a adds 2, so it rises with the a's and falls with the
    b's. Unit 5 wants a b while the counter is positive. Unit 4 wants an a, with 7/3 against the 1
    of unit 5 for chances of .7 and .3, until a b has come. Unit 3 wants the end always, but by
    σ(-15), which counts only once the others are silent.

    Open: relu, without which the boundary would leave the counter at -1 and not 0; where 7/3
    and -2/3 come from (a bias and the b: the published size has no room for more); and the weight
    from 6 to 5, where any positive one does (1 is shortest).
    It scores exactly as published on anbn_500: |G| = 160, |D:G| = 1483.9131587.
    """
    return _language(
        "anbn", "#ab", """
        3  sigmoid  -15
        4  linear   7/3  -3*b
        5  step     1*u6
        6  relu     -1  2*a  1*[6]
        """,
    )  # fmt: skip


def anbncn() -> Network:
    """Figure 4, a^n b^n c^n: two counters, and the input b is not connected.

    Unit 8 is 1 less the a's that no b has answered; below 1 it makes unit 6 want a b. Unit 9 counts
    down by 1/3 for each boundary, a and b and up by 2/3 for each c, and the end comes when
    unit 4, which adds 1 for a c at hand, gets above 0: that is at the n-th c. Unit 7 wants a c by
    σ(-15), hence where nothing else is wanted.

    Open: in step(1 - u8), any weight -w with a bias above 0 and up to w (1 and 1 are shortest), and
    how unit 8 gets its +1 and -1 (a bias of 1 and -2 for an a, the fewest connections).
    It scores exactly as published on anbncn_500, third run: |G| = 263, |D:G| = 1483.9136167. The
    thirds are rounded on the way to 0, so the last digits depend on the order of addition: those
    are the interpreter's, and the compiled kernels are off by 7e-7.
    """
    return _language(
        "anbncn", "#abc", """
        4  linear   1*c  1*u9
        5  linear   1*#  7/3*a
        6  step     1  -1*u8
        7  sigmoid  -15
        8  linear   1  -2*a  1*[8]
        9  linear   -1/3  1*c  1*[9]
        """,
    )  # fmt: skip


def anb2n() -> Network:
    """Figure 5, a^n b^2n: the network of a^n b^n, but an a counts for two b's.

    Open: all but "the hidden unit is incremented with 2"; everything else is as in `anbn`.
    It scores exactly as published on anb2n_500: |G| = 160, |D:G| = 1483.9139072.
    """
    return _language(
        "anb2n", "#ab", """
        3  sigmoid  -15
        4  linear   7/3  -3*b
        5  step     1*u6
        6  relu     -1  3*a  1*[6]
        """,
    )  # fmt: skip


def anbmcnm() -> Network:
    """Figure 6, a^n b^m c^(n+m): one counter, unit 8, for the a's and b's together.

    The counter starts at 1/2, falls by 1/2 with each a and b, rises by 1/2 with each c, and unit 4
    wants the end where it is positive again. An a is wanted after the boundary (31²) and after an a
    (11²), a b after an a (7²) and, faintly, after a b (1/5²), where it meets the faint σ(-4) with
    which a c is always wanted: .69 to .31.

    Open: the signs of what is squared, and how the counter moves. The proof speaks of a "lack of
    c's", a bias of -1/2 and +1 for c and for the boundary. That meets the table as well but takes
    243 bits; with a bias of 1/2 and -1 for a and for b, as here, it is the published 241.
    It scores exactly as published on anbmcnm_500, second run, the one with the paper's test
    cross-entropy of .268: |G| = 241, |D:G| = 2960.1865485.
    """
    return _language(
        "anbmcnm", "#abc", """
        4  linear   7*u8
        5  square   31*#  11*a
        6  square   7*a  1/5*b
        7  sigmoid  -4
        8  linear   1/2  -1*a  -1*b  1*[8]
        """,
    )  # fmt: skip


def dyck1() -> Network:
    """Figure 7, Dyck-1: unit 6 holds 1 less the number of open brackets, o.

    Unit 3 wants the end by that much, so only when nothing is open. Unit 5 wants ] by
    floor((2 + o)/3), which is 0 only then. Unit 4 wants [ by 1/2 always.

    Open: whether that 1/2 is a bias or sigmoid(0) (the published size has no room for one more
    bias), and how the counter moves: by 1 at every step, the boundary included, less 2 for a [.
    (The proof adds 1 for a [ and subtracts 1 for a ], against its own table and 1 - o.)
    It scores exactly as published on dyck1_500: |G| = 135, |D:G| = 1165.9487274.
    """
    return _language(
        "dyck1", "#[]", """
        3  linear   1*u6
        4  sigmoid
        5  floor    1  -1/3*u6
        6  linear   1  -2*[  1*[6]
        """,
    )  # fmt: skip


def dyck2() -> Network:
    """Figure 8, Dyck-2: a stack, kept in unit 15 as an integer in base 3, its top the last digit.

    Unit 18 is the digit to push, 2 for ( and 1 for [, and 10 is the stack shifted left with
    that digit behind. Unit 17 says that a bracket closes. Then 12 shuts the push gate, 11, and
    17 opens the pop gate, 13, to the stack shifted right, 14. Unit 16 reads the top: if it is 0
    unit 19 wants the end, if 2 unit 20 wants ), else unit 21 wants ], each by 1. Each opening
    bracket is wanted by 2/9, a chance of 2/13.

    Nothing is open: weights and unit numbers are those of the authors' file. The caption of
    Figure 8 has other numbers for some units: its 11, 12, 13 and 16 are here 10, 11, 15 and 13.
    |G| = 634, and on dyck2_20000 |D:G| = 59901.7351919. The paper's 147,804 bits on the test set
    would leave 615 for |G|, so the network it scored was another, if only a little shorter.
    """
    return _language(
        "dyck2", "#()[]", """
         5  linear   1*u19
         6  linear   1*u22
         7  linear   1*u20
         8  linear   1*u22
         9  linear   1*u21
        10  linear   1*u18  3*[15]
        11  product  1*u10  1*u12
        12  linear   1  -1*u17
        13  product  1*u14  1*u17
        14  floor    1/3*[15]
        15  linear   1*u11  1*u13
        16  mod3     1*u15
        17  linear   1*)  1*]
        18  linear   2*(  1*[
        19  step     1  -1*u16
        20  step     -1  1*u16  1*u19
        21  linear   1  -1*u19  -1*u20
        22  linear   2/9
        """,
    )  # fmt: skip


def dyck2_short() -> Network:
    """The stack of `dyck2` in 17 units: inputs and outputs do what six hidden units did.

    A connection from input ] to input ) makes unit 2 say that a bracket closes, and one from (
    to [ makes unit 3 the digit to push. Output 9 wants ] where outputs 5 and 7 want nothing else to
    close, and output 8 copies output 6. Units 10 to 16 are those of `dyck2`.

    Nothing is open; the authors' file has it. |G| = 483, and |D:G| is that of `dyck2`.
    """
    return _language(
        "dyck2_short", "#()[]", """
         2  linear   1*]
         3  linear   2*(
         5  step     1  -1*u16
         6  linear   2/9
         7  step     -1  1*u16
         8  linear   1*u6
         9  linear   1  -1*u5  -1*u7
        10  linear   1*u3  3*[15]
        11  product  1*u10  1*u12
        12  linear   1  -1*u2
        13  product  1*u2  1*u14
        14  floor    1/3*[15]
        15  linear   1*u11  1*u13
        16  mod3     1*u15
        """,
    )  # fmt: skip


def addition() -> Network:
    """Figure 9, binary addition, the least significant bits first; the output is P(1).

    Unit 4 sums both digits and the carry, unit 3 is the carry, the floor of half that sum, and
    unit 2 is the sum less twice the carry. Another step with digits 0 brings out the last carry.

    Nothing is open: the proof gives every weight.
    It scores exactly as published on addition_400, third run: |G| = 133, |D:G| = 0.
    """
    return _network(
        "addition", 2, 1, """
        2  linear   1*u4  -2*u3
        3  floor    1/2*u4
        4  linear   1*in0  1*in1  1*[3]
        """,
    )  # fmt: skip


_NETWORKS: dict[str, Callable[[], Network]] = {
    "example": example,
    "anbn": anbn,
    "anbncn": anbncn,
    "anb2n": anb2n,
    "anbmcnm": anbmcnm,
    "dyck1": dyck1,
    "dyck2": dyck2,
    "dyck2_short": dyck2_short,
    "addition": addition,
}


def golden_names() -> tuple[str, ...]:
    """The tasks that `golden` knows, in the order of Abudy and others (2025)."""
    return tuple(_GOLDEN)


def golden(task: str) -> Network:
    """The golden network of a task of Abudy and others (2025)."""
    check_known(task, _GOLDEN, "golden network")
    return _GOLDEN[task]()


def dyck1_pcfg() -> Network:
    """Dyck-1 where a bracket opens with 1/3: unit 6 counts the open brackets, o.

    Unit 3 wants the end by 1 - o, unit 4 wants [ by 1/2, unit 5 wants ] by tanh(3·o), which is 0
    where nothing is open and nearly 1 elsewhere.

    Open: everything; this network was chosen to agree with the published scores, 113 bits and
    1,544.48. It takes 113 bits where the activations allowed are its own four, so that a unit
    names its own in 2 bits, and 120 where the paper's six are allowed as well.
    """
    return _language(
        "dyck1_pcfg", "#[]", """
        3  linear   1  -1*u6
        4  sigmoid
        5  tanh     3*u6
        6  relu     -1  2*[  1*[6]
        """,
    )  # fmt: skip


def dyck2_pcfg() -> Network:
    """`dyck2` where a bracket opens with 1/3: each opening bracket is wanted by 1/4, not 2/9.

    Saturation is off: with 1/3, brackets of the test set nest 16 deep, and twelve are sure to fit
    below 10^6. It scores as published: |G| = 579, and |D:G| = 2121.53 on dyck2_pcfg_500.
    """
    stack = dyck2()
    units = (*stack.units[:-1], Unit(bias=Weight(1, 4)))
    return replace(stack, units=units, name="dyck2_pcfg", saturation=False)


def arithmetic() -> Network:
    """Arithmetic syntax, (E+E): unit 12 is a stack, kept as an integer in base 3.

    It is 1 at first. An opening bracket puts a 0 behind it, a + makes that a 2, and a closing
    bracket takes it away: unit 10 is the factor 3, 1/3 or else 1, and unit 11 multiplies. Unit 13
    reads the last digit. After a whole operand, 0 means that + must come, 2 that ) must come; the
    1 is left at the end, and unit 5 wants the end by σ(-15), hence where nothing else is wanted.
    Unit 9 wants a 1 twice as much as unit 6 wants a bracket.

    Saturation is off: one string of the corpus nests 16 deep, and 3^13 is above 10^6 already.
    The network is ours, and less than half of the one that was published: |G| = 357 against 967 and
    |D:G| = 2581.30 on arithmetic_500 against 2,581.29, in 14 units against 28.
    """
    network = _network(
        "arithmetic", 5, 5, """
         5  sigmoid  -15
         6  linear   1  -1*1  -1*)
         7  linear   -1  1*u13  -1*+
         8  linear   1  -1*u13  -1*(
         9  linear   2*(  2*+
        10  linear   1  2*(  -2/3*)
        11  product  1*u10  1*[12]
        12  floor    1*u11  2*+
        13  mod3     1*u12
        """,
        ("#", "(", ")", "+", "1"),
    )  # fmt: skip
    return replace(network, saturation=False)


def toy_english() -> Network:
    """Toy English: unit 10 is the number of chase's that must come before the clause goes on.

    It begins at -1, before a noun; a dogs adds 1 and every other word takes 1 away, so that it is
    0 where a noun with its relative clauses is complete. The chase after that is the verb: unit 12
    sees it, and unit 13 remembers that what follows is its object. Unit 14 says that a verb may
    come, any of the three by 1; unit 15 that a chase must, which output 6 wants by 3 against the 1
    by which unit 7 wants another dogs.

    The network is ours, and less than half of the one that was published: |G| = 429 against 870, in
    16 units against 25, with the published |D:G| = 2232.74 on toy_english_500.
    """
    return _network(
        "toy_english", 5, 5, """
         5  linear   3*u13  -3*u11  4*sleep
         6  linear   1*u14  3*u15
         7  linear   1  -1*sleep  -1*chase  1*u12
         8  linear   1*u14
         9  linear   1*u14
        10  linear   -1  2*dogs  1*[10]
        11  abs      1*u10
        12  step     -1  1*chase  -1*u10
        13  linear   1*u12  1*[13]
        14  relu     1  -1*u11  -1*u13
        15  step     1*u10
        """,
        ("#", "chase", "dogs", "sleep", "think_that"),
    )  # fmt: skip


_GOLDEN: dict[str, Callable[[], Network]] = {
    "anbn_pcfg": anbn,
    "anbncn": anbncn,
    "dyck1_pcfg": dyck1_pcfg,
    "dyck2_pcfg": dyck2_pcfg,
    "arithmetic": arithmetic,
    "toy_english": toy_english,
}


def _language(name: str, alphabet: str, lines: str) -> Network:
    """A network with an input and an output for each symbol."""
    return _network(name, len(alphabet), len(alphabet), lines, tuple(alphabet))


def _network(
    name: str, inputs: int, outputs: int, lines: str, alphabet: tuple[str, ...] | None = None
) -> Network:
    """The network that the lines write; the module's docstring has the notation."""
    symbols = alphabet or [f"in{number}" for number in range(inputs)]
    sources = {symbol: number for number, symbol in enumerate(symbols)}
    units: dict[int, Unit] = {}
    connections: list[Connection] = []
    for line in lines.strip().splitlines():
        number, activation, *terms = line.split()
        target, bias = int(number), None
        for term in terms:
            weight, _, source = term.partition("*")
            if source:
                connections.append(_connection(source, target, weight, sources))
            else:
                bias = _weight(weight)
        product = activation == "product"
        kind = ("linear", "product") if product else (activation, "sum")
        units[target] = Unit(*kind, bias)
    every = tuple(units.get(number, Unit()) for number in range(max(units) + 1))
    return Network(inputs, outputs, every, tuple(connections), alphabet, name)


def _connection(source: str, target: int, weight: str, sources: dict[str, int]) -> Connection:
    # The symbol [ of the Dyck languages is no bracket of the notation.
    if source in sources:
        return Connection(sources[source], target, "forward", _weight(weight))
    before = source.startswith("[")
    name = source.strip("[u]")
    number = sources[name] if name in sources else int(name)
    return Connection(number, target, "recurrent" if before else "forward", _weight(weight))


def _weight(text: str) -> Weight:
    value = Fraction(text)
    return Weight(value.numerator, value.denominator)
