"""What evaluating an expression does besides giving its value, and whether it may fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.values import is_integer, named_argument, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor
from transpiler.ir.visit import walk_block, walk_expression, walk_statement_expressions
from transpiler.ops.model import (
    Effect,
    RangeClamped,
    RangeLargest,
    RangeMagnitude,
    RangeRoundedUp,
    RangeSmallest,
    ShapeGathered,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from transpiler.analysis.interval import Interval
    from transpiler.ir.types import Type

    Bounds = Callable[[ir.Expression], Interval]
    """Where an integer lies."""

_TOTAL = (RangeLargest, RangeSmallest, RangeClamped, RangeMagnitude)
"""The ranges of methods of integers that have a value for all of them."""

_SHIFTS = frozenset({ir.BinaryOperator.SHIFT_LEFT, ir.BinaryOperator.SHIFT_RIGHT})


READ_ONLY = frozenset({Effect.READS})
"""The effects that leave everything as it is, in any number."""


def effects_of(nodes: Iterable[ir.Expression]) -> frozenset[Effect]:
    """What the expressions do themselves, those inside them not looked at; none if all of them only compute."""
    found: set[Effect] = set()
    for node in nodes:
        match node:
            case ir.OpCall() if node.op.effect is not Effect.PURE:
                found.add(node.op.effect)
            case ir.Call():
                found |= node.function.effects
            case _:
                pass
    return frozenset(found)


def effects_in(statements: Iterable[ir.Statement]) -> frozenset[Effect]:
    """What statements do, the ones inside them included."""
    return frozenset().union(*(effects_of(walk_statement_expressions(it)) for it in statements))


def is_volatile(node: ir.Expression) -> bool:
    """Whether it is a load that must happen as often as it stands there."""
    if not isinstance(node, ir.OpCall):
        return False
    flag = named_argument(node, "volatile") if node.op.effect is Effect.READS else None
    return isinstance(flag, ir.FlagArgument) and flag.value


def has_statements(node: ir.Expression) -> bool:
    """Whether a block inside an expression does something before it has its value."""
    return any(isinstance(it, ir.BlockValue) and it.statements for it in walk_expression(node))


class Failures:
    """Which expressions may fail for some values: integer divisions by 0, shifts by too much, indices into tiles.

    `functions` are those that may be called, `bounds` says where an integer lies at the place that is asked about, and
    `divisors` are known not to be 0 there.
    """

    def __init__(
        self,
        functions: Mapping[ir.FunctionSymbol, ir.Function],
        bounds: Bounds,
        is_divisor: Callable[[ir.Expression], bool] = lambda _: False,
    ) -> None:
        self._functions = functions
        self._bounds = bounds
        self._is_divisor = is_divisor

    def first(self, node: ir.Expression) -> ir.Expression | None:
        """The part of an expression that may fail; None where none may."""
        return next((inner for inner in walk_expression(node) if self._may_fail(inner)), None)

    def _may_fail(self, node: ir.Expression) -> bool:
        match node:
            case ir.Binary(operator=operator) if is_integer(node):
                if operator.is_division:
                    return self._may_be_zero(node.right)
                return operator in _SHIFTS and self._may_be_beyond(node.right, node.type)
            case ir.OpCall(op=op):
                if isinstance(op.range, RangeRoundedUp):
                    divisor = named_value(node, op.range.parameters[1])
                    return divisor is None or self._may_be_zero(divisor)
                if op.family == "scalar" and is_integer(operands(node)[0]):
                    return not isinstance(op.range, _TOTAL)
                return isinstance(op.shape, ShapeGathered)
            case ir.Call(function=function):
                body = walk_block(self._functions[function].body)
                return any(_fails_somewhere(inner) for inner in body)
            case _:
                return False

    def _may_be_zero(self, divisor: ir.Expression) -> bool:
        bounds = self._bounds(divisor)
        return bounds.low <= 0 <= bounds.high and not self._is_divisor(divisor)

    def _may_be_beyond(self, distance: ir.Expression, shifted: Type) -> bool:
        bounds = self._bounds(distance)
        dtype = shifted.dtype if isinstance(shifted, Scalar | Tensor) else None
        bits = dtype.bits if isinstance(dtype, DType) else 8
        return bounds.low < 0 or bounds.high >= bits


def _fails_somewhere(node: ir.Expression) -> bool:
    """Whether it fails for some arguments of the function it stands in."""
    match node:
        case ir.Binary(operator=operator) if is_integer(node):
            is_known = isinstance(node.right, ir.Literal) and node.right.value != 0
            return (operator.is_division or operator in _SHIFTS) and not is_known
        case ir.OpCall(op=op):
            return (
                isinstance(op.range, RangeRoundedUp)
                or isinstance(op.shape, ShapeGathered)
                or (op.family == "scalar" and is_integer(node))
            )
        case ir.Call():
            return True
        case _:
            return False
