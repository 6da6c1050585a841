"""`mdlrnn prove` and `mdlrnn check`."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from .._errors import InputError
from .._files import save_text
from .._network import Network
from ._options import json_option, naming, network_argument
from ._prove_options import format_option
from ._show import columns, echo_json, terminal_width
from ._times import parse_time, time_text

if TYPE_CHECKING:
    from ..proofs._proof import Counterexample, Proof

NOT_PROVED = 1
"""The exit code where there is no theorem."""


@click.command()
@network_argument
@click.argument("language", metavar="LANGUAGE")
@click.option(
    "--margin", type=float, metavar="M", help="Prove that no probability is off by M or more."
)
@click.option("--certificate", type=click.Path(), metavar="FILE", help="Save the proof as SMT-LIB.")
@click.option("--time", "time", default="60s", show_default=True, help="Give up after so long.")
@format_option
@json_option
def prove(
    network: str,
    language: str,
    margin: float | None,
    certificate: str | None,
    time: str,
    style: str,
    as_json: bool,
) -> None:
    """Is the network in NET right for every string of LANGUAGE, however long?

    LANGUAGE is one of `mdlrnn tasks`. The answer is a theorem, the strongest that holds, with the
    table behind it; or a string on which the network is wrong; or that neither could be shown. The
    exit code is 0 with a theorem and 1 without. Needs the extra `prove`.
    """
    from ..proofs._prove import prove as proved

    seconds = parse_time(time, "--time")
    net = Network.load(network)
    with naming(network):
        proof = proved(net, language_name(language), margin=margin, seconds=seconds)
    if certificate is not None and proof.proved:
        from ..proofs._certificate import certificate as written

        save_text(certificate, written(proof))
    if as_json:
        echo_json({**proof.to_dict(), "certificate": certificate if proof.proved else None})
    else:
        _show(proof, style, certificate)
    if not proof.proved:
        click.get_current_context().exit(NOT_PROVED)


def language_name(name: str) -> str:
    """The task, with or without a size behind its name."""
    from .._tasks import task_named
    from ._data import is_grammar, split_size

    if is_grammar(name):
        raise InputError(
            f"{name} is a grammar, and a proof needs a machine over counters; "
            "name one of mdlrnn tasks."
        )
    return task_named(split_size(name)[0]).name


def _show(proof: Proof, style: str, certificate: str | None) -> None:
    from ..proofs._document import cells, document

    if style != "text":
        click.echo(document(proof, style), nl=False)
    else:
        click.echo(_filled(proof.statement if not proof.proved else f"Proved. {proof.statement}"))
        if proof.counterexample is not None:
            _counterexample(proof.counterexample)
        if proof.proved:
            head, rows = cells(proof)
            click.echo(f"\n{columns(head, rows, len(head))}\n")
        for note in proof.notes:
            click.echo(_filled(f"* {note}", "  "))
        click.echo(
            f"\n{time_text(proof.seconds)}; run through: all prefixes up to length {proof.checked}"
        )
    if certificate is not None:
        said = f"certificate: {certificate}; mdlrnn check has a second solver decide it"
        click.echo(
            said if proof.proved else "without a theorem no certificate is written", err=True
        )


def _counterexample(found: Counterexample) -> None:
    for name, chances in (("expected", found.expected), ("given", found.given)):
        shown = ", ".join(f"P({symbol}) = {float(p):.6g}" for symbol, p in chances.items())
        click.echo(_filled(f"  {name:<8}  {shown}", " " * 12))
    click.echo("  no shorter string is wrong" if found.shortest else "  there may be a shorter one")


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, terminal_width(), subsequent_indent=indent, break_on_hyphens=False)


@click.command()
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.option("--network", metavar="NET", help="Also that it is about this network.")
@click.option(
    "--solver", type=click.Choice(["cvc5", "z3"]), default="cvc5", show_default=True,
    help="Who decides the queries.",
)  # fmt: skip
@json_option
def check(certificate: str, network: str | None, solver: str, as_json: bool) -> None:
    """Check a certificate that `mdlrnn prove` wrote, with a second solver.

    The queries are made anew from the network and the language that the file names, compared with
    those in the file, and decided one by one. The exit code is 0 if all is well and 1 if not.
    """
    from ..proofs._certificate import check as checked

    result = checked(certificate, solver)
    if network is not None:
        given = Network.load(network)
        if given.alphabet is None:  # a proof gives it the symbols of the language
            given = replace(given, alphabet=result.network.alphabet)
        if given != result.network:
            raise InputError(
                f"{certificate} is not about the network in {network}; prove that one."
            )
    if as_json:
        echo_json(
            {
                "accepted": result.accepted,
                "statement": result.statement,
                "language": result.language,
                "known_language": result.known,
                "queries": result.queries,
                "failed": list(result.failed),
                "solver": result.solver,
                "network": result.network.to_dict(),
            }
        )
    else:
        verdict = "accepted" if result.accepted else "NOT accepted"
        right = result.queries - len(result.failed)
        click.echo(f"{verdict}: {result.solver} found {right} of {result.queries} queries unsat")
        click.echo(_filled(result.statement))
        if not result.known:
            click.echo("The language is written in the certificate; it is none of mdlrnn's own.")
        for title in result.failed:
            click.echo(f"  not shown: {title}")
    if not result.accepted:
        click.get_current_context().exit(NOT_PROVED)
