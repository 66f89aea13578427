"""Negates floats so that the sign of zero is what Rust makes it, where anything can tell.

Triton takes `-x` for `0 - x`, which is 0 where Rust has -0; `x * -1.0` is Rust's. The plain form
stays where it comes to the same, as in `exp(-x)`: what takes the value takes both zeros for one, or
passes the difference on to something that does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter, Scalar, Tensor
from transpiler.ir.visit import Rewriter

if TYPE_CHECKING:
    from transpiler.ir.types import Type

_PASSING = frozenset(
    {ir.BinaryOperator.ADD, ir.BinaryOperator.SUBTRACT, ir.BinaryOperator.MULTIPLY}
)
"""Operators whose result is the same number whatever the sign of a zero among their operands, or a
zero of another sign."""


def negates_float(node: ir.Expression) -> bool:
    """Whether this is what the pass is about."""
    return (
        isinstance(node, ir.Unary)
        and node.operator is ir.UnaryOperator.NEGATE
        and not isinstance(node.operand, ir.Literal)
        and is_float(node.type)
    )


def is_float(type_: Type) -> bool:
    """Whether a scalar or a tile may hold floats."""
    return isinstance(type_, Scalar | Tensor) and (
        not isinstance(type_.dtype, DType | DtypeParameter) or type_.dtype.is_float
    )


def with_signed_zeros(kernel: ir.R) -> ir.R:
    """The kernel with its negations of floats spelled out where the sign of zero may be seen."""
    return _Negations().kernel(kernel)


class _Negations(Rewriter):
    """Goes top down: what takes a value decides whether its zeros are told apart."""

    def __init__(self) -> None:
        self._zeros_are_one = False

    def expression(self, node: ir.Expression) -> ir.Expression:
        outer = self._zeros_are_one
        match node:
            case ir.OpCall():
                self._zeros_are_one = node.op.takes_zeros_as_one
            case ir.Binary() if node.operator.is_comparison:
                self._zeros_are_one = True
            case ir.Binary() if node.operator in _PASSING:
                pass
            case ir.Binary(operator=ir.BinaryOperator.DIVIDE):
                return self._quotient(node)
            case ir.Unary(operator=ir.UnaryOperator.NEGATE):
                pass
            case _:
                self._zeros_are_one = False
        rewritten = self.expression_parts(node)
        self._zeros_are_one = outer
        if isinstance(rewritten, ir.Unary) and negates_float(rewritten) and not outer:
            return _product(rewritten)
        return rewritten

    def _quotient(self, node: ir.Binary) -> ir.Binary:
        """The zero of a denominator has the sign of an infinity."""
        outer = self._zeros_are_one
        left = self.expression(node.left)
        self._zeros_are_one = False
        right = self.expression(node.right)
        self._zeros_are_one = outer
        if left is node.left and right is node.right:
            return node
        return replace(node, left=left, right=right)


def _product(node: ir.Unary) -> ir.Expression:
    dtype = node.type.dtype if isinstance(node.type, Scalar | Tensor) else DType.F32
    minus_one = ir.Literal(span=node.span, type=Scalar(dtype=dtype), value=-1.0)
    return ir.Binary(
        span=node.span,
        type=node.type,
        operator=ir.BinaryOperator.MULTIPLY,
        left=node.operand,
        right=minus_one,
    )
