"""From a kernel as written to a nest: tiles and masks are taken apart into one index at a time.

A loop that moves a tile of `E` lanes along by `E` has one axis, whose index is the lane plus the loop's variable, as
long as lane and variable occur in this sum alone. Its axis ends where the loop ends, if in the lanes beyond nothing
happens: stores are masked there, and what accumulates adds the identity. What a tile accumulates lane by lane and a
reduction makes one number of behind the loop is one number from the start, reassociated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.effects import Failures, effects_of
from transpiler.analysis.facts import Facts
from transpiler.analysis.values import is_read, named_argument
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import Effect
from transpiler.optimise.build import Build
from transpiler.optimise.classic.context import ranges_of
from transpiler.optimise.lifting.axes import Axes
from transpiler.optimise.lifting.given_names import GivenNames
from transpiler.optimise.lifting.lift_expressions import ExpressionLifter
from transpiler.optimise.lifting.loop_ends import Tiles
from transpiler.optimise.lifting.recurrences import Recurrences, has_lanes
from transpiler.optimise.nests.nest import (
    Accumulate,
    Axis,
    AxisKind,
    Item,
    Loop,
    Nest,
    Store,
    item_expressions,
    walk_items,
)
from transpiler.optimise.paragraphs import below
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.optimise.symbols import Symbols


def lift(
    kernel: ir.Kernel,
    functions: Mapping[ir.FunctionSymbol, ir.Function],
    symbols: Symbols,
) -> Nest:
    """The kernel as a nest.

    Raises:
        RefusedError: it is none, or nothing here can tell.
    """
    axes, recurrences, names = Axes(symbols), Recurrences(), GivenNames()
    failures = Failures(functions, ranges_of(kernel).of)
    expressions = ExpressionLifter(Facts(kernel, functions), failures, axes, recurrences)
    items = _StatementLifter(symbols, axes, recurrences, names, expressions).items(kernel.body)
    for extent, lane in axes.lanes.items():
        reason = f"lanes of {extent.name} are used outside of a loop that moves along them"
        _refuse_reads(items, lane, reason)
    return Nest(
        kernel=kernel,
        programs=tuple(map(names.of_axis, axes.programs)),
        items=_finished(items, names),
    )


class _StatementLifter:
    """Lifts statements, in order; what they say of axes, variables and names goes to those who keep it."""

    def __init__(
        self,
        symbols: Symbols,
        axes: Axes,
        recurrences: Recurrences,
        names: GivenNames,
        expressions: ExpressionLifter,
    ) -> None:
        self._symbols = symbols
        self._axes = axes
        self._recurrences = recurrences
        self._names = names
        self._expressions = expressions
        self._ends = expressions.ends

    def items(self, block: ir.Block) -> tuple[Item, ...]:
        """The items of a block.

        Raises:
            RefusedError: a statement of it has no form in a nest.
        """
        items: list[Item] = []
        heading: ir.Layout | None = None
        for place, statement in enumerate(block.statements):
            begins = place == 0 or statement.layout.blank_before
            if begins:
                heading = None
            (headed,) = (statement,) if heading is None else below(heading, [statement])
            made = list(self._item(headed))
            if made or self._shows(headed):
                heading = None
            elif begins:
                heading = self._left_of(headed)
            items += made
        return tuple(items)

    def _shows(self, statement: ir.Statement) -> bool:
        """Whether what is written above shows above the variable of a reduction, or its result."""
        if not isinstance(statement, ir.Let):
            return False
        named = self._names.named_by(statement)
        is_result = named is not None and self._recurrences.is_reduction(named)
        return statement.symbol.is_mutable or is_result

    def _left_of(self, statement: ir.Statement) -> ir.Layout:
        """What is left where a name goes: comments on the index of an axis are about the kernel as written."""
        if isinstance(statement, ir.Let) and self._names.named_by(statement) is not None:
            return ir.Layout(blank_before=statement.layout.blank_before)
        return statement.layout

    def _item(self, node: ir.Statement) -> Iterator[Item]:
        match node:
            case ir.Let():
                yield from self._let(node)
            case ir.Evaluate(value=ir.OpCall() as call) if call.op.effect is Effect.WRITES:
                yield self._store(node, call)
            case ir.For():
                yield self._loop(node)
            case ir.Assign():
                yield self._accumulate(node)
            case ir.Evaluate(value=ir.OpCall(op=op)):
                refuse(f"`{op.name}` {op.effect.value}", node.span)
            case ir.If():
                refuse("a branch decides what is done", node.span)
            case ir.While():
                refuse("how often the loop runs is not known before it", node.span)
            case _:
                refuse("this statement is outside of what is analysed", node.span)

    def _let(self, node: ir.Let) -> Iterator[ir.Let]:
        if node.symbol.is_mutable:
            yield from self._start(node)
            return
        value = self._expression(node.value)
        match value:
            case ir.Read(symbol=symbol):
                self._expressions.read_as(node.symbol, value)
                # An axis is called as the kernel calls its index first, a reduction as it calls the result.
                self._names.note(node, symbol)
            case ir.Literal():
                self._expressions.read_as(node.symbol, value)
            case _:
                self._expressions.define(node.symbol, value)
                yield replace(node, value=value)

    def _start(self, node: ir.Let) -> Iterator[ir.Let]:
        """Note what a variable starts from; what is read from memory is read here, and has a name."""
        value = self._expression(node.value)
        if Effect.READS in effects_of(walk_expression(value)):
            name = self._symbols.new(f"{node.symbol.name}_start", value.type, node.symbol.span)
            self._expressions.define(name, value)
            yield ir.Let(span=node.span, symbol=name, value=value)
            value = ir.Read(span=node.span, type=value.type, symbol=name)
        self._recurrences.declare(node, value)

    def _store(self, node: ir.Evaluate, call: ir.OpCall) -> Store:
        if named_argument(call, "strides") is not None:
            refuse("a tile is stored by its shape and strides", node.span)
        lifted = self._expression(call)
        if not isinstance(lifted, ir.OpCall):
            raise TypeError("a call is lifted to a call")
        self._ends.require_mask(call)
        return Store(call=lifted, span=node.span, layout=node.layout)

    # --- Loops ------------------------------------------------------------------------------------

    def _loop(self, node: ir.For) -> Loop:
        start, stop, step = map(self._expression, (node.start, node.stop, node.step))
        tiles = None
        match step:
            case ir.Literal(value=1):
                index = self._symbols.new(node.symbol.name, I32, node.symbol.span)
                self._expressions.read_as(node.symbol, Build(node.span).read(index))
            case ir.Read(symbol=extent) if extent.kind is ir.SymbolKind.CONST_GENERIC:
                index = self._symbols.new(node.symbol.name, I32, node.symbol.span)
                lane = self._axes.lane(extent, node.span)
                tiles = Tiles(loop=node, lane=lane, index=index, extent=extent, stop=stop)
                self._ends.open.append(tiles)
            case _:
                refuse("the step of the loop is neither 1 nor the extent of its tiles", node.span)
        begun = self._recurrences.enter(node)
        items = self.items(node.body)
        reductions = self._recurrences.leave(begun)
        if tiles is not None:
            self._ends.open.pop()
            _refuse_reads(items, node.symbol, "the loop's variable is used apart from lanes")
        axis = Axis(
            symbol=index,
            kind=AxisKind.LOOP,
            start=start,
            stop=stop,
            span=node.span,
            tile=None if tiles is None else tiles.extent,
        )
        return Loop(
            axis=self._names.of_axis(axis),
            items=items,
            reductions=reductions,
            span=node.span,
            layout=node.layout,
        )

    def _accumulate(self, node: ir.Assign) -> Accumulate:
        found = self._recurrences.accumulated(node)
        term = self._expression(found.term)
        if self._ends.open and not found.reduces_lanes and not has_lanes(node.symbol):
            refuse(f"`{node.symbol.name}` counts tiles", node.span)
        self._ends.require_nothing(found)
        return Accumulate(symbol=node.symbol, term=term, span=node.span, layout=node.layout)

    def _expression(self, node: ir.Expression) -> ir.Expression:
        return self._expressions.expression(node)


def _refuse_reads(items: tuple[Item, ...], symbol: ir.Symbol, reason: str) -> None:
    for item in walk_items(items):
        for expression in item_expressions(item):
            for each in walk_expression(expression):
                if is_read(each, symbol):
                    refuse(reason, each.span)


def _finished(items: tuple[Item, ...], names: GivenNames) -> tuple[Item, ...]:
    """The items without loops that leave nothing behind, and with reductions as the kernel shows their results."""
    return tuple(
        replace(
            item,
            items=_finished(item.items, names),
            reductions=tuple(map(names.of_result, item.reductions)),
        )
        if isinstance(item, Loop)
        else item
        for item in items
        if not _leaves_nothing(item)
    )


def _leaves_nothing(item: Item) -> bool:
    """Whether it is a loop that stores nothing and combines nothing."""
    inside = walk_items((item,))
    return isinstance(item, Loop) and all(isinstance(it, ir.Let | Loop) for it in inside)
