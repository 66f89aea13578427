"""Variables declared without a value and without `mut` are assigned once on every path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.ir import nodes as ir
from transpiler.ir.visit import child_expressions, statement_expressions

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink


def check_assigned_once(block: ir.Block, sink: Sink) -> None:
    """Report what assigns such a variable where a path may have assigned it before; jumps are still there."""
    _Check(sink).block(block)


class _Check:
    """Follows the paths: `_assigned` holds the variables that may have a value here, None where no path leads."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._once: set[ir.Symbol] = set()
        self._assigned: dict[ir.Symbol, ir.Assign] | None = {}
        self._left: dict[int, dict[ir.Symbol, ir.Assign]] = {}
        self._again: dict[int, dict[ir.Symbol, ir.Assign]] = {}
        self._reported: set[ir.Symbol] = set()

    def block(self, block: ir.Block) -> None:
        """Follow the statements of a block in turn."""
        for statement in block.statements:
            self._statement(statement)

    def _statement(self, node: ir.Statement) -> None:
        for expression in statement_expressions(node):
            self._expression(expression)
        match node:
            case ir.Declare(symbol=symbol) if not symbol.is_mutable:
                self._once.add(symbol)
                if self._assigned is not None:
                    self._assigned.pop(symbol, None)
            case ir.Assign(symbol=symbol) if symbol in self._once:
                self._assign(node)
            case ir.If(then_block=then_block, else_block=else_block):
                before = None if self._assigned is None else dict(self._assigned)
                self.block(then_block)
                after, self._assigned = self._assigned, before
                if else_block is not None:
                    self.block(else_block)
                self._assigned = _joined(self._assigned, after)
            case ir.While() | ir.For():
                self._loop(node)
            case ir.Break(loop=loop):
                self._left[loop] = _joined(self._left.get(loop), self._assigned) or {}
                self._assigned = None
            case ir.Continue(loop=loop):
                self._again[loop] = _joined(self._again.get(loop), self._assigned) or {}
                self._assigned = None
            case ir.Return():
                self._assigned = None
            case _:
                pass

    def _loop(self, node: ir.While | ir.For) -> None:
        is_once = isinstance(node, ir.While) and node.is_once
        is_endless = (
            isinstance(node, ir.While)
            and isinstance(node.condition, ir.Literal)
            and node.condition.value is True
        )
        before = None if self._assigned is None else dict(self._assigned)
        # The second round starts with what the first leaves.
        for _ in range(1 if is_once else 2):
            self.block(node.body)
            end = _joined(self._assigned, self._again.pop(node.loop, None))
            self._assigned = end if is_once else _joined(before, end)
        after = self._assigned if is_once or not is_endless else None
        self._assigned = _joined(after, self._left.pop(node.loop, None))

    def _expression(self, expression: ir.Expression) -> None:
        match expression:
            case ir.Conditional():
                self._expression(expression.condition)
                before = None if self._assigned is None else dict(self._assigned)
                self._expression(expression.then_value)
                after, self._assigned = self._assigned, before
                self._expression(expression.else_value)
                self._assigned = _joined(self._assigned, after)
            case ir.BlockValue():
                for statement in expression.statements:
                    self._statement(statement)
                self._expression(expression.value)
            case _:
                for inner in child_expressions(expression):
                    self._expression(inner)

    def _assign(self, node: ir.Assign) -> None:
        symbol = node.symbol
        if self._assigned is None:
            return
        first = self._assigned.get(symbol)
        if first is not None and symbol not in self._reported:
            self._reported.add(symbol)
            self._sink.emit(
                "E0203",
                f"`{symbol.name}` is not mutable, and may have a value already",
                node.span,
                related=()
                if first is node
                else (Label(span=first.span, message="the first is given here"),),
                help=f"declare it with `let mut {symbol.name}`",
            )
        self._assigned[symbol] = node


def _joined(
    left: dict[ir.Symbol, ir.Assign] | None, right: dict[ir.Symbol, ir.Assign] | None
) -> dict[ir.Symbol, ir.Assign] | None:
    """What may be assigned where two paths meet."""
    if left is None or right is None:
        return right if left is None else left
    return {**right, **left}
