"""The kernel of a launch as it is launched: with the transforms of one kernel, and the parameters these leave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.optimise.align import aligned
from transpiler.optimise.classic.classics import with_classics
from transpiler.optimise.flags import ALIGN
from transpiler.optimise.launches.used_dtypes import with_used_dtypes

if TYPE_CHECKING:
    from transpiler.ir.launch_plan import Stage
    from transpiler.optimise.classic.context import ClassicContext
    from transpiler.optimise.trace import Trace


def finished(stage: Stage, context: ClassicContext, trace: Trace) -> Stage:
    """The stage with all that is done to its kernel alone."""
    kernel = with_used_dtypes(with_classics(stage.kernel, context, trace))
    stage = aligned(replace(stage, kernel=kernel), context)
    trace.kernel(ALIGN, stage.kernel)
    return stage
