"""PyTorch, where it is installed, and the device that trains."""

from __future__ import annotations

from importlib.util import find_spec

from .._errors import InputError, MissingExtra

DEVICES = ("cpu", "cuda")


def require_torch() -> None:
    if find_spec("torch") is None:
        raise MissingExtra("training classical RNNs", "PyTorch", "baseline")


def check_device(device: str, where: str = " on this machine") -> None:
    require_torch()
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise InputError(
            f"PyTorch sees no CUDA device{where}; leave --device out to train on the CPU."
        )
