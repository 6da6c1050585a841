"""`mdlrnn test`, `score` and `prove`: how good a network is, what it costs, and proofs, with
certificates that a second solver checks.
"""

from __future__ import annotations

import math
from pathlib import Path

import click
from click.core import ParameterSource

from ..errors import InputError
from ..files import check_writable, save
from ..interface import bits_text, columns, filled, parse_time, say, say_json, time_text
from ..interface import test as test_network
from ..languages import Language, language_from, machine_from
from ..measures import Report
from ..network import Network, has_words
from ..proofs import CHECK as CHECK_SECONDS
from ..proofs import SECONDS as PROVE_SECONDS
from ..proofs import TO_TRY, Counterexample, Proof, document
from ..proofs import check as check_certificate
from ..runs import FRONT, conclude, network_from, proof_of, training_of, verdict_of
from ._group import command, option
from ._options import (
    encoding_from,
    encoding_options,
    json_option,
    naming,
    network_argument,
    saturation_option,
    say_hints,
    seed_option,
    with_saturation,
    words_option,
)


@command(doing="measuring")
@network_argument
@click.argument("source", metavar="SOURCE")
@click.option("--size", type=click.IntRange(min=1), help="Training size. [default: as the paper]")
@seed_option
@words_option
@click.option(
    "--longest", type=click.IntRange(min=1), metavar="N",
    help="Test on strings of up to about so many symbols. [default: as the paper, or about four "
    "times the longest training string]",
)  # fmt: skip
@click.option(
    "--training", type=click.Path(), metavar="FILE",
    help="The strings that the network was found with, to compare with simple models of them. "
    "[default: those of the run]",
)  # fmt: skip
@saturation_option
@json_option
def test(
    network: str,
    source: str,
    size: int | None,
    seed: int,
    words: bool,
    longest: int | None,
    training: str | None,
    uncut: bool,
    as_json: bool,
) -> None:
    """How well a network does on SOURCE: on its training set and on its test set.

    The network is a file, or a run's folder for its best one. SOURCE is a task, a
    notation such as "a^n b^3n", a language file (.lang), a grammar (.pcfg, in NLTK's notation), or
    a file of strings that the network has not seen: for these the cross-entropy is given beside
    that of simple models, and the strings that cost most.
    """
    net = with_saturation(network_from(network), uncut)
    known = language_from(source, size=size, words=words or has_words(net.alphabet))
    _forbid_ignored(source, known, longest, training)
    seen = training_of(network) if training is None else training
    with naming(network, source):
        report = test_network(net, known, seed=seed, training=seen, longest=longest)
        about = net if uncut else network
        verdict = None
        if isinstance(report, Report):
            verdict = verdict_of(about, known, seconds=0, proving=0)
    say_hints(known)
    if as_json:
        said = {} if verdict is None else {"verdict": verdict.to_dict()}
        say_json({**report.to_dict(), **said})
        return
    say(str(report))
    if verdict is not None and (verdict.made is not None or verdict.proof is not None):
        say("\n" + filled(verdict.line))
        if isinstance(report, Report) and report.first_failure is not None:
            for reason in verdict.why_figures_differ:
                say(filled(reason))


def _forbid_ignored(name: str, source: Language, longest: int | None, training: str | None) -> None:
    """Strings that are given are not drawn, and those of a language need no others beside them."""
    if source.rules is not None:
        if training is not None:
            raise InputError(
                f"--training is for a file of strings, and {name} is a language; leave it out."
            )
        return
    seed = click.get_current_context().get_parameter_source("seed")
    for name_of_option, given in (
        ("--longest", longest is not None),
        ("--seed", seed is ParameterSource.COMMANDLINE),
    ):
        if given:
            raise InputError(
                f"{name_of_option} is for strings that are drawn from a language, and {name} has "
                "its strings; leave it out."
            )


@command(doing="scoring")
@network_argument
@click.argument("corpus", metavar="CORPUS", type=click.Path())
@encoding_options
@saturation_option
@words_option
@json_option
def score(
    network: str,
    corpus: str,
    scheme: str | None,
    activations: str | None,
    products: bool,
    uncut: bool,
    words: bool,
    as_json: bool,
) -> None:
    """What a network costs on the strings of CORPUS, in bits.

    CORPUS is a text file, one string a line (a count and a TAB may stand before it), or an .npz
    file with the arrays inputs, targets and, if sequences differ in length, lengths. The network
    of a run is written in the run's own encoding, where no other is asked for.
    """
    from ..kernels import score as score_network  # heavy: Numba

    net = with_saturation(network_from(network), uncut)
    source = language_from(corpus, words=words or has_words(net.alphabet))
    data = source.corpus()
    encoding = encoding_from(scheme, activations, products, net, network)
    with naming(network, corpus):
        result = score_network(net, data, encoding)
    say_hints(source)
    each = result.d_given_g / data.characters
    if as_json:
        say_json(
            {
                "g": result.g,
                "d_given_g": result.d_given_g,
                "mdl": result.mdl,
                "l1": result.l1,
                "l2": result.l2,
                "bits_per_character": each,
                "characters": data.characters,
                "encoding": encoding.scheme,
                "activations": encoding.activations,
                "products": encoding.products,
            }
        )
        return
    paper = encoding.scheme == "paper"
    scheme = "the paper's encoding" if paper else f"encoding {encoding.scheme}"
    about = f"the corpus: {data.characters:,} characters"
    if math.isfinite(each):
        about += f", {each:.3g} bits each"
    rows = (
        ("|G|", f"{result.g:,}   ", f"the network, in {scheme}"),
        ("|D:G|", bits_text(result.d_given_g), about),
        ("|G| + |D:G|", bits_text(result.mdl), "what MDL minimises"),
    )
    width = max(len(bits) for _, bits, _ in rows)
    for name, bits, what in rows:
        say(f"{name:<11}  {bits:>{width}} bits  {what}")
    if math.isinf(result.d_given_g):
        say("\nA symbol that occurs has probability 0; `mdlrnn feed` shows where.")


NOT_PROVED = 1
"""The exit code where there is no theorem."""
OTHERS = "Or another network of the run: front.json has the best one for each |G|."


PROVE, CHECK = "Proving", "Checking"


@command(doing="proving")
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
@option(
    "--time",
    "time",
    metavar="TIME",
    help="Give up after the work that an idle core does in this.  [default: 60s; --check: 10m]",
)
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
        source = net if uncut else network
        is_proved = _prove(source, network, language, margin, certificate, seconds, style, as_json)
    if not is_proved:
        click.get_current_context().exit(NOT_PROVED)


def _prove(
    source: Network | str,
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
        # What a run's folder keeps has its words alone.
        again = certificate is not None or style != "text"
        proof = proof_of(source, machine, margin=margin, seconds=seconds, again=again)
        known = language_from(language)
        verdict = conclude(proof.network, known, proof=proof, seconds=0, proving=0)
    if certificate is not None and proof.proved:
        save(certificate, proof.certificate())
    if as_json:
        more = {"verdict": verdict.to_dict(), "certificate": certificate if proof.proved else None}
        say_json({**proof.to_dict(), **more})
    else:
        others = TO_TRY in proof.notes and (Path(network) / FRONT).exists()
        if style == "text":
            say(filled(verdict.line) + "\n")
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
