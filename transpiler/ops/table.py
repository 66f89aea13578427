"""The op table: every operation by its Rust name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ops.elementwise import ELEMENTWISE
from transpiler.ops.hints import DEBUG, HINTS
from transpiler.ops.memory import MEMORY
from transpiler.ops.random import RANDOM
from transpiler.ops.reduce import REDUCE
from transpiler.ops.tiles import CREATION, LINEAR_ALGEBRA, PROGRAM, SHAPE

if TYPE_CHECKING:
    from transpiler.ops.model import Op

OPS: dict[str, Op] = {
    op.name: op
    for op in (
        *PROGRAM,
        *CREATION,
        *SHAPE,
        *LINEAR_ALGEBRA,
        *MEMORY,
        *ELEMENTWISE,
        *REDUCE,
        *RANDOM,
        *HINTS,
        *DEBUG,
    )
}
