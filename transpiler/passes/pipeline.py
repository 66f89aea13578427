"""The passes over typed IR, in order.

`check` sees the program as the author wrote it; `fold` makes constants literals, which `loops` and `conditionals` look
at; `precision` follows values through statements, so it comes when these have their final form; `legalise` comes last,
since what it adds has meaning in Triton only. The optimiser works on what stands before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir.verify import verify
from transpiler.passes.check import check
from transpiler.passes.conditionals import conditionals
from transpiler.passes.descriptors import descriptors
from transpiler.passes.fold import fold
from transpiler.passes.legalise import legalise
from transpiler.passes.loops import loops
from transpiler.passes.offered import offered
from transpiler.passes.precision import precision
from transpiler.passes.structure import structure

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.ir.nodes import Module
    from transpiler.passes.context import Pass, PassContext

    Observer = Callable[[str, Module], None]
    """Is given the name of each pass and the module after it."""

PIPELINE: tuple[Pass, ...] = (
    check,
    offered,
    fold,
    structure,
    loops,
    conditionals,
    descriptors,
    precision,
    legalise,
)
PREPARE, FINISH = PIPELINE[:-1], PIPELINE[-1:]
"""What comes before the optimiser, and after it."""


def run_passes(
    module: Module,
    context: PassContext,
    passes: tuple[Pass, ...] = PIPELINE,
    after: str | None = "elaborate",
    observe: Observer | None = None,
) -> Module:
    """Run passes; the module is verified before the first, as what `after` made, and what a pass changed after it.

    Where `after` is None, the module is known to be sound. `observe` sees what `after` made and what each pass made.

    Raises:
        InvalidModuleError: a pass broke an invariant; a fault of the compiler.
    """
    if after is not None:
        verify(module, after=after)
        if observe is not None:
            observe(after, module)
    for each in passes:
        seen = {id(routine) for routine in module.routines}
        before, module = module, each(module, context)
        changed = replace(
            before,
            kernels=tuple(kernel for kernel in module.kernels if id(kernel) not in seen),
            functions=tuple(it for it in module.functions if id(it) not in seen),
        )
        verify(changed, after=each.__name__)
        if observe is not None:
            observe(each.__name__, module)
    return module
