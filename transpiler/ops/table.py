"""The op table: every operation by its Rust name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ops.elementwise import ELEMENTWISE
from transpiler.ops.memory import MEMORY
from transpiler.ops.reduce import REDUCE
from transpiler.ops.tiles import CREATION, LINEAR_ALGEBRA, PROGRAM, SHAPE

if TYPE_CHECKING:
    from transpiler.ops.model import Op

OPS: dict[str, Op] = {
    op.name: op
    for op in (*PROGRAM, *CREATION, *SHAPE, *LINEAR_ALGEBRA, *MEMORY, *ELEMENTWISE, *REDUCE)
}

UNTRANSLATED = frozenset(
    {
        "advance",
        "associative_scan",
        "assume",
        "atan",
        "atomic_cas",
        "broadcast",
        "cat",
        "debug_barrier",
        "device_assert",
        "device_print",
        "dot_scaled",
        "flip",
        "gather",
        "histogram",
        "inline_asm_elementwise",
        "interleave",
        "join",
        "load_scalar_f32_as_i32",
        "make_block_ptr",
        "max_constancy",
        "max_contiguous",
        "max_with_indices",
        "min_with_indices",
        "multiple_of",
        "rand",
        "randint",
        "randint4x",
        "randn",
        "ravel",
        "reduce",
        "softmax",
        "sort",
        "split",
        "static_assert",
        "static_print",
        "swizzle2d",
        "umulhi",
    }
)
"""The other methods of the `Triton` trait: known, so that a kernel that calls one is not told of a spelling mistake."""
