"""The expressions of a kernel for one index of every axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import copied, is_integer, is_read, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import Scalar, Tensor
from transpiler.ir.visit import Rewriter, walk_expression
from transpiler.ops.model import Effect, ShapeExpanded, ShapeInterval
from transpiler.ops.table import OPS
from transpiler.optimise.build import Build, conjunction, with_argument
from transpiler.optimise.lifting.lift_copies import converted, converts_outright, copy_of, number
from transpiler.optimise.lifting.loop_ends import LoopEnds
from transpiler.optimise.nests.indices import Indices
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.effects import Failures
    from transpiler.analysis.facts import Facts
    from transpiler.optimise.lifting.axes import Axes
    from transpiler.optimise.lifting.recurrences import Recurrences


class ExpressionLifter(Rewriter):
    """Lifts the expressions of one kernel: what it asks of the grid is found in `axes`, variables in `recurrences`.

    `ends` are those of the loops around the expression, which whoever lifts these opens and closes.
    """

    def __init__(
        self, facts: Facts, failures: Failures, axes: Axes, recurrences: Recurrences
    ) -> None:
        self._facts = facts
        self._failures = failures
        self._axes = axes
        self._recurrences = recurrences
        self._replaced: dict[ir.Symbol, ir.Expression] = {}
        """Names that are read as what they stand for: axes, lanes, and other names."""
        self._definitions: dict[ir.Symbol, ir.Expression] = {}
        """The values of the names that stay."""
        self._indices = Indices(self._definitions)
        self.ends = LoopEnds(facts, self._indices, self.expression)
        self._lifted: dict[int, tuple[ir.Expression, ir.Expression]] | None = None
        """The parts of the expression that is being lifted, with what was made of each."""

    def read_as(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """From now on a name is read as a value, lifted."""
        self._replaced[symbol] = value

    def define(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """From now on a name, which stays, has a value, lifted."""
        self._definitions[symbol] = value

    def expression(self, node: ir.Expression) -> ir.Expression:
        """An expression for one index of each axis."""
        if self._lifted is None:
            self._lifted = {}
            try:
                return self._expression(node)
            finally:
                self._lifted = None
        # Sums and selections ask for their parts twice: nested in each other, that would be a power of two.
        known = self._lifted.get(id(node))
        if known is None:
            known = self._lifted[id(node)] = (node, self._expression(node))
        return known[1]

    def _expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Read():
                return self._read(node)
            case ir.OpCall():
                return self._call(node)
            case ir.Binary(operator=ir.BinaryOperator.ADD):
                return self._sum(node)
            case ir.Binary(operator=ir.BinaryOperator.MULTIPLY) if is_integer(node):
                return self._product(node)
            case ir.Conditional(
                then_value=ir.BlockValue(statements=(), value=then),
                else_value=ir.BlockValue(statements=(), value=otherwise),
            ):
                return self._chosen(node, then, otherwise)
            case (
                ir.Call() | ir.Conditional() | ir.BlockValue() | ir.TupleValue() | ir.TupleElement()
            ):
                refuse("this is computed by a function or by branches", node.span)
            case _:
                pass
        return self.expression_parts(node)

    def _chosen(
        self, node: ir.Conditional, then: ir.Expression, otherwise: ir.Expression
    ) -> ir.Expression:
        """One of two values, both computed."""
        for arm in (then, otherwise):
            for each in walk_expression(arm):
                if isinstance(each, ir.OpCall) and each.op.effect is not Effect.PURE:
                    refuse("memory is read in a branch", each.span)
        # Of lanes, both sides of `&&` and `||` are computed too.
        sides = (
            it.right
            for it in walk_expression(node.condition)
            if isinstance(it, ir.Binary) and it.operator.is_logical
        )
        for each in (then, otherwise, *sides):
            failing = self._failures.first(each)
            if failing is not None:
                refuse("this may fail, and is not always computed", failing.span)
        condition, value, other = map(self.expression, (node.condition, then, otherwise))
        return replace(Build(node.span).select(condition, value, other), type=node.type)

    def _read(self, node: ir.Read) -> ir.Expression:
        known = self._replaced.get(node.symbol)
        return known or self._recurrences.read(node) or node

    def _call(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        if op.is_program_id:
            return self._axes.program(node)
        if isinstance(op.shape, ShapeInterval):
            return self._interval(node)
        if op.effect is Effect.READS:
            return self._load(node)
        if op.effect is Effect.WRITES:
            return self._without_guards(node)
        if op.combines is not None:
            return self._recurrences.reduced(node)
        if op.name == OPS["num_programs"].name:
            refuse("the kernel asks how many programs there are", node.span)
        if op.copies and not op.is_lanewise:
            return self._copied(node)
        if op.selects is not None:
            return self._selection(node, op.selects)
        if op.value is not None and not operands(node):
            return number(op.value(), node)
        if not op.is_lanewise or not isinstance(node.type, Tensor | Scalar):
            refuse(f"`{op.name}` does not work lane by lane", node.span)
        return self._converted(node) or self.expression_parts(node)

    def _converted(self, node: ir.OpCall) -> ir.Expression | None:
        """What converts a tile of one of Rust's integers converts that; None for any other call."""
        source = copied(node)
        if source is None or not converts_outright(node):
            return None
        return converted(node, self.expression(source))

    def _copied(self, node: ir.OpCall) -> ir.Expression:
        source = copied(node)
        if source is None or isinstance(node.op.shape, ShapeExpanded):
            refuse(f"`{node.op.name}` makes tiles of other dimensions", node.span)
        lifted = self.expression(source)
        return copy_of(node, lifted, was_tile=isinstance(source.type, Tensor))

    def _interval(self, node: ir.OpCall) -> ir.Expression:
        start, end = (self.expression(it) for it in operands(node))
        extent = self._indices.polynomial(end) - self._indices.polynomial(start)
        if extent.constant == 1:
            return start
        if not isinstance(end, ir.Read) or self._indices.polynomial(start).terms:
            refuse("the lanes are none that a loop moves along", node.span)
        return Build(node.span).read(self._axes.lane(end.symbol, node.span))

    def _sum(self, node: ir.Binary) -> ir.Expression:
        """A sum, in which a lane and the start of its tile are the index of their axis."""
        parts = list(_terms(node))
        terms = [self.expression(it) for it in parts]
        for tiles in self.ends.open:
            lanes = [it for it in terms if is_read(it, tiles.lane)]
            starts = [it for it in terms if is_read(it, tiles.loop.symbol)]
            if lanes and starts:
                place = min(terms.index(lanes[0]), terms.index(starts[0]))
                terms.remove(lanes[0])
                terms.remove(starts[0])
                terms.insert(place, Build(node.span).read(tiles.index))
        zeros = [it for it in terms if isinstance(it, ir.Literal) and it.value == 0]
        if is_integer(node):
            terms = [it for it in terms if it not in zeros] or [zeros[0]]
        if len(terms) == len(parts):
            return self.expression_parts(node)
        total = terms[0]
        for term in terms[1:]:
            total = replace(node, left=total, right=term)
        return total

    def _product(self, node: ir.Binary) -> ir.Expression:
        """A product; `lanes * 0`, which gives a number the shape of lanes, is 0."""
        lifted = self.expression_parts(node)
        parts = (lifted.left, lifted.right) if isinstance(lifted, ir.Binary) else ()
        zeros = (it for it in parts if isinstance(it, ir.Literal) and it.value == 0)
        return next(zeros, lifted)

    def _load(self, node: ir.OpCall) -> ir.Expression:
        if node.op.name != OPS["load"].name:
            refuse(f"`{node.op.name}` reads memory in another way", node.span)
        return self._without_guards(node)

    def _without_guards(self, node: ir.OpCall) -> ir.OpCall:
        """A load or a store whose mask no longer says that loops end."""
        lifted = self.expression_parts(node)
        if not isinstance(lifted, ir.OpCall):
            raise TypeError("a call is lifted to a call")
        mask = named_value(node, "mask")
        if mask is None:
            return lifted
        left = conjunction(self.ends.beside(mask), Build(node.span))
        return with_argument(lifted, "mask", left or ir.AbsentArgument(span=node.span))

    def _selection(self, node: ir.OpCall, names: tuple[str, str, str]) -> ir.Expression:
        """A selection without the conditions that loops end; what it selects where there are no others."""
        condition, then, _ = (named_value(node, name) for name in names)
        lifted = self.expression_parts(node)
        if condition is None or then is None or not isinstance(lifted, ir.OpCall):
            return lifted
        kept = self.ends.beside(condition)
        if len(kept) == len(self._facts.masks.terms(condition)):
            return lifted
        left = conjunction(kept, Build(node.span))
        return self.expression(then) if left is None else with_argument(lifted, names[0], left)


def _terms(node: ir.Expression) -> Iterator[ir.Expression]:
    match node:
        case ir.Binary(operator=ir.BinaryOperator.ADD, left=left, right=right):
            yield from _terms(left)
            yield from _terms(right)
        case _:
            yield node
