"""What becomes of types and operators where numbers become tiles of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Scalar, Tensor
from transpiler.optimise.build import broadcast, dtype_of

if TYPE_CHECKING:
    from transpiler.ir.types import Type

_BITWISE = {
    ir.BinaryOperator.AND: ir.BinaryOperator.BIT_AND,
    ir.BinaryOperator.OR: ir.BinaryOperator.BIT_OR,
}


def lanewise_type(node: ir.Expression, *parts: Type) -> Type:
    """The type of what is computed lane by lane of parts: a number of Rust's own only if all of them are."""
    shape = broadcast(*parts)
    dtype = dtype_of(node)
    if not shape and isinstance(node.type, Scalar) and all(isinstance(it, Scalar) for it in parts):
        return Scalar(dtype=dtype)
    return Tensor(dtype=dtype, shape=shape)


def lanewise_operator(operator: ir.BinaryOperator, type_: Type) -> ir.BinaryOperator:
    """The operator that gives a value of this type: lanes have no `&&` that leaves its right side out."""
    return _BITWISE.get(operator, operator) if isinstance(type_, Tensor) else operator
