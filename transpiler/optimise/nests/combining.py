"""What the op table says two elements are combined by in a reduction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ops.table import OPS
from transpiler.optimise.nests.nest import Combine

if TYPE_CHECKING:
    from collections.abc import Iterator


def combines() -> Iterator[Combine]:
    """What the rows of reductions say two elements are combined by."""
    for op in OPS.values():
        if op.combines is not None and op.identity is not None:
            pairwise = OPS[op.combines] if isinstance(op.combines, str) else None
            yield Combine(identity=op.identity, reduce=op, pairwise=pairwise)
