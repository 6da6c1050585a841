"""The one module that imports CUDA: Numba's, on a card or in Numba's simulator.

Kernels for a card are made of the helpers that the CPU's kernels are made of (`on_device`). Nothing
here knows what they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from numba.core import config

from .._errors import InputError, MissingExtra
from ..kernels._compile import source_of

try:
    from numba import cuda
except Exception as error:  # whatever a package that does not fit Numba or NumPy raises
    cuda = None
    _REASON = str(error) or type(error).__name__

SIMULATED = bool(config.ENABLE_CUDASIM)
"""Whether kernels run as Python threads on the CPU, which Numba does for tests."""
KERNELS = "mdlrnn.kernels"


def require_card() -> None:
    """Raise unless there is a card that kernels can be compiled for and run on."""
    if cuda is None:
        if "No module named" in _REASON:
            raise MissingExtra("a search on a graphics card", "numba-cuda", "gpu")
        raise InputError(f"Numba cannot use CUDA here ({_REASON}); install numba-cuda anew.")
    if SIMULATED:
        return
    try:
        there = bool(cuda.is_available())
    except Exception:  # drivers fail in many ways
        there = False
    if not there:
        raise InputError(
            "no graphics card with a CUDA driver is found here; leave out the device to use the "
            "CPU, or check what nvidia-smi says."
        )


def name_of_card() -> str:
    if SIMULATED:
        return "a simulated card"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def multiprocessors() -> int:
    return 1 if SIMULATED else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)


def free_bytes() -> int:
    if SIMULATED:
        return 1 << 28
    return int(cuda.current_context().get_memory_info()[0])


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "OUT_OF_MEMORY" in str(error).upper()


def kernel(function: Callable[..., None], max_registers: int | None = None) -> Any:
    """A function that a launch runs in every thread."""
    if SIMULATED:
        return cuda.jit(function)
    return cuda.jit(max_registers=max_registers)(function)


def device(function: Callable[..., Any]) -> Any:
    """A function that kernels for a card call."""
    return function if SIMULATED else cuda.jit(device=True)(function)


def on_device(
    function: Callable[..., Any], replacements: Mapping[Callable[..., Any], Any] | None = None
) -> Any:
    """A helper of the CPU's kernels for a card, with all helpers that it calls.

    Where it calls one of `replacements`, its twin for a card is called instead.
    """
    twins = {source_of(helper): twin for helper, twin in (replacements or {}).items()}
    made: dict[Any, Any] = {}

    def convert(helper: Callable[..., Any]) -> Any:
        source = source_of(helper)
        if source not in made:
            scope = dict(source.__globals__)
            copy = FunctionType(
                source.__code__, scope, source.__name__, source.__defaults__, source.__closure__
            )
            made[source] = device(copy)  # compiled when it is called, after its scope is filled
            for name in source.__code__.co_names:
                called = scope.get(name)
                if _hashable(called) and source_of(called) in twins:
                    scope[name] = twins[source_of(called)]
                elif _is_helper(called):
                    scope[name] = convert(called)
        return made[source]

    return convert(function)


def _hashable(value: Any) -> bool:
    return callable(value) and getattr(value, "__hash__", None) is not None


def _is_helper(value: Any) -> bool:
    """Whether it is a function of the kernels, compiled or not; generated ones have no module."""
    source = source_of(value)
    if not isinstance(source, FunctionType):
        return False
    return str(source.__globals__.get("__name__", KERNELS)).startswith(KERNELS)
