"""`mdlrnn feed` and `mdlrnn explain`: a network at work, and in words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from ..checks import shown
from ..errors import InputError
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
    terminal_width,
)
from ..interface import feed as feed_network
from ..network import BOUNDARY, Network, log2, symbols_of
from ..proofs import explain as explained
from ..runs import network_from
from ._group import command
from ._options import (
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


@command()
@network_argument
@click.argument("string", metavar="STRING")
@click.option(
    "--alphabet", help="The symbols, '#' among them, of a network that names none: '#ab'."
)
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


@command()
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
