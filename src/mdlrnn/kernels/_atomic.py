"""Numbers that several threads read and change at the same time.

They lie in arrays of int64. Who reads a number with `load` that another thread has written with
`store` also sees all that the other wrote before it. Where compiling is switched off there are no
such threads.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

_BYTES = 8
_HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")


def _written(writer: Callable[..., Any]) -> Any:
    """A function for kernels to call, of which `writer` says the type and writes the code."""
    return intrinsic(writer)


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.gep(builder, array.data, arguments[1])


@_written
def load(_typing: Any, numbers: Any, i: Any) -> Any:
    """numbers[i]"""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.load_atomic(place, "acquire", _BYTES)

    return types.int64(numbers, types.intp), write


@_written
def store(_typing: Any, numbers: Any, i: Any, value: Any) -> Any:
    """numbers[i] = value"""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], place, "release", _BYTES)
        return context.get_dummy_value()

    return types.void(numbers, types.intp, types.int64), write


@_written
def add(_typing: Any, numbers: Any, i: Any, value: Any) -> Any:
    """numbers[i] += value; what it was before."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(numbers, types.intp, types.int64), write


@_written
def replace(_typing: Any, numbers: Any, i: Any, old: Any, new: Any) -> Any:
    """numbers[i] = new if it is `old`; whether it was."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        found = builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(numbers, types.intp, types.int64, types.int64), write


@_written
def pause(_typing: Any) -> Any:
    """A moment's rest for a thread that looks for something again and again."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            name = "llvm.x86.sse2.pause"
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [])
        return context.get_dummy_value()

    return types.void(), write


if config.DISABLE_JIT:

    def load(numbers: Any, i: int) -> Any:
        return numbers[i]

    def store(numbers: Any, i: int, value: int) -> None:
        numbers[i] = value

    def add(numbers: Any, i: int, value: int) -> Any:
        numbers[i] += value
        return numbers[i] - value

    def replace(numbers: Any, i: int, old: int, new: int) -> bool:
        if numbers[i] != old:
            return False
        numbers[i] = new
        return True

    def pause() -> None: ...
