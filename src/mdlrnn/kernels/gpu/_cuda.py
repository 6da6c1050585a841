"""The one module that imports CUDA: Numba's, on a card or in Numba's simulator.

`_feeding` and `breeding` say what the card's threads do, made of `_threads`; `_scoring` holds what
they read, and has `score_many`.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import types
from numba.core import config

from ...errors import InputError, MissingExtra
from .._compile import CACHE_FOLDER, source_of

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The variable that says which cards a process may use; it uses the first of them."""


try:
    from numba import cuda as cuda
    from numba.cuda import libdevice as libdevice
    from numba.cuda.extending import intrinsic as intrinsic
except Exception as error:  # whatever a package that does not fit Numba or NumPy raises
    cuda = None
    _REASON = str(error) or type(error).__name__

for _name in ("numba.core.config", "numba.cuda.core.config"):  # numba-cuda has its own
    if _name in sys.modules:
        # Few islands do not fill a card, and nobody needs to be warned of it.
        sys.modules[_name].__dict__["CUDA_LOW_OCCUPANCY_WARNINGS"] = 0

SIMULATED = bool(config.ENABLE_CUDASIM)
"""Whether kernels run as Python threads on the CPU, which Numba does for tests."""
KERNELS = "mdlrnn.kernels"
WARP = 1 if SIMULATED else 32
"""Threads that run side by side."""
APART = {
    "add_connection", "place_of", "clear_unit", "append_unit", "fresh_weight",
    "uniform", "geometric", "insert", "delete", "remove_connection", "copy_formula",
    "reduce_fraction", "below", "step_from", "respond", "log2",
}  # fmt: skip
"""Helpers that many others call, and that are not copied into each of them."""


def require_card() -> None:
    """Raise unless there is a card that kernels can be compiled for and run on."""
    if SIMULATED:
        return
    if find_spec("numba_cuda") is None:
        raise MissingExtra("the device cuda", "numba-cuda", "gpu")
    if cuda is None:
        raise InputError(
            f"Numba cannot use CUDA here ({_REASON}); install versions of numba, numba-cuda and "
            "numpy that fit each other."
        )
    try:
        there = bool(cuda.is_available())
    except Exception:  # drivers fail in many ways
        there = False
    if not there:
        raise InputError(
            "no graphics card with a CUDA driver is found here; leave out cuda to use the "
            "CPU, or check what nvidia-smi says."
        )


def cards() -> list[str]:
    """The cards that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    visible = [name.strip() for name in os.environ.get(VISIBLE, "").split(",") if name.strip()]
    if SIMULATED:
        return visible or ["0"]
    count = len(cuda.gpus)
    return visible[:count] or [str(number) for number in range(count)]


def card_of_process() -> str:
    """On which card of which machine this process works; equal where two share one."""
    require_card()
    if SIMULATED:
        return f"{socket.gethostname()} {os.getpid()}"
    return f"{socket.gethostname()} {getattr(cuda.gpus[0], 'uuid', cards()[0])}"


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


class Kernel:
    """A function that a launch runs in every thread: `kernel[blocks, threads, stream](...)`."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def __getitem__(self, launch: tuple[Any, ...]) -> Callable[..., None]:
        configured = self._compiled[launch]

        def call(*arguments: Any) -> None:
            with _short_code():  # it may be compiled now
                configured(*arguments)

        return call


def kernel(
    function: Callable[..., None], max_registers: int | None = None, kept: bool = True
) -> Any:
    """A kernel, kept on disk once it is compiled."""
    if SIMULATED:
        return cuda.jit(function)
    folder = _cache_folder() if kept else None
    if max_registers is not None:
        # The cache on disk knows a kernel by its name.
        function = renamed(function, f"{function.__name__}_{max_registers}")
    with _caching_in(folder):
        return Kernel(cuda.jit(max_registers=max_registers, cache=folder is not None)(function))


def renamed(function: Any, name: str, scope: dict[str, Any] | None = None) -> Any:
    """The same function under another name, and in another scope if one is given."""
    copy = FunctionType(
        function.__code__, function.__globals__ if scope is None else scope, name,
        function.__defaults__, function.__closure__,
    )  # fmt: skip
    copy.__qualname__ = name
    copy.__module__ = function.__module__
    return copy


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


@contextmanager
def _short_code() -> Iterator[None]:
    """Compile kernels to a fifth of the code, since what does not fit a card's instruction cache
    (128 kB) is fetched again and again.

    No kernel uses a negative index, and loops are not unrolled. Both take the place of functions of
    numba-cuda; where it has changed too much for this, the code is only longer.
    """
    try:
        from numba.cuda.cudadrv import nvvm
        from numba.cuda.np import arrayobj

        before = arrayobj.fix_integer_index, nvvm.compile_ir
    except (ImportError, AttributeError):
        yield
        return

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    def compile_ir(texts: Any, **options: Any) -> Any:
        texts = [texts] if isinstance(texts, str) else texts
        return before[1]([_without_unrolling(text) for text in texts], **options)

    arrayobj.fix_integer_index, nvvm.compile_ir = fix_integer_index, compile_ir
    try:
        yield
    finally:
        arrayobj.fix_integer_index, nvvm.compile_ir = before


_LABEL = re.compile(r'^"?([\w.$]+)"?:')
_TARGET = re.compile(r'label %"?([\w.$]+)"?')
_FIRST_NOTE = 1_000_000
"""Notes of LLVM's text are numbered; nothing else has numbers as high."""


def _without_unrolling(text: str) -> str:
    """LLVM's text of a module with a note at every jump back: that loop is not to be unrolled."""
    lines: list[str] = []
    labels: set[str] = set()
    count = 0
    for line in text.splitlines():
        if line.startswith("define "):
            labels = set()
        label = _LABEL.match(line)
        if label:
            labels.add(label[1])
        if line.lstrip().startswith("br ") and any(t in labels for t in _TARGET.findall(line)):
            line = f"{line.rstrip()}, !llvm.loop !{_FIRST_NOTE + count}"
            count += 1
        lines.append(line)
    if count:
        last = _FIRST_NOTE + count
        lines += [f"!{n} = distinct !{{!{n}, !{last}}}" for n in range(_FIRST_NOTE, last)]
        lines.append(f'!{last} = !{{!"llvm.loop.unroll.disable"}}')
    return "\n".join(lines) + "\n"


def device(function: Callable[..., Any], apart: bool = False) -> Any:
    """A function that kernels for a card call; one that stands `apart` is not copied into its
    callers, so that the kernel's code stays small enough for the card's instruction cache."""
    if SIMULATED:
        return function
    made = cuda.jit(device=True)(function)
    if apart:
        compile_device = made.compile_device

        def compile_apart(*arguments: Any, **options: Any) -> Any:
            found = compile_device(*arguments, **options)
            for each in found.library.modules[0].functions:
                if each.name == found.fndesc.llvm_func_name:
                    each.attributes.add("noinline")
            return found

        made.compile_device = compile_apart
    return made


def on_device(
    function: Callable[..., Any],
    replacements: Mapping[Callable[..., Any], Any] | None = None,
) -> Any:
    """A helper of the CPU's kernels for a card, with all helpers that it calls.

    Where it calls one of `replacements`, its twin for a card is called instead. Those that many
    call stand apart.
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
            # Compiled later, with its scope filled.
            made[source] = device(copy, source.__name__ in APART)
            for name in source.__code__.co_names:
                called: Any = scope.get(name)
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
