"""What a person means by a corpus on the command line: a file, a task, or a grammar."""

from __future__ import annotations

from pathlib import Path

from .._corpus import Corpus
from .._errors import InputError
from .._tasks import GRAMMAR_SUFFIXES, SEED, TASKS, Task, grammar_task, nearest, task_named

MOST_DIGITS = 18
"""Of a size behind the name of a task; what is longer is no size."""


def load_corpus(name: str, words: bool = False, size: int | None = None) -> Corpus:
    """A file, or the training set of a task (anbn, or anbn_100 for its size) or of a grammar."""
    if Path(name).exists():
        if is_grammar(name):
            return grammar_task(name).training(size, SEED)
        if size is not None:
            raise InputError(f"{name} is a file, which has its size; leave --size out.")
        return Corpus.load(name, words=words)
    stem, suffix = split_size(name)
    if stem in TASKS:
        return TASKS[stem].training(size or suffix, SEED)
    raise no_such(name)


def corpus_text(corpus: Corpus) -> str:
    """The strings as a corpus file: a count, a TAB and the string a line."""
    blank = " " if any(len(symbol) > 1 for symbol in corpus.alphabet or ()) else ""
    return "".join(f"{count}\t{blank.join(string)}\n" for string, count in corpus.strings())


def load_task(name: str) -> tuple[Task, int | None]:
    """A task and the size written behind its name, if any."""
    if is_grammar(name):
        return grammar_task(name), None
    stem, suffix = split_size(name)
    return task_named(stem), suffix


def is_grammar(name: str) -> bool:
    return name.endswith(GRAMMAR_SUFFIXES) and Path(name).exists()


def split_size(name: str) -> tuple[str, int | None]:
    stem, _, suffix = name.rpartition("_")
    sized = stem in TASKS and suffix.isdecimal() and len(suffix) <= MOST_DIGITS
    return (stem, int(suffix)) if sized else (name, None)


def no_such(name: str) -> InputError:
    return InputError(
        f"{name}: cannot be read (no such file), and no task has that name; {nearest(name)}"
    )
