"""The symbols of a kernel whose values are known when it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import NamedDimension, Tensor
from transpiler.ir.visit import walk_block, walk_statements
from transpiler.passes.compile_time import is_compile_time, may_be_constant

if TYPE_CHECKING:
    from collections.abc import Mapping


def compile_time_symbols(kernel: ir.Kernel) -> Mapping[ir.Symbol, ir.Expression | None]:
    """The const generics (mapped to None) and the immutable locals computed from them (mapped to their value)."""
    constants: dict[ir.Symbol, ir.Expression | None] = dict.fromkeys(kernel.const_generics)
    for statement in walk_statements(kernel.body):
        if (
            isinstance(statement, ir.Let)
            and not statement.symbol.is_mutable
            and may_be_constant(statement.symbol.type)
            and is_compile_time(statement.value, constants)
        ):
            constants[statement.symbol] = statement.value
    return constants


def tile_extents(kernel: ir.Kernel) -> frozenset[str]:
    """The const generics that are extents of tiles in the kernel, hence at least 1."""
    return frozenset(
        extent.name
        for node in walk_block(kernel.body)
        if isinstance(node.type, Tensor)
        for extent in node.type.shape
        if isinstance(extent, NamedDimension)
    )
