"""Results as a benchmark writes them, from networks that are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mdlrnn import Connection, Network, Unit, Weight

HOSTILE = '<img src="http://example.org/x" onerror="alert(1)">&\u202e'


def result(network: Network, language: str, **fields: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "language": language, "setting": "default", "seed": 1, "g": 100, "mdl": 1500.5,
        "scheme": "paper", "found_seconds": 3.0, "found_generation": 30, "seconds": 5.0,
        "excess": 0.01, "proved": True, "proved_best": True, "network": network.to_dict(),
    }  # fmt: skip
    return usual | fields


def write(folder: Path, name: str, data: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(data), encoding="utf-8")


def hostile_network() -> Network:
    """One that is written to break pages: in its name and in its symbols."""
    alphabet = ("#", '"><script>alert(2)</script>', "'\u2028\\")
    units = (*(Unit() for _ in range(3)), *(Unit(bias=Weight(1, 3)) for _ in range(3)))
    return Network(3, 3, units, (Connection(0, 3, "forward", Weight(1)),), alphabet, HOSTILE)
