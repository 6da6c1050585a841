"""`mdlrnn prove`: proofs, and certificates that a second solver checks."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from ..files import check_writable, save
from ..interface import columns, filled, parse_time, say, say_json, time_text
from ..languages import machine_from
from ..network import Network
from ..proofs import CHECK as CHECK_SECONDS
from ..proofs import SECONDS as PROVE_SECONDS
from ..proofs import TO_TRY, Counterexample, Proof, document
from ..proofs import check as check_certificate
from ..proofs import prove as prove_machine
from ..runs import FRONT, network_from
from ._group import command, option
from ._options import json_option, naming, with_saturation

NOT_PROVED = 1
"""The exit code where there is no theorem."""
OTHERS = "Or another network of the run: front.json has the best one for each |G|."


PROVE, CHECK = "Proving", "Checking"


@command()
@click.argument("network", metavar="[NET_OR_RUN]", type=click.Path(), required=False)
@click.argument("language", metavar="[LANGUAGE]", required=False)
@option(
    "--margin", type=float, metavar="M", group=PROVE,
    help="Prove that no probability is off by M or more.",
)  # fmt: skip
@option(
    "--certificate", type=click.Path(), metavar="FILE", group=PROVE,
    help="Save the proof as SMT-LIB.",
)  # fmt: skip
@option(
    "--no-saturation", "uncut", is_flag=True, group=PROVE,
    help="Do not cut sums to ±10^6, whatever the network says.",
)  # fmt: skip
@option(
    "--format", "style", type=click.Choice(["text", "markdown", "latex"]), default="text",
    show_default=True, group=PROVE, help="How the theorem is written.",
)  # fmt: skip
@option(
    "--check", "to_check", type=click.Path(), metavar="CERTIFICATE", group=CHECK,
    help="Have a second solver check this proof.",
)  # fmt: skip
@option(
    "--network", "about", metavar="NET_OR_RUN", group=CHECK,
    help="Check also that it is about this network.",
)  # fmt: skip
@option(
    "--language", "known", metavar="LANGUAGE", group=CHECK,
    help="Check also that it is about this language.",
)  # fmt: skip
@option(
    "--solver", type=click.Choice(["cvc5", "z3"]), group=CHECK,
    help="Which solver decides the queries.  [default: cvc5]",
)  # fmt: skip
@option("--time", "time", metavar="TIME", help="Give up after this.  [default: 60s; --check: 10m]")
@json_option
def prove(
    network: str | None,
    language: str | None,
    margin: float | None,
    certificate: str | None,
    uncut: bool,
    style: str,
    to_check: str | None,
    about: str | None,
    known: str | None,
    solver: str | None,
    time: str | None,
    as_json: bool,
) -> None:
    """Is a network right for every string of LANGUAGE, however long?

    The network is a file, or a run's folder for its best one. LANGUAGE is a task, a notation such
    as "a^n b^3n", a language file (.lang) or a grammar (.pcfg). The answer is the strongest theorem
    that holds, with the table behind it; or a string on which the network is wrong; or that neither
    was found.

    With --check, a second solver checks the CERTIFICATE of a proof: the queries are made again from
    the network and the language that the file names, compared with those in the file, and decided.
    The language must be one that `mdlrnn language` lists, or the one given.

    The exit code is 0 if all is proved and 1 if not. Needs the extra `prove`.
    """
    if to_check is not None:
        given = (network, language, margin, certificate)
        if uncut or style != "text" or any(value is not None for value in given):
            raise InputError(
                "a certificate names its network and its language; with --check give others with "
                "--network and --language, and leave out what is for proving."
            )
        seconds = CHECK_SECONDS if time is None else parse_time(time, "--time")
        is_proved = _check(to_check, about, known, solver or "cvc5", seconds, as_json)
    else:
        if about is not None or known is not None or solver is not None:
            raise InputError("--network, --language and --solver need --check; leave them out.")
        if network is None or language is None:
            raise InputError(
                "give a network and a language, or a certificate to check: --check CERTIFICATE."
            )
        seconds = PROVE_SECONDS if time is None else parse_time(time, "--time")
        net = with_saturation(network_from(network), uncut)
        is_proved = _prove(net, network, language, margin, certificate, seconds, style, as_json)
    if not is_proved:
        click.get_current_context().exit(NOT_PROVED)


def _prove(
    net: Network,
    network: str,
    language: str,
    margin: float | None,
    certificate: str | None,
    seconds: float,
    style: str,
    as_json: bool,
) -> bool:
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
    return proof.proved


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
        said = f"certificate: {certificate}; mdlrnn prove --check has a second solver check it"
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


def _check(
    path: str, about: str | None, known: str | None, solver: str, seconds: float, as_json: bool
) -> bool:
    net = None if about is None else network_from(about)
    machine = None if known is None else machine_from(known)
    result = check_certificate(path, solver, net, machine, seconds)
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
            say(filled(_strange(known)))
        for title in result.failed:
            say(f"  not shown: {title}")
    return result.accepted
