"""The one error a user can cause. Its text is one sentence: what is wrong, where, what to do.

Whatever a sentence quotes from a file, no terminal obeys it and no screen is flooded: control
characters are escaped here, and what is too long is cut in its middle.
"""

from __future__ import annotations

LONGEST_SENTENCE = 1000


class InputError(ValueError):
    """Something given to mdlrnn (a file, an argument, a bit string) cannot be used as it is."""

    def __init__(self, sentence: str) -> None:
        super().__init__(harmless(sentence))


class MissingExtra(InputError):  # noqa: N818, it is named for what is the matter
    """A command needs an optional dependency that is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f'{what} needs {package}, which is not installed; run pip install "mdlrnn[{extra}]".'
        )

    def __reduce__(self) -> tuple[object, ...]:
        return InputError, self.args


class RunError(RuntimeError):
    """A run cannot go on through no fault of what was given, as when the disk is full."""

    def __init__(self, sentence: str) -> None:
        super().__init__(harmless(sentence))


class ClusterError(RunError):
    """The machines that a run goes on with are gone. `what` says so, without an end."""

    def __init__(self, what: str, remedy: str = "start the run again, with a folder") -> None:
        super().__init__(f"{what}; {remedy}.")
        self.what = what


def harmless(sentence: str) -> str:
    text = printable(sentence)
    if len(text) <= LONGEST_SENTENCE:
        return text
    half = LONGEST_SENTENCE // 2
    return f"{text[:half]}…{text[-half:]}"


def printable(text: str) -> str:
    """The text with control characters, which a terminal would obey, as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
