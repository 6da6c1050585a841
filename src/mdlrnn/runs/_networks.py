"""A network from wherever one can be: a value, a file, a run or a run's folder; and the corpus and
the encoding of a run."""

from __future__ import annotations

import os
from pathlib import Path

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..extraction import Learned
from ..files import is_standard_input, open_bytes, path_of
from ..machines import AnyMachine
from ..network import Encoding, Network
from ..proofs import Proof
from ._files import (
    BEST,
    CORPUS,
    LEARNED,
    SETTINGS,
    THEOREM,
    check_holds_run,
    read_object,
    read_sealed,
    unseal,
    write_learned,
)
from ._settings import read_settings, status_of

"""What a function that needs a network takes; a `Run` serves too."""


def network_from(source: object) -> Network:
    """The network itself, that of a file, or the best network of a run."""
    if isinstance(source, Network):
        return source
    best = getattr(source, "best", None)
    if isinstance(best, Network):
        return best
    if isinstance(source, str | os.PathLike):
        return load_network(path_of(source))
    raise InputError(
        f"{short(source)} is no network; give a Network, a Run, or the path of a network's file "
        "or a run's folder."
    )


def is_network(source: object) -> bool:
    """Whether a network is meant, and no strings: a file of strings is no JSON."""
    if not isinstance(source, str | os.PathLike):
        return isinstance(source, Network) or hasattr(source, "best")
    path = path_of(source)
    is_file = path.is_file() or is_standard_input(source)
    if not is_file or path.suffix == ".json":
        return True
    with open_bytes(source) as file:
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
    if not isinstance(source, str | os.PathLike) or not (path_of(source) / SETTINGS).exists():
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


WRONG = (InputError, KeyError, TypeError, AttributeError, ValueError, AssertionError)
"""What a file raises that is not as a run writes it."""


def kept_proof(
    folder: Path, machine: AnyMachine | None = None, network: Network | None = None
) -> Proof | None:
    """What the run found out, proof or refutation, if it is about this language and this network,
    where these are given. A run that went on has another best network than that of the theorem."""
    path = folder / THEOREM
    if not path.exists():
        return None
    data = read_object(path, "theorem")
    try:
        about = Network.from_dict(data["network"])
        # Earlier versions did not run the network in float64.
        if data.get("outcome") == "not shown" or "float_failure" not in data:
            return None
        if machine is not None and data["language"] != machine.title:
            return None
        # Nor did they write the machine down; two files may give one title to two languages.
        if machine is not None and data.get("machine", machine.to_text()) != machine.to_text():
            return None
        if network is not None and data["network"] != network.to_dict():
            return None
        return Proof.from_dict(data, about, str(data["language"]))
    except WRONG:
        return None


def keep_learned(folder: Path, learned: Learned) -> None:
    write_learned(folder, {**learned.to_dict(), "network": learned.network.to_dict()})


def kept_learned(folder: Path, network: Network) -> Learned | None:
    """None if the file is not there, is of another network, or is not as a run writes it."""
    path = folder / LEARNED
    if not path.exists():
        return None
    try:
        data = read_object(path, "what was learned")
        if data["network"] != network.to_dict():
            return None
        return Learned.from_dict(data, network)
    except WRONG:
        return None
