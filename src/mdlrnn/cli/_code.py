"""`mdlrnn encode` and `mdlrnn decode`: the bit string behind |G|."""

from __future__ import annotations

import os
import sys

import click

from ..errors import InputError
from ..files import read_text
from ..interface._say import say, say_json, say_json_text
from ..interface._text import terminal_width, wrapped
from ..network import Encoding, Network, Part, parts, roles_fit
from ..network import decode as decode_bits
from ..runs import network_from
from ._options import encoding_from, encoding_options, json_option, naming, network_argument


@click.command()
@network_argument
@encoding_options
@click.option("--bits", is_flag=True, help="Print the bit string alone.")
@json_option
def encode(
    network: str,
    scheme: str | None,
    activations: str | None,
    products: bool,
    bits: bool,
    as_json: bool,
) -> None:
    """Write the network in the file NET as bits, part by part.

    The parts are those of Figure 2 in the paper, where units are counted from 1; the file counts
    them from 0. |G| is the number of bits.
    """
    net = network_from(network)
    encoding = encoding_from(scheme, activations, products, net, network)
    with naming(network):
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
    elif bits:
        say(string)
    else:
        _echo_parts(net, pieces)
        say(f"\n|G| = {len(string)} bits. `mdlrnn encode --bits` prints them in one line;")
        say(f"`mdlrnn decode BITS` {_decoding(net, encoding)}reads them back.")


def _echo_parts(net: Network, pieces: list[Part]) -> None:
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


def _decoding(net: Network, encoding: Encoding) -> str:
    """The options that `decode` needs for these bits, a line for each."""
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


@click.command()
@click.argument("bits", metavar="BITS")
@encoding_options
@click.option("--inputs", type=click.IntRange(min=1), help="Input units, if the bits do not tell.")
@click.option(
    "--outputs", type=click.IntRange(min=1), help="Output units, if the bits do not tell."
)
@click.option("-o", "--out", type=click.Path(), help="Save the network here, do not print it.")
def decode(
    bits: str,
    scheme: str | None,
    activations: str | None,
    products: bool,
    inputs: int | None,
    outputs: int | None,
    out: str | None,
) -> None:
    """Read a network back from BITS and print it as JSON.

    BITS is the bit string, or a file that holds it, or - for standard input. The options must be
    those that the bits were written with; `mdlrnn encode` names them. Bits hold no symbols, so the
    network has no alphabet.
    """
    encoding = encoding_from(scheme, activations, products)
    if bits == "-":
        given = sys.stdin.buffer.read().decode("ascii", "replace")
        with naming("standard input"):
            net = decode_bits(given, encoding, inputs=inputs, outputs=outputs)
    elif bits.strip("01 \t\n"):
        if not os.path.exists(bits):  # noqa: PTH110, Path.exists raises if the name is too long
            raise InputError(
                f"{bits[:60]!r} is neither a bit string nor a file; give 0s and 1s, or a file "
                "that holds them."
            )
        given = read_text(bits, "bit string")
        with naming(bits):
            net = decode_bits(given, encoding, inputs=inputs, outputs=outputs)
    else:
        net = decode_bits(bits, encoding, inputs=inputs, outputs=outputs)
    if out is None:
        say_json_text(net.to_json())
    else:
        net.save(out)
        say(f"saved as {out}: {net!r}")
