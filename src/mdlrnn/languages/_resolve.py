"""What a user means by a language, decided in one place.

The name of a task, a notation, a file of rules or of strings, a machine, a corpus or a list of
strings serve wherever one of them makes sense.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..expressions import Expression
from ..machines import SUFFIXES, AnyMachine, Machine, Transducer, load_machine
from ..network import has_words
from ._grammar import Grammar, load_grammar
from ._known import known_by_name
from ._language import Language, Rules, machine_of
from ._notation import looks_like_notation, notation_problem, rules_from_notation
from ._tasks import EVERY_TASK, language_of, nearest, split_size


def language_from(given: object, *, size: int | None = None, words: bool = False) -> Language:
    """The language that a user means by a name, a notation, a file, a machine, strings ..."""
    if isinstance(given, Language):
        if size is not None and given.given is not None:
            raise InputError(f"{given.name} {HAS_SIZE}")
        return given if size is None else replace(given, asked=size)
    if isinstance(given, Corpus):
        return _of_strings(given, "corpus", size, has_words(given.alphabet))
    if isinstance(given, Machine | Grammar | Expression | Transducer):
        return replace(_known(given), asked=size)
    if isinstance(given, str | os.PathLike):
        return _named(given, size, words)
    if isinstance(given, Iterable) and not isinstance(given, bytes | dict):
        return _of_strings(Corpus.from_strings(given, words=words), "strings", size, words)
    raise InputError(
        f"{short(given)} is nothing that strings come from; give a task's name, a file, a "
        "language, a Corpus or a list of strings."
    )


def language_of_run(about: Mapping[str, Any]) -> Language | None:
    """The language that a run's settings speak of, if its rules are known and still there."""
    for name in ("task", "notation", "path"):
        given = about.get(name)
        if not isinstance(given, str) or (name == "path" and not is_language_file(given)):
            continue
        try:
            return language_from(given, size=about.get("size") if name != "task" else None)
        except InputError:
            continue  # a task of another version, or a file that has changed
    return None


def language_with_rules(given: object) -> Language:
    """The language that is meant; plain strings are refused."""
    found = language_from(given)
    found.check_rules()
    return found


def machine_from(given: object) -> AnyMachine:
    """The machine that a proof is about."""
    found = language_from(given)
    if found.machine is None:
        if isinstance(found.rules, Grammar | Expression):
            machine_of(found.rules)  # which says why there is none
        raise InputError(
            f"{found.name} holds strings, and a proof needs a language; name one that mdlrnn "
            'language lists, or give a notation such as "a^n b^n", a language file or a grammar.'
        )
    return found.machine


HAS_SIZE = "has its strings, so its size is known; leave the size out."
GRAMMAR_SUFFIXES = (".pcfg", ".cfg", ".grammar")


def is_language_file(name: str | os.PathLike[str]) -> bool:
    """Whether a file says what a language is, and does not hold its strings."""
    return os.fspath(name).endswith((*GRAMMAR_SUFFIXES, *SUFFIXES)) and Path(name).exists()


def _rules_in(path: Path) -> Rules:
    is_machine = path.name.endswith(SUFFIXES)
    return load_machine(path) if is_machine else load_grammar(path)


def _named(given: str | os.PathLike[str], size: int | None, words: bool) -> Language:
    name, path = os.fspath(given), Path(given)
    if not name.strip():
        raise InputError(
            "the name of a task, file or language is empty; mdlrnn language lists the tasks."
        )
    # A run of a task may well be in a folder of its name.
    is_task = isinstance(given, str) and split_size(name)[0] in EVERY_TASK
    if exists(path) and not (is_task and path.is_dir()):
        if is_language_file(path):
            return replace(language_of(_rules_in(path), path=path, asked=size), name=path.stem)
        return _of_strings(Corpus.load(path, words=words), path.stem, size, words, name, path=path)
    if not isinstance(given, str):
        raise InputError(f"{short(name)[1:-1]}: cannot be read (no such file); check the path.")
    stem, suffix = split_size(name)
    if stem in EVERY_TASK:
        if size is not None and suffix is not None and size != suffix:
            raise InputError(f"{name} names a size and --size another; leave one of them out.")
        return replace(EVERY_TASK[stem], name=name, asked=suffix if size is None else size)
    known = known_by_name(name)
    if known is not None:
        return language_of(known, asked=size, notation=name)
    if looks_like_notation(name):
        return language_of(rules_from_notation(name), asked=size, notation=name)
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


def _of_strings(
    corpus: Corpus, name: str, size: int | None, words: bool, what: str = "the source", **more: Any
) -> Language:
    if size is not None:
        raise InputError(f"{what} {HAS_SIZE}")
    return Language(name, name, given=corpus, words=words, **more)


def _known(rules: Rules) -> Language:
    """A task, if these are its rules."""
    for task in EVERY_TASK.values():
        if task.rules == rules:
            return task
    return language_of(rules)
