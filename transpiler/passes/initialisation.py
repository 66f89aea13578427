"""Variables declared without a value: assigned before they are read, and once only where they have no `mut`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.visit import child_expressions, statement_expressions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.diagnostics.sink import Sink


def check_initialisation(block: ir.Block, sink: Sink) -> None:
    """Report what breaks these rules; the block still holds its jumps."""
    _Check(sink).block(block)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paths:
    """What holds on the paths that lead to a place: variables a path gave a value, and those a path gave none."""

    assigned: Mapping[ir.Symbol, ir.Node]
    unassigned: frozenset[ir.Symbol]


def _joined(left: _Paths | None, right: _Paths | None) -> _Paths | None:
    if left is None or right is None:
        return right if left is None else left
    return _Paths(
        assigned={**right.assigned, **left.assigned},
        unassigned=left.unassigned | right.unassigned,
    )


class _Check:
    """Follows the statements; `_paths` is None where no path leads."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._once: set[ir.Symbol] = set()
        self._paths: _Paths | None = _Paths(assigned={}, unassigned=frozenset())
        self._left: dict[int, _Paths | None] = {}
        self._again: dict[int, _Paths | None] = {}
        self._reported: set[ir.Symbol] = set()

    def block(self, block: ir.Block) -> None:
        """Follow the statements of a block in turn."""
        for statement in block.statements:
            self._statement(statement)

    def _statement(self, node: ir.Statement) -> None:
        for expression in statement_expressions(node):
            self._expression(expression)
        match node:
            case ir.Declare(symbol=symbol):
                self._declare(symbol)
            case ir.Assign(symbol=symbol, operator=operator):
                if operator is not None:
                    self._read(symbol, node)
                self._assign(symbol, node)
            case ir.If(then_block=then_block, else_block=else_block):
                before = self._paths
                self.block(then_block)
                after, self._paths = self._paths, before
                if else_block is not None:
                    self.block(else_block)
                self._paths = _joined(self._paths, after)
            case ir.While() | ir.For():
                self._loop(node)
            case ir.Break(loop=loop):
                self._left[loop] = _joined(self._left.get(loop), self._paths)
                self._paths = None
            case ir.Continue(loop=loop):
                self._again[loop] = _joined(self._again.get(loop), self._paths)
                self._paths = None
            case ir.Return():
                self._paths = None
            case _:
                pass

    def _loop(self, node: ir.While | ir.For) -> None:
        is_once = isinstance(node, ir.While) and node.is_once
        is_endless = (
            isinstance(node, ir.While)
            and isinstance(node.condition, ir.Literal)
            and node.condition.value is True
        )
        before = self._paths
        # The second round starts with what the first leaves.
        for _ in range(1 if is_once else 2):
            self.block(node.body)
            end = _joined(self._paths, self._again.pop(node.loop, None))
            self._paths = end if is_once else _joined(before, end)
        after = self._paths if is_once or not is_endless else None
        self._paths = _joined(after, self._left.pop(node.loop, None))
        if isinstance(node, ir.While) and node.result is not None:
            self._assign(node.result, node)

    def _expression(self, expression: ir.Expression) -> None:
        match expression:
            case ir.Read(symbol=symbol):
                self._read(symbol, expression)
            case ir.Conditional():
                self._expression(expression.condition)
                before = self._paths
                self._expression(expression.then_value)
                after, self._paths = self._paths, before
                self._expression(expression.else_value)
                self._paths = _joined(self._paths, after)
            case ir.BlockValue():
                for statement in expression.statements:
                    self._statement(statement)
                self._expression(expression.value)
            case ir.Binary() if expression.operator.is_logical:
                self._expression(expression.left)
                before = self._paths
                self._expression(expression.right)
                self._paths = _joined(self._paths, before)
            case _:
                for inner in child_expressions(expression):
                    self._expression(inner)

    def _declare(self, symbol: ir.Symbol) -> None:
        if not symbol.is_mutable:
            self._once.add(symbol)
        if self._paths is not None:
            assigned = {**self._paths.assigned}
            assigned.pop(symbol, None)
            self._paths = _Paths(assigned=assigned, unassigned=self._paths.unassigned | {symbol})

    def _assign(self, symbol: ir.Symbol, node: ir.Node) -> None:
        if self._paths is None:
            return
        first = self._paths.assigned.get(symbol)
        if first is not None and symbol in self._once and symbol not in self._reported:
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
        self._paths = _Paths(
            assigned={**self._paths.assigned, symbol: node},
            unassigned=self._paths.unassigned - {symbol},
        )

    def _read(self, symbol: ir.Symbol, at: ir.Node) -> None:
        if self._paths is None or symbol not in self._paths.unassigned:
            return
        self._paths = _Paths(
            assigned=self._paths.assigned, unassigned=self._paths.unassigned - {symbol}
        )
        if symbol not in self._reported:
            self._reported.add(symbol)
            self._sink.emit(
                "E0601",
                f"a variable that not every path gives a value, as `{symbol.name}`, is not "
                "supported in a kernel",
                at.span,
                help=f"give it a first value: `let mut {symbol.name} = …;`",
            )
