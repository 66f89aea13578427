"""The dtype parameters of the kernel of a stage: a launch passes none that nothing there is of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DtypeParameter, Pointer, PointerTensor, Scalar, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.types import ElementType, Type


def with_used_dtypes(kernel: ir.Kernel) -> ir.Kernel:
    """The kernel with those of its dtype parameters that its parameters or expressions are of."""
    used = {it.name for it in _dtypes(kernel) if isinstance(it, DtypeParameter)}
    kept = tuple(it for it in kernel.dtype_parameters if it.name in used)
    if len(kept) == len(kernel.dtype_parameters):
        return kernel
    limits = tuple(it for it in kernel.limits if {each.name for each in it.parameters} <= used)
    return replace(kernel, dtype_parameters=kept, limits=limits)


def _dtypes(kernel: ir.Kernel) -> Iterator[ElementType]:
    for symbol in kernel.parameters:
        yield from _of(symbol.type)
    for node in kernel.body.contents.expressions:
        yield from _of(node.type)
        if isinstance(node, ir.OpCall | ir.Call):
            yield from node.dtypes


def _of(type_: Type) -> tuple[ElementType, ...]:
    match type_:
        case Scalar() | Tensor() | Pointer() | PointerTensor():
            return (type_.dtype,)
        case _:
            return ()
