"""The variables of a kernel and what loops make of them: `acc = acc + v` is a recurrence, its loop a reduction.

A variable is declared, one loop (and those inside it) combines terms into it, and behind that loop it is the result. A
tile of accumulators is one number from the start: what reduces its lanes behind the loop reads that number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import is_read, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import DtypeParameter, DtypeVariable, Tensor
from transpiler.ir.visit import walk_expression
from transpiler.optimise.build import dtype_of
from transpiler.optimise.nests.combining import combines
from transpiler.optimise.nests.nest import Reduction
from transpiler.optimise.refusals import refuse
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.optimise.nests.nest import Combine
    from transpiler.source import Span


class Accumulated(NamedTuple):
    """What is combined into a variable by `node`: `term`, in lanes; the variable starts from `started`.

    The kernel `reduces_lanes` where it makes one number of the term's lanes in each iteration.
    """

    node: ir.Assign
    term: ir.Expression
    combine: Combine
    started: ir.Expression
    reduces_lanes: bool


class _Variable(NamedTuple):
    """A variable that is declared: what it starts from, and the layout of the statement that says so."""

    started: ir.Expression
    layout: ir.Layout


class Recurrences:
    """The variables met so far; what they start from is lifted, and so is what they are read as."""

    def __init__(self) -> None:
        self._variables: dict[ir.Symbol, _Variable] = {}
        self._reductions: dict[ir.Symbol, Reduction] = {}
        self._beside: dict[ir.Symbol, ir.Expression] = {}
        """What the result of a reduction is combined with behind its loop: what its variable starts from."""
        self._open: set[ir.Symbol] = set()
        """The reductions whose loop is being lifted."""
        self._combines: dict[object, Combine] = {
            it.pairwise or it.reduce.combines: it for it in combines()
        }

    def declare(self, node: ir.Let, started: ir.Expression) -> None:
        """Note a variable and what it starts from."""
        self._variables[node.symbol] = _Variable(started, node.layout)

    def is_reduction(self, symbol: ir.Symbol) -> bool:
        """Whether a loop was met that combines into a variable."""
        return symbol in self._reductions

    # --- Loops ------------------------------------------------------------------------------------

    def enter(self, loop: ir.For) -> list[ir.Symbol]:
        """The variables whose reductions this loop, no outer one, begins; they are not to be read until it is left.

        Raises:
            RefusedError: a variable it assigns is none that a nest has.
        """
        assigned = (
            it.symbol
            for it in loop.body.contents.statements
            if isinstance(it, ir.Assign) and it.symbol in self._variables
        )
        begun = [it for it in dict.fromkeys(assigned) if self._begin(it, loop)]
        self._open.update(begun)
        return begun

    def leave(self, begun: Iterable[ir.Symbol]) -> tuple[Reduction, ...]:
        """The reductions that a loop began, which is lifted now."""
        self._open.difference_update(begun)
        return tuple(self._reductions[it] for it in begun)

    def _begin(self, symbol: ir.Symbol, loop: ir.For) -> bool:
        """Make a variable a reduction, and say whether this loop, no outer one, is where it begins."""
        if symbol in self._reductions:
            if symbol not in self._open:
                refuse(f"`{symbol.name}` is accumulated by more than one loop", loop.span)
            return False
        combine = self._combine_of(symbol, loop)
        dtype = getattr(symbol.type, "dtype", None)
        if (
            math.isinf(combine.identity)
            and isinstance(dtype, DtypeParameter)
            and not dtype.is_float
        ):
            refuse(f"`{symbol.name}` may be of integers, none of which is infinite", loop.span)
        started, layout = self._variables[symbol]
        initial: ir.Expression | None = started
        if isinstance(started, ir.Literal) and started.value == combine.identity:
            initial = None
        elif not combine.is_extremum:
            # Partial results hold it once each, so it is combined with what all of them make.
            if has_lanes(symbol):
                reason = f"`{symbol.name}` starts from something else than {combine.identity:g}"
                refuse(reason, loop.span)
            self._beside[symbol], initial = started, None
        self._reductions[symbol] = Reduction(
            symbol=symbol,
            combine=combine,
            initial=initial,
            name=symbol.name,
            span=symbol.span,
            layout=layout,
        )
        return True

    def _combine_of(self, symbol: ir.Symbol, loop: ir.For) -> Combine:
        found = {
            self._combined(statement)[0]
            for statement in loop.body.contents.statements
            if isinstance(statement, ir.Assign) and statement.symbol == symbol
        }
        if len(found) != 1:
            refuse(f"`{symbol.name}` is combined in more than one way", loop.span)
        return found.pop()

    # --- Assignments ------------------------------------------------------------------------------

    def accumulated(self, node: ir.Assign) -> Accumulated:
        """What an assignment combines into its variable.

        Raises:
            RefusedError: the variable is no reduction, or not one by this.
        """
        if node.symbol not in self._reductions:
            refuse(f"`{node.symbol.name}` is assigned", node.span)
        combine, term = self._combined(node)
        reduces_lanes = False
        if isinstance(term, ir.OpCall) and term.op.combines is not None:
            # The lanes are summed in each iteration: that is one sum over all of them.
            if term.op is not combine.reduce:
                refuse(f"`{term.op.name}` is combined in another way", node.span)
            term, reduces_lanes = operands(term)[0], True
        started = self._variables[node.symbol].started
        return Accumulated(node, term, combine, started, reduces_lanes)

    def _combined(self, node: ir.Assign) -> tuple[Combine, ir.Expression]:
        """What an assignment combines into its variable, and by what."""
        how: object = node.operator
        term = node.value
        if node.operator is None:
            how, rest = _combination(node.value, node.symbol)
            how, term = (None, term) if rest is None else (how, rest)
        combine = self._combines.get(how)
        if combine is None or any(is_read(it, node.symbol) for it in walk_expression(term)):
            refuse(f"`{node.symbol.name}` is carried from iteration to iteration", node.span)
        return combine, term

    # --- Reads ------------------------------------------------------------------------------------

    def read(self, node: ir.Read) -> ir.Expression | None:
        """What the value of a variable is; None of what is none.

        Raises:
            RefusedError: it has no value of its own there.
        """
        symbol = node.symbol
        if symbol in self._reductions:
            self._require_done(symbol, node.span)
            if has_lanes(symbol):
                refuse(f"the lanes of `{symbol.name}` are used one by one", node.span)
            return self._result(node)
        variable = self._variables.get(symbol)
        return None if variable is None else variable.started

    def reduced(self, node: ir.OpCall) -> ir.Expression:
        """What a reduction across lanes makes of an accumulator: the number that it is in a nest.

        Raises:
            RefusedError: it reduces something else, or in another way.
        """
        operand = operands(node)[0]
        if not isinstance(operand, ir.Read) or operand.symbol not in self._reductions:
            refuse(f"`{node.op.name}` reduces what no loop accumulates", node.span)
        reduction = self._reductions[operand.symbol]
        self._require_done(operand.symbol, node.span)
        if reduction.combine.reduce is not node.op:
            refuse(
                f"`{node.op.name}` is not what `{operand.symbol.name}` accumulates by", node.span
            )
        return self._result(ir.Read(span=node.span, type=node.type, symbol=operand.symbol))

    def _require_done(self, symbol: ir.Symbol, span: Span) -> None:
        if symbol in self._open:
            refuse(f"`{symbol.name}` is used while it accumulates", span)

    def _result(self, node: ir.Read) -> ir.Expression:
        """What a reduction has made of its variable."""
        start = self._beside.get(node.symbol)
        operator = self._reductions[node.symbol].combine.reduce.combines
        if start is None or not isinstance(operator, ir.BinaryOperator):
            return node
        return ir.Binary(span=node.span, type=node.type, operator=operator, left=start, right=node)


def has_lanes(symbol: ir.Symbol) -> bool:
    """Whether a variable holds a tile of more than one lane."""
    return isinstance(symbol.type, Tensor) and any(extent != 1 for extent in symbol.type.shape)


def _combination(value: ir.Expression, symbol: ir.Symbol) -> tuple[object, ir.Expression | None]:
    """How a value is made of a variable and something else, and that; None where it is not."""
    match value:
        case ir.Binary(operator=ir.BinaryOperator.SUBTRACT, left=left, right=right) if is_read(
            left, symbol
        ):
            return ir.BinaryOperator.ADD, _negative(right)
        case ir.Binary(operator=operator):
            return operator, _without(value, operator, symbol)
        case ir.OpCall() as call if len(operands(call)) == len(call.arguments) == 2:
            left, right = operands(call)
            if is_read(left, symbol):
                return call.op, right
            return call.op, left if is_read(right, symbol) else None
        case _:
            return None, None


def _without(
    node: ir.Expression, operator: ir.BinaryOperator, symbol: ir.Symbol
) -> ir.Expression | None:
    """What a chain such as `acc + a + b` combines into a variable; None where it does not begin with it."""
    if not isinstance(node, ir.Binary) or node.operator is not operator:
        return None
    if is_read(node.left, symbol):
        return node.right
    if is_read(node.right, symbol):
        return node.left
    rest = _without(node.left, operator, symbol)
    return None if rest is None else replace(node, left=rest)


def _negative(node: ir.Expression) -> ir.Expression | None:
    """The float of the other sign; None for what may be no float."""
    dtype = dtype_of(node)
    if isinstance(dtype, DtypeVariable) or not dtype.is_float:
        return None
    return ir.Unary(span=node.span, type=node.type, operator=ir.UnaryOperator.NEGATE, operand=node)
