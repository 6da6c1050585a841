"""What `prove` gives back: a theorem, a counterexample, or what was tried; and it as a document."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..checks import check_known, exact_fraction, is_number, short
from ..errors import InputError, printable
from ..files import PathLike, named, read_text
from ..languages import EVERY_TASK
from ..machines import AnyMachine, Machine, Transducer
from ..machines import from_json as language_from_json
from ..machines import to_json as language_to_json
from ..network import Network
from ..waiting import doing
from ._equivalent_machines import same_language
from ._execute import Phase, System, executor, system_for
from ._invariant import Key, Location, Scheme
from ._obligations import Induction, Query, obligations
from ._smt import CHECK, LOGIC, Answer, Claim, Formula, ask_cvc5, ask_z3, require
from ._statement import UNKNOWN, Row, condition_text, latex_symbol, table, term_text, theorem
from ._terms import TooComplex, from_json, to_json
from ._witness import Counterexample, FloatFailure
from .float64._rounding import AsItRuns

FORMATS = ("markdown", "latex")


def document(proof: Proof, style: str = "markdown") -> str:
    """The proof in words and its table; for a network that is not proved, the verdict alone."""
    if style not in FORMATS:
        raise InputError(f"there is no format {style!r}; use one of {', '.join(FORMATS)}.")
    if not proof.proved or proof.induction is None:
        return "\n".join([proof.statement, *proof.notes]) + "\n"
    head, rows = cells(proof, style == "latex")
    if style == "latex":
        return _latex(proof, head, rows)
    return _markdown(proof, head, rows)


def cells(proof: Proof, latex: bool = False) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of the table."""
    induction = proof.induction
    assert induction is not None
    network, system = proof.network, induction.system
    symbols = [latex_symbol(s) if latex else shown_symbol(s) for s in system.outcomes]
    first = network.inputs
    head = ["after", "where", *(f"unit {u}" for u in induction.executor.memory)]
    memory = induction.executor.memory
    # An output that is remembered has its column already.
    outputs = (u for u in range(first, first + network.outputs) if u not in memory)
    head += [f"unit {u}" for u in outputs]
    head += ["P(1)"] if network.outputs == 1 else [f"P({symbol})" for symbol in symbols]
    return head, [_row(row, proof, latex) for row in table(induction)]


def _row(row: Row, proof: Proof, latex: bool) -> list[str]:
    induction = proof.induction
    assert induction is not None
    math = (lambda text: f"${text}$") if latex else (lambda text: text)
    key = row.location.key
    # In LaTeX a row that begins with a bracket would be read as an option of the line before.
    history = " ".join(
        rf"\texttt{{{latex_symbol(s)}}}" if latex else shown_symbol(s) for s in key.history
    )
    where = condition_text(induction.system, key.phase, latex)
    if not where.startswith("state") and where:
        where = math(where)
    elif induction.system.language is None:
        where = key.phase.state
    else:
        where = ""
    cells = [history, where, *(math(term_text(term, latex)) for term in row.memory)]
    unknown = r"\ldots" if latex else UNKNOWN
    memory, first = induction.executor.memory, proof.network.inputs
    for place, value in enumerate(row.outputs):
        if first + place in memory:
            continue
        cells.append(math(unknown if value is None else term_text(value, latex)))
    chances = row.shares
    count = len(induction.system.outcomes)
    if chances is None:
        shown = [math(unknown)] * count
    else:
        shown = [math(share.text(latex)) for share in chances]
    return cells + (shown[1:] if proof.network.outputs == 1 else shown)


def shown_symbol(symbol: str) -> str:
    """A symbol in a cell: a blank can be seen, and what a terminal would obey is escaped."""
    return "␣" if symbol == " " else printable(symbol)


def _markdown(proof: Proof, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"**Theorem.** {proof.statement}", ""]
    lines += [_pipes(head), "|" + "---|" * len(head), *map(_pipes, rows), ""]
    lines += [*(f"* {note}" for note in proof.notes)]
    return "\n".join(lines) + "\n"


def _pipes(cells: Sequence[str]) -> str:
    # A bar inside a cell would end it.
    shown = [cell.replace("\\", "\\\\").replace("|", r"\|").replace("_", r"\_") for cell in cells]
    return "| " + " | ".join(shown) + " |"


def _latex(proof: Proof, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        r"\begin{theorem}",
        _latex_prose(proof.statement),
        r"\end{theorem}",
        "",
        r"{\renewcommand{\arraystretch}{1.5}",
        rf"\begin{{tabular}}{{ll|{'r' * (len(head) - 2)}}}",
        " & ".join(_latex_head(cell) for cell in head) + r" \\",
        r"\hline",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\end{tabular}}",
        "",
        *map(_latex_prose, proof.notes),
    ]
    return "\n".join(lines) + "\n"


def _latex_head(cell: str) -> str:
    return f"${cell[0]}({cell[2:-1]})$" if cell.startswith("P(") else cell


def _latex_prose(text: str) -> str:
    """Plain sentences, with their few characters that LaTeX reads otherwise."""
    text = re.sub(r"([\d.]+)·10\^-(\d+)", r"$\1 \\cdot 10^{-\2}$", text)
    text = re.sub(r"(?<![\d ] )\b10\^-(\d+)", r"$10^{-\1}$", text)
    text = re.sub(r"±10\^(\d+)", r"$\\pm 10^\1$", text)
    text = re.sub(r"\b([a-z])\^\(([^)]*)\)", r"$\1^{\2}$", text)
    text = re.sub(r"\b([a-z])\^(\w+)", r"$\1^{\2}$", text)
    return (
        text.replace("−", "$-$").replace("#", r"\#").replace("%", r"\%").replace("…", r"\ldots{}")
    )


@dataclass(frozen=True)
class Proof:
    network: Network
    title: str
    outcome: str
    """proved, refuted or not shown."""
    statement: str
    """The theorem, or what is the matter, in one sentence."""
    claims: tuple[Claim, ...]
    """All that was shown, the strongest first; without a theorem, what falls short of one."""
    counterexample: Counterexample | None
    checked: int
    """All prefixes up to this many symbols were run and none was wrong."""
    seconds: float
    notes: tuple[str, ...] = ()
    """What else is claimed and what is not; or what was tried."""
    induction: Induction | None = field(default=None, repr=False)
    """The relation behind the claims."""
    system: System | None = field(default=None, repr=False)
    as_it_runs: AsItRuns | None = None
    """What is shown of the network in float64, sums cut to ±10^6."""
    float_failure: FloatFailure | None = None
    """A string on which the network is wrong as it runs, if runs have met one."""
    limits: str = ""
    """Of what was shown: that it is about exact numbers, and what float64 and saturation change."""
    kept: tuple[list[str], list[list[str]]] | None = field(default=None, repr=False)
    """The table, where the proof was read from a file."""

    @property
    def proved(self) -> bool:
        return self.outcome == "proved"

    @property
    def margin(self) -> float | None:
        """Of the strongest claim; 0 where it is exact."""
        return float(self.claims[0].margin) if self.proved else None

    @property
    def only_exact(self) -> bool:
        """Whether it holds in exact numbers alone: as it runs, the network makes a mistake."""
        return self.float_failure is not None

    def to_markdown(self) -> str:
        """Theorem, table and notes."""
        return document(self, "markdown")

    def to_latex(self) -> str:
        return document(self, "latex")

    def certificate(self) -> str:
        """The proof as SMT-LIB 2, for `mdlrnn prove --check` or any solver."""
        if self.kept is not None:
            raise InputError(
                "the proof was read from a file, which has its words alone; prove the network "
                "again for a certificate."
            )
        return certificate(self)

    def to_dict(self) -> dict[str, Any]:
        found = self.counterexample
        head, rows = self.table()
        return {
            "proved": self.proved,
            "outcome": self.outcome,
            "statement": self.statement,
            "margin": self.margin,
            "claims": [{"kind": c.kind, "margin": float(c.margin)} for c in self.claims],
            "counterexample": None if found is None else found.to_dict(),
            "checked_length": self.checked,
            "as_it_runs": None if self.as_it_runs is None else self.as_it_runs.to_dict(),
            "float_failure": (None if self.float_failure is None else self.float_failure.to_dict()),
            "limits": self.limits,
            "notes": list(self.notes),
            "seconds": self.seconds,
            "table": {"head": head, "rows": rows},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], network: Network, title: str) -> Proof:
        """The proof of this network that was written down: what it says, without its relation."""
        table, failure = data["table"], data.get("float_failure")
        return cls(
            network, title, str(data["outcome"]), str(data["statement"]),
            tuple(Claim(str(c["kind"]), Fraction(str(c["margin"]))) for c in data["claims"]), None,
            int(data.get("checked_length", 0)), float(data.get("seconds", 0.0)),
            tuple(map(str, data.get("notes", ()))),
            float_failure=None if failure is None else FloatFailure(**failure),
            limits=str(data.get("limits", "")),
            kept=(
                [str(cell) for cell in table["head"]],
                [[str(cell) for cell in row] for row in table["rows"]],
            ),
        )  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The head and the rows of the proof's table; empty where nothing is proved."""
        if self.kept is not None:
            return self.kept
        return cells(self) if self.proved and self.induction is not None else ([], [])

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def __repr__(self) -> str:
        return f"Proof({self.outcome}: {self.statement})"


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


@doing("checking the proof")
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
    if not is_number(seconds):
        raise InputError(f"seconds is {short(seconds)}; give a number.")
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
