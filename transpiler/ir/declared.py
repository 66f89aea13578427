"""The symbols a routine declares."""

from __future__ import annotations

from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_statements


def declared_by(statement: ir.Statement) -> tuple[ir.Symbol, ...]:
    """The symbols a statement declares itself."""
    match statement:
        case ir.Let(symbol=symbol) | ir.For(symbol=symbol) | ir.Declare(symbol=symbol):
            return (symbol,)
        case ir.LetTuple(symbols=symbols):
            return tuple(symbol for symbol in symbols if symbol is not None)
        case ir.While(result=ir.Symbol() as result):
            return (result,)
        case _:
            return ()


def largest_id(routine: ir.Routine) -> int:
    """The largest id of a symbol of a routine; those above it are free."""
    found = [symbol.id for symbol in (*routine.parameters, *routine.const_generics)]
    for statement in walk_statements(routine.body):
        found.extend(symbol.id for symbol in declared_by(statement))
    return max(found, default=0)
