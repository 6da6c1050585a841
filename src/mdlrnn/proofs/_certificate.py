"""A proof as a file that any SMT solver can read, and its check by a second one.

The file is SMT-LIB 2: a query for each obligation, each of which must be unsatisfiable. A comment
holds the network, the language and the relation that the queries were made from; a check makes
the queries again from these and compares, so that a file of true trivialities does not pass for a
theorem about a network.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..checks import check_known, exact_fraction
from ..errors import InputError
from ..files import PathLike, named, read_text
from ..languages import EVERY_TASK
from ..machines import AnyMachine, Machine, Transducer
from ..machines import from_json as language_from_json
from ..machines import to_json as language_to_json
from ..network import Network
from ._claims import Claim
from ._equivalent_machines import same_language
from ._execute import executor
from ._invariant import Key, Location, Scheme
from ._obligations import Induction, Query, obligations
from ._smt import CHECK, LOGIC, Answer, Formula, ask_cvc5, ask_z3, require
from ._statement import condition_text, term_text, theorem
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


def _text(
    network: Network,
    induction: Induction,
    claims: Sequence[Claim],
    queries: Iterable[Query] | None = None,
) -> str:
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
    if queries is None:
        queries = obligations(induction, claims)
    for number, query in enumerate(queries, start=1):
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
    """Whether the language is the one given, or without one, one of mdlrnn's own."""
    queries: int
    failed: tuple[str, ...]
    """Queries that the solver did not find unsatisfiable."""
    solver: str

    @property
    def accepted(self) -> bool:
        return self.known and not self.failed


def check(
    path: PathLike,
    solver: str = "cvc5",
    about: Network | None = None,
    language: AnyMachine | None = None,
    seconds: float = CHECK,
) -> Checked:
    """Make the certificate's queries again and have a solver decide each of them.

    The language must be the one given, or else one of mdlrnn's own: a certificate may call any
    machine by any name. With `about`, the certificate must be about that network.
    """
    ends = time.monotonic() + seconds
    check_known(solver, ("cvc5", "z3"), "solver")
    require(solver, "checking a certificate" + (" with Z3" if solver == "z3" else ""))
    text = read_text(path, "certificate")
    line = next((line for line in text.splitlines() if line.startswith(DATA)), None)
    if line is None or not text.startswith(f"; {FORMAT}\n"):
        raise InputError(
            f"{named(path)}: not a certificate; give a file as written by mdlrnn prove "
            "--certificate."
        )
    try:
        network, induction, claims = _from_json(json.loads(line[len(DATA) :]))
        queries = list(_in_time(obligations(induction, claims), ends))
        same = _text(network, induction, claims, queries) == text
        stated = {query.title.partition(":")[0] for query in queries}
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError,
            TooComplex, StopIteration, AssertionError, ArithmeticError) as error:  # fmt: skip
        if isinstance(error, InputError):
            raise InputError(f"{named(path)}: {error}") from None
        what = type(error).__name__
        raise InputError(
            f"{named(path)}: its data cannot be read ({what}); write the certificate again."
        ) from None
    if not same:
        raise InputError(
            f"{named(path)}: its queries are not those of the network and language that it names; "
            "write the certificate again."
        )
    empty = next((claim.kind for claim in claims if claim.kind not in stated), None)
    if empty is not None:
        raise InputError(
            f"{named(path)}: it makes a claim ({empty}) that none of its queries is about; "
            "write the certificate again."
        )
    known = _known(induction.system.source, language)
    if about is not None and known is not None:
        _check_about(path, about, known, network)
    ask: Callable[[str, int], Answer] = ask_cvc5 if solver == "cvc5" else _ask_z3
    failed = tuple(q.title for q in queries if not _is_unsat(ask, q, ends))
    system = induction.system if known is None else replace(induction.system, source=known)
    return Checked(
        theorem(system, claims), network, system.title, known is not None, len(queries), failed,
        solver,
    )  # fmt: skip


def _in_time(queries: Iterable[Query], ends: float) -> Iterator[Query]:
    for query in queries:
        if time.monotonic() > ends:
            raise InputError("there are too many queries for the time; give more with --time.")
        yield query


def _is_unsat(ask: Callable[[str, int], Answer], query: Query, ends: float) -> bool:
    left = int(1000 * (ends - time.monotonic()))
    return left > 0 and ask(query.text, min(left, MILLISECONDS)).verdict == "unsat"


def _ask_z3(text: str, milliseconds: int) -> Answer:
    return ask_z3(text, None, milliseconds)


def _check_about(path: PathLike, about: Network, known: AnyMachine, network: Network) -> None:
    """A network without names takes the symbols in the order of the language, as in a proof."""
    other = InputError(f"{named(path)} is not about the network given; prove that one.")
    try:
        _, about = system_for(about, known)
    except InputError:
        raise other from None
    if about != network:
        raise other


def _known(source: AnyMachine, given: AnyMachine | None) -> AnyMachine | None:
    """The language as it is known here, by the name that it has here."""
    languages = [task.rules for task in EVERY_TASK.values()] if given is None else [given]
    for known in languages:
        if isinstance(known, Machine | Transducer):
            named_alike = replace(source, name=known.name, title=known.title)
            if same_language(named_alike, known):
                return known
    return None


def _source(data: dict[str, Any]) -> AnyMachine:
    """The machine; one of mdlrnn's own is called what it is called here."""
    read = language_from_json(data)
    for task in EVERY_TASK.values():
        if isinstance(task.rules, Transducer) and task.rules == read:
            return task.rules
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
    claims = tuple(_claim(kind, exact_fraction(margin)) for kind, margin in data["claims"])
    locations = tuple(
        Location(
            Key(
                Phase(x["state"], tuple(x["truth"])),
                tuple(x["history"]),
                tuple(map(_tag, x["tags"])),
            ),
            tuple(from_json(term) for term in x["memory"]),
            tuple(_fact(*fact) for fact in x["facts"]),
        )
        for x in data["locations"]
    )
    scheme = Scheme(history, tuple(signs), tuple(remainders))
    return network, Induction(executor(network), system, scheme, locations), claims


def _tag(tag: Any) -> Any:
    return exact_fraction(tag) if isinstance(tag, str) else tag


def _claim(kind: str, margin: Fraction) -> Claim:
    if kind not in KINDS or not 0 <= margin < 1:
        raise ValueError("no such claim")
    return Claim(kind, margin)


def _fact(head: str, term: list[Any], *numbers: int) -> Formula:
    """A base below 2 would let every query mean another predicate by the same name."""
    shapes = {">=": (0,), "mod": (2,), "digits": (1, 2)}
    if len(numbers) not in shapes.get(head, ()) or (numbers and not numbers[0] >= 2):
        raise ValueError("no such fact")
    if not all(isinstance(number, int) for number in numbers):
        raise ValueError("no such fact")
    return (head, from_json(term), *numbers)
