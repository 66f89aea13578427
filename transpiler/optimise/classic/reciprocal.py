"""Divisions of floats by one number become products with its reciprocal, where that is exact.

The quotient and the product round the same exact value where the reciprocal of a number is a number too: for powers of
two, as long as both are normal numbers of every dtype that the division may run in. For sm_90, Triton divides f32 by
`div.approx` with a scaling around it (3.9) or `div.full` (3.4), and multiplies in one instruction. Any other divisor
has a reciprocal that is rounded, and a product that is rounded differently from the quotient.

Calls that ask for a way to divide (`fdiv`, `div_rn`) keep it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import is_float
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor
from transpiler.ir.visit import Rewriter
from transpiler.optimise.flags import RECIPROCAL

if TYPE_CHECKING:
    from transpiler.ir.types import Type
    from transpiler.optimise.classic.context import ClassicContext, Report

_SMALLEST = {DType.F16: 14, DType.BF16: 126, DType.F32: 126, DType.F64: 1022}
"""The greatest k for which both 2^k and 2^-k are normal numbers."""

_NO_DIVISION = "it divides no floats by one number"


def reciprocal(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel with products in place of divisions by powers of two."""
    report = context.report(RECIPROCAL)
    if not report.is_on:
        return kernel
    inverter = _Inverter(report)
    inverted = inverter.kernel(kernel)
    report.finish(_NO_DIVISION, kernel)
    return inverted if inverter.has_changed else kernel


class _Inverter(Rewriter):
    def __init__(self, report: Report) -> None:
        self._report = report
        self.has_changed = False

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        if (
            not isinstance(node, ir.Binary)
            or node.operator is not ir.BinaryOperator.DIVIDE
            or not is_float(node)
        ):
            return node
        literal = _literal(node.right)
        if literal is None:
            if isinstance(node.left.type, Tensor) and isinstance(node.right.type, Scalar):
                why = "the reciprocal of the divisor may be rounded, and the product with it then differs"
                self._report.missed(why, node.span)
            return node
        value = float(literal.value)
        if abs(value) == 1.0:
            return node
        mantissa, exponent = math.frexp(value)
        if abs(mantissa) != 0.5:
            self._report.missed(
                f"1 / {value!r} is rounded, and the product with it differs", node.span
            )
            return node
        if abs(exponent - 1) > _largest_exponent(node.type):
            why = f"{value!r} or its reciprocal is no normal number of each dtype"
            self._report.missed(why, node.span)
            return node
        self._report.applied(f"the product with {1.0 / value!r} is the quotient", node.span)
        self.has_changed = True
        inverse = replace(literal, value=1.0 / value, digits=None)
        right = replace(node.right, operand=inverse) if isinstance(node.right, ir.Cast) else inverse
        return replace(node, operator=ir.BinaryOperator.MULTIPLY, right=right)


def _literal(node: ir.Expression) -> ir.Literal | None:
    """The float literal that an expression is, in whichever dtype."""
    match node:
        case ir.Literal() if is_float(node):
            return node
        case ir.Cast(operand=ir.Literal() as literal, kind=ir.CastKind.FROM_F64):
            return literal
        case _:
            return None


def _largest_exponent(type_: Type) -> int:
    """The greatest k for which 2^k and 2^-k are normal in every dtype it may be."""
    match type_:
        case Scalar(dtype=DType() as dtype) | Tensor(dtype=DType() as dtype):
            return _SMALLEST[dtype]
        case _:
            return min(_SMALLEST.values())
