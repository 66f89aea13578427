"""Takes tensor descriptors and block pointers apart: base, shape, strides and offsets become variables of their own.

What is loaded and stored through them goes through pointers and masks. A descriptor of Triton needs a last stride of 1
known to the compiler, rows that start on 16 bytes, and memory the host provides; a Rust kernel promises none of these,
and block pointers are gone from Triton 3.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.types import Descriptor
from transpiler.ir.visit import walk_block

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.passes.context import PassContext


def descriptors(module: ir.Module, context: PassContext) -> ir.Module:
    """The module without descriptors."""

    def lowered(routine: ir.R) -> ir.R:
        if not any(isinstance(node.type, Descriptor) for node in walk_block(routine.body)):
            return routine
        from transpiler.passes.descriptor_lowering import (  # noqa: PLC0415 - few kernels have any
            without_descriptors,
        )

        return without_descriptors(routine, context.sink)

    return module.mapped(lowered)
