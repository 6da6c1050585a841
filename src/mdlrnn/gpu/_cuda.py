"""The one module that imports CUDA: Numba's, on a card or in Numba's simulator.

Kernels for a card are made of the helpers that the CPU's kernels are made of (`on_device`). Nothing
here knows what they compute.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import config

from .._errors import InputError, MissingExtra
from ..kernels._compile import CACHE_FOLDER, source_of

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


def new_stream() -> Any:
    """A queue of launches that do not wait for those of other queues."""
    return 0 if SIMULATED else cuda.stream()


def synchronize() -> None:
    """Wait until the card has nothing to do."""
    cuda.synchronize()


def repeated(launch: Callable[[], None], stream: Any) -> Callable[[], None]:
    """Launches that can be made again as a whole, which takes the host a tenth of the time.

    All that is launched must be compiled. Where the driver's graphs cannot be used, each call
    launches kernel by kernel.
    """
    if SIMULATED:
        return launch
    try:
        from cuda.bindings import driver
    except ImportError:
        return launch
    handle = int(stream.handle)

    def check(result: Any) -> Any:
        if int(result[0]):
            raise RuntimeError(f"CUDA: {result[0]}")
        return result[1] if len(result) > 1 else None

    try:
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        check(driver.cuStreamBeginCapture(handle, mode))
        launch()
        graph = check(driver.cuStreamEndCapture(handle))
        whole = check(driver.cuGraphInstantiate(graph, 0))
    except (RuntimeError, AttributeError, TypeError):
        return launch

    def again() -> None:
        check(driver.cuGraphLaunch(whole, handle))

    return again


def kernel(function: Callable[..., None], max_registers: int | None = None) -> Any:
    """A function that a launch runs in every thread, kept on disk once it is compiled."""
    if SIMULATED:
        return cuda.jit(function)
    folder = _cache_folder()
    with _caching_in(folder):
        return cuda.jit(max_registers=max_registers, cache=folder is not None)(function)


def _cache_folder() -> Path | None:
    """A folder for these sources and this version of Numba's CUDA."""
    if CACHE_FOLDER is None:
        return None
    digest = hashlib.sha256(str(getattr(cuda, "__version__", "")).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return CACHE_FOLDER / f"card-{digest.hexdigest()[:16]}"


@contextmanager
def _caching_in(folder: Path | None) -> Iterator[None]:
    """Numba reads the folder from its configuration while it decorates; numba-cuda has its own."""
    configurations = [config]
    with suppress(ImportError):
        from numba.cuda.core import config as own

        configurations.append(own)
    before = [each.CACHE_DIR for each in configurations]
    for each in configurations:
        each.CACHE_DIR = str(folder or "")
    try:
        yield
    finally:
        for each, value in zip(configurations, before, strict=True):
            each.CACHE_DIR = value


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
