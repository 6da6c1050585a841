"""The verdict on a network: made here, once, from what is known of it and what its folder keeps.

What is proved is written into the run's folder, so that every command says the same of a network
and nothing is proved twice.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..corpus import Corpus
from ..errors import InputError, RunError
from ..extraction import Learned, Verdict, learned
from ..languages import Language, language_of_run
from ..machines import AnyMachine, Machine
from ..network import Network
from ..proofs import IN_RUN, SECONDS, Proof, available, prove
from ._files import BEST, CORPUS, EXPRESSION, PROVED, read_object, write, write_theorem
from ._networks import (
    keep_learned,
    kept_learned,
    kept_proof,
    load_network,
    network_from,
    read_corpus,
)
from ._settings import read_settings, status_of

if TYPE_CHECKING:  # a search needs Numba, and a network from a file none
    from ..search import FoundExpression, Origin

AT_THE_END = 5.0
"""Seconds for what a network has learned, when a run has ended and in its report."""


def verdict_of(
    source: object,
    language: Language | None = None,
    *,
    seconds: float = AT_THE_END,
    proving: float = IN_RUN,
    corpus: Corpus | None = None,
) -> Verdict:
    """The verdict on a network, or on the best one of a run or its folder.

    It is held against the language, or against that of the run. What the folder keeps is not found
    again. `seconds` are for the machine inside the network and `proving` for the theorem.
    """
    network = network_from(source)
    folder = folder_of(source)
    if folder is None:
        return conclude(network, language, corpus=corpus, seconds=seconds, proving=proving)
    settings = read_settings(folder)
    own = language_of_run(settings.corpus)
    if language is None and own is not None and own.rules is not None:
        language = own
    if corpus is None and (folder / CORPUS).exists():
        corpus = read_corpus(folder / CORPUS)
    return conclude(
        network, language, corpus=corpus, folder=folder, found=kept_expression(folder, network),
        origin=status_of(folder).origin, seconds=seconds, proving=proving,
    )  # fmt: skip


def folder_of(source: object) -> Path | None:
    """The folder that keeps a run, if the source is one or a run that is kept."""
    folder = getattr(source, "out", source)
    if isinstance(folder, str | Path) and Path(folder).is_dir():
        return Path(folder)
    return None


def conclude(
    network: Network,
    language: Language | None = None,
    *,
    corpus: Corpus | None = None,
    folder: Path | None = None,
    found: FoundExpression | None = None,
    origin: Origin | None = None,
    proof: Proof | None = None,
    other: Proof | None = None,
    more_bits: float = 0.0,
    inside: Learned | None = None,
    seconds: float = AT_THE_END,
    proving: float = IN_RUN,
) -> Verdict:
    """Everything that is said of one network. `proof`, `other` and `inside` are what is known
    already, and are written down where the run has a folder."""
    can_prove = available("z3")
    told = _told(found, origin)
    machine = None if language is None else language.machine
    title = None if language is None else language.title
    if language is None and found is not None and found.network != network:
        # The answer is an expression, and the best network beside it is not its network.
        title = found.expression.notation
        return Verdict.of(network, found.expression, title=title, origin=told)
    if machine is not None and can_prove:
        known = other or proof
        if proof is None and folder is not None:
            proof = kept_proof(folder, machine, network)
        if proof is None and other is None and proving > 0:
            found_now = prove(network, machine, seconds=proving)
            known = proof = _by_way_of(found_now, folder, machine, proving)
        if known is not None and folder is not None:
            keep_proof(folder, known, machine, network)
    if proof is not None and proof.proved and isinstance(machine, Machine):
        inside = learned_of_language(proof, machine)
    elif inside is not None:
        _keep_learned(folder, inside)
    elif network.alphabet is not None and can_prove:
        inside = _inside(network, folder, found, seconds)
    return Verdict.of(
        network, language or corpus, None if language else corpus, inside,
        title=title, proof=proof, origin=told, other=other, more_bits=more_bits,
    )  # fmt: skip


def _inside(
    network: Network, folder: Path | None, found: FoundExpression | None, seconds: float
) -> Learned | None:
    """The machine inside a network: as the folder has it, as its expression says, or read off."""
    kept = None if folder is None else kept_learned(folder, network)
    if seconds <= 0 or (kept is not None and (kept.proved or kept.seconds >= seconds)):
        return kept
    machine = None if found is None or found.network != network else found.machine
    inside = learned(network, seconds, machine)
    _keep_learned(folder, inside)
    return inside


def _keep_learned(folder: Path | None, inside: Learned) -> None:
    """The run is saved already; what is written here can be found again at any time."""
    if folder is not None:
        with suppress(RunError):
            keep_learned(folder, inside)


def proof_of(
    source: object,
    machine: AnyMachine,
    *,
    margin: float | None = None,
    seconds: float = SECONDS,
    again: bool = False,
) -> Proof:
    """The theorem about a network and a language, or why there is none: as the run's folder has
    it, unless it is to be found `again`."""
    network, folder = network_from(source), folder_of(source)
    kept = None
    if folder is not None and margin is None and not again:
        kept = kept_proof(folder, machine, network)
    if kept is not None and kept.proved:
        return kept
    proof = prove(network, machine, margin=margin, seconds=seconds)
    if margin is None:
        proof = _by_way_of(proof, folder, machine, seconds)
        if folder is not None:
            keep_proof(folder, proof, machine, load_network(folder))
    return proof


def _by_way_of(proof: Proof, folder: Path | None, machine: AnyMachine, seconds: float) -> Proof:
    """The theorem about a language by way of the machine inside the network, whose counters may be
    those that the network follows; what was shown without it where that shows no more."""
    if proof.outcome != "not shown" or not isinstance(machine, Machine):
        return proof
    inside = _inside(proof.network, folder, None, min(seconds, AT_THE_END))
    return (inside and inside.proof_of(machine, seconds)) or proof


def learned_of_language(proof: Proof, language: Machine) -> Learned:
    """The machine of a language that a network is proved to have learned."""
    return Learned(
        proof.network, language, language.title, proof, proof.statement, proof.seconds,
        proof.checked,
    )  # fmt: skip


def kept_expression(folder: Path, network: Network) -> FoundExpression | None:
    """The expression that a run found to be the answer, if its best network is still beside it."""
    if not (folder / EXPRESSION).exists():
        return None
    from ..search import FoundExpression

    try:
        found = FoundExpression.from_dict(read_object(folder / EXPRESSION, "expression"))
        own = found.network
        if own is not None:
            return found if own == network else None
        score = read_object(folder / BEST, "network")["score"]
        return found if found.bits < score["mdl"] else None
    except (InputError, KeyError, TypeError):
        return None


def keep_proof(folder: Path, proof: Proof, machine: AnyMachine, best: Network) -> None:
    """Write down what was found out about a language, with the network if it is not the best."""
    if not proof.proved and kept_proof(folder, machine) is not None:
        return
    is_best = proof.network == best
    data = proof.to_dict() | {
        "language": proof.title, "machine": machine.to_text(),
        "file": BEST if is_best else PROVED, "network": proof.network.to_dict(),
    }  # fmt: skip
    with suppress(RunError):
        write_theorem(folder, data)
        if proof.proved and not is_best:
            write(folder / PROVED, proof.network.to_json() + "\n")


def _told(found: FoundExpression | None, origin: Origin | None) -> tuple[str, ...]:
    told = () if found is None else tuple(str(found).split("\n"))
    if origin is None:
        return told
    best = "best " if found is None or found.network is None else ""
    if found is not None and found.network is None and found.expression.node is not None:
        told = (*told, f"There is no network of it: {found.obstacle}")
    return (*told, f"The {best}network was {origin}.")
