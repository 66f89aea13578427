"""Variables declared without a value are assigned on every path before they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.visit import statement_expressions, walk_expression

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink


def check_assigned(kernel: ir.Routine, sink: Sink) -> None:
    """Report the variables that are read where a path gave them no value."""
    _Check(sink).block(kernel.body)


class _Check:
    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._unassigned: set[ir.Symbol] = set()

    def block(self, block: ir.Block) -> None:
        """Follow the statements of a block in turn."""
        for statement in block.statements:
            self._statement(statement)

    def _statement(self, node: ir.Statement) -> None:
        for expression in statement_expressions(node):
            for inner in walk_expression(expression):
                if isinstance(inner, ir.Read):
                    self._read(inner.symbol, inner)
        match node:
            case ir.Declare(symbol=symbol):
                self._unassigned.add(symbol)
            case ir.Assign(symbol=symbol, operator=operator):
                if operator is not None:
                    self._read(symbol, node)
                self._unassigned.discard(symbol)
            case ir.If(then_block=then_block, else_block=else_block):
                before = set(self._unassigned)
                self.block(then_block)
                after_then, self._unassigned = self._unassigned, before
                if else_block is not None:
                    self.block(else_block)
                self._unassigned = self._unassigned | after_then
            case ir.While(body=body) | ir.For(body=body):
                before = set(self._unassigned)
                self.block(body)
                self._unassigned |= before
            case ir.Return():
                # Nothing follows on this path.
                self._unassigned = set()
            case _:
                pass

    def _read(self, symbol: ir.Symbol, at: ir.Node) -> None:
        if symbol in self._unassigned:
            self._unassigned.discard(symbol)
            self._sink.emit(
                "E0601",
                f"a variable that not every path gives a value, as `{symbol.name}`, is not "
                "supported in a kernel",
                at.span,
                help=f"give it a first value: `let mut {symbol.name} = …;`",
            )
