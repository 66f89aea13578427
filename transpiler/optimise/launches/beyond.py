"""What lanes beyond the end of an axis that is reduced combine: the identity.

A load that is combined as it is fills with it, be it by the name it has, and sums and products of loads that fill with
0 are 0. All else is replaced, by a selection: 0 times an infinity would not be 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import Tensor
from transpiler.ir.visit import Rewriter
from transpiler.ops.model import Effect
from transpiler.optimise.build import Build, broadcast, dtype_of, shape_of, with_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.optimise.launches.lane_masks import Lane, Scope
    from transpiler.optimise.launches.layout import Layout


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
        self._filled_names: dict[ir.Symbol, ir.Expression] = {}
        """The loads that have names and were to fill with something, as they are to be."""

    def define(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """Note what a name stands for."""
        self._values[symbol] = value

    def combined(self, term: ir.Expression, identity: float) -> ir.Expression:
        """The term with the identity in lanes that do not exist."""
        build = Build(term.span)
        mask = self._scope.mask(self._scope.reduced, build)
        if mask is None:
            return term
        if self._may_fill(term, identity):
            return self._with_fill(term, identity)
        narrowed = self._narrowed(term, mask, identity)
        if narrowed is not None:
            return narrowed
        return build.select(mask, term, build.literal(identity, dtype_of(term)))

    def _narrowed(
        self, term: ir.Expression, mask: ir.Expression, identity: float
    ) -> ir.Expression | None:
        """A selection that selects the identity otherwise, in fewer lanes; None where the term is none."""
        if not isinstance(term, ir.OpCall) or term.op.selects is None:
            return None
        condition, _, otherwise = (named_value(term, name) for name in term.op.selects)
        if condition is None or not shape_of(condition.type) or not _is_number(otherwise, identity):
            return None
        both = Build(term.span).both(mask, condition)
        type_ = Tensor(dtype=dtype_of(term), shape=broadcast(both.type, term.type))
        return replace(with_argument(term, term.op.selects[0], both), type=type_)

    def settled(self, block: ir.Block) -> ir.Block:
        """The statements, in which loads that have names fill with what was asked of them."""
        return _Filling(self._filled_names).block(block) if self._filled_names else block

    def _may_fill(self, term: ir.Expression, identity: float) -> bool:
        match term:
            case _ if self._held(term) == identity:
                return True
            case ir.Read(symbol=symbol) if symbol in self._values:
                return self._may_fill(self._values[symbol], identity)
            case ir.Cast(kind=ir.CastKind.WIDEN, operand=operand):
                return self._may_fill(operand, identity)
            case ir.OpCall():
                return self._is_masked(term) and named_value(term, "other") is None
            case ir.Binary(operator=operator, left=left, right=right) if operator in _OF_ZEROS:
                return identity == 0 and all(self._may_fill(it, identity) for it in (left, right))
            case _:
                return False

    def _with_fill(self, term: ir.Expression, identity: float) -> ir.Expression:
        """What may fill with the identity, so that it does."""
        match term:
            case _ if self._held(term) == identity:
                return term
            case ir.Read(symbol=symbol):
                filled = self._with_fill(self._values[symbol], identity)
                self._values[symbol] = self._filled_names[symbol] = filled
                return term
            case ir.Cast(operand=operand):
                return replace(term, operand=self._with_fill(operand, identity))
            case ir.Binary(left=left, right=right):
                return replace(
                    term,
                    left=self._with_fill(left, identity),
                    right=self._with_fill(right, identity),
                )
            case ir.OpCall():
                fill = Build(term.span).literal(identity, dtype_of(term))
                return with_argument(term, "other", fill)
            case _:
                raise TypeError("nothing is filled there")

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


def _is_number(node: ir.Expression | None, value: float) -> bool:
    return isinstance(node, ir.Literal) and node.value == value


class _Filling(Rewriter):
    """Gives names other values."""

    def __init__(self, values: Mapping[ir.Symbol, ir.Expression]) -> None:
        self._values = values

    def leave_statement(self, node: ir.Statement) -> tuple[ir.Statement, ...]:
        if isinstance(node, ir.Let) and node.symbol in self._values:
            return (replace(node, value=self._values[node.symbol]),)
        return (node,)
