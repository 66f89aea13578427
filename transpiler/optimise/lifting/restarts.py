"""Variables that are given a value anew become others, so that each is what one loop makes of it.

A kernel that uses `sum` for a second pass, or divides it where it stands, has one name for several values. Between its
loops, statements run one after the other: what reads the name behind such an assignment reads the new value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.visit import Rewriter

if TYPE_CHECKING:
    from transpiler.optimise.symbols import Symbols


def restarted(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """The kernel with another variable for each value that is assigned outside of loops and branches."""
    return _Renamed(symbols).kernel(kernel)


class _Renamed(Rewriter):
    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._current: dict[ir.Symbol, ir.Symbol] = {}

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        return self._current.get(symbol, symbol)

    def kernel(self, kernel: ir.R) -> ir.R:
        found: list[ir.Statement] = []
        statements = kernel.body.statements
        for place, node in enumerate(statements):
            if not isinstance(node, ir.Assign) or node.operator is not None:
                found.append(self.statement(node))
                continue
            value = self.expression(node.value)
            fresh = replace(
                self._symbols.like(node.symbol),
                is_mutable=_is_assigned(node.symbol, statements[place + 1 :]),
            )
            self._current[node.symbol] = fresh
            found.append(ir.Let(span=node.span, symbol=fresh, value=value, layout=node.layout))
        if all(new is old for new, old in zip(found, statements, strict=True)):
            return kernel
        return replace(kernel, body=replace(kernel.body, statements=tuple(found)))


def _is_assigned(symbol: ir.Symbol, statements: tuple[ir.Statement, ...]) -> bool:
    """Whether a variable is assigned before it is given a value anew."""
    for node in statements:
        if isinstance(node, ir.Assign) and node.symbol == symbol:
            return node.operator is not None
        if any(
            isinstance(it, ir.Assign) and it.symbol == symbol
            for it in ir.Block(span=node.span, statements=(node,)).contents.statements
        ):
            return True
    return False
