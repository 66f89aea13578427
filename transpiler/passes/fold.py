"""Folds constants, with the rounding and wrapping Rust gives each operation.

Only scalars of concrete dtype fold; an operation whose result Rust defines as a panic (overflow, division by zero) is
reported, since rustc refuses it too. The author's named constants stay names: folding stops at `let`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import F64, DType, DtypeParameter, Scalar, Tensor
from transpiler.ir.visit import Rewriter
from transpiler.ops.scalar_methods import FAMILY
from transpiler.passes.integer import integer_range, truncating_binary, wrap
from transpiler.passes.operators import SHIFTS
from transpiler.passes.rounding import round_to
from transpiler.passes.scalar_folding import folded_method

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.passes.context import PassContext


def fold(module: ir.Module, context: PassContext) -> ir.Module:
    """Every constant expression replaced by its value."""
    folder = _Folder(context.sink)
    return module.mapped(folder.kernel)


def fold_expression(node: ir.Expression, sink: Sink) -> ir.Expression:
    """An expression outside a kernel with its constants folded."""
    return _Folder(sink).expression(node)


class _Folder(Rewriter):
    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Unary(operand=ir.Literal() as operand):
                return self._unary(node, operand)
            case ir.Unary(operator=ir.UnaryOperator.NEGATE, operand=ir.Cast() as operand):
                return _negated_before(node, operand)
            case ir.Binary(left=ir.Literal() as left, right=ir.Literal() as right):
                return self._binary(node, left, right)
            case ir.Binary() if node.operator.is_logical:
                return _decided(node)
            case ir.Binary(right=ir.Literal(value=int() as distance)) if node.operator in SHIFTS:
                self._check_distance(node, distance)
                return node
            case ir.Cast(operand=ir.Literal() as operand):
                return _cast(node, operand)
            case ir.Cast(kind=ir.CastKind.FROM_F64, operand=ir.Cast() as inner):
                return _through_f64(node, inner)
            case ir.OpCall(op=op) if op.family == FAMILY:
                return _method(node)
            case ir.BlockValue(statements=()):
                return node.value
            case ir.Conditional(condition=ir.Literal(value=taken)):
                arm = node.then_value if taken else node.else_value
                return arm if arm.statements else arm.value
            case _:
                return node

    def _unary(self, node: ir.Unary, operand: ir.Literal) -> ir.Expression:
        value = operand.value
        dtype = operand.type.dtype if isinstance(operand.type, Scalar) else None
        result: bool | int | float
        if isinstance(value, bool):
            result = not value
        elif isinstance(value, float):
            result = -value
        elif not isinstance(dtype, DType):
            return node
        elif node.operator is ir.UnaryOperator.NOT:
            result = wrap(~value, dtype)
        elif -value in integer_range(dtype):
            result = -value
        else:
            self._sink.emit(
                "E0406", f"this constant expression overflows `{dtype.value}`", node.span
            )
            return node
        return ir.Literal(span=node.span, type=node.type, value=result)

    def _binary(self, node: ir.Binary, left: ir.Literal, right: ir.Literal) -> ir.Expression:
        dtype = left.type.dtype if isinstance(left.type, Scalar) else None
        if not isinstance(dtype, DType):
            return node
        value: bool | int | float | None
        if isinstance(left.value, bool) or isinstance(right.value, bool):
            value = _logical(node.operator, bool(left.value), bool(right.value))
        elif node.operator.is_comparison:
            value = _compare(node.operator, left.value, right.value)
        elif dtype.is_float:
            value = _float(node.operator, float(left.value), float(right.value), dtype)
        else:
            value = self._integer(node, int(left.value), int(right.value), dtype)
        if value is None:
            return node
        return ir.Literal(span=node.span, type=node.type, value=value)

    def _check_distance(self, node: ir.Binary, distance: int) -> None:
        dtype = node.type.dtype if isinstance(node.type, Scalar | Tensor) else None
        if isinstance(dtype, DType) and not 0 <= distance < dtype.bits:
            self._sink.emit(
                "E0406",
                f"this shifts by {distance}, and `{dtype.value}` has {dtype.bits} bits",
                node.span,
            )

    def _integer(self, node: ir.Binary, left: int, right: int, dtype: DType) -> int | None:
        value = truncating_binary(node.operator, left, right)
        if value is not None and value in integer_range(dtype):
            return value
        if node.operator is ir.BinaryOperator.SHIFT_LEFT and 0 <= right < dtype.bits:
            return wrap(left << right, dtype)
        by_zero = right == 0 and node.operator in {
            ir.BinaryOperator.DIVIDE,
            ir.BinaryOperator.REMAINDER,
        }
        what = "divides by zero" if by_zero else f"overflows `{dtype.value}`"
        self._sink.emit("E0406", f"this constant expression {what}", node.span)
        return None


def _decided(node: ir.Binary) -> ir.Expression:
    """`a && b` and `a || b` where one side is known."""
    neutral = node.operator is ir.BinaryOperator.AND
    if isinstance(node.left, ir.Literal):
        return node.right if node.left.value is neutral else node.left
    if isinstance(node.right, ir.Literal) and node.right.value is neutral:
        return node.left
    return node


def _method(node: ir.OpCall) -> ir.Expression:
    (dtype,) = node.dtypes
    operands = [argument.value for argument in node.arguments if isinstance(argument, ir.Literal)]
    if not isinstance(dtype, DType) or len(operands) < len(node.arguments):
        return node
    value = folded_method(node.op.name, dtype, operands)
    return node if value is None else ir.Literal(span=node.span, type=node.type, value=value)


def _logical(operator: ir.BinaryOperator, left: bool, right: bool) -> bool | None:  # noqa: FBT001 - operands
    match operator:
        case ir.BinaryOperator.AND | ir.BinaryOperator.BIT_AND:
            return left and right
        case ir.BinaryOperator.OR | ir.BinaryOperator.BIT_OR:
            return left or right
        case ir.BinaryOperator.BIT_XOR | ir.BinaryOperator.NOT_EQUAL:
            return left is not right
        case ir.BinaryOperator.EQUAL:
            return left is right
        case _:
            return None


def _compare(operator: ir.BinaryOperator, left: float, right: float) -> bool | None:
    match operator:
        case ir.BinaryOperator.EQUAL:
            return left == right
        case ir.BinaryOperator.NOT_EQUAL:
            return left != right
        case ir.BinaryOperator.LESS:
            return left < right
        case ir.BinaryOperator.GREATER:
            return left > right
        case ir.BinaryOperator.LESS_EQUAL:
            return left <= right
        case ir.BinaryOperator.GREATER_EQUAL:
            return left >= right
        case _:
            return None


def _float(operator: ir.BinaryOperator, left: float, right: float, dtype: DType) -> float | None:
    """The exact result rounded once; None of an operator floats do not have."""
    if not math.isfinite(left) or not math.isfinite(right) or right == 0:
        return _special(operator, left, right, dtype)
    exact: Fraction
    match operator:
        case ir.BinaryOperator.ADD:
            exact = Fraction(left) + Fraction(right)
        case ir.BinaryOperator.SUBTRACT:
            exact = Fraction(left) - Fraction(right)
        case ir.BinaryOperator.MULTIPLY:
            exact = Fraction(left) * Fraction(right)
        case ir.BinaryOperator.DIVIDE:
            exact = Fraction(left) / Fraction(right)
        case ir.BinaryOperator.REMAINDER:
            return math.fmod(left, right)
        case _:
            return None
    if exact == 0:
        # A zero has a sign that the exact value does not: IEEE arithmetic in f64 gives it.
        return {
            ir.BinaryOperator.ADD: left + right,
            ir.BinaryOperator.SUBTRACT: left - right,
            ir.BinaryOperator.MULTIPLY: left * right,
        }.get(operator, left / right)
    return round_to(exact, dtype)


def _special(operator: ir.BinaryOperator, left: float, right: float, dtype: DType) -> float | None:
    """The result where an operand is infinite or NaN, or the right one zero."""
    match operator:
        case ir.BinaryOperator.ADD:
            return round_to(left + right, dtype)
        case ir.BinaryOperator.SUBTRACT:
            return round_to(left - right, dtype)
        case ir.BinaryOperator.MULTIPLY:
            return round_to(left * right, dtype)
        case ir.BinaryOperator.DIVIDE if right == 0:
            if left == 0 or math.isnan(left):
                return math.nan
            return math.copysign(math.inf, left) * math.copysign(1.0, right)
        case ir.BinaryOperator.DIVIDE:
            return left / right
        case ir.BinaryOperator.REMAINDER:
            return math.nan if right == 0 or not math.isfinite(left) else math.fmod(left, right)
        case _:
            return None


def _cast(node: ir.Cast, operand: ir.Literal) -> ir.Expression:
    if not isinstance(node.type, Scalar):
        return node
    dtype, value = node.type.dtype, operand.value
    if not isinstance(dtype, DType):
        # `D::from_f64(0.1)`: the value stays the f64 that each instance rounds.
        is_whole = isinstance(dtype, DtypeParameter) and dtype.is_integer
        whole = int(value) if is_whole and math.isfinite(value) else value
        return replace(operand, span=node.span, type=node.type, value=whole)
    if dtype.is_float:
        number = round_to(Fraction(value) if isinstance(value, int) else value, dtype)
        return ir.Literal(span=node.span, type=node.type, value=number)
    if dtype is DType.BOOL:
        return node
    if isinstance(value, float):
        return ir.Literal(span=node.span, type=node.type, value=_saturate(value, dtype))
    return ir.Literal(span=node.span, type=node.type, value=wrap(int(value), dtype))


def _saturate(value: float, dtype: DType) -> int:
    """Rust's `as` from float to integer: towards zero, held in range, NaN to 0."""
    if math.isnan(value):
        return 0
    values = integer_range(dtype)
    if math.isinf(value):
        return values[-1] if value > 0 else values[0]
    return min(max(int(value), values[0]), values[-1])


_EXACT_IN_F64 = frozenset({DType.F32, DType.F16, DType.BF16})


def _is_widened_to_f64(node: ir.Cast) -> bool:
    """Whether this is `x as f64` with x in a narrower float dtype, all of whose numbers are f64."""
    source = node.operand.type
    return (
        node.kind is ir.CastKind.RUST_AS
        and node.type == F64
        and isinstance(source, Scalar)
        and source.dtype in _EXACT_IN_F64
    )


def _negated_before(node: ir.Unary, widened: ir.Cast) -> ir.Expression:
    """`-(x as f64)` as `(-x) as f64`: the same number, and in `D::from_f64(…)` the step through f64 can go."""
    if not _is_widened_to_f64(widened):
        return node
    negation = replace(node, operand=widened.operand, type=widened.operand.type)
    return replace(widened, span=node.span, operand=negation)


def _through_f64(node: ir.Cast, inner: ir.Cast) -> ir.Expression:
    """`D::from_f64(x as f64)` with x in f32: the step through f64 changes no value, since every f32 is an f64."""
    return replace(node, operand=inner.operand) if _is_widened_to_f64(inner) else node
