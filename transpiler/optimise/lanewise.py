"""What becomes of types and operators where numbers become tiles of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor
from transpiler.optimise.build import Build, broadcast, dtype_of, is_number
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from transpiler.ir.types import Type


def lanewise_type(node: ir.Expression, *parts: Type) -> Type:
    """The type of what is computed lane by lane of parts: a number of Rust's own only if all of them are."""
    shape = broadcast(*parts)
    dtype = dtype_of(node)
    if not shape and isinstance(node.type, Scalar) and all(isinstance(it, Scalar) for it in parts):
        return Scalar(dtype=dtype)
    return Tensor(dtype=dtype, shape=shape)


def lanewise_binary(node: ir.Binary, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """A binary operation on these operands. Of lanes, `&&` is `&`, which leaves no side out.

    Raises:
        RefusedError: Triton's interpreter would be wrong about it.
    """
    type_ = lanewise_type(node, left.type, right.type)
    build = Build(node.span)
    if isinstance(type_, Tensor) and type_.dtype is DType.BOOL:
        match node.operator:
            case ir.BinaryOperator.AND | ir.BinaryOperator.BIT_AND:
                return build.both(left, right)
            case ir.BinaryOperator.OR | ir.BinaryOperator.BIT_OR:
                return build.either(left, right)
            case ir.BinaryOperator.BIT_XOR if is_number(left) != is_number(right):
                refuse("one of these conditions is of lanes, the other one is not", node.span)
            case _:
                pass
    return replace(node, left=left, right=right, type=type_)
