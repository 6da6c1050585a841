"""`mdlrnn lab zoo`: the paper's networks as files."""

from __future__ import annotations

import click

from mdlrnn.cli import command
from mdlrnn.errors import InputError
from mdlrnn.files import check_writable
from mdlrnn.interface import say
from mdlrnn.zoo import golden, golden_names, load, names

GOLDEN = "golden_"


@command()
@click.argument("name", required=False)
@click.option("-o", "--out", type=click.Path(), help="Where to.  [default: NAME.json]")
def zoo(name: str | None, out: str | None) -> None:
    """Write the paper's network NAME to a file. Without NAME, list the networks.

    Names that begin with golden_ are the networks that Abudy and others (2025) built by hand.
    """
    if name is None:
        if out is not None:
            raise InputError("--out is for one network; give its NAME too.")
        say("\n".join([*names(), *(f"{GOLDEN}{task}" for task in golden_names())]))
        return
    network = golden(name.removeprefix(GOLDEN)) if name.startswith(GOLDEN) else load(name)
    path = out or f"{name}.json"
    check_writable(path)
    network.save(path)
    say(f"saved as {path}; look inside with: mdlrnn report {path}")
