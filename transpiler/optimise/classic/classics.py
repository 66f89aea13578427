"""The classic transforms of one kernel, in the order in which they are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transpiler.optimise.classic.contract import contract
from transpiler.optimise.classic.eviction import eviction
from transpiler.optimise.classic.hints import hints
from transpiler.optimise.classic.hoist import hoist
from transpiler.optimise.classic.reciprocal import reciprocal
from transpiler.optimise.classic.reuse import reuse
from transpiler.optimise.classic.strength import strength
from transpiler.optimise.flags import CONTRACT, EVICTION, HINTS, HOIST, RECIPROCAL, REUSE, STRENGTH

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.optimise.classic.context import ClassicContext
    from transpiler.optimise.flags import Transform
    from transpiler.optimise.trace import Trace


class Classic(Protocol):
    """A transform of one kernel."""

    def __call__(self, kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
        """The changed kernel, or this very one; what was done, or why not, is in the context's remarks."""
        ...


CLASSICS: tuple[tuple[Transform, Classic], ...] = (
    (HOIST, hoist),
    (REUSE, reuse),
    (STRENGTH, strength),
    (RECIPROCAL, reciprocal),
    (CONTRACT, contract),
    (HINTS, hints),
    (EVICTION, eviction),
)


def with_classics(kernel: ir.Kernel, context: ClassicContext, trace: Trace) -> ir.Kernel:
    """The kernel as all of them leave it."""
    for transform, apply in CLASSICS:
        kernel = apply(kernel, context)
        trace.kernel(transform, kernel)
    return kernel
