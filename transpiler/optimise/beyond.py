"""What lanes beyond the end of an axis that is reduced combine: the identity.

A load that is combined as it is fills with it, and sums and products of loads that fill with 0 are 0. All else is
replaced, by a selection: 0 times an infinity would not be 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ops.model import Effect
from transpiler.optimise.build import Build, dtype_of, shape_of, with_argument

if TYPE_CHECKING:
    from transpiler.optimise.lane_masks import Lane, Scope
    from transpiler.optimise.layout import Layout


def varies(call: ir.OpCall, lane: Lane, layout: Layout) -> bool:
    """Whether the pointers of a load or a store vary along the axis of some lanes; then those that exist mask it."""
    shape = shape_of(operands(call)[0].type)
    return bool(shape) and shape[layout.lanes.index(lane.lanes)] != 1


class Beyond:
    """Gives lanes beyond the end the identity. It has to be told the values of names."""

    def __init__(self, scope: Scope, layout: Layout) -> None:
        self._scope = scope
        self._layout = layout
        self._values: dict[ir.Symbol, ir.Expression] = {}

    def define(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """Note what a name stands for."""
        self._values[symbol] = value

    def combined(self, term: ir.Expression, identity: float) -> ir.Expression:
        """The term with the identity in lanes that do not exist."""
        build = Build(term.span)
        mask = self._scope.mask(self._scope.reduced, build)
        if mask is None or self._held(term) == identity:
            return term
        filled = self._filled(term, identity)
        if filled is not None:
            return filled
        return build.select(mask, term, build.literal(identity, dtype_of(term)))

    def _filled(self, term: ir.Expression, identity: float) -> ir.Expression | None:
        """A load that fills with the identity; None where the term is none, or fills with something else."""
        match term:
            case ir.Cast(kind=ir.CastKind.WIDEN, operand=operand):
                filled = self._filled(operand, identity)
                return None if filled is None else replace(term, operand=filled)
            case ir.OpCall() if self._is_masked(term) and named_value(term, "other") is None:
                fill = Build(term.span).literal(identity, dtype_of(term))
                return with_argument(term, "other", fill)
            case _:
                return None

    def _held(self, node: ir.Expression) -> float | None:
        """What a value is in lanes that do not exist."""
        match node:
            case ir.Read(symbol=symbol) if symbol in self._values:
                return self._held(self._values[symbol])
            case ir.Cast(kind=ir.CastKind.WIDEN, operand=operand):
                return self._held(operand)
            case ir.OpCall() if self._is_masked(node):
                fill = named_value(node, "other")
                return float(fill.value) if isinstance(fill, ir.Literal) else None
            case ir.Binary(operator=operator, left=left, right=right) if operator in _OF_ZEROS:
                return 0.0 if self._held(left) == self._held(right) == 0.0 else None
            case _:
                return None

    def _is_masked(self, call: ir.OpCall) -> bool:
        """Whether it is a load that all lanes of reduced axes mask where they do not exist."""
        return call.op.effect is Effect.READS and all(
            varies(call, lane, self._layout) for lane in self._scope.reduced
        )


_OF_ZEROS = frozenset(
    {ir.BinaryOperator.MULTIPLY, ir.BinaryOperator.ADD, ir.BinaryOperator.SUBTRACT}
)
"""What is 0 of zeros."""
