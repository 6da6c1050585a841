"""Arrays as rows whose start the compiler works out once.

It would do so at every access, to save a register: three instructions for an array in the card's
memory, four for one in a block's, in loops that have ten.
"""

from __future__ import annotations

from typing import Any

from ._cuda import SIMULATED, intrinsic

GLOBAL, SHARED = 1, 3
"""The card's memory and a block's, as the compiler numbers them."""


def _rows_in(space: int) -> Any:
    if SIMULATED:
        return lambda array: array.reshape(-1)
    from llvmlite import ir

    @intrinsic  # type: ignore[untyped-decorator]
    def one_row(typing: Any, array: Any) -> Any:
        row = array.copy(ndim=1, layout="C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = context.make_array(array)(context, builder, value=arguments[0])
            there = ir.PointerType(context.get_data_type(array.dtype), space)
            start = builder.ptrtoint(builder.addrspacecast(given.data, there), ir.IntType(64))
            # What comes out of an assembler's line may be anything, as far as the compiler knows.
            same = ir.FunctionType(start.type, [start.type])
            start = builder.asm(same, "mov.u64 $0, $1;", "=l,l", [start], False)
            made = context.make_array(row)(context, builder)
            context.populate_array(
                made,
                data=builder.addrspacecast(builder.inttoptr(start, there), given.data.type),
                shape=[given.nitems],
                strides=[given.itemsize],
                itemsize=given.itemsize,
                meminfo=None,
            )
            return made._getvalue()

        return row(array), generate

    return one_row


one_row: Any = _rows_in(GLOBAL)
"""All numbers of an array in the card's memory, as one row."""
one_row_of_block: Any = _rows_in(SHARED)
"""The same for an array that the threads of a block share."""
