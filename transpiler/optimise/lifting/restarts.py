"""Variables that are given a value anew become others, so that each is what one loop makes of it.

A kernel that uses `sum` for a second pass, or divides it where it stands, has one name for several values. Between its
loops, statements run one after the other: what reads the name behind such an assignment reads the new value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.optimise.nests.expressions import Renaming

if TYPE_CHECKING:
    from transpiler.optimise.symbols import Symbols


def restarted(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """The kernel with another variable for each value that is assigned outside of loops and branches."""
    current: dict[ir.Symbol, ir.Symbol] = {}
    renaming = Renaming(current)
    found: list[ir.Statement] = []
    statements = kernel.body.statements
    for place, node in enumerate(statements):
        if not isinstance(node, ir.Assign) or node.operator is not None:
            found.append(renaming.statement(node))
            continue
        value = renaming.expression(node.value)
        fresh = replace(
            symbols.like(node.symbol),
            is_mutable=_is_assigned(node.symbol, statements[place + 1 :]),
        )
        current[node.symbol] = fresh
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
