"""A network from wherever one can be: a value, a file, a run or a run's folder; and the corpus and
the encoding of a run."""

from __future__ import annotations

import os
from pathlib import Path

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..files import PathLike
from ..network import Encoding, Network
from ._files import BEST, CORPUS, SETTINGS, check_holds_run
from ._sealed import read_sealed, unseal
from ._settings import read_settings
from ._status import status_of

NetworkSource = Network | PathLike
"""What a function that needs a network takes; a `Run` serves too."""


def network_from(source: object) -> Network:
    """The network itself, that of a file, or the best network of a run."""
    if isinstance(source, Network):
        return source
    best = getattr(source, "best", None)
    if isinstance(best, Network):
        return best
    if isinstance(source, str | os.PathLike):
        return load_network(Path(source))
    raise InputError(
        f"{short(source)} is no network; give a Network, a Run, or the path of a network's file "
        "or a run's folder."
    )


def is_network(source: object) -> bool:
    """Whether a network is meant, and no strings: a file of strings is no JSON."""
    if not isinstance(source, str | os.PathLike):
        return isinstance(source, Network) or hasattr(source, "best")
    path = Path(source)
    if not path.is_file() or path.suffix == ".json":
        return True
    with path.open("rb") as file:
        return file.read(64).lstrip().startswith(b"{")


def load_network(path: Path) -> Network:
    """The network in a file, or the best one of the run in a folder."""
    if not path.is_dir():
        return Network.load(path)
    check_holds_run(path)
    if not (path / BEST).exists():
        running = status_of(path).status == "running"
        remedy = "wait a little" if running else "let mdlrnn evolve --resume go on with it"
        raise InputError(f"{path}: the run has saved no network yet; {remedy}.")
    return Network.load(path / BEST)


def encoding_of(source: object) -> Encoding | None:
    """How a run writes its networks, if the source is a run or a run's folder."""
    own = getattr(source, "encoding", None)
    if isinstance(own, Encoding):
        return own
    if not isinstance(source, str | os.PathLike) or not (Path(source) / SETTINGS).exists():
        return None
    return read_settings(Path(source)).encoding


def training_of(source: object) -> Corpus | None:
    """The corpus that a run was about, if the source is a run or a run's folder that keeps it."""
    folder = getattr(source, "out", source)
    if not isinstance(folder, str | os.PathLike):
        return None
    path = Path(folder) / CORPUS
    return read_corpus(path) if path.exists() else None


def read_corpus(path: Path) -> Corpus:
    """The corpus that a run keeps."""
    if not path.exists():
        raise InputError(f"{path} is missing; give the corpus file together with --resume.")
    try:
        return Corpus.from_arrays(unseal(read_sealed(path)))
    except InputError as error:
        raise InputError(
            f"{path}: {str(error).rstrip('.')}; delete it and give the corpus file together "
            "with --resume."
        ) from None
