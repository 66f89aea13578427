"""Operations that are given a function: the tensor they work on is in the dtype of the function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Tensor
from transpiler.ops.table import OPS

if TYPE_CHECKING:
    from transpiler.ir.types import ElementType
    from transpiler.passes.elaboration import Elaboration


def in_combined_dtype(
    state: Elaboration, combined: ElementType, arguments: tuple[ir.Argument, ...]
) -> tuple[ir.Argument, ...]:
    """The arguments with the first, a tensor, converted where the function combines values of another dtype."""
    tensor, *rest = arguments
    if isinstance(tensor, ir.PLAIN_ARGUMENTS):
        return arguments
    type_ = state.type_of(tensor)
    if not isinstance(type_, Tensor) or state.solver.unify(type_.dtype, combined):
        return arguments
    cast = ir.OpCall(
        span=tensor.span,
        type=Tensor(dtype=combined, shape=type_.shape),
        op=OPS["cast"],
        dtypes=(type_.dtype, combined),
        arguments=(
            tensor,
            ir.AbsentArgument(span=tensor.span),
            ir.FlagArgument(span=tensor.span, value=False),
        ),
    )
    return (cast, *rest)
