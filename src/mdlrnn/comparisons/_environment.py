"""Where and with what figures were made, so that a table can say so."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .._version import __version__

PACKAGES = {"numpy": "NumPy", "numba": "Numba", "torch": "PyTorch", "z3-solver": "Z3"}


def versions() -> str:
    """'mdlrnn 0.1.0, Python 3.11.7, NumPy 2.3.1', of what is installed."""
    found = [f"mdlrnn {__version__}", f"Python {platform.python_version()}"]
    for package, title in PACKAGES.items():
        try:
            found.append(f"{title} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def machine() -> str:
    """The processor, its cores and the system."""
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} core{'s' if cores > 1 else ''}, {platform.system()}"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine()
