"""`mdlrnn prove` and `mdlrnn check`."""

from __future__ import annotations

from pathlib import Path

import click

from ..files import check_writable, save
from ..interface._say import say, say_json
from ..interface._text import columns, filled, parse_time, time_text
from ..languages import machine_from
from ..proofs import TO_TRY, Counterexample, Proof, document
from ..proofs import check as check_certificate
from ..proofs import prove as prove_machine
from ..runs import FRONT, network_from
from ._options import (
    format_option,
    json_option,
    naming,
    network_argument,
    saturation_option,
    with_saturation,
)

NOT_PROVED = 1
"""The exit code where there is no theorem."""
OTHERS = "Or another network of the run: front.json has the best one for each |G|."


@click.command()
@network_argument
@click.argument("language", metavar="LANGUAGE")
@click.option(
    "--margin", type=float, metavar="M", help="Prove that no probability is off by M or more."
)
@click.option("--certificate", type=click.Path(), metavar="FILE", help="Save the proof as SMT-LIB.")
@click.option("--time", "time", default="60s", show_default=True, help="Give up after so long.")
@saturation_option
@format_option
@json_option
def prove(
    network: str,
    language: str,
    margin: float | None,
    certificate: str | None,
    time: str,
    uncut: bool,
    style: str,
    as_json: bool,
) -> None:
    """Is a network right for every string of LANGUAGE, however long?

    The network is a file, or a run's folder for its best one. LANGUAGE is one of `mdlrnn tasks`,
    a notation such as "a^n b^3n", a language file (.lang) or a grammar (.pcfg). The answer is a
    theorem, the strongest that holds, with the table behind it; or a string on which the network is
    wrong; or that neither could be shown. The exit code is 0 with a theorem and 1 without. Needs
    the extra `prove`.
    """
    seconds = parse_time(time, "--time")
    net = with_saturation(network_from(network), uncut)
    machine = machine_from(language)
    if certificate is not None:
        check_writable(certificate)
    with naming(network):
        proof = prove_machine(net, machine, margin=margin, seconds=seconds)
    if certificate is not None and proof.proved:
        save(certificate, proof.certificate())
    if as_json:
        say_json({**proof.to_dict(), "certificate": certificate if proof.proved else None})
    else:
        others = TO_TRY in proof.notes and (Path(network) / FRONT).exists()
        _show(proof, style, certificate, (OTHERS,) if others else ())
    if not proof.proved:
        click.get_current_context().exit(NOT_PROVED)


def _show(proof: Proof, style: str, certificate: str | None, advice: tuple[str, ...]) -> None:
    if style != "text":
        say(document(proof, style), nl=False)
    else:
        say(filled(proof.statement if not proof.proved else f"Proved. {proof.statement}"))
        if proof.counterexample is not None:
            _counterexample(proof.counterexample)
        if proof.proved:
            head, rows = proof.table()
            say(f"\n{columns(head, rows, len(head))}\n")
        for note in (*proof.notes, *advice):
            say(filled(f"* {note}", "  "))
        say(f"\n{time_text(proof.seconds)}; run through: all prefixes up to length {proof.checked}")
    if certificate is not None:
        said = f"certificate: {certificate}; mdlrnn check has a second solver decide it"
        say(said if proof.proved else "without a theorem no certificate is written", err=True)


def _counterexample(found: Counterexample) -> None:
    for name, chances in (("expected", found.expected), ("given", found.given)):
        shown = ", ".join(f"P({symbol}) = {float(p):.6g}" for symbol, p in chances.items())
        say(filled(f"  {name:<8}  {shown}", " " * 12))
    say(
        "  no shorter string is wrong in this way"
        if found.shortest
        else "  there may be a shorter one"
    )


def _strange(language: str | None) -> str:
    if language is not None:
        return f"The language of the certificate is not {language}, whatever it is called there."
    return (
        "The language is written in the certificate and is none of mdlrnn's own, whatever it is "
        "called there; give the one that you mean with --language."
    )


@click.command()
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.option("--network", metavar="NET_OR_RUN", help="Also that it is about this network.")
@click.option("--language", metavar="LANGUAGE", help="Also that it is about this language.")
@click.option(
    "--solver", type=click.Choice(["cvc5", "z3"]), default="cvc5", show_default=True,
    help="Who decides the queries.",
)  # fmt: skip
@click.option("--time", "time", default="10m", show_default=True, help="Give up after so long.")
@json_option
def check(
    certificate: str,
    network: str | None,
    language: str | None,
    solver: str,
    time: str,
    as_json: bool,
) -> None:
    """Check a certificate that `mdlrnn prove` wrote, with a second solver.

    The queries are made again from the network and the language that the file names, compared with
    those in the file, and decided one by one. The language must be one of `mdlrnn tasks`, or the
    one given with --language. The exit code is 0 if all is well and 1 if not.
    """
    about = None if network is None else network_from(network)
    known = None if language is None else machine_from(language)
    result = check_certificate(certificate, solver, about, known, parse_time(time, "--time"))
    if as_json:
        say_json(
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
        say(f"{verdict}: {result.solver} found {right} of {result.queries} queries unsat")
        say(filled(result.statement))
        if not result.known:
            say(filled(_strange(language)))
        for title in result.failed:
            say(f"  not shown: {title}")
    if not result.accepted:
        click.get_current_context().exit(NOT_PROVED)
