"""The form of kernels from which they are lifted: of what people write in several ways, one is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.optimise.lifting.counters import counted
from transpiler.optimise.lifting.origins import rebased
from transpiler.optimise.lifting.restarts import restarted
from transpiler.optimise.lifting.tile_counts import stepped

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.optimise.symbols import Symbols


def normalised(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """A kernel that does the same, whose variables have one value outside of loops, and whose loops are ranges."""
    for form in (restarted, counted, rebased, stepped):
        kernel = form(kernel, symbols)
    return kernel
