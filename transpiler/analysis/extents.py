"""The const generics that a kernel takes for extents of its tiles."""

from __future__ import annotations

from transpiler.ir import nodes as ir
from transpiler.ir.types import NamedDimension, Tensor
from transpiler.ir.visit import walk_block


def tile_extents(kernel: ir.Routine) -> frozenset[str]:
    """The const generics that are extents of tiles in the kernel, hence at least 1."""
    if isinstance(kernel, ir.Function):
        # The shapes in it are named as its callers name them.
        return frozenset(kernel.const_generics[place].name for place in kernel.symbol.extents)
    found: set[str] = set()
    for node in walk_block(kernel.body):
        type_ = node.type
        if isinstance(type_, Tensor):
            for extent in type_.shape:
                if isinstance(extent, NamedDimension):
                    found.add(extent.name)
        if isinstance(node, ir.Call):
            given = (node.constants[place] for place in node.function.extents)
            found.update(it.symbol.name for it in given if isinstance(it, ir.Read))
    return frozenset(found)
