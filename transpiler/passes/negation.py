"""The opposite of a condition."""

from __future__ import annotations

from dataclasses import replace

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, DType, Scalar


def negated(node: ir.Expression) -> ir.Expression:
    """The opposite; a comparison of integers turned round. NaN forbids that of floats."""
    match node:
        case ir.Unary(operator=ir.UnaryOperator.NOT):
            return node.operand
        case ir.Binary(operator=operator, left=left) if (
            operator in ir.OPPOSITES
            and isinstance(left.type, Scalar)
            and isinstance(left.type.dtype, DType)
            and not left.type.dtype.is_float
        ):
            return replace(node, operator=ir.OPPOSITES[operator])
        case _:
            return ir.Unary(span=node.span, type=BOOL, operator=ir.UnaryOperator.NOT, operand=node)
