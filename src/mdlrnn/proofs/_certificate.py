"""A proof as a file that any SMT solver can read, and its check by a second one.

The file is SMT-LIB 2: a query for each obligation, each of which must be unsatisfiable. A comment
holds the network, the language and the relation that the queries were made from; a check makes
the queries again from these and compares, so that a file of true trivialities does not pass for a
theorem about a network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .._checks import check_known
from .._errors import InputError
from .._files import PathLike, read_text
from ..languages import Language, Transducer
from ..languages._json import from_json as language_from_json
from ..languages._json import to_json as language_to_json
from ..network._network import Network
from ..tasks._tasks import TASKS
from ._claims import Claim
from ._equivalent_machines import same_language
from ._execute import executor
from ._formula import condition_text, term_text
from ._invariant import Key, Location, Scheme
from ._obligations import Induction, obligations
from ._smt import Formula
from ._solver import LOGIC, ask_cvc5, ask_z3, require
from ._statement import theorem
from ._system import Phase, system_for
from ._terms import TooComplex, from_json, to_json

if TYPE_CHECKING:
    from ._proof import Proof

FORMAT = "mdlrnn-certificate/1"
DATA = ";@ "
KINDS = ("exact", "within", "deterministic", "leading", "categorical", "ordered")
MILLISECONDS = 30_000


def certificate(proof: Proof) -> str:
    """The file's text."""
    if not proof.proved or proof.induction is None:
        raise InputError("there is no theorem to write down; a certificate needs a proof.")
    return _text(proof.network, proof.induction, proof.claims)


def _text(network: Network, induction: Induction, claims: Sequence[Claim]) -> str:
    data = json.dumps(_to_json(network, induction, claims), sort_keys=True)
    head = [
        f"; {FORMAT}",
        f"; {_ascii(theorem(induction.system, tuple(claims)))}",
        "; Each query below has to be unsatisfiable; together they are the theorem, about the",
        "; network without saturation. They were made from what the next line holds.",
        f"{DATA}{data}",
        "(set-info :smt-lib-version 2.6)",
        LOGIC,
        *_locations(induction),
    ]
    lines = ["\n".join(head)]
    for number, query in enumerate(obligations(induction, claims), start=1):
        lines.append(
            f"\n; {number}. {_ascii(query.title)}\n(push 1)\n{query.text}\n"
            "(set-info :status unsat)\n(check-sat)\n(pop 1)"
        )
    return "\n".join(lines) + "\n"


def _locations(induction: Induction) -> Iterator[str]:
    for location in induction.locations:
        key = location.key
        where = f"after {' '.join(key.history)}, {condition_text(induction.system, key.phase)}"
        memory = ", ".join(
            f"unit {unit} = {term_text(term)}"
            for unit, term in zip(induction.executor.memory, location.memory, strict=True)
        )
        yield f"; {induction.named(location)}: {_ascii(where)}: {_ascii(memory or 'no memory')}"


def _ascii(text: str) -> str:
    plain = text.replace("−", "-").replace("·", "*").replace("≥", ">=").replace("≠", "!=")
    return plain.encode("unicode_escape").decode("ascii")


@dataclass(frozen=True)
class Checked:
    statement: str
    network: Network
    language: str
    known: bool
    """Whether the language is one of mdlrnn's own."""
    queries: int
    failed: tuple[str, ...]
    """Queries that the solver did not find unsatisfiable."""
    solver: str

    @property
    def accepted(self) -> bool:
        return not self.failed


def check(path: PathLike, solver: str = "cvc5", about: Network | None = None) -> Checked:
    """Make the certificate's queries again and have a solver decide each of them.

    With `about`, the certificate must be about that network.
    """
    check_known(solver, ("cvc5", "z3"), "solver")
    require(solver, "checking a certificate" + (" with Z3" if solver == "z3" else ""))
    text = read_text(path, "certificate")
    line = next((line for line in text.splitlines() if line.startswith(DATA)), None)
    if line is None or not text.startswith(f"; {FORMAT}\n"):
        raise InputError(
            f"{path}: not a certificate; give a file as written by mdlrnn prove --certificate."
        )
    try:
        network, induction, claims = _from_json(json.loads(line[len(DATA) :]))
        queries = list(obligations(induction, claims))
        same = _text(network, induction, claims) == text
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError,
            TooComplex, StopIteration, AssertionError, ZeroDivisionError) as error:  # fmt: skip
        what = type(error).__name__
        raise InputError(
            f"{path}: its data cannot be read ({what}); write the certificate again."
        ) from None
    if not same:
        raise InputError(
            f"{path}: its queries are not those of the network and language that it names; "
            "write the certificate again."
        )
    if about is not None:
        _check_about(path, about, network)
    ask: Callable[[str], Any] = _asking(solver)
    failed = tuple(q.title for q in queries if ask(q.text).verdict != "unsat")
    return Checked(
        theorem(induction.system, claims), network, induction.system.title,
        _is_known(induction.system.source), len(queries), failed, solver,
    )  # fmt: skip


def _check_about(path: PathLike, about: Network, network: Network) -> None:
    if about.alphabet is None:  # a proof gives it the symbols of the language
        about = replace(about, alphabet=network.alphabet)
    if about != network:
        raise InputError(f"{path} is not about the network given; prove that one.")


def _asking(solver: str) -> Callable[[str], Any]:
    if solver == "cvc5":
        return lambda text: ask_cvc5(text, MILLISECONDS)
    return lambda text: ask_z3(text, None, MILLISECONDS)


def _is_known(source: Language | Transducer) -> bool:
    return any(same_language(source, task.language) for task in TASKS.values())


def _source(data: dict[str, Any]) -> Language | Transducer:
    """The machine; one of mdlrnn's own is called what it is called here."""
    read = language_from_json(data)
    for task in TASKS.values():
        if isinstance(task.language, Transducer) and task.language == read:
            return task.language
    return read


def _to_json(network: Network, induction: Induction, claims: Sequence[Claim]) -> dict[str, Any]:
    return {
        "network": network.to_dict(),
        "language": language_to_json(induction.system.source),
        "scheme": list(induction.scheme),
        "claims": [[claim.kind, str(claim.margin)] for claim in claims],
        "locations": [
            {
                "state": x.key.phase.state,
                "truth": x.key.phase.truth,
                "history": x.key.history,
                "tags": [str(tag) if isinstance(tag, Fraction) else tag for tag in x.key.tags],
                "memory": [to_json(term) for term in x.memory],
                "facts": [[fact[0], to_json(fact[1]), *fact[2:]] for fact in x.facts],
            }
            for x in induction.locations
        ],
    }


def _from_json(data: dict[str, Any]) -> tuple[Network, Induction, tuple[Claim, ...]]:
    given = Network.from_dict(data["network"])
    system, network = system_for(given, _source(data["language"]))
    history, signs, remainders = data["scheme"]
    claims = tuple(_claim(kind, Fraction(margin)) for kind, margin in data["claims"])
    locations = tuple(
        Location(
            Key(
                Phase(x["state"], tuple(x["truth"])),
                tuple(x["history"]),
                tuple(Fraction(tag) if isinstance(tag, str) else tag for tag in x["tags"]),
            ),
            tuple(from_json(term) for term in x["memory"]),
            tuple(_fact(*fact) for fact in x["facts"]),
        )
        for x in data["locations"]
    )
    scheme = Scheme(history, tuple(signs), tuple(remainders))
    return network, Induction(executor(network), system, scheme, locations), claims


def _claim(kind: str, margin: Fraction) -> Claim:
    if kind not in KINDS or not 0 <= margin < 1:
        raise ValueError("no such claim")
    return Claim(kind, margin)


def _fact(head: str, term: list[Any], *numbers: int) -> Formula:
    """A base below 2 would let every query mean another predicate by the same name."""
    shapes = {">=": 0, "mod": 2, "digits": 1}
    if shapes.get(head) != len(numbers) or (numbers and not numbers[0] >= 2):
        raise ValueError("no such fact")
    if not all(isinstance(number, int) for number in numbers):
        raise ValueError("no such fact")
    return (head, from_json(term), *numbers)
