"""Which specialisations of a kernel to emit.

A dtype parameter takes the dtypes asked for; without any, those the kernel's attribute names, or the floats its bound
admits, or else the integers. A const generic takes the values asked for;
without any, the const generic of a kernel that has just one takes `DEFAULT_EXTENTS` where it is a block size: it sizes
tiles, or is named `BLOCK…` as the language's authors do. A kernel with const generics nobody gave a value has no
specialisation: there is no sensible default for a filter size.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from transpiler.ir.description import Specialisation
from transpiler.ir.types import DType, DtypeParameter, Scalar
from transpiler.passes.constants import tile_extents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.diagnostics.sink import Sink
    from transpiler.ir import nodes as ir

DEFAULT_EXTENTS = (128, 256, 1024)


def specialise(
    kernel: ir.Kernel,
    *,
    blocks: Mapping[str, tuple[int, ...]],
    dtypes: tuple[DType, ...] | None,
    sink: Sink,
) -> tuple[Specialisation, ...]:
    """The kernel's specialisations: dtypes outermost, then const generics, each in the order given."""
    choices = [_dtypes_of(kernel, parameter, dtypes, sink) for parameter in kernel.dtype_parameters]
    constants = _constants(kernel, blocks, sink)
    if constants is None:
        return ()
    return tuple(
        Specialisation(
            name="__".join(
                (kernel.name, *(dtype.value for dtype in chosen), *map(_constant_text, values))
            ),
            dtypes=chosen,
            constants=values,
        )
        for chosen in product(*choices)
        for values in product(*constants)
    )


def offered_dtypes(kernel: ir.Kernel, parameter: DtypeParameter) -> tuple[DType, ...]:
    """The dtypes a dtype parameter of the kernel may be: those the kernel offers that its bound admits."""
    return tuple(dtype for dtype in kernel.dtypes if dtype in parameter.bound.dtypes)


def _dtypes_of(
    kernel: ir.Kernel,
    parameter: DtypeParameter,
    asked: tuple[DType, ...] | None,
    sink: Sink,
) -> tuple[DType, ...]:
    offered = offered_dtypes(kernel, parameter)
    if asked is None:
        floats = tuple(dtype for dtype in offered if dtype.is_float)
        return offered if kernel.named_dtypes or not floats else floats
    chosen = tuple(dtype for dtype in asked if dtype in offered)
    if not chosen:
        sink.emit(
            "W0501",
            f"`{kernel.name}` offers none of the dtypes asked for",
            kernel.name_span,
            help=f"it offers {', '.join(dtype.value for dtype in offered)}",
        )
    return chosen


def _constants(
    kernel: ir.Kernel, blocks: Mapping[str, tuple[int, ...]], sink: Sink
) -> list[tuple[int | bool, ...]] | None:
    extents = tile_extents(kernel)
    result: list[tuple[int | bool, ...]] = []
    for symbol in kernel.const_generics:
        values = blocks.get(symbol.name)
        if values is None:
            is_block = symbol.name in extents or symbol.name.startswith("BLOCK")
            if len(kernel.const_generics) > 1 or not is_block:
                return None
            values = DEFAULT_EXTENTS
        if isinstance(symbol.type, Scalar) and symbol.type.dtype is DType.BOOL:
            result.append(tuple(bool(value) for value in values))
            continue
        for value in values:
            if symbol.name in extents and (value < 1 or value & (value - 1)):
                sink.emit(
                    "E0502",
                    f"`{symbol.name}` = {value} is no extent of a tile",
                    symbol.span,
                    label=f"`{kernel.name}` makes tiles of this extent",
                    help="the extents of tiles are powers of two",
                )
        result.append(values)
    return result


def _constant_text(value: int | bool) -> str:  # noqa: FBT001 - a value, not a switch
    return str(value).lower().replace("-", "m")
