"""What earlier versions spelled otherwise: each old spelling with the one to write now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
Kind = TypeVar("Kind", bound=type)

WORKERS = {
    "threads": "workers=4", "executor": "workers=EXECUTOR", "cluster": 'workers="tcp://HOST:8786"',
    "device": 'workers="cuda"', "processes": "workers=4",
}  # fmt: skip
KEYWORDS: dict[str, Mapping[str, str]] = {
    "evolve": WORKERS | {"folder": "out=DIR", "until": "stop=Stop(proved=True)"},
    "resume": WORKERS | {"folder": "out=DIR", "until": "stop=Stop(proved=True)"},
    "score_many": WORKERS,
    "train": WORKERS,
    "atlas": WORKERS,
    "bliss": WORKERS,
    "MDLRNN": WORKERS | {"search__seed": "random_state=1"},
    "Search": {"seed": "evolve(..., seed=1)"},
}
"""Keywords of functions and classes."""
NAMES = {
    "evolve_seeds": "evolve(..., seeds=4)", "describe": "language", "Proof": "results.Proof",
    "Progress": "results.Progress", "Report": "results.Report",
}  # fmt: skip
"""Names of the package."""
COMMANDS = {
    "check": "prove --check CERTIFICATE",
    "encode": "bits NET_OR_RUN",
    "decode": "bits --decode BITS",
    "tasks": "language --list",
    "watch": "runs --watch RUN",
    "baseline": "lab rnns",
    "reproduce": "lab table, lab probe or lab regularisers",
    "bliss": "lab bliss",
    "atlas": "lab atlas",
    "bench": "lab bench",
}
OPTIONS = {
    "--threads": "--workers N",
    "--cluster": "--workers WHERE",
    "--device": "--workers cuda",
    "--mpi": "--workers mpi",
    "--processes": "--workers N",
    "--seconds": "--time TIME",
    "--unrestricted": "--set unrestricted=yes",
    "--restricted": "--set unrestricted=no",
    **{
        f"--{name.replace('_', '-')}": f"--set {name}=VALUE"
        for name in (
            "islands", "population", "tournament", "further_mutation_rate", "redraw_weight_rate",
            "compound_mutation_rate", "crossover_rate", "stack_rate", "migration_size",
            "migration_interval", "migration_seconds", "max_units", "max_connections",
        )
    },
    **{
        f"--{no}{name}": f"--set {name}={value}"
        for name in ("saturation", "distinct", "elitist", "crowding", "restarts")
        for no, value in (("", "yes"), ("no-", "no"))
    },
}  # fmt: skip
"""Options; a command answers with those that it has."""


def sentence(old: str, new: str) -> InputError:
    return InputError(f"{old} is an old spelling; write {new} instead.")


def missing(package: str, name: str) -> str:
    """What to say of a name that a package does not have, or has no more."""
    if package == __package__ and name in NAMES:
        return f"{name} is an old spelling; write {NAMES[name]} instead."
    return f"module {package!r} has no attribute {name!r}"


def knows_old(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function answer the keywords that it had before."""

    def add(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*given: P.args, **named: P.kwargs) -> R:
            for old in named:
                if old in KEYWORDS[name]:
                    raise sentence(f"{old}= of {name}", KEYWORDS[name][old])
            return function(*given, **named)

        return checked

    return add


def knows_old_fields(kind: Kind) -> Kind:
    """The same for what a class is made with."""
    made: Any = kind
    made.__init__ = knows_old(kind.__name__)(made.__init__)
    return kind
