"""The symbols of a kernel whose values are known when it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_statements
from transpiler.passes.compile_time import is_compile_time, may_be_constant

if TYPE_CHECKING:
    from collections.abc import Mapping


def compile_time_symbols(kernel: ir.Routine) -> Mapping[ir.Symbol, ir.Expression | None]:
    """The constant parameters (mapped to None) and the immutable locals computed from them (mapped to their value)."""
    constants: dict[ir.Symbol, ir.Expression | None] = {
        symbol: None
        for symbol in (*kernel.const_generics, *kernel.parameters)
        if symbol.kind is ir.SymbolKind.CONST_GENERIC
    }
    for statement in walk_statements(kernel.body):
        if (
            isinstance(statement, ir.Let)
            and not statement.symbol.is_mutable
            and may_be_constant(statement.symbol.type)
            and is_compile_time(statement.value, constants)
        ):
            constants[statement.symbol] = statement.value
    return constants
