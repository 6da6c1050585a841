"""`mdlrnn feed`, `explain` and `bits`: a network at work, in words, and as bits."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from ..checks import shown
from ..errors import InputError
from ..files import read_text
from ..interface import (
    Step,
    columns,
    is_short,
    json_number,
    label_text,
    number_text,
    outcomes,
    say,
    say_json,
    say_json_text,
    terminal_width,
    wrapped,
)
from ..interface import feed as feed_network
from ..network import BOUNDARY, Encoding, Network, Part, log2, parts, roles_fit, symbols_of
from ..network import decode as decode_bits
from ..proofs import explain as explained
from ..runs import network_from
from ._group import command, option
from ._options import (
    encoding_from,
    encoding_options,
    format_option,
    json_option,
    naming,
    network_argument,
    saturation_option,
    with_saturation,
    words_option,
)

_NUMBER = re.compile(r"[+-]?([0-9]{1,15}(\.[0-9]{0,15})?|\.[0-9]{1,15}|[0-9]{1,15}/[0-9]{1,15})")
"""Without exponents: they can be written in few characters and need any amount of memory."""


@command(doing="computing")
@network_argument
@click.argument("string", metavar="STRING")
@click.option("--alphabet", help="The symbols, with '#', if the network names none: '#ab'.")
@words_option
@saturation_option
@json_option
def feed(
    network: str, string: str, alphabet: str | None, words: bool, uncut: bool, as_json: bool
) -> None:
    """Feed STRING to a network, or the best of a run; show each unit's value at each step.

    The boundary symbol # is fed first. P(x) is the probability that x comes next. Values are exact
    fractions; a rounded one is marked with ~. u0, u1, ... are the units, numbered as in the file.

    A network with numeric inputs takes numbers: steps are parted by blanks, the inputs of a step
    by commas, as in '0,1 1,1 0,0'. If it has one output, P(1) is the probability of a 1.
    """
    net = with_saturation(network_from(network), uncut)
    with naming(network):
        net = _with_alphabet(net, alphabet, words)
        if net.alphabet is None:
            steps = feed_network(net, _numbers(net, string))
        else:
            steps = feed_network(net, symbols_of(string, net.alphabet, words))
    if as_json:
        say_json([_as_json(step) for step in steps])
    else:
        say(_table(net, steps))
        say("\n" + "\n".join(_legend(net, steps)))
        if net.alphabet is not None:
            say(_surprise(steps))


def _with_alphabet(net: Network, given: str | None, words: bool) -> Network:
    if given is None:
        return net
    if net.alphabet is not None:
        raise InputError(
            f"the network names its symbols, {shown(net.alphabet)}; leave --alphabet out."
        )
    return replace(net, alphabet=tuple(given.split() if words else given))


def _numbers(net: Network, string: str) -> list[list[Fraction]]:
    steps = [step.split(",") for step in string.split()]
    if not steps:
        raise InputError("the string is empty, and the network names no symbols; give a step.")
    for number in (number for step in steps for number in step):
        if not _NUMBER.fullmatch(number) or re.search("/0+$", number):
            example = ",".join(["0"] * net.inputs)
            raise InputError(
                f"{label_text(number)!r} is not a number, and the network names no symbols; give "
                f"{net.inputs} numbers a step, as in '{example}', or the symbols with --alphabet."
            )
    return [[Fraction(number) for number in step] for step in steps]


def _table(net: Network, steps: Sequence[Step]) -> str:
    units = [f"u{u}" for u in range(len(net.units))]
    head = ["read", *units, *(f"P({label_text(label)})" for label in outcomes(net))]
    rows = [
        [
            label_text(step.read),
            *("." if value is None else number_text(value) for value in step.values),
            *map(number_text, step.probabilities.values()),
        ]
        for step in steps
    ]
    return columns(head, rows, together=1 + len(units))


def _legend(net: Network, steps: Sequence[Step]) -> list[str]:
    first = net.inputs + net.outputs
    roles = [f"units: inputs {_span(0, net.inputs)}", f"outputs {_span(net.inputs, first)}"]
    if net.hidden:
        roles.append(f"hidden {_span(first, len(net.units))}")
    lines = [", ".join(roles)]
    shown = [number for step in steps for number in (*step.values, *step.probabilities.values())]
    if not all(number is None or is_short(number) for number in shown):
        lines.append("~ marks rounded values")
    if None in shown:
        lines.append(". stands for units that reach no output")
    return lines


def _span(start: int, stop: int) -> str:
    return f"u{start} to u{stop - 1}" if stop - start > 1 else f"u{start}"


def _surprise(steps: Sequence[Step]) -> str:
    """What the whole string costs, or where it becomes impossible."""
    bits = 0.0
    for at, target in enumerate([*(step.read for step in steps[1:]), BOUNDARY]):
        chance = steps[at].probabilities[target]
        if chance <= 0:
            where = f"symbol {at + 1}, {label_text(target)!r},"
            if at == len(steps) - 1:
                where = "the end of the string"
            return f"{where} has probability 0, so the cost is infinite"
        bits -= log2(chance)
    return f"the string, with its end, costs {bits:.4f} bits"


def _as_json(step: Step) -> dict[str, Any]:
    return {
        "read": step.read,
        "values": [None if value is None else json_number(value) for value in step.values],
        "exact": [
            str(value) if value is not None and is_short(value) else None for value in step.values
        ],
        "probabilities": {symbol: float(p) for symbol, p in step.probabilities.items()},
    }


@command(doing="explaining")
@network_argument
@format_option
def explain(network: str, style: str) -> None:
    """What a network does, symbol by symbol, in words and equations.

    For each input symbol: how the units that remember change, and what the outputs are then.
    Whatever is constant is computed, and units that reach no output are left out.
    """
    net = network_from(network)
    with naming(network):
        text = explained(net, style)
    for line in text.splitlines():
        indent = " " * (4 if line.startswith(" ") else 1)
        plain = style != "text" or len(line) <= terminal_width()
        say(line if plain else _wrapped(line, indent))


def _wrapped(line: str, indent: str) -> str:
    return textwrap.fill(line, terminal_width(), subsequent_indent=indent, break_on_hyphens=False)


WRITE, READ = "Writing", "Reading"


@command()
@click.argument("network", metavar="[NET_OR_RUN]", type=click.Path(), required=False)
@option("--plain", is_flag=True, group=WRITE, help="Print the bits alone, on one line.")
@json_option
@option(
    "--decode", "bits", metavar="BITS", group=READ,
    help="Read a network from BITS: 0s and 1s, a file that holds them, or - for standard input.",
)  # fmt: skip
@option(
    "--inputs", type=click.IntRange(min=1), metavar="N", group=READ,
    help="How many input units, if the bits do not say.",
)  # fmt: skip
@option(
    "--outputs", type=click.IntRange(min=1), metavar="N", group=READ,
    help="How many output units, if the bits do not say.",
)  # fmt: skip
@option(
    "-o", "--out", type=click.Path(), metavar="FILE", group=READ,
    help="Save the network here, do not print it.",
)  # fmt: skip
@encoding_options
def bits(
    network: str | None,
    plain: bool,
    as_json: bool,
    bits: str | None,
    inputs: int | None,
    outputs: int | None,
    out: str | None,
    scheme: str | None,
    activations: str | None,
    products: bool,
) -> None:
    """Write a network as the bits that |G| counts, or read a network from its bits.

    `mdlrnn bits NET` prints the code part by part, as Figure 2 of the paper does; units are
    counted from 1 there, and from 0 in the file. |G| is the number of bits. `mdlrnn bits --decode
    BITS` prints the network as JSON. It needs the options that the bits were written with, which
    the first command names. Bits hold no symbols, so the network has no alphabet.
    """
    if (network is None) == (bits is None):
        raise InputError("give either a network, or bits to read with --decode.")
    if network is not None:
        if inputs is not None or outputs is not None or out is not None:
            raise InputError("--inputs, --outputs and --out need --decode; leave them out.")
        net = network_from(network)
        encoding = encoding_from(scheme, activations, products, net, network)
        with naming(network):
            _write(net, encoding, plain, as_json)
        return
    if plain:
        raise InputError("--plain is for a network that is written; leave it out with --decode.")
    assert bits is not None
    encoding = encoding_from(scheme, activations, products)
    net = _read(bits, encoding, inputs, outputs)
    if out is None:
        say_json_text(net.to_json())
    else:
        net.save(out)
        say(f"saved as {out}: {net!r}")


def _write(net: Network, encoding: Encoding, plain: bool, as_json: bool) -> None:
    pieces = parts(net, encoding)
    string = "".join(part.bits for part in pieces)
    if as_json:
        say_json(
            {
                "bits": string,
                "length": len(string),
                "encoding": encoding.scheme,
                "activations": encoding.activations,
                "products": encoding.products,
                "inputs": net.inputs,
                "outputs": net.outputs,
                "parts": [
                    {"bits": part.bits, "label": part.label, "unit": part.unit} for part in pieces
                ],
            }
        )
    elif plain:
        say(string)
    else:
        _show_parts(net, pieces)
        say(f"\n|G| = {len(string)} bits. `mdlrnn bits --plain` prints them on one line;")
        say(f"`mdlrnn bits --decode BITS` {_options_to_read(net, encoding)}reads them back.")


def _show_parts(net: Network, pieces: list[Part]) -> None:
    room = terminal_width() - 4 - max(len(part.label) for part in pieces)
    width = min(room, max(len(part.bits) for part in pieces))
    unit: int | None = None
    for part in pieces:
        if part.unit is not None and part.unit != unit:
            unit = part.unit
            say(f"{net.role(unit)} unit {unit + 1}")
        first, *more = wrapped(part.bits, width) or [""]
        say(f"  {first:<{width}}  {part.label}")
        for line in more:
            say(f"  {line}")


def _options_to_read(net: Network, encoding: Encoding) -> str:
    """The options that --decode needs for these bits, one a line."""
    usual = Encoding()
    options = []
    if encoding.scheme != usual.scheme:
        options.append(f"--encoding {encoding.scheme}")
    if encoding.says_parts:  # and so the bits need no more options
        usual = encoding
    if encoding.activations != usual.activations:
        options.append(f"--activations {','.join(encoding.activations)}")
    if encoding.products != usual.products:
        options.append("--products")
    if not roles_fit(net, encoding):
        options.append(f"--inputs {net.inputs} --outputs {net.outputs}")
    return "with\n" + "".join(f"  {option}\n" for option in options) if options else ""


def _read(bits: str, encoding: Encoding, inputs: int | None, outputs: int | None) -> Network:
    """The network of a bit string, of a file that holds one, or of standard input."""
    where: tuple[str, ...] = ()
    if bits == "-":
        text, where = sys.stdin.buffer.read().decode("ascii", "replace"), ("standard input",)
    elif not bits.strip("01 \t\n"):
        text = bits
    elif os.path.exists(bits):  # noqa: PTH110, Path.exists raises if the name is too long
        text, where = read_text(bits, "bit string"), (bits,)
    else:
        raise InputError(
            f"{bits[:60]!r} is neither a bit string nor a file; give 0s and 1s, or a file that "
            "holds them."
        )
    with naming(*where):
        return decode_bits(text, encoding, inputs=inputs, outputs=outputs)
