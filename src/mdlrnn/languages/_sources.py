"""Everything that strings can come from, resolved in one place.

A task's name, a notation, the file of a language, a grammar or a corpus, a language, a corpus, or
plain strings serve wherever one of them makes sense. What is known of a source differs, and the
`Source` says so: a file of strings has no true distribution, some grammars no machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..machines import SUFFIXES, Machine, Transducer, load_machine
from ..network import Encoding, has_words
from ._grammar import Grammar, load_grammar
from ._notation import language_from_notation, looks_like_notation, notation_problem
from ._tasks import EVERY_TASK, SEED, TASKS, Task, nearest, split_size, task_for


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
    notation: str | None = None

    @property
    def training_size(self) -> int:
        """The size asked for, or the task's own."""
        assert self.task is not None
        return self.task.checked_size(self.size)

    def corpus(self, seed: int = SEED) -> Corpus:
        """The strings to search with."""
        if self.given is not None:
            return self.given
        assert self.task is not None
        return self.task.training(self.size, seed)

    def encoding(self) -> Encoding:
        """The space of networks to search, where nobody says."""
        if self.task is None or TASKS.get(self.task.name) is not self.task:
            return Encoding.every_part()
        return self.task.encoding()

    @property
    def machine(self) -> Machine | Transducer | None:
        """What a proof is about, if it can be."""
        language = None if self.task is None else self.task.language
        return None if isinstance(language, Grammar) else language

    def about(self) -> dict[str, Any]:
        """What a run's settings say of it."""
        data: dict[str, Any] = {"name": self.name, "words": self.words}
        if self.size is not None:
            data["size"] = self.size
        if self.path is not None:
            data["path"] = str(self.path.resolve())
        elif self.notation is not None:
            data["notation"] = self.notation
        elif self.task is not None and EVERY_TASK.get(self.task.name) is self.task:
            name = self.task.name
            data["task"] = name if self.size is None else f"{name}_{self.size}"
        return data


def source_from(given: object, *, size: int | None = None, words: bool = False) -> Source:
    """What a user means by a source: a task's name, a path, a language, a corpus or strings."""
    if isinstance(given, Source):
        return given
    if isinstance(given, Corpus):
        return Source("corpus", given=_sized(given, size), words=has_words(given.alphabet))
    if isinstance(given, Task):
        return Source(given.name, given, size)
    if isinstance(given, Machine | Grammar | Transducer):
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


def source_of(about: Mapping[str, Any]) -> Source | None:
    """The source that a run's settings speak of, if it is a language and still there."""
    for name in ("task", "notation", "path"):
        given = about.get(name)
        if not isinstance(given, str) or (name == "path" and not is_language_file(given)):
            continue
        try:
            return source_from(given, size=about.get("size") if name != "task" else None)
        except InputError:
            continue  # a task of another version, or a file that has changed
    return None


def task_from(given: object, what: str = "a language") -> Task:
    """The task or language that is meant; strings of an unknown language are none."""
    source = source_from(given)
    if source.task is None:
        raise InputError(
            f"{source.name} holds strings, not {what}; name one that mdlrnn language lists, or "
            "give a notation, a language file or a grammar."
        )
    return source.task


def machine_from(given: object) -> Machine | Transducer:
    """The machine that a proof is about."""
    source = source_from(given)
    if source.machine is None:
        if source.task is not None and isinstance(source.task.language, Grammar):
            source.task.language.machine()  # which says why there is none
        raise InputError(
            f"{source.name} holds strings, and a proof needs a language; name one that mdlrnn "
            'language lists, or give a notation such as "a^n b^n", a language file or a grammar.'
        )
    return source.machine


GRAMMAR_SUFFIXES = (".pcfg", ".cfg", ".grammar")


def is_language_file(name: str | os.PathLike[str]) -> bool:
    """Whether a file says what a language is, and does not hold its strings."""
    return os.fspath(name).endswith((*GRAMMAR_SUFFIXES, *SUFFIXES)) and Path(name).exists()


def _language_of(path: Path) -> Machine | Grammar | Transducer:
    is_machine = path.name.endswith(SUFFIXES)
    return load_machine(path) if is_machine else load_grammar(path)


def _named(given: str | os.PathLike[str], size: int | None, words: bool) -> Source:
    name, path = os.fspath(given), Path(given)
    if not name.strip():
        raise InputError(
            "the name of a task, file or language is empty; mdlrnn language lists the tasks."
        )
    # A run of a task may well be in a folder of its name.
    is_task = isinstance(given, str) and split_size(name)[0] in EVERY_TASK
    if exists(path) and not (is_task and path.is_dir()):
        if is_language_file(path):
            return Source(path.stem, task_for(_language_of(path)), size, path=path)
        return Source(
            path.stem, given=_sized(Corpus.load(path, words=words), size, name), path=path,
            words=words,
        )  # fmt: skip
    if not isinstance(given, str):
        raise InputError(f"{short(name)[1:-1]}: cannot be read (no such file); check the path.")
    stem, suffix = split_size(name)
    if stem in EVERY_TASK:
        if size is not None and suffix is not None and size != suffix:
            raise InputError(f"{name} names a size and --size another; leave one of them out.")
        return Source(name, EVERY_TASK[stem], suffix if size is None else size)
    if looks_like_notation(name):
        language = language_from_notation(name)
        return Source(language.name, task_for(language), size, notation=name)
    problem = notation_problem(name)
    if problem is not None:
        raise InputError(
            f"{short(name)[1:-1]}: cannot be read (no such file), no task has that name, and as a "
            f"notation it is wrong: {problem}"
        )
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


def _task(language: Machine | Grammar | Transducer) -> Task:
    for task in EVERY_TASK.values():
        if task.language == language:
            return task
    return task_for(language)
