"""From a kernel as written to a nest: tiles and masks are taken apart into one index at a time.

A loop that moves a tile of `E` lanes along by `E` has one axis, whose index is the lane plus the loop's variable, as
long as lane and variable occur in this sum alone. Its axis ends where the loop ends, if in the lanes beyond nothing
happens: stores are masked there, and what accumulates adds the identity. What a tile accumulates lane by lane and a
reduction makes one number of behind the loop is one number from the start, reassociated.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.facts import Facts
from transpiler.analysis.values import named_argument, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, DtypeParameter, DtypeVariable
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import Effect
from transpiler.optimise.build import Build, dtype_of
from transpiler.optimise.lifting.lift_expressions import ExpressionLifter, has_lanes, is_read
from transpiler.optimise.lifting.loop_ends import Accumulated, Tiles
from transpiler.optimise.nests.nest import (
    Accumulate,
    Axis,
    AxisKind,
    Combine,
    Item,
    Loop,
    Nest,
    Reduction,
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
    return _Lifter(kernel, Facts(kernel, functions), symbols).nest()


class _Lifter(ExpressionLifter):
    """Lifts statements."""

    def nest(self) -> Nest:
        """The whole kernel."""
        items = self._items(self._kernel.body)
        self._refuse_lanes(items)
        programs = tuple(self._named(axis) for _, axis in sorted(self._programs.items()))
        return Nest(kernel=self._kernel, programs=programs, items=self._renamed(items))

    # --- Statements -------------------------------------------------------------------------------

    def _items(self, block: ir.Block) -> tuple[Item, ...]:
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
        symbol = statement.symbol
        return symbol.is_mutable or self._naming.get(symbol) in self._reductions

    def _left_of(self, statement: ir.Statement) -> ir.Layout:
        """What is left where a name goes: comments on the index of an axis are about the kernel as written."""
        if isinstance(statement, ir.Let) and statement.symbol in self._naming:
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
        value = self.expression(node.value)
        match value:
            case ir.Read(symbol=symbol):
                self._values[node.symbol] = value
                # An axis is called as the kernel calls its index first, a reduction as it calls the result.
                if symbol not in self._names:
                    self._naming[node.symbol] = symbol
                    self._names[symbol] = node.symbol.name
                    self._result_layouts[symbol] = node.layout
            case ir.Literal():
                self._values[node.symbol] = value
            case _:
                self._definitions[node.symbol] = value
                yield replace(node, value=value)

    def _start(self, node: ir.Let) -> Iterator[ir.Let]:
        """Note what a variable starts from; what is read from memory is read here, and has a name."""
        value = self.expression(node.value)
        if any(
            isinstance(it, ir.OpCall) and it.op.effect is Effect.READS
            for it in walk_expression(value)
        ):
            name = self._symbols.new(f"{node.symbol.name}_start", value.type, node.symbol.span)
            self._definitions[name] = value
            yield ir.Let(span=node.span, symbol=name, value=value)
            value = ir.Read(span=node.span, type=value.type, symbol=name)
        self._started[node.symbol] = value
        self._layouts[node.symbol] = node.layout

    def _named(self, axis: Axis) -> Axis:
        """The axis with the name the kernel has for its index."""
        name = self._names.get(axis.symbol, axis.symbol.name)
        return replace(axis, symbol=replace(axis.symbol, name=name))

    def _store(self, node: ir.Evaluate, call: ir.OpCall) -> Store:
        if named_argument(call, "strides") is not None:
            refuse("a tile is stored by its shape and strides", node.span)
        lifted = self.expression(call)
        if not isinstance(lifted, ir.OpCall):
            raise TypeError("a call is lifted to a call")
        self._ends.require_mask(call)
        return Store(call=lifted, span=node.span, layout=node.layout)

    # --- Loops ------------------------------------------------------------------------------------

    def _loop(self, node: ir.For) -> Loop:
        start, stop, step = map(self.expression, (node.start, node.stop, node.step))
        tiles = None
        match step:
            case ir.Literal(value=1):
                index = self._symbols.new(node.symbol.name, I32, node.symbol.span)
                self._values[node.symbol] = Build(node.span).read(index)
            case ir.Read(symbol=extent) if extent.kind is ir.SymbolKind.CONST_GENERIC:
                index = self._symbols.new(node.symbol.name, I32, node.symbol.span)
                lane = self._lane(extent, node.span)
                tiles = Tiles(loop=node, lane=lane, index=index, extent=extent, stop=stop)
                self._ends.open.append(tiles)
            case _:
                refuse("the step of the loop is neither 1 nor the extent of its tiles", node.span)
        mutable = [
            statement.symbol
            for statement in node.body.contents.statements
            if isinstance(statement, ir.Assign) and statement.symbol in self._started
        ]
        begun = [it for it in dict.fromkeys(mutable) if self._begin(it, node)]
        self._open.update(begun)
        items = self._items(node.body)
        self._open.difference_update(begun)
        if tiles is not None:
            self._ends.open.pop()
            self._refuse_reads(items, node.symbol, "the loop's variable is used apart from lanes")
        return Loop(
            axis=Axis(
                symbol=replace(index, name=self._names.get(index, index.name)),
                kind=AxisKind.LOOP,
                start=start,
                stop=stop,
                span=node.span,
                tile=None if tiles is None else tiles.extent,
            ),
            items=items,
            reductions=tuple(self._reductions[it] for it in begun),
            span=node.span,
            layout=node.layout,
        )

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
        started = self._started[symbol]
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
            layout=self._layouts[symbol],
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

    def _combined(self, node: ir.Assign) -> tuple[Combine, ir.Expression]:
        """What an assignment combines into its variable, and by what."""
        how: object = node.operator
        term = node.value
        if node.operator is None:
            how, rest = _combination(node.value, node.symbol)
            how, term = (None, term) if rest is None else (how, rest)
        combine = self._combines.get(how)
        if combine is None or any(
            isinstance(it, ir.Read) and it.symbol == node.symbol for it in walk_expression(term)
        ):
            refuse(f"`{node.symbol.name}` is carried from iteration to iteration", node.span)
        return combine, term

    def _accumulate(self, node: ir.Assign) -> Accumulate:
        if node.symbol not in self._reductions:
            refuse(f"`{node.symbol.name}` is assigned", node.span)
        combine, term = self._combined(node)
        inner = term
        if isinstance(term, ir.OpCall) and term.op.combines is not None:
            # The lanes are summed in each iteration: that is one sum over all of them.
            if term.op is not combine.reduce:
                refuse(f"`{term.op.name}` is combined in another way", node.span)
            inner = operands(term)[0]
        lifted = self.expression(inner)
        if self._ends.open and inner is term and not has_lanes(node.symbol):
            refuse(f"`{node.symbol.name}` counts tiles", node.span)
        started = self._started[node.symbol]
        self._ends.require_nothing(Accumulated(node, inner, combine, started))
        return Accumulate(
            symbol=node.symbol,
            term=lifted,
            span=node.span,
            layout=node.layout,
        )

    # --- Checks at the end ------------------------------------------------------------------------

    def _refuse_lanes(self, items: tuple[Item, ...]) -> None:
        for extent, lane in self._lanes.items():
            self._refuse_reads(
                items,
                lane,
                f"lanes of {extent.name} are used outside of a loop that moves along them",
            )

    def _refuse_reads(self, items: tuple[Item, ...], symbol: ir.Symbol, reason: str) -> None:
        for item in walk_items(items):
            for expression in item_expressions(item):
                for each in walk_expression(expression):
                    if isinstance(each, ir.Read) and each.symbol == symbol:
                        refuse(reason, each.span)

    def _renamed(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items with reductions as the kernel shows their results: with these names, and in this layout.

        Loops that leave nothing behind are none of them.
        """
        return tuple(
            replace(
                item,
                items=self._renamed(item.items),
                reductions=tuple(
                    replace(
                        it,
                        name=self._names.get(it.symbol, it.name),
                        result_layout=self._result_layouts.get(it.symbol, ir.PLAIN),
                    )
                    for it in item.reductions
                ),
            )
            if isinstance(item, Loop)
            else item
            for item in items
            if not _leaves_nothing(item)
        )


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


def _negative(node: ir.Expression) -> ir.Expression | None:
    """The float of the other sign; None for what may be no float."""
    dtype = dtype_of(node)
    if isinstance(dtype, DtypeVariable) or not dtype.is_float:
        return None
    return ir.Unary(span=node.span, type=node.type, operator=ir.UnaryOperator.NEGATE, operand=node)


def _leaves_nothing(item: Item) -> bool:
    """Whether it is a loop that stores nothing and combines nothing."""
    inside = walk_items((item,))
    return isinstance(item, Loop) and all(isinstance(it, ir.Let | Loop) for it in inside)


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
