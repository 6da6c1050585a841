"""What a run's folder keeps of what was proved and learned, so that it is found out once."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from ..extraction import Learned
from ..network import Network
from ..proofs import Proof
from ._files import LEARNED, THEOREM, read_object, write_learned

WRONG = (InputError, KeyError, TypeError, AttributeError, ValueError, AssertionError)
"""What a file raises that is not as a run writes it."""


def kept_proof(
    folder: Path, title: str | None = None, network: Network | None = None
) -> Proof | None:
    """What the run proved, if it is about the language with this title and about this network,
    where these are given. A run that went on has another best network than that of the theorem."""
    path = folder / THEOREM
    if not path.exists():
        return None
    data = read_object(path, "theorem")
    try:
        about = Network.from_dict(data["network"])
        # Earlier versions did not run the network in float64.
        if not data["proved"] or "float_failure" not in data:
            return None
        if title is not None and data["language"] != title:
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
