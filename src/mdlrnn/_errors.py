"""The one error a user can cause. Its text is one sentence: what is wrong, where, what to do."""


class InputError(ValueError):
    """Something given to mdlrnn (a file, an argument, a bit string) cannot be used as it is."""


class MissingExtra(InputError):  # noqa: N818, it is named for what is the matter
    """A command needs an optional dependency that is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f'{what} needs {package}, which is not installed; run pip install "mdlrnn[{extra}]".'
        )


class RunError(RuntimeError):
    """A run cannot go on through no fault of what was given, as when the disk is full."""
