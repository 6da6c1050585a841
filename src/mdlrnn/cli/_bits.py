"""`mdlrnn bits`: the bit string behind |G|, written and read."""

from __future__ import annotations

import os
import sys

import click

from ..errors import InputError
from ..files import read_text
from ..interface import say, say_json, say_json_text, terminal_width, wrapped
from ..network import Encoding, Network, Part, parts, roles_fit
from ..network import decode as decode_bits
from ..runs import network_from
from ._group import command, option
from ._options import encoding_from, encoding_options, json_option, naming

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
