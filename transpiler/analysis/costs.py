"""Which expressions take a machine noticeable time, so that it is worth a name to compute them once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_expression, walk_statements
from transpiler.ops.model import (
    Effect,
    RangeClamped,
    RangeLargest,
    RangeMagnitude,
    RangeSmallest,
)

if TYPE_CHECKING:
    from transpiler.ops.model import Op

_ONE_INSTRUCTION = (RangeLargest, RangeSmallest, RangeClamped, RangeMagnitude)
_COMPUTING = frozenset({"math", "scalar", "reduce", "scan", "linalg", "random"})


class Costs:
    """The costs of the expressions of one kernel; what is known when it is compiled costs nothing."""

    def __init__(self, routine: ir.Routine) -> None:
        self._constants = {
            symbol
            for symbol in (*routine.const_generics, *routine.parameters)
            if symbol.kind is ir.SymbolKind.CONST_GENERIC
        }
        for statement in walk_statements(routine.body):
            if (
                isinstance(statement, ir.Let)
                and not statement.symbol.is_mutable
                and self.is_constant(statement.value)
            ):
                self._constants.add(statement.symbol)

    def is_constant(self, node: ir.Expression) -> bool:
        """Whether a number is known at compile time, of what is no call."""
        return all(
            isinstance(inner, ir.Literal | ir.Unary | ir.Binary | ir.Cast)
            or (isinstance(inner, ir.Read) and inner.symbol in self._constants)
            for inner in walk_expression(node)
        )

    def is_costly(self, node: ir.Expression) -> bool:
        """Whether there is a division, a call of a function, a read of memory or the like in it.

        Sums, products, comparisons and tiles that are made of a number are not.
        """
        return any(_costs(inner) and not self.is_constant(inner) for inner in walk_expression(node))


def _costs(node: ir.Expression) -> bool:
    match node:
        case ir.Binary(operator=operator):
            return operator.is_division
        case ir.Call():
            return True
        case ir.OpCall(op=op):
            return _is_costly_op(op)
        case _:
            return False


def _is_costly_op(op: Op) -> bool:
    if op.effect is not Effect.PURE:
        return True
    if op.operator is not None:
        return op.operator is not None and op.operator.is_division
    if op.family == "shape":
        # What does more than repeat its elements moves them from thread to thread.
        return not op.copies
    return op.family in _COMPUTING and not isinstance(op.range, _ONE_INSTRUCTION)
