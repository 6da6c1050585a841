"""What `prove` gives back: a theorem, a counterexample, or what was tried; and it as a document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..errors import InputError, printable
from ..network import Network
from ._certificate import certificate
from ._claims import Claim
from ._obligations import Induction
from ._statement import UNKNOWN, Row, condition_text, latex_symbol, table, term_text
from ._system import System
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
            tuple(Claim(str(c["kind"]), Fraction(c["margin"])) for c in data["claims"]), None,
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

    def __repr__(self) -> str:
        return f"Proof({self.outcome}: {self.statement})"
