"""Reading a grammar in NLTK's notation, and saying what is wrong with one that cannot be used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..errors import InputError, MissingExtra
from ..limits import NONTERMINALS, RULES, check_size
from ..network import BOUNDARY, MOST_UNITS
from ._productions import (
    Nonterminal,
    Part,
    Production,
    barren,
    chance_to_end,
    components,
    endless,
    nonterminals,
    reachable,
)

EXAMPLE = "S -> 'a' S 'b' [0.7] | 'a' 'b' [0.3]"
TOLERANCE = Fraction(1, 10**9)
"""How far from 1 the probabilities of a nonterminal may sum, so that thirds can be written."""
MOST_TERMINALS = MOST_UNITS // 2 - 1
"""A network needs an input and an output for each, and for the boundary symbol."""

QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
START = re.compile(r"%\s*start\s+\S+")
ALTERNATIVE = re.compile(r"[^\[\]]*\[[\d.]+\]\s*")


class Line(NamedTuple):
    number: int
    text: str


def read_productions(text: str, source: str) -> tuple[Nonterminal, tuple[Production, ...]]:
    """The start symbol and the productions it leads to; `source` names the text in errors.

    Probabilities are the decimals that are written, divided by their sum where that is not quite
    1. Productions of probability 0 are left out.
    """
    lines = _lines(text, source)
    start, written = _parse(lines, source)
    _check_notation(lines, source)

    def place(left: Nonterminal) -> str:
        begins = re.compile(rf"{re.escape(left.name)}\s*->")
        number = next((line.number for line in lines if begins.match(line.text)), None)
        return source if number is None else f"{source}: line {number}"

    check_size(len(written), RULES, f"{source}: the grammar", "rules")
    totals = {p.left: Fraction(0) for p in written}
    for production in written:
        totals[production.left] += production.chance
    for left, total in totals.items():
        if abs(total - 1) > TOLERANCE:
            raise InputError(
                f"{place(left)}: the probabilities of {left.name} sum to {float(total):.12g}, "
                "not 1; change them so that they do."
            )
    for production in written:
        for part in nonterminals(production.right):
            if part not in totals:
                raise InputError(
                    f"{place(production.left)}: {production.left.name} uses {part.name}, which "
                    "is never defined; add a rule for it, or quote it if it is a terminal."
                )
    if start not in totals:
        raise InputError(
            f"{source}: the start symbol {start.name} is never defined; add a rule for it."
        )
    possible = [p._replace(chance=p.chance / totals[p.left]) for p in written if p.chance]
    useless = barren(possible)
    if useless is not None:
        raise InputError(
            f"{place(useless)}: {useless.name} never yields a string, since each of its rules "
            "leads on without an end; add a rule that ends."
        )
    used = reachable(start, possible)
    _check_terminals(used, source)
    together = max(map(len, components(_offspring(used))))
    recurrent = "nonterminals that recur through each other"
    check_size(together, NONTERMINALS, f"{source}: the grammar", recurrent)
    recurring = endless(used)
    if recurring is not None:
        likely = _below_one(chance_to_end(start, used))
        raise InputError(
            f"{place(recurring)}: a string ends with probability {likely}, not 1, since "
            f"{recurring.name} leads to more than one {recurring.name} on average; make its rules "
            "that recur less probable."
        )
    return start, tuple(used)


def _offspring(productions: Iterable[Production]) -> dict[Nonterminal, set[Nonterminal]]:
    """For each nonterminal those that its rules lead to."""
    found: dict[Nonterminal, set[Nonterminal]] = {}
    for production in productions:
        found.setdefault(production.left, set()).update(nonterminals(production.right))
    return found


def _lines(text: str, source: str) -> list[Line]:
    """The lines that hold something, joined where one ends in a backslash, as NLTK joins them."""
    lines = []
    begun: Line | None = None
    for number, written in enumerate(text.split("\n"), start=1):
        line = Line(number, written.strip())
        if begun is not None:
            line = Line(begun.number, f"{begun.text} {line.text}")
        if not line.text or line.text.startswith("#"):
            continue
        begun = None
        if line.text.endswith("\\"):
            begun = Line(line.number, line.text[:-1].rstrip())
        else:
            lines.append(line)
    if begun is not None:
        raise InputError(
            f"{source}: line {begun.number} ends in a backslash, but nothing follows; remove it."
        )
    return lines


def _parse(lines: Sequence[Line], source: str) -> tuple[Nonterminal, list[Production]]:
    for line in lines:
        if line.text.startswith("%") and not START.fullmatch(line.text):
            raise InputError(
                f"{source}: line {line.number} begins with % but does not name the start symbol; "
                "write it as in %start S, or begin a comment with #."
            )
    if all(line.text.startswith("%") for line in lines):
        raise InputError(f"{source}: there are no rules; write one or more, as in {EXAMPLE}.")
    try:
        from nltk.grammar import read_grammar, standard_nonterm_parser
    except ImportError:
        raise MissingExtra("a grammar file", "nltk", "grammar") from None
    try:
        # What PCFG.fromstring calls, less its check that sums are within 0.01 of 1.
        start, found = read_grammar(
            [line.text for line in lines], standard_nonterm_parser, probabilistic=True
        )
    except ValueError as error:
        raise _not_notation(error, lines, source) from None

    def part(symbol: object) -> Part:
        return symbol if isinstance(symbol, str) else Nonterminal(str(symbol))

    return Nonterminal(str(start)), [
        Production(
            Nonterminal(str(production.lhs())),
            tuple(map(part, production.rhs())),
            # The shortest decimal that reads as this float is the one that was written.
            Fraction(repr(float(production.prob()))),
        )
        for production in found
    ]


def _not_notation(error: ValueError, lines: Sequence[Line], source: str) -> InputError:
    where = re.match(r"Unable to parse line (\d+)", str(error))
    place = f"line {lines[int(where[1]) - 1].number}" if where else "some line"
    reason = str(error.__cause__ or "").partition("\n")[0]
    because = f" ({reason[:1].lower()}{reason[1:]})" if reason else ""
    return InputError(
        f"{source}: {place} is not a rule in NLTK's notation{because}; write it as in {EXAMPLE}."
    )


def _check_notation(lines: Sequence[Line], source: str) -> None:
    """What NLTK takes without a word: no probability is 0 to it, of two it takes the last."""
    for line in lines:
        left, arrow, right = QUOTED.sub("''", line.text).partition("->")
        for place, alternative in enumerate(right.split("|"), start=1):
            if arrow and not ALTERNATIVE.fullmatch(alternative):
                raise InputError(
                    f"{source}: line {line.number}: alternative {place} of {left.strip()} does "
                    f"not end in the only probability it has; write it as in {EXAMPLE}."
                )


def _check_terminals(productions: Iterable[Production], source: str) -> None:
    terminals = {part for p in productions for part in p.right if isinstance(part, str)}
    if not terminals:
        raise InputError(
            f"{source}: the grammar yields the empty string only; add a rule with a terminal, in "
            "quotes."
        )
    if BOUNDARY in terminals:
        raise InputError(
            f"{source}: {BOUNDARY!r} is a terminal, but it is the boundary symbol, which ends "
            "each string by itself; remove it or use another symbol."
        )
    if "" in terminals:
        raise InputError(
            f"{source}: '' is a terminal; for the empty string write nothing, as in S -> [0.5]."
        )
    words = max(map(len, terminals)) > 1
    for terminal in sorted(terminals):
        if words and terminal.split() != [terminal]:
            raise InputError(
                f"{source}: the terminal {terminal!r} has a blank, but blanks part the words of a "
                "string; write _ for it."
            )
    if len(terminals) > MOST_TERMINALS:
        raise InputError(
            f"{source}: there are {len(terminals)} terminals, but a network holds at most "
            f"{MOST_TERMINALS} of them; replace the rare ones by a common one."
        )


def _below_one(number: float) -> str:
    return f"{number:.6g}" if number < 0.999999 else "just below 1"
