"""The vectors of the authors' code, the paper's corpora, and what an error must look like."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mdlrnn import Corpus, Encoding, Network, zoo
from mdlrnn.machines._transducer import addition
from mdlrnn.proofs import Proof

DATA = Path(__file__).parent.parent / "data"
ROOT = DATA.parent.parent
"""Of the repository."""
VECTOR_NAMES = sorted(path.stem for path in (DATA / "vectors").glob("*.json"))


@dataclass(frozen=True)
class Vectors:
    """Networks with what the authors' code gives for them on one corpus."""

    corpus: Corpus
    encoding: Encoding
    sequences: list[Any]
    """Strings, or for addition the input rows, that the rows' probabilities belong to."""
    networks: list[Network]
    rows: list[dict[str, Any]]


@cache
def vectors(name: str) -> Vectors:
    data = json.loads((DATA / "vectors" / f"{name}.json").read_text())
    return Vectors(
        corpus=corpus(data["corpus"]),
        encoding=Encoding(data["encoding"], tuple(data["allowed_activations"])),
        sequences=[
            item if isinstance(item, str) else item["inputs"]
            for item in data["probability_sequences"]
        ],
        networks=[Network.from_dict(row["network"]) for row in data["networks"]],
        rows=data["networks"],
    )


def corpus_path(name: str) -> Path:
    """The paper's own training sets."""
    return DATA / "corpora" / f"{name}.txt"


@cache
def corpus(name: str) -> Corpus:
    return addition().training(100) if name == "addition_100" else Corpus.load(corpus_path(name))


def stack_network(name: str) -> Network:
    """A network that was found, with a stack."""
    return Network.load(DATA / "stacks" / f"{name}.json")


def is_one_sentence(text: str) -> bool:
    """What every error must be: one line that ends in a full stop and says what to do."""
    return text.endswith((".", "?")) and "\n" not in text and "; " in text and ". " not in text


def a_theorem(
    statement: str,
    head: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
    note: str = "",
    network: Network | None = None,
) -> Proof:
    """A proof that was written by hand."""
    kept = (list(head), [list(row) for row in rows])
    notes = (note,) if note else ()
    about = zoo.anbn() if network is None else network
    return Proof(about, "", "proved", statement, (), None, 0, 0.0, notes, kept=kept)
