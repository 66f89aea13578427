"""Which specialisations of a kernel to emit.

A dtype parameter takes the dtypes asked for among those the kernel is offered for: without any, those
its attribute names, or the floats, or else the integers. A const generic takes the values asked for;
without any, the const generic of a kernel that has just one takes `DEFAULT_EXTENTS` where it is a block size: it sizes
tiles, or is named `BLOCK…` as the language's authors do. A kernel with const generics nobody gave a value has no
specialisation: there is no sensible default for a filter size.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from transpiler.analysis.extents import tile_extents
from transpiler.diagnostics.model import Label
from transpiler.ir.description import Specialisation
from transpiler.ir.types import DType, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    instances = _dtypes_of(kernel, dtypes, sink)
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
        for chosen in instances
        for values in product(*constants)
    )


def _dtypes_of(
    kernel: ir.Kernel, asked: tuple[DType, ...] | None, sink: Sink
) -> list[tuple[DType, ...]]:
    """The combinations of dtypes to emit, the first parameter outermost, each in the order asked for."""
    if not kernel.dtype_parameters:
        return [()]
    offered = kernel.instances
    chosen = [
        tuple(dtype for dtype in asked or () if any(dtype is each[index] for each in offered))
        for index in range(len(kernel.dtype_parameters))
    ]
    if asked is not None:
        _report_missing(kernel, asked, sink, is_met=any(chosen))
        if not any(chosen):
            return []
    # What was asked for may be meant for one parameter alone: another has the dtypes that go with it.
    left = [
        instance
        for instance in offered
        if all(not own or dtype in own for dtype, own in zip(instance, chosen, strict=True))
    ]
    choices = [
        own or _default(tuple(dict.fromkeys(each[index] for each in left)), kernel)
        for index, own in enumerate(chosen)
    ]
    return [instance for instance in product(*choices) if instance in left]


def _default(offered: tuple[DType, ...], kernel: ir.Kernel) -> tuple[DType, ...]:
    floats = tuple(dtype for dtype in offered if dtype.is_float)
    return offered if kernel.named_dtypes or not floats else floats


def _report_missing(
    kernel: ir.Kernel, asked: tuple[DType, ...], sink: Sink, *, is_met: bool
) -> None:
    """W0501 where none of the dtypes asked for is offered, or an operation takes one away that the bounds admit."""
    admitted, offered = replace(kernel, limits=()).dtypes, kernel.dtypes
    taken = [dtype for dtype in asked if dtype in admitted and dtype not in offered]
    if is_met and not taken:
        return
    sink.emit(
        "W0501",
        f"`{kernel.name}` does not offer {', '.join(f'`{dtype.value}`' for dtype in taken)}"
        if is_met
        else f"`{kernel.name}` offers none of the dtypes asked for",
        kernel.name_span,
        related=tuple(_restrictions(kernel, taken)),
        help=f"it offers {', '.join(dtype.value for dtype in offered)}",
    )


def _restrictions(kernel: ir.Kernel, taken: list[DType]) -> Iterator[Label]:
    """The first operation that takes each of the dtypes away."""
    told: set[ir.DtypeLimit] = set()
    for dtype in taken:
        for limit in kernel.limits:
            if dtype not in replace(kernel, limits=(limit,)).dtypes:
                if limit not in told:
                    told.add(limit)
                    yield Label(
                        span=limit.span, message=f"`{limit.op}` is not defined for `{dtype.value}`"
                    )
                break


def block_sizes(kernel: ir.Kernel) -> tuple[str, ...]:
    """The const generics that say how much a program does at a time, not what it computes."""
    extents = tile_extents(kernel)
    return tuple(
        symbol.name
        for symbol in kernel.const_generics
        if symbol.name in extents or symbol.name.startswith("BLOCK")
    )


def _constants(
    kernel: ir.Kernel, blocks: Mapping[str, tuple[int, ...]], sink: Sink
) -> list[tuple[int | bool, ...]] | None:
    extents, sizes = tile_extents(kernel), block_sizes(kernel)
    result: list[tuple[int | bool, ...]] = []
    for symbol in kernel.const_generics:
        values = blocks.get(symbol.name)
        if values is None:
            if len(kernel.const_generics) > 1 or symbol.name not in sizes:
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
