"""The statements of a kernel for a tile of programs instead of one, as a map over one axis of the grid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import PointerTensor, Scalar, Tensor, TupleType
from transpiler.ir.visit import statement_expressions
from transpiler.ops.model import Effect
from transpiler.optimise.build import Build, broadcast, shape_of
from transpiler.optimise.grid import is_program
from transpiler.optimise.refusals import refuse
from transpiler.optimise.widening.broadcasts import Broadcasts
from transpiler.optimise.widening.predication import Predicate
from transpiler.optimise.widening.widen_expressions import ExpressionWidener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.effects import Failures
    from transpiler.ir.types import Type
    from transpiler.optimise.symbols import Symbols
    from transpiler.optimise.widening.widen_frame import Frame, Varying


class StatementWidener:
    """Widens the statements of one kernel, in order."""

    def __init__(
        self,
        kernel: ir.Kernel,
        frame: Frame,
        varying: Varying,
        symbols: Symbols,
        failures: Failures,
    ) -> None:
        self._frame = frame
        self._varying = varying
        self._symbols = symbols
        self._predicate = Predicate(frame, failures)
        self._broadcasts = Broadcasts((*kernel.const_generics, frame.tile))
        self._expressions = ExpressionWidener(frame, self._broadcasts, self._predicate)

    # --- Statements -------------------------------------------------------------------------------

    def statements(self, nodes: tuple[ir.Statement, ...]) -> Iterator[ir.Statement]:
        """Statements, widened.

        Raises:
            RefusedError: one of them has no form for a tile of programs.
        """
        for node in nodes:
            if self._predicate.is_partial:
                for expression in statement_expressions(node):
                    self._predicate.require_safe(expression)
            yield from self._statement(node)

    def _statement(self, node: ir.Statement) -> Iterator[ir.Statement]:
        match node:
            case ir.Let(value=value) if is_program(value, self._frame.member) and (
                node.symbol not in self._varying.assigned
            ):
                self._expressions.read_as(node.symbol, Build(node.span).read(self._frame.programs))
            case ir.Let():
                value = self._held(node.symbol, self._expression(node.value))
                if self._is_another_name(node, value):
                    self._expressions.read_as(node.symbol, value)
                    return
                symbol = self._symbol(node.symbol, value)
                self._broadcasts.note(symbol, value)
                yield replace(node, symbol=symbol, value=value)
            case ir.LetTuple():
                yield self._tuple(node)
            case ir.Declare():
                yield self._declared(node)
            case ir.Assign():
                yield self._assign(node)
            case ir.Evaluate(value=ir.OpCall() as call) if call.op.effect is Effect.ATOMIC:
                yield replace(node, value=self._expressions.updated(call))
            case ir.Evaluate():
                yield replace(node, value=self._expression(node.value))
            case ir.If(condition=condition) if self._varying.of(condition):
                yield from self._branch(node)
            case ir.If() | ir.While() | ir.For():
                yield self._nested(node)
            case ir.Return(value=None):
                if self._predicate.is_partial:
                    refuse("some programs return here", node.span)
                yield node
            case _:
                refuse("this statement has no form for a tile of programs", node.span)

    def _is_another_name(self, node: ir.Let, value: ir.Expression) -> bool:
        """Whether a name is now one for what has a name, since nothing has to be made a tile any more."""
        return (
            isinstance(value, ir.Read)
            and not isinstance(node.value, ir.Read)
            and not {value.symbol, node.symbol} & self._varying.assigned
            and not value.symbol.is_mutable
        )

    def _symbol(self, symbol: ir.Symbol, value: ir.Expression) -> ir.Symbol:
        """The symbol for a value: the one it was where its type is what it was."""
        if symbol.type != value.type:
            made = self._symbols.like(symbol, value.type)
            self._expressions.read_as(symbol, Build(symbol.span).read(made))
            return made
        return symbol

    def _tuple(self, node: ir.LetTuple) -> ir.LetTuple:
        value = self._expression(node.value)
        if not isinstance(value.type, TupleType):
            raise TypeError("the elements of a tuple are named")
        symbols: list[ir.Symbol | None] = []
        for symbol, type_ in zip(node.symbols, value.type.elements, strict=True):
            if symbol is None:
                symbols.append(None)
                continue
            if symbol in self._varying.assigned:
                refuse(f"`{symbol.name}` is assigned", node.span)
            made = self._symbols.like(symbol, type_)
            self._expressions.read_as(symbol, Build(symbol.span).read(made))
            symbols.append(made)
        return replace(node, symbols=tuple(symbols), value=value)

    def _assign(self, node: ir.Assign) -> ir.Statement:
        symbol = self._expressions.symbol(node.symbol)
        value = self._expression(node.value)
        if self._predicate.is_partial and node.symbol in self._varying.symbols:
            return self._selected(node, symbol, value)
        if node.operator is None:
            value = self._held(node.symbol, value)
        return replace(node, symbol=symbol, value=value)

    def _nested(self, node: ir.If | ir.While | ir.For) -> ir.Statement:
        match node:
            case ir.If():
                condition = self._same(node.condition, "a branch is decided by lanes")
                return replace(
                    node,
                    condition=condition,
                    then_block=self._block(node.then_block),
                    else_block=None if node.else_block is None else self._block(node.else_block),
                )
            case ir.While():
                reason = "how often the loop runs is decided by program"
                if node.result is not None:
                    refuse("the loop has a result", node.span)
                return replace(
                    node,
                    condition=self._same(node.condition, reason),
                    body=self._block(node.body),
                )
            case ir.For():
                reason = "how often the loop runs is decided by program"
                start, stop, step = (
                    self._same(it, reason) for it in (node.start, node.stop, node.step)
                )
                return replace(node, start=start, stop=stop, step=step, body=self._block(node.body))

    def _expression(self, node: ir.Expression) -> ir.Expression:
        return self._expressions.expression(node)

    # --- Branches that programs decide ------------------------------------------------------------

    def _branch(self, node: ir.If) -> Iterator[ir.Statement]:
        """Both arms, one after the other, each for the programs it is for."""
        condition = self._expression(node.condition)
        if self._frame.lanes(condition.type) != 1:
            refuse("a branch is decided by lanes", node.span)
        build = Build(node.condition.span)
        holds = self._symbols.new("holds", condition.type, node.condition.span)
        yield ir.Let(span=node.condition.span, symbol=holds, value=condition, layout=node.layout)
        arms: list[tuple[ir.Expression, ir.Block]] = [(build.read(holds), node.then_block)]
        if node.else_block is not None:
            opposite = ir.Unary(
                span=node.condition.span,
                type=condition.type,
                operator=ir.UnaryOperator.NOT,
                operand=build.read(holds),
            )
            arms.append((opposite, node.else_block))
        for mask, block in arms:
            self._predicate.enter(mask)
            yield from self.statements(block.statements)
            self._predicate.leave()

    def _declared(self, node: ir.Declare) -> ir.Statement:
        """A variable whose first value comes later; where programs decide by which arm, it has one from the start."""
        is_chosen = node.symbol in self._varying.chosen or self._predicate.is_partial
        symbol = self._symbols.like(node.symbol, self._type(node.symbol))
        if not is_chosen or node.symbol not in self._varying.symbols:
            self._expressions.read_as(node.symbol, Build(node.span).read(symbol))
            return replace(node, symbol=symbol)
        type_ = symbol.type
        if not isinstance(type_, Tensor):
            refuse(f"`{symbol.name}` is assigned in some programs", node.span)
        symbol = replace(symbol, is_mutable=True)
        build = Build(node.span)
        self._expressions.read_as(node.symbol, build.read(symbol))
        extents = self._broadcasts.extents(type_.shape, node)
        value = build.full(type_.shape, extents, build.literal(0, type_.dtype))
        return ir.Let(span=node.span, symbol=symbol, value=value, layout=node.layout)

    def _selected(self, node: ir.Assign, symbol: ir.Symbol, value: ir.Expression) -> ir.Statement:
        """An assignment that happens in some programs."""
        build = Build(node.span)
        before = build.read(symbol)
        if not isinstance(symbol.type, Tensor):
            refuse(f"`{symbol.name}` is assigned in some programs", node.span)
        if node.operator is not None:
            type_ = replace(symbol.type, shape=broadcast(symbol.type, value.type))
            value = ir.Binary(
                span=node.span, type=type_, operator=node.operator, left=before, right=value
            )
        value = build.select(self._predicate.taken(build), self._held(node.symbol, value), before)
        return replace(node, symbol=symbol, value=value, operator=None)

    def _block(self, block: ir.Block) -> ir.Block:
        return replace(block, statements=tuple(self.statements(block.statements)))

    def _same(self, node: ir.Expression, reason: str) -> ir.Expression:
        """An expression that is one number for all programs."""
        found = self._expression(node)
        if shape_of(found.type):
            refuse(reason, node.span)
        return found

    # --- Variables --------------------------------------------------------------------------------

    def _type(self, symbol: ir.Symbol) -> Type:
        """The type of a variable that is assigned, which all its values have."""
        is_varying = symbol in self._varying.symbols
        match symbol.type:
            case Scalar(dtype=dtype):
                if not is_varying:
                    return symbol.type
                return Tensor(dtype=dtype, shape=self._frame.shape(1, is_varying=True))
            case Tensor(shape=shape) | PointerTensor(shape=shape):
                extent = shape[0] if shape else 1
                return replace(symbol.type, shape=self._frame.shape(extent, is_varying=is_varying))
            case _:
                return refuse(f"`{symbol.name}` is assigned", symbol.span)

    def _held(self, symbol: ir.Symbol, value: ir.Expression) -> ir.Expression:
        """A value as the variable holds it, which has one shape all along if it is assigned."""
        if symbol not in self._varying.assigned:
            return value
        return self._broadcasts.to(shape_of(self._type(symbol)), value)
