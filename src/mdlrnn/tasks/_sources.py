"""Everything that strings can come from, resolved in one place.

A task's name, a grammar's or a corpus' file, a language, a corpus, or plain strings serve wherever
one of them makes sense. What is known of a source differs, and the `Source` says so: a file of
strings has no true distribution, a grammar no machine to prove against.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._checks import short
from .._errors import InputError
from ..corpus._corpus import Corpus
from ..languages import Grammar, Language, Transducer
from ..network._alphabet import has_words
from ..network._encoding import Encoding
from ._tasks import (
    GRAMMAR_SUFFIXES,
    SEED,
    TASKS,
    Task,
    grammar_task,
    nearest,
    split_size,
    task_for,
)


@dataclass(frozen=True)
class Source:
    """What strings come from, and what is known of it."""

    name: str
    """For people, and for the folder of a run."""
    task: Task | None = None
    """A language with training and test sets; None for strings of an unknown language."""
    size: int | None = None
    """The training size that was asked for."""
    given: Corpus | None = None
    """The strings themselves, where they are given and not drawn."""
    path: Path | None = None
    words: bool = False

    def corpus(self, seed: int = SEED) -> Corpus:
        """The strings to search with."""
        if self.given is not None:
            return self.given
        assert self.task is not None
        return self.task.training(self.size, seed)

    def encoding(self) -> Encoding:
        """The space of networks to search, where nobody says."""
        return Encoding() if self.task is None else self.task.encoding()

    @property
    def machine(self) -> Language | Transducer | None:
        """What a proof is about, if it can be."""
        language = None if self.task is None else self.task.language
        return None if isinstance(language, Grammar) else language

    def about(self) -> dict[str, Any]:
        """What a run's settings say of it."""
        data: dict[str, Any] = {"name": self.name, "words": self.words}
        if self.path is not None:
            data["path"] = str(self.path.resolve())
        elif self.task is not None and TASKS.get(self.task.name) is self.task:
            data["task"] = self.name if self.size is None else f"{self.task.name}_{self.size}"
        return data


def source_from(given: object, *, size: int | None = None, words: bool = False) -> Source:
    """What a user means by a source: a task's name, a path, a language, a corpus or strings."""
    if isinstance(given, Source):
        return given
    if isinstance(given, Corpus):
        return Source("corpus", given=_sized(given, size), words=has_words(given.alphabet))
    if isinstance(given, Task):
        return Source(given.name, given, size)
    if isinstance(given, Language | Grammar | Transducer):
        return Source(given.name, _task(given), size)
    if isinstance(given, str | os.PathLike):
        return _named(given, size, words)
    if isinstance(given, Iterable) and not isinstance(given, bytes | dict):
        corpus = Corpus.from_strings(given, words=words)
        return Source("strings", given=_sized(corpus, size), words=words)
    raise InputError(
        f"{short(given)} is nothing that strings come from; give a task's name, a file, a "
        "language, a Corpus or a list of strings."
    )


def task_from(given: object, what: str = "a language") -> Task:
    """The task or language that is meant; strings of an unknown language are none."""
    source = source_from(given)
    if source.task is None:
        raise InputError(
            f"{source.name} holds strings, not {what}; name one of mdlrnn tasks or give a grammar."
        )
    return source.task


def machine_from(given: object) -> Language | Transducer:
    """The machine that a proof is about."""
    source = source_from(given)
    if source.machine is None:
        what = "holds strings" if source.task is None else "is a grammar"
        raise InputError(
            f"{source.name} {what}, and a proof needs a machine over counters; "
            "name one of mdlrnn tasks."
        )
    return source.machine


def is_grammar(name: str | os.PathLike[str]) -> bool:
    return os.fspath(name).endswith(GRAMMAR_SUFFIXES) and Path(name).exists()


def _named(given: str | os.PathLike[str], size: int | None, words: bool) -> Source:
    name, path = os.fspath(given), Path(given)
    if exists(path):
        if is_grammar(path):
            return Source(path.stem, grammar_task(path), size, path=path)
        return Source(
            path.stem, given=_sized(Corpus.load(path, words=words), size, name), path=path,
            words=words,
        )  # fmt: skip
    if not isinstance(given, str):
        raise InputError(f"{short(name)[1:-1]}: cannot be read (no such file); check the path.")
    stem, suffix = split_size(name)
    if stem in TASKS:
        if size is not None and suffix is not None and size != suffix:
            raise InputError(f"{name} names a size and --size another; leave one of them out.")
        return Source(name, TASKS[stem], suffix if size is None else size)
    raise InputError(
        f"{short(name)[1:-1]}: cannot be read (no such file), and no task has that name; "
        f"{nearest(name)}"
    )


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _sized(corpus: Corpus, size: int | None, name: str = "the source") -> Corpus:
    if size is not None:
        raise InputError(f"{name} has its strings, so its size is known; leave the size out.")
    return corpus


def _task(language: Language | Grammar | Transducer) -> Task:
    for task in TASKS.values():
        if task.language == language:
            return task
    if isinstance(language, Transducer):
        raise InputError(f"{language.title} is no task of mdlrnn; give a corpus of its sequences.")
    return task_for(language)
